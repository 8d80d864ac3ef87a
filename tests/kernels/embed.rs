//! The embedding.

use lastbit::architecture::Architecture;
use lastbit::gpu::wgsl::Target;
use lastbit::model::self_test::embed::EmbedStep;
use lastbit::numerics::ActivationFormat;
use lastbit::quant::TensorType;

use crate::support::{ACTIVATIONS, KV_F16, Tally, floats, variants};
use crate::truth::{self, ELEMENTWISE, SUMS};

#[test]
fn embed_is_its_twin() {
    for variant in variants() {
        let mut tally = Tally::default();
        let variant_is_own = variant.own;
        let pairs = TensorType::all().enumerate().flat_map(|(i, weights)| {
            let some = move |j: &usize| variant_is_own || (i + j).is_multiple_of(3);
            (0..3).filter(some).map(move |j| (weights, ACTIVATIONS[j]))
        });
        for (weights, activations) in pairs {
            let architecture = [Architecture::LLAMA, Architecture::GEMMA3][weights as usize % 2];
            let target = Target { architecture, ..variant.target(64, activations, KV_F16) };
            let kernel = variant.compile("embed", target.embed(weights));
            let cases =
                [(1, 1, 32), (3, 33, 96), (4, 31, 576), (5, 70, 64), (33, 100, 288), (64, 257, 640), (128, 65, 320)];
            for (n_rows, n_vocab, dim) in cases {
                let dim = u32::next_multiple_of(dim, weights.run_len() as u32);
                let step = EmbedStep::seeded(weights, target, n_rows, n_vocab, dim, u64::from(n_rows));
                let what = format!("{weights} {activations:?} {n_rows} rows of {dim}");
                let found = tally.check(&variant, &kernel, &step.case(), step.grid(), &what);
                let table = step.matrix();
                let stream: Vec<f64> = step
                    .tokens
                    .iter()
                    .flat_map(|&token| table.row_blocks(token as usize))
                    .flat_map(|block| block.exact_values())
                    .map(|value| value * f64::from(step.scale().unwrap_or(1.0)))
                    .collect();
                let weighted: Vec<f64> =
                    stream.iter().enumerate().map(|(i, x)| x * f64::from(step.next_norm[i % dim as usize])).collect();
                let info = floats(&found[1], stream.len() / 8);
                tally.truth(&floats(&found[2], stream.len()), &stream, ELEMENTWISE, &what);
                truth::activations(&mut tally, activations, &found[0], &info, &weighted, SUMS, &what);
                if activations == ActivationFormat::F32 {
                    tally.truth(&floats(&found[0], stream.len()), &weighted, ELEMENTWISE, &what);
                }
                let squares: Vec<f64> = stream.chunks(32).map(|block| block.iter().map(|x| x * x).sum()).collect();
                let sums: Vec<f32> = info.iter().skip(2).step_by(4).copied().collect();
                tally.truth(&sums, &squares, ELEMENTWISE, &what);
            }
        }
        tally.print(&variant, "embed");
    }
}

#[test]
fn a_table_in_several_buffers_is_a_table() {
    for variant in variants() {
        let mut tally = Tally::default();
        for activations in ACTIVATIONS {
            let target = variant.target(64, activations, KV_F16);
            let kernel = variant.compile("embed", target.embed(TensorType::Q8_0));
            for panels in [0..3, 3..6, 6..8, 0..8] {
                let step = EmbedStep::seeded(TensorType::Q8_0, target, 9, 250, 96, 7).part(panels);
                tally.check(&variant, &kernel, &step.case(), step.grid(), "tokens of one part of three");
            }
        }
        tally.print(&variant, "embed in parts");
    }
}
