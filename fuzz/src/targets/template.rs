//! Chat templates, rendered in this process. Memory and stack are what its own process or instance bounds (rows B092 and B093), so sources
//! are short here, and what multiplies stays small.

use std::sync::LazyLock;

use arbitrary::{Result, Unstructured};
use lastbit::gguf::GgufFile;
use lastbit::tiny_model;
use lastbit::tokenizer::{ChatTemplate, Message, Role, TemplateHost, Tokenizer, TokenizerError};

use super::generate::{several, text};

const SYNTAX: [&str; 56] = [
    "{{",
    "}}",
    "{%",
    "%}",
    "{%-",
    "-%}",
    "{#",
    "#}",
    "{% for m in messages %}",
    "{% endfor %}",
    "{% if m %}",
    "{% endif %}",
    "{% else %}",
    "{% elif a %}",
    "{% set x = 1 %}",
    "{% set x = x ~ 'a' %}",
    "{% macro f(x) %}",
    "{% endmacro %}",
    "{{ f(1) }}",
    "{{ m.content }}",
    "{{ m['role'] }}",
    "{{ messages[0].content }}",
    "{{ bos_token }}",
    "{% generation %}",
    "{% endgeneration %}",
    "{% raw %}",
    "{% endraw %}",
    "{{ raise_exception('x') }}",
    "{{ strftime_now('%d') }}",
    "{% include 'a' %}",
    " | trim",
    " | upper",
    " | tojson",
    " | length",
    ".strip()",
    ".split('|')",
    "[1:]",
    "[-1]",
    "(",
    ")",
    " and ",
    " not ",
    " in ",
    " == ",
    " + ",
    " ~ ",
    "'a'",
    "\"b\"",
    "1",
    "0",
    "-",
    " ",
    "\n",
    "<|im_start|>",
    "<|im_end|>",
    "namespace(a=1)",
];
const WORDS: [&str; 8] = ["a", " ", "\n", "<|im_end|>", "<|im_start|>", "<|", "|>", "\u{10FFFD}"];

/// Longer sources nest deeper than a stack is sure to hold.
const MOST_SOURCE_BYTES: usize = 1 << 10;

static VOCABULARY: LazyLock<Tokenizer> = LazyLock::new(|| {
    let file = GgufFile::parse(&tiny_model::gguf_bytes(3)).expect("the tiny model is a file");
    Tokenizer::from_metadata(&file.metadata).expect("it has a vocabulary")
});

/// A template and a conversation: rendered and encoded, or refused.
pub(crate) fn template(data: &[u8]) {
    let mut u = Unstructured::new(data);
    let Ok((source, messages)) = conversation(&mut u) else { return };
    if source.len() > MOST_SOURCE_BYTES {
        return;
    }
    let tokenizer = &*VOCABULARY;
    let template = ChatTemplate::new(&source, "<|im_start|>", "<|im_end|>").expect("short").at_time(1_721_952_000);
    let host = TemplateHost::in_process();
    let encoded = tokenizer.encode_chat(&host, &template, &messages, true);
    match pollster::block_on(encoded) {
        // The tiny vocabulary has every byte, so nothing of the text is lost.
        Ok(prompt) => assert_eq!(tokenizer.decode(&prompt.ids), prompt.text.as_bytes(), "{source:?}"),
        Err(error) => assert!(matches!(error, TokenizerError::Template(_) | TokenizerError::UnclearOrigin), "{error}"),
    }
}

fn conversation(u: &mut Unstructured) -> Result<(String, Vec<Message>)> {
    let source = text(u, &SYNTAX, 60)?;
    let message = |u: &mut Unstructured| {
        let role = *u.choose(&[Role::System, Role::User, Role::Assistant, Role::Tool])?;
        Ok(Message::new(role, text(u, &WORDS, 6)?))
    };
    Ok((source, several(u, 3, message)?))
}
