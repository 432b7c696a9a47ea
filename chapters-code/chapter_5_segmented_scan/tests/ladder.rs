//! Every rung, on every size that has tripped a scan, for all kinds of segments, types and operators,
//! with the race check on.

use std::collections::BTreeSet;

use crate::common::{
    AnyRun, Run, SEGMENTS, all_tasks, case, judged, product, product_of, run_all, rungs_of, scan,
    written,
};
use chapter_5_segmented_scan::{
    Case, Matrix, Rung, Segments,
    chapter::Segmented,
    problem::SegmentedScan,
    products,
    rungs::{
        cooperative::{WARP_SPECIALIZED, warp_specialized},
        reduce_one_length::has_one_length,
    },
    segments::Offsets,
    task::{Task, entry_name},
};
use harness::{Dtype, Kind, Op, inputs};
use report::{AnyCase, AnyRung};
use testing::{SIZES, check, under_schedules, under_several_schedules};

/// Around the tiles of 4,096, 6,144 and 16,384 elements of four bytes, and three of them and a bit.
const TILES: [u64; 8] = [4095, 4096, 4097, 6143, 6144, 6145, 16_385, 3 * 16_384 + 7];

/// Some kinds of segments around a warp and small blocks, others around tiles; eight scans of either
/// kind and six reductions of each, and a seventh of segments of one length.
fn check_all(dtype: Dtype, op: Op) {
    let small = [Segments::Of(1), Segments::PowerLaw, Segments::Empty];
    let large = [Segments::Of(32), Segments::Of(512), Segments::Giant, Segments::PowerLaw];
    let with = |n: u64, kinds: &[Segments]| -> Vec<Case> {
        let tasks = kinds.iter().flat_map(|&kind| all_tasks(n, dtype, op, kind));
        tasks.collect()
    };
    let mut cases: Vec<Case> = SIZES.iter().flat_map(|&n| with(n, &small)).collect();
    cases.extend(TILES.iter().flat_map(|&n| with(n, &large)));
    let rows = run_all(&cases);
    let of_one_length = |case: &&Case| matches!(case.task, Task::Reduce(_)) && has_one_length(case);
    let of_one_length = cases.iter().filter(of_one_length).count();
    assert_eq!(rows.len(), cases.len() / 3 * (8 + 8 + 6) + of_one_length);
    check(&rows);
}

#[test]
fn sums_of_f32() {
    check_all(Dtype::F32, Op::Sum);
}

#[test]
#[ignore = "exhaustive: `cargo test -- --ignored exhaustive`"]
fn exhaustive_sums_of_i64() {
    check_all(Dtype::I64, Op::Sum);
}

/// Fewer sizes: the types differ in how many fit a pack, and 4 and 8 bytes have been all through.
fn check_others(others: &[(Dtype, Op)]) {
    for &(dtype, op) in others {
        let of = |n: u64| SEGMENTS.into_iter().flat_map(move |s| all_tasks(n, dtype, op, s));
        check(&run_all(&[33, 6145].into_iter().flat_map(of).collect::<Vec<Case>>()));
    }
}

#[test]
fn other_types_and_maxima() {
    let others = [(Dtype::U32, Op::Sum), (Dtype::I64, Op::Sum), (Dtype::F64, Op::Max)];
    check_others(&others);
}

#[test]
#[ignore = "exhaustive: `cargo test -- --ignored exhaustive`"]
fn exhaustive_other_types_and_maxima() {
    check_others(&[
        (Dtype::I32, Op::Sum),
        (Dtype::F64, Op::Sum),
        (Dtype::I32, Op::Max),
        (Dtype::U32, Op::Max),
        (Dtype::I64, Op::Max),
        (Dtype::F32, Op::Max),
    ]);
}

/// Both kinds of scan by maps that do not commute, with all that claim to keep the order; and the one
/// reduction that does.
#[test]
fn affine_maps_keep_their_order() {
    let of = |n: u64, kinds: &[Segments]| -> Vec<Case> {
        let all = |&segments| all_tasks(n, Dtype::I64, Op::Affine, segments);
        kinds.iter().flat_map(all).collect()
    };
    let small = [Segments::PowerLaw, Segments::Empty];
    let large = [Segments::Of(512), Segments::Giant];
    let mut cases: Vec<Case> = SIZES.iter().flat_map(|&n| of(n, &small)).collect();
    cases.extend(TILES.iter().flat_map(|&n| of(n, &large)));
    let rows = run_all(&cases);
    let names: BTreeSet<&str> = rows.iter().map(|row| &*row.subject.kernel).collect();
    let expected = [
        "block_per_segment",
        "hillis_steele",
        "lookback",
        "reduce_thread_per_segment",
        "shuffle",
        "thread_per_segment",
        "vectorized",
    ];
    assert!(names.into_iter().eq(expected));
    assert_eq!(rows.len(), cases.len() / 3 * (6 + 6 + 1));
    check(&rows);
}

#[test]
fn all_products() {
    let sizes = SIZES.into_iter().chain([4097, 70_001]);
    let cases: Vec<Case> =
        sizes.flat_map(|n| Matrix::MADE.map(|matrix| product(n, matrix))).collect();
    let rows = run_all(&cases);
    assert_eq!(rows.len(), 5 * cases.len());
    check(&rows);
}

/// Rows that end at borders of tiles of 4,096 entries, beside them, and many tiles later; empty ones between them, at
/// both ends, and alone; and no rows. For the rungs that divide entries.
#[test]
fn rows_at_borders_of_tiles() {
    const TILE: u32 = 4096;
    for lengths in [
        vec![],
        vec![0; 5000],
        vec![TILE; 3],
        vec![TILE - 1, 1, 0, 0, 1, TILE - 1, 0],
        vec![0, 0, 3 * TILE, 0, 1, 2 * TILE - 2, 7],
        vec![5 * TILE + 1, 0, 9, 600 * TILE + 3, 1],
        [vec![0; 9000], vec![2 * TILE], vec![0; 9000], vec![1]].concat(),
        vec![31, 1, 1, 31, 255, 1, 1, 255, 257, TILE],
    ] {
        for rung in &products()[3..] {
            let mut run = Run::new(product_of(&lengths), rung);
            for _ in 0..2 {
                let verdict = run.once().judged();
                assert!(verdict.is_correct(), "{}, {lengths:?}: {verdict:?}", rung.0.name);
            }
        }
    }
}

/// Three levels of blocks, and two rounds of all resident ones.
#[test]
#[ignore = "exhaustive: `cargo test -- --ignored exhaustive`"]
fn exhaustive_a_million_and_three() {
    let n = (1 << 20) + 3;
    for segments in [Segments::Of(64), Segments::Giant, Segments::PowerLaw] {
        let [inclusive, _, reduce] = all_tasks(n, Dtype::F32, Op::Sum, segments);
        check(&run_all(&[inclusive, reduce]));
    }
    check(&run_all(&[product(n, Matrix::LongRow)]));
}

/// More tiles than two rounds of 132 blocks of `warp_specialized` hold, or of 528 of `small_tiles`, with heads everywhere, here and there,
/// and nowhere but at the beginning.
#[test]
fn several_rounds() {
    for segments in [Segments::Of(100), Segments::Of(300_007), Segments::Giant] {
        let case = case(2_000_001, Dtype::I64, Op::Sum, Some(Kind::Inclusive), segments);
        let rows = testing::run(&Segmented::DEFAULT, &[case], &|rung, _| {
            ["lookback", "warp_specialized", "small_tiles"].contains(&rung.name)
        });
        assert_eq!(rows.len(), 3);
        check(&rows);
    }
}

/// Two blocks walk over 57 tiles, so that copies overwrite each stage at least twice.
#[test]
fn the_ring_goes_round() {
    let case = scan(350_001, Segments::Of(100));
    let verdict = testing::judged_on_few(2, &Segmented::DEFAULT, "warp_specialized", &case);
    assert!(verdict.is_correct(), "{:?}", verdict.failures);
}

#[test]
fn awkward_inputs() {
    for case in all_tasks(10_007, Dtype::F32, Op::Sum, Segments::PowerLaw) {
        check(&run_all(&testing::awkward_inputs(case)));
    }
}

under_several_schedules!({
    check(&run_all(&[
        scan(70_001, Segments::Of(10_000)),
        scan(70_001, Segments::PowerLaw),
        case(70_001, Dtype::F32, Op::Sum, None, Segments::Empty),
        product(20_001, Matrix::LongRow),
    ]));
    // What looks back may not mix up who came first.
    let segments = [Segments::Of(10_000), Segments::Giant, Segments::Empty];
    check(&run_all(&segments.map(|of| all_tasks(70_001, Dtype::I64, Op::Affine, of)[0])));
});

// ---- Segments that a draw does not give ---------------------------------------------------------------

/// All rungs but products.
#[track_caller]
fn check_lengths(lengths: &[u32]) {
    let n = lengths.iter().copied().map(u64::from).sum();
    check_tasks(lengths, &all_tasks(n, Dtype::I64, Op::Sum, Segments::Giant));
}

#[track_caller]
fn check_reductions(lengths: &[u32]) {
    let n = lengths.iter().copied().map(u64::from).sum();
    check_tasks(lengths, &[case(n, Dtype::I64, Op::Sum, None, Segments::Giant)]);
}

#[track_caller]
fn check_tasks(lengths: &[u32], tasks: &[Case]) {
    let offsets = Offsets::of_lengths(lengths.iter().copied()).expect("they are few");
    let elements: Vec<i64> =
        (0..offsets.elements() as i64).map(|i| i % 1009 * (i % 1009) % 97 - 40).collect();
    for case in tasks {
        for rung in rungs_of(case.task) {
            let verdict = judged(rung.name, case, &elements, &offsets);
            assert!(verdict.is_correct(), "{}: {:?}", rung.name, verdict.failures);
        }
    }
}

/// Heads on both sides of a border: of a pack, a row, a part of a tile, a block or a tile.
fn check_borders(borders: &[u32]) {
    for &border in borders {
        check_lengths(&[border - 1, 1, 1, 19_999 - border]);
        check_lengths(&[border; 3]);
    }
}

#[test]
fn heads_at_borders() {
    check_borders(&[32, 256, 3072]);
}

#[test]
#[ignore = "exhaustive: `cargo test -- --ignored exhaustive`"]
fn exhaustive_heads_at_borders() {
    check_borders(&[2, 64, 128, 384, 512, 2048, 8192]);
}

#[test]
fn long_and_short_ones_in_turn() {
    check_lengths(&[1, 7000, 1, 1, 7000, 2, 300, 12_000, 1]);
}

/// As many as there are multiprocessors, and long enough for a block each, small or large, with borders at
/// every place in a pack; and some that are empty, or shorter than a pack.
fn check_long(long: u32) {
    let lengths: Vec<u32> = (0..140)
        .map(|s| [long + 1, long + 2, long + 3, 0, long - 1, 3, 4 * long + 11][s % 7])
        .collect();
    check_lengths(&lengths);
}

#[test]
fn long_and_many() {
    check_long(3000);
}

#[test]
#[ignore = "exhaustive: `cargo test -- --ignored exhaustive`"]
fn exhaustive_long_and_many() {
    check_long(23_000);
}

/// A block each, but for those that are cut: at both ends of the array, in the middle, at their own begin,
/// and one that has nearly everything.
#[test]
fn some_too_long_for_a_block() {
    const PIECE: u32 = 1 << 16;
    for (long, length) in [(0, 2 * PIECE), (70, 3 * PIECE + 5), (131, PIECE + 1)] {
        let mut lengths = vec![2048; 132];
        lengths[31] = 0;
        lengths[long] = length;
        check_reductions(&lengths);
    }
    let mut lengths = vec![5; 132];
    lengths[0] = PIECE; // what follows begins at a cut, and is cut at the next ones
    lengths[1] = 4 * PIECE;
    check_reductions(&lengths);
}

/// What a rung counts and keeps in memory is as the next launch needs it, whatever that one's elements are.
fn check_one_launch_after_another(is_meant: impl Fn(Task) -> bool) {
    let mut lengths = vec![2048; 140];
    lengths[3] = 3 << 16;
    let offsets = Offsets::of_lengths(lengths).expect("they are few");
    let n = offsets.elements();
    let launches =
        [3, 1, 4].map(|factor| (0..n as i64).map(|i| i % 7 * factor).collect::<Vec<_>>());
    let cases = all_tasks(n as u64, Dtype::I64, Op::Sum, Segments::Giant);
    for case in cases.into_iter().filter(|case| is_meant(case.task)) {
        for rung in rungs_of(case.task) {
            let mut run = AnyRun::new(rung.name, &case, &launches[0], &offsets);
            let [first, second, third] = launches.each_ref().map(|elements| {
                run.replace(elements);
                run.written()
            });
            let sums = first.iter().zip(&second).map(|(a, b)| a.wrapping_add(*b));
            assert!(sums.eq(third), "{}", rung.name);
        }
    }
}

#[test]
fn one_launch_after_another() {
    check_one_launch_after_another(|task| matches!(task, Task::Scan(Kind::Inclusive, _)));
}

#[test]
#[ignore = "exhaustive: `cargo test -- --ignored exhaustive`"]
fn exhaustive_one_launch_after_another() {
    check_one_launch_after_another(|task| !matches!(task, Task::Scan(Kind::Inclusive, _)));
}

/// The parts of a segment that is cut are joined through memory: without a race.
#[test]
fn a_segment_in_parts() {
    let types = [(Dtype::F32, Op::Sum), (Dtype::F32, Op::Max), (Dtype::I64, Op::Sum)];
    let lopsided = types.map(|(dtype, op)| case(1 << 21, dtype, op, None, Segments::Lopsided));
    let by_length = |rung: &AnyRung, _: &AnyCase| rung.name == "reduce_by_length";
    let run = |cases: &[Case]| check(&testing::run(&Segmented::DEFAULT, cases, &by_length));
    run(&lopsided);
    under_schedules(1..=4, || run(&lopsided[..1]));
}

/// Shorter than a pack, of several lanes, of a block and of several blocks, with borders at every place in a pack.
#[test]
fn segments_of_one_length() {
    let types = [(Dtype::F32, Op::Sum), (Dtype::F32, Op::Max), (Dtype::I64, Op::Sum)];
    let lengths = (1..=18).chain([31, 64, 65, 257, 1023, 2047, 2049, 16_385, 40_003]);
    let cases = lengths.flat_map(|length| {
        let counts: &[u64] = if length < 300 { &[1, 3, 4, 9, 300] } else { &[1, 5] };
        counts.iter().flat_map(move |count| {
            let n = u64::from(length) * count;
            types.map(|(dtype, op)| case(n, dtype, op, None, Segments::Of(length)))
        })
    });
    let one_length = |rung: &AnyRung, _: &AnyCase| rung.name == "reduce_one_length";
    check(&testing::run(&Segmented::DEFAULT, &cases.collect::<Vec<_>>(), &one_length));
}

/// Spans of a segment are joined through memory: without a race, and again in the next launch.
#[test]
fn a_segment_in_spans() {
    let case = case(300_000, Dtype::F32, Op::Sum, None, Segments::Giant);
    let one_length = |rung: &AnyRung, _: &AnyCase| rung.name == "reduce_one_length";
    under_schedules(1..=4, || check(&testing::run(&Segmented::DEFAULT, &[case], &one_length)));
    let elements: Vec<f32> = (0..300_000).map(|i| (i % 8) as f32).collect();
    let offsets = Offsets::of_lengths([100_000; 3]).expect("they are few");
    let mut run = AnyRun::new("reduce_one_length", &case, &elements, &offsets);
    for _ in 0..3 {
        assert_eq!(run.written(), [350_000.0; 3]);
    }
}

/// All segments are empty but one, in which everything is.
#[test]
fn many_empty_segments() {
    let mut lengths = vec![0; 5000];
    for at in [0, 2500, 4999] {
        lengths[at] = 9001;
        check_lengths(&lengths);
        lengths[at] = 0;
    }
    check_lengths(&lengths);
}

/// The example of the chapter: [[1 2] [6 7 1] [1 2 3 4]].
#[test]
fn the_example_by_hand() {
    let offsets = Offsets::of_lengths([2, 3, 4]).expect("they are few");
    let elements = [1i64, 2, 6, 7, 1, 1, 2, 3, 4];
    let [inclusive, exclusive, reduce] = all_tasks(9, Dtype::I64, Op::Sum, Segments::Giant);
    let expected: [(Case, &[i64]); 3] = [
        (inclusive, &[1, 3, 6, 13, 14, 1, 3, 6, 10]),
        (exclusive, &[0, 1, 0, 6, 13, 0, 1, 3, 6]),
        (reduce, &[3, 14, 10]),
    ];
    for (case, expected) in expected {
        for rung in rungs_of(case.task) {
            let mut run = AnyRun::new(rung.name, &case, &elements, &offsets);
            assert_eq!(run.written(), expected, "{}", rung.name);
            assert!(run.judged().is_correct(), "{}", rung.name);
        }
    }
}

/// The other example of the page: maps 2x + 3, 5x + 7 in one segment, x + 1, 3x in another, the left one
/// first.
#[test]
fn maps_by_hand() {
    let maps = |maps: [[i64; 2]; 4]| maps.map(|[a, b]| a << 32 | b);
    let offsets = Offsets::of_lengths([2, 2]).expect("they are few");
    let elements = maps([[2, 3], [5, 7], [1, 1], [3, 0]]);
    let [inclusive, exclusive, reduce] = all_tasks(4, Dtype::I64, Op::Affine, Segments::Of(2));
    let expected: [(Case, &[i64]); 3] = [
        (inclusive, &maps([[2, 3], [10, 22], [1, 1], [3, 3]])),
        (exclusive, &maps([[1, 0], [2, 3], [1, 0], [1, 1]])),
        (reduce, &maps([[10, 22], [3, 3], [0; 2], [0; 2]])[..2]),
    ];
    for (case, expected) in expected {
        let has = |rung: &Rung| rung.has_entry(&entry_name(&case));
        for rung in rungs_of(case.task).filter(has) {
            let results = written(&rung, &case, &elements, &offsets);
            assert_eq!(results, expected, "{}", rung.name);
        }
    }
}

// ---- What a device may lack ---------------------------------------------------------------------------

/// A device whose blocks have too little shared memory for `warp_specialized` is told how much it takes.
#[test]
fn stages_that_do_not_fit_a_block_are_refused() {
    let mut device = testing::simulator().device.clone();
    let case = scan(1000, Segments::Of(64));
    let mut refused = |room: u32| {
        device.properties.shared_bytes_a_block = room;
        let (elements, division) = (inputs::generate(&case), Offsets::of_case(&case));
        let problem = SegmentedScan::<f32>::new(&device, &case, elements, division.expect("few"));
        let problem = problem.expect("memory");
        let prepared = warp_specialized(&problem, &WARP_SPECIALIZED);
        prepared.err().map(|error| error.to_string())
    };
    let message = refused(0).expect("nothing is too little");
    let (_, needed) = message.split_once("need ").expect("a number");
    let (needed, _) = needed.split_once(" bytes").expect("of bytes");
    let needed = needed.parse().expect("a number");
    assert!(refused(needed - 1).is_some() && refused(needed).is_none());
}
