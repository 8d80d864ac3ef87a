//! What a cold and a warm run of one prompt compute, step by step.

use super::comparison::Scenario;
use super::replay::Schedule;
use super::second_turn::SecondTurn;
use crate::generate::{CancelToken, Engine, GenerateError, Prompt, RunOptions};
use crate::tokenizer::TokenId;

/// A prompt's tokens, and the steps in which the two runs compute them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Schedules {
    /// The prompt.
    pub ids: Vec<TokenId>,
    /// Prompt tokens that the warm run reuses.
    pub n_reused: usize,
    /// Steps of the cold run.
    pub cold: Schedule,
    /// Steps of the warm run, those that left its cache included.
    pub warm: Schedule,
}

impl Schedules {
    /// Of a prompt in a scenario. The first turn of a second-turn scenario is run for its answer; what the engine had cached is forgotten.
    ///
    /// # Errors
    /// [`GenerateError::SecondTurnOfText`]; those of encoding and of [`Engine::run`].
    pub async fn new(engine: &mut Engine, prompt: &Prompt, scenario: &Scenario) -> Result<Self, GenerateError> {
        let chunk_rows = engine.chunk_rows();
        let first_ids = engine.encode(prompt).await?;
        match (scenario, prompt) {
            (Scenario::SamePrompt, _) => Ok(Self {
                n_reused: first_ids.len().saturating_sub(1),
                cold: Schedule::cold(first_ids.len(), chunk_rows),
                warm: Schedule::warm_same_prompt(first_ids.len(), chunk_rows),
                ids: first_ids,
            }),
            (Scenario::SecondTurn { follow_up, reply_tokens }, Prompt::Chat { user }) => {
                engine.reset()?;
                let options = RunOptions::tokens(*reply_tokens);
                let first = engine.run(&first_ids, options, &CancelToken::default(), |_| ()).await?;
                let turn = SecondTurn::new(engine, user, &first_ids, &first, follow_up).await?;
                Ok(Self {
                    n_reused: turn.n_reused,
                    cold: Schedule::cold(turn.ids.len(), chunk_rows),
                    warm: turn.warm_schedule(chunk_rows),
                    ids: turn.ids,
                })
            }
            (Scenario::SecondTurn { .. }, _) => Err(GenerateError::SecondTurnOfText),
        }
    }
}
