//! Tokenizers and chat templates, against llama.cpp, Hugging Face's library and Jinja2.
//!
//! Reads the headers of the real models and the vocabularies of others from the cache that `make` fills, the first
//! model's from `LASTBIT_MODEL` where that is set.
#![cfg(not(target_arch = "wasm32"))]

mod chat;
mod known_templates;
mod origin_of_control_tokens;
mod random_text;
mod reference;
mod round_trip;
mod vectors;
mod vocabularies;

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use lastbit::gguf::{GgufStream, Metadata};
use lastbit::tokenizer::{ChatTemplate, SpecialTokens, TokenId, Tokenizer};
use serde_json::Value;

const IM_START: TokenId = 1;
const IM_END: TokenId = 2;

static METADATA: LazyLock<Metadata> = LazyLock::new(|| read_metadata(&model_path()));

/// The metadata of a GGUF file. Its tensors are not looked at: what formats they have is no matter here.
fn read_metadata(path: &Path) -> Metadata {
    let mut file = File::open(path).unwrap_or_else(|error| {
        panic!("no model at {} ({error}); `make test` fetches it", path.display());
    });
    let mut stream = GgufStream::new(None);
    let mut piece = vec![0; 1 << 20];
    let mut length = file.read(&mut piece).expect("the file is readable");
    piece[8..16].fill(0); // the number of tensors
    loop {
        stream.push(&piece[..length]).expect("the metadata is valid");
        if let Some(header) = stream.header() {
            return header.metadata.clone();
        }
        length = file.read(&mut piece).expect("the file is readable");
        assert!(length > 0, "the file ends inside its header");
    }
}

static TOKENIZER: LazyLock<Tokenizer> =
    LazyLock::new(|| Tokenizer::from_metadata(&METADATA).expect("the model's tokenizer is supported"));

static TEMPLATE: LazyLock<ChatTemplate> =
    LazyLock::new(|| ChatTemplate::from_metadata(&METADATA, None).expect("the model has a chat template"));

/// A variable of the environment that is set and not empty.
fn variable(name: &str) -> Option<PathBuf> {
    std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from)
}

fn model_path() -> PathBuf {
    variable("LASTBIT_MODEL").unwrap_or_else(|| cache().join("models/SmolLM2-135M-Instruct.Q4_1.gguf"))
}

/// Where `make` keeps what it fetches.
fn cache() -> PathBuf {
    variable("LASTBIT_CACHE")
        .or_else(|| variable("XDG_CACHE_HOME").map(|folder| folder.join("lastbit")))
        .or_else(|| variable("HOME").map(|folder| folder.join(".cache/lastbit")))
        .expect("a home folder")
}

fn oracle(name: &str) -> Value {
    read_json(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/oracle").join(name))
}

fn read_json(path: &Path) -> Value {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).expect("valid JSON")
}

fn list(value: &Value) -> &[Value] {
    value.as_array().expect("a list")
}

fn text(value: &Value) -> &str {
    value.as_str().expect("a text")
}

fn ids(value: &Value) -> Vec<TokenId> {
    list(value).iter().map(|id| id.as_u64().expect("an id") as TokenId).collect()
}

fn bytes_from_hex(value: &Value) -> Vec<u8> {
    text(value)
        .as_bytes()
        .chunks(2)
        .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).expect("ASCII"), 16).expect("hexadecimal"))
        .collect()
}

#[test]
fn the_models_own_facts_are_read() {
    assert_eq!(TOKENIZER.vocab_size(), 49_152);
    assert_eq!((TOKENIZER.bos_id(), TOKENIZER.eos_id()), (Some(IM_START), Some(IM_END)));
    assert_eq!(TOKENIZER.end_ids(), [0, IM_END]);
    assert!(TOKENIZER.is_end_of_turn(IM_END) && !TOKENIZER.is_end_of_turn(IM_START));
    assert_eq!(TOKENIZER.token_text(IM_END), "<|im_end|>");
    assert_eq!(TOKENIZER.token_text(253), " a");
    assert_eq!(TOKENIZER.token_text(10_813), "<0xF0><0x9F>");
    assert_eq!(TOKENIZER.token_text(49_152), "\u{FFFD}");
    assert_eq!(TOKENIZER.missing_bytes("a\u{4}b\u{6}\u{50000}"), 3);
    assert_eq!(TOKENIZER.decode(&TOKENIZER.encode("a\u{4}b", SpecialTokens::Literal)), b"ab");
}

#[test]
fn every_token_decodes_and_streams_to_the_same_bytes() {
    let all: Vec<TokenId> = (0..TOKENIZER.vocab_size() as TokenId).collect();
    let bytes = TOKENIZER.decode(&all);
    let mut stream = TOKENIZER.decode_stream();
    let mut streamed: String = all.iter().map(|&id| stream.push(id)).collect();
    streamed.push_str(&stream.finish());
    assert_eq!(streamed, String::from_utf8_lossy(&bytes));
}

#[test]
fn b106_a_stream_never_shows_half_a_character() {
    let mut prefixes = 0;
    for case in list(&oracle("smollm2.tokens.json")["strings"]) {
        let input = text(&case["text"]);
        let ids = ids(&case["plain"]);
        let mut stream = TOKENIZER.decode_stream();
        let mut shown = String::new();
        for end in 0..=ids.len() {
            if end > 0 {
                shown.push_str(&stream.push(ids[end - 1]));
            }
            // What is shown is certain; what is held back is less than a character.
            let bytes = TOKENIZER.decode(&ids[..end]);
            assert!(input.starts_with(&shown), "{input:?} showed {shown:?}");
            assert!(bytes.len() - shown.len() < 4);
            assert_eq!(format!("{shown}{}", stream.clone().finish()), String::from_utf8_lossy(&bytes));
            prefixes += 1;
        }
        assert_eq!(shown, input);
        assert_eq!(stream.finish(), "");
    }
    assert!(prefixes > 500, "{prefixes} prefixes");
}

#[test]
fn b084_tokens_that_are_no_utf8_decode_as_their_bytes() {
    // Every order of three single-byte tokens of these kinds, half of them invalid.
    let kinds: Vec<TokenId> =
        [0x41, 0x80, 0xC3, 0xE2, 0xF0, 0x9F].iter().filter_map(|&byte| BYTE_TOKENS[byte]).collect();
    assert_eq!(kinds.len(), 6);
    for &first in &kinds {
        for &second in &kinds {
            for &third in &kinds {
                let ids = [first, second, third];
                let bytes = TOKENIZER.decode(&ids);
                assert_eq!(bytes.len(), 3);
                let mut stream = TOKENIZER.decode_stream();
                let mut streamed: String = ids.iter().map(|&id| stream.push(id)).collect();
                streamed.push_str(&stream.finish());
                assert_eq!(streamed, String::from_utf8_lossy(&bytes), "{bytes:02X?}");
            }
        }
    }
}

/// The token of each byte that has one.
static BYTE_TOKENS: LazyLock<[Option<TokenId>; 256]> = LazyLock::new(|| {
    let mut tokens = [None; 256];
    for id in 0..TOKENIZER.vocab_size() as TokenId {
        if let [byte] = TOKENIZER.decode(&[id])[..] {
            tokens[usize::from(byte)] = Some(id);
        }
    }
    tokens
});
