//! E17: everything before the first kernel that differs has equal bits; the invariant order at that kernel moves or removes the origin,
//! and at every kernel removes it.

use serde::{Deserialize, Serialize};

use super::Experiment;
use super::case::{Case, Measured, Outcome, ScenarioName, Sizes, Work};
use super::prompts::{FOLLOW_UP, PROMPTS};
use super::setting::Setting;
use super::table::{Judged, Row};
use crate::compare::Scenario;
use crate::compare::dissection::{Extent, dissect};
use crate::compare::origin::Origin;
use crate::generate::{CancelToken, Engine, GenerateError, Prompt};
use crate::model::TapTensor;
use crate::numerics::{Numerics, Order, Orders, Site};

/// Tokens decoded while looking for a difference, and of the answer to a first turn.
const N_TOKENS: usize = 8;

/// What the search for one prompt's origin found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OriginOutcome {
    /// The site whose kernel wrote the first value that differs, every site by shape; none where nothing differs.
    pub site: Option<Site>,
    /// Where it is, in words.
    pub sentence: String,
    /// Every tensor before it has equal bits.
    pub before_is_equal: bool,
    /// That site made invariant: the origin is somewhere else or nowhere.
    pub moves: bool,
    /// Every site made invariant: nothing differs.
    pub is_removed: bool,
}

pub(super) fn cases(sizes: &Sizes) -> Vec<Case> {
    let works = [ScenarioName::S1, ScenarioName::S2]
        .into_iter()
        .flat_map(|scenario| (0..sizes.few_prompts).map(move |prompt| Work::Origin { scenario, prompt }));
    works.map(|work| Case { setting: Setting::Int8, order: Order::ByShape, work }).collect()
}

pub(super) async fn measure(
    engine: &mut Engine,
    scenario: ScenarioName,
    prompt: usize,
) -> Result<OriginOutcome, GenerateError> {
    let numerics = *engine.numerics();
    let Some(origin) = search(engine, numerics.orders, scenario, prompt).await? else {
        let sentence = "no bit differs".to_owned();
        return Ok(OriginOutcome { site: None, sentence, before_is_equal: true, moves: true, is_removed: true });
    };
    let site = site_of(origin.tensor);
    let moved = search(engine, numerics.orders.with(site, Order::Invariant), scenario, prompt).await?;
    let removed = search(engine, Orders::all(Order::Invariant), scenario, prompt).await?;
    engine.configure(numerics).await?;
    let place = |origin: &Origin| (origin.position, origin.layer, origin.tensor);
    Ok(OriginOutcome {
        site: Some(site),
        sentence: origin.to_string(),
        before_is_equal: origin
            .taps
            .iter()
            .take_while(|tap| (tap.layer, tap.tensor) != (origin.layer, origin.tensor))
            .all(|tap| tap.difference.is_none_or(|difference| difference.is_none())),
        moves: moved.is_none_or(|moved| place(&moved) != place(&origin)),
        is_removed: removed.is_none(),
    })
}

async fn search(
    engine: &mut Engine,
    orders: Orders,
    scenario: ScenarioName,
    prompt: usize,
) -> Result<Option<Origin>, GenerateError> {
    engine.configure(Numerics { orders, ..*engine.numerics() }).await?;
    let scenario = match scenario {
        ScenarioName::S1 => Scenario::SamePrompt,
        ScenarioName::S2 => Scenario::SecondTurn { follow_up: FOLLOW_UP.to_owned(), reply_tokens: N_TOKENS },
    };
    let prompt = Prompt::Chat { user: PROMPTS[prompt].to_owned() };
    let found = dissect(engine, (&prompt, &scenario), Extent::to_fork(N_TOKENS), &CancelToken::default(), |_| ()).await;
    match found.error {
        Some(error) => Err(error),
        None => Ok(found.search.and_then(|search| search.origin)),
    }
}

/// The site whose kernels write a tensor.
fn site_of(tensor: TapTensor) -> Site {
    match tensor {
        TapTensor::Q | TapTensor::K | TapTensor::V => Site::AttnQkv,
        TapTensor::AttentionOutput => Site::Attention,
        TapTensor::ResidualAfterAttention => Site::AttnOutput,
        TapTensor::FfnHidden => Site::FfnGateUp,
        TapTensor::ResidualAfterFfn => Site::FfnDown,
        TapTensor::Logits => Site::Output,
    }
}

pub(super) fn rows(measured: &[&Measured]) -> Vec<Row> {
    let outcomes: Vec<&OriginOutcome> = measured
        .iter()
        .filter_map(|measured| match &measured.outcome {
            Outcome::Origin(outcome) => Some(outcome),
            _ => None,
        })
        .collect();
    let with_origin: Vec<&&OriginOutcome> = outcomes.iter().filter(|outcome| outcome.site.is_some()).collect();
    let n = with_origin.len();
    let count = |what: &str, holds: fn(&OriginOutcome) -> bool| {
        let k = with_origin.iter().filter(|outcome| holds(outcome)).count();
        Row::count(Experiment::E17, what, k, n).judged("all", Judged::promise(k == n))
    };
    let found = Row::count(Experiment::E17, "int8 by-shape: an origin was found", n, outcomes.len());
    let mut rows = vec![
        found,
        count("every tensor before the origin has equal bits", |outcome| outcome.before_is_equal),
        count("its site made invariant: the origin moves or goes", |outcome| outcome.moves),
        count("every site made invariant: nothing differs", |outcome| outcome.is_removed),
    ];
    for site in Site::ALL {
        let k = with_origin.iter().filter(|outcome| outcome.site == Some(site)).count();
        if k > 0 {
            rows.push(Row::count(Experiment::E17, format!("origin at {}", site.name()), k, n));
        }
    }
    rows
}
