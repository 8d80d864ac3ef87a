//! The command line: what to run from its arguments, and how it ends as an exit code.
//!
//! Results go to standard output, as text or as JSON; messages and progress go to standard error.

mod ablation;
mod bench;
mod compare;
mod compare_text;
mod experiments;
mod failure;
mod inspect;
mod inspect_text;
mod logits;
mod model_file;
mod numerics;
mod origin;
mod output;
mod prompt;
mod replay;
mod run;
mod start;
mod template_process;
mod tokenize;
mod transplant;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use serde_json::json;

use crate::error::Explained;
use failure::{Ended, Failure};

const EXIT_CODES: &str = "\
Exit codes:
  0  done
  1  a run broke off (verdict error), an experiment found a promise broken, or something failed that has no code of its own
  2  the request cannot be done: wrong options, empty prompt, prompt too long
  3  no GPU adapter, or it refused a device
  4  the model file is missing or cannot be run; inspect describes it all the same, as far as it can be read
  5  the control failed: two cold runs differed

With --json, results and failures are JSON on standard output. A failure is {\"error\": {code, fault, message, what_to_do}};
fault, where there is one, names what is wrong with a file (GGUF_OFFSET, MODEL_ROPE, TOKENIZER), and stays the same when the words change.";

/// One prompt, cold and warm, on your own GPU: where the two answers fork and which last bit did it.
#[derive(Debug, Parser)]
#[command(name = "lastbit", version, after_help = EXIT_CODES)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Complete a text or answer a chat message, greedily
    Run(run::RunArgs),
    /// Run one prompt three times, cold, cold and warm, and say where the answers fork
    Compare(compare::CompareArgs),
    /// Run one prompt cold and warm side by side and name the first bit that differs, and the kernel that wrote it
    Origin(origin::OriginArgs),
    /// Change the order of addition site by site: which one makes cold and warm differ, and which removes the difference
    Ablation(replay::ReplayArgs),
    /// Give one run the other's keys and values of chosen layers and positions, and see whose answer it gives
    Transplant(transplant::TransplantArgs),
    /// Largest logits after every position of a given text or list of ids
    Logits(logits::LogitsArgs),
    /// Text to token ids, as the model's file says; needs no GPU
    Tokenize(tokenize::TokenizeArgs),
    /// What a GGUF file holds, and whether it can run here; reads the header only
    Inspect(inspect::InspectArgs),
    /// How fast this is here, as shares of what the machine can do
    Bench(bench::BenchArgs),
    /// Many runs under one protocol, counted and held against what was expected
    Experiments(experiments::ExperimentsArgs),
    /// Renders one request; this program starts itself so
    #[command(name = template_process::COMMAND, hide = true)]
    RenderTemplate,
}

impl Command {
    fn wants_json(&self) -> bool {
        match self {
            Self::Run(args) => args.json,
            Self::Compare(args) => args.json,
            Self::Origin(args) => args.replay.json,
            Self::Ablation(args) => args.json,
            Self::Transplant(args) => args.replay.json,
            Self::Logits(_) => true,
            Self::Tokenize(args) => args.json,
            Self::Inspect(args) => args.json,
            Self::Bench(args) => args.json,
            Self::Experiments(args) => args.json,
            Self::RenderTemplate => false,
        }
    }

    async fn execute(&self, limit_memory: fn(usize) -> bool) -> Result<Ended, Failure> {
        match self {
            Self::Run(args) => run::run(args).await,
            Self::Compare(args) => compare::run(args).await,
            Self::Origin(args) => origin::run(args).await,
            Self::Ablation(args) => ablation::run(args).await,
            Self::Transplant(args) => transplant::run(args).await,
            Self::Logits(args) => logits::run(args).await,
            Self::Tokenize(args) => tokenize::run(args).await,
            Self::Inspect(args) => inspect::run(args).await,
            Self::Bench(args) => bench::run(args).await,
            Self::Experiments(args) => experiments::run(args).await,
            Self::RenderTemplate => Ok(template_process::serve(limit_memory)),
        }
    }
}

/// Runs the command that the arguments of this process name. `limit_memory` bounds what the process may have allocated
/// at once, in bytes, and says whether it could.
pub fn main(limit_memory: fn(usize) -> bool) -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return refused_arguments(&error),
    };
    match pollster::block_on(cli.command.execute(limit_memory)) {
        Ok(ended) => ended.into(),
        Err(failure) => {
            tell(&failure, cli.command.wants_json());
            ExitCode::from(failure.exit_code())
        }
    }
}

/// Arguments that name no command: help and version, which are no failures, or words for a person and, if JSON was asked for, for a program.
fn refused_arguments(error: &clap::Error) -> ExitCode {
    let exit_code = u8::try_from(error.exit_code()).unwrap_or(2);
    let json_asked = std::env::args_os().any(|argument| argument == "--json");
    if exit_code != 0 && json_asked {
        let text = error.render().to_string();
        let message = text.lines().take_while(|line| !line.is_empty()).map(str::trim).collect::<Vec<_>>().join(" ");
        let message = message.strip_prefix("error: ").unwrap_or(&message).to_owned();
        let what_to_do = "Add --help to the command to see what it takes.".to_owned();
        tell(&Failure::Explained(Explained { code: "bad-usage", fault: None, message, what_to_do }), true);
    } else {
        // Clap knows which stream each belongs to. If it cannot be written, nobody reads it.
        let _ = error.print();
    }
    ExitCode::from(exit_code)
}

/// A failure to whoever reads: a person on standard error, a program on standard output too.
fn tell(failure: &Failure, as_json: bool) {
    let Failure::Explained(explained) = failure else { return };
    let [message, what_to_do] = [&explained.message, &explained.what_to_do].map(|text| output::one_line(text));
    eprintln!("lastbit: {}: {message}\n{what_to_do}", explained.code);
    if as_json && let Err(unwritten) = output::print_json(&json!({ "error": explained })) {
        eprintln!("lastbit: the failure could not be written as JSON either: {unwritten:?}");
    }
}
