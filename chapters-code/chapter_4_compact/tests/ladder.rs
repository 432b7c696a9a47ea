//! Every rung, on every size that has tripped one, for every type and everything that selects elements,
//! with the race check on.

use crate::common::{self, case, densities, half, part, run_all, written};
use chapter_4_compact::{
    By, Case, Density, Pattern, chapter::Compact, inputs::DTYPES, rungs::warp_specialized,
};
use harness::{Dtype, Element, Op, Shape};
use report::Chapter;
use testing::{SIZES, check, under_several_schedules};

/// Around the blocks of 2,048, the tiles of 4,096 and 8,192, and three of them and a bit.
const TILES: [u64; 7] = [2047, 2049, 4095, 4097, 8191, 8193, 3 * 8192 + 7];

/// Rungs of vectors that run on a case.
fn rungs(case: &Case) -> usize {
    match (case.task.by, case.dtype) {
        (By::Predicate, Dtype::I64 | Dtype::F32) => 7,
        (By::Predicate, _) => 1,
        _ => 9,
    }
}

#[track_caller]
fn check_all(cases: &[Case]) {
    let rows = run_all(cases);
    assert_eq!(rows.len(), cases.iter().map(rungs).sum::<usize>());
    check(&rows);
}

fn check_sizes(dtype: Dtype) {
    let sizes = || SIZES.into_iter().chain(TILES);
    for by in By::ALL {
        let of = |n| case(n, dtype, by, Density::HALF, Pattern::Random);
        check_all(&sizes().map(of).collect::<Vec<_>>());
    }
}

#[test]
fn awkward_sizes() {
    [Dtype::F32, Dtype::I64, Dtype::U8].into_iter().for_each(check_sizes);
}

#[test]
#[ignore = "exhaustive: `cargo test -- --ignored exhaustive`"]
fn exhaustive_sizes_of_other_types() {
    [Dtype::F64, Dtype::I32, Dtype::U32].into_iter().for_each(check_sizes);
}

#[test]
fn densities_and_patterns() {
    let mut cases = Vec::new();
    for by in By::ALL {
        for density in densities() {
            for pattern in [Pattern::Random, Pattern::Clustered, Pattern::Alternating] {
                cases.extend([1543, 30_001].map(|n| case(n, Dtype::F32, by, density, pattern)));
            }
        }
    }
    check_all(&cases);
}

#[test]
fn seeds() {
    let seeded = |seed| Case { seed, ..half(20_011) };
    check_all(&[2, 3, 4].map(seeded));
}

#[test]
fn awkward_inputs() {
    check_all(&testing::awkward_inputs(half(10_007)));
}

/// Three levels of scans, and more than one tile for each block.
#[test]
#[ignore = "exhaustive: `cargo test -- --ignored exhaustive`"]
fn exhaustive_a_million_and_three() {
    let of = |by, density| case((1 << 20) + 3, Dtype::F32, by, density, Pattern::Random);
    check_all(&densities().map(|density| of(By::Mask, density)));
    check_all(&[of(By::Bits, Density::HALF), of(By::Predicate, Density::HALF)]);
}

/// Three blocks walk over `n` elements of type `T`, by a clustered mask and with all selected.
fn check_rings<T: Element>(n: u64) {
    let simulator = testing::simulator();
    let mut device = simulator.device.clone();
    device.properties.multiprocessors = 3;
    let clustered = case(n, T::DTYPE, By::Mask, Density::HALF, Pattern::Clustered);
    let all = case(n, T::DTYPE, By::Bits, part(1, 1), Pattern::Random);
    for case in [clustered, all] {
        let mut problem = common::problem::<T>(&device, &case, n);
        let (_, out) = written(&common::rung(&warp_specialized::RUNG), &mut problem);
        assert!(out.starts_with(&problem.selected), "{case}");
    }
}

/// Rings of slots and stages go round more than twice. In long runs of tiles nothing is selected.
#[test]
fn rings_go_round() {
    check_rings::<u8>(900_001);
    check_rings::<f32>(600_001);
    check_rings::<f64>(400_001);
}

/// The same, and no copy may overwrite what has not been read.
#[test]
fn copies_wait_for_readers() {
    let all = case(600_001, Dtype::F32, By::Bits, part(1, 1), Pattern::Random);
    let verdict = testing::judged_on_few(3, &Compact::DEFAULT, "warp_specialized", &all);
    assert!(verdict.is_correct(), "{:?}", verdict.failures);
}

under_several_schedules!({
    check_all(&[half(70_001)]);
    check_all(&[case(70_001, Dtype::F64, By::Bits, Density::HALF, Pattern::Clustered)]);
});

#[test]
fn rows_of_matrices() {
    let shapes = [(0, 5), (1, 1), (7, 1), (33, 3), (257, 4), (300, 200), (2049, 8), (5, 20_000)];
    let mut cases = Vec::new();
    for (rows, cols) in shapes {
        for dtype in DTYPES {
            for by in [By::Mask, By::Bits] {
                cases.push(Case {
                    shape: Shape::Matrix { rows, cols },
                    ..case(0, dtype, by, Density::HALF, Pattern::Random)
                });
            }
        }
    }
    let rows = run_all(&cases);
    assert_eq!(rows.len(), cases.len());
    check(&rows);
}

/// What the chapter has no kernels for is refused, not run.
#[test]
fn what_is_refused() {
    let runs = |case: Case| {
        let rungs = Compact::DEFAULT.rungs().into_iter();
        let right = rungs.filter(|rung| !rung.is_broken());
        right.filter(|rung| (rung.refuses)(rung, &case).is_none()).count()
    };
    assert_eq!(runs(half(10)), 9);
    assert_eq!(runs(Case { op: Op::Max, ..half(10) }), 0);
    assert_eq!(runs(Case { dtype: Dtype::F16, ..half(10) }), 0);
    assert_eq!(runs(half(1 << 33)), 8);
}
