//! The counts that the book's chapter quotes. If one changes, the page must change too.

use crate::common::{case, conversion, product, scan};
use chapter_5_segmented_scan::{Case, Conversion, Matrix, Segments, chapter::Segmented};
use harness::{Dtype, Op, simulator::Counters};

const N: u64 = 1 << 18;

fn counted(kernel: &str, case: &Case) -> Counters {
    testing::counted(&Segmented::DEFAULT, kernel, case)
}

#[track_caller]
fn assert_near(what: &str, counted: f64, wanted: f64) {
    let near = (counted - wanted).abs() <= wanted / 200.0;
    assert!(near, "{what}: {counted}, quoted as {wanted}");
}

/// Warps' instructions for each KiB that a scan must move, as the page rounds them.
#[track_caller]
fn instructions(kernel: &str, segments: Segments, wanted: f64) {
    let kib = (8 * N + N / 8) as f64 / 1024.0;
    let counters = counted(kernel, &scan(N, segments));
    let what = format!("{kernel}, {segments}");
    assert_near(&what, counters.warp_instructions as f64 / kib, wanted);
}

fn lanes(counters: &Counters) -> f64 {
    counters.thread_instructions as f64 / counters.warp_instructions as f64
}

/// Sectors, atomics and instructions of the conversions, as the page quotes them.
#[test]
fn conversions() {
    let of = |kernel, to, length| counted(kernel, &conversion(N, to, Segments::Of(length)));
    let [flags, bits, tiled] = ["flags_of_offsets", "bits_of_offsets", "bits_tiled"];
    let to = Conversion::ToFlags;
    assert_eq!(of(flags, to, 64).global_store_sectors, N / 64);
    assert_eq!(of(bits, to, 64).global_atomic_requests, N / 64 / 32);
    let counters = of(tiled, to, 64);
    assert_eq!(counters.global_atomic_requests, 0);
    assert_eq!(counters.global_store_sectors, N / 8 / 32);
    let to = Conversion::ToOffsets;
    for (kernel, wanted) in [("offsets_of_flags", 15.0), ("offsets_of_bits", 0.787)] {
        let Counters { global_load_sectors: loaded, global_store_sectors: stored, .. } =
            of(kernel, to, 64);
        let bytes = (32 * (loaded + stored)) as f64 / N as f64;
        assert_near(kernel, bytes, wanted);
    }
    for (length, wanted) in [(64, 23.9), (1, 29.7)] {
        let instructions = of("offsets_of_bits", to, length).warp_instructions;
        assert_near("a word", (32 * instructions) as f64 / N as f64, wanted);
    }
}

#[test]
fn thread_per_segment_wastes_sectors_or_lanes() {
    let alike = counted("thread_per_segment", &scan(N, Segments::Of(64)));
    assert_near("lanes", lanes(&alike), 32.0);
    let sectors = alike.global_load_sectors + alike.global_store_sectors;
    assert_near("words an element", (8 * sectors) as f64 / N as f64, 16.0);
    let unlike = counted("thread_per_segment", &scan(N, Segments::PowerLaw));
    assert_near("lanes", lanes(&unlike), 2.29);
    let giant = counted("thread_per_segment", &scan(N, Segments::Giant));
    assert_near("lanes", lanes(&giant), 1.0);
}

#[test]
fn block_per_segment_pays_for_short_ones() {
    instructions("block_per_segment", Segments::Giant, 425.5);
    instructions("block_per_segment", Segments::Of(64), 2154.0);
    instructions("block_per_segment", Segments::PowerLaw, 13_873.0);
}

/// From here on it makes little difference what the segments are.
#[test]
fn pairs_do_not_mind() {
    for (kernel, wanted) in [
        ("hillis_steele", [1339.0, 1357.5, 1374.6]),
        ("shuffle", [867.5, 885.9, 903.0]),
        ("vectorized", [277.1, 285.3, 316.9]),
    ] {
        let kinds = [Segments::Of(64), Segments::PowerLaw, Segments::Giant];
        for (segments, wanted) in kinds.into_iter().zip(wanted) {
            instructions(kernel, segments, wanted);
        }
    }
}

#[test]
fn wavefronts_of_shared_memory() {
    let kib = (8 * N + N / 8) as f64 / 1024.0;
    for (kernel, wanted) in [("hillis_steele", 198.0), ("shuffle", 15.83), ("vectorized", 1.06)] {
        let counters = counted(kernel, &scan(N, Segments::Of(64)));
        let wavefronts = counters.shared_load_wavefronts + counters.shared_store_wavefronts;
        assert_near(kernel, wavefronts as f64 / kib, wanted);
    }
}

/// One to begin with, one a step, and one that counts what is open; each of eight warps comes to all.
#[test]
fn ten_barriers() {
    let block = counted("hillis_steele", &scan(256, Segments::Of(64)));
    assert_eq!(block.barriers, 10 * 8);
}

/// A tile in which a segment begins publishes once, and whoever looks back stops at it. In one giant
/// segment, tiles publish twice.
#[test]
fn a_single_pass_writes_once() {
    for segments in [Segments::Of(64), Segments::PowerLaw, Segments::Giant] {
        for kernel in ["lookback", "warp_specialized", "small_tiles"] {
            let sectors = counted(kernel, &scan(N, segments)).global_store_sectors;
            let words = (8 * sectors) as f64 / N as f64;
            assert!((1.0..1.01).contains(&words), "{kernel}, {segments}: {words}");
        }
    }
}

/// Warps' instructions for each KiB of elements that are folded.
#[test]
fn reductions() {
    let kinds = [Segments::Giant, Segments::Of(64), Segments::PowerLaw];
    for (kernel, wanted) in [
        ("reduce_warp_per_segment", [24.2, 356.0, 2117.7]),
        ("reduce_block_per_segment", [56.5, 2196.0, 13_821.5]),
        ("reduce_merge_path", [149.2, 416.7, 454.4]),
    ] {
        for (segments, wanted) in kinds.into_iter().zip(wanted) {
            let counters = counted(kernel, &case(N, Dtype::F32, Op::Sum, None, segments));
            let kib = (4 * N / 1024) as f64;
            let what = format!("{kernel}, {segments}");
            assert_near(&what, counters.warp_instructions as f64 / kib, wanted);
        }
    }
}

/// Warps' instructions for each KiB of elements in segments of one length.
#[test]
fn reductions_of_one_length() {
    let n = 1 << 20;
    for (kernel, wanted) in [
        ("reduce_warp_per_segment", [356.0, 61.5]),
        ("reduce_merge_path", [432.2, 440.5]),
        ("reduce_lanes_per_segment", [72.5, 86.0]),
        ("reduce_one_length", [145.0, 89.5]),
    ] {
        for (length, wanted) in [64, 512].into_iter().zip(wanted) {
            let case = case(n, Dtype::F32, Op::Sum, None, Segments::Of(length));
            let instructions = counted(kernel, &case).warp_instructions as f64;
            assert_near(kernel, instructions / (4 * n / 1024) as f64, wanted);
        }
    }
}

/// Warps' instructions for each word of flags, if there are several tiles. With one host thread: how often a block
/// looks for a tile that another thread still works on depends on how the two are scheduled.
#[test]
fn a_single_pass_over_bits() {
    let n = 1 << 22;
    let threads = |number| {
        let runner = testing::simulator();
        let simulator = runner.device.simulator().expect("it is one");
        simulator.configure(|options| options.threads = number).expect("this is an option");
    };
    threads(1);
    for (kernel, wanted) in
        [("offsets_of_bits", [16.3, 22.8, 28.7]), ("offsets_single_pass", [0.312, 1.90, 31.2])]
    {
        let kinds = [Segments::Giant, Segments::Of(64), Segments::Of(1)];
        for (segments, wanted) in kinds.into_iter().zip(wanted) {
            let case = conversion(n, Conversion::ToOffsets, segments);
            let instructions = counted(kernel, &case).warp_instructions as f64;
            assert_near(kernel, 32.0 * instructions / n as f64, wanted);
        }
    }
    threads(0);
}

/// At the size whose time the book predicts from the count, or nearly: search and joining matter less.
#[test]
fn reductions_of_many_elements() {
    let n = 1 << 24;
    let case = case(n, Dtype::F32, Op::Sum, None, Segments::Of(64));
    let counters = counted("reduce_merge_path", &case);
    assert_near("2^24", counters.warp_instructions as f64 / (4 * n / 1024) as f64, 304.1);
}

/// The same for long segments, of which there are more than multiprocessors: a block each, and where one is
/// half of everything, many for that one.
#[test]
fn reductions_by_length() {
    let n = 1 << 22;
    let kinds = [Segments::Of(4096), Segments::Of(1 << 14), Segments::Lopsided];
    for (kernel, wanted) in
        [("reduce_merge_path", [141.9, 112.1, 118.4]), ("reduce_by_length", [94.0, 101.3, 66.8])]
    {
        for (segments, wanted) in kinds.into_iter().zip(wanted) {
            let counters = counted(kernel, &case(n, Dtype::F32, Op::Sum, None, segments));
            let kib = (4 * n / 1024) as f64;
            let what = format!("{kernel}, {segments}");
            assert_near(&what, counters.warp_instructions as f64 / kib, wanted);
        }
    }
}

/// The same for lanes, which are for rows of similar lengths.
#[test]
fn products_of_a_band() {
    let counters = counted("spmv_lanes_per_row", &product(N, Matrix::Banded));
    assert_near("thousands", counters.warp_instructions as f64 / 1000.0, 328.0);
    assert_near("lanes", lanes(&counters), 31.4);
}

/// Thousands of warps' instructions of a product, and lanes, for a band, a power law and a long row.
#[test]
fn products() {
    for (kernel, thousands, active) in [
        ("spmv_thread_per_row", [109.4, 1976.0, 1597.0], [31.9, 2.13, 2.73]),
        ("spmv_warp_per_row", [903.0, 2487.0, 3081.0], [29.5, 22.7, 22.7]),
        ("spmv_merge_path", [507.4, 519.0, 514.9], [28.4, 28.5, 28.4]),
        ("spmv_tiles", [347.3, 337.5, 317.6], [30.4, 29.7, 30.6]),
    ] {
        for (i, matrix) in Matrix::MADE.into_iter().enumerate() {
            let counters = counted(kernel, &product(N, matrix));
            let what = format!("{kernel}, {matrix}");
            let counted = counters.warp_instructions as f64 / 1000.0;
            assert_near(&what, counted, thousands[i]);
            assert_near(&what, lanes(&counters), active[i]);
        }
    }
}
