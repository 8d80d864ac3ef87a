//! Corruption is told from noise on the real model: twenty faults are all called corrupt, and no sound pair of runs is (E16).
#![cfg(not(target_arch = "wasm32"))]

#[path = "support/real_model.rs"]
mod real_model;
mod support;

use lastbit::experiment::faults::faults;
use lastbit::experiment::prompts::PROMPTS;
use lastbit::generate::EngineOptions;
use lastbit::numerics::{Formats, Numerics, Order};

#[test]
fn every_fault_is_called_corrupt_and_no_sound_pair_is() {
    pollster::block_on(async {
        let options = EngineOptions { n_sequences: 2, ..EngineOptions::default() };
        let mut engine = real_model::smollm2(Numerics::new(Formats::Int8, Order::ByShape, 64), options).await;
        let (learn, sound) = (&PROMPTS[..3], &PROMPTS[3..6]);
        let judged = faults(&mut engine, learn, sound, |judged| println!("{judged:?}")).await.expect("a sound device");
        assert_eq!(judged.iter().filter(|judged| judged.is_fault).count(), 20);
        let wrong: Vec<_> = judged.iter().filter(|judged| !judged.is_right()).collect();
        assert!(wrong.is_empty(), "{wrong:#?}");
    });
}
