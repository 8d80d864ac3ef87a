//! The tokenizer: vocabularies of a few tokens in any relation, and text through those that are accepted.

use arbitrary::{Result, Unstructured};
use lastbit::gguf::{Metadata, MetadataArray, MetadataValue};
use lastbit::tokenizer::{SpecialTokens, Tokenizer, UnknownPreTokenizer};

use super::generate::{float, several, text, value};

const PIECES: [&str; 20] = [
    "a",
    "b",
    "ab",
    "ba",
    "aa",
    "c",
    "\u{120}",
    "\u{120}a",
    "\u{10a}",
    "\u{2581}",
    "\u{2581}a",
    "<0x41>",
    "<0x0A>",
    "<|im_end|>",
    "<s>",
    "</s>",
    "\u{e9}",
    "1",
    "12",
    " ",
];
const RULES: [&str; 9] =
    ["gpt-2", "llama-bpe", "smollm", "qwen2", "falcon", "deepseek-llm", "deepseek-v3", "default", "nobody's"];

/// A vocabulary, and a text that goes through it if it is accepted.
pub(crate) fn tokenizer(data: &[u8]) {
    let mut u = Unstructured::new(data);
    let Ok((metadata, unknown)) = vocabulary(&mut u) else { return };
    let Ok(tokenizer) = Tokenizer::new(&metadata, unknown) else { return };
    while let Ok(input) = text(&mut u, &PIECES, 12) {
        check(&tokenizer, &input);
        if u.is_empty() {
            break;
        }
    }
}

fn check(tokenizer: &Tokenizer, input: &str) {
    for special in [SpecialTokens::Literal, SpecialTokens::Parse] {
        let ids = tokenizer.encode(input, special);
        assert!(ids.iter().all(|id| (*id as usize) < tokenizer.vocab_size()), "{input:?}: {ids:?}");
        let mut stream = tokenizer.decode_stream();
        let mut streamed: String = ids.iter().map(|id| stream.push(*id)).collect();
        streamed.push_str(&stream.finish());
        assert_eq!(streamed, String::from_utf8_lossy(&tokenizer.decode(&ids)), "{input:?}");
        let _ = tokenizer.decode_whole(&ids);
        let _ = ids.iter().map(|id| tokenizer.token_text(*id).len()).sum::<usize>();
    }
    let _ = tokenizer.encode_prompt(input, SpecialTokens::Literal);
    let _ = tokenizer.missing_bytes(input);
}

fn vocabulary(u: &mut Unstructured) -> Result<(Metadata, UnknownPreTokenizer)> {
    let is_byte_level: bool = u.arbitrary()?;
    let mut tokens = several(u, 24, |u| text(u, &PIECES, 3))?;
    tokens.extend(u.choose(&[&[][..], &["a", "b", "c"]])?.iter().map(|&letter| letter.to_owned()));
    let n = tokens.len();
    // As many as tokens, or one time in sixteen one more or fewer.
    let length = |u: &mut Unstructured| Ok(if u.ratio(1, 16)? { (n + 1) ^ 1 } else { n });
    let kind = |u: &mut Unstructured| {
        let kinds = if u.ratio(1, 64)? { -1..=9 } else { 1..=6 };
        u.int_in_range(kinds)
    };
    let kinds = (0..length(u)?).map(|_| kind(u)).collect::<Result<_>>()?;
    let scores = (0..length(u)?).map(|_| float(u)).collect::<Result<_>>()?;
    let merges = several(u, 12, |u| {
        let sides = (text(u, &PIECES, 2)?, text(u, &PIECES, 2)?);
        Ok(match (u.choose(&tokens), u.choose(&tokens)) {
            (Ok(left), Ok(right)) if u.ratio(7, 8)? => format!("{left} {right}"),
            _ => format!("{} {}", sides.0, sides.1),
        })
    })?;
    let name = |name: &str| MetadataValue::String(name.to_owned());
    let mut entries = vec![
        ("model", name(if is_byte_level { "gpt2" } else { "llama" })),
        ("pre", name(u.choose(&RULES)?)),
        ("tokens", MetadataValue::Array(MetadataArray::String(tokens.iter().collect()))),
        ("token_type", MetadataValue::Array(MetadataArray::I32(kinds))),
        ("scores", MetadataValue::Array(MetadataArray::F32(scores))),
        ("merges", MetadataValue::Array(MetadataArray::String(merges.iter().collect()))),
    ];
    for key in ["bos_token_id", "eos_token_id", "eot_token_id", "unknown_token_id"] {
        if u.ratio(1, 4)? {
            entries.push((key, MetadataValue::U32(u.int_in_range(0..=n as u32)?)));
        }
    }
    for key in ["add_bos_token", "add_eos_token", "add_space_prefix"] {
        if u.ratio(1, 4)? {
            entries.push((key, MetadataValue::Bool(u.arbitrary()?)));
        }
    }
    if u.ratio(1, 16)? {
        let at = u.choose_index(entries.len())?;
        entries[at].1 = value(u)?;
    }
    if u.ratio(1, 16)? {
        entries.remove(u.choose_index(entries.len())?);
    }
    let mut metadata = Metadata::default();
    for (key, value) in entries {
        metadata.insert(format!("tokenizer.ggml.{key}"), value);
    }
    let unknown = if u.arbitrary()? { UnknownPreTokenizer::LoadAnyway } else { UnknownPreTokenizer::Refuse };
    Ok((metadata, unknown))
}
