//! Joins the modules of what stands before, between and behind the matrix products.

use super::wgsl::{OUT_QUADS, Side, Target, WRITE_F32, shader};
use super::wgsl_weights;
use crate::numerics::TieRule;
use crate::quant::TensorType;

impl Target {
    /// Adds what a matmul with the epilogue [`super::wgsl::Epilogue::Partial`] left, and goes on as one with the epilogue for a single
    /// shard does.
    pub fn ring_sum(&self) -> String {
        let write = self.write();
        let mut files = vec![
            shader!("ring_sum"),
            self.accumulate(),
            shader!("shared/step"),
            shader!("shared/shape"),
            shader!("shared/bound"),
            shader!("shared/blocks"),
            shader!("shared/exact_math"),
            self.lanes.source(),
        ];
        if self.architecture.post_norms {
            files.push(shader!("total"));
            files.extend(WRITE_F32);
        } else {
            files.extend([shader!("residual"), &write]);
        }
        self.join(OUT_QUADS, &files)
    }

    /// The norm between a finished product of attn_output or ffn_down and the residual stream.
    pub fn post_norm(&self) -> String {
        let write = self.write();
        let files = [
            shader!("post_norm"),
            shader!("residual"),
            shader!("shared/x_f32"),
            shader!("shared/inverse_rms"),
            self.norm(),
            shader!("shared/step"),
            shader!("shared/shape"),
            shader!("shared/bound"),
            shader!("shared/blocks"),
            shader!("shared/exact_math"),
            self.lanes.source(),
            &write,
        ];
        self.join(&self.constants(), &files)
    }

    /// Norm and rotation of the heads of Q and K.
    pub fn head_norm(&self) -> String {
        let k_write = self.kv_write(&[Side::K]);
        let files = [
            shader!("head_norm"),
            shader!("shared/heads"),
            shader!("shared/x_f32"),
            shader!("shared/norm_sequential"),
            shader!("shared/step"),
            shader!("shared/shape"),
            shader!("shared/blocks"),
            shader!("shared/exact_math"),
            self.lanes.source(),
            &k_write,
        ];
        self.join("", &files)
    }

    /// Token ids to the residual stream.
    pub fn embed(&self, weights: TensorType) -> String {
        let (weights, write) = (wgsl_weights::source(weights), self.write());
        let embedding = if self.architecture.scaled_embedding {
            shader!("shared/embedding_scaled")
        } else {
            shader!("shared/embedding")
        };
        let files = [
            shader!("embed"),
            embedding,
            shader!("shared/accumulate_f32"),
            shader!("shared/step"),
            shader!("shared/shape"),
            shader!("shared/bound"),
            shader!("shared/blocks"),
            shader!("shared/exact_math"),
            self.lanes.source(),
            &weights,
            &write,
        ];
        self.join("", &files)
    }

    fn tie(&self) -> &'static str {
        match self.tie_rule {
            TieRule::LowestId => shader!("shared/tie_lowest_id"),
            TieRule::HighestId => shader!("shared/tie_highest_id"),
            TieRule::LaneOrder => shader!("shared/tie_lane_order"),
        }
    }

    /// Top five and hash of a stretch of logits.
    pub fn top_k_parts(&self) -> String {
        let (hash, tie) = (shader!("shared/hash"), self.tie());
        [shader!("top_k_parts"), hash, shader!("shared/top"), tie, shader!("shared/top_shape")].join("\n")
    }

    /// Top five and hash of a row.
    pub fn top_k_merge(&self) -> String {
        let tie = self.tie();
        [shader!("top_k_merge"), shader!("shared/bound"), shader!("shared/top"), tie, shader!("shared/top_shape")]
            .join("\n")
    }
}
