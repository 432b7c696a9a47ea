//! Every kernel of the book gives the right result with weak memory. Those whose threads wait for, count or poll others
//! run with all seeds, as [`harness::weak::try_seeds`] finds out.

use harness::{Case, Dtype};
use record::rungs_for;
use report::{AnyCase, AnyChapter, runner::Step};
use testing::{check, in_own_process};

use crate::schedules::cases;

const SEEDS: u64 = 200;
/// Of kernels of several devices, whose threads all wait for others.
const SEEDS_OF_SEVERAL: u64 = 24;

/// Cases that take little time. The tiles of the single-pass scans have 64 KiB, and there are to be two of them: elements
/// have 8 bytes if a rung has kernels for that.
fn small_cases(chapter: &dyn AnyChapter) -> Vec<AnyCase> {
    let has = |column| chapter.parameters().iter().any(|parameter| parameter.column == column);
    // Flags and products with matrices have elements of 4 bytes only.
    let n = if has("segments") { 17_000 } else { 9000 };
    let few_bins = chapter.read(&mut |column| (column == "bins").then(|| "8".into()));
    let few_bins = few_bins.expect("a number of bins");
    let smaller = |case: AnyCase| {
        let wide = Case { dtype: Dtype::I64, ..case.clone() };
        match has("segments") || rungs_for(chapter, &wide).is_empty() {
            true if has("keys") => Case { task: few_bins.clone(), ..case },
            true => case,
            false => wide,
        }
    };
    cases(chapter, &[n]).into_iter().map(smaller).collect()
}

/// Runs every second rung, each on all its cases.
fn check_half(half: usize) {
    let mut runner = testing::simulator();
    let mut rows = Vec::new();
    for &chapter in chapters::ALL {
        let cases = small_cases(chapter);
        let is_of_several = cases.iter().any(|case| chapter.devices(case) > 1);
        runner.weak_seeds = Some(if is_of_several { SEEDS_OF_SEVERAL } else { SEEDS });
        let steps = testing::steps(chapter, &cases, &testing::is_right);
        let steps: Vec<Step> = steps.into_iter().skip(half).step_by(2).collect();
        rows.extend(testing::run_steps(&mut runner, chapter, &steps));
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
