//! What a filter may name.

use sinter_io::did_you_mean;

/// Modules that log. `crates/sinter-driver/tests/log_targets.rs` holds them to the code.
pub const TARGETS: &[&str] = &[
    "sinter_driver",
    "sinter_driver::compile",
    "sinter_driver::own_kernels",
    "sinter_fusion::control::resolve",
    "sinter_fusion::evaluate",
    "sinter_fusion::fuse",
    "sinter_fusion::refusals",
    "sinter_fusion::saturate",
    "sinter_fusion::search",
    "sinter_onnx",
    "sinter_pass",
    "sinter_pass::run",
    "sinter_reducer::search",
];

/// Spans, held to the code by the same test.
pub const SPANS: &[&str] = &["decide", "extract", "fuse", "pass", "rewrite", "stage"];

/// Levels, from the fewest lines to the most.
const LEVELS: [&str; 6] = ["off", "error", "warn", "info", "debug", "trace"];

/// Refuses levels, targets and spans that there are not, before they filter everything out.
///
/// # Errors
/// With what was meant, where that can be told.
pub(super) fn check(filter: &str) -> Result<(), String> {
    directives(filter).into_iter().try_for_each(check_directive)
}

/// The parts between commas; a span's fields may hold some too.
fn directives(filter: &str) -> Vec<&str> {
    let mut inside = 0usize;
    let parts = filter.split(move |c| {
        match c {
            '[' | '{' => inside += 1,
            ']' | '}' => inside = inside.saturating_sub(1),
            _ => {}
        }
        c == ',' && inside == 0
    });
    parts.map(str::trim).filter(|d| !d.is_empty()).collect()
}

/// `LEVEL`, `TARGET`, `TARGET[SPAN{FIELD}]`, the last two with `=LEVEL` or without.
fn check_directive(directive: &str) -> Result<(), String> {
    if is_level(directive) {
        return Ok(());
    }
    let (head, span, rest) = match directive.split_once('[') {
        Some((target, rest)) => {
            let (span, rest) = rest.rsplit_once(']').unwrap_or((rest, ""));
            let name = span.split('{').next().unwrap_or_default();
            (target, Some(name), rest)
        }
        None => match directive.split_once('=') {
            Some((target, _)) => (target, None, &directive[target.len()..]),
            None => (directive, None, ""),
        },
    };
    let level = rest.strip_prefix('=');
    if let Some(level) = level
        && !is_level(level)
    {
        let near = did_you_mean(level, LEVELS);
        let levels = LEVELS.join(", ");
        return Err(format!("'{level}' is no level ({levels}){near}"));
    }
    if let Some(span) = span.filter(|s| !s.is_empty() && !SPANS.contains(s)) {
        let near = did_you_mean(span, SPANS.iter().copied());
        let spans = SPANS.join(", ");
        return Err(format!("no span is called '{span}' ({spans}){near}"));
    }
    check_target(head, level.is_some() || span.is_some())
}

/// A target is the start of a module's name. That of a crate outside has to come with a level: alone it is
/// more likely a level with a slip.
fn check_target(target: &str, with_level: bool) -> Result<(), String> {
    let crates = || TARGETS.iter().filter_map(|t| t.split("::").next());
    let near = did_you_mean(target, TARGETS.iter().copied().chain(crates()));
    let known = TARGETS.iter().any(|t| t.starts_with(target));
    let outside = with_level && near.is_empty() && !target.starts_with("sinter");
    if known || outside {
        return Ok(());
    }
    if with_level {
        return Err(format!("nothing in '{target}' logs{}", or_all(near)));
    }
    let near = match did_you_mean(target, LEVELS) {
        level if !level.is_empty() => level,
        _ => or_all(near),
    };
    let levels = LEVELS.join(", ");
    Err(format!(
        "'{target}' is no level ({levels}), and nothing of that name logs{near}"
    ))
}

/// A hint, or where none is near the names to choose from.
fn or_all(near: String) -> String {
    if !near.is_empty() {
        return near;
    }
    let mut crates: Vec<_> = TARGETS
        .iter()
        .filter_map(|t| t.split("::").next())
        .collect();
    crates.dedup();
    format!("; these do: {}", crates.join(", "))
}

fn is_level(word: &str) -> bool {
    LEVELS.iter().any(|l| l.eq_ignore_ascii_case(word))
        || matches!(word, "0" | "1" | "2" | "3" | "4" | "5")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_logs_may_be_named() {
        for filter in [
            "",
            "info",
            "WARN",
            "sinter_fusion",
            "sinter_fusion=debug,sinter_pass=info,warn",
            "sinter_fusion::refusals=debug",
            "sinter_pass[pass{name=\"a,b\"}]=info",
            "[fuse]=debug",
            "my_crate=debug",
            "hyper::client=trace",
        ] {
            assert_eq!(check(filter), Ok(()), "{filter}");
        }
    }

    #[test]
    fn slips_are_refused_with_what_was_meant() {
        let levels = "(off, error, warn, info, debug, trace)";
        for (filter, said) in [
            ("debg", format!("'debg' is no level {levels}, and nothing of that name logs; did you mean 'debug'?")),
            ("info,wran", format!("'wran' is no level {levels}, and nothing of that name logs; did you mean 'warn'?")),
            ("sinter_fusion=debgu", format!("'debgu' is no level {levels}; did you mean 'debug'?")),
            ("sinter_fuson=debug", "nothing in 'sinter_fuson' logs; did you mean 'sinter_fusion'?".into()),
            ("sinter_fusion::refusal_s=debug", "nothing in 'sinter_fusion::refusal_s' logs; did you mean 'sinter_fusion::refusals'?".into()),
            ("sinterfusion", format!("'sinterfusion' is no level {levels}, and nothing of that name logs; did you mean 'sinter_fusion'?")),
            ("[fusee]=debug", "no span is called 'fusee' (decide, extract, fuse, pass, rewrite, stage); did you mean 'fuse'?".into()),
            ("xyzzy", format!("'xyzzy' is no level {levels}, and nothing of that name logs; these do: sinter_driver, sinter_fusion, sinter_onnx, sinter_pass, sinter_reducer")),
        ] {
            assert_eq!(check(filter), Err(said), "{filter}");
        }
    }
}
