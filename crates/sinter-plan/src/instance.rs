//! The text form of the public instances: `id,lower,upper,size` with a header line, `upper`
//! exclusive.

use crate::buffer::Buffer;

/// A line that does not parse.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line} is not `id,lower,upper,size`")]
pub struct ParseError {
    /// Number of the line, from 1.
    pub line: usize,
}

/// Reads an instance. Alignment is 1.
///
/// # Errors
///
/// [`ParseError`] names the first line that is not four numbers.
pub fn parse(text: &str) -> Result<Vec<Buffer>, ParseError> {
    let rows = text
        .lines()
        .enumerate()
        .skip(1)
        .filter(|(_, row)| !row.trim().is_empty());
    rows.map(|(i, row)| parse_row(row).ok_or(ParseError { line: i + 1 }))
        .collect()
}

fn parse_row(row: &str) -> Option<Buffer> {
    let fields: Vec<&str> = row.split(',').map(str::trim).collect();
    let [id, lower, upper, size] = fields[..] else {
        return None;
    };
    let steps = lower.parse().ok()?..upper.parse().ok()?;
    Some(Buffer::new(id.parse().ok()?, steps, size.parse().ok()?, 1))
}
