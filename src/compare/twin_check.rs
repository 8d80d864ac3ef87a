//! Whether a device gave the CPU twin's bits, and with that the claim level L4: the same bits on every adapter for which it holds.

use serde::Serialize;

use super::claim::ClaimLevel;
use super::comparison::{RunName, Runs};
use crate::gpu::Fingerprint;

/// A device's runs beside the twin's.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct TwinCheck {
    /// Decoded tokens whose logits were compared, over all runs.
    pub n_steps: usize,
    /// Of which run, and the number of its first token whose logits differ.
    pub first_difference: Option<(RunName, usize)>,
    /// [`ClaimLevel::L4`] where every bit agreed and nothing is known of the device that would keep others from agreeing.
    pub claim: Option<ClaimLevel>,
    /// Why there is no claim.
    pub reason: Option<String>,
}

/// Compares the runs of one request on a device with those on the twin, logits hash by logits hash.
pub fn twin_check(device: &Runs, twin: &Runs, fingerprint: &Fingerprint) -> TwinCheck {
    let pairs = [
        (RunName::FirstTurn, &device.first_turn, &twin.first_turn),
        (RunName::ColdA, &device.cold_a, &twin.cold_a),
        (RunName::ColdB, &device.cold_b, &twin.cold_b),
        (RunName::Warm, &device.warm, &twin.warm),
    ];
    let mut n_steps = 0;
    let mut first_difference = None;
    for (name, device, twin) in pairs {
        let Some((device, twin)) = device.as_ref().zip(twin.as_ref()) else { continue };
        let n_both = device.steps.len().min(twin.steps.len());
        let differing = device.steps.iter().zip(&twin.steps).position(|(a, b)| !a.has_bits_of(b));
        let differing = differing.or((device.steps.len() != twin.steps.len()).then_some(n_both));
        n_steps += n_both;
        first_difference = first_difference.or(differing.map(|index| (name, index)));
    }
    let ended = |runs: &Runs| runs.error.is_none() && runs.warm.is_some();
    let reason = match first_difference {
        Some((run, index)) => {
            Some(format!("the logits of token {index} of the {} run differ from the twin's", run.words()))
        }
        None if !(ended(device) && ended(twin)) => Some("a run did not end, so not every step was compared".to_owned()),
        None => None,
    };
    let unlike = fingerprint.unlike_the_twin();
    let hindered =
        (!unlike.is_empty()).then(|| format!("the device cannot be relied on for it: {}", unlike.join("; ")));
    let reason = match (reason, hindered) {
        (Some(reason), Some(hindered)) => Some(format!("{reason}; {hindered}")),
        (reason, hindered) => reason.or(hindered),
    };
    TwinCheck { n_steps, first_difference, claim: reason.is_none().then_some(ClaimLevel::L4), reason }
}
