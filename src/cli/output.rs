//! What goes to standard output, so that a closed pipe ends a command instead of breaking it.

use std::io::{self, BufWriter, Write};

use serde::Serialize;

use super::failure::Failure;
use crate::error::Explained;

/// Writes text as it is and flushes.
pub(super) fn print(text: &str) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()).map_err(not_written)
}

/// Writes a value as one line of JSON, as it is made: a file's header may be large. What would act on a terminal stands escaped.
pub(super) fn print_json(value: &impl Serialize) -> Result<(), Failure> {
    let mut stdout = Escaping(BufWriter::new(io::stdout().lock()));
    serde_json::to_writer(&mut stdout, value).map_err(|error| not_written(error.into()))?;
    stdout.0.write_all(b"\n").and_then(|()| stdout.0.flush()).map_err(not_written)
}

fn not_written(error: io::Error) -> Failure {
    match error.kind() {
        io::ErrorKind::BrokenPipe => Failure::NobodyReads,
        _ => Failure::Explained(Explained {
            code: "output-failed",
            fault: None,
            message: format!("standard output: {error}"),
            what_to_do: "Send the output elsewhere.".to_owned(),
        }),
    }
}

/// JSON escapes the control characters of ASCII only; the others can stand in texts alone, where any character may be a number. JSON is
/// written in pieces that end between characters.
struct Escaping<W>(W);

impl<W: Write> Write for Escaping<W> {
    fn write(&mut self, piece: &[u8]) -> io::Result<usize> {
        let text = std::str::from_utf8(piece).map_err(io::Error::other)?;
        let mut n_written = 0;
        for (at, c) in text.char_indices().filter(|(_, c)| unusual(*c)) {
            self.0.write_all(&piece[n_written..at])?;
            write!(self.0, "\\u{:04x}", u32::from(c))?;
            n_written = at + c.len_utf8();
        }
        self.0.write_all(&piece[n_written..])?;
        Ok(piece.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Control characters, other breaks of lines, and characters that turn the direction of writing.
fn unusual(c: char) -> bool {
    let turns = matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    c.is_control() || turns || matches!(c, '\u{2028}' | '\u{2029}')
}

/// Text for a terminal: control characters of a model or a file must not move its cursor or turn its lines. Line breaks and tabs stay.
pub(super) fn printable(text: &str) -> String {
    let shown = |c: char| if unusual(c) && !matches!(c, '\n' | '\t') { char::REPLACEMENT_CHARACTER } else { c };
    text.chars().map(shown).collect()
}

/// A text of a message in one line: line breaks, control characters and those that turn the direction of writing are told by their names.
pub(super) fn one_line(text: &str) -> String {
    text.chars().flat_map(|c| if unusual(c) { c.escape_default().collect() } else { vec![c] }).collect()
}

/// A short text in one line, in quotes, everything unusual escaped.
pub(super) fn quoted(text: &str) -> String {
    let escaped: String = text
        .chars()
        .flat_map(|c| if c.is_control() || c == '"' || c == '\\' { c.escape_default().collect() } else { vec![c] })
        .collect();
    format!("\"{escaped}\"")
}

/// Later lines of a text start below its first.
pub(super) fn indented(text: &str) -> String {
    text.replace('\n', &format!("\n{:10}", ""))
}

/// A serialised name, such as `by-shape`.
pub(super) fn word(value: &impl Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(word)) => word,
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_do_not_reach_the_terminal() {
        assert_eq!(printable("a\u{1b}[2Jb\n\tc\r"), "a\u{fffd}[2Jb\n\tc\u{fffd}");
        assert_eq!(one_line("a\n\u{1b}[2J\u{202e}é\\"), "a\\n\\u{1b}[2J\\u{202e}é\\");
        let mut escaped = Escaping(Vec::new());
        serde_json::to_writer(&mut escaped, &serde_json::json!({ "a": "\u{9b}é\u{202e}" })).expect("JSON");
        assert_eq!(escaped.0, "{\"a\":\"\\u009bé\\u202e\"}".as_bytes());
        assert_eq!(quoted(" the\n\"é\"\u{7f}"), "\" the\\n\\\"é\\\"\\u{7f}\"");
    }
}
