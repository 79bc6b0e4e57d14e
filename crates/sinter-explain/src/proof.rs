//! Proofs of rewritten operators as text.

use std::fmt::Write as _;

use glob::Pattern;
use sinter_fusion::proof::Proof;
use sinter_io::one_line;

use crate::report::ReportError;

/// The proofs of nodes whose names match, all without a pattern.
///
/// # Errors
/// When the pattern is malformed.
pub fn text(proofs: &[Proof], glob: Option<&str>) -> Result<String, ReportError> {
    let pattern = glob.map(Pattern::new).transpose();
    let pattern = pattern.map_err(|e| ReportError::Pattern {
        glob: glob.unwrap_or_default().to_owned(),
        cause: e.to_string(),
    })?;
    let wanted = |p: &&Proof| match &pattern {
        Some(pattern) => p.nodes.iter().any(|n| pattern.matches(n)),
        None => true,
    };
    let mut out = String::new();
    for proof in proofs.iter().filter(wanted) {
        let nodes = one_line(&proof.nodes.join(", "));
        let before = one_line(&proof.before);
        let _ = writeln!(out, "{nodes} ({})\n    {before}", proof.stage);
        for step in &proof.steps {
            let by = if step.backward {
                "by the reverse of"
            } else {
                "by"
            };
            let _ = writeln!(out, "  = {}    {by} {}", one_line(&step.term), step.rule);
        }
    }
    if out.is_empty() {
        out.push_str("no rule changed an operator\n");
    }
    Ok(out)
}
