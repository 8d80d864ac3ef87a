//! Joins the modules of attention.

use super::wgsl::{Target, shader};
use crate::numerics::Reduction;

impl Target {
    fn softmax(&self) -> &'static str {
        match self.softmax {
            Reduction::Sequential => shader!("shared/softmax_sequential"),
            Reduction::Pairwise => shader!("shared/softmax_pairwise"),
            Reduction::WorkgroupTree => shader!("shared/softmax_workgroup_tree"),
            Reduction::Subgroup => shader!("shared/softmax_subgroup"),
        }
    }

    /// Attention over one split of a row's keys.
    pub fn attention_split(&self) -> String {
        let kv_read = self.kv_read();
        let files = [
            shader!("attention_split"),
            shader!("shared/octet"),
            shader!("shared/attention_shape"),
            shader!("shared/step"),
            shader!("shared/blocks"),
            shader!("shared/exact_math"),
            self.softmax(),
            self.lanes.source(),
            &kv_read,
        ];
        self.join("", &files)
    }

    /// Folds the splits.
    pub fn attention_fold(&self) -> String {
        let write = self.write();
        let files = [
            shader!("attention_fold"),
            shader!("shared/attention_shape"),
            shader!("shared/step"),
            shader!("shared/blocks"),
            shader!("shared/exact_math"),
            self.lanes.source(),
            &write,
        ];
        self.join("", &files)
    }
}
