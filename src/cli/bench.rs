//! `lastbit bench`: how fast this is here, as shares of what the machine can do.

use clap::Args;

use super::failure::{Ended, Failure};
use super::output::{print, print_json};
use super::start::{self, ModelArgs};
use crate::bench::{BenchOptions, bench};
use crate::numerics::Formats;

/// How to measure.
#[derive(Debug, Args)]
pub(super) struct BenchArgs {
    #[command(flatten)]
    model: ModelArgs,
    /// Take few samples: under a minute
    #[arg(long)]
    quick: bool,
    /// Also measure one product in every weight format
    #[arg(long)]
    every_format: bool,
    /// Formats of whole steps
    #[arg(long, value_enum, default_value_t = Formats::Int8)]
    formats: Formats,
    /// Print JSON instead of a table
    #[arg(long)]
    pub(super) json: bool,
}

/// Measures, and prints what it found.
pub(super) async fn run(args: &BenchArgs) -> Result<Ended, Failure> {
    let (device, model) = args.model.checked()?.load().await?;
    let progress = start::spinner();
    let BenchArgs { quick, every_format, formats, .. } = *args;
    let options = BenchOptions { quick, every_format, formats };
    let report = bench(&device, &model, options, |what| progress.set_message(what.to_owned())).await?;
    progress.finish_and_clear();
    if args.json {
        print_json(&report)?
    } else {
        print(&report.to_string())?
    }
    Ok(Ended::Fine)
}
