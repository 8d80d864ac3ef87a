//! The best five, the hash, and whether every logit is a number.

use lastbit::gpu::wgsl::Target;
use lastbit::model::self_test::seeded::Seeded;
use lastbit::model::self_test::top_k::TopStep;
use lastbit::numerics::{ActivationFormat, TieRule};

use crate::support::{KV_F16, Tally, variants};

/// Logits with and without equals, odd values among them.
fn steps(tie_rule: TieRule) -> Vec<(String, TopStep)> {
    let mut steps: Vec<(String, TopStep)> = Vec::new();
    for n_vocab in [1_u32, 4, 5, 6, 31, 255, 256, 257, 511, 1000, 2048, 2049, 5001] {
        for n_rows in [1, 3, 33] {
            let mut seeded = Seeded::new(u64::from(n_vocab));
            let smooth = seeded.normals((n_vocab * n_rows) as usize);
            let tied: Vec<f32> = smooth.iter().map(|v| (3.0 * v).round()).collect();
            steps.push((format!("{n_rows} rows of {n_vocab}"), TopStep { n_vocab, logits: smooth, tie_rule }));
            steps.push((format!("{n_rows} rows of {n_vocab} with ties"), TopStep { n_vocab, logits: tied, tie_rule }));
        }
    }
    // No subnormals: a device may take them for zero when it compares (SwiftShader does), and no logit is that small.
    let odd = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MIN, f32::MAX, -0.0, 0.0, 1e-37, -f32::NAN];
    for n_vocab in [1_u32, 3, 7, 300] {
        let mut seeded = Seeded::new(77);
        let n = (n_vocab * 9) as usize;
        // A third of them odd, and rows of nothing else.
        let logits = (0..n).map(|i| {
            let pick = odd[seeded.below(odd.len() as u32) as usize];
            if i < n / 3 || seeded.below(3) == 0 { pick } else { seeded.normal() }
        });
        steps.push((format!("odd values in {n_vocab}"), TopStep { n_vocab, logits: logits.collect(), tie_rule }));
    }
    steps
        .push(("zeros of both signs".to_owned(), TopStep { n_vocab: 4, logits: vec![-0.0, 0.0, -0.0, 0.0], tie_rule }));
    steps.push(("all equal".to_owned(), TopStep { n_vocab: 2000, logits: vec![1.5; 2000], tie_rule }));
    steps
}

#[test]
fn top_k_is_its_twin_under_every_tie_rule() {
    for variant in variants() {
        let mut tally = Tally::default();
        for tie_rule in [TieRule::LowestId, TieRule::HighestId, TieRule::LaneOrder] {
            let target = Target { tie_rule, ..variant.target(64, ActivationFormat::F32, KV_F16) };
            let parts = variant.compile("top_k_parts", target.top_k_parts());
            let merge = variant.compile("top_k_merge", target.top_k_merge());
            for (what, step) in &steps(tie_rule) {
                tally.check(&variant, &parts, &step.parts_case(), step.parts_grid(), what);
                tally.check(&variant, &merge, &step.merge_case(), step.merge_grid(), what);
            }
        }
        tally.print(&variant, "top_k");
    }
}
