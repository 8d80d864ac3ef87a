//! E16: twenty faults put in on purpose must all be called corrupt, and no sound pair of runs may be.
//!
//! Sound pairs and faults are held against the rounding of the precision in use, measured on this device for each prompt. A fault is put
//! into the warm run alone: into its cache before it begins, or into its own steps.

use serde::{Deserialize, Serialize};

use super::Experiment;
use super::case::{Case, Measured, Outcome, Sizes, Work};
use super::prompts::FOLLOW_UP;
use super::setting::Setting;
use super::table::{Judged, Row};
use crate::cache::BLOCK_TOKENS;
use crate::compare::corruption::{Judgement, rounding};
use crate::compare::watch::{ColdRun, Distances, WarmState};
use crate::compare::{Pair, Scenario, Schedules};
use crate::generate::{Engine, GenerateError, Prompt};
use crate::model::{InjectedFault, KvSlot, ModelError, Outputs, TapRun, TapTensor};
use crate::numerics::{Order, Site};
use crate::tokenizer::TokenId;

/// Tokens of the answer to a first turn.
const REPLY_TOKENS: usize = 24;

/// What is done to the warm run. Layers count from 0 and wrap in models that have fewer.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Injection {
    /// Its own steps go wrong.
    Steps(InjectedFault),
    /// K or V of two cached positions change places in one layer.
    Swapped { layer: u32, tensor: TapTensor },
    /// A cached block holds what an earlier block holds: in one layer or in all.
    StaleBlock { layer: Option<u32> },
    /// A cached block holds nothing but zeros: in one layer or in all.
    ZeroedBlock { layer: Option<u32> },
    /// A cached block was computed from other tokens at the same positions.
    OtherTokens { n_tokens: usize },
    /// A cached block was computed as if it stood one position later.
    BlockOff,
    /// The cached keys of a layer are too large by this factor.
    ScaledKeys { layer: u32, factor: f32 },
}

/// The faults: what each is, in which scenario, and what is done.
const INJECTIONS: [(&str, bool, Injection); 20] = [
    ("position off by one, same prompt", false, Injection::Steps(InjectedFault::PositionOff { by: 1 })),
    ("position off by one, second turn", true, Injection::Steps(InjectedFault::PositionOff { by: 1 })),
    ("cached block computed one position off", false, Injection::BlockOff),
    ("keys of two positions swapped in layer 0", false, Injection::Swapped { layer: 0, tensor: TapTensor::K }),
    ("keys of two positions swapped in layer 15", true, Injection::Swapped { layer: 15, tensor: TapTensor::K }),
    ("values of two positions swapped in layer 29", false, Injection::Swapped { layer: 29, tensor: TapTensor::V }),
    ("stale block in every layer", false, Injection::StaleBlock { layer: None }),
    ("stale block in layer 12", true, Injection::StaleBlock { layer: Some(12) }),
    ("zeroed block in every layer", false, Injection::ZeroedBlock { layer: None }),
    ("zeroed block in layer 20", true, Injection::ZeroedBlock { layer: Some(20) }),
    ("block of another sequence", false, Injection::OtherTokens { n_tokens: BLOCK_TOKENS }),
    ("one token of the prefix was another", true, Injection::OtherTokens { n_tokens: 1 }),
    (
        "scores of layer 4 scaled for heads of half the size",
        false,
        Injection::Steps(InjectedFault::ScoreScale { layer: 4, factor: std::f32::consts::SQRT_2 }),
    ),
    ("scores half as large in layer 25", true, Injection::Steps(InjectedFault::ScoreScale { layer: 25, factor: 0.5 })),
    ("truncated softmax in layer 0", false, Injection::Steps(InjectedFault::LostSplit { layer: 0 })),
    ("truncated softmax in layer 18", false, Injection::Steps(InjectedFault::LostSplit { layer: 18 })),
    (
        "attn_output not dispatched in layer 7",
        false,
        Injection::Steps(InjectedFault::SkippedSite { layer: 7, site: Site::AttnOutput }),
    ),
    (
        "ffn_down not dispatched in layer 22",
        true,
        Injection::Steps(InjectedFault::SkippedSite { layer: 22, site: Site::FfnDown }),
    ),
    (
        "attention not dispatched in layer 10",
        false,
        Injection::Steps(InjectedFault::SkippedSite { layer: 10, site: Site::Attention }),
    ),
    ("keys of layer 3 scaled by 1.05", false, Injection::ScaledKeys { layer: 3, factor: 1.05 }),
];

/// A fault whose effect is of the size of int8's own rounding: finer arithmetic tells it apart, int8 cannot.
const GENTLE: (&str, bool, Injection) = (
    "scores of layer 4 a tenth too large",
    false,
    Injection::Steps(InjectedFault::ScoreScale { layer: 4, factor: 1.1 }),
);

/// What was done to a warm run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Injected {
    /// Nothing.
    Nothing,
    /// A fault that must be found.
    Fault,
    /// A fault as small as rounding.
    GentleFault,
}

/// One judged pair of runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct JudgedPair {
    /// The fault, or the prompt of a sound pair.
    pub what: String,
    /// What was done to the warm run.
    pub injected: Injected,
    /// What it was called. None where the warm run ended in an error of its own, which is as good as corrupt.
    pub judgement: Option<Judgement>,
}

impl JudgedPair {
    /// Whether it was called corrupt.
    pub fn is_corrupt(&self) -> bool {
        self.judgement.is_none_or(|judgement| judgement.is_corrupt())
    }
}

/// The precisions whose rounding is told from faults.
const SETTINGS: [Setting; 3] = [Setting::Int8, Setting::Float, Setting::F32];

pub(super) fn cases(sizes: &Sizes) -> Vec<Case> {
    let settings = sizes.settings.iter().filter(|setting| SETTINGS.contains(setting));
    let work = Work::Faults { prompts: sizes.few_prompts };
    settings.map(|&setting| Case { setting, order: Order::ByShape, work }).collect()
}

pub(super) fn rows(measured: &[&Measured]) -> Vec<Row> {
    measured.iter().flat_map(|measured| rows_of(measured)).collect()
}

fn rows_of(measured: &Measured) -> Vec<Row> {
    let Outcome::Faults { judged } = &measured.outcome else { return Vec::new() };
    let setting = measured.case.setting.name();
    let count = |what: &str, injected: Injected, corrupt: bool| {
        let of: Vec<&JudgedPair> = judged.iter().filter(|pair| pair.injected == injected).collect();
        let k = of.iter().filter(|pair| pair.is_corrupt() == corrupt).count();
        (Row::count(Experiment::E16, format!("{setting} by-shape: {what}"), k, of.len()), k == of.len())
    };
    let promise = |(row, all): (Row, bool)| row.judged("all", Judged::promise(all));
    let times = |pair: &JudgedPair| match pair.judgement {
        Some(Judgement::Noise { times_rounding } | Judgement::Corrupt { times_rounding, .. }) => times_rounding,
        None => f64::INFINITY,
    };
    let of = |injected| judged.iter().filter(move |pair| pair.injected == injected).map(times);
    let (loudest, gentlest) =
        (of(Injected::Nothing).fold(0.0, f64::max), of(Injected::Fault).fold(f64::INFINITY, f64::min));
    let value = |what: &str, value: f64, injected| {
        let what = format!("{setting} by-shape: {what}, times the rounding");
        Row::value(Experiment::E16, what, value.is_finite().then_some(value), of(injected).count())
    };
    vec![
        promise(count("injected faults called corrupt", Injected::Fault, true)),
        promise(count("sound pairs called noise", Injected::Nothing, false)),
        value("furthest sound pair", loudest, Injected::Nothing),
        value("least fault", gentlest, Injected::Fault),
        count("a fault as small as int8's rounding called corrupt", Injected::GentleFault, true).0,
    ]
}

/// Judges sound pairs of the prompts in both scenarios, and the faults on the last of them, where it is long enough for them. Each prompt
/// is a first chat message.
///
/// # Errors
/// GPU errors; prompts that do not fit. The engine needs two sequences.
pub(super) async fn faults(engine: &mut Engine, prompts: &[&str]) -> Result<Vec<JudgedPair>, GenerateError> {
    let mut sound = Vec::new();
    for user in prompts {
        for second_turn in [false, true] {
            let schedules = schedules(engine, user, second_turn).await?;
            let cold = Pair::new(engine)?.watch_cold(&schedules.ids, &schedules.cold).await?;
            let case = FaultCase { schedules, cold };
            let apart = watch_warm(engine, &case, None).await?;
            let turn = if second_turn { "second turn" } else { "same prompt" };
            sound.push((format!("{user} ({turn})"), case, apart));
        }
    }
    // The last prompt's cold runs are those of the faults too.
    let of_last = sound.len().saturating_sub(2);
    // Blocks change places: it takes two.
    let is_long_enough =
        !sound.is_empty() && sound[of_last..].iter().all(|(_, case, _)| case.schedules.n_reused >= 2 * BLOCK_TOKENS);
    let mut injected = Vec::new();
    for (what, second_turn, injection) in INJECTIONS.into_iter().chain([GENTLE]).filter(|_| is_long_enough) {
        let (_, case, _) = &sound[of_last + usize::from(second_turn)];
        let apart = match watch_warm(engine, case, Some(injection)).await {
            Ok(apart) => Some(apart),
            Err(GenerateError::Model(ModelError::LogitsNotFinite { .. })) => None,
            Err(error) => return Err(error),
        };
        injected.push((what, second_turn, apart));
    }
    let cold_runs: Vec<_> = sound.iter().map(|(_, case, _)| &case.cold).collect();
    let roundings = rounding(engine, &cold_runs).await?;
    let of_sound = sound.iter().zip(&roundings).map(|((what, _, apart), rounding)| JudgedPair {
        what: what.clone(),
        injected: Injected::Nothing,
        judgement: Some(Judgement::of(apart, rounding)),
    });
    let of_faults = injected.into_iter().map(|(what, second_turn, apart)| JudgedPair {
        what: what.to_owned(),
        injected: if what == GENTLE.0 { Injected::GentleFault } else { Injected::Fault },
        judgement: apart.map(|apart| Judgement::of(&apart, &roundings[of_last + usize::from(second_turn)])),
    });
    Ok(of_sound.chain(of_faults).collect())
}

async fn schedules(engine: &mut Engine, user: &str, second_turn: bool) -> Result<Schedules, GenerateError> {
    let scenario = match second_turn {
        false => Scenario::SamePrompt,
        true => Scenario::SecondTurn { follow_up: FOLLOW_UP.to_owned(), reply_tokens: REPLY_TOKENS },
    };
    Schedules::new(engine, &Prompt::Chat { user: user.to_owned() }, &scenario).await
}

/// A prompt's two ways, and what its cold run computed, which no fault reaches.
struct FaultCase {
    schedules: Schedules,
    cold: ColdRun,
}

async fn watch_warm(
    engine: &mut Engine,
    FaultCase { schedules, cold }: &FaultCase,
    injection: Option<Injection>,
) -> Result<Distances, GenerateError> {
    let n_layers = engine.model().config.n_blocks;
    let in_model = |fault| match fault {
        InjectedFault::SkippedSite { layer, site } => InjectedFault::SkippedSite { layer: layer % n_layers, site },
        InjectedFault::LostSplit { layer } => InjectedFault::LostSplit { layer: layer % n_layers },
        InjectedFault::ScoreScale { layer, factor } => InjectedFault::ScoreScale { layer: layer % n_layers, factor },
        InjectedFault::PositionOff { by } => InjectedFault::PositionOff { by },
    };
    let in_steps = match injection {
        Some(Injection::Steps(fault)) => Some(in_model(fault)),
        _ => None,
    };
    let mut pair = Pair::new(engine)?;
    pair.watch_warm(
        cold,
        &schedules.warm,
        async |engine, state| match injection {
            Some(injection) => tamper(engine, state, schedules.n_reused, injection).await,
            None => Ok(()),
        },
        |engine, begins| engine.pass().inject(in_steps.filter(|_| begins)),
    )
    .await
}

/// Puts a fault into the warm run's cache.
async fn tamper(
    engine: &mut Engine,
    state: WarmState<'_>,
    n_reused: usize,
    injection: Injection,
) -> Result<(), GenerateError> {
    let config = &engine.model().config;
    let (n_layers, kv_dim) = (config.n_blocks, config.kv_dim() as usize);
    // A whole block in the middle of what is reused.
    let block = (n_reused / BLOCK_TOKENS / 2).max(1) * BLOCK_TOKENS;
    let positions = block..(block + BLOCK_TOKENS).min(n_reused);
    let layers = |layer: Option<u32>| layer.map_or((0..n_layers).collect(), |layer| vec![layer % n_layers]);
    match injection {
        Injection::Steps(_) => {}
        Injection::Swapped { layer, tensor } => {
            let layer = layer % n_layers;
            let [a, b] = [block, block + 5].map(|position| state.slot(position));
            let row_a = cached_row(engine, layer, tensor, a).await?;
            let row_b = cached_row(engine, layer, tensor, b).await?;
            engine.pass().write_kv(layer, tensor, a, &row_b)?;
            engine.pass().write_kv(layer, tensor, b, &row_a)?;
        }
        Injection::StaleBlock { layer } => {
            let n_positions = u32::try_from(positions.len()).expect("a block is short");
            let copy = (state.slot(block - BLOCK_TOKENS), state.slot(block), n_positions);
            engine.pass().copy_kv(&layers(layer), &[copy])?;
        }
        Injection::ZeroedBlock { layer } => {
            for layer in layers(layer) {
                for position in positions.clone() {
                    for tensor in [TapTensor::K, TapTensor::V] {
                        engine.pass().write_kv(layer, tensor, state.slot(position), &vec![0.0; kv_dim])?;
                    }
                }
            }
        }
        Injection::OtherTokens { n_tokens } => {
            let others: Vec<TokenId> = state.ids[positions.start..][..n_tokens].iter().map(|id| id / 2 + 100).collect();
            engine.pass().forward(&state.lane.rows(positions.start, &others), Outputs::None).await?;
        }
        Injection::BlockOff => {
            engine.pass().inject(Some(InjectedFault::PositionOff { by: 1 }));
            let rows = state.lane.rows(positions.start, &state.ids[positions]);
            let computed = engine.pass().forward(&rows, Outputs::None).await;
            engine.pass().inject(None);
            computed?;
        }
        Injection::ScaledKeys { layer, factor } => {
            let layer = layer % n_layers;
            for position in 0..n_reused {
                let row = cached_row(engine, layer, TapTensor::K, state.slot(position)).await?;
                let scaled: Vec<f32> = row.iter().map(|value| value * factor).collect();
                engine.pass().write_kv(layer, TapTensor::K, state.slot(position), &scaled)?;
            }
        }
    }
    Ok(())
}

/// One cached row of K or V.
async fn cached_row(
    engine: &mut Engine,
    layer: u32,
    tensor: TapTensor,
    slot: KvSlot,
) -> Result<Vec<f32>, GenerateError> {
    engine.pass().tap_cached(slot, TapRun::First).await?;
    let [row, _] = engine.pass().tapped_values(Some(layer), tensor).await?;
    Ok(row)
}
