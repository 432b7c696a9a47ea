//! Every rung of chapters 1 to 8 in a CUDA graph: captured once, replayed on other inputs, and judged. Chapter 8 needs two
//! devices.

use std::collections::BTreeSet;

use anyhow::{Result, ensure};
use chapter_0_setup::chapter::Setup;
use chapter_1_reduce::chapter::Reduce;
use chapter_5_segmented_scan::{Matrix, SegmentParameters, chapter::Segmented};
use chapter_7_coalescing::chapter::Coalescing;
use chapter_8_multi_gpu::{Task, chapter::MultiGpu, task::doing};
use harness::{Case, ChapterParameters, Device, Dtype, Error, Input, Shape, verify::Verdict};
use report::{Chapter, replay};

use crate::rungs::{EVEN, MATRIX, ODD, case, cases, chapters, rungs_for};

/// A rung's replays on a case.
pub struct Replays {
    /// Chapter, rung and case.
    pub name: String,
    /// What is wrong with them; empty where all are right.
    pub wrong: Vec<String>,
}

/// What no graph holds, of chapter 8: the host reads a result between two launches, or arrays are copied from the context
/// of a device to that of another. (The simulated driver refuses them; what NVIDIA's captures after all is judged.)
const NOT_CAPTURED: [&str; 10] = [
    "gather",
    "ring",
    "reduce_scatter_ring",
    "all_gather_ring",
    "all_to_all_copies",
    "transpose_exchange",
    "reduce_by_host",
    "histogram_gather",
    "scan_then_carry",
    "compact_copies",
];

/// For the rungs that work in place.
const SQUARE: Shape = Shape::Matrix { rows: 200, cols: 200 };

/// Captures every rung that is not broken on purpose, and hands its replays to `done`.
///
/// # Errors
/// Where a rung runs on none of the cases, and what `done` returns.
pub fn all(device: &Device, done: &mut dyn FnMut(Replays) -> Result<()>) -> Result<()> {
    let one_device = harness::Device::count() < 2;
    for chapter in chapters() {
        let name = chapter.name();
        if name == Setup.name() || one_device && name == MultiGpu.name() {
            continue;
        }
        let rungs = chapter.rungs().into_iter();
        let mut left: BTreeSet<_> = rungs.filter(|r| !r.is_broken()).map(|r| r.name).collect();
        for case in all_cases(&*chapter) {
            for rung in rungs_for(&*chapter, &case) {
                left.remove(rung.name);
                let cases = others(&*chapter, case);
                let replays = replay::replays(&*chapter, device, rung.name, &cases);
                let is_captured = name != MultiGpu.name() || !NOT_CAPTURED.contains(&rung.name);
                let wrong = match replays {
                    Ok(_) if !is_captured && device.is_simulated() => {
                        vec!["a graph holds it: NOT_CAPTURED is stale".into()]
                    }
                    Err(Error::Driver { .. }) if !is_captured => Vec::new(),
                    replays => wrong(replays),
                };
                done(Replays { name: format!("{name}/{} on {case}", rung.name), wrong })?;
            }
        }
        ensure!(left.is_empty(), "{name}: {left:?} run on none of the cases");
    }
    Ok(())
}

/// The same with other elements: of other seeds, or, in the chapter whose seeds also say which elements are
/// gathered, of other kinds.
fn others(chapter: &dyn Chapter, case: Case) -> [Case; 4] {
    const KINDS: [Input; 4] = [Input::Uniform, Input::Negative, Input::Cancelling, Input::Constant];
    if chapter.name() == Coalescing.name() {
        return KINDS.map(|input| Case { input, ..case });
    }
    [1, 2, 3, 4].map(|seed| Case { seed, ..case })
}

/// Every task of several devices; of one device the cases that are counted, squares, and integers, for which alone one
/// rung has kernels.
fn all_cases(chapter: &dyn Chapter) -> Vec<Case> {
    if chapter.name() == MultiGpu.name() {
        return Task::ALL.map(|task| doing(task, &case(EVEN, Dtype::F32))).into();
    }
    // Of the odd size there are fewer patterns of access.
    let vector = match chapter.name() == Coalescing.name() {
        true => ODD,
        false => EVEN,
    };
    let shapes = [vector, MATRIX, SQUARE].into_iter();
    let mut cases: Vec<_> = shapes.flat_map(|shape| cases(chapter, shape)).collect();
    if chapter.name() == Reduce.name() {
        cases.push(case(EVEN, Dtype::I32));
    }
    if chapter.name() == Segmented::DEFAULT.name() {
        cases.iter_mut().for_each(fix_matrix);
    }
    cases
}

/// Makes the matrix of a product one that has the same number of rows and entries with every seed.
fn fix_matrix(case: &mut Case) {
    let parameters = SegmentParameters::of(case);
    let matrix = parameters.matrix.map(|_| Matrix::Banded);
    case.parameters = SegmentParameters { matrix, ..parameters }.into();
}

fn wrong(replays: Result<Vec<Verdict>, Error>) -> Vec<String> {
    match replays {
        Ok(verdicts) => {
            let failures = verdicts.into_iter().flat_map(|verdict| verdict.failures);
            failures.map(|failure| failure.message).collect()
        }
        Err(error) => vec![error.to_string()],
    }
}
