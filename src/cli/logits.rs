//! `lastbit logits`: a text is fed as it is, and after every position the largest logits are written down.
//!
//! The ids are given and not chosen, so that results of other engines can be compared position by position.

use clap::Args;
use serde::Serialize;
use serde_json::json;

use super::failure::{Ended, Failure};
use super::numerics::NumericsArgs;
use super::output::print_json;
use super::start::ModelArgs;
use crate::cache::BLOCK_TOKENS;
use crate::generate::{Engine, EngineOptions, GenerateError, Prompt};
use crate::model::{Outputs, Row};
use crate::tokenizer::TokenId;

/// What to feed and what to write down.
#[derive(Debug, Args)]
pub(super) struct LogitsArgs {
    #[command(flatten)]
    input: InputArgs,
    /// How many of the largest logits per position
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1000))]
    top: u32,
    #[command(flatten)]
    numerics: NumericsArgs,
    #[command(flatten)]
    model: ModelArgs,
}

/// One of three.
#[derive(Debug, Clone, Args)]
#[group(required = true, multiple = false)]
struct InputArgs {
    /// Token ids, separated by commas
    #[arg(long, value_name = "IDS", value_delimiter = ',')]
    ids: Option<Vec<TokenId>>,
    /// Text as it is
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    text: Option<String>,
    /// Chat message, put into the model's template
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    chat: Option<String>,
}

/// The largest logits after one position, largest first, equal ones by id.
#[derive(Debug, Serialize)]
struct Position {
    position: usize,
    id: TokenId,
    text: String,
    top_ids: Vec<TokenId>,
    top_logits: Vec<f32>,
}

/// Feeds the ids and prints JSON.
pub(super) async fn run(args: &LogitsArgs) -> Result<Ended, Failure> {
    let (numerics, options) = (args.numerics.numerics()?, EngineOptions::default());
    let checked = args.model.checked()?;
    let ids = match &args.input {
        InputArgs { ids: Some(ids), .. } => ids.clone(),
        InputArgs { chat: Some(user), .. } => checked.ids(&Prompt::Chat { user: user.clone() }).await?,
        InputArgs { text, .. } => checked.ids(&Prompt::Complete { text: text.clone().unwrap_or_default() }).await?,
    };
    // Nothing is answered here: the last position may be one of the text.
    check_len(&ids, checked.context_len(options))?;
    let mut engine = checked.engine(numerics, options).await?;
    let positions = teacher_forced(&mut engine, &ids, args.top as usize).await?;
    print_json(&json!({
        "device": engine.device().report(),
        "formats": args.numerics.formats,
        "order": args.numerics.order,
        "numerics": engine.numerics(),
        "weights_method": engine.numerics().weights.method(),
        "positions": positions,
    }))?;
    Ok(Ended::Fine)
}

fn check_len(ids: &[TokenId], context_len: u32) -> Result<(), GenerateError> {
    match ids.len() {
        0 => Err(GenerateError::EmptyPrompt),
        n_tokens if n_tokens > context_len as usize => Err(GenerateError::PromptTooLong { n_tokens, context_len }),
        _ => Ok(()),
    }
}

async fn teacher_forced(engine: &mut Engine, ids: &[TokenId], n_top: usize) -> Result<Vec<Position>, Failure> {
    let chunk_rows = engine.numerics().chunk_rows as usize;
    let tokenizer = engine.tokenizer().clone();
    let pass = engine.pass();
    let count = |n: usize| u32::try_from(n).expect("at most the context's length");
    let blocks: Vec<u32> = (0..count(ids.len().div_ceil(BLOCK_TOKENS))).collect();
    pass.set_block_table(0, 0, &blocks);
    let mut positions = Vec::with_capacity(ids.len());
    for (chunk, tokens) in ids.chunks(chunk_rows).enumerate() {
        let mut rows = Vec::with_capacity(tokens.len());
        for (i, &token) in tokens.iter().enumerate() {
            let position = chunk * chunk_rows + i;
            rows.push(Row { sequence: 0, position: count(position), token, block: blocks[position / BLOCK_TOKENS] });
        }
        pass.forward(&rows, Outputs::All).await?;
        for (row, logits) in rows.iter().zip(pass.read_logits(count(rows.len())).await?) {
            let (top_ids, top_logits) = largest(&logits, n_top);
            let (position, text) = (row.position as usize, tokenizer.token_text(row.token));
            positions.push(Position { position, id: row.token, text, top_ids, top_logits });
        }
    }
    Ok(positions)
}

/// Ids and values of the `n` largest logits: value descending, then id ascending.
fn largest(logits: &[f32], n: usize) -> (Vec<TokenId>, Vec<f32>) {
    let mut pairs: Vec<(TokenId, f32)> = (0..).zip(logits.iter().copied()).collect();
    let order = |a: &(TokenId, f32), b: &(TokenId, f32)| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0));
    if n < pairs.len() {
        pairs.select_nth_unstable_by(n, order);
        pairs.truncate(n);
    }
    pairs.sort_unstable_by(order);
    pairs.into_iter().unzip()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_logits_are_ordered_by_id() {
        let logits = [1.0, 5.0, -2.0, 5.0, 3.0, 5.0];
        assert_eq!(largest(&logits, 4), (vec![1, 3, 5, 4], vec![5.0, 5.0, 5.0, 3.0]));
        assert_eq!(largest(&logits, 2).0, [1, 3]);
        assert_eq!(largest(&logits, 99).0, [1, 3, 5, 4, 0, 2]);
    }
}
