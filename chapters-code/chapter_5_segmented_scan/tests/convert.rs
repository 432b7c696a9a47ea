//! The conversions between offsets and head flags: there and back, with empty segments, and into outputs
//! that are too small.

use crate::common::{SEGMENTS, conversion, converted, words};
use bytemuck::cast_slice;
use chapter_5_segmented_scan::{
    RUNGS, TO_OFFSETS,
    chapter::Segmented,
    convert::{Expected, HEADER},
    input,
    segments::Offsets,
};
use harness::{
    Case, Conversion, Segments,
    testing::{self, SIZES, check, under_schedules},
};

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
    let rows = testing::run(&Segmented::OF_SEED, cases, &testing::is_right);
    assert_eq!(rows.len(), 2 * cases.len());
    check(&rows);
}

#[test]
fn every_size_and_all_segments() {
    run_all(&cases(SIZES.into_iter().chain(BLOCKS)));
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

/// What a rung makes of segments.
fn of_segments(rung: &str, offsets: &Offsets) -> Vec<u8> {
    let rung = RUNGS.find(rung).expect("a rung");
    let is_back = TO_OFFSETS.iter().any(|back| back.name == rung.name);
    let to = Conversion::ALL[usize::from(is_back)];
    let case = conversion(offsets.elements() as u64, to, Segments::Giant);
    let expected = Expected::of(rung.name, to, offsets);
    let packed = input::pack_segments(offsets);
    let computed = converted(rung, &case, &packed, expected.output_bytes());
    let verdict = expected.judge(&computed);
    assert!(verdict.is_correct(), "{}: {verdict:?}", rung.name);
    computed
}

/// [[] [5 5] [] [] [2] []]: offsets 0 0 2 2 2 3 3, flags 1 0 1, and back only 0 2 3.
#[test]
fn empty_segments_are_lost_on_the_way() {
    let offsets = Offsets::of_lengths([0, 2, 0, 0, 1, 0]).expect("they are few");
    assert_eq!(of_segments("flags_of_offsets", &offsets), [1, 0, 1]);
    assert_eq!(
        words::<u32>(&of_segments("bits_of_offsets", &offsets)),
        [0b101]
    );
    for rung in TO_OFFSETS {
        let out = of_segments(rung.name, &offsets);
        assert_eq!(words::<u32>(&out[..4]), [2], "{}", rung.name);
        assert_eq!(words::<u32>(&out[HEADER..]), [0, 2, 3], "{}", rung.name);
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
        [vec![0; 300], vec![70_000], vec![0; 300]].concat(),
    ] {
        let offsets = Offsets::of_lengths(lengths).expect("they are few");
        let names = RUNGS.iter().take(4).map(|rung| rung.name);
        names.for_each(|name| drop(of_segments(name, &offsets)));
    }
}

/// The number is right all the same, the first offsets are there, and nothing lies behind them. The
/// simulator's guard zone begins where the output ends.
#[test]
fn an_output_that_is_too_small_is_not_written_past_its_end() {
    let offsets = Offsets::of_lengths((0..5000).map(|i| 1 + i % 7)).expect("they are few");
    let case = conversion(
        offsets.elements() as u64,
        Conversion::ToOffsets,
        Segments::Giant,
    );
    let packed = input::pack_segments(&offsets);
    for rung in TO_OFFSETS {
        for room in [0, 1, 4999, 5000, 5001] {
            let out = converted(rung, &case, &packed, HEADER + 4 * room);
            let what = format!("{} into {room}", rung.name);
            assert_eq!(words::<u32>(&out[..4]), [5000], "{what}");
            let expected = &offsets.as_slice()[..room];
            assert_eq!(words::<u32>(&out[HEADER..]), expected, "{what}");
        }
    }
}

/// The host refuses offsets past the end, and flags whose first is 0; a kernel that is given them all the
/// same writes nothing past its output's end, and takes the first element for a head.
#[test]
fn what_the_host_refuses_does_no_harm() {
    let right = Offsets::of_lengths([40, 60]).expect("they are few");
    let mut packed = input::pack_segments(&right);
    let end = packed.len();
    packed[end - 8..].copy_from_slice(cast_slice(&[200u32, 300]));
    let case = conversion(100, Conversion::ToFlags, Segments::Giant);
    for (name, bytes) in [("flags_of_offsets", 100), ("bits_of_offsets", 16)] {
        let out = converted(RUNGS.find(name).expect("a rung"), &case, &packed, bytes);
        assert_eq!(
            out.iter().map(|&byte| u32::from(byte)).sum::<u32>(),
            1,
            "{name}"
        );
        assert_eq!(out[0], 1, "{name}");
    }
    let mut packed = input::pack_segments(&right);
    // Bytes come first, and words behind them at the next multiple of 256 bytes.
    (packed[0], packed[256]) = (0, 0);
    let case = conversion(100, Conversion::ToOffsets, Segments::Giant);
    for rung in TO_OFFSETS {
        let out = converted(rung, &case, &packed, HEADER + 4 * 3);
        assert_eq!(words::<u32>(&out[HEADER..]), [0, 40, 100], "{}", rung.name);
    }
}
