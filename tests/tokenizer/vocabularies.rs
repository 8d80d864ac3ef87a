//! Vocabularies of many models, and the texts that their ids are known for.

use std::path::PathBuf;
use std::sync::LazyLock;

use lastbit::gguf::{Metadata, MetadataArray, MetadataValue};
use lastbit::tokenizer::{TokenId, Tokenizer};
use serde_json::Value;

use super::{cache, list, read_json, read_metadata, text, variable};

pub(super) static GEMMA: LazyLock<Tokenizer> = LazyLock::new(|| {
    let metadata = read_metadata(&cache().join("models/gemma-3-270m-q4_k_m.gguf"));
    Tokenizer::from_metadata(&metadata).expect("the model's tokenizer is supported")
});
pub(super) static QWEN3: LazyLock<Tokenizer> = LazyLock::new(|| from_json("qwen3", "qwen2"));
pub(super) static LLAMA3: LazyLock<Tokenizer> = LazyLock::new(|| from_json("llama3", "llama-bpe"));

/// Where the third-party vectors lie. Without them a test says that it did not run.
pub(super) fn conformance(test: &str) -> Option<PathBuf> {
    let folder = variable("LASTBIT_CONFORMANCE");
    if folder.is_none() {
        println!("{test}: not run: no conformance data");
    }
    folder
}

/// The file of Hugging Face's library that holds a vocabulary.
pub(super) fn json_path(name: &str) -> PathBuf {
    cache().join(format!("vocabularies/{name}.json"))
}

fn from_json(name: &str, pre_tokenizer: &str) -> Tokenizer {
    let path = json_path(name);
    assert!(path.is_file(), "no vocabulary at {}; `make test` fetches it", path.display());
    Tokenizer::from_metadata(&metadata_from_json(&read_json(&path), pre_tokenizer)).expect("a valid vocabulary")
}

/// The metadata that a GGUF file of this vocabulary has.
fn metadata_from_json(json: &Value, pre_tokenizer: &str) -> Metadata {
    let mut tokens: Vec<(TokenId, String, i32)> = Vec::new();
    let id = |value: &Value| value.as_u64().expect("an id") as TokenId;
    for (token, number) in json["model"]["vocab"].as_object().expect("a vocabulary") {
        tokens.push((id(number), token.clone(), 1));
    }
    for added in list(&json["added_tokens"]) {
        let kind = if added["special"] == true { 3 } else { 4 };
        tokens.push((id(&added["id"]), text(&added["content"]).to_owned(), kind));
    }
    tokens.sort_by_key(|(id, ..)| *id);
    assert!((0..).zip(&tokens).all(|(expected, (id, ..))| *id == expected), "the ids have gaps");
    let merge = |merge: &Value| match merge {
        Value::Array(parts) => format!("{} {}", text(&parts[0]), text(&parts[1])),
        whole => text(whole).to_owned(),
    };
    let merges = list(&json["model"]["merges"]).iter().map(merge).collect();
    let types = tokens.iter().map(|(_, _, kind)| *kind).collect();
    let tokens = tokens.into_iter().map(|(_, token, _)| token).collect();

    let mut metadata = Metadata::default();
    let name = |name: &str| MetadataValue::String(name.to_owned());
    for (key, value) in [
        ("model", name("gpt2")),
        ("pre", name(pre_tokenizer)),
        ("tokens", MetadataValue::Array(MetadataArray::String(tokens))),
        ("token_type", MetadataValue::Array(MetadataArray::I32(types))),
        ("merges", MetadataValue::Array(MetadataArray::String(merges))),
    ] {
        metadata.insert(format!("tokenizer.ggml.{key}"), value);
    }
    metadata
}
