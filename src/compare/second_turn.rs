//! The second turn of a chat, after its first was run (scenario S2).

use super::replay::Schedule;
use crate::generate::{Engine, GenerateError, RunTrace, Turn};
use crate::model::Pass;
use crate::tokenizer::TokenId;

/// The second turn of a chat, and how much of the first a run reuses that finds it in the cache.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SecondTurn {
    /// The whole conversation, rendered and encoded as one.
    pub ids: Vec<TokenId>,
    /// Tokens in the first turn's prompt.
    pub n_first_prompt: usize,
    /// The longest prefix of the ids that the first turn left in the cache, at most all but the last.
    pub n_reused: usize,
}

impl SecondTurn {
    /// Adds a follow-up to the first turn: its message, its prompt's ids and its run.
    ///
    /// # Errors
    /// As [`Engine::encode_second_turn`].
    pub async fn new<P: Pass>(
        engine: &Engine<P>,
        user: &str,
        first_ids: &[TokenId],
        first: &RunTrace,
        follow_up: &str,
    ) -> Result<Self, GenerateError> {
        let reply = reply_text(engine, first);
        let ids = engine.encode_second_turn(&Turn { user, reply: &reply, follow_up }).await?;
        // The token chosen last was never fed: it has no K and V.
        let fed = first.steps.split_last().map_or(&[][..], |(_, fed)| fed);
        let cached = first_ids.iter().copied().chain(fed.iter().map(|step| step.id));
        let n_equal = cached.zip(&ids).take_while(|(cached, id)| cached == *id).count();
        Ok(Self { n_first_prompt: first_ids.len(), n_reused: n_equal.min(ids.len().saturating_sub(1)), ids })
    }

    /// What the warm run's cache and the warm run itself compute.
    pub fn warm_schedule(&self, chunk_rows: usize) -> Schedule {
        Schedule::warm_second_turn(self.n_first_prompt, self.n_reused, self.ids.len(), chunk_rows)
    }
}

/// The answer as text, without the token that ends the turn.
fn reply_text<P: Pass>(engine: &Engine<P>, trace: &RunTrace) -> String {
    let tokenizer = engine.tokenizer();
    let ids: Vec<TokenId> =
        trace.steps.iter().map(|step| step.id).filter(|id| !tokenizer.is_end_of_turn(*id)).collect();
    String::from_utf8_lossy(&tokenizer.decode(&ids)).into_owned()
}
