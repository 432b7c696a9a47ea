//! How arrays are divided into segments, and how kernels are told.

use harness::{Input, inputs::bits};
use serde::Deserialize;

use super::{Array, Case, vector};
use crate::course::launch::Dimensions;

/// How an array is divided: `offsets` of `segments` + 1 places, the first 0 and the last n.
pub struct Segments {
    /// Where each begins, and n.
    pub offsets: Vec<u32>,
}

/// Lengths that trip kernels: around a warp and a block, over several blocks, and none at all. An
/// array begins with them in this order, so that short ones have several heads, too.
const LENGTHS: [u64; 16] = [
    2, 1, 0, 5, 31, 33, 3, 100, 0, 257, 700, 32, 1, 255, 256, 1500,
];

impl Segments {
    /// Uniform mixes lengths, zipf draws them by Zipf's law, constant makes segments of 64, and
    /// sorted one of everything. `smallest` is the shortest length.
    pub fn of(case: &Case, smallest: u64) -> Self {
        let n = case.shape.elements();
        let random = |s: u64| bits(!case.seed, s);
        let mut offsets = vec![0u32];
        let mut end = 0;
        for s in 0.. {
            if end >= n {
                break;
            }
            let length = match case.input {
                Input::Constant => 64,
                Input::Sorted => n,
                Input::Zipf => harness::inputs::zipf(!case.seed, s, n),
                _ if s < LENGTHS.len() as u64 => LENGTHS[s as usize],
                _ => LENGTHS[(random(s) % LENGTHS.len() as u64) as usize],
            };
            end = (end + length.max(smallest)).min(n);
            offsets.push(end as u32);
        }
        if smallest == 0 && case.input == Input::Uniform {
            offsets.push(n as u32);
        }
        Self { offsets }
    }

    /// All of one length, but perhaps the last.
    pub fn equal(n: u32, length: u32) -> Self {
        let mut offsets: Vec<u32> = (0..n).step_by(length.max(1) as usize).collect();
        offsets.push(n);
        Self { offsets }
    }

    /// The places of each.
    pub fn ranges(&self) -> impl Iterator<Item = std::ops::Range<usize>> + '_ {
        self.offsets
            .windows(2)
            .map(|w| w[0] as usize..w[1] as usize)
    }

    /// A byte an element: 1 where a segment begins.
    pub fn heads(&self) -> Vec<u8> {
        let n = self.offsets.last().map_or(0, |n| *n as usize);
        let mut heads = vec![0; n];
        for range in self.ranges().filter(|range| !range.is_empty()) {
            heads[range.start] = 1;
        }
        heads
    }
}

/// How inputs are called, by what they divide an array into.
pub fn input_name(input: Input) -> String {
    let name = match input {
        Input::Constant => "segments of 64",
        Input::Sorted => "one segment",
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

impl From<&Vec<u8>> for Segments {
    fn from(flags: &Vec<u8>) -> Self {
        let heads = flags.iter().enumerate().filter(|(_, flag)| **flag != 0);
        let mut offsets: Vec<u32> = heads.map(|(i, _)| i as u32).collect();
        offsets.push(flags.len() as u32);
        Self { offsets }
    }
}

impl Given {
    /// As an input.
    pub fn array(self, segments: &Segments) -> Array {
        match self {
            Self::Flags => Array::of("flags", &segments.heads()),
            Self::Offsets => Array::of("offsets", &segments.offsets),
        }
    }

    /// The head flags again.
    pub fn heads(self, array: &Array, n: usize) -> Vec<u8> {
        match self {
            Self::Flags => array.bytes[..n].to_vec(),
            Self::Offsets => Segments {
                offsets: array.words(),
            }
            .heads(),
        }
    }
}

/// `n` and `segments`.
pub fn dimensions(case: &Case, segments: &Segments) -> Dimensions {
    let mut dimensions = vector(case.shape);
    let count = segments.offsets.len() as u64 - 1;
    dimensions.insert("segments".into(), count);
    dimensions
}

#[cfg(test)]
mod tests {
    use harness::Shape;

    use super::*;

    fn case(n: u64, input: Input) -> Case {
        Case {
            shape: Shape::Vector { n },
            input,
            seed: 1,
        }
    }

    #[test]
    fn segments_cover_everything_and_many_are_empty() {
        for n in [0, 1, 257, 10_000] {
            for input in [Input::Uniform, Input::Zipf, Input::Constant, Input::Sorted] {
                let segments = Segments::of(&case(n, input), 0);
                assert_eq!(segments.offsets.first(), Some(&0));
                assert_eq!(segments.offsets.last(), Some(&(n as u32)));
                assert!(segments.offsets.is_sorted());
            }
        }
        let mixed = Segments::of(&case(10_000, Input::Uniform), 0);
        let empty = mixed.ranges().filter(|range| range.is_empty()).count();
        assert!(empty > 3, "{empty} of {}", mixed.offsets.len());
        let longest = mixed.ranges().map(|range| range.len()).max();
        assert!(longest >= Some(700), "{longest:?}");
    }
}
