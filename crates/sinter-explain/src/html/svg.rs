//! The graph of kernels as SVG.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::escape;
use super::layout::layered;
use crate::report::{GroupReport, Report};

/// Operators that a box shows by name.
const MOST_LINES: usize = 8;
/// Width of one character of a line, in pixels.
const CHARACTER: f64 = 6.7;
/// Characters of a line.
const MOST_CHARACTERS: usize = 34;
/// Height of a line.
const LINE: f64 = 14.0;
/// Height of the title.
const TITLE: f64 = 20.0;
/// Height of the bar that shows the part of the price.
const BAR: f64 = 5.0;

/// The drawing, one `g` element with the class `group` per kernel.
pub(super) fn drawing(report: &Report) -> String {
    let labels: Vec<_> = report.groups.iter().map(lines).collect();
    let sizes: Vec<_> = labels.iter().map(|l| size(l)).collect();
    let edges = edges(report);
    let ends: Vec<_> = edges.keys().copied().collect();
    let drawing = layered(&sizes, &ends);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0}\" height=\"{1:.0}\" \
         viewBox=\"0 0 {0:.0} {1:.0}\">\n<defs><marker id=\"tip\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" \
         markerWidth=\"6\" markerHeight=\"6\" orient=\"auto\"><path d=\"M0 0L8 4L0 8z\" fill=\"#8a94a6\"/>\
         </marker></defs>\n",
        drawing.width, drawing.height
    );
    for ((&(from, to), what), points) in edges.iter().zip(&drawing.edges) {
        if let Some(path) = curve(points) {
            let _ = writeln!(
                out,
                "<path class=\"edge\" data-from=\"{from}\" data-to=\"{to}\" d=\"{path}\" fill=\"none\" \
                 stroke=\"#8a94a6\" stroke-width=\"1.2\" marker-end=\"url(#tip)\"><title>{}</title></path>",
                escape(what)
            );
        }
    }
    let dearest = report.groups.iter().map(|g| g.price_ns).fold(1.0, f64::max);
    for (n, group) in report.groups.iter().enumerate() {
        draw(
            &mut out,
            n,
            group,
            &labels[n],
            drawing.boxes[n],
            sizes[n],
            dearest,
        );
    }
    out.push_str("</svg>\n");
    out
}

/// Edges between kernels, with what passes.
fn edges(report: &Report) -> BTreeMap<(usize, usize), String> {
    let mut out: BTreeMap<(usize, usize), String> = BTreeMap::new();
    for (to, group) in report.groups.iter().enumerate() {
        for edge in &group.reads {
            let text = out.entry((edge.from, to)).or_default();
            if !text.is_empty() {
                text.push('\n');
            }
            let _ = write!(text, "{} {}, {} bytes", edge.node, edge.value, edge.bytes);
        }
    }
    out
}

/// Title, then the operators; runs of one operator are one line.
fn lines(group: &GroupReport) -> Vec<String> {
    let number = group.kernel.split('_').next().unwrap_or_default();
    let mut out = vec![format!("{number}  {:.1} us", group.price_ns / 1e3)];
    let mut runs: Vec<(String, usize)> = Vec::new();
    for op in &group.operators {
        match runs.last_mut() {
            Some((name, count)) if *name == op.operator => *count += 1,
            _ => runs.push((op.operator.clone(), 1)),
        }
    }
    let line = |(name, count): &(String, usize)| match count {
        1 => name.clone(),
        n => format!("{name} x{n}"),
    };
    if runs.len() <= MOST_LINES {
        out.extend(runs.iter().map(line));
    } else {
        out.extend(runs.iter().take(MOST_LINES - 1).map(line));
        out.push(format!("and {} more", runs.len() + 1 - MOST_LINES));
    }
    out
}

fn size(lines: &[String]) -> (f64, f64) {
    let longest = lines.iter().map(|l| l.chars().count()).max().unwrap_or(0);
    let width = longest.clamp(10, MOST_CHARACTERS) as f64 * CHARACTER + 20.0;
    let height = TITLE + (lines.len() - 1) as f64 * LINE + BAR + 6.0;
    (width, height)
}

/// A smooth line through the points.
fn curve(points: &[(f64, f64)]) -> Option<String> {
    let (first, rest) = points.split_first()?;
    let mut out = format!("M{:.1} {:.1}", first.0, first.1);
    let mut at = *first;
    for &(x, y) in rest {
        if (x - at.0).abs() < 0.05 {
            let _ = write!(out, "V{y:.1}");
        } else {
            let middle = f64::midpoint(at.1, y);
            let _ = write!(
                out,
                "C{:.1} {middle:.1} {x:.1} {middle:.1} {x:.1} {y:.1}",
                at.0
            );
        }
        at = (x, y);
    }
    Some(out)
}

/// Colour of a kernel: that of what it does most.
fn colour(group: &GroupReport) -> (&'static str, &'static str) {
    let has = |kind: &str| group.operators.iter().any(|o| o.kind == kind);
    if has("contraction") {
        ("#dbeafe", "#3b82f6")
    } else if has("reduction") {
        ("#ede9fe", "#8b5cf6")
    } else if has("elementwise") {
        ("#dcfce7", "#22c55e")
    } else {
        ("#f3f4f6", "#6b7280")
    }
}

fn draw(
    out: &mut String,
    number: usize,
    group: &GroupReport,
    lines: &[String],
    (x, y): (f64, f64),
    (width, height): (f64, f64),
    dearest: f64,
) {
    let (fill, stroke) = colour(group);
    let names = escape(&group.nodes.join("\n"));
    let _ = write!(
        out,
        "<g class=\"group\" data-group=\"{number}\" transform=\"translate({x:.1} {y:.1})\">\
         <title>{names}</title><rect width=\"{width:.1}\" height=\"{height:.1}\" rx=\"5\" fill=\"{fill}\" \
         stroke=\"{stroke}\"/>"
    );
    for (i, line) in lines.iter().enumerate() {
        let line: String = line.chars().take(MOST_CHARACTERS).collect();
        let (at, style) = match i {
            0 => (14.0, " font-weight=\"bold\""),
            i => (TITLE + 10.0 + (i - 1) as f64 * LINE, ""),
        };
        let _ = write!(
            out,
            "<text x=\"8\" y=\"{at:.1}\" font-size=\"11\" font-family=\"ui-monospace, monospace\"{style}>{}</text>",
            escape(&line)
        );
    }
    let bar = (width - 2.0) * (group.price_ns / dearest).min(1.0);
    let _ = writeln!(
        out,
        "<rect x=\"1\" y=\"{:.1}\" width=\"{bar:.1}\" height=\"{BAR}\" fill=\"{stroke}\"/></g>",
        height - BAR - 1.0
    );
}
