//! One answer in other shapes: the prompt computed in other chunks, behind other reuse, beside other sequences.
//!
//! Nothing of this may change a bit of the answer where the order of addition is invariant; by shape it may. A check runs the prompt in
//! the engine's own chunks first and holds every other shape against that, the logits of every token bit for bit.

use serde::Serialize;

use super::claim::ClaimLevel;
use super::replay::{Lane, Schedule};
use crate::generate::{CancelToken, Engine, GenerateError};
use crate::model::Outputs;
use crate::numerics::{Order, Orders};
use crate::tokenizer::TokenId;

/// Tokens of each answer of a check: enough for a difference to come through the cache into later steps.
pub const SHAPE_TOKENS: usize = 8;

/// Rows of a prefill step.
const CHUNKS: [usize; 4] = [1, 7, 16, 64];

/// Reuse lengths around the edges of blocks (16) and of attention tiles (64).
pub(crate) const REUSE_EDGES: [usize; 10] = [1, 15, 16, 17, 31, 32, 33, 63, 64, 65];

/// Rows of other sequences in every step.
pub(crate) const NEIGHBOURS: [u32; 4] = [1, 2, 4, 8];

/// How a prompt and its answer are computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub struct Shape {
    /// Rows of the prompt in one step, at most; with the neighbours no more than the engine's.
    pub chunk_rows: usize,
    /// Prompt tokens that are taken from the cache, where a cold run has left them.
    pub reused_tokens: usize,
    /// Rows of other sequences in every step.
    pub n_neighbours: u32,
}

/// The tokens of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShapedAnswer {
    /// The tokens.
    pub ids: Vec<TokenId>,
    /// Hash of the logits of each.
    pub hashes: Vec<[u32; 4]>,
}

/// The answer to a prompt in a shape, of `max_tokens` tokens. What was cached is forgotten.
///
/// # Errors
/// [`GenerateError::EmptyPrompt`]; [`GenerateError::Sequences`] where the engine holds fewer sequences than the shape needs;
/// [`GenerateError::PromptTooLong`] where each has too little room; GPU errors.
pub async fn answer_in_shape(
    engine: &mut Engine,
    prompt: &[TokenId],
    shape: Shape,
    max_tokens: usize,
) -> Result<ShapedAnswer, GenerateError> {
    if prompt.is_empty() {
        return Err(GenerateError::EmptyPrompt);
    }
    let lanes = Lane::all(engine, shape.n_neighbours + 1)?;
    let most_positions = lanes[0].most_positions();
    if prompt.len() + max_tokens > most_positions {
        let context_len = u32::try_from(most_positions).unwrap_or(u32::MAX);
        return Err(GenerateError::PromptTooLong { n_tokens: prompt.len(), context_len });
    }
    let most_rows = engine.chunk_rows().saturating_sub(shape.n_neighbours as usize).max(1);
    let chunk_rows = shape.chunk_rows.min(most_rows);
    let schedule = match shape.reused_tokens {
        0 => Schedule::cold(prompt.len(), chunk_rows),
        n_reused => Schedule::warm(prompt.len(), n_reused, chunk_rows),
    };
    let mut step = Step { lanes: &lanes, n_done: 0 };
    let mut answer = ShapedAnswer { ids: Vec::new(), hashes: Vec::new() };
    let mut all = prompt.to_vec();
    for positions in schedule.steps() {
        let (id, hash) = step.forward(engine, positions.start, &all[positions.clone()]).await?;
        if positions.end == prompt.len() {
            answer = ShapedAnswer { ids: vec![id], hashes: vec![hash] };
        }
    }
    while answer.ids.len() < max_tokens {
        let from = all.len();
        all.push(answer.ids[answer.ids.len() - 1]);
        let (id, hash) = step.forward(engine, from, &all[from..]).await?;
        answer.ids.push(id);
        answer.hashes.push(hash);
    }
    Ok(answer)
}

/// Steps of one sequence with a row of each other sequence in front.
struct Step<'a> {
    lanes: &'a [Lane],
    n_done: usize,
}

impl Step<'_> {
    /// The choice after the last of `ids`, and the hash of its logits.
    async fn forward(
        &mut self,
        engine: &mut Engine,
        from: usize,
        ids: &[TokenId],
    ) -> Result<(TokenId, [u32; 4]), GenerateError> {
        let (own, others) = self.lanes.split_first().expect("at least the sequence itself");
        let mut rows = Vec::new();
        for (i, other) in others.iter().enumerate() {
            // Any ids of the vocabulary will do; the others go on by one position a step, and begin again when they are full.
            let token = u32::try_from(3 + (self.n_done * 7 + i * 31) % 250).expect("a small number");
            rows.extend(other.rows(self.n_done % other.most_positions(), &[token]));
        }
        rows.extend(own.rows(from, ids));
        self.n_done += 1;
        let top = engine.pass().forward(&rows, Outputs::Last).await?[0];
        Ok((top.ids[0], top.hash))
    }
}

/// A shape beside the plain one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub struct CheckedShape {
    /// The shape.
    pub shape: Shape,
    /// Number of the first token whose logits differ in a bit; none where none does.
    pub first_difference: Option<usize>,
}

/// Whether a prompt's answer is the same in every shape.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub struct ShapeCheck {
    /// The shape that all are held against: a cold run in the engine's own chunks.
    pub plain: Shape,
    /// Tokens whose logits were compared in each.
    pub n_tokens: usize,
    /// Each shape that was tried.
    pub shapes: Vec<CheckedShape>,
    /// Shapes of which a bit differs.
    pub n_differing: usize,
    /// [`ClaimLevel::L2`] where every shape has the plain one's bits, in an order that promises it.
    pub claim: Option<ClaimLevel>,
    /// It was stopped before every shape was tried.
    pub was_cancelled: bool,
}

/// The shapes in which a prompt is checked: chunks, reuse lengths and neighbours, each alone, then all together.
/// Those with more neighbours than `most_neighbours` are left out.
pub fn shapes(n_prompt: usize, chunk_rows: usize, most_neighbours: u32) -> Vec<Shape> {
    let plain = plain(chunk_rows);
    let most_reused = n_prompt.saturating_sub(1);
    let mut shapes = Vec::new();
    let chunks = CHUNKS.into_iter().filter(|rows| *rows < chunk_rows.min(n_prompt));
    shapes.extend(chunks.map(|chunk_rows| Shape { chunk_rows, ..plain }));
    let reuse = REUSE_EDGES.into_iter().filter(|n| *n < most_reused).chain((most_reused > 0).then_some(most_reused));
    shapes.extend(reuse.map(|reused_tokens| Shape { reused_tokens, ..plain }));
    let neighbours = || NEIGHBOURS.into_iter().filter(|n| *n <= most_neighbours && (*n as usize) < chunk_rows);
    shapes.extend(neighbours().map(|n_neighbours| Shape { n_neighbours, ..plain }));
    let mixed = neighbours().next_back().map(|n_neighbours| Shape {
        chunk_rows: chunk_rows.min(16),
        reused_tokens: most_reused.min(33),
        n_neighbours,
    });
    shapes.extend(mixed.filter(|shape| shape.reused_tokens > 0));
    shapes
}

/// A cold run in chunks of so many rows.
fn plain(chunk_rows: usize) -> Shape {
    Shape { chunk_rows, reused_tokens: 0, n_neighbours: 0 }
}

/// Runs a prompt in the engine's own chunks, then in every other shape, up to `max_tokens` tokens each; `on_shape` hears how many of how
/// many runs are done. What was cached is forgotten. None where it was stopped before there was anything to hold the shapes against.
///
/// # Errors
/// As [`answer_in_shape`].
pub async fn check_shapes(
    engine: &mut Engine,
    prompt: &[TokenId],
    max_tokens: usize,
    cancel: &CancelToken,
    mut on_shape: impl FnMut(usize, usize),
) -> Result<Option<ShapeCheck>, GenerateError> {
    let chunk_rows = engine.chunk_rows();
    let capacity = engine.pass().capacity();
    let has_room = |n: &u32| Lane::room(capacity, n + 1).1 >= prompt.len() + max_tokens;
    let most_neighbours = (0..capacity.n_sequences).take_while(has_room).last().unwrap_or(0);
    let (plain, tried) = (plain(chunk_rows), shapes(prompt.len(), chunk_rows, most_neighbours));
    if cancel.is_cancelled() {
        return Ok(None);
    }
    let expected = answer_in_shape(engine, prompt, plain, max_tokens).await?;
    on_shape(1, 1 + tried.len());
    let mut checked = Vec::new();
    for &shape in &tried {
        if cancel.is_cancelled() {
            break;
        }
        let found = answer_in_shape(engine, prompt, shape, max_tokens).await?;
        let first_difference = found.hashes.iter().zip(&expected.hashes).position(|(a, b)| a != b);
        checked.push(CheckedShape { shape, first_difference });
        on_shape(1 + checked.len(), 1 + tried.len());
    }
    let was_cancelled = checked.len() < tried.len();
    Ok(Some(ShapeCheck {
        plain,
        n_tokens: expected.ids.len(),
        n_differing: checked.iter().filter(|checked| checked.first_difference.is_some()).count(),
        claim: claim(&checked, was_cancelled, engine.numerics().orders),
        shapes: checked,
        was_cancelled,
    }))
}

/// Equal bits are a rule only in the invariant order, and only where each kind of shape was put to the test.
fn claim(checked: &[CheckedShape], was_cancelled: bool, orders: Orders) -> Option<ClaimLevel> {
    let was_tried = |is_of_kind: fn(&Shape) -> bool| checked.iter().any(|checked| is_of_kind(&checked.shape));
    let all_kinds = was_tried(|shape| shape.reused_tokens == 0 && shape.n_neighbours == 0)
        && was_tried(|shape| shape.reused_tokens > 0)
        && was_tried(|shape| shape.n_neighbours > 0);
    let all_equal = checked.iter().all(|checked| checked.first_difference.is_none());
    let holds = all_kinds && all_equal && !was_cancelled && orders == Orders::all(Order::Invariant);
    holds.then_some(ClaimLevel::L2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_go_along_each_axis_and_all_together() {
        let of = |n_prompt, chunk_rows, most_neighbours| {
            let shapes = shapes(n_prompt, chunk_rows, most_neighbours);
            shapes.iter().map(|s| (s.chunk_rows, s.reused_tokens, s.n_neighbours)).collect::<Vec<_>>()
        };
        let expected = [
            (1, 0, 0),
            (7, 0, 0),
            (16, 0, 0),
            (32, 1, 0),
            (32, 15, 0),
            (32, 16, 0),
            (32, 17, 0),
            (32, 19, 0),
            (32, 0, 1),
            (16, 19, 1),
        ];
        assert_eq!(of(20, 32, 1), expected);
        let of_one_token = of(1, 32, 1);
        assert_eq!(of_one_token, [(32, 0, 1)], "one token has no chunks and no reuse");
        assert_eq!(of(3, 32, 0), [(1, 0, 0), (32, 1, 0), (32, 2, 0)]);
    }

    #[test]
    fn the_level_takes_every_kind_of_shape_equal_in_the_invariant_order() {
        let checked = |first_difference| -> Vec<CheckedShape> {
            shapes(20, 32, 1).into_iter().map(|shape| CheckedShape { shape, first_difference }).collect()
        };
        let invariant = Orders::all(Order::Invariant);
        assert_eq!(claim(&checked(None), false, invariant), Some(ClaimLevel::L2));
        assert_eq!(claim(&checked(None), true, invariant), None, "it was stopped");
        assert_eq!(claim(&checked(Some(3)), false, invariant), None, "a bit differs");
        assert_eq!(claim(&checked(None), false, Orders::all(Order::ByShape)), None, "one prompt's luck");
        let alone: Vec<CheckedShape> = checked(None).into_iter().filter(|c| c.shape.n_neighbours == 0).collect();
        assert_eq!(claim(&alone, false, invariant), None, "no neighbours were tried");
    }
}
