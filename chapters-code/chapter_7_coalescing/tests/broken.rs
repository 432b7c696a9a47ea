//! What is found in kernels that are shown because they are wrong, and where they are right.

use crate::common::{of, usual};
use chapter_7_coalescing::{Case, Rung, Task, chapter::Coalescing};
use harness::{
    Refusal,
    simulator::{Missing, Space},
};
use report::Chapter;

/// A race's report names the lines of the kernel's file, who was there, and what is missing.
#[test]
fn races_name_what_is_missing() {
    let rows = testing::run(&Coalescing, &usual(4096), &testing::is_broken);
    let races = |kernel: &str| &testing::row(&rows, kernel).races;
    let staged = races("staged_without_barrier");
    let mut staged = staged.iter();
    let barrier = staged.find(|race| race.missing == Missing::Syncthreads);
    let barrier = barrier.expect("warps that race with each other");
    assert_eq!(barrier.space, Space::Shared);
    assert!(barrier.first.line.contains("staged_without_barrier.cu:"));
    for kernel in ["in_place_shift", "scatter_repeats"] {
        let races = races(kernel);
        assert!(!races.is_empty(), "{kernel}");
        let are_global = races.iter().all(|race| race.space == Space::Global);
        assert!(are_global, "{kernel}");
    }
}

/// Whether a broken rung gives the right result on a case that is not its own.
fn is_right(rung: &str, case: &Case) -> bool {
    testing::judged(&Coalescing, rung, case).is_correct()
}

#[test]
fn some_are_right_where_nobody_looks_further() {
    assert!(is_right("tail_dropped", &of(4096, Task::Copy)));
    assert!(!is_right("tail_dropped", &of(4097, Task::Copy)));
    for k in [0, 4, 8] {
        assert!(is_right("misaligned_packs", &of(4096, Task::Offset(k))), "{k}");
        assert!(is_right("last_lane", &of(4096, Task::Offset(k))), "{k}");
    }
    assert!(!is_right("last_lane", &of(4096, Task::Offset(3))));
}

#[test]
fn every_broken_rung_has_a_case() {
    for rung in Coalescing.rungs().into_iter().filter(Rung::is_broken) {
        let cases = usual(100);
        let refusal = |case: &Case| rung.refusal(case);
        let is_for = |case: &&Case| refusal(case) != Some(Refusal::another_task());
        let asked: Vec<&Case> = cases.iter().filter(is_for).collect();
        assert_eq!(asked.len(), 1, "{}", rung.name);
        let own = Coalescing.case_for(&rung, asked[0]);
        assert_eq!(refusal(&own), None, "{}", rung.name);
        assert!(Coalescing.check(&own).is_ok(), "{}", rung.name);
    }
}
