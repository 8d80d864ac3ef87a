//! Splitting text into words before merging: the rules that files name in `tokenizer.ggml.pre`. Merges never cross a
//! word's border.
//!
//! The rules are the patterns that the models' own tokenizers publish. Those with `\s+(?!\S)|\s+` (white space without
//! the last one, which goes to the next word) are matched without the look-ahead, so that the time is linear in the
//! text: the match of `\s+` gives back its last character, see [`LastSpace`].

use regex::Regex;

use super::TokenizerError;

/// What happens to the last white space before a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LastSpace {
    /// The pattern has no look-ahead.
    Stays,
    /// It is no part of the match: `\s+(?!\S)|\s+`.
    GoesToNextWord,
    /// As before, but a match that ends with a line break has come from an earlier part of the pattern and stays whole.
    GoesUnlessLineBreak,
}
use LastSpace::{GoesToNextWord, GoesUnlessLineBreak, Stays};

/// One pattern; what matches and what lies between matches are pieces for the next one.
type Step = (&'static str, LastSpace);

const GPT2: Step = (r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+", GoesToNextWord);
const ONE_DIGIT: Step = (r"\p{N}", Stays);
const THREE_ASCII_DIGITS: Step = ("[0-9][0-9][0-9]", Stays);
const LINE_BREAK: Step = (r"[\r\n]", Stays);
const EAST_ASIAN: Step = (r"[\u{4E00}-\u{9FA5}\u{0800}-\u{4E00}\u{AC00}-\u{D7FF}]+", Stays);
const LLAMA3: Step = (
    concat!(
        r"'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD]|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}",
        r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+"
    ),
    GoesUnlessLineBreak,
);
const QWEN2: Step = (
    concat!(
        r"'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD]|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}",
        r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+"
    ),
    GoesUnlessLineBreak,
);

/// The letters that DeepSeek LLM's pattern lists one by one: cased ones, but not of every script.
const DEEPSEEK_LETTERS: Step = (
    concat!(
        r"\s?[A-Za-z\u{B5}\u{C0}-\u{D6}\u{D8}-\u{F6}\u{F8}-\u{1BA}\u{1BC}-\u{1BF}\u{1C4}-\u{293}\u{295}-\u{2AF}",
        r"\u{370}-\u{373}\u{376}\u{377}\u{37B}-\u{37D}\u{37F}\u{386}\u{388}-\u{38A}\u{38C}\u{38E}-\u{3A1}\u{3A3}-\u{3F5}",
        r"\u{3F7}-\u{481}\u{48A}-\u{52F}\u{531}-\u{556}\u{10A0}-\u{10C5}\u{13A0}-\u{13F5}\u{13F8}-\u{13FD}",
        r"\u{1C90}-\u{1CBA}\u{1CBD}-\u{1CBF}\u{1D00}-\u{1D2B}\u{1D6B}-\u{1D77}\u{1D79}-\u{1D9A}\u{1E00}-\u{1F15}",
        r"\u{1F18}-\u{1F1D}\u{1F20}-\u{1F45}\u{1F48}-\u{1F4D}\u{1F50}-\u{1F57}\u{1F59}\u{1F5B}\u{1F5D}\u{1F5F}-\u{1F7D}",
        r"\u{1F80}-\u{1FB4}\u{1FB6}-\u{1FBC}\u{1FBE}\u{1FC2}-\u{1FC4}\u{1FC6}-\u{1FCC}\u{1FD0}-\u{1FD3}\u{1FD6}-\u{1FDB}",
        r"\u{1FE0}-\u{1FEC}\u{1FF2}-\u{1FF4}\u{1FF6}-\u{1FFC}\u{2102}\u{2107}\u{210A}-\u{2113}\u{2115}\u{2119}-\u{211D}",
        r"\u{2124}\u{2126}\u{2128}\u{212A}-\u{212D}\u{212F}-\u{2134}\u{2139}\u{213C}-\u{213F}\u{2145}-\u{2149}\u{214E}",
        r"\u{2183}\u{2184}\u{2C00}-\u{2C7B}\u{2C7E}-\u{2CE4}\u{2CEB}-\u{2CEE}\u{2CF2}\u{2CF3}\u{A640}-\u{A66D}",
        r"\u{A680}-\u{A69B}\u{A722}-\u{A76F}\u{A771}-\u{A787}\u{A78B}-\u{A78E}\u{AB70}-\u{ABBF}\u{FB00}-\u{FB06}",
        r"\u{FB13}-\u{FB17}\u{FF21}-\u{FF3A}\u{FF41}-\u{FF5A}\u{10400}-\u{1044F}\u{104B0}-\u{104D3}\u{104D8}-\u{104FB}",
        r"\u{10C80}-\u{10CB2}\u{10CC0}-\u{10CF2}\u{118A0}-\u{118DF}\u{1E900}-\u{1E943}]+"
    ),
    Stays,
);
const DEEPSEEK_V3: Step = (
    concat!(
        r##"[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+"##,
        r"| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+"
    ),
    GoesUnlessLineBreak,
);

/// A rule as files name it.
struct NamedRule {
    /// The names in `tokenizer.ggml.pre`; the first is the rule's own.
    names: &'static [&'static str],
    /// Whether published ids of this rule are among the tests.
    proven: bool,
    /// A word that is a token is that token, whatever merging would give.
    whole_words: bool,
    /// Whether BOS is added where the file does not say.
    adds_bos: bool,
    steps: &'static [Step],
}

/// What most rules have in common.
const PLAIN: NamedRule = NamedRule { names: &[], proven: false, whole_words: false, adds_bos: false, steps: &[] };

/// The rule that a file without a known one gets, where a person asks for that.
pub(super) const DEFAULT_RULE: &str = "default";

const RULES: [NamedRule; 12] = [
    NamedRule { names: &["gpt-2"], proven: true, steps: &[GPT2], ..PLAIN },
    NamedRule {
        names: &["llama-bpe", "llama3", "llama-v3"],
        proven: true,
        whole_words: true,
        adds_bos: true,
        steps: &[LLAMA3],
    },
    NamedRule { names: &["smollm"], proven: true, steps: &[ONE_DIGIT, GPT2], ..PLAIN },
    NamedRule { names: &["qwen2", "deepseek-r1-qwen"], proven: true, steps: &[QWEN2], ..PLAIN },
    NamedRule { names: &["starcoder"], proven: true, steps: &[ONE_DIGIT, GPT2], ..PLAIN },
    NamedRule { names: &["mpt"], proven: true, steps: &[GPT2], ..PLAIN },
    NamedRule { names: &["refact"], steps: &[ONE_DIGIT, GPT2], ..PLAIN },
    NamedRule { names: &["falcon"], steps: &[(r"[\p{P}$+<=>^~|`]+", Stays), GPT2, THREE_ASCII_DIGITS], ..PLAIN },
    NamedRule {
        names: &["deepseek-llm"],
        steps: &[
            LINE_BREAK,
            DEEPSEEK_LETTERS,
            (r"\s?[!-/:-~\u{FF01}-\u{FF0F}\u{FF1A}-\u{FF5E}\u{2018}-\u{201F}\u{3000}-\u{3002}]+", Stays),
            (r"\s+$", Stays),
            EAST_ASIAN,
            (r"\p{N}+", Stays),
        ],
        ..PLAIN
    },
    NamedRule {
        names: &["deepseek-coder"],
        steps: &[LINE_BREAK, (r"\s?\p{L}+", Stays), (r"\s?\p{P}+", Stays), EAST_ASIAN, ONE_DIGIT],
        ..PLAIN
    },
    NamedRule {
        names: &["deepseek-v3"],
        steps: &[
            (r"\p{N}{1,3}", Stays),
            (r"[\u{4E00}-\u{9FA5}\u{3040}-\u{309F}\u{30A0}-\u{30FF}]+", Stays),
            DEEPSEEK_V3,
        ],
        ..PLAIN
    },
    NamedRule {
        names: &[DEFAULT_RULE],
        steps: &[(r"[\p{P}$+<=>^~|]+", Stays), GPT2, (r"\p{N}+", Stays), THREE_ASCII_DIGITS],
        ..PLAIN
    },
];

/// How text is split into words.
#[derive(Debug)]
pub(super) struct WordRule {
    /// The rule's own name, which may differ from the file's.
    pub(super) name: &'static str,
    /// Whether published ids of this rule are among the tests.
    pub(super) proven: bool,
    /// A word that is a token is that token, whatever merging would give.
    pub(super) whole_words: bool,
    /// Whether BOS is added where the file does not say.
    pub(super) adds_bos: bool,
    steps: Vec<(Regex, LastSpace)>,
}

impl WordRule {
    /// What a file is told whose rule is none of these.
    pub(super) fn unknown(found: String) -> TokenizerError {
        let known: Vec<&str> = RULES.iter().flat_map(|rule| rule.names).copied().collect();
        TokenizerError::UnknownPreTokenizer { found, supported: known.join(", ") }
    }

    /// The rule of a name in the file.
    pub(super) fn from_name(name: &str) -> Result<Self, TokenizerError> {
        let rule = RULES.iter().find(|rule| rule.names.contains(&name));
        let rule = rule.ok_or_else(|| Self::unknown(format!("\"{name}\"")))?;
        let compile = |&(pattern, last_space)| (Regex::new(pattern).expect("the patterns are constants"), last_space);
        Ok(Self {
            name: rule.names[0],
            proven: rule.proven,
            whole_words: rule.whole_words,
            adds_bos: rule.adds_bos,
            steps: rule.steps.iter().map(compile).collect(),
        })
    }

    /// Calls `word` with each word of `text`, in order. Joined, they are the text.
    pub(super) fn split(&self, text: &str, word: &mut dyn FnMut(&str)) {
        split(&self.steps, text, word);
    }
}

fn split(steps: &[(Regex, LastSpace)], text: &str, word: &mut dyn FnMut(&str)) {
    let Some(((regex, last_space), rest)) = steps.split_first() else {
        return word(text);
    };
    let mut start = 0;
    while let Some(found) = regex.find_at(text, start) {
        let end = end_of_match(text, found.start(), found.end(), *last_space);
        if found.start() > start {
            split(rest, &text[start..found.start()], word);
        }
        split(rest, &text[found.start()..end], word);
        start = end;
    }
    if start < text.len() {
        split(rest, &text[start..], word);
    }
}

/// Where a match ends once its last white space is given back. A match is never empty, nor made so.
fn end_of_match(text: &str, start: usize, end: usize, last_space: LastSpace) -> usize {
    let Some((at, last)) = text[start..end].char_indices().next_back() else { return end };
    let goes = match last_space {
        Stays => false,
        GoesToNextWord => last.is_whitespace(),
        GoesUnlessLineBreak => last.is_whitespace() && !matches!(last, '\r' | '\n'),
    };
    // At the text's end nothing follows that could take it.
    if goes && at > 0 && end < text.len() { start + at } else { end }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(rule: &str, text: &str, expected: &[&str]) {
        let mut words = Vec::new();
        WordRule::from_name(rule).expect("known").split(text, &mut |word| words.push(word.to_owned()));
        assert_eq!(words, expected, "{rule} {text:?}");
    }

    #[test]
    fn white_space_is_split_as_the_look_ahead_would() {
        check("gpt-2", "", &[]);
        check("gpt-2", "a  b", &["a", " ", " b"]);
        check("gpt-2", "\n\na\t\tb \n", &["\n", "\n", "a", "\t", "\t", "b", " \n"]);
        check("gpt-2", "It's 12 'S", &["It", "'s", " 12", " '", "S"]);
        check("llama-bpe", "a  b\n \n c", &["a", " ", " b", "\n \n", " c"]);
        check("llama-bpe", "x\t\ty!\n\n z 12345", &["x", "\t", "\ty", "!\n\n", " z", " ", "123", "45"]);
        check("qwen2", "I'LL 12\u{3000} \u{2003}a", &["I", "'LL", " ", "1", "2", "\u{3000} ", "\u{2003}a"]);
        check("smollm", "a 12 b", &["a", " ", "1", "2", " b"]);
    }

    #[test]
    fn the_other_rules_follow_their_patterns() {
        check("falcon", "a-b 1234 c", &["a", "-", "b", " ", "123", "4", " c"]);
        check("default", "f(x)=12345;", &["f", "(", "x", ")=", "123", "45", ";"]);
        check("deepseek-llm", "Hi 世界 12\n ", &["Hi", " ", "世界", " ", "12", "\n", " "]);
        check("deepseek-coder", "x1, y", &["x", "1", ",", " y"]);
        check("deepseek-v3", "1234 _abc 日本。\n", &["123", "4", " _", "abc", " ", "日本", "。\n"]);
        check("refact", "ab 12", &["ab", " ", "1", "2"]);
        assert!(matches!(WordRule::from_name("?"), Err(TokenizerError::UnknownPreTokenizer { .. })));
    }
}
