//! Cold A, cold B, warm: three runs of one prompt, and what sets them apart.
//!
//! The control comes first: two cold runs must agree in every bit before a difference of the warm run means anything.
//! The exposure comes second: a warm run that reused nothing proves nothing.
//! [`dissection`] takes a fork apart: where tokens part, and the first bit that set the runs apart.

pub mod ablation;
mod claim;
mod comparison;
pub mod corruption;
pub mod dissection;
mod dissection_report;
pub mod flip_law;
pub mod fork;
mod kv_map;
pub mod normal_tail;
pub mod origin;
pub mod replay;
pub mod report;
mod schedules;
mod second_turn;
pub mod shapes;
pub mod transplant;
mod twin_check;
pub mod verdict;
pub mod watch;

pub use claim::ClaimLevel;
pub use comparison::{CompareEvent, CompareRequest, RunName, Runs, Scenario, compare};
pub use dissection_report::{DissectionReport, FlipRisk};
pub use fork::Fork;
pub use kv_map::{KvMap, KvMapSide};
pub use origin::{Origin, OriginSearch};
pub use replay::{Pair, PairStep, Schedule};
pub use report::Comparison;
pub use schedules::Schedules;
pub use second_turn::SecondTurn;
pub use shapes::{SHAPE_TOKENS, ShapeCheck, check_shapes};
pub use twin_check::{TwinCheck, twin_check};
pub use verdict::Verdict;
