//! A report as text: what happened in a few lines, the dearest kernels, and the refusals that cost most.

use sinter_io::one_line;

use crate::report::{GroupReport, RefusalReport, Report};
use crate::select::Selection;

/// Kernels of a short text.
const SHORT_GROUPS: usize = 20;
/// Refusals of a short text.
const SHORT_REFUSALS: usize = 10;
/// Changes of a short text.
const SHORT_ADVICE: usize = 10;
/// Width at which lists of names are cut in a short text.
const NAMES_WIDTH: usize = 70;

/// Appends a line: names in a model may hold any character.
macro_rules! line {
    ($out:expr, $($arguments:tt)*) => {{
        let out: &mut String = &mut $out;
        out.push_str(&one_line(&format!($($arguments)*)));
        out.push('\n');
    }};
}

/// The selected part of a report; a short text leaves the cheaper kernels and refusals out.
pub fn text(report: &Report, selection: &Selection, all: bool) -> String {
    let mut out = summary(report);
    for own in &report.own_kernels {
        let verdict = if own.taken { "taken" } else { "not taken" };
        line!(
            out,
            "own kernel @{} for {}: {verdict}, {}",
            own.kernel,
            own.unit,
            own.message
        );
    }
    let most = if all { usize::MAX } else { SHORT_GROUPS };
    let mut groups = selection.groups.clone();
    if !all {
        // The dearest ones, in launch order.
        groups.sort_by(|&a, &b| {
            let price = |g: usize| report.groups[g].price_ns;
            price(b).total_cmp(&price(a)).then(a.cmp(&b))
        });
        groups.truncate(most);
        groups.sort_unstable();
    }
    if !groups.is_empty() {
        out.push('\n');
        line!(
            out,
            "{:>9} {:>9} {:>12} {:>11}  kernel",
            "price us",
            "saved us",
            "saved bytes",
            "scratchpad"
        );
    }
    for &g in &groups {
        group(&mut out, &report.groups[g], all);
    }
    more(
        &mut out,
        selection.groups.len() - groups.len(),
        "cheaper kernels",
    );
    let shown = if all { usize::MAX } else { SHORT_REFUSALS };
    let refusals: Vec<_> = selection.refusals.iter().take(shown).collect();
    if !refusals.is_empty() {
        out.push_str("\nWhat stayed apart, what costs most first:\n");
    }
    for &r in &refusals {
        refusal(&mut out, &report.refusals[*r]);
    }
    more(
        &mut out,
        selection.refusals.len() - refusals.len(),
        "refusals that cost less",
    );
    out
}

/// What to change in the model; without `all` only what saves most.
pub fn advice(report: &Report, all: bool) -> String {
    let mut out = summary(report);
    if report.advice.is_empty() {
        out.push_str("\nNo change that was tried makes the model cheaper.\n");
        return out;
    }
    out.push_str(
        "\nWhat to change in the model, what saves most first (savings do not add up; what a change does to the\n\
         results is yours to judge):\n",
    );
    let most = if all { usize::MAX } else { SHORT_ADVICE };
    for advice in report.advice.iter().take(most) {
        let share = advice.saved_ns / report.summary.price_ns.max(f64::MIN_POSITIVE) * 100.0;
        line!(
            out,
            "{:>9.2} us {share:>5.1} %  {:<8}  {}",
            advice.saved_ns / 1e3,
            advice.kind,
            advice.change
        );
        let nodes = advice.nodes.join(", ");
        let nodes = if all { nodes } else { cut(&nodes) };
        line!(out, "{:>32}{nodes}", "");
    }
    more(
        &mut out,
        report.advice.len().saturating_sub(most),
        "changes that save less",
    );
    out
}

fn summary(report: &Report) -> String {
    let s = &report.summary;
    let mut out = String::new();
    line!(
        out,
        "{} on {}: {} operators in {} kernels ({}, {})",
        report.model,
        report.device,
        s.operators,
        s.kernels,
        report.policy,
        report.numerics
    );
    line!(
        out,
        "bytes between kernels {}, unfused {}{}",
        s.intermediate_bytes,
        s.unfused_intermediate_bytes,
        change(
            s.intermediate_bytes as f64,
            s.unfused_intermediate_bytes as f64
        )
    );
    line!(
        out,
        "layout conversions: {} kernels, {} within other kernels, {} bytes",
        s.conversion_kernels,
        s.merged_conversions,
        s.conversion_bytes
    );
    let bound = match (s.lower_bound_ns, s.gap) {
        (Some(bound), Some(gap)) => {
            let (bound, gap) = (bound / 1e3, gap * 100.0);
            format!("; lower bound {bound:.1} us, gap {gap:.2} %")
        }
        _ => String::new(),
    };
    line!(
        out,
        "price {:.1} us, unfused {:.1} us{}{bound}",
        s.price_ns / 1e3,
        s.unfused_price_ns / 1e3,
        change(s.price_ns, s.unfused_price_ns)
    );
    out
}

fn change(now: f64, before: f64) -> String {
    if before <= 0.0 {
        return String::new();
    }
    format!(" ({:+.0} %)", (now / before - 1.0) * 100.0)
}

fn group(out: &mut String, group: &GroupReport, all: bool) {
    let nodes = group.nodes.join(", ");
    let nodes = if all { nodes } else { cut(&nodes) };
    line!(
        *out,
        "{:>9.1} {:>9.1} {:>12} {:>11}  {}: {nodes}",
        group.price_ns / 1e3,
        group.saved_ns / 1e3,
        group.saved_bytes,
        group.scratchpad_peak_bytes,
        group.kernel,
    );
    if let Some(runner_up) = &group.runner_up {
        line!(
            *out,
            "{:>46}runner-up: {}, {:+.1} us",
            "",
            runner_up.change,
            (runner_up.price_ns - runner_up.instead_of_ns) / 1e3
        );
    }
}

fn refusal(out: &mut String, refusal: &RefusalReport) {
    line!(
        *out,
        "{:>9.1} us {:>10} bytes  {}  [{}]",
        refusal.saved_ns / 1e3,
        refusal.saved_bytes,
        refusal.nodes.join(" | "),
        refusal.code
    );
    line!(*out, "{:>12} {}", "", refusal.message);
    if let Some(flip) = &refusal.flip {
        line!(*out, "{:>12} would fuse {flip}", "");
    }
}

fn more(out: &mut String, count: usize, what: &str) {
    if count > 0 {
        line!(*out, "{:>12} and {count} {what}: --all", "");
    }
}

/// The text up to the width, at a character's border.
fn cut(text: &str) -> String {
    if text.chars().count() <= NAMES_WIDTH {
        return text.to_owned();
    }
    let head: String = text.chars().take(NAMES_WIDTH).collect();
    format!("{head}...")
}
