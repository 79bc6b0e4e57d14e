//! The tables in `docs/fusion.md` and `docs/rules.md` are the ones of the code.

mod common;

use sinter_fusion::legality::code_table;
use sinter_fusion::rules::rule_table;

fn assert_holds(page: &str, table: &str) {
    let text = std::fs::read_to_string(common::root().join(page)).unwrap();
    assert!(text.contains(table), "{page} should contain:\n{table}");
}

#[test]
fn the_pages_have_the_tables_of_the_code() {
    assert_holds("docs/fusion.md", &code_table());
    assert_holds("docs/rules.md", &rule_table());
}
