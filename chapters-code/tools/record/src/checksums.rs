//! Results bit by bit, of all that must be the same on every device with the same profile: integers,
//! maxima and minima, and sums of floats whose order is fixed.

use chapter_1_reduce::chapter::{self as reduce, Reduce};
use chapter_2_histogram::chapter::{self as histogram, Histogram};
use chapter_3_scan::chapter::{self as scan, Scan};
use chapter_4_compact::chapter::{self as compact, Compact};
use chapter_5_segmented_scan::chapter::{self as segmented, Segmented};
use chapter_6_transpose::chapter::{self as transpose, Transpose};
use chapter_7_coalescing::chapter::{self as coalescing, Coalescing};
use harness::Case;
use report::{
    Chapter, Row,
    progress::Progress,
    recorded::Checksum,
    runner::{Runner, Step},
};

use crate::rungs::rungs_for;

/// A chapter, and the cases whose results are recorded bit by bit.
pub struct Exact {
    /// The chapter.
    pub chapter: Box<dyn Chapter>,
    /// The cases that are run.
    pub cases: Vec<Case>,
}

/// Those of all chapters.
pub fn all() -> Vec<Exact> {
    fn exact(chapter: impl Chapter + 'static, cases: Vec<Case>) -> Exact {
        Exact { chapter: Box::new(chapter), cases }
    }
    vec![
        exact(Reduce, reduce::checksum_cases()),
        exact(Histogram::COUNTING, histogram::checksum_cases()),
        exact(Scan, scan::checksum_cases()),
        exact(Compact::SEEDED, compact::checksum_cases()),
        exact(Segmented::OF_SEED, segmented::checksum_cases()),
        exact(Transpose, transpose::checksum_cases()),
        exact(Coalescing, coalescing::checksum_cases()),
    ]
}

/// Runs every rung with a fixed order of operations on every case of at most `most_elements` elements, untimed.
///
/// # Errors
/// Where a rung cannot be set up or launched.
pub fn collect(runner: &mut Runner, most_elements: u64) -> anyhow::Result<Vec<Checksum>> {
    let mut checksums = Vec::new();
    for exact in all() {
        let cases = exact.cases.iter().copied();
        let cases = cases.filter(|case| case.elements() <= most_elements);
        checksums.extend(run(runner, &exact, cases)?);
    }
    Ok(checksums)
}

fn run(
    runner: &mut Runner,
    exact: &Exact,
    cases: impl Iterator<Item = Case>,
) -> anyhow::Result<Vec<Checksum>> {
    let chapter = &*exact.chapter;
    let mut steps = Vec::new();
    for case in cases {
        let rungs = rungs_for(chapter, &case).into_iter();
        let exact = rungs.filter(|rung| !(rung.varies)(&case));
        steps.extend(exact.map(|rung| Step { rung, case }));
    }
    let progress = Progress::new(steps.len());
    let mut checksums = Vec::new();
    let (bench, baselines) = (runner.bench.take(), std::mem::take(&mut runner.baselines));
    let done = &mut |row: Row| {
        if row.correct {
            checksums.push(Checksum::of(&row));
        }
        Ok(())
    };
    let result = runner.run_steps(chapter, &steps, &progress, done);
    (runner.bench, runner.baselines) = (bench, baselines);
    result.map(|()| checksums)
}
