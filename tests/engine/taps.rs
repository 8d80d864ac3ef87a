//! Taps on a pair of runs: nothing differs where nothing was computed differently, and what differs is told as the values say.

use lastbit::model::{
    ForwardPass, KvLayerDifferences, KvPositionDifference, KvSlot, ModelError, Outputs, Tap, TapRun, TapTensor,
    TappedRow,
};
use lastbit::numerics::{Formats, Order};
use lastbit::reference::tap::{difference, hash};
use lastbit::tiny_model::TinyModel;

use crate::{engine, ids, rows, wide_model};

/// Tokens of the prompt; the last one is computed again, alone.
const N: usize = 33;

/// First cache block of each sequence.
const FIRST_BLOCKS: [u32; 2] = [0, 16];

/// The prompt in one step in sequence 0, tapped at its last row; in sequence 1 the same, and then its last position alone, tapped.
async fn cold_and_warm(pass: &mut ForwardPass, tokens: &[u32]) -> [Vec<Tap>; 2] {
    for (sequence, first) in (0..).zip(FIRST_BLOCKS) {
        pass.set_block_table(sequence, 0, &(first..first + 16).collect::<Vec<_>>());
    }
    let last = TappedRow { row: N as u32 - 1, run: TapRun::First };
    let cold = pass.forward_tapped(&rows(0, 0, tokens, FIRST_BLOCKS[0]), Outputs::Last, last).await.expect("a step");
    pass.forward(&rows(1, 0, tokens, FIRST_BLOCKS[1]), Outputs::None).await.expect("a step");
    let alone = TappedRow { row: 0, run: TapRun::Second };
    let row = rows(1, N - 1, &tokens[N - 1..], FIRST_BLOCKS[1]);
    let warm = pass.forward_tapped(&row, Outputs::Last, alone).await.expect("a step");
    [cold.1, warm.1]
}

fn differs(tap: &Tap) -> bool {
    !tap.difference.expect("the second run is compared").is_none()
}

async fn kv_difference(pass: &mut ForwardPass) -> Vec<KvLayerDifferences> {
    pass.kv_difference([0, 1], N as u32).await.expect("a comparison")
}

#[test]
fn by_shape_the_queries_of_the_first_layer_are_the_first_to_differ() {
    pollster::block_on(async {
        for formats in Formats::ALL {
            let mut engine = engine(&wide_model(), formats, Order::ByShape).await;
            let n_layers = engine.model().config.n_blocks as usize;
            let pass = engine.pass();
            let [cold, warm] = cold_and_warm(pass, &ids(N, 3)).await;
            assert_eq!((cold.len(), warm.len()), (7 * n_layers + 1, 7 * n_layers + 1));
            assert!(cold.iter().all(|tap| tap.difference.is_none()), "the first run has nothing to be compared with");
            let first = warm.iter().find(|tap| differs(tap)).expect("the orders differ");
            assert_eq!((first.layer, first.tensor), (Some(0), TapTensor::Q), "{formats:?}");

            for (cold, warm) in cold.iter().zip(&warm) {
                let [a, b] = pass.tapped_values(warm.layer, warm.tensor).await.expect("the tape");
                assert_eq!((cold.hash, warm.hash), (hash(&a), hash(&b)), "{warm:?}");
                assert_eq!(warm.difference, Some(difference(&b, &a)), "{warm:?}");
                assert_eq!(differs(warm), cold.hash != warm.hash, "{warm:?}");
            }

            let layers = kv_difference(pass).await;
            assert_eq!(layers.len(), n_layers);
            let mut all = layers.iter().flat_map(|layer| layer.k.iter().chain(&layer.v));
            assert!(all.all(|found| found.row.is_none() == (found.relative_l2 == 0.0)), "{formats:?}");
            for (layer, found) in (0..).zip(&layers) {
                for (tensor, positions) in [(TapTensor::K, &found.k), (TapTensor::V, &found.v)] {
                    let at = format!("{formats:?}, layer {layer}, {tensor:?}");
                    assert_eq!(positions.len(), N);
                    assert!(positions[..N - 1].iter().all(|found| *found == KvPositionDifference::default()), "{at}");
                    let tapped = warm.iter().find(|tap| (tap.layer, tap.tensor) == (Some(layer), tensor));
                    assert_eq!(Some(positions[N - 1].row), tapped.and_then(|tap| tap.difference), "{at}");
                }
            }
            // A coarser cache may round what differed to the same values.
            if formats == Formats::F32 {
                assert!(layers.iter().all(|layer| !layer.k[N - 1].row.is_none()), "keys of every layer differ");
            }

            // The cache holds what was tapped when it was written.
            for (block, run, of_the_step) in [(2, TapRun::First, &cold), (18, TapRun::Second, &warm)] {
                let cached = pass.tap_cached(KvSlot::new(block, N as u32 - 1), run).await.expect("a tap");
                let kv = |tap: &&Tap| matches!(tap.tensor, TapTensor::K | TapTensor::V);
                assert_eq!(cached, of_the_step.iter().filter(kv).copied().collect::<Vec<_>>());
            }
        }
    });
}

#[test]
fn invariant_no_tensor_of_any_layer_differs() {
    pollster::block_on(async {
        for formats in Formats::ALL {
            let mut engine = engine(&wide_model(), formats, Order::Invariant).await;
            let [_, warm] = cold_and_warm(engine.pass(), &ids(N, 3)).await;
            let differing: Vec<&Tap> = warm.iter().filter(|tap| differs(tap)).collect();
            assert!(differing.is_empty(), "{formats:?}: {differing:?}");
            let layers = kv_difference(engine.pass()).await;
            let mut found = layers.iter().flat_map(|layer| layer.k.iter().chain(&layer.v));
            assert!(found.all(|found| *found == KvPositionDifference::default()));
        }
    });
}

#[test]
fn the_logits_are_tapped_where_they_are_wanted() {
    pollster::block_on(async {
        let mut engine = engine(&TinyModel::default().gguf_bytes(), Formats::Int8, Order::ByShape).await;
        let pass = engine.pass();
        pass.set_block_table(0, 0, &[0]);
        let step = rows(0, 0, &ids(6, 1), 0);
        for (outputs, row, expected) in
            [(Outputs::None, 5, false), (Outputs::Last, 4, false), (Outputs::Last, 5, true), (Outputs::All, 0, true)]
        {
            let tapped = TappedRow { row, run: TapRun::First };
            let (tops, taps) = pass.forward_tapped(&step, outputs, tapped).await.expect("a step");
            let logits = taps.iter().find(|tap| tap.tensor == TapTensor::Logits);
            assert_eq!(logits.is_some(), expected, "{outputs:?}, row {row}");
            if let Some(logits) = logits {
                let of_row = if tops.len() == 1 { tops[0] } else { tops[row as usize] };
                assert_eq!(logits.hash, of_row.hash, "the hash of the top five is that of the tap");
            }
        }
    });
}

#[test]
fn a_row_that_is_not_there_and_a_lost_device_are_errors() {
    pollster::block_on(async {
        let mut engine = engine(&TinyModel::default().gguf_bytes(), Formats::Int8, Order::ByShape).await;
        let device = engine.device().clone();
        let pass = engine.pass();
        pass.set_block_table(0, 0, &[0]);
        let step = rows(0, 0, &ids(3, 1), 0);
        let tapped = |row| TappedRow { row, run: TapRun::First };
        let error = pass.forward_tapped(&step, Outputs::Last, tapped(3)).await.expect_err("three rows, from 0");
        assert!(matches!(error, ModelError::TappedRow { row: 3, n_rows: 3 }), "{error}");
        let error = pass.kv_difference([0, 1], 257).await.expect_err("256 positions");
        assert!(matches!(error, ModelError::Position { position: 256, context_len: 256 }), "{error}");
        pass.forward_tapped(&step, Outputs::Last, tapped(2)).await.expect("a step");
        device.lose();
        let error = pass.forward_tapped(&step, Outputs::Last, tapped(2)).await.expect_err("nothing is there");
        assert_eq!(lastbit::error::explain_model(&error).code, "device-lost", "{error}");
    });
}
