//! Results bit by bit, of all that must be the same on every device with the same profile: integers,
//! maxima and minima, and sums of floats whose order is fixed.

use recording::Checksum;
use report::{
    AnyCase, AnyChapter, Row,
    progress::Progress,
    recorded::checksum,
    runner::{Runner, Step},
};

use crate::rungs_for;

/// Runs every rung with a fixed order of operations on every case of at most `max_elements` elements, untimed.
///
/// # Errors
/// If a rung cannot be set up or launched.
pub fn collect(runner: &mut Runner, max_elements: u64) -> anyhow::Result<Vec<Checksum>> {
    let mut checksums = Vec::new();
    for chapter in chapters::ALL {
        let mut cases = chapter.checksum_cases();
        cases.retain(|case| case.elements() <= max_elements);
        checksums.extend(run(runner, *chapter, &cases)?);
    }
    Ok(checksums)
}

fn run(
    runner: &mut Runner,
    chapter: &dyn AnyChapter,
    cases: &[AnyCase],
) -> anyhow::Result<Vec<Checksum>> {
    let mut steps = Vec::new();
    for case in cases {
        let rungs = rungs_for(chapter, case).into_iter();
        let exact = rungs.filter(|rung| !chapter.varies(rung.name, case));
        steps.extend(exact.map(|rung| Step { rung, case: case.clone() }));
    }
    let progress = Progress::new(steps.len());
    let mut checksums = Vec::new();
    let (bench, baselines) = (runner.bench.take(), std::mem::take(&mut runner.baselines));
    let done = &mut |row: Row| {
        if row.correct {
            checksums.push(checksum(&row));
        }
        Ok(())
    };
    let result = runner.run_steps(chapter, &steps, &progress, done);
    (runner.bench, runner.baselines) = (bench, baselines);
    result.map(|()| checksums)
}
