//! Experiments held to their promises, natively and in the browser alike.

use lastbit::experiment::{Case, Experiment, Judged, Origin, Outcome, Record, Row, Sizes, cases, measure, table};
use lastbit::generate::Engine;

/// Measures everything that the experiments need and expects every promise to hold, each of them put to the test, and every warm run to
/// have reused something. The record holds the table's rows.
pub(crate) async fn check(engine: &mut Engine, experiments: &[Experiment], sizes: &Sizes) -> Record {
    let mut record = Record::new(Origin::new(engine));
    let all: Vec<Case> = cases(experiments, sizes);
    for case in record.remaining(&all) {
        let measured = measure(engine, case).await.unwrap_or_else(|error| panic!("{case:?}: {error}"));
        let reused = match &measured.outcome {
            Outcome::Pair(pair) => pair.reused_tokens,
            Outcome::Runs(runs) => runs.warm[0].reused_tokens.min(runs.warm[1].reused_tokens),
            _ => 1, // has no warm run of its own, or says itself how much it reuses
        };
        assert!(reused > 0, "{case:?}: the warm run reused nothing");
        record.measured.push(measured);
    }
    assert!(!all.is_empty() && record.remaining(&all).is_empty());
    record.rows = experiments.iter().flat_map(|experiment| experiment.rows(sizes, &record)).collect();
    let told = table(&record.rows);
    println!("{told}");
    assert!(record.rows.iter().all(|row| row.judged != Judged::Fail), "a promise is broken:\n{told}");
    for experiment in experiments {
        let of_experiment = |row: &&Row| row.experiment == *experiment && row.judged != Judged::Measured;
        assert!(
            record.rows.iter().filter(of_experiment).count() > 0,
            "{experiment:?} was not put to the test:\n{told}"
        );
    }
    record
}
