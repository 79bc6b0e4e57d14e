//! What the language server says, on its way to the editor.
//!
//! MLIR's server is one function that writes to standard output. Its name is fixed there, and its hover
//! has an operation's name and generic form, but not what TableGen knows of it. So its standard output
//! becomes a pipe, and a thread passes every message on: the reply to `initialize` with our name, a hover
//! over one of our operations with the operation's documentation.

use std::io::{self, BufRead, BufReader, BufWriter, PipeReader, Write};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::thread;

use serde_json::Value;

/// The server's name.
const NAME: &str = "sinter-lsp-server";
/// The operations of our dialects, as `scripts/reference` writes them from the records.
const REFERENCE: &str = include_str!("../../../docs/reference-dialects.md");
/// What a message starts with, in small letters.
const LENGTH: &str = "content-length:";
/// Bytes of the longest message that is looked into.
const MOST_BYTES: usize = 64 << 20;

/// Runs a server whose messages pass through here, and gives its exit code.
///
/// # Errors
/// When there can be no pipe.
pub(crate) fn serve(server: impl FnOnce() -> i32) -> io::Result<i32> {
    let standard = io::stdout();
    let editor = standard.as_fd().try_clone_to_owned()?;
    let (from_server, pipe) = io::pipe()?;
    redirect(&pipe, &standard)?;
    drop(pipe);
    let to_editor = editor.try_clone()?;
    let passing = thread::spawn(move || pass_on(from_server, to_editor));
    let code = server();
    // The last end that is written to: the thread sees that there is no more.
    redirect(&editor, &standard)?;
    let _ = passing.join();
    Ok(code)
}

/// Makes what is written to `of` go where `to` does.
fn redirect(to: &impl AsRawFd, of: &impl AsRawFd) -> io::Result<()> {
    // SAFETY: both descriptors are open; that which is replaced is standard output, which nobody owns.
    match unsafe { libc::dup2(to.as_raw_fd(), of.as_raw_fd()) } {
        -1 => Err(io::Error::last_os_error()),
        _ => Ok(()),
    }
}

fn pass_on(from: PipeReader, to: OwnedFd) {
    let mut from = BufReader::new(from);
    let mut to = BufWriter::new(std::fs::File::from(to));
    while let Ok(Some(bytes)) = next(&mut from) {
        // An editor that has gone reads nothing; the server is still read, so that it does not wait.
        let _ = to.write_all(&bytes).and_then(|()| to.flush());
    }
}

/// The next message as it goes to the editor, or a line that is none; `None` at the end.
fn next(from: &mut impl BufRead) -> io::Result<Option<Vec<u8>>> {
    let mut head = Vec::new();
    if from.read_until(b'\n', &mut head)? == 0 {
        return Ok(None);
    }
    let line = String::from_utf8_lossy(&head).to_ascii_lowercase();
    let length = line
        .strip_prefix(LENGTH)
        .and_then(|n| n.trim().parse().ok());
    let Some(length) = length.filter(|n| *n <= MOST_BYTES) else {
        return Ok(Some(head));
    };
    // The end of the head.
    from.read_until(b'\n', &mut head)?;
    let mut body = vec![0; length];
    from.read_exact(&mut body)?;
    let body = completed(&body).unwrap_or(body);
    let mut message = format!("Content-Length: {}\r\n\r\n", body.len()).into_bytes();
    message.extend(body);
    Ok(Some(message))
}

/// A message with what is missing in it; `None` where nothing is.
fn completed(body: &[u8]) -> Option<Vec<u8>> {
    let mut message: Value = serde_json::from_slice(body).ok()?;
    let result = message.get_mut("result")?;
    if let Some(info) = result.get_mut("serverInfo") {
        info["name"] = NAME.into();
        info["version"] = env!("CARGO_PKG_VERSION").into();
    } else {
        let text = result.get_mut("contents")?.get_mut("value")?;
        *text = documented(text.as_str()?)?.into();
    }
    // As long as it was: the tests of a server have it in lines.
    let made = match body.starts_with(b"{\n") {
        true => serde_json::to_vec_pretty(&message),
        false => serde_json::to_vec(&message),
    };
    made.ok()
}

/// A hover's text with the documentation of the operation whose name it starts with.
fn documented(hover: &str) -> Option<String> {
    let (name, _) = hover.strip_prefix('"')?.split_once('"')?;
    Some(format!(
        "{}\n***\n{}\n",
        hover.trim_end(),
        documentation(name)?
    ))
}

/// What the reference says of an operation.
fn documentation(name: &str) -> Option<&'static str> {
    let (_, entry) = REFERENCE.split_once(&format!("\n### {name}\n"))?;
    let end = entry
        .find("\n## ")
        .into_iter()
        .chain(entry.find("\n### "))
        .min();
    Some(entry[..end.unwrap_or(entry.len())].trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passed(text: &str) -> String {
        let mut from = text.as_bytes();
        let mut out = Vec::new();
        while let Some(bytes) = next(&mut from).unwrap() {
            out.extend(bytes);
        }
        String::from_utf8(out).unwrap()
    }

    fn message(body: &str) -> String {
        format!("Content-Length: {}\r\n\r\n{body}", body.len())
    }

    #[test]
    fn what_needs_nothing_passes_as_it_is() {
        let text = message(r#"{"id":1,"result":null}"#) + "a line\n" + &message("no JSON");
        assert_eq!(passed(&text), text);
    }

    #[test]
    fn the_server_has_our_name() {
        let told = passed(&message(
            r#"{"id":0,"result":{"serverInfo":{"name":"mlir-lsp-server"}}}"#,
        ));
        assert!(told.contains(r#""name":"sinter-lsp-server""#), "{told}");
        let length = told.split_once("\r\n\r\n").unwrap().1.len();
        assert!(
            told.starts_with(&format!("Content-Length: {length}\r\n")),
            "{told}"
        );
    }

    #[test]
    fn a_hover_says_what_an_operation_does() {
        let text = documented("\"graph.relu\" : tensor<4xf32>\n\nGeneric Form:\n").unwrap();
        assert!(text.starts_with("\"graph.relu\" : tensor<4xf32>"), "{text}");
        assert!(text.contains("Rectified linear unit."), "{text}");
        assert!(!text.contains("### graph.rem"), "{text}");
        assert_eq!(documented("\"arith.addf\" : f32"), None);
        assert_eq!(documented("no name"), None);
    }
}
