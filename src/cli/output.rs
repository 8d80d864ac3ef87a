//! What goes to standard output, so that a closed pipe ends a command instead of breaking it.

use std::io::Write;

use serde::Serialize;

use super::failure::Failure;
use crate::error::Explained;

/// Writes text as it is and flushes.
pub(super) fn print(text: &str) -> Result<(), Failure> {
    let mut stdout = std::io::stdout().lock();
    stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()).map_err(|error| match error.kind() {
        std::io::ErrorKind::BrokenPipe => Failure::NobodyReads,
        _ => Failure::Explained(Explained {
            code: "output-failed",
            fault: None,
            message: format!("standard output: {error}"),
            what_to_do: "Send the output elsewhere.".to_owned(),
        }),
    })
}

/// Writes a value as one line of JSON. What would act on a terminal stands escaped.
pub(super) fn print_json(value: &impl Serialize) -> Result<(), Failure> {
    let text = serde_json::to_string(value).expect("records have text keys and finite numbers");
    print(&(json_escaped(&text) + "\n"))
}

/// JSON escapes the control characters of ASCII only; the others can stand in texts alone, where any character may be a number.
fn json_escaped(json: &str) -> String {
    let mut escaped = String::with_capacity(json.len());
    for c in json.chars() {
        if unusual(c) { escaped += &format!("\\u{:04x}", u32::from(c)) } else { escaped.push(c) }
    }
    escaped
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
        assert_eq!(json_escaped("{\"a\":\"\u{9b}é\u{202e}\"}"), "{\"a\":\"\\u009bé\\u202e\"}");
        assert_eq!(quoted(" the\n\"é\"\u{7f}"), "\" the\\n\\\"é\\\"\\u{7f}\"");
    }
}
