//! Each kernel on this machine's adapter against its CPU twin, bit for bit, and against the truth in f64.
//!
//! Nothing is skipped: without an adapter these tests fail. On a software adapter, which rounds every operation to nearest and fuses
//! none, a single differing bit is a failure; on hardware the tolerances hold and the number of differing words is printed.
#![cfg(not(target_arch = "wasm32"))]

mod attention;
mod embed;
mod fingerprint;
mod invariance;
mod layouts;
mod matmul;
mod modules;
mod norms;
mod reductions;
mod ring_sum;
mod rounding;
mod self_test;
mod support;
mod tap;
mod top_k;
mod tree_sum;
mod truth;
