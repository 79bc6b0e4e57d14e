//! `new-op`: an operator of `graph`.

use anyhow::Result;

use crate::name::Name;
use crate::tree::Tree;

const TABLEGEN: &str = "dialects/graph/GraphElementwise.td";

pub(crate) fn run(tree: &mut Tree, name: &Name) -> Result<String> {
    let snake = name.snake();
    let file = format!("crates/sinter-ops/src/ops/{snake}.rs");
    tree.create(&file, name.fill(include_str!("../templates/op.rs")))?;
    tree.insert_before(
        TABLEGEN,
        "#endif // SINTER_GRAPH_ELEMENTWISE_TD",
        &name.fill(include_str!("../templates/op.td")),
    )?;
    let lit = |kind: &str| format!("lit-tests/Dialect/Graph/{kind}-{}.mlir", name.kebab());
    tree.create(lit("ops"), name.fill(include_str!("../templates/ops.mlir")))?;
    tree.create(
        lit("invalid"),
        name.fill(include_str!("../templates/invalid.mlir")),
    )?;
    Ok(format!(
        "cargo test --release -p sinter-ops {snake}, and fill in {file}; after cargo build --release, scripts/lit {} {}, and \
         scripts/reference writes its documentation",
        lit("ops"),
        lit("invalid")
    ))
}
