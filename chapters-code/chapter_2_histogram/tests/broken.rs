//! What is found in kernels that are shown because they are wrong.

use std::collections::HashSet;

use crate::common::{self, CHAPTER};
use chapter_2_histogram::{bins::Bins, broken::broken, inputs, problem::Counting};
use harness::simulator::{Missing, Space};
use report::Row;

fn row(n: u64, kernel: &str) -> Row {
    let rows = testing::run(&CHAPTER, &[common::u32s(n)], &|rung, _| rung.name == kernel);
    testing::row(&rows, kernel).clone()
}

/// Lost keys, too, not only the race.
#[test]
fn plain_increments_lose_keys() {
    for kernel in ["racy", "same_warp"] {
        let row = row(1 << 14, kernel);
        let lost = row.failures.iter().any(|failure| failure.contains("results are wrong"));
        assert!(lost, "{:?}", row.failures);
    }
}

/// A race's report names both lines of the kernel's file and what is missing.
#[test]
fn races_name_what_is_missing() {
    for (kernel, missing) in
        [("missing_barrier", Missing::Syncthreads), ("same_warp", Missing::Syncwarp)]
    {
        let row = row(1 << 14, kernel);
        let race = &row.races[0];
        assert_eq!((race.space, race.missing), (Space::Shared, missing), "{kernel}");
        assert!(race.first.line.contains(&format!("{kernel}.cu:")));
    }
    let race = &row(1 << 14, "zeroing_races").races[0];
    assert_eq!(race.space, Space::Global);
    assert_ne!(race.first.block, race.second.block);
    let races = row(1 << 14, "cluster_unready").recorded.races;
    let missing = |missing| races.iter().find(|race| race.missing == missing);
    let race = missing(Missing::ClusterSync).expect("a race between blocks of a cluster");
    assert_eq!(race.space, Space::Shared);
    assert_ne!(race.first.block, race.second.block);
}

/// A counter of 16 bits that is full carries into its neighbour.
#[test]
fn a_full_counter_carries() {
    let row = row(1 << 17, "packed_overflow");
    // Bin 85 has 2^17 + 1 keys: 2^17 is 0 in 16 bits.
    let expected = "out[85] is 1, expected 131073";
    assert!(row.failures[0].contains(expected), "{:?}", row.failures);
}

/// The end of the range is counted in the first bin of the next copy.
#[test]
fn what_is_rounded_up_is_counted_in_the_first_bin() {
    let row = row(1 << 20, "rounded_up");
    let first = row.failures[0].strip_prefix("out[0] is ").expect("bin 0 is wrong");
    let (counted, rest) = first.split_once(", expected ").expect("two counts");
    let expected = rest.split(' ').next().unwrap_or_default();
    let [counted, expected] =
        [counted, expected].map(|count| count.parse::<u32>().expect("a count"));
    assert!(counted > expected, "{}", row.failures[0]);
}

/// What the book predicts of `racy`: lanes of a warp with the same key are counted once. Warps come between each
/// other, too, but seldom.
#[test]
fn plain_increments_lose_what_lanes_have_in_common() {
    let device = &testing::simulator().device;
    let case = common::u32s(4097);
    let bins = Bins::of(&case).expect("256 bins");
    let keys: Vec<u32> = inputs::keys(&case, &bins);
    let distinct = |warp: &[u32]| warp.iter().collect::<HashSet<_>>().len();
    let counted_once: usize = keys.chunks(32).map(distinct).sum();

    let mut problem = Counting::new(device, &case, keys.clone()).expect("it fits");
    let (rung, prepare) = broken().into_iter().find(|(rung, _)| rung.name == "racy").expect("it");
    let mut launch = prepare(&problem, &rung).expect("a launch");
    (launch.enqueue)(&mut problem).expect("it runs");
    let counts = problem.counts.download().expect("a copy").expect("guards that are whole");
    let counted: usize = counts.iter().map(|&count| count as usize).sum();
    assert_eq!(keys.len() - counted_once, 229); // of 4,097, as the book says
    assert!(counted <= counted_once, "{counted}");
}
