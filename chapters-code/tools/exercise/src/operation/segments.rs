//! How arrays are divided into segments, and how kernels are told.

use chapter_5_segmented_scan::segments::Offsets;
use harness::{Element, Input, Op, inputs};
use serde::Deserialize;

use super::{Array, Case};
use crate::course::launch::Dimensions;

/// Lengths that trip kernels: around a warp and a block, over several blocks, and none at all. An
/// array begins with them in this order, so that short ones have several heads, too.
const LENGTHS: [u32; 16] = [2, 1, 0, 5, 31, 33, 3, 100, 0, 257, 700, 32, 1, 255, 256, 1500];

/// Lengths of which all segments may have one, for one seed after another.
const SAME: [u32; 6] = [32, 64, 100, 33, 256, 7];

/// Uniform mixes lengths, zipf draws them by Zipf's law, constant makes segments of one length, and sorted
/// one of everything. Denormal has twice as many empty segments as elements, all between two long ones.
/// `smallest` is the shortest length.
pub fn of(case: &Case, smallest: u32) -> Offsets {
    let n = case.shape.elements() as u32;
    let length = |s: u64| match case.input {
        Input::Constant => SAME[(case.seed % SAME.len() as u64) as usize],
        Input::Sorted => n,
        Input::Denormal if s == 0 => n / 2,
        Input::Denormal if s <= 2 * u64::from(n) => 0,
        Input::Denormal => n,
        Input::Zipf => inputs::zipf(!case.seed, s, n.into()) as u32,
        _ if s < LENGTHS.len() as u64 => LENGTHS[s as usize],
        _ => any_length(inputs::bits(!case.seed, s), n),
    };
    let (mut lengths, mut left) = (Vec::new(), n);
    while left > 0 {
        let length = length(lengths.len() as u64).max(smallest).min(left);
        lengths.push(length);
        left -= length;
    }
    if smallest == 0 && case.input == Input::Uniform {
        lengths.push(0);
    }
    of_lengths(lengths)
}

/// Mostly one of [`LENGTHS`]; now and then any, of which short ones are as likely as long ones.
fn any_length(random: u64, n: u32) -> u32 {
    match random % 16 {
        0 => ((random >> 32) as u32)
            .checked_shr(32 - (random >> 8) as u32 % (n.ilog2() + 1))
            .unwrap_or(0),
        _ => LENGTHS[(random >> 8) as usize % LENGTHS.len()],
    }
}

/// All of one length, but perhaps the last.
pub fn equal(n: u32, length: u32) -> Offsets {
    let begins = (0..n).step_by(length.max(1) as usize);
    of_lengths(begins.map(|begin| length.max(1).min(n - begin)))
}

fn of_lengths(lengths: impl IntoIterator<Item = u32>) -> Offsets {
    Offsets::of_lengths(lengths).expect("they are as long together as an array")
}

/// How inputs are called, by what they divide an array into.
pub fn input_name(input: Input) -> String {
    let name = match input {
        Input::Constant => "segments of one length",
        Input::Sorted => "one segment",
        Input::Denormal => "two long segments, and many empty ones between them",
        Input::Zipf => "segments of lengths by Zipf's law",
        _ => "segments of all lengths",
    };
    name.to_owned()
}

/// How a kernel is told where segments begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Given {
    /// Bytes `flags`, one an element.
    Flags,
    /// `offsets`, and `segments`, their number less one; segments may be empty.
    Offsets,
}

impl Given {
    /// As an input.
    pub fn array(self, segments: &Offsets) -> Array {
        match self {
            Self::Flags => Array::of("flags", &segments.flags()),
            Self::Offsets => Array::of("offsets", segments.as_slice()),
        }
    }

    /// The head flags again, of n elements.
    pub fn flags(self, array: &Array, n: usize) -> Vec<u8> {
        match self {
            Self::Flags => array.bytes.clone(),
            Self::Offsets => again(array, n).flags(),
        }
    }
}

/// The segments of n elements again, of their offsets.
pub fn again(offsets: &Array, n: usize) -> Offsets {
    Offsets::new(offsets.elements(), n).expect("they were made of segments")
}

/// The elements in segments that an input makes: its name is about their lengths, and equal elements
/// would hide which of them are where.
pub fn elements<T: Element>(case: &Case, op: Op) -> Vec<T> {
    let input = match case.input {
        Input::Negative => Input::Negative,
        _ => Input::Uniform,
    };
    super::elements(&Case { input, ..*case }, op)
}

/// `n` and `segments`.
pub fn dimensions(segments: &Offsets) -> Dimensions {
    super::dimensions([("n", segments.elements() as u64), ("segments", segments.count() as u64)])
}

#[cfg(test)]
mod tests {
    use harness::Shape;

    use super::*;

    fn case(n: u64, input: Input) -> Case {
        Case { shape: Shape::Vector { n }, input, seed: 1 }
    }

    #[test]
    fn empty_segments_lie_between_two_long_ones() {
        let segments = of(&case(100, Input::Denormal), 0);
        let lengths: Vec<usize> = segments.ranges().map(|range| range.len()).collect();
        assert_eq!(lengths.len(), 202);
        assert_eq!((lengths[0], lengths[201]), (50, 50));
        // Where no segment may be empty, they are as short as can be.
        let flags = of(&case(100, Input::Denormal), 1);
        assert_eq!(flags.count(), 51);
    }

    #[test]
    fn segments_cover_everything_and_many_are_empty() {
        for n in [0, 1, 257, 10_000] {
            for input in [Input::Uniform, Input::Zipf, Input::Constant, Input::Sorted] {
                let segments = of(&case(n, input), 0);
                assert_eq!(segments.as_slice().first(), Some(&0));
                assert_eq!(segments.as_slice().last(), Some(&(n as u32)));
                assert!(segments.as_slice().is_sorted());
                assert_eq!(segments.elements() as u64, n);
            }
        }
        let mixed = of(&case(10_000, Input::Uniform), 0);
        let empty = mixed.ranges().filter(|range| range.is_empty()).count();
        assert!(empty > 3, "{empty} of {}", mixed.count());
        let longest = mixed.ranges().map(|range| range.len()).max();
        assert!(longest >= Some(700), "{longest:?}");
    }
}
