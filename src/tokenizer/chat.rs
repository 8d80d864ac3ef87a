//! A conversation to ids, with control tokens from the template only.
//!
//! The template's output is one string in which its own text and the messages are mixed. Which
//! part is which is found by rendering a second time with stand-ins for the messages: what stands
//! between the stand-ins is the template's own. Only there is the text of a control token taken
//! for the token. The string is then encoded as one, so the ids of harmless conversations are
//! exactly those of encoding the rendered text.

use std::collections::HashMap;
use std::ops::Range;

use super::template::{STAND_IN_CLOSE, STAND_IN_OPEN};
use super::{ChatTemplate, Message, SpecialTokens, TokenId, Tokenizer, TokenizerError};

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
}

impl Tokenizer {
    /// Renders a conversation and encodes it. The text of a control token inside a message stays
    /// text, whatever it says.
    ///
    /// Messages may come out of the template as they are or trimmed of white space. A template
    /// that rewrites them otherwise is still used while no message contains the text of a control
    /// token; with one, the conversation is refused.
    ///
    /// # Errors
    /// [`TokenizerError::Template`] where rendering fails, and
    /// [`TokenizerError::SpecialTokenInMessage`] for the refusal above.
    pub fn encode_chat(
        &self,
        template: &ChatTemplate,
        messages: &[Message],
        add_generation_prompt: bool,
    ) -> Result<EncodedPrompt, TokenizerError> {
        let text = template.render(messages, add_generation_prompt)?;
        let own_text = template
            .render_stand_ins(messages, add_generation_prompt)
            .and_then(|rendered| template_ranges(&pieces(&rendered, messages)?, &text));
        let ids = match own_text {
            Some(ranges) => self.encode_where(text.as_bytes(), &|found| {
                let at = ranges.partition_point(|range| range.end < found.end);
                ranges.get(at).is_some_and(|range| range.start <= found.start)
            }),
            None => {
                self.refuse_control_tokens(messages)?;
                self.encode(&text, SpecialTokens::Parse)
            }
        };
        Ok(EncodedPrompt { ids: self.with_ends_once(ids), text })
    }

    /// An error if a message contains the text of a control token.
    fn refuse_control_tokens(&self, messages: &[Message]) -> Result<(), TokenizerError> {
        for (index, message) in messages.iter().enumerate() {
            let mut start = 0;
            while let Some(found) = self.special.find(message.content.as_bytes(), start, &|_| true) {
                if self.is_control(found.id) {
                    return Err(TokenizerError::SpecialTokenInMessage {
                        message: index,
                        token: self.token_text(found.id),
                    });
                }
                start = found.range.end;
            }
        }
        Ok(())
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
fn pieces<'a>(rendered: &'a str, messages: &'a [Message]) -> Option<Vec<Piece<'a>>> {
    let mut parts = rendered.split(STAND_IN_OPEN);
    let mut pieces = vec![Piece::Template(parts.next()?)];
    for part in parts {
        let (index, own_text) = part.split_once(STAND_IN_CLOSE)?;
        let message = messages.get(index.parse::<usize>().ok()?)?;
        pieces.push(Piece::Content(&message.content));
        pieces.push(Piece::Template(own_text));
    }
    let is_intact = !pieces.iter().any(|piece| match piece {
        Piece::Template(own_text) => own_text.contains(STAND_IN_CLOSE),
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
