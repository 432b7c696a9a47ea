//! The conversions between offsets and head flags: there and back, with empty segments, and into outputs
//! that are too small.

use crate::common::{Run, SEGMENTS, contents, conversion};
use chapter_5_segmented_scan::{
    Case, Conversion, Rung, Segments,
    chapter::Segmented,
    problem::{ToFlags, ToOffsets},
    segments::Offsets,
    to_flags, to_offsets,
};
use cudarc::driver::CudaSlice;
use harness::{Element, Prepare, buffer};
use report::{AnyCase, AnyRung};
use testing::{SIZES, check, under_schedules};

/// Around a word of flags, the blocks of 8,192 flags, and three of them and a bit.
const BLOCKS: [u64; 5] = [1056, 8191, 8192, 8193, 3 * 8192 + 7];

fn cases(sizes: impl IntoIterator<Item = u64>) -> Vec<Case> {
    let of = |n| {
        let both = move |s| Conversion::ALL.map(|to| conversion(n, to, s));
        SEGMENTS.into_iter().flat_map(both)
    };
    sizes.into_iter().flat_map(of).collect()
}

#[track_caller]
fn run_all(cases: &[Case]) {
    let rows = testing::run(&Segmented::DEFAULT, cases, &testing::is_right);
    assert_eq!(rows.len(), cases.len() / 2 * (3 + 3));
    check(&rows);
}

#[test]
fn every_size_and_all_segments() {
    run_all(&cases(SIZES.into_iter().chain(BLOCKS)));
}

/// Several tiles of 524,288 flags, with heads everywhere, here and there, and nowhere but at the beginning; and tickets
/// that go on from launch to launch.
#[test]
fn several_tiles_and_launches() {
    let n = 3 * 524_288 + 9;
    let case = |segments| conversion(n, Conversion::ToOffsets, segments);
    let cases = [Segments::Of(1), Segments::Of(32), Segments::PowerLaw, Segments::Giant].map(case);
    let single_pass = |rung: &AnyRung, _: &AnyCase| rung.name == "offsets_single_pass";
    under_schedules(1..=3, || check(&testing::run(&Segmented::DEFAULT, &cases, &single_pass)));
    let offsets = Offsets::of_case(&case(Segments::PowerLaw)).expect("they are few");
    let mut run = offsets_of(&to_offsets()[2], &offsets, offsets.as_slice().len());
    for _ in 0..3 {
        let verdict = run.once().judged();
        assert!(verdict.is_correct(), "{verdict:?}");
    }
}

/// More blocks than one block of the scan of counts sees.
#[test]
fn a_million_and_three() {
    let n = (1 << 20) + 3;
    run_all(&Conversion::ALL.map(|to| conversion(n, to, Segments::PowerLaw)));
}

#[test]
fn schedules_make_no_difference() {
    under_schedules(1..=4, || run_all(&cases([9001])));
}

/// The flags of given segments, by a rung.
fn flags_of(rung: &(Rung, Prepare<ToFlags>), offsets: &Offsets) -> Run<ToFlags> {
    let n = offsets.elements() as u64;
    let case = conversion(n, Conversion::ToFlags, Segments::Giant);
    let problem = ToFlags::new(&testing::simulator().device, &case, offsets.clone());
    let mut run = Run::new(problem.expect("memory"), rung);
    let verdict = run.once().judged();
    assert!(verdict.is_correct(), "{}: {verdict:?}", rung.0.name);
    run
}

/// The number of given segments and their offsets, made of flags by a rung, with room for `capacity` offsets.
fn offsets_of(
    rung: &(Rung, Prepare<ToOffsets>),
    offsets: &Offsets,
    capacity: usize,
) -> Run<ToOffsets> {
    let n = offsets.elements() as u64;
    let case = conversion(n, Conversion::ToOffsets, Segments::Giant);
    let device = testing::simulator().device.clone();
    let problem = ToOffsets::new(&device, &case, offsets.clone().without_empty(), capacity);
    let mut run = Run::new(problem.expect("memory"), rung);
    run.once();
    run
}

/// [[] [5 5] [] [] [2] []]: offsets 0 0 2 2 2 3 3, flags 1 0 1, and back only 0 2 3.
#[test]
fn empty_segments_are_lost_on_the_way() {
    let offsets = Offsets::of_lengths([0, 2, 0, 0, 1, 0]).expect("they are few");
    let [bytes, bits, tiled] = &to_flags()[..] else {
        panic!("three rungs");
    };
    assert_eq!(contents(&flags_of(bytes, &offsets).problem.flags), [1, 0, 1]);
    for rung in [bits, tiled] {
        assert_eq!(contents(&flags_of(rung, &offsets).problem.bits), [0b101], "{}", rung.0.name);
    }
    for rung in to_offsets() {
        let run = offsets_of(&rung, &offsets, 3);
        assert_eq!(contents(&run.problem.count), [2], "{}", rung.0.name);
        assert_eq!(contents(&run.problem.offsets), [0, 2, 3], "{}", rung.0.name);
    }
}

/// Neighbours in a word, ends of words and blocks, and nothing for a long time.
#[test]
fn heads_at_borders() {
    for lengths in [
        vec![31, 1, 1, 31, 33, 8192],
        vec![8191, 1, 1, 8191, 20_000],
        vec![1; 9000],
        vec![0; 9000],
        vec![131_071, 1, 0, 0, 1, 131_070, 0, 1, 131_072, 40],
        [vec![0; 300], vec![70_000], vec![0; 300]].concat(),
    ] {
        let offsets = Offsets::of_lengths(lengths).expect("they are few");
        for rung in to_flags() {
            flags_of(&rung, &offsets);
        }
        for rung in to_offsets() {
            let capacity = offsets.clone().without_empty().as_slice().len();
            let mut run = offsets_of(&rung, &offsets, capacity);
            let verdict = run.judged();
            assert!(verdict.is_correct(), "{}: {verdict:?}", rung.0.name);
        }
    }
}

/// The number is right all the same, the first offsets are there, and nothing lies behind them. The
/// simulator's guard zone begins where the output ends.
#[test]
fn an_output_that_is_too_small_is_not_written_past_its_end() {
    let offsets = Offsets::of_lengths((0..5000).map(|i| 1 + i % 7)).expect("they are few");
    for rung in to_offsets() {
        for room in [0, 1, 4999, 5000, 5001] {
            let run = offsets_of(&rung, &offsets, room);
            let what = format!("{} into {room}", rung.0.name);
            assert_eq!(contents(&run.problem.count), [5000], "{what}");
            let expected = &offsets.as_slice()[..room];
            assert_eq!(contents(&run.problem.offsets), expected, "{what}");
        }
    }
}

/// The host refuses offsets past the end, and flags whose first is 0; a kernel that is given them all the
/// same writes nothing past its output's end, and takes the first element for a head.
#[test]
fn what_the_host_refuses_does_no_harm() {
    let right = Offsets::of_lengths([40, 60]).expect("they are few");
    for (rung, is_bytes) in to_flags().iter().zip([true, false, false]) {
        let mut run = flags_of(rung, &right);
        *run.problem.offsets = device_array(&[0u32, 200, 300]);
        run.once();
        let set: Vec<usize> = match is_bytes {
            true => ones(contents(&run.problem.flags).into_iter().map(u32::from), 1),
            false => ones(contents(&run.problem.bits).into_iter(), 32),
        };
        assert_eq!(set, [0], "{}", rung.0.name);
    }
    for rung in to_offsets() {
        let mut run = offsets_of(&rung, &right, 3);
        let (mut flags, mut bits) = (right.flags(), right.bits());
        (flags[0], bits[0]) = (0, bits[0] & !1);
        bits.resize(64, 0);
        *run.problem.flags = device_array(&flags);
        *run.problem.bits = device_array(&bits);
        run.once();
        let name = rung.0.name;
        assert_eq!(contents(&run.problem.offsets), [0, 40, 100], "{name}");
    }
}

/// A copy of an array on the device.
fn device_array<T: Element>(elements: &[T]) -> CudaSlice<T> {
    buffer::to_device(&testing::simulator().device, elements).expect("memory")
}

/// The indices of the ones in words of `bits` bits.
fn ones(words: impl Iterator<Item = u32>, bits: usize) -> Vec<usize> {
    let flags = words.flat_map(|word| (0..bits).map(move |bit| word >> bit & 1));
    let indices = flags.enumerate().filter(|&(_, flag)| flag == 1);
    indices.map(|(i, _)| i).collect()
}
