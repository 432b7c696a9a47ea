//! What is found in kernels that are shown because they are wrong, and where they are right.

use crate::common::{all_rungs, scanned, sum_f32};
use chapter_3_scan::{
    Rung,
    broken::{INDEPENDENT_BLOCKS, PREVIOUS_BLOCK_ONLY, SWAPPED_OPERANDS},
    chapter::Scan,
    reference,
};
use harness::{
    inputs,
    simulator::{Missing, Space},
    verify,
};
use report::Row;

fn broken_rows(n: u64) -> Vec<Row> {
    testing::run(&Scan, &[sum_f32(n)], &testing::is_broken)
}

/// A race's report names the lines of the kernel's file, who was there, and what is missing.
#[test]
fn races_name_what_is_missing() {
    let rows = broken_rows(1 << 14);
    let races = |kernel: &str| testing::row(&rows, kernel).races.iter();
    // Lanes of a warp race, too. The barrier between warps, which mends both, is what is named.
    for race in races("one_buffer") {
        assert_eq!((race.space, race.missing), (Space::Shared, Missing::Syncthreads));
        assert!(race.first.line.contains("one_buffer.cu:"));
        assert_ne!(race.first.warp, race.second.warp);
    }
    assert!(races("one_buffer").next().is_some());
    let race = races("flag_without_release").next().expect("a race");
    let what = (race.space, race.missing);
    assert_eq!(what, (Space::Global, Missing::Threadfence));
    assert!(race.second.line.contains("flag_without_release.cu:"));
    assert_ne!(race.first.block, race.second.block);
    let race = races("ring_without_fence").next().expect("a race");
    let what = (race.space, race.missing);
    assert_eq!(what, (Space::Shared, Missing::ProxyFence));
    assert_eq!((race.first.warp, race.second.warp), (1, 0));
}

/// Whether a broken rung gives the right sums of `f32`.
fn is_right(broken: Rung, n: u64) -> bool {
    let case = sum_f32(n);
    let host = inputs::generate::<f32>(&case);
    let rungs = all_rungs();
    let found = rungs.iter().find(|(rung, _)| rung.name == broken.name);
    let (results, depth) = scanned(found.expect("a rung"), &case, &host);
    let results = bytemuck::cast_slice(&results);
    let expected = reference::scan(case.op, case.task.kind, depth, &host);
    verify::compare(results, expected).is_correct()
}

#[test]
fn sums_commute() {
    assert!(is_right(SWAPPED_OPERANDS, 10_000));
}

/// The blocks have 256 elements.
#[test]
fn few_blocks_hide_missing_offsets() {
    assert!(is_right(INDEPENDENT_BLOCKS, 256));
    assert!(!is_right(INDEPENDENT_BLOCKS, 257));
    assert!(is_right(PREVIOUS_BLOCK_ONLY, 512));
    assert!(!is_right(PREVIOUS_BLOCK_ONLY, 513));
}
