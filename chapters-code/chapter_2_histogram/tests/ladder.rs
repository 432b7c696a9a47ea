//! Every rung, on every size that has tripped one, for every type of key, number of bins and input,
//! under several schedules, with the race check on.

use crate::common::{CHAPTER, run_all, u32s};
use chapter_2_histogram::{
    Case, HistogramParameters,
    inputs::{DTYPES, INPUTS},
    parameters::Range,
};
use harness::{Dtype, Input};
use testing::{SIZES, check, under_several_schedules};

/// Around a tile, and two.
const TILES: [u64; 2] = [8192 + 5, 2 * 8192 + 1];

#[test]
fn every_type_at_awkward_sizes() {
    let sizes = SIZES.into_iter().chain(TILES);
    let of_size = |n| DTYPES.map(|dtype| Case { dtype, ..u32s(n) });
    let cases: Vec<Case> = sizes.flat_map(of_size).collect();
    let rows = run_all(&cases);
    assert_eq!(rows.len(), 9 * cases.len());
    check(&rows);
}

fn of_all_types(n: u64, bins: u32) -> Vec<Case> {
    let case = |dtype| Case { dtype, ..u32s(n) }.with(HistogramParameters::of_bins(bins));
    DTYPES.map(case).into()
}

#[test]
fn few_and_many_bins() {
    for (bins, rungs) in [(2, 9), (3, 9), (32, 9), (257, 9), (2048, 8), (4096, 8)] {
        let rows = run_all(&of_all_types(5003, bins));
        assert_eq!(rows.len(), 4 * rungs, "{bins} bins");
        check(&rows);
    }
}

/// Where shared memory ends: the last sizes that fit, and the first that do not.
#[test]
fn as_many_bins_as_fit() {
    for (bins, rungs) in [(1533, 9), (1534, 8), (12_285, 8), (12_286, 4), (58_103, 4), (58_104, 4)]
    {
        let rows = run_all(&of_all_types(3001, bins));
        assert_eq!(rows.len(), 4 * rungs, "{bins} bins");
        check(&rows);
    }
}

#[test]
fn the_most_bins() {
    let rows = run_all(&of_all_types(100_003, 1 << 16));
    assert_eq!(rows.len(), 4 * 4);
    check(&rows);
}

#[test]
fn all_inputs() {
    let mut cases = Vec::new();
    for input in INPUTS {
        for bins in [3, 256, 4096] {
            cases.extend(of_all_types(10_007, bins).into_iter().map(|case| Case { input, ..case }));
        }
    }
    check(&run_all(&cases));
}

#[test]
fn keys_without_a_bin_are_counted_apart() {
    let mut cases = of_all_types(10_007, 100);
    for case in &mut cases {
        case.task = HistogramParameters { keys: Some(300), ..case.task };
    }
    cases.push(u32s(10_007).with(HistogramParameters {
        keys: Some(u32::MAX),
        ..HistogramParameters::of_bins(65_536)
    }));
    check(&run_all(&cases));
}

/// A case of u32 keys in even bins of a range.
fn in_range(n: u64, bins: u32, low: f64, high: f64) -> Case {
    let range = Some(Range { low, high });
    let parameters = HistogramParameters { range, ..HistogramParameters::of_bins(bins) };
    u32s(n).with(parameters)
}

#[test]
fn integers_in_even_bins_of_a_range() {
    let max = f64::from(u32::MAX);
    let mut cases: Vec<Case> =
        SIZES.into_iter().chain(TILES).map(|n| in_range(n, 256, 0.0, 1048576.0)).collect();
    for (low, high) in [(0.0, 1.0), (5.0, 7.0), (7.0, 10.0), (1e9, 1e9 + 65_537.0), (0.0, max)] {
        for bins in [2, 255, 256, 257, 12_285] {
            cases.push(in_range(10_007, bins, low, high));
        }
    }
    cases.extend(INPUTS.map(|input| Case { input, ..in_range(10_007, 257, 1000.0, 2e6) }));
    let rows = run_all(&cases);
    assert_eq!(rows.len(), cases.len()); // by banked alone
    check(&rows);
}

#[test]
fn floats_in_any_range() {
    let case = |(low, high)| Case { dtype: Dtype::F32, ..in_range(10_007, 257, low, high) };
    let rows = run_all(&[(-1.0, 1.0), (-3.0, 5e6), (0.25, 0.75)].map(case));
    assert_eq!(rows.len(), 3 * 9);
    check(&rows);
}

#[test]
fn any_number_of_copies() {
    let mut cases = Vec::new();
    for copies in [1, 2, 4, 8, 16, 32] {
        cases.extend(
            of_all_types(10_007, 100)
                .into_iter()
                .chain(of_all_types(10_007, 300))
                .map(|case| case.with(HistogramParameters { copies: Some(copies), ..case.task })),
        );
    }
    check(&testing::run(&CHAPTER, &cases, &|rung, _| rung.name == "banked"));
}

#[test]
#[ignore = "exhaustive: `cargo test -- --ignored exhaustive`"]
fn exhaustive_a_million_and_three() {
    let case = |(dtype, input)| Case { dtype, input, ..u32s((1 << 20) + 3) };
    let cases =
        [(Dtype::U32, Input::Uniform), (Dtype::U8, Input::Zipf), (Dtype::F32, Input::Gaussian)];
    check(&run_all(&cases.map(case)));
}

under_several_schedules!({
    let of_type = |dtype| Case { dtype, ..u32s(70_001) };
    let [bytes, words, floats] = [Dtype::U8, Dtype::U32, Dtype::F32].map(of_type);
    check(&run_all(&[bytes, words, floats, in_range(70_001, 256, 1000.0, 2e6)]));
});
