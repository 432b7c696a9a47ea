//! Every rung, on every pattern and on sizes that have tripped kernels, with the race check on.

use crate::common::{all, of, run_all, usual};
use chapter_7_coalescing::{
    Case, Order, Records, Rung, Task,
    chapter::Coalescing,
    patterns::{reads, records},
};
use report::{Chapter, Row};
use testing::{check, under_several_schedules};

fn correct_rungs() -> Vec<Rung> {
    let mut rungs = Coalescing.rungs();
    rungs.retain(|rung| !rung.is_broken());
    rungs
}

/// Sizes around a pack, a warp, a block, and three blocks and a bit.
#[test]
fn awkward_sizes() {
    let mut sizes = testing::SIZES.to_vec();
    sizes.extend([2, 3, 4, 5, 7, 8, 9, 127, 128, 129]);
    for n in sizes {
        check(&run_all(&usual(n)));
    }
}

/// All offsets, strides, records, orders and loads.
#[test]
fn every_pattern() {
    for n in [1003, 4096] {
        let rows = run_all(&all(n));
        for rung in correct_rungs() {
            assert!(rows.iter().any(|row| row.subject.kernel == rung.name), "{}", rung.name);
        }
        check(&rows);
    }
}

/// Offsets and strides up to the whole array, and one element or none left to copy.
#[test]
fn patterns_as_large_as_the_array() {
    for n in [1, 2, 5, 31, 32, 100] {
        let mut cases: Vec<Case> = [n - 1, n].map(|k| of(n, Task::Offset(k))).into();
        cases.extend([n.div_ceil(2), n].map(|s| of(n, Task::Stride(s))));
        cases.push(of(n, Task::Gather(Order::Within(5 * n))));
        check(&run_all(&cases));
    }
    check(&run_all(&[of(0, Task::Offset(0)), of(0, Task::Stride(1))]));
}

/// Groups of particles that are not whole, and elements behind the last particle.
#[test]
fn every_number_of_particles_in_two_groups() {
    let cases: Vec<Case> =
        (0..=65).map(|n| of(8 * n + n % 8, records(Records::Particles))).collect();
    check(&run_all(&cases));
}

#[test]
fn bytes_that_must_be_moved() {
    let rows = run_all(&usual(5003));
    for (kernel, bytes) in [
        ("packs", 8 * 5003),
        ("offset_loads", 8 * 5002),
        ("strided_loads", 8 * 2502),
        ("one_load", 12 * 2501),
        ("soa", 36 * 625),
        ("gather", 12 * 5003),
        ("bytes_in_flight", 16 * 1250),
    ] {
        assert_eq!(testing::row(&rows, kernel).bytes, bytes, "{kernel}");
    }
}

/// 2^20 elements.
#[test]
#[ignore = "exhaustive: `cargo test -- --ignored exhaustive`"]
fn exhaustive_a_million() {
    let rows: Vec<Row> = run_all(&usual(1 << 20));
    assert_eq!(rows.len(), correct_rungs().len());
    check(&rows);
    check(&run_all(&[of((1 << 20) + 3, Task::Offset(5)), of((1 << 20) + 3, reads(8, 4))]));
}

#[test]
fn several_seeds() {
    let seeded = |seed| usual(3001).into_iter().map(move |case| Case { seed, ..case });
    let cases: Vec<Case> = [2, 3, 4].into_iter().flat_map(seeded).collect();
    check(&run_all(&cases));
}

/// Inputs whose values repeat or cancel: a copy moves them all.
#[test]
fn awkward_inputs() {
    for case in usual(2050) {
        check(&run_all(&testing::awkward_inputs(case)));
    }
}

under_several_schedules!(check(&run_all(&usual(5003))));
