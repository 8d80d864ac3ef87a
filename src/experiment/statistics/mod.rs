//! What counts say, and how surely: intervals and tests.

mod difference;
mod mcnemar;
mod quantile;
mod trend;
mod wilson;

pub use difference::newcombe_95;
pub use mcnemar::mcnemar_exact;
pub use quantile::{median, quantile};
pub use trend::{Trend, cochran_armitage};
pub use wilson::wilson_95;

/// The standard normal distribution's 97.5 % quantile: 95 % lie between minus and plus this.
const Z_95: f64 = 1.959_963_984_540_054;
