//! In which order sums are added, chosen for every site of the forward pass on its own.

use serde::{Deserialize, Serialize};

/// In which order sums are added.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    /// As engines do for speed: vector kernel for few rows, tiled kernel for many, attention splits by KV length.
    ByShape,
    /// One order per sum, whatever the shape.
    Invariant,
    /// The order of the by-shape kernel for few rows, forced on every row count.
    Vector,
    /// The order of the by-shape kernel for many rows, forced on every row count.
    Tiled,
}

impl Order {
    /// The name in records and on screen.
    pub fn name(self) -> &'static str {
        match self {
            Self::ByShape => "by-shape",
            Self::Invariant => "invariant",
            Self::Vector => "vector",
            Self::Tiled => "tiled",
        }
    }
}

/// A place of the forward pass where sums are added, as it recurs in every layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Site {
    /// Projections to Q, K and V.
    AttnQkv,
    /// Softmax(Q K^T) V.
    Attention,
    /// Projection of attention's output onto the residual stream.
    AttnOutput,
    /// Gate and up projections of the feed-forward.
    FfnGateUp,
    /// Down projection of the feed-forward onto the residual stream.
    FfnDown,
    /// The output head.
    Output,
}

impl Site {
    /// All of them, in order of execution.
    pub const ALL: [Self; 6] =
        [Self::AttnQkv, Self::Attention, Self::AttnOutput, Self::FfnGateUp, Self::FfnDown, Self::Output];

    /// The name in records and on screen.
    pub fn name(self) -> &'static str {
        match self {
            Self::AttnQkv => "attn_qkv",
            Self::Attention => "attention",
            Self::AttnOutput => "attn_output",
            Self::FfnGateUp => "ffn_gate_up",
            Self::FfnDown => "ffn_down",
            Self::Output => "output",
        }
    }
}

/// One order for every site.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Orders {
    attn_qkv: Order,
    attention: Order,
    attn_output: Order,
    ffn_gate_up: Order,
    ffn_down: Order,
    output: Order,
}

impl Orders {
    /// The same order everywhere.
    pub fn all(order: Order) -> Self {
        Self {
            attn_qkv: order,
            attention: order,
            attn_output: order,
            ffn_gate_up: order,
            ffn_down: order,
            output: order,
        }
    }

    /// The order at one site.
    pub fn of(&self, site: Site) -> Order {
        match site {
            Site::AttnQkv => self.attn_qkv,
            Site::Attention => self.attention,
            Site::AttnOutput => self.attn_output,
            Site::FfnGateUp => self.ffn_gate_up,
            Site::FfnDown => self.ffn_down,
            Site::Output => self.output,
        }
    }

    /// These orders with another one at `site`.
    #[must_use]
    pub fn with(mut self, site: Site, order: Order) -> Self {
        match site {
            Site::AttnQkv => self.attn_qkv = order,
            Site::Attention => self.attention = order,
            Site::AttnOutput => self.attn_output = order,
            Site::FfnGateUp => self.ffn_gate_up = order,
            Site::FfnDown => self.ffn_down = order,
            Site::Output => self.output = order,
        }
        self
    }

    /// These orders with another one at each of `sites`.
    #[must_use]
    pub fn with_all(self, sites: &[Site], order: Order) -> Self {
        sites.iter().fold(self, |orders, site| orders.with(*site, order))
    }

    /// Whether any site has this order.
    pub fn any(&self, order: Order) -> bool {
        Site::ALL.iter().any(|site| self.of(*site) == order)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_site_changes_alone() {
        for site in Site::ALL {
            let orders = Orders::all(Order::ByShape).with(site, Order::Invariant);
            assert!(Site::ALL.iter().all(|s| (orders.of(*s) == Order::Invariant) == (*s == site)), "{site:?}");
            assert!(orders.any(Order::Invariant) && orders.any(Order::ByShape) && !orders.any(Order::Tiled));
            assert_eq!(Orders::all(Order::ByShape).with_all(&[site], Order::Invariant), orders);
            let json = serde_json::to_value(orders).expect("plain data");
            assert_eq!(json[site.name()], "invariant");
        }
    }
}
