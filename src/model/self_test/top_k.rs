//! The best logits of some rows: stretches first, then whole rows.

use super::case::{Case, Input, Output, POISON, Words};
use crate::gpu::step::{PART_LOGITS, Top, TopShape};
use crate::numerics::TieRule;
use crate::reference::top_k::{NO_TOKEN, TopK, mix, top_k};

/// Stretches that one workgroup of top_k_parts looks at.
const PARTS_PER_WORKGROUP: u32 = 8;

/// Rows of logits.
#[derive(Debug, Clone)]
pub struct TopStep {
    /// Vocabulary.
    pub n_vocab: u32,
    /// The logits. // [row, n_vocab]
    pub logits: Vec<f32>,
    /// Which of equal logits comes first.
    pub tie_rule: TieRule,
}

impl TopStep {
    fn shape(&self) -> TopShape {
        let n_parts = self.n_vocab.div_ceil(PART_LOGITS);
        TopShape { n_vocab: self.n_vocab, n_padded: self.n_vocab.next_multiple_of(32), n_parts, unused: 0 }
    }

    fn rows(&self) -> impl Iterator<Item = &[f32]> {
        self.logits.chunks_exact(self.n_vocab as usize)
    }

    fn n_rows(&self) -> u32 {
        self.logits.len() as u32 / self.n_vocab
    }

    /// Workgroups of top_k_parts.
    pub fn parts_grid(&self) -> (u32, u32, u32) {
        (self.shape().n_parts.div_ceil(PARTS_PER_WORKGROUP), self.n_rows(), 1)
    }

    /// Workgroups of top_k_merge.
    pub fn merge_grid(&self) -> (u32, u32, u32) {
        (self.n_rows(), 1, 1)
    }

    /// top_k_parts: the padding of each row is poison and must not count.
    pub fn parts_case(&self) -> Case {
        let n_padded = self.shape().n_padded as usize;
        let mut padded = vec![POISON; self.n_rows() as usize * n_padded];
        for (to, from) in padded.chunks_exact_mut(n_padded).zip(self.rows()) {
            for (to, from) in to.iter_mut().zip(from) {
                *to = from.to_bits();
            }
        }
        self.case(bytemuck::cast_slice(&padded), "parts", self.parts())
    }

    /// top_k_merge on the twin's stretches.
    pub fn merge_case(&self) -> Case {
        let rows = self.rows().map(|row| top_from(&top_k(row, self.tie_rule))).collect();
        self.case(bytemuck::cast_slice(&self.parts()), "result", rows)
    }

    fn case(&self, input: &[u8], name: &'static str, tops: Vec<Top>) -> Case {
        let inputs = vec![Input::uniform(1, bytemuck::bytes_of(&self.shape())), Input::storage(2, input)];
        let words = bytemuck::cast_slice(&tops).to_vec();
        Case { inputs, outputs: vec![Output::filled(3, name, Words::Exact, words)], limit: 0.0 }
    }

    /// Every stretch by the twin. // [row, n_parts]
    fn parts(&self) -> Vec<Top> {
        let of_part = |(part, logits): (usize, &[f32])| {
            let first = part as u32 * PART_LOGITS;
            let mut top = top_from(&top_k(logits, self.tie_rule));
            for id in top.ids.iter_mut().filter(|id| **id != NO_TOKEN) {
                *id += first;
            }
            top.hash = [0, 1, 2, 3].map(|lane| {
                let hashes = (first..).zip(logits).map(|(i, logit)| mix(logit.to_bits(), i, lane));
                hashes.fold(0, u32::wrapping_add)
            });
            top
        };
        self.rows().flat_map(|row| row.chunks(PART_LOGITS as usize).enumerate().map(of_part)).collect()
    }
}

fn top_from(twin: &TopK) -> Top {
    Top {
        ids: twin.entries.map(|entry| entry.0),
        values: twin.entries.map(|entry| entry.1),
        hash: twin.hash,
        not_finite: u32::from(twin.not_finite),
        unused: 0,
    }
}
