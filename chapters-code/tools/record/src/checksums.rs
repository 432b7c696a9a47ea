//! Results bit by bit, of all that must be the same on every device with the same profile: integers,
//! maxima and minima, and sums of floats whose order is fixed.

use chapter_1_reduce::chapter::{self as reduce, Reduce};
use chapter_2_histogram::chapter::{self as histogram, Histogram};
use chapter_3_scan::chapter::{self as scan, Scan};
use chapter_4_compact::chapter::{self as compact, Compact};
use chapter_5_segmented_scan::chapter::{self as segmented, Segmented};
use chapter_6_transpose::chapter::{self as transpose, Transpose};
use chapter_7_coalescing::chapter::{self as coalescing, Coalescing};
use harness::{
    Case, Chapter, Row,
    progress::Progress,
    recorded::Checksum,
    runner::{Runner, Step},
};

use crate::schedule::Scope;

/// Runs every rung that qualifies on every case, untimed.
pub(crate) fn collect(runner: &mut Runner, scope: Scope) -> anyhow::Result<Vec<Checksum>> {
    let mut checksums = of_chapter(
        runner,
        &Reduce,
        &few(reduce::checksum_cases(), scope),
        &reduce::has_fixed_order,
    )?;
    checksums.extend(of_chapter(
        runner,
        &Histogram::COUNTING,
        &few(histogram::checksum_cases(), scope),
        &|_, _| true,
    )?);
    checksums.extend(of_chapter(
        runner,
        &Scan,
        &few(scan::checksum_cases(), scope),
        &scan::has_fixed_order,
    )?);
    checksums.extend(of_chapter(
        runner,
        &Compact::SEEDED,
        &few(compact::checksum_cases(), scope),
        &compact::has_fixed_order,
    )?);
    checksums.extend(of_chapter(
        runner,
        &Segmented::OF_SEED,
        &few(segmented::checksum_cases(), scope),
        &segmented::has_fixed_order,
    )?);
    checksums.extend(of_chapter(
        runner,
        &Transpose,
        &few(transpose::checksum_cases(), scope),
        &transpose::has_fixed_order,
    )?);
    checksums.extend(of_chapter(
        runner,
        &Coalescing,
        &few(coalescing::checksum_cases(), scope),
        &coalescing::has_fixed_order,
    )?);
    Ok(checksums)
}

/// The cases that a trial has time for.
fn few(mut cases: Vec<Case>, scope: Scope) -> Vec<Case> {
    cases.retain(|case| scope != Scope::Trial || case.elements() <= 1 << 12);
    cases
}

fn of_chapter(
    runner: &mut Runner,
    chapter: &dyn Chapter,
    cases: &[Case],
    qualifies: &dyn Fn(&str, &Case) -> bool,
) -> anyhow::Result<Vec<Checksum>> {
    let mut steps = Vec::new();
    for &case in cases {
        for rung in chapter.rungs() {
            let runs = !rung.is_broken() && chapter.refusal(rung.name, &case).is_none();
            if runs && qualifies(rung.name, &case) {
                steps.push(Step { rung, case });
            }
        }
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
