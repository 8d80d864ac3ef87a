//! The order of a head's values. Kernels rotate neighbours; files of some architectures have the two of a pair half a head apart.
//! When such a file is loaded, the rows of Q and K, their biases and the weights of their norms change places inside each head, so that
//! pairs become neighbours. Scores are sums over a head, so nothing but the order of their terms is touched; wherever indices of Q or K are
//! shown, they are those of this order.

use std::borrow::Cow;

use super::ModelConfig;
use crate::architecture::RopePairs;
use crate::gguf::TensorInfo;

/// A tensor's bytes with the values of every head of Q and K in the order of the kernels: the file's own for all other tensors.
///
/// The tensor has the shape that its header was checked for.
pub fn in_kernel_order<'a>(config: &ModelConfig, tensor: &TensorInfo, bytes: &'a [u8]) -> Cow<'a, [u8]> {
    let pairs = config.architecture.rope_pairs;
    let part = tensor.name.strip_prefix("blk.").and_then(|rest| rest.split_once('.')).map_or("", |(_, part)| part);
    let rotates =
        ["attn_q.weight", "attn_k.weight", "attn_q.bias", "attn_k.bias", "attn_q_norm.weight", "attn_k_norm.weight"];
    if pairs == RopePairs::Neighbours || !rotates.contains(&part) {
        return Cow::Borrowed(bytes);
    }
    let (head_dim, rope_dim) = (config.head_dim as usize, config.rope_dim as usize);
    let n_values = tensor.shape.last().map_or(0, |n| *n as usize);
    // A row of a matrix, or a number of a vector.
    let len = bytes.len() / n_values.max(1);
    let source = |i: usize| i / head_dim * head_dim + pairs.source(i % head_dim, rope_dim);
    Cow::Owned((0..n_values).flat_map(|i| &bytes[source(i) * len..][..len]).copied().collect())
}
