//! The tiny model's vocabulary: byte-level pairs as GPT-2 has them, with ChatML's special tokens.

use super::{text, texts};
use crate::gguf::{GgufWriter, MetadataArray, MetadataValue};

/// 3 special tokens, 256 bytes and one token a merge.
pub(super) const SIZE: usize = SPECIAL_TOKENS.len() + 256 + MERGES.len();

const SPECIAL_TOKENS: [&str; 3] = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"];

/// Frequent English pairs in order of use; `Ġ` stands for a space. Each side is a byte or an earlier merge.
const MERGES: [(&str, &str); 61] = [
    ("Ġ", "t"),
    ("Ġ", "a"),
    ("h", "e"),
    ("i", "n"),
    ("r", "e"),
    ("Ġt", "he"),
    ("o", "n"),
    ("e", "r"),
    ("Ġ", "s"),
    ("a", "t"),
    ("Ġ", "w"),
    ("Ġ", "o"),
    ("e", "n"),
    ("Ġ", "c"),
    ("i", "t"),
    ("i", "s"),
    ("a", "n"),
    ("o", "r"),
    ("e", "s"),
    ("Ġ", "b"),
    ("e", "d"),
    ("Ġ", "f"),
    ("in", "g"),
    ("Ġ", "p"),
    ("o", "u"),
    ("Ġa", "n"),
    ("a", "l"),
    ("a", "r"),
    ("Ġt", "o"),
    ("Ġ", "m"),
    ("Ġo", "f"),
    ("Ġ", "in"),
    ("Ġ", "d"),
    ("Ġ", "h"),
    ("Ġan", "d"),
    ("i", "c"),
    ("a", "s"),
    ("l", "e"),
    ("Ġt", "h"),
    ("i", "on"),
    ("o", "m"),
    ("l", "l"),
    ("en", "t"),
    ("Ġ", "n"),
    ("Ġ", "l"),
    ("s", "t"),
    ("Ġ", "re"),
    ("v", "e"),
    ("Ġ", "e"),
    ("r", "o"),
    ("l", "y"),
    ("Ġb", "e"),
    ("Ġ", "g"),
    ("c", "t"),
    ("Ġ", "T"),
    ("Ġ", "I"),
    ("i", "d"),
    ("o", "t"),
    ("Ġ", "is"),
    ("u", "r"),
    ("Ġ", "Ġ"),
];

const CHAT_TEMPLATE: &str = "{% for message in messages %}\
    {{ '<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>' + '\\n' }}\
    {% endfor %}\
    {% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}";

/// Token type numbers of the format.
const NORMAL: i32 = 1;
const CONTROL: i32 = 3;

/// Writes the tokenizer's metadata.
pub(super) fn write(writer: &mut GgufWriter) {
    let tokens: Vec<String> = SPECIAL_TOKENS
        .iter()
        .map(|&special| special.to_owned())
        .chain(byte_letters().iter().map(char::to_string))
        .chain(MERGES.iter().map(|(left, right)| format!("{left}{right}")))
        .collect();
    let types = (0..SIZE).map(|id| if id < SPECIAL_TOKENS.len() { CONTROL } else { NORMAL }).collect();
    let merges = MERGES.iter().map(|(left, right)| format!("{left} {right}")).collect();
    let id = |token: &str| {
        let position = SPECIAL_TOKENS.iter().position(|&special| special == token);
        MetadataValue::U32(position.expect("only special tokens are asked for") as u32)
    };
    writer
        .metadata("tokenizer.ggml.model", text("gpt2"))
        .metadata("tokenizer.ggml.pre", text("smollm"))
        .metadata("tokenizer.ggml.tokens", texts(tokens))
        .metadata("tokenizer.ggml.token_type", MetadataValue::Array(MetadataArray::I32(types)))
        .metadata("tokenizer.ggml.merges", texts(merges))
        .metadata("tokenizer.ggml.bos_token_id", id("<|im_start|>"))
        .metadata("tokenizer.ggml.eos_token_id", id("<|im_end|>"))
        .metadata("tokenizer.ggml.unknown_token_id", id("<|endoftext|>"))
        .metadata("tokenizer.ggml.padding_token_id", id("<|im_end|>"))
        .metadata("tokenizer.ggml.add_bos_token", MetadataValue::Bool(false))
        .metadata("tokenizer.ggml.add_space_prefix", MetadataValue::Bool(false))
        .metadata("tokenizer.chat_template", text(CHAT_TEMPLATE));
}

/// The letter that stands for each byte: itself where it is visible, else the next letter from U+0100 on.
fn byte_letters() -> Vec<char> {
    let mut next_substitute = 0x100u32;
    (0..=255u8)
        .map(|byte| match byte {
            b'!'..=b'~' | 0xa1..=0xac | 0xae..=0xff => char::from(byte),
            _ => {
                let substitute = char::from_u32(next_substitute).expect("U+0100 to U+0143 are letters");
                next_substitute += 1;
                substitute
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn each_merge_joins_known_tokens_into_a_new_one() {
        let letters = byte_letters();
        let mut known: BTreeSet<String> = letters.iter().map(char::to_string).collect();
        assert_eq!(known.len(), 256);
        assert_eq!(letters[usize::from(b' ')], 'Ġ');
        assert_eq!(letters[usize::from(b'\n')], 'Ċ');
        for (left, right) in MERGES {
            assert!(known.contains(left) && known.contains(right), "{left} {right}");
            assert!(known.insert(format!("{left}{right}")), "{left}{right} is made twice");
        }
        assert_eq!(SIZE, 320);
    }
}
