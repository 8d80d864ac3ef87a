//! Rows about the text that a person types: empty, endless, invisible, and cut in the middle of a character.

use allocation_counter::measure;
use lastbit::compare::{CompareRequest, Scenario, compare};
use lastbit::error::explain;
use lastbit::generate::{CancelToken, GenerateError, Prompt};
use lastbit::tiny_model;
use lastbit::tokenizer::{SpecialTokens, TokenId, Tokenizer};

use crate::changed::Changed;
use crate::engine;

/// The tiny model's tokenizer: byte-level, and every byte has a token.
fn tokenizer() -> Tokenizer {
    Tokenizer::from_metadata(&Changed::of(&tiny_model::gguf_bytes(3)).metadata()).expect("it is good")
}

fn complete(text: &str) -> Prompt {
    Prompt::Complete { text: text.to_owned() }
}

/// How a comparison of this prompt ends, and how many steps ran.
fn ended(prompt: Prompt) -> (Option<GenerateError>, usize) {
    let mut engine = engine(&tiny_model::gguf_bytes(3)).expect("the tiny model loads");
    let request = CompareRequest { prompt, scenario: Scenario::SamePrompt, before: Vec::new(), max_tokens: 2 };
    let mut n_events = 0;
    let runs = pollster::block_on(compare(&mut engine, &request, &CancelToken::default(), |_| n_events += 1));
    (runs.error, n_events)
}

/// Text that comes back as it was, whole and token by token.
#[track_caller]
fn comes_back(tokenizer: &Tokenizer, text: &str) -> Vec<TokenId> {
    let ids = tokenizer.encode(text, SpecialTokens::Literal);
    assert_eq!(tokenizer.decode_whole(&ids), text.as_bytes(), "{text:?}");
    let mut stream = tokenizer.decode_stream();
    let streamed: String = ids.iter().map(|id| stream.push(*id)).collect();
    assert_eq!((streamed.as_str(), stream.finish().as_str()), (text, ""));
    ids
}

#[test]
fn b101_an_empty_prompt_sends_nothing_and_white_space_is_a_prompt() {
    let (error, n_events) = ended(complete(""));
    let explained = explain(&error.expect("nothing to run"));
    assert_eq!((explained.code, explained.message.as_str(), n_events), ("bad-request", "the prompt is empty", 0));
    for text in [" ", "   ", "\n"] {
        let (error, n_events) = ended(complete(text));
        assert!(error.is_none() && n_events > 0, "{text:?}: {error:?}");
    }
}

#[test]
fn b102_a_prompt_longer_than_the_context_is_told_with_both_numbers_before_anything_runs() {
    let (error, n_events) = ended(complete(&"x".repeat(1000)));
    let explained = explain(&error.expect("it does not fit"));
    assert_eq!((explained.code, n_events), ("context-full", 0));
    assert!(explained.message.contains("1000 tokens") && explained.message.contains("128"), "{explained}");
    assert!(explained.what_to_do.contains("Shorten"), "{explained}");
}

/// The page's worker does this, so that the page stays live; what it takes grows with the text and not faster.
#[test]
fn b103_ten_megabytes_of_text_are_counted_in_linear_memory() {
    let tokenizer = tokenizer();
    let text = "The lamp of the sea is far. \u{e9}\u{1f600} 12,345\n".repeat(10_000_000 / 42);
    let mut n_ids = 0;
    let used = measure(|| n_ids = tokenizer.encode_prompt(&text, SpecialTokens::Literal).len());
    assert!(n_ids > text.len() / 4 && n_ids < text.len());
    assert!(used.bytes_max <= 16 * text.len() as u64, "{used:?}");
    let (error, n_events) = ended(complete(&text));
    assert!(matches!(error, Some(GenerateError::PromptTooLong { .. })) && n_events == 0, "{error:?}");
}

/// Joining neighbours of one word of a million letters: symbols and the queue of joins, tens of bytes for each letter.
#[test]
fn b104_a_word_of_a_million_letters_is_not_quadratic() {
    let tokenizer = tokenizer();
    for unit in ["a", "the", "in", " ", "\n", "7", "<|im_end|", "\u{1f600}"] {
        let text = unit.repeat(1_000_000 / unit.len());
        let used = measure(|| assert!(!tokenizer.encode(&text, SpecialTokens::Literal).is_empty()));
        assert!(used.bytes_total <= 400 * text.len() as u64, "{unit:?}: {used:?}");
        comes_back(&tokenizer, &text);
    }
}

#[test]
fn b105_half_characters_become_marks_by_one_rule_and_nul_is_a_character() {
    let tokenizer = tokenizer();
    for text in ["\u{0}", "a\u{0}b", "\u{fffd}", "\u{fffd}\u{0}\u{fffd}"] {
        comes_back(&tokenizer, text);
    }
    // A lone surrogate is no character: each of its three bytes is read as a mark, as llama.cpp does. Read again they stay marks.
    let ids = tokenizer.encode_bytes(b"a\xed\xa0\x80b", SpecialTokens::Literal);
    assert_eq!(ids, tokenizer.encode("a\u{fffd}\u{fffd}\u{fffd}b", SpecialTokens::Literal));
    let again = tokenizer.encode_bytes(&tokenizer.decode(&ids), SpecialTokens::Literal);
    assert_eq!(again, ids);
}

#[test]
fn b106_characters_of_several_parts_are_never_shown_half() {
    let tokenizer = tokenizer();
    for text in ["👨‍👩‍👧‍👦", "🇫🇷🇩🇪", "👍🏽👍", "e\u{301}\u{302}", "🏴󠁧󠁢󠁳󠁣󠁴󠁿", "का", "한"]
    {
        let mut stream = tokenizer.decode_stream();
        let mut shown = String::new();
        for id in comes_back(&tokenizer, text) {
            shown.push_str(&stream.push(id));
            assert!(text.starts_with(&shown) && !shown.contains('\u{fffd}'), "{text}: {shown:?}");
        }
        assert_eq!(shown, text);
    }
}

#[test]
fn b107_scripts_and_normal_forms_are_kept_as_they_were_typed() {
    let tokenizer = tokenizer();
    let [composed, decomposed] = ["caf\u{e9}", "cafe\u{301}"].map(|text| comes_back(&tokenizer, text));
    assert_ne!(composed, decomposed);
    for text in ["ភាសាខ្មែរ", "ภาษาไทย", "العربية", "עברית \u{202e}abc\u{202c}", "\u{1100}\u{1161}\u{11a8}", "Ａｂ①"]
    {
        comes_back(&tokenizer, text);
    }
}

#[test]
fn b108_hidden_text_is_sent_as_it_is() {
    let tokenizer = tokenizer();
    for hidden in ["\u{200b}", "\u{2060}", "\u{feff}", "\u{e0041}\u{e0042}\u{e007f}", "\u{ad}", "\u{180e}"] {
        let ids = comes_back(&tokenizer, &format!("a{hidden}b"));
        assert!(ids.len() > 2, "{hidden:?} is gone");
    }
}

#[test]
fn b109_white_space_of_every_kind_is_kept() {
    let tokenizer = tokenizer();
    let spaces: Vec<char> = (char::MIN..=char::MAX).filter(|c| c.is_whitespace()).collect();
    assert!(spaces.len() >= 25, "{}", spaces.len());
    for left in &spaces {
        for right in &spaces {
            comes_back(&tokenizer, &format!("a{left}{right}b{left}c{right}{right}"));
        }
    }
    comes_back(&tokenizer, "a\r\n\r\n\tb \t\u{b}\u{c}\u{85}\u{2028}c");
}

#[test]
fn b110_every_character_of_unicode_comes_back() {
    let tokenizer = tokenizer();
    let mut buffer = [0; 4];
    for character in char::MIN..=char::MAX {
        let text: &str = character.encode_utf8(&mut buffer);
        let ids = tokenizer.encode(text, SpecialTokens::Literal);
        assert!(tokenizer.decode(&ids) == text.as_bytes(), "{character:?} gives {ids:?}");
    }
}
