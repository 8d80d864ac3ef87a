//! `lastbit experiments forks`: how often the warm answer forks from the cold one.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand, ValueEnum};
use serde::{Deserialize, Serialize};

use super::compare_text::word;
use super::failure::{Ended, Failure};
use super::output::{print, print_json, quoted};
use super::start::{self, ChunkArgs, FormatsName, ModelArgs, OrderName};
use crate::compare::Verdict;
use crate::experiment::forks::{self, Outcome, ScenarioName, Settings};
use crate::experiment::prompts::PROMPTS;
use crate::experiment::{Summary, summarise};
use crate::generate::CancelToken;
use crate::numerics::{Formats, Numerics, Order};

/// Which experiment.
#[derive(Debug, Subcommand)]
pub(super) enum Experiment {
    /// How often does a warm answer fork from the cold one? Fixed prompts, none left out
    Forks(ForksArgs),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Scenarios {
    /// The same prompt sent again
    S1,
    /// A second chat turn
    S2,
    Both,
}

/// What to compare.
#[derive(Debug, Args)]
pub(super) struct ForksArgs {
    #[command(flatten)]
    model: ModelArgs,
    /// How many of the fixed prompts
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=PROMPTS.len() as i64))]
    prompts: u32,
    /// Most tokens of each run
    #[arg(long, default_value_t = 80, value_parser = clap::value_parser!(u32).range(1..=1000))]
    tokens: u32,
    /// S2: most tokens of the answer to the first turn
    #[arg(long, default_value_t = 40, value_parser = clap::value_parser!(u32).range(1..=1000))]
    reply_tokens: u32,
    /// Where the warm run's cache comes from
    #[arg(long, value_enum, default_value_t = Scenarios::Both)]
    scenario: Scenarios,
    /// Formats, separated by commas
    #[arg(long, value_enum, value_delimiter = ',', default_value = "int8")]
    formats: Vec<FormatsName>,
    /// Orders, separated by commas
    #[arg(long, value_enum, value_delimiter = ',', default_value = "by-shape,invariant")]
    orders: Vec<OrderName>,
    #[command(flatten)]
    chunk: ChunkArgs,
    /// Keep the outcomes in this JSON file, after every comparison; if it exists, go on where it stops
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Print JSON instead of a table
    #[arg(long)]
    pub(super) json: bool,
}

/// What is kept in a file.
#[derive(Debug, Serialize, Deserialize)]
struct Record {
    settings: Settings,
    outcomes: Vec<Outcome>,
    summaries: Vec<Summary>,
}

/// Runs an experiment.
pub(super) async fn run(experiment: &Experiment) -> Result<Ended, Failure> {
    match experiment {
        Experiment::Forks(args) => forks(args).await,
    }
}

async fn forks(args: &ForksArgs) -> Result<Ended, Failure> {
    let scenarios: &[ScenarioName] = match args.scenario {
        Scenarios::S1 => &[ScenarioName::S1],
        Scenarios::S2 => &[ScenarioName::S2],
        Scenarios::Both => &[ScenarioName::S1, ScenarioName::S2],
    };
    let formats: Vec<Formats> = args.formats.iter().map(|name| (*name).into()).collect();
    let orders: Vec<Order> = args.orders.iter().map(|name| (*name).into()).collect();
    let arms = forks::arms(scenarios, &formats, &orders);

    let mut engine = start::engine(&args.model, Numerics::new(formats[0], orders[0], args.chunk.chunk_rows)).await?;
    let settings = Settings::new(&engine, args.tokens as usize, args.reply_tokens as usize);
    let mut record = match &args.out {
        Some(path) => read_record(path, &settings)?,
        None => None,
    }
    .unwrap_or(Record { settings, outcomes: Vec::new(), summaries: Vec::new() });

    let cases = forks::remaining(&arms, args.prompts as usize, &record.outcomes);
    let progress = start::progress_bar(cases.len() as u64, "{msg} {bar:30} {pos} of {len} {elapsed}");
    if !args.json {
        print(&format!("{}, {} rows per prefill step\n", record.settings.device, record.settings.chunk_rows))?;
    }
    for case in cases {
        progress.set_message(format!("{}, prompt {}", arm_name(&case.arm), case.prompt + 1));
        let outcome = forks::run(&mut engine, &record.settings, case, &CancelToken::default()).await?;
        if !args.json {
            progress.suspend(|| print(&line(&outcome)))?;
        }
        record.outcomes.push(outcome);
        record.summaries = summarise(&record.outcomes);
        if let Some(path) = &args.out {
            write_record(path, &record)?;
        }
        progress.inc(1);
    }
    progress.finish_and_clear();
    if args.json {
        print_json(&record)?;
    } else {
        print(&table(&record.summaries))?;
    }
    let any = |verdict| record.outcomes.iter().any(|outcome| outcome.verdict == verdict);
    Ok(if any(Verdict::Error) {
        Ended::VerdictError
    } else if any(Verdict::ControlFailed) {
        Ended::ControlFailed
    } else {
        Ended::Fine
    })
}

const OTHER_OUT: &str = "Name another file with --out, or move this one away.";

/// The record of an earlier run under the same settings; none if there is no such file.
fn read_record(path: &Path, settings: &Settings) -> Result<Option<Record>, Failure> {
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(Failure::file("output-failed", path, &error, OTHER_OUT)),
    };
    let refuse = |why: String| Failure::bad_request(format!("{}: {why}", path.display()), OTHER_OUT);
    let record: Record =
        serde_json::from_str(&text).map_err(|error| refuse(format!("not a record of this experiment: {error}")))?;
    if record.settings != *settings {
        return Err(refuse(format!("made under other settings: {:?}, now {settings:?}", record.settings)));
    }
    Ok(Some(record))
}

/// Writes beside the file and renames, so that an interruption leaves the old record or the new one.
fn write_record(path: &Path, record: &Record) -> Result<(), Failure> {
    let text = serde_json::to_string_pretty(record).expect("records have text keys and finite numbers");
    let beside = path.with_extension("partial");
    let written = std::fs::write(&beside, text + "\n").and_then(|()| std::fs::rename(&beside, path));
    written.map_err(|error| Failure::file("output-failed", path, &error, OTHER_OUT))
}

fn arm_name(arm: &forks::Arm) -> String {
    format!("{} {} {}", word(&arm.scenario), word(&arm.formats), word(&arm.order))
}

fn line(outcome: &Outcome) -> String {
    let fork = match &outcome.fork {
        Some(fork) => format!(
            " token {:>3}: {} | {}, margins {} cold, {} warm",
            fork.index,
            quoted(&fork.cold),
            quoted(&fork.warm),
            margin(fork.cold_pair_margin),
            margin(fork.warm_pair_margin)
        ),
        None => String::new(),
    };
    let drift =
        outcome.first_differing_logits.map_or(String::new(), |index| format!(" bits differ from token {index}"));
    let control = match outcome.control_equal {
        Some(true) => "",
        Some(false) => " CONTROL DIFFERS",
        None => " no control",
    };
    let error = outcome.error.as_ref().map_or(String::new(), |error| format!(" {error}"));
    format!(
        "{:<24} prompt {:>2} ({:>3} tokens, {:>3} reused, {:>3} decoded) {:<13}{drift}{fork}{control}{error} {:.1} s\n",
        arm_name(&outcome.case.arm),
        outcome.case.prompt + 1,
        outcome.prompt_tokens,
        outcome.exposure,
        outcome.tokens,
        word(&outcome.verdict),
        outcome.elapsed_s,
    )
}

/// A signed margin, or that the other token was not among the five largest.
pub(super) fn margin(value: Option<f64>) -> String {
    value.map_or_else(|| "(not in the top five)".to_owned(), |value| format!("{value:+.6}"))
}

fn table(summaries: &[Summary]) -> String {
    let mut text = String::from(
        "\narm                       cold A = cold B  forked (95 %)           same tokens  bit-identical (95 %)    median fork\n",
    );
    let of = |n: usize, judged: usize, interval: Option<(f64, f64)>| match interval {
        Some((low, high)) => format!("{n} of {judged} ({:.0}-{:.0} %)", low * 100.0, high * 100.0),
        None => format!("{n} of {judged}"),
    };
    for summary in summaries {
        text += &format!(
            "{:<25} {:<16} {:<23} {:<12} {:<23} {}\n",
            arm_name(&summary.arm),
            format!("{} of {}", summary.n_control_equal, summary.n),
            of(summary.n_forked, summary.n_judged, summary.fork_rate_95),
            summary.n_same_tokens,
            of(summary.n_bit_identical, summary.n_judged, summary.bit_identical_rate_95),
            summary.median_fork_index.map_or("-".to_owned(), |index| format!("token {index}")),
        );
    }
    text + "Exact ties count as forks. Rates are of comparisons with an equal control and something reused.\n"
}
