//! Faults put into the forward pass on purpose, to prove that corruption is told from noise (experiment E16).
//!
//! A pass without one dispatches and uploads exactly what it would without this file. Nothing but that experiment and its tests sets one.

use super::ForwardPass;
use crate::gpu::step::AttentionShape;
use crate::numerics::Site;

/// What goes wrong, from the step after it is set until it is taken back.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum InjectedFault {
    /// A site's kernels are not dispatched in one layer: what they should have written keeps its old content.
    SkippedSite {
        /// Layer, from 0.
        layer: u32,
        /// The site.
        site: Site,
    },
    /// The last split of every row's keys is not computed in one layer: the fold reads what an earlier layer left in its place.
    LostSplit {
        /// Layer, from 0.
        layer: u32,
    },
    /// Attention's scores are multiplied by another scale in one layer.
    ScoreScale {
        /// Layer, from 0.
        layer: u32,
        /// Times the right scale.
        factor: f32,
    },
    /// Every row takes itself for a row some positions later; its K and V still go to its own slot.
    PositionOff {
        /// Positions.
        by: u32,
    },
}

impl ForwardPass {
    /// Sets or takes back a fault.
    pub fn inject(&mut self, fault: Option<InjectedFault>) {
        for (layer, block) in (0..).zip(&self.plan.blocks) {
            let (uniform, shape) = &block.attention_shape;
            let factor = match fault {
                Some(InjectedFault::ScoreScale { layer: of, factor }) if of == layer => factor,
                _ => 1.0,
            };
            let shape = AttentionShape { scale: shape.scale * factor, ..*shape };
            self.device.write(uniform, 0, bytemuck::bytes_of(&shape));
        }
        self.fault = fault;
    }

    /// Whether a site is dispatched in a layer.
    pub(super) fn dispatches(&self, layer: u32, site: Site) -> bool {
        self.fault != Some(InjectedFault::SkippedSite { layer, site })
    }

    /// Splits that a layer's attention leaves out.
    pub(super) fn lost_splits(&self, layer: u32) -> u32 {
        u32::from(self.fault == Some(InjectedFault::LostSplit { layer }))
    }

    /// Positions that a row is off by.
    pub(super) fn position_off(&self) -> u32 {
        match self.fault {
            Some(InjectedFault::PositionOff { by }) => by,
            _ => 0,
        }
    }
}
