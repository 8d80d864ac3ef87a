//! What one run leaves behind: a token, its rivals and a hash of all logits for every step.

use serde::{Serialize, Serializer};

/// Candidates kept per step.
pub const TOP: usize = 5;

/// One decoded token.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Step {
    /// The token chosen; the end-of-turn token is a step too.
    pub id: u32,
    /// The largest logits with their ids: logit descending, then id ascending.
    pub top: [(u32, f32); TOP],
    /// 128-bit hash of all logits, the same for the same bits; 32 hex digits when serialised.
    #[serde(serialize_with = "hex_digits")]
    pub logits_hash: [u32; 4],
    /// From the start of the step to its result on the CPU.
    pub elapsed_ms: f64,
}

impl Step {
    /// Top-1 logit minus top-2 logit, exact; 0 for a tie.
    pub fn margin(&self) -> f64 {
        f64::from(self.top[0].1) - f64::from(self.top[1].1)
    }

    /// The logit of a token among the largest ones.
    pub fn logit(&self, id: u32) -> Option<f32> {
        let found = self.top.iter().find(|(candidate, _)| *candidate == id);
        found.map(|(_, logit)| *logit)
    }

    /// True when everything compared has the same bits: the hash of the logits and the largest ones. Time is not compared.
    pub fn has_bits_of(&self, other: &Self) -> bool {
        let top_bits = |step: &Self| step.top.map(|(id, logit)| (id, logit.to_bits()));
        self.logits_hash == other.logits_hash && top_bits(self) == top_bits(other)
    }
}

/// Why a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
pub enum StopReason {
    /// The model chose an end-of-turn token.
    EndOfTurn,
    /// The limit on new tokens was reached.
    MaxTokens,
    /// The context is full.
    ContextFull,
    /// Someone stopped it.
    Cancelled,
}

/// One run from prompt to stop.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RunTrace {
    /// Tokens in the prompt.
    pub prompt_tokens: usize,
    /// Prompt tokens taken from the cache: the run's exposure.
    pub reused_tokens: usize,
    /// The tokens decoded, in order.
    pub steps: Vec<Step>,
    /// Why it ended.
    pub stop: StopReason,
    /// From the start of the run to its first token; none if it was stopped before.
    pub time_to_first_token_ms: Option<f64>,
    /// Names of the kernels that ran.
    pub kernels: Vec<String>,
}

fn hex_digits<S: Serializer>(hash: &[u32; 4], serializer: S) -> Result<S::Ok, S::Error> {
    let [a, b, c, d] = hash;
    serializer.collect_str(&format_args!("{a:08x}{b:08x}{c:08x}{d:08x}"))
}

/// Traces for the tests of this module's neighbours.
#[cfg(test)]
pub(crate) mod example {
    use super::{RunTrace, Step, StopReason};

    /// The token that ends a turn in these traces.
    pub(crate) const END_OF_TURN: u32 = 2;

    /// A step that chose `id` by a margin of 0.5 over token 9000; `hash` stands for all its logits.
    pub(crate) fn step(id: u32, hash: u32) -> Step {
        Step {
            id,
            top: [(id, 10.0), (9000, 9.5), (9001, 3.0), (9002, 2.0), (9003, 1.0)],
            logits_hash: [hash; 4],
            elapsed_ms: 1.0,
        }
    }

    /// A cold run of a 40-token prompt that chose `ids`.
    pub(crate) fn cold(ids: &[u32]) -> RunTrace {
        RunTrace {
            prompt_tokens: 40,
            reused_tokens: 0,
            steps: ids.iter().map(|id| step(*id, *id)).collect(),
            stop: match ids.last() {
                Some(&END_OF_TURN) => StopReason::EndOfTurn,
                _ => StopReason::MaxTokens,
            },
            time_to_first_token_ms: Some(5.0),
            kernels: vec!["matmul_vector".to_owned()],
        }
    }

    /// The same with 39 tokens reused.
    pub(crate) fn warm(ids: &[u32]) -> RunTrace {
        RunTrace { reused_tokens: 39, ..cold(ids) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn serialises_as_the_record_says() {
        let mut run = example::warm(&[7]);
        run.steps[0].logits_hash = [0x1, 0xab, 0xffff_ffff, 0];
        let json = serde_json::to_string(&run).expect("plain data");
        let expected = concat!(
            r#"{"prompt_tokens":40,"reused_tokens":39,"steps":[{"id":7,"#,
            r#""top":[[7,10.0],[9000,9.5],[9001,3.0],[9002,2.0],[9003,1.0]],"#,
            r#""logits_hash":"00000001000000abffffffff00000000","elapsed_ms":1.0}],"#,
            r#""stop":"max-tokens","time_to_first_token_ms":5.0,"kernels":["matmul_vector"]}"#
        );
        assert_eq!(json, expected);
        let words = [
            (StopReason::EndOfTurn, r#""end-of-turn""#),
            (StopReason::ContextFull, r#""context-full""#),
            (StopReason::Cancelled, r#""cancelled""#),
        ];
        for (stop, word) in words {
            assert_eq!(serde_json::to_string(&stop).expect("a word"), word);
        }
    }

    #[test]
    fn bits_are_compared_and_time_is_not() {
        let step = example::step(7, 1);
        assert!(step.has_bits_of(&Step { elapsed_ms: 9.0, ..step }));
        assert!(!step.has_bits_of(&Step { logits_hash: [1, 1, 1, 2], ..step }));
        let mut zero = step;
        zero.top[4].1 = 0.0;
        let mut negative_zero = zero;
        negative_zero.top[4].1 = -0.0;
        assert!(!zero.has_bits_of(&negative_zero));
        assert_eq!((step.margin(), step.logit(9001), step.logit(5)), (0.5, Some(3.0), None));
    }
}
