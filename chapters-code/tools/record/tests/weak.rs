//! Every kernel of the book gives the right result with weak memory. Those whose threads wait for, count or poll others
//! run with all seeds, as [`harness::weak::try_seeds`] finds out.

use chapter_2_histogram::HistogramParameters;
use harness::{Case, Dtype};
use report::{
    runner::Step,
    testing::{self, check, in_own_process},
};

use crate::schedules::cases;

const SEEDS: u64 = 200;
/// Of kernels of several devices, whose threads all wait for others.
const SEEDS_OF_SEVERAL: u64 = 24;

/// Cases that take little time. The tiles of the single-pass scans have 64 KiB, and there are to be two of them.
fn small_cases(chapter: &str) -> Vec<Case> {
    let of_8_bytes = |case| Case { dtype: Dtype::I64, ..case };
    let few_bins = HistogramParameters { bins: Some(8), ..HistogramParameters::default() };
    let with_few_bins = |case| Case { parameters: few_bins.into(), ..case };
    match chapter {
        "chapter_2_histogram" => cases(chapter, &[9000]).into_iter().map(with_few_bins).collect(),
        // Flags and products with matrices have elements of 4 bytes only.
        "chapter_5_segmented_scan" => cases(chapter, &[17_000]),
        "chapter_1_reduce" | "chapter_3_scan" | "chapter_4_compact" => {
            cases(chapter, &[9000]).into_iter().map(of_8_bytes).collect()
        }
        _ => cases(chapter, &[9000]),
    }
}

/// Runs every second rung, each on all its cases.
fn check_half(half: usize) {
    let mut runner = testing::simulator();
    let mut rows = Vec::new();
    for chapter in record::chapters() {
        let is_of_several = chapter.name() == "chapter_8_multi_gpu";
        runner.weak_seeds = Some(if is_of_several { SEEDS_OF_SEVERAL } else { SEEDS });
        let steps = testing::steps(&*chapter, &small_cases(chapter.name()), &testing::is_right);
        let steps: Vec<Step> = steps.into_iter().skip(half).step_by(2).collect();
        rows.extend(testing::run_steps(&mut runner, &*chapter, &steps));
    }
    check(&rows);
}

#[test]
#[ignore = "half of the test below, in a process of its own"]
fn first_half() {
    check_half(0);
}

#[test]
#[ignore = "half of the test below, in a process of its own"]
fn second_half() {
    check_half(1);
}

/// The simulator's options are those of a process, and weak memory takes one core: two processes take two.
#[test]
#[ignore = "exhaustive: `cargo test -- --ignored exhaustive`"]
fn exhaustive_every_rung_with_weak_memory() {
    std::thread::scope(|scope| {
        for half in ["weak::first_half", "weak::second_half"] {
            scope.spawn(move || in_own_process(half));
        }
    });
}
