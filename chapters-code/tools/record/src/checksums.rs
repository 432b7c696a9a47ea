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

/// The rungs and cases of a chapter whose results are the same on every device with the same profile.
pub struct Exact {
    /// The chapter.
    pub chapter: Box<dyn Chapter>,
    /// The cases that are run.
    pub cases: Vec<Case>,
    /// Whether a rung computes a case in a fixed order.
    pub has_fixed_order: fn(&str, &Case) -> bool,
}

/// Those of all chapters.
pub fn all() -> Vec<Exact> {
    type FixedOrder = fn(&str, &Case) -> bool;
    fn exact(chapter: impl Chapter + 'static, cases: Vec<Case>, order: FixedOrder) -> Exact {
        Exact {
            chapter: Box::new(chapter),
            cases,
            has_fixed_order: order,
        }
    }
    let always: FixedOrder = |_, _| true;
    vec![
        exact(Reduce, reduce::checksum_cases(), reduce::has_fixed_order),
        exact(Histogram::COUNTING, histogram::checksum_cases(), always),
        exact(Scan, scan::checksum_cases(), scan::has_fixed_order),
        exact(
            Compact::SEEDED,
            compact::checksum_cases(),
            compact::has_fixed_order,
        ),
        exact(
            Segmented::OF_SEED,
            segmented::checksum_cases(),
            segmented::has_fixed_order,
        ),
        exact(
            Transpose,
            transpose::checksum_cases(),
            transpose::has_fixed_order,
        ),
        exact(
            Coalescing,
            coalescing::checksum_cases(),
            coalescing::has_fixed_order,
        ),
    ]
}

/// Runs every rung that qualifies on every case of at most so many elements, untimed.
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
        let exact = rungs.filter(|rung| (exact.has_fixed_order)(rung.name, &case));
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
    let result = runner.run(chapter, &steps, &progress, done);
    (runner.bench, runner.baselines) = (bench, baselines);
    result.map(|()| checksums)
}
