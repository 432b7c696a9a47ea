//! The counts that the chapter quotes, and those that its model of contention predicts.

use crate::common::{self, CHAPTER};
use chapter_2_histogram::{Case, HistogramParameters, model::Wavefronts};
use harness::{Dtype, Input, simulator::Counters};

/// What the first launch of a rung counted.
fn counted(rung: &str, case: &Case) -> Counters {
    let first = testing::launches(&CHAPTER, rung, case).remove(0);
    first.counters.expect("counters are on")
}

const N: u64 = 1 << 20;
const REQUESTS: u64 = N / 32;

fn case(bins: u32, copies: Option<u32>) -> Case {
    common::u32s(N).with(HistogramParameters { copies, ..HistogramParameters::of_bins(bins) })
}

/// The mean of this many draws lies at most this many standard deviations from what is expected. A correct model
/// exceeds five of them about once in 1.7 million times.
const DEVIATIONS: f64 = 5.0;

#[track_caller]
fn check_mean(wavefronts: u64, expected: Wavefronts) {
    let mean = wavefronts as f64 / REQUESTS as f64;
    let deviation = (expected.variance / REQUESTS as f64).sqrt();
    let off = mean - expected.mean;
    assert!(off.abs() <= DEVIATIONS * deviation + 1e-9, "{mean}: {expected:?}");
}

#[test]
fn one_copy_waits_as_the_model_says() {
    for bins in [2, 32, 33, 64, 256, 257, 2048, 4096] {
        let counters = counted("shared_atomics", &case(bins, None));
        check_mean(counters.shared_atomic_wavefronts, Wavefronts::uniform(bins as usize, 1));
    }
}

#[test]
fn copies_wait_as_the_model_says() {
    for copies in [1, 2, 4, 8, 16, 32] {
        let counters = counted("banked", &case(256, Some(copies)));
        let expected = Wavefronts::uniform(256, copies as usize);
        check_mean(counters.shared_atomic_wavefronts, expected);
    }
}

/// Ranks drawn as the input draws them, k with the probability ln(1 + 1/k) / ln(1 + m).
#[test]
fn skewed_keys_wait_as_the_model_says() {
    let m = 256;
    let zipf = (1..=m).map(|k| (1.0 + 1.0 / k as f64).ln() / (1.0 + m as f64).ln());
    let zipf: Vec<f64> = zipf.collect();
    let skewed = Case { input: Input::Zipf, ..case(m, None) };
    for (rung, copies) in
        [("shared_atomics", 1), ("warp_copies", 1), ("match_any", 1), ("banked", 32)]
    {
        let counters = counted(rung, &skewed);
        check_mean(counters.shared_atomic_wavefronts, Wavefronts::expected(&zipf, copies));
    }
}

/// Whatever the keys are.
#[test]
fn a_copy_a_bank_never_waits() {
    for input in [Input::Uniform, Input::Zipf, Input::Constant, Input::Sorted] {
        for dtype in [Dtype::U8, Dtype::U16, Dtype::U32] {
            let case = Case { input, dtype, ..case(256, None) };
            let counters = counted("banked", &case);
            assert_eq!(counters.shared_atomic_wavefronts, REQUESTS, "{input} {dtype}");
        }
    }
}

/// PTX instructions of warps for each KiB of input, as the text has them, to the nearest one.
#[test]
fn instructions_of_the_text() {
    let n = 1 << 24;
    for (rung, quoted) in [("shared_atomics", 101.0), ("match_any", 206.0)] {
        let counters = testing::counted(&CHAPTER, rung, &common::u32s(n));
        let counted = counters.warp_instructions as f64 / (4.0 * n as f64 / 1024.0);
        assert!((counted - quoted).abs() <= 0.5, "{rung}: {counted}");
    }
}

/// What a request took on average, as the text has it beside the model, to two digits.
#[test]
fn counts_of_the_text() {
    for (bins, quoted) in
        [(2, 1.00), (32, 1.00), (64, 2.00), (128, 2.78), (256, 3.15), (1024, 3.43), (4096, 3.50)]
    {
        let counters = counted("shared_atomics", &case(bins, None));
        let mean = counters.shared_atomic_wavefronts as f64 / REQUESTS as f64;
        assert!((mean - quoted).abs() <= 0.005, "{bins}: {mean}");
    }
}

/// Mean wavefronts as the text has them, to two digits after the point.
#[test]
fn wavefronts_of_the_text() {
    for (bins, copies, quoted) in [
        (2, 1, 1.00),
        (32, 1, 1.00),
        (64, 1, 2.00),
        (128, 1, 2.78),
        (256, 1, 3.15),
        (1024, 1, 3.44),
        (4096, 1, 3.51),
        (16_384, 1, 3.53),
        (256, 4, 3.22),
        (256, 8, 2.93),
        (256, 16, 2.00),
    ] {
        let mean = Wavefronts::uniform(bins, copies).mean;
        assert!((mean - quoted).abs() <= 0.005, "{bins} {copies}: {mean}");
    }
}
