//! What the supported architectures differ in, as data: the one forward pass does the rest alike for all of them.
//!
//! Loader, kernels, their twins, the pass in f64 and the tiny model all read it here, so it lies below them all.

use serde::{Serialize, Serializer};

/// One architecture: how its transformer departs from the plainest one's.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Architecture {
    /// `general.architecture` of its files, and the prefix of their keys.
    pub name: &'static str,
    /// Which values of a head of Q and K rotate together, as its files have them.
    pub rope_pairs: RopePairs,
    /// Whether a vector is added to Q, K and V.
    pub qkv_bias: bool,
    /// Whether each head of Q and K has a norm of its own, before it rotates.
    pub head_norms: bool,
    /// Whether what attention and the feed-forward layer add to the residual stream goes through a norm first.
    pub post_norms: bool,
    /// Whether the embedding is multiplied by the square root of its width.
    pub scaled_embedding: bool,
    /// What bends the gate of the feed-forward layer.
    pub activation: Activation,
    /// Which layers have a sliding window, where a file states its length; none where files must not.
    pub window: Option<WindowPattern>,
}

/// Which values of a head rotate together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RopePairs {
    /// Values 2i and 2i + 1, as the kernels rotate them.
    Neighbours,
    /// Values i and i + rope_dim / 2. On the way to the kernels they become neighbours.
    Halves,
}

/// What bends the gate of the feed-forward layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Activation {
    /// x / (1 + e^-x).
    Silu,
    /// x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2.
    GeluTanh,
}

/// Which layers see a window, and what else is different in them.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct WindowPattern {
    /// Every so many-th layer sees all keys: layer i where i + 1 is a multiple of it. None: no layer does.
    pub global_every: Option<u32>,
    /// Base of the rotations in layers with a window, which are then not scaled; none where it is the file's as everywhere.
    pub local_rope_base: Option<f32>,
}

/// A sliding window of a model.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "SlidingWindow"))]
pub struct Window {
    /// Keys that a row sees in a layer with a window: its own and those right before.
    pub len: u32,
    /// Which layers have it.
    pub pattern: WindowPattern,
}

impl Window {
    /// Whether a layer has the window.
    pub fn is_local(&self, layer: usize) -> bool {
        self.pattern.global_every.is_none_or(|every| !(layer + 1).is_multiple_of(every as usize))
    }
}

impl RopePairs {
    /// Which value of the file's head becomes value `i` of the head that kernels see, of whose values the first `rope_dim` rotate.
    pub fn source(self, i: usize, rope_dim: usize) -> usize {
        match self {
            Self::Halves if i < rope_dim => i / 2 + i % 2 * (rope_dim / 2),
            _ => i,
        }
    }
}

impl Architecture {
    /// Llama 2 and 3, SmolLM2, TinyLlama and, with a window in every layer, Mistral.
    pub const LLAMA: Self = Self {
        name: "llama",
        rope_pairs: RopePairs::Neighbours,
        qkv_bias: false,
        head_norms: false,
        post_norms: false,
        scaled_embedding: false,
        activation: Activation::Silu,
        window: Some(WindowPattern { global_every: None, local_rope_base: None }),
    };

    /// Qwen 2 and 2.5.
    pub const QWEN2: Self =
        Self { name: "qwen2", rope_pairs: RopePairs::Halves, qkv_bias: true, window: None, ..Self::LLAMA };

    /// Qwen 3.
    pub const QWEN3: Self = Self { name: "qwen3", qkv_bias: false, head_norms: true, ..Self::QWEN2 };

    /// Gemma 3. That five layers of six have the window, and their base, is not in most of its files.
    pub const GEMMA3: Self = Self {
        name: "gemma3",
        rope_pairs: RopePairs::Halves,
        qkv_bias: false,
        head_norms: true,
        post_norms: true,
        scaled_embedding: true,
        activation: Activation::GeluTanh,
        window: Some(WindowPattern { global_every: Some(6), local_rope_base: Some(10_000.0) }),
    };

    /// All that can run.
    pub const ALL: [Self; 4] = [Self::LLAMA, Self::QWEN2, Self::QWEN3, Self::GEMMA3];

    /// The one of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|architecture| architecture.name == name)
    }

    /// The names of all, for messages.
    pub fn names() -> String {
        Self::ALL.map(|architecture| architecture.name).join(", ")
    }

    /// Factor of the embedding.
    pub fn embedding_scale(&self, embedding_dim: usize) -> f32 {
        if self.scaled_embedding { (embedding_dim as f32).sqrt() } else { 1.0 }
    }
}

/// In records an architecture is its name.
impl Serialize for Architecture {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_become_neighbours_and_what_does_not_rotate_stays() {
        let order = |pairs: RopePairs, rope_dim| (0..8).map(|i| pairs.source(i, rope_dim)).collect::<Vec<_>>();
        assert_eq!(order(RopePairs::Halves, 8), [0, 4, 1, 5, 2, 6, 3, 7]);
        assert_eq!(order(RopePairs::Halves, 4), [0, 2, 1, 3, 4, 5, 6, 7]);
        assert_eq!(order(RopePairs::Neighbours, 8), [0, 1, 2, 3, 4, 5, 6, 7]);
    }

    #[test]
    fn five_layers_of_six_have_a_window_or_all() {
        let window =
            |architecture: Architecture| Window { len: 512, pattern: architecture.window.expect("it has one") };
        let gemma = window(Architecture::GEMMA3);
        let global: Vec<usize> = (0..18).filter(|layer| !gemma.is_local(*layer)).collect();
        assert_eq!(global, [5, 11, 17]);
        assert!((0..18).all(|layer| window(Architecture::LLAMA).is_local(layer)));
    }
}
