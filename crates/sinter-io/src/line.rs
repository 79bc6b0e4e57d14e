//! Text that holds names of others.

/// A text as one line that does nothing to a terminal: control characters are escaped. Names in a model may
/// hold any character.
///
/// ```
/// use sinter_io::one_line;
///
/// assert_eq!(one_line("'a\n\u{1b}b' 模型"), "'a\\n\\u{1b}b' 模型");
/// ```
pub fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_control() {
            line.extend(c.escape_default());
        } else {
            line.push(c);
        }
    }
    line
}
