//! The codes of refusals and the rewrite rules, as Markdown.

/// The table of codes.
pub fn codes() -> String {
    sinter_fusion::legality::code_table()
}

/// The table of rewrite rules.
pub fn rules() -> String {
    sinter_fusion::rules::rule_table()
}
