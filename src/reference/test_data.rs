//! Seeded numbers and weights for the tests of the twins, and how far a result is from the truth.

use std::collections::HashMap;

use super::forward::{TwinConfig, TwinModel};
use super::rope_table::RopeSettings;
use crate::architecture::Architecture;
use crate::quant::{TensorType, quantize};

/// A small generator with a fixed sequence per seed (splitmix64).
pub(crate) struct Seeded {
    state: u64,
}

impl Seeded {
    pub(crate) fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    pub(crate) fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Evenly spread over [0, 1).
    pub(crate) fn unit(&mut self) -> f32 {
        (self.bits() >> 40) as f32 / (1 << 24) as f32
    }

    /// About normal with variance 1: the sum of twelve even numbers.
    pub(crate) fn normal(&mut self) -> f32 {
        (0..12).map(|_| self.unit()).sum::<f32>() - 6.0
    }

    pub(crate) fn normals(&mut self, n: usize) -> Vec<f32> {
        (0..n).map(|_| self.normal()).collect()
    }

    /// `n_weights` weights of about variance 1/400 in the bytes of a GGUF tensor.
    pub(crate) fn weight_bytes(&mut self, tensor_type: TensorType, n_weights: usize) -> Vec<u8> {
        let values: Vec<f32> = (0..n_weights).map(|_| 0.05 * self.normal()).collect();
        quantize(tensor_type, &values)
    }
}

/// A seeded llama with two layers, grouped heads and a head of its own, in the bytes of a file.
pub(crate) struct TinyLlama {
    pub(crate) config: TwinConfig,
    pub(crate) tensors: HashMap<String, (TensorType, Vec<u8>)>,
}

impl TinyLlama {
    pub(crate) fn new(seed: u64) -> Self {
        let (dim, ffn_dim, head_dim, vocab_size) = (192, 320, 32, 300);
        let (q_dim, kv_dim) = (6 * head_dim, 2 * head_dim);
        let config = TwinConfig {
            n_layers: 2,
            embedding_dim: dim,
            ffn_dim,
            n_heads: 6,
            n_kv_heads: 2,
            vocab_size,
            context_len: 256,
            norm_epsilon: 1e-5,
            rope: RopeSettings {
                base: 10_000.0,
                head_dim,
                rope_dim: head_dim,
                linear_factor: 1.0,
                frequency_factors: None,
            },
            architecture: Architecture::LLAMA,
            window: None,
        };
        let mut seeded = Seeded::new(seed);
        let mut tensors = HashMap::new();
        let mut add = |name: String, tensor_type, n_weights| {
            tensors.insert(name, (tensor_type, seeded.weight_bytes(tensor_type, n_weights)));
        };
        add("token_embd.weight".to_owned(), TensorType::Q8_0, vocab_size * dim);
        add("output.weight".to_owned(), TensorType::F16, vocab_size * dim);
        for i in 0..config.n_layers {
            for (name, n_weights) in [
                ("attn_q", q_dim * dim),
                ("attn_k", kv_dim * dim),
                ("attn_v", kv_dim * dim),
                ("attn_output", dim * q_dim),
                ("ffn_gate", ffn_dim * dim),
                ("ffn_up", ffn_dim * dim),
                ("ffn_down", dim * ffn_dim),
            ] {
                add(format!("blk.{i}.{name}.weight"), TensorType::Q4_1, n_weights);
            }
        }
        // Norm weights of 3 or so make queries and keys large enough for attention to choose.
        let mut add_norm = |name: String| {
            let bytes = (0..dim).flat_map(|_| (3.0 + seeded.normal()).to_le_bytes()).collect();
            tensors.insert(name, (TensorType::F32, bytes));
        };
        add_norm("output_norm.weight".to_owned());
        for i in 0..config.n_layers {
            add_norm(format!("blk.{i}.attn_norm.weight"));
            add_norm(format!("blk.{i}.ffn_norm.weight"));
        }
        Self { config, tensors }
    }

    pub(crate) fn model(&self) -> TwinModel<'_> {
        TwinModel::new(self.config.clone(), |name| {
            self.tensors.get(name).map(|(tensor_type, bytes)| (*tensor_type, &bytes[..]))
        })
        .expect("the tiny llama is whole")
    }
}

/// Squared error over squared truth.
pub(crate) fn normalised_error(values: &[f32], truth: &[f64]) -> f64 {
    assert_eq!(values.len(), truth.len());
    let error: f64 = values.iter().zip(truth).map(|(v, t)| (f64::from(*v) - t).powi(2)).sum();
    let power: f64 = truth.iter().map(|t| t * t).sum();
    assert!(power > 0.0, "the truth is all zeros");
    error / power
}
