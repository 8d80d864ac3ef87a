//! What the page asks of the orders of addition, site by site, and what an ablation found.

use serde::{Deserialize, Serialize};

use crate::compare::CompareRequest;
use crate::compare::ablation::{Ablation, AblationCase};
use crate::numerics::{Order, Orders, Site};

/// A comparison's prompt under orders of its own: some sites invariant, the others by shape.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct OrdersRequest {
    /// What the comparison was asked for.
    pub comparison: CompareRequest,
    /// The sites whose order is invariant.
    pub invariant: Vec<Site>,
}

impl OrdersRequest {
    /// The order of each site.
    pub fn orders(&self) -> Orders {
        Orders::all(Order::ByShape).with_all(&self.invariant, Order::Invariant)
    }
}

/// An ablation and its finding.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "Ablation"))]
pub struct AblationReport {
    /// The ablation.
    #[serde(flatten)]
    pub ablation: Ablation,
    /// Single sites that alone make the bits differ.
    pub causes: Vec<&'static str>,
    /// Of these, the sites from which a fork follows.
    pub forks: Vec<&'static str>,
    /// Groups that give equal bits where they are invariant and the rest by shape; smallest first.
    pub removes: Vec<&'static str>,
    /// It was stopped before every group was looked at: the lists above conclude nothing.
    pub was_cancelled: bool,
    /// The finding in a sentence or two.
    pub sentence: String,
}

impl From<Ablation> for AblationReport {
    fn from(ablation: Ablation) -> Self {
        let group = |case: &AblationCase| case.group;
        Self {
            causes: ablation.enough_to_cause().map(group).collect(),
            forks: ablation.enough_to_fork().map(group).collect(),
            removes: ablation.enough_to_remove().map(group).collect(),
            was_cancelled: !ablation.is_complete(),
            sentence: ablation.sentence(),
            ablation,
        }
    }
}
