//! Every kernel that is shown because it is wrong is caught, by what is said to catch it, and not where
//! it is said to be right.

use crate::common::{of, usual};
use chapter_7_coalescing::{Case, Rung, Task, chapter::Coalescing};
use harness::{
    Refusal,
    simulator::{Missing, Space},
    verify::Checker,
};
use report::{Chapter, Row};
use testing::check;

/// After it the driver takes no more work from the process; it has a process of its own, in
/// command_line.rs.
const STOPPED: &str = "misaligned_packs";

fn broken_rows(n: u64) -> Vec<Row> {
    testing::run(&Coalescing, &usual(n), &|rung, case| {
        testing::is_broken(rung, case) && rung.name != STOPPED
    })
}

#[test]
fn all_are_caught_at_every_size() {
    for n in [1, 5000, 100_003] {
        check(&broken_rows(n));
    }
}

/// The checker that the chapter names for each.
#[test]
fn each_by_its_checker() {
    let expected = [
        ("tail_dropped", Checker::Result),
        ("staged_without_barrier", Checker::Races),
        ("scatter_repeats", Checker::Races),
        ("last_lane", Checker::Result),
        ("in_place_shift", Checker::Races),
    ];
    testing::check_caught(&broken_rows(4096), &expected);
}

/// A race's report names the lines of the kernel's file, who was there, and what is missing.
#[test]
fn races_name_what_is_missing() {
    let rows = broken_rows(4096);
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
