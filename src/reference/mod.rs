//! What every kernel computes, on the CPU: the twin of each shader under the shader's name.
//!
//! A twin works in the kernel's own formats and order of addition, in plain f32 with two roundings for `a * b + c`, so on
//! a device that rounds to nearest and does not fuse, kernel and twin agree bit for bit. Beside it stands the truth: the
//! same operation in f64, for measuring how far off either is. [`forward::TwinModel`] strings the twins together into the
//! whole forward pass; [`forward_f64`] is the whole pass in f64.
//!
//! Nothing here knows of a GPU, of a GGUF container or of how a kernel is chosen.

pub mod exact_math;

mod accumulate_f16;
pub mod activations;
pub mod weights;

pub mod block_product;
pub mod matmul;
pub mod reduction;
pub mod rms_norm;
pub mod rope_table;

pub mod attention_fold;
pub mod attention_split;
pub mod embed;
pub mod gate_up;
pub mod head_norm;
pub mod kv_cache;
pub mod output;
pub mod partial;
pub mod post_norm;
pub mod qkv;
pub mod qkv_raw;
pub mod residual;
pub mod ring_sum;
pub mod tap;
pub mod top_k;
pub mod total;
pub mod tree_sum;

pub mod forward;
pub mod forward_f64;

#[cfg(test)]
mod test_data;
