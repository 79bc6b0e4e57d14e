//! The tables in `docs/fusion.md` are the ones of the code.

mod common;

use sinter_fusion::legality::code_table;
use sinter_fusion::rules::rule_table;

#[test]
fn the_page_has_the_tables_of_the_code() {
    let page = std::fs::read_to_string(common::root().join("docs/fusion.md")).unwrap();
    for table in [code_table(), rule_table()] {
        assert!(
            page.contains(&table),
            "docs/fusion.md should contain:\n{table}"
        );
    }
}
