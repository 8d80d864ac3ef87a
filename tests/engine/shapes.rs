//! A prompt in every shape: equal bits in order `invariant` show claim level L2; by shape the same check finds other bits.

use lastbit::compare::shapes::{Shape, answer_in_shape};
use lastbit::compare::{ClaimLevel, ShapeCheck, check_shapes};
use lastbit::generate::{CancelToken, GenerateError};
use lastbit::numerics::{Formats, Order};

use crate::{engine, ids, wide_model};

const N_PROMPT: usize = 70;

const TOKENS: usize = 3;

/// Checks a prompt of `n` tokens; raises the stop sign when so many runs are done. Returns how many were told of.
async fn checked(order: Order, n: usize, stop_after: usize) -> (Option<ShapeCheck>, usize) {
    let mut engine = engine(&wide_model(), Formats::F32, order).await;
    let (prompt, cancel, mut told) = (ids(n, 3), CancelToken::default(), 0);
    let check = check_shapes(&mut engine, &prompt, TOKENS, &cancel, |done, of| {
        assert!(done == told + 1 && done <= of, "{done} of {of}");
        told = done;
        if done == stop_after {
            cancel.cancel();
        }
    });
    (check.await.expect("a check"), told)
}

#[test]
fn every_shape_gives_the_same_bits_in_the_invariant_order_alone() {
    pollster::block_on(async {
        let (check, told) = checked(Order::Invariant, N_PROMPT, usize::MAX).await;
        let check = check.expect("nothing stopped it");
        assert_eq!((check.claim, check.n_differing, check.n_tokens), (Some(ClaimLevel::L2), 0, TOKENS), "{check:?}");
        // Chunks of 1, 7, 16 and 64, ten edges and all but the last token, one and two neighbours (of four sequences in 96 blocks), and all together.
        assert_eq!((check.shapes.len(), told), (4 + 11 + 2 + 1, 19), "{check:?}");

        let (by_shape, _) = checked(Order::ByShape, N_PROMPT, usize::MAX).await;
        let by_shape = by_shape.expect("nothing stopped it");
        assert!(by_shape.claim.is_none() && by_shape.n_differing > 0, "a check that cannot fail: {by_shape:?}");
        let differing = by_shape.shapes.iter().filter(|checked| checked.first_difference.is_some());
        assert_eq!(differing.count(), by_shape.n_differing);
    });
}

#[test]
fn a_stop_claims_nothing_and_keeps_what_was_tried() {
    pollster::block_on(async {
        let (check, told) = checked(Order::Invariant, N_PROMPT, 4).await;
        let check = check.expect("the plain shape was run");
        assert_eq!((check.shapes.len(), check.was_cancelled, check.claim, told), (3, true, None, 4));
    });
}

#[test]
fn what_cannot_be_put_into_a_shape_is_refused() {
    pollster::block_on(async {
        let mut engine = engine(&wide_model(), Formats::F32, Order::Invariant).await;
        let shape = Shape { chunk_rows: 16, reused_tokens: 0, n_neighbours: 0 };
        let empty = answer_in_shape(&mut engine, &[], shape, TOKENS).await;
        assert!(matches!(empty, Err(GenerateError::EmptyPrompt)), "{empty:?}");
        let many = Shape { n_neighbours: 4, ..shape };
        let refused = answer_in_shape(&mut engine, &ids(9, 3), many, TOKENS).await;
        assert!(matches!(refused, Err(GenerateError::Sequences { needed: 5, found: 4 })), "{refused:?}");
        let long = answer_in_shape(&mut engine, &ids(254, 3), shape, TOKENS).await;
        assert!(matches!(long, Err(GenerateError::PromptTooLong { n_tokens: 254, .. })), "{long:?}");
    });
}
