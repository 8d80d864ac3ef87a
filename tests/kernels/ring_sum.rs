//! The sum of split products.

use lastbit::gpu::wgsl::Target;
use lastbit::model::self_test::ring_sum::RingStep;
use lastbit::numerics::{Accumulation, ActivationFormat, SHARD_COUNTS};

use crate::support::{KV_F16, Tally, arithmetics, floats, variants};
use crate::truth::{self, SUMS, SUMS_IN_F16};

#[test]
fn ring_sum_is_its_twin() {
    for variant in variants() {
        let mut tally = Tally::default();
        for arithmetic in arithmetics() {
            let target = Target { arithmetic, ..variant.target(64, ActivationFormat::F32, KV_F16) };
            let kernel = variant.compile("ring_sum", target.ring_sum());
            let limit = if arithmetic.accumulation == Accumulation::F32 { SUMS } else { SUMS_IN_F16 };
            for n_shards in SHARD_COUNTS {
                for (n_rows, dim) in [(1, 32), (3, 576), (7, 96), (64, 288)] {
                    let step = RingStep::seeded(target, n_rows, dim, n_shards, u64::from(n_shards * n_rows));
                    let what = format!("{arithmetic:?} {n_shards} shards, {n_rows} rows of {dim}");
                    let found = tally.check(&variant, &kernel, &step.case(), step.grid(), &what);
                    let parts = |i: usize| step.partials.iter().map(|part| f64::from(part[i])).sum::<f64>();
                    let stream: Vec<f64> =
                        step.residual.iter().enumerate().map(|(i, x)| f64::from(*x) + parts(i)).collect();
                    let norm = |i: usize| f64::from(step.next_norm[i % dim as usize]);
                    let weighted: Vec<f64> = stream.iter().enumerate().map(|(i, x)| x * norm(i)).collect();
                    let info = floats(&found[1], stream.len() / 8);
                    tally.truth(&floats(&found[2], stream.len()), &stream, limit, &what);
                    truth::activations(&mut tally, arithmetic.activations, &found[0], &info, &weighted, limit, &what);
                }
            }
        }
        tally.print(&variant, "ring_sum");
    }
}
