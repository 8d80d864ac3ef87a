//! Each kernel on this machine's adapter against its CPU twin, bit for bit, and against the truth in f64.
//!
//! Nothing is skipped: without an adapter these tests fail. On a software adapter, which rounds every operation to nearest and fuses
//! none, a single differing bit is a failure; on hardware the tolerances hold and the number of differing words is printed.

#[cfg(not(target_arch = "wasm32"))]
mod attention;
#[cfg(not(target_arch = "wasm32"))]
mod embed;
#[cfg(not(target_arch = "wasm32"))]
mod fingerprint;
#[cfg(not(target_arch = "wasm32"))]
mod invariance;
#[cfg(not(target_arch = "wasm32"))]
mod layouts;
#[cfg(not(target_arch = "wasm32"))]
mod matmul;
#[cfg(not(target_arch = "wasm32"))]
mod modules;
#[cfg(not(target_arch = "wasm32"))]
mod reductions;
mod ring_sum;
mod rounding;
#[cfg(not(target_arch = "wasm32"))]
mod self_test;
#[cfg(not(target_arch = "wasm32"))]
mod support;
#[cfg(not(target_arch = "wasm32"))]
mod tap;
#[cfg(not(target_arch = "wasm32"))]
mod top_k;
#[cfg(not(target_arch = "wasm32"))]
mod truth;
