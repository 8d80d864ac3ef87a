//! What a comparison proves about its device: the claim levels.

use serde::Serialize;

use super::report::ControlReport;
use super::verdict::Verdict;
use crate::numerics::Order;

/// How far equal bits go. A level is claimed only where it was checked, on the device that it is claimed of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum ClaimLevel {
    /// A run repeated gives the same bits.
    L0,
    /// A warm run gives the cold run's bits.
    L1,
    /// Any chunks, neighbours and reuse give the same bits.
    L2,
    /// The same adapter and driver give them on another day or machine.
    L3,
    /// Every adapter, and the CPU twin.
    L4,
}

/// The level that one comparison shows; none where the device did not repeat itself, or that was not seen.
///
/// Equal bits in order by-shape are what one prompt gave, not a rule: they claim no more than the control does.
pub(super) fn claim(verdict: Verdict, control: Option<ControlReport>, order: Order) -> Option<ClaimLevel> {
    let repeats = control.is_some_and(|control| control.same_bits);
    let is_sound = !matches!(verdict, Verdict::Error | Verdict::ControlFailed | Verdict::Corrupt);
    match (repeats && is_sound, verdict, order) {
        (false, _, _) => None,
        (true, Verdict::BitIdentical, Order::Invariant) => Some(ClaimLevel::L1),
        (true, _, _) => Some(ClaimLevel::L0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAME: ControlReport = ControlReport { same_tokens: true, same_bits: true };

    #[test]
    fn equal_bits_count_as_a_rule_only_in_the_invariant_order() {
        assert_eq!(claim(Verdict::BitIdentical, Some(SAME), Order::Invariant), Some(ClaimLevel::L1));
        assert_eq!(claim(Verdict::BitIdentical, Some(SAME), Order::ByShape), Some(ClaimLevel::L0));
    }

    #[test]
    fn a_fork_still_shows_that_the_device_repeats_itself() {
        for verdict in [Verdict::Forked, Verdict::Tie, Verdict::SameTokens, Verdict::Vacuous, Verdict::Cancelled] {
            assert_eq!(claim(verdict, Some(SAME), Order::Invariant), Some(ClaimLevel::L0), "{verdict:?}");
        }
    }

    #[test]
    fn without_a_control_that_held_nothing_is_claimed() {
        let tokens_only = ControlReport { same_tokens: true, same_bits: false };
        for control in [None, Some(tokens_only)] {
            assert_eq!(claim(Verdict::BitIdentical, control, Order::Invariant), None);
        }
        for verdict in [Verdict::Error, Verdict::ControlFailed, Verdict::Corrupt] {
            assert_eq!(claim(verdict, Some(SAME), Order::Invariant), None, "{verdict:?}");
        }
    }
}
