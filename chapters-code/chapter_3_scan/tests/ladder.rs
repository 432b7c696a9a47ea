//! Every rung, on every size that has tripped a scan, for every type, operator and kind, with the race
//! check on.

use crate::common::{both, run_all, sum_f32};
use chapter_3_scan::{
    Case, Rung,
    chapter::Scan,
    problem::PrefixScan,
    rungs::{
        by_size,
        rounds::{ALL_GATHER, WARP_SPECIALIZED, all_gather, warp_specialized},
    },
};
use harness::{Dtype, Kind, Op, Prepare};
use testing::{SIZES, check, under_several_schedules};

/// Around the tiles of 4,096, 6,144 and 8,192 elements of four bytes, and three of them and a bit.
const TILES: [u64; 8] = [4095, 4096, 4097, 6143, 6145, 8191, 8193, 3 * 8192 + 7];

fn check_all(dtype: Dtype, op: Op) {
    let sizes = SIZES.into_iter().chain(TILES);
    let cases: Vec<Case> = sizes.flat_map(|n| both(n, dtype, op)).collect();
    let rows = run_all(&cases);
    assert_eq!(rows.len(), cases.iter().map(rungs).sum::<usize>());
    check(&rows);
}

/// How many rungs have the case's type, operator and kind.
fn rungs(case: &Case) -> usize {
    let is_inclusive = case.task.kind == Kind::Inclusive;
    match (case.op, case.dtype) {
        (Op::Sum, Dtype::I64 | Dtype::F32) => 13,
        (Op::Affine, _) => 11,
        (Op::Sum, Dtype::U32 | Dtype::F64) | (Op::Max, Dtype::I32) if is_inclusive => 11,
        (Op::Sum, Dtype::U32) => 8,
        (Op::Sum, Dtype::F64) | (Op::Max, Dtype::I32) => 7,
        _ if is_inclusive => 2,
        _ => 1,
    }
}

#[test]
fn sums() {
    for dtype in [Dtype::F32, Dtype::F64, Dtype::I32, Dtype::U32, Dtype::I64] {
        check_all(dtype, Op::Sum);
    }
}

#[test]
fn maxima() {
    for dtype in [Dtype::I32, Dtype::F64] {
        check_all(dtype, Op::Max);
    }
}

#[test]
#[ignore = "exhaustive: `cargo test -- --ignored exhaustive`"]
fn exhaustive_maxima_of_other_types() {
    for dtype in [Dtype::U32, Dtype::I64, Dtype::F32] {
        check_all(dtype, Op::Max);
    }
}

/// An operator that does not commute: whoever swaps operands fails.
#[test]
fn affine_maps() {
    check_all(Dtype::I64, Op::Affine);
}

#[test]
fn bytes() {
    let cases = [1, 15, 16, 17, 16_383, 16_385, 100_003].map(|n| both(n, Dtype::U8, Op::Sum)[0]);
    let rows = run_all(&cases);
    assert_eq!(rows.len(), 2 * cases.len());
    check(&rows);
}

/// Three levels of blocks, and two rounds of all resident ones.
#[test]
#[ignore = "exhaustive: `cargo test -- --ignored exhaustive`"]
fn exhaustive_a_million_and_three() {
    check(&run_all(&[sum_f32((1 << 20) + 3)]));
    check(&run_all(&both((1 << 20) + 3, Dtype::I64, Op::Affine)));
}

/// More tiles than two rounds of 264 blocks of `all_gather` hold.
#[test]
fn several_rounds() {
    let case = both(5_000_001, Dtype::U32, Op::Sum)[0];
    let rows = testing::run(&Scan, &[case], &|rung, _| {
        ["lookback", "all_gather", "warp_specialized"].contains(&rung.name)
    });
    assert_eq!(rows.len(), 3);
    check(&rows);
}

/// Two blocks walk over 49 tiles, so that copies overwrite each stage at least twice.
#[test]
fn the_ring_goes_round() {
    let verdict = testing::judged_on_few(2, &Scan, "warp_specialized", &sum_f32(300_001));
    assert!(verdict.is_correct(), "{:?}", verdict.failures);
}

#[test]
fn awkward_inputs() {
    check(&run_all(&testing::awkward_inputs(sum_f32(10_007))));
}

under_several_schedules!({
    check(&run_all(&both(70_001, Dtype::I64, Op::Affine)));
    check(&run_all(&[sum_f32(70_001)]));
});

/// The rung `by_size` prepares the kernel that its idea names for the size.
#[test]
fn by_size_is_one_of_two() {
    let device = &testing::simulator().device;
    let mut problem = PrefixScan::<f32>::new(device, &sum_f32(1)).expect("memory");
    let mut block = |prepare: Prepare<PrefixScan<f32>>, rung: &Rung, n| {
        (problem.n, problem.case) = (n, sum_f32(n));
        let launch = prepare(&problem, rung).expect("a launch");
        launch.config.block_dim
    };
    let small = block(all_gather, &ALL_GATHER, 1 << 23);
    let large = block(warp_specialized, &WARP_SPECIALIZED, 1 << 23);
    assert_ne!(small, large);
    assert_eq!(block(by_size::prepare, &by_size::RUNG, 1 << 23), small);
    assert_eq!(block(by_size::prepare, &by_size::RUNG, (1 << 23) + 1), large);
}

/// A device whose blocks have too little shared memory for `warp_specialized` gets an error with the size.
#[test]
fn stages_that_do_not_fit_a_block_are_refused() {
    let device = &testing::simulator().device;
    let mut problem = PrefixScan::<f32>::new(device, &sum_f32(1000)).expect("memory");
    let mut refused = |room: u32| {
        problem.device.properties.shared_bytes_a_block = room;
        let launch = warp_specialized(&problem, &WARP_SPECIALIZED);
        launch.err().map(|error| error.to_string())
    };
    let message = refused(0).expect("0 bytes are too few");
    assert!(message.contains("remedy: leave this kernel out"));
    let (_, needed) = message.split_once("need ").expect("a number");
    let (needed, _) = needed.split_once(" bytes").expect("of bytes");
    let needed = needed.parse().expect("a number");
    assert!(refused(needed - 1).is_some() && refused(needed).is_none());
}
