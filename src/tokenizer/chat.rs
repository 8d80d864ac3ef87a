//! A conversation to ids, with control tokens from the template only.
//!
//! The template's output is one string in which its own text and the messages are mixed. Which
//! part is which is found by rendering a second time with stand-ins for the messages: what stands
//! between the stand-ins is the template's own. Only there is the text of a control token taken
//! for the token. The string is then encoded as one, so the ids of harmless conversations are
//! exactly those of encoding the rendered text.
//!
//! A template that rewrites its messages (cuts them, or changes letters) is rendered a third time,
//! with a sign inside every control token's text in the messages. What then still is a control
//! token comes from the template, if the text is otherwise the same and if there are neither more
//! nor fewer of them than around the stand-ins. Where that is not so, the conversation is refused.

use std::collections::HashMap;
use std::ops::Range;

use lastbit_template::Message;

use super::{ChatTemplate, TemplateError, TemplateHost, TokenId, Tokenizer, TokenizerError};

/// More ways than this to lay the same text out over messages and template are not followed.
const MAX_LAYOUTS: usize = 64;

/// A conversation ready for the model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EncodedPrompt {
    /// The ids, as the model gets them: with BOS and EOS where the file asks for them, each once,
    /// whether or not the template writes them too.
    pub ids: Vec<TokenId>,
    /// The rendered text that the ids stand for.
    pub text: String,
    /// The moment that the template was shown, in seconds since 1970 (UTC).
    pub now: i64,
}

impl Tokenizer {
    /// Renders a conversation and encodes it. The text of a control token inside a message stays
    /// text, whatever it says and whatever the template does.
    ///
    /// # Errors
    /// [`TokenizerError::Template`] where rendering fails, and [`TokenizerError::UnclearOrigin`]
    /// where the template rewrites its messages so that the promise cannot be kept.
    pub async fn encode_chat(
        &self,
        host: &TemplateHost,
        template: &ChatTemplate,
        messages: &[Message],
        add_generation_prompt: bool,
    ) -> Result<EncodedPrompt, TokenizerError> {
        // A message of white space stays in the text around the stand-ins, so it must hold no control token.
        let is_blank = |message: &&Message| message.content.trim().is_empty();
        if messages.iter().filter(is_blank).any(|message| !self.control_tokens(&message.content, &|_| true).is_empty())
        {
            return Err(TokenizerError::UnclearOrigin);
        }
        let signs = Signs::unused_in(template.source(), messages).ok_or(TokenizerError::UnclearOrigin)?;
        let stand_ins = messages.iter().enumerate().map(|(index, message)| signs.stand_in(index, message)).collect();
        let marked = messages.iter().map(|message| self.with_marks(message, signs.mark)).collect();
        let request = template.request(vec![messages.to_vec(), stand_ins, marked], add_generation_prompt);
        let reply = host.render(&request).await?;
        let [text, stand_ins, marked] = <[_; 3]>::try_from(reply).expect("one result for each conversation");
        let text = text.map_err(TemplateError::from)?;

        let ranges = match stand_ins {
            Ok(stand_ins) => pieces(&stand_ins, &signs, messages)
                .and_then(|pieces| template_ranges(&pieces, &text))
                .or_else(|| self.unmarked_control_tokens(&marked.ok()?, &stand_ins, signs.mark, &text)),
            Err(_) => None,
        };
        let ranges = ranges.ok_or(TokenizerError::UnclearOrigin)?;
        let ids = self.encode_where(text.as_bytes(), &|found| {
            let at = ranges.partition_point(|range| range.end < found.end);
            ranges.get(at).is_some_and(|range| range.start <= found.start)
        });
        Ok(EncodedPrompt { ids: self.with_ends_once(ids), text, now: request.now })
    }

    /// The message with `mark` behind the first character of every control token's text in it.
    fn with_marks(&self, message: &Message, mark: char) -> Message {
        let content = &message.content;
        let (mut marked, mut written) = (String::new(), 0);
        let mut from = 0;
        while let Some(found) = self.special.find(content.as_bytes(), from, &|_| true) {
            let first = content[found.range.start..].chars().next().map_or(0, char::len_utf8);
            from = found.range.start + first;
            if self.is_control(found.id) {
                marked.extend([&content[written..from], mark.encode_utf8(&mut [0; 4])]);
                written = from;
            }
        }
        marked.push_str(&content[written..]);
        Message::new(message.role, marked)
    }

    /// The places of `text` where the template wrote a control token: those that are still there with marks in the
    /// messages. `None` where the marks change more than themselves, or where `stand_ins` has other control tokens.
    fn unmarked_control_tokens(
        &self,
        marked: &str,
        stand_ins: &str,
        mark: char,
        text: &str,
    ) -> Option<Vec<Range<usize>>> {
        if marked.replace(mark, "") != text {
            return None;
        }
        let mut mark_bytes = [0; 4];
        let mark = mark.encode_utf8(&mut mark_bytes);
        let of_template = |found: &Range<usize>| !marked[found.end..].starts_with(&*mark);
        let own = self.control_tokens(marked, &of_template);
        let expected = self.control_tokens(stand_ins, &|_| true);
        if !own.iter().map(|(_, id)| id).eq(expected.iter().map(|(_, id)| id)) {
            return None;
        }
        let unmarked = |at: usize| at - marked[..at].matches(&*mark).count() * mark.len();
        Some(own.into_iter().map(|(range, _)| unmarked(range.start)..unmarked(range.end)).collect())
    }

    /// The control tokens in a text, with their places.
    fn control_tokens(&self, text: &str, allowed: &dyn Fn(&Range<usize>) -> bool) -> Vec<(Range<usize>, TokenId)> {
        let (mut tokens, mut from) = (Vec::new(), 0);
        while let Some(found) = self.special.find(text.as_bytes(), from, allowed) {
            from = found.range.end;
            if self.is_control(found.id) {
                tokens.push((found.range, found.id));
            }
        }
        tokens
    }
}

/// Three characters for private use that neither the template nor a message contains.
struct Signs {
    /// Before the number of a stand-in.
    open: char,
    /// Behind it.
    close: char,
    /// Inside the text of a control token.
    mark: char,
}

impl Signs {
    fn unused_in(source: &str, messages: &[Message]) -> Option<Self> {
        let mut unused = ('\u{10FF00}'..='\u{10FFFD}')
            .rev()
            .filter(|sign| !source.contains(*sign) && !messages.iter().any(|message| message.content.contains(*sign)));
        Some(Self { open: unused.next()?, close: unused.next()?, mark: unused.next()? })
    }

    /// What stands for the message at `index`: a text without control tokens that names its position. Messages without
    /// visible text stay as they are, since templates treat them differently.
    fn stand_in(&self, index: usize, message: &Message) -> Message {
        match message.content.trim() {
            "" => message.clone(),
            _ => Message::new(message.role, format!("{}{index}{}", self.open, self.close)),
        }
    }
}

/// A stretch of the conversation rendered with stand-ins.
enum Piece<'a> {
    /// Text of the template itself.
    Template(&'a str),
    /// The place of a message's content.
    Content(&'a str),
}

/// Takes the rendering with stand-ins apart. `None` if the template damaged a stand-in.
fn pieces<'a>(rendered: &'a str, signs: &Signs, messages: &'a [Message]) -> Option<Vec<Piece<'a>>> {
    let mut parts = rendered.split(signs.open);
    let mut pieces = vec![Piece::Template(parts.next()?)];
    for part in parts {
        let (index, own_text) = part.split_once(signs.close)?;
        let message = messages.get(index.parse::<usize>().ok()?)?;
        pieces.push(Piece::Content(&message.content));
        pieces.push(Piece::Template(own_text));
    }
    let is_intact = !pieces.iter().any(|piece| match piece {
        Piece::Template(own_text) => own_text.contains(signs.close),
        Piece::Content(_) => false,
    });
    is_intact.then_some(pieces)
}

/// The byte ranges of `text` that the template wrote, ascending. `None` unless the pieces, each
/// content whole or trimmed, give exactly `text`.
fn template_ranges(pieces: &[Piece], text: &str) -> Option<Vec<Range<usize>>> {
    // For each piece: the places where it can end, and where it then began.
    let mut ends_by_piece: Vec<HashMap<usize, usize>> = Vec::with_capacity(pieces.len());
    let mut starts = vec![0];
    for piece in pieces {
        let forms = match *piece {
            Piece::Template(own_text) => vec![own_text],
            Piece::Content(content) => vec![content, content.trim(), content.trim_start(), content.trim_end()],
        };
        let mut ends = HashMap::new();
        for &start in &starts {
            for form in &forms {
                if text[start..].starts_with(form) {
                    ends.entry(start + form.len()).or_insert(start);
                }
            }
        }
        starts = ends.keys().copied().collect();
        if starts.is_empty() || starts.len() > MAX_LAYOUTS {
            return None;
        }
        // Ties are then broken alike in every run.
        starts.sort_unstable();
        ends_by_piece.push(ends);
    }

    // Walk back from the end of the text.
    let mut ranges = Vec::new();
    let mut end = text.len();
    for (piece, ends) in pieces.iter().zip(&ends_by_piece).rev() {
        let start = *ends.get(&end)?;
        if matches!(piece, Piece::Template(_)) {
            ranges.push(start..end);
        }
        end = start;
    }
    ranges.reverse();
    Some(ranges)
}
