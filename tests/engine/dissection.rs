//! A fork taken apart tells how far it is, can be stopped between two steps, and keeps what it has found.

use lastbit::compare::Scenario;
use lastbit::compare::dissection::{DissectEvent, Dissection, Extent, dissect};
use lastbit::generate::{CancelToken, Prompt};
use lastbit::numerics::{Formats, KvFormat, Order};

use crate::{engine, wide_model};

const MAX_TOKENS: usize = 4;

/// Takes a prompt apart; raises the stop sign at an event.
async fn taken_apart(stop_at: Option<DissectEvent>) -> (Dissection, Vec<DissectEvent>) {
    let mut engine = engine(&wide_model(), Formats::F32, Order::ByShape).await;
    let prompt = Prompt::Complete { text: "One two three four five six seven eight.".to_owned() };
    let (cancel, mut events) = (CancelToken::default(), Vec::new());
    let found = dissect(&mut engine, (&prompt, &Scenario::SamePrompt), Extent::to_fork(MAX_TOKENS), &cancel, |event| {
        events.push(event);
        if stop_at == Some(event) {
            cancel.cancel();
        }
    })
    .await;
    (found, events)
}

#[test]
fn it_tells_of_every_token_and_then_of_the_search() {
    pollster::block_on(async {
        let (found, events) = taken_apart(None).await;
        let n_steps = found.steps.len();
        assert!(found.error.is_none() && !found.was_cancelled && n_steps > 0, "{found:?}");
        let compared: Vec<_> = (1..=n_steps).map(|n_tokens| DissectEvent::Compared { n_tokens }).collect();
        assert_eq!(events[..n_steps], compared);
        assert_eq!(events.last(), Some(&DissectEvent::Origin));
        assert_eq!(events.contains(&DissectEvent::Margins), found.fork.is_some());

        let report = found.report();
        assert_eq!(report.prompt_ids.len(), report.reused_tokens + 1);
        assert_eq!(report.warm_steps.last().cloned(), Some(report.reused_tokens..report.prompt_ids.len()));
        assert_eq!(report.flip_risk.map(|risk| risk.per_step.len()), Some(n_steps));
        let map = report.kv_map.expect("the search was made");
        assert_eq!(map.k.format, KvFormat::F32);
        assert_eq!(map.k.largest_steps[0].len(), report.prompt_ids.len() + report.decoded_ids.len());
        assert!(report.sentence.expect("the search was made").starts_with("first different bit: layer 0, Q"));
    });
}

#[test]
fn a_stop_keeps_the_steps_and_makes_no_search() {
    pollster::block_on(async {
        let (found, events) = taken_apart(Some(DissectEvent::Compared { n_tokens: 2 })).await;
        assert_eq!((found.was_cancelled, found.steps.len(), events.len()), (true, 2, 2), "{found:?}");
        assert!(found.search.is_none() && found.error.is_none());
        let report = found.report();
        assert!(report.sentence.is_none() && report.kv_map.is_none() && report.was_cancelled);
    });
}
