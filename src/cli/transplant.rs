//! `lastbit transplant`: one run goes on with the other's cached keys and values. Whose answer does it give?

use std::ops::Range;

use clap::{Args, ValueEnum};
use serde_json::json;

use super::failure::{Ended, Failure};
use super::output::{indented, print, print_json, printable, word};
use super::replay::ReplayArgs;
use super::start;
use crate::compare::transplant::{Continuation, Followed, Side, Trajectory, Transplant};
use crate::compare::{Pair, Schedules};
use crate::generate::Engine;

/// Which run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum SideName {
    /// The cold run
    Cold,
    /// The warm run
    Warm,
}

/// What is given to whom.
#[derive(Debug, Args)]
pub(super) struct TransplantArgs {
    /// The run that is given the other's keys and values
    #[arg(long, value_enum, default_value_t = SideName::Warm)]
    into: SideName,
    /// Layers, from 0, the last not included [default: all]
    #[arg(long, value_name = "FROM..TO", value_parser = range)]
    layers: Option<Range<usize>>,
    /// Positions of the prompt, from 0, the last not included [default: all]
    #[arg(long, value_name = "FROM..TO", value_parser = range)]
    positions: Option<Range<usize>>,
    #[command(flatten)]
    pub(super) replay: ReplayArgs,
}

fn range(text: &str) -> Result<Range<usize>, String> {
    let ends = text.split_once("..").and_then(|(from, to)| Some(from.parse().ok()?..to.parse().ok()?));
    let ends = ends.ok_or("two numbers with two dots between them are expected, as in 0..10")?;
    if ends.is_empty() { Err("the range is empty".to_owned()) } else { Ok(ends) }
}

/// What was asked for of `n` layers or positions, all if nothing was; refused before anything runs where there are not so many.
fn within(asked: Option<&Range<usize>>, n: usize, what: &str, owner: &str) -> Result<Range<usize>, Failure> {
    match asked {
        Some(asked) if asked.end > n => Err(Failure::bad_request(
            format!("{what} {}..{} were asked for, and {owner} has {what} 0..{n}", asked.start, asked.end),
            "Choose a range within these.",
        )),
        Some(asked) => Ok(asked.clone()),
        None => Ok(0..n),
    }
}

/// Computes the prompt cold and warm, lets both go on, then the recipient with what it was given.
pub(super) async fn run(args: &TransplantArgs) -> Result<Ended, Failure> {
    let prompt = args.replay.prompt()?;
    let mut engine = args.replay.engine().await?;
    let schedules = Schedules::new(&mut engine, &prompt, &args.replay.scenario()).await?;
    let layers = within(args.layers.as_ref(), engine.model().config.n_blocks as usize, "layers", "the model")?;
    let index = |layer| u32::try_from(layer).expect("below the number of layers, which is a u32");
    let transplant = Transplant {
        into: match args.into {
            SideName::Cold => Side::Cold,
            SideName::Warm => Side::Warm,
        },
        layers: index(layers.start)..index(layers.end),
        positions: within(args.positions.as_ref(), schedules.ids.len(), "positions", "the prompt")?,
    };
    let progress = start::spinner();
    progress.set_message("both runs, then one with the other's keys and values");
    let mut pair = Pair::new(&mut engine)?;
    let first = pair.prefill(&schedules.ids, &schedules.cold, &schedules.warm).await?.cold.ids[0];
    let followed = pair.transplant(&transplant, first, args.replay.max_tokens as usize - 1).await;
    progress.finish_and_clear();
    let followed = followed?;
    if args.replay.json {
        print_json(&json!({
            "device": engine.device().report(),
            "numerics": engine.numerics(),
            "prompt_ids": schedules.ids,
            "reused_tokens": schedules.n_reused,
            "first_id": first,
            "transplant": transplant,
            "followed": followed,
        }))?;
    } else {
        print(&told(&transplant, &followed, first, &engine))?;
    }
    Ok(Ended::Fine)
}

fn told(transplant: &Transplant, followed: &Followed, first: u32, engine: &Engine) -> String {
    let text = |run: &Continuation| {
        let ids: Vec<u32> = std::iter::once(first).chain(run.ids.iter().copied()).collect();
        indented(&printable(&String::from_utf8_lossy(&engine.tokenizer().decode(&ids))))
    };
    let (recipient, donor) = match transplant.into {
        Side::Cold => ("cold", "warm"),
        Side::Warm => ("warm", "cold"),
    };
    let leaves = |token: Option<usize>| token.map_or("never".to_owned(), |token| format!("at token {}", token + 1));
    let follows = match followed.follows {
        Trajectory::Both => "nothing to tell: cold and warm chose the same tokens, and so did the recipient".to_owned(),
        Trajectory::Cold | Trajectory::Warm | Trajectory::Neither => format!(
            "{}: leaves the cold run {}, the warm run {}",
            word(&followed.follows),
            leaves(followed.leaves_cold),
            leaves(followed.leaves_warm)
        ),
    };
    format!(
        "cold      {}\nwarm      {}\n{recipient} with {donor}'s K and V of layers {}..{}, positions {}..{}\n          {}\n\nfollows   {follows}\n",
        text(&followed.cold),
        text(&followed.warm),
        transplant.layers.start,
        transplant.layers.end,
        transplant.positions.start,
        transplant.positions.end,
        text(&followed.transplanted),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_is_two_numbers() {
        assert_eq!(range("0..10"), Ok(0..10));
        for bad in ["", "3", "3..", "..3", "a..b", "5..5", "6..5", "-1..2", "0...3"] {
            assert!(range(bad).is_err(), "{bad}");
        }
    }
}
