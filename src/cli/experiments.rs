//! `lastbit experiments`: many runs under one protocol, kept in a file, counted, and held against what was expected.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use super::failure::{Ended, Failure};
use super::output::{print, print_json};
use super::start::{self, ModelArgs};
use crate::experiment::prompts::PROMPTS;
use crate::experiment::{self, Case, Experiment, Judged, Origin, Record, Row, Setting, Sizes, Work};
use crate::generate::EngineOptions;
use crate::numerics::Order;

impl ValueEnum for Experiment {
    fn value_variants<'a>() -> &'a [Self] {
        &Self::ALL
    }

    fn to_possible_value(&self) -> Option<clap::builder::PossibleValue> {
        Some(clap::builder::PossibleValue::new(self.name()).help(self.question()))
    }
}

/// What to measure.
#[derive(Debug, Args)]
pub(super) struct ExperimentsArgs {
    /// Which experiments [default: all]
    #[arg(value_enum, ignore_case = true)]
    experiments: Vec<Experiment>,
    #[command(flatten)]
    model: ModelArgs,
    /// How many of the fixed prompts; most experiments take the first ten
    #[arg(long, default_value_t = 40, value_parser = clap::value_parser!(u32).range(1..=PROMPTS.len() as i64))]
    prompts: u32,
    /// Most tokens of each run; most experiments take 40
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=1000))]
    tokens: u32,
    /// Seeded combinations of all axes in E9 and E10
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u32).range(0..=1000))]
    combinations: u32,
    /// Keep what is measured in this JSON file, after every case; if it exists, go on where it stops
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Print JSON instead of a table
    #[arg(long)]
    pub(super) json: bool,
}

/// Measures what the record does not hold yet, and prints the table of everything asked for.
pub(super) async fn run(args: &ExperimentsArgs) -> Result<Ended, Failure> {
    let experiments = if args.experiments.is_empty() { Experiment::ALL.to_vec() } else { args.experiments.clone() };
    // Every sequence of a sweep lies in one step with the rows of up to eight others.
    let options = EngineOptions { n_sequences: 9, ..EngineOptions::default() };
    let numerics = Setting::Int8.numerics(Order::ByShape, 64);
    let mut engine = args.model.checked()?.engine(numerics, options).await?;
    let sizes = Sizes::new(&engine, args.prompts as usize, args.tokens as usize).await?;
    let sizes = Sizes { combinations: args.combinations as usize, ..sizes };
    let mut record = open(args.out.as_deref(), Origin::new(&engine))?;

    let cases = record.remaining(&experiment::cases(&experiments, &sizes));
    let progress = start::progress_bar(cases.len() as u64, "{msg} {bar:30} {pos} of {len} {elapsed}");
    if !args.json {
        print(&format!("{}\n", record.origin.device))?;
    }
    for case in cases {
        progress.set_message(name(&case));
        let measured = experiment::measure(&mut engine, case).await?;
        if !args.json {
            progress.suspend(|| print(&format!("{:<60} {:.1} s\n", name(&case), measured.elapsed_s)))?;
        }
        record.measured.push(measured);
        keep(args.out.as_deref(), &record)?;
        progress.inc(1);
    }
    progress.finish_and_clear();

    let rows: Vec<Row> = experiments.iter().flat_map(|experiment| experiment.rows(&sizes, &record)).collect();
    // What was asked of the same record before stays in it.
    record.rows.retain(|row| !experiments.contains(&row.experiment));
    record.rows.extend(rows.iter().cloned());
    record.rows.sort_by_key(|row| row.experiment);
    keep(args.out.as_deref(), &record)?;
    if args.json {
        print_json(&record.to_json())?;
    } else {
        print(&experiment::table(&rows))?;
    }
    let failed = |experiment| move |row: &Row| row.judged == Judged::Fail && row.experiment == experiment;
    Ok(if rows.iter().any(failed(Experiment::E1)) {
        Ended::ControlFailed
    } else if rows.iter().any(|row| row.judged == Judged::Fail) {
        Ended::PromiseBroken
    } else {
        Ended::Fine
    })
}

const OTHER_OUT: &str = "Name another file with --out, or move this one away.";

/// The record of an earlier run under the same circumstances, or a new one.
fn open(path: Option<&Path>, origin: Origin) -> Result<Record, Failure> {
    let Some(path) = path else { return Ok(Record::new(origin)) };
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Record::new(origin)),
        Err(error) => return Err(Failure::file("output-failed", path, &error, OTHER_OUT)),
    };
    Record::from_json(&text, &origin)
        .map_err(|error| Failure::bad_request(format!("{}: {error}", path.display()), OTHER_OUT))
}

/// Writes beside the file and renames, so that an interruption leaves the old record or the new one.
fn keep(path: Option<&Path>, record: &Record) -> Result<(), Failure> {
    let Some(path) = path else { return Ok(()) };
    let text = record.to_json().to_string();
    let beside = path.with_extension("partial");
    let written = std::fs::write(&beside, text + "\n").and_then(|()| std::fs::rename(&beside, path));
    written.map_err(|error| Failure::file("output-failed", path, &error, OTHER_OUT))
}

/// A case for a person.
fn name(case: &Case) -> String {
    let what = match case.work {
        Work::Pair { scenario, prompt, .. } => {
            format!("{scenario:?} prompt {}, cold and warm side by side", prompt + 1)
        }
        Work::Runs { prompt, .. } => format!("prompt {}, cold and warm twice", prompt + 1),
        Work::Sweep { chunk_rows, reused, neighbours, shards, .. } => {
            let chunks = if chunk_rows == 0 { "one chunk".to_owned() } else { format!("chunks of {chunk_rows}") };
            format!("{chunks}, {reused} reused, {neighbours} neighbours, {shards} shards")
        }
        Work::Origin { scenario, prompt } => format!("{scenario:?} prompt {}, origin of the difference", prompt + 1),
        Work::Faults { prompts } => format!("20 faults and {} sound pairs", 2 * prompts),
        Work::Repeats { prompt, times, .. } => format!("prompt {}, cold and warm {times} times", prompt + 1),
    };
    format!("{} {} {what}", case.setting.name(), experiment::order_name(case.order))
}
