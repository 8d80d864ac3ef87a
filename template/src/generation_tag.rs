//! `{% generation %}` … `{% endgeneration %}`: marks what the model says, for training. Rendering shows what is inside.
//!
//! The Jinja engine has no tags of one's own, so the two become an `if` that is always true, with their signs for white
//! space, in the same lines.

use std::borrow::Cow;

/// The source with both tags replaced. Comments, raw blocks and strings stay as they are.
pub(crate) fn replaced(source: &str) -> Cow<'_, str> {
    if !source.contains("generation") {
        return source.into();
    }
    let mut output = String::with_capacity(source.len());
    let mut rest = source;
    while let Some(at) = rest.find('{') {
        let (text, after) = rest.split_at(at);
        output.push_str(text);
        let (piece, condition) = match after.as_bytes().get(1) {
            Some(b'#') => (through(after, "#}"), None),
            Some(b'{') => (expression(after, "}}"), None),
            Some(b'%') => statement(after),
            _ => (&after[..1], None),
        };
        match condition {
            Some(new) => {
                let name = piece.trim_start_matches(['{', '%', '-', '+']).trim_start();
                let begin = piece.len() - name.len();
                let end = begin + name.find(|c: char| !c.is_alphanumeric()).unwrap_or(name.len());
                output.extend([&piece[..begin], new, &piece[end..]]);
            }
            None => output.push_str(piece),
        }
        rest = &after[piece.len()..];
    }
    output.push_str(rest);
    output.into()
}

/// A statement, with what its name becomes if it is one of the two tags; a raw block whole.
fn statement(text: &str) -> (&str, Option<&'static str>) {
    let piece = expression(text, "%}");
    if !piece.ends_with("%}") {
        return (piece, None); // cut off, which the Jinja engine will say
    }
    let inside = piece.trim_start_matches(['{', '%', '-', '+']).trim_end_matches(['}', '%', '-', '+']).trim();
    match inside {
        "generation" => (piece, Some("if true")),
        "endgeneration" => (piece, Some("endif")),
        "raw" => {
            let end = text[piece.len()..].match_indices("{%").find_map(|(at, _)| {
                let tag = through(&text[piece.len() + at..], "%}");
                let name = tag.trim_start_matches(['{', '%', '-', '+']).trim_start();
                name.starts_with("endraw").then_some(piece.len() + at + tag.len())
            });
            (&text[..end.unwrap_or(text.len())], None)
        }
        _ => (piece, None),
    }
}

/// Up to and with the first `end`, or all.
fn through<'a>(text: &'a str, end: &str) -> &'a str {
    text.find(end).map_or(text, |at| &text[..at + end.len()])
}

/// Up to and with the first `end` that is not inside a string, or all.
fn expression<'a>(text: &'a str, end: &str) -> &'a str {
    let mut quote = None;
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        match quote {
            _ if escaped => escaped = false,
            Some(_) if c == '\\' => escaped = true,
            Some(open) if c == open => quote = None,
            Some(_) => {}
            None if c == '"' || c == '\'' => quote = Some(c),
            None if text[at..].starts_with(end) => return &text[..at + end.len()],
            None => {}
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_tags_are_replaced() {
        let cases = [
            ("no tag, { and {% if x %}", "no tag, { and {% if x %}"),
            ("a{% generation %}b{% endgeneration %}c", "a{% if true %}b{% endif %}c"),
            ("{%- generation -%}\n{{ x }}{%-endgeneration+%}", "{%- if true -%}\n{{ x }}{%-endif+%}"),
            ("{# {% generation %} #}{{ '{% generation %}' }}", "{# {% generation %} #}{{ '{% generation %}' }}"),
            ("{{ 'it\\'s }}' }}{% generation %}", "{{ 'it\\'s }}' }}{% if true %}"),
            (
                "{% raw %}{% generation %}{% endraw %}{% generation %}",
                "{% raw %}{% generation %}{% endraw %}{% if true %}",
            ),
            ("{% set generation = 1 %}{% if generation %}", "{% set generation = 1 %}{% if generation %}"),
            ("{% generation", "{% generation"),
            ("generation {", "generation {"),
        ];
        for (source, expected) in cases {
            assert_eq!(replaced(source), expected);
        }
    }
}
