//! `lastbit ablation`: which site's order of addition makes cold and warm differ, and which removes the difference.

use serde_json::json;

use super::failure::{Ended, Failure};
use super::output::{print, print_json};
use super::replay::ReplayArgs;
use super::start;
use crate::compare::Schedules;
use crate::compare::ablation::{Ablation, Outcome, ablation};
use crate::generate::CancelToken;

/// Runs a prompt cold and warm under 22 choices of orders and prints what each left or caused.
pub(super) async fn run(args: &ReplayArgs) -> Result<Ended, Failure> {
    let prompt = args.prompt()?;
    let mut engine = args.engine().await?;
    let schedules = Schedules::new(&mut engine, &prompt, &args.scenario()).await?;
    let progress = start::progress_bar(1, "{bar:30} {pos} of {len} {elapsed}");
    let never = CancelToken::default();
    let found = ablation(&mut engine, &schedules, args.max_tokens as usize, &never, |done, of| {
        progress.set_length(of as u64);
        progress.set_position(done as u64);
    })
    .await;
    progress.finish_and_clear();
    // Nobody stops it here.
    let Some(found) = found? else { return Ok(Ended::Fine) };
    if args.json {
        print_json(&json!({
            "device": engine.device().report(),
            "numerics": engine.numerics(),
            "prompt_ids": schedules.ids,
            "reused_tokens": schedules.n_reused,
            "ablation": found,
            "sentence": found.sentence(),
        }))?;
    } else {
        print(&told(&found))?;
    }
    Ok(Ended::Fine)
}

fn told(found: &Ablation) -> String {
    let mut text = format!(
        "{:<20} {:<34} {}\n",
        "changed sites", "made invariant, the rest by shape", "made by shape, the rest invariant"
    );
    let mut row = |name: &str, left: &Outcome, right: &Outcome| {
        text += &format!("{name:<20} {:<34} {}\n", words(left), words(right));
    };
    row("none", &found.by_shape, &found.invariant);
    for case in &found.cases {
        row(case.group, &case.made_invariant, &case.made_by_shape);
    }
    text + "\n" + &found.sentence() + "\n"
}

/// What a cold and a warm run came to.
fn words(outcome: &Outcome) -> String {
    match (outcome.first_differing, outcome.fork) {
        (None, _) => format!("equal bits in {} steps", outcome.n_steps),
        (Some(_), Some(fork)) => format!("fork at token {fork}"),
        (Some(first), None) => format!("bits differ from step {first}, no fork in {}", outcome.n_steps),
    }
}
