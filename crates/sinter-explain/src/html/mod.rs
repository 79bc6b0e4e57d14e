//! A report as one HTML page: the graph drawn, a panel for the kernel or refusal that is clicked.
//!
//! The page asks for nothing from the network. The drawing is made here ([`layout`]), the figures are
//! the report's JSON, and a small script shows those of what is clicked.

pub mod layout;
mod svg;

use crate::report::Report;

/// The page.
///
/// # Errors
/// When the report cannot be written as JSON.
pub fn html(report: &Report) -> Result<String, serde_json::Error> {
    // Inside a script element only `</` would end it; JSON may escape the slash.
    let data = serde_json::to_string(report)?.replace("</", "<\\/");
    let title = escape(&format!("{} on {}", report.model, report.device));
    Ok(format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<title>{title}</title>\n\
         <style>\n{}</style>\n</head>\n<body>\n<main>\n{}</main>\n<aside id=\"panel\"></aside>\n\
         <script type=\"application/json\" id=\"report\">{data}</script>\n\
         <script>\n{}</script>\n</body>\n</html>\n",
        include_str!("page.css"),
        svg::drawing(report),
        include_str!("page.js"),
    ))
}

/// Text as HTML.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c => out.push(c),
        }
    }
    out
}
