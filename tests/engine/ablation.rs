//! Taking orders away one site at a time names what causes the difference between cold and warm, and what removes it.

use lastbit::compare::ablation::{ablation, outcome_under};
use lastbit::compare::{Schedule, Schedules};
use lastbit::generate::CancelToken;
use lastbit::numerics::{Formats, Order, Orders, Site};
use lastbit::tiny_model::TinyModel;

use crate::{engine, ids};

#[test]
fn each_site_of_many_rows_is_enough_to_cause_it_and_only_all_of_them_to_remove_it() {
    pollster::block_on(async {
        let prompt = ids(70, 5);
        let (cold, warm) = (Schedule::cold(70, 128), Schedule::warm_same_prompt(70, 128));
        let schedules = Schedules { ids: prompt, n_reused: 69, cold, warm };
        let mut engine = engine(&TinyModel::default().gguf_bytes(), Formats::F32, Order::ByShape).await;
        let before = *engine.numerics();
        let mut heard = Vec::new();
        let found = ablation(&mut engine, &schedules, 4, &CancelToken::default(), |done, of| heard.push((done, of)))
            .await
            .expect("an ablation")
            .expect("nobody stopped it");
        println!("{}", found.sentence());
        assert_eq!(heard, (1..=22).map(|n| (n, 22)).collect::<Vec<_>>());
        assert_eq!(*engine.numerics(), before);

        assert!(!found.by_shape.is_bit_identical() && found.invariant.is_bit_identical());
        let causes: Vec<&str> = found.enough_to_cause().map(|case| case.group).collect();
        // The head computes one row in either run.
        assert_eq!(causes, ["attn_qkv", "attention", "attn_output", "ffn_gate_up", "ffn_down"]);
        let removes: Vec<&str> = found.enough_to_remove().map(|case| case.group).collect();
        assert_eq!(removes, ["all"]);
        for case in &found.cases {
            assert_eq!(case.made_by_shape.is_bit_identical(), case.group == "output", "{case:?}");
        }
    });
}

#[test]
fn one_choice_of_orders_gives_the_outcome_that_the_ablation_has_for_it_and_puts_the_numerics_back() {
    pollster::block_on(async {
        let (cold, warm) = (Schedule::cold(20, 128), Schedule::warm_same_prompt(20, 128));
        let schedules = Schedules { ids: ids(20, 5), n_reused: 19, cold, warm };
        let mut engine = engine(&TinyModel::default().gguf_bytes(), Formats::F32, Order::ByShape).await;
        let before = *engine.numerics();
        let never = CancelToken::default();
        let found = ablation(&mut engine, &schedules, 2, &never, |_, _| ()).await.expect("an ablation");
        let found = found.expect("nobody stopped it");
        let (by_shape, invariant) = (Orders::all(Order::ByShape), Orders::all(Order::Invariant));
        let mut choices = vec![(by_shape, found.by_shape), (invariant, found.invariant)];
        for case in &found.cases {
            choices.push((by_shape.with_all(case.sites, Order::Invariant), case.made_invariant));
            choices.push((invariant.with_all(case.sites, Order::ByShape), case.made_by_shape));
        }
        for (orders, outcome) in choices {
            let again = outcome_under(&mut engine, &schedules, orders, 2, &never).await.expect("two runs");
            assert_eq!(again, Some(outcome), "{orders:?}");
            assert_eq!(*engine.numerics(), before);
        }
        let outcomes: Vec<_> = found.cases.iter().flat_map(|case| [case.made_invariant, case.made_by_shape]).collect();
        assert!(outcomes.iter().any(|outcome| outcome.is_bit_identical()), "{outcomes:?}");
        assert!(outcomes.iter().any(|outcome| !outcome.is_bit_identical()), "{outcomes:?}");
    });
}

#[test]
fn a_choice_of_orders_that_is_stopped_or_fails_puts_the_numerics_back() {
    pollster::block_on(async {
        let (cold, warm) = (Schedule::cold(20, 128), Schedule::warm_same_prompt(20, 128));
        let schedules = Schedules { ids: ids(20, 5), n_reused: 19, cold, warm };
        let mut engine = engine(&TinyModel::default().gguf_bytes(), Formats::F32, Order::ByShape).await;
        let before = *engine.numerics();
        let orders = Orders::all(Order::Invariant).with(Site::Attention, Order::ByShape);
        let stopped = CancelToken::default();
        stopped.cancel();
        let outcome = outcome_under(&mut engine, &schedules, orders, 2, &stopped).await.expect("no runs");
        assert_eq!(outcome, None);
        assert_eq!(*engine.numerics(), before);
        // A prompt without tokens has no logits.
        let empty =
            Schedules { ids: Vec::new(), n_reused: 0, cold: Schedule::cold(0, 128), warm: Schedule::cold(0, 128) };
        outcome_under(&mut engine, &empty, orders, 2, &CancelToken::default()).await.expect_err("no prompt");
        assert_eq!(*engine.numerics(), before);
    });
}

#[test]
fn a_cold_and_a_warm_run_with_equal_bits_leave_nothing_to_take_away() {
    pollster::block_on(async {
        // Three tokens: both runs use the vector kernels throughout.
        let prompt = ids(3, 5);
        let (cold, warm) = (Schedule::cold(3, 128), Schedule::warm_same_prompt(3, 128));
        let schedules = Schedules { ids: prompt, n_reused: 2, cold, warm };
        let mut engine = engine(&TinyModel::default().gguf_bytes(), Formats::Int8, Order::ByShape).await;
        let found = ablation(&mut engine, &schedules, 2, &CancelToken::default(), |_, _| ())
            .await
            .expect("an ablation")
            .expect("nobody stopped it");
        assert!(found.by_shape.is_bit_identical() && found.enough_to_cause().next().is_none());
        assert!(found.sentence().contains("nothing to take away"));
    });
}

#[test]
fn a_stop_keeps_the_groups_that_were_looked_at_in_full_and_puts_the_numerics_back() {
    pollster::block_on(async {
        let (cold, warm) = (Schedule::cold(20, 128), Schedule::warm_same_prompt(20, 128));
        let schedules = Schedules { ids: ids(20, 5), n_reused: 19, cold, warm };
        let mut engine = engine(&TinyModel::default().gguf_bytes(), Formats::F32, Order::ByShape).await;
        let before = *engine.numerics();
        for (stop_after, n_groups) in [(1, None), (2, Some(0)), (5, Some(1)), (22, Some(10))] {
            let cancel = CancelToken::default();
            let found = ablation(&mut engine, &schedules, 2, &cancel, |done, _| {
                if done == stop_after {
                    cancel.cancel();
                }
            })
            .await
            .expect("an ablation");
            let n_cases = found.as_ref().map(|found| found.cases.len());
            assert_eq!(n_cases, n_groups, "stopped after {stop_after} cases");
            let is_told = found.is_some_and(|found| !found.sentence().contains("nothing can be concluded"));
            assert_eq!(is_told, n_groups == Some(10), "stopped after {stop_after} cases");
            assert_eq!(*engine.numerics(), before);
        }
    });
}
