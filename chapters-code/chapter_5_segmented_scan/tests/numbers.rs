//! What the book's chapter says of rounding: the depths with which results are checked, and which sums
//! are the same bits in every run. If one changes, the page must change too.

use crate::common::{AnyRun, case, judged, product, rungs_of, scan, written};
use chapter_5_segmented_scan::{
    Case, Matrix, Segments, chapter::Segmented, segments::Offsets, task::Task,
};
use harness::{Dtype, Op};

/// The largest number of rounded additions that an element of a case passes through. Its buffers are empty:
/// the rung is only prepared.
fn depth(rung: &str, case: Case) -> u64 {
    let none = Offsets::of_lengths([]).expect("they are few");
    match AnyRun::<f32>::new(rung, &case, &[], &none) {
        AnyRun::Scan(run) => run.launch.promise,
        AnyRun::Reduce(run) => run.launch.promise.depth,
    }
}

#[test]
fn depths() {
    let giant = scan(1 << 28, Segments::Giant);
    for (rung, wanted) in [
        ("thread_per_segment", 1 << 28),
        ("hillis_steele", 47),
        ("shuffle", 51),
        ("vectorized", 50),
        ("lookback", 16_419),
        ("warp_specialized", 405),
        ("small_tiles", 4_133),
    ] {
        assert_eq!(depth(rung, giant), wanted, "{rung}");
    }
    let reduce = case(1 << 28, Dtype::F32, Op::Sum, None, Segments::Giant);
    assert_eq!(depth("reduce_merge_path", reduce), 8_264);
}

#[test]
fn schedules_show_in_look_back_over_long_segments_only() {
    let n = 1 << 19;
    let is_repeated = |kernel, case: Case| testing::is_repeated(&Segmented::DEFAULT, kernel, &case);
    assert!(!is_repeated("lookback", scan(n, Segments::Giant)));
    assert!(is_repeated("lookback", scan(n, Segments::Of(64))));
    for kernel in ["warp_specialized", "small_tiles"] {
        assert!(is_repeated(kernel, scan(n, Segments::Giant)), "{kernel}");
    }
    let reduce = case(n, Dtype::F32, Op::Sum, None, Segments::PowerLaw);
    assert!(is_repeated("reduce_merge_path", reduce));
    for kernel in ["spmv_merge_path", "spmv_tiles"] {
        assert!(is_repeated(kernel, product(n / 4, Matrix::LongRow)), "{kernel}");
    }
}

/// A segment is not spoilt by what stands in others: neither by a NaN, nor by numbers so large that
/// the differences of an ordinary scan would lose it.
#[test]
fn segments_do_not_spoil_each_other() {
    let offsets = Offsets::of_lengths([3000, 5000, 2000]).expect("they are few");
    let mut elements: Vec<f32> = (0..10_000).map(|i| (i % 7) as f32 * 0.125).collect();
    elements[..3000].fill(1e30);
    let of = |kind| {
        let task = Task::in_segments(kind, Segments::USUAL);
        Case { task, ..Case::vector(10_000, Dtype::F32, Op::Sum) }
    };
    for case in [of(Some(harness::Kind::Inclusive)), of(None)] {
        for rung in rungs_of(case.task) {
            let verdict = judged(rung.name, &case, &elements, &offsets);
            assert!(verdict.is_correct(), "{}: {:?}", rung.name, verdict.failures);
        }
    }
    elements[5999] = f32::NAN;
    let case = of(Some(harness::Kind::Inclusive));
    for rung in rungs_of(case.task) {
        let results = written(&rung, &case, &elements, &offsets);
        let nan = (0..10_000).filter(|&i| results[i].is_nan());
        assert!(nan.eq(5999..8000), "{}", rung.name);
    }
}
