//! Segments: scans and folds of each by itself, and their flags.

use harness::{Dtype, Input, inputs::bits};
use serde::Deserialize;

use super::{
    Array, Case, Expected, Finding, Initial, Instance, Output, Reference, Seen,
    operator::{Kind, Operator},
    vector,
};
use crate::diagnosis::Diagnosis;

/// How an array is divided: `offsets` of `segments` + 1 places, the first 0 and the last n.
struct Segments {
    offsets: Vec<u32>,
}

/// Lengths that trip kernels: around a warp and a block, over several blocks, and none at all. An
/// array begins with them in this order, so that short ones have several heads, too.
const LENGTHS: [u64; 16] = [
    2, 1, 0, 5, 31, 33, 3, 100, 0, 257, 700, 32, 1, 255, 256, 1500,
];

impl Segments {
    /// Uniform mixes lengths, zipf draws them by Zipf's law, constant makes segments of 64, and
    /// sorted one of everything. `smallest` is the shortest length.
    fn of(case: &Case, smallest: u64) -> Self {
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
    fn equal(n: u32, length: u32) -> Self {
        let mut offsets: Vec<u32> = (0..n).step_by(length.max(1) as usize).collect();
        offsets.push(n);
        Self { offsets }
    }

    fn ranges(&self) -> impl Iterator<Item = std::ops::Range<usize>> + '_ {
        self.offsets
            .windows(2)
            .map(|w| w[0] as usize..w[1] as usize)
    }

    /// A byte an element: 1 where a segment begins.
    fn heads(&self) -> Vec<u8> {
        let n = self.offsets.last().map_or(0, |n| *n as usize);
        let mut heads = vec![0; n];
        for range in self.ranges().filter(|range| !range.is_empty()) {
            heads[range.start] = 1;
        }
        heads
    }
}

fn input_name(input: Input) -> String {
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
enum Given {
    /// Bytes `flags`, one an element.
    Flags,
    /// `offsets`, and `segments`, their number less one; segments may be empty.
    Offsets,
}

/// `out[i]` is the fold of the elements from the head of i's segment to i, with it or without.
/// Dimensions: `n`, and `segments` where offsets are given.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SegmentedScan {
    /// The operator, which decides on the elements' type.
    op: Operator,
    /// Whether element i is in result i.
    kind: Kind,
    /// How segments are given.
    given: Given,
    /// Elements of a block, if each block is to be scanned as if nothing came before it.
    chunk: Option<u64>,
}

impl Reference for SegmentedScan {
    fn instance(&self, case: &Case) -> Instance {
        let segments = self.segments(case);
        let input = self.op.inputs(case);
        let heads = self.heads(&segments);
        let out = self.scan(&input, &heads, self.kind);
        Instance {
            dimensions: dimensions(case, &segments),
            inputs: vec![self.op.array("in", &input), self.given.array(&segments)],
            outputs: vec![self.op.output("out", out)],
        }
    }

    fn input_name(&self, input: Input) -> String {
        input_name(input)
    }

    fn explain(&self, instance: &Instance, seen: &Seen<'_>) -> Option<Finding> {
        let input = self.op.elements_of(&instance.inputs[0]);
        let flags = self.given.heads(&instance.inputs[1], input.len());
        let heads = self.heads(&Segments::from(&flags));
        self.as_a_whole(&input, &heads, seen)
            .or_else(|| self.across(&input, &heads, seen))
            .or_else(|| self.stretch(&input, &flags, seen))
            .or_else(|| self.difference(&input, &heads, seen))
    }
}

impl SegmentedScan {
    fn segments(&self, case: &Case) -> Segments {
        Segments::of(case, if self.given == Given::Flags { 1 } else { 0 })
    }

    /// Where results begin anew: at heads, and at chunks.
    fn heads(&self, segments: &Segments) -> Vec<u8> {
        let mut heads = segments.heads();
        if let Some(chunk) = self.chunk {
            heads
                .iter_mut()
                .step_by(chunk as usize)
                .for_each(|head| *head = 1);
        }
        heads
    }

    fn scan(&self, input: &[u64], heads: &[u8], kind: Kind) -> Vec<u64> {
        let mut before = self.op.identity();
        let mut result = |(&x, &head): (&u64, &u8)| {
            if head != 0 {
                before = self.op.identity();
            }
            let result = kind.result(self.op, before, x);
            before = self.op.combine(before, x);
            result
        };
        input.iter().zip(heads).map(&mut result).collect()
    }

    fn is(&self, seen: &Seen<'_>, alternative: &[u64]) -> bool {
        let mut both = seen.values.iter().zip(alternative);
        both.all(|(got, &bits)| *got == self.op.number(bits))
    }

    /// Mistakes that know nothing of blocks.
    fn as_a_whole(&self, input: &[u64], heads: &[u8], seen: &Seen<'_>) -> Option<Finding> {
        let is = |heads: &[u8], kind| self.is(seen, &self.scan(input, heads, kind));
        if is(heads, self.kind.other()) {
            let because = match self.kind {
                Kind::Inclusive => "each result lacks its own element: this is the exclusive scan",
                Kind::Exclusive => "each result holds its own element: this is the inclusive scan",
            };
            return Finding::new(Diagnosis::Shifted, because);
        }
        let mut moved = self.scan(input, heads, Kind::Inclusive);
        moved.rotate_right(1);
        for (first, _) in moved
            .chunks_mut(self.chunk.unwrap_or(u64::MAX) as usize)
            .map(|c| (&mut c[0], 0))
        {
            *first = self.op.identity();
        }
        if self.kind == Kind::Exclusive && self.is(seen, &moved) {
            let because = "every head has the fold of the segment before: the inclusive scan was moved by one place";
            return Finding::new(Diagnosis::HeadIgnored, because);
        }
        let none = self.heads(&Segments {
            offsets: vec![0, input.len() as u32],
        });
        if is(&none, self.kind) {
            let because = "the results are those of a scan without segments";
            return Finding::new(Diagnosis::HeadIgnored, because);
        }
        let because = "every result is its own element";
        self.is(seen, input)
            .then(|| Finding::new(Diagnosis::Unchanged, because))?
    }

    /// What a warp or a block does not learn of those before it.
    fn across(&self, input: &[u64], heads: &[u8], seen: &Seen<'_>) -> Option<Finding> {
        let alone = |block: usize| {
            let mut heads = heads.to_vec();
            heads.iter_mut().step_by(block).for_each(|head| *head = 1);
            self.scan(input, &heads, self.kind)
        };
        // Where each segment has a block, borders between blocks mean nothing.
        if self.given == Given::Offsets {
            return None;
        }
        if self.is(seen, &alone(32)) {
            let because = "every result is that of its warp alone";
            return Finding::new(Diagnosis::WarpAlone, because);
        }
        let blocks = [64, 128, 256, 512, 1024].into_iter();
        for block in blocks.filter(|block| *block < input.len()) {
            if self.is(seen, &alone(block)) {
                let because = format!("every result is that of its block of {block} alone");
                return Finding::new(Diagnosis::BlockAlone, because);
            }
            if self.is(seen, &self.neighbour(input, heads, block)) {
                let because = format!(
                    "a segment that reaches over a whole block of {block} loses what lies before that block"
                );
                return Finding::new(Diagnosis::PreviousBlock, because);
            }
        }
        None
    }

    /// As if what is open before a block were what the block before it leaves, by itself.
    fn neighbour(&self, input: &[u64], heads: &[u8], block: usize) -> Vec<u64> {
        let mut out = Vec::with_capacity(input.len());
        for begin in (0..input.len()).step_by(block) {
            let end = (begin + block).min(input.len());
            let from = begin.saturating_sub(block);
            let mut heads = heads[from..end].to_vec();
            if let Some(first) = heads.first_mut() {
                *first = 1;
            }
            out.extend(&self.scan(&input[from..end], &heads, self.kind)[begin - from..]);
        }
        out
    }

    /// The stretch of elements that the first wrong result is the fold of.
    fn stretch(&self, input: &[u64], flags: &[u8], seen: &Seen<'_>) -> Option<Finding> {
        let wrong = seen.first();
        let end = match self.kind {
            Kind::Inclusive => wrong.index + 1,
            Kind::Exclusive => wrong.index,
        };
        if self.op == Operator::Max || wrong.is_untouched {
            return None;
        }
        let head = (0..=wrong.index)
            .rev()
            .find(|i| flags[*i] != 0)
            .unwrap_or(0);
        let mut fold = self.op.identity();
        let mut begin = end;
        while begin > 0 && (begin == end || self.op.number(fold) != wrong.got) {
            begin -= 1;
            fold = self.op.combine(input[begin], fold);
        }
        if self.op.number(fold) != wrong.got {
            return None;
        }
        let said = format!(
            "out[{}] is the fold from in[{begin}] on; its segment begins at {head}",
            wrong.index
        );
        match begin < head {
            true => Finding::new(Diagnosis::HeadIgnored, said),
            false => Finding::new(Diagnosis::SegmentCut, said),
        }
    }

    /// The stretch of elements that the first wrong result has too much, or lacks: from head to head,
    /// or from warp to warp.
    fn difference(&self, input: &[u64], heads: &[u8], seen: &Seen<'_>) -> Option<Finding> {
        let wrong = seen.first();
        let own = wrong.index;
        if self.op != Operator::Sum || wrong.is_untouched {
            return None;
        }
        let off = (wrong.got - wrong.expected) as i64 as u32;
        let head = (0..=own).rev().find(|i| heads[*i] != 0).unwrap_or(0);
        let mut sums = vec![0u32];
        sums.extend(input[..=own].iter().scan(0u32, |sum, &x| {
            *sum = sum.wrapping_add(x as u32);
            Some(*sum)
        }));
        let is_border = |i: &usize| {
            i.is_multiple_of(32)
                || heads.get(*i) == Some(&1)
                || *i + 16 >= own
                || (*i > head && (*i - head).is_multiple_of(32))
        };
        // The nearest are enough, and all pairs of many would take long.
        let borders: Vec<usize> = (0..=own + 1).rev().filter(is_border).take(200).collect();
        for (at, &end) in borders.iter().enumerate() {
            for &begin in &borders[at + 1..] {
                let sum = sums[end].wrapping_sub(sums[begin]);
                let said = |how: &str| {
                    format!(
                        "out[{own}] {how} in[{begin}] to in[{}]; its segment begins at {head}",
                        end - 1
                    )
                };
                if sum == off && begin < head {
                    return Finding::new(Diagnosis::HeadIgnored, said("also has"));
                }
                if sum == off {
                    return Finding::new(Diagnosis::DoubledElement, said("has twice"));
                }
                if sum == off.wrapping_neg() && begin >= head {
                    return Finding::new(Diagnosis::SegmentCut, said("lacks"));
                }
            }
        }
        None
    }
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
    fn array(self, segments: &Segments) -> Array {
        match self {
            Self::Flags => Array::of("flags", &segments.heads()),
            Self::Offsets => Array::of("offsets", &segments.offsets),
        }
    }

    /// The head flags again.
    fn heads(self, array: &Array, n: usize) -> Vec<u8> {
        match self {
            Self::Flags => array.bytes[..n].to_vec(),
            Self::Offsets => Segments {
                offsets: array.words(),
            }
            .heads(),
        }
    }
}

fn dimensions(case: &Case, segments: &Segments) -> crate::course::launch::Dimensions {
    let mut dimensions = vector(case.shape);
    let count = segments.offsets.len() as u64 - 1;
    dimensions.insert("segments".into(), count);
    dimensions
}

/// `out[s]` is the fold of segment s of `in`, from `offsets[s]` to `offsets[s + 1]`; of an empty one
/// the identity. Dimensions: `n` and `segments`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SegmentedReduce {
    /// The operator, which decides on the elements' type.
    op: Operator,
    /// How long all segments are, if they are to be counted by hand.
    length: Option<u32>,
}

impl Reference for SegmentedReduce {
    fn instance(&self, case: &Case) -> Instance {
        let segments = match self.length {
            Some(length) => Segments::equal(case.shape.elements() as u32, length),
            None => Segments::of(case, 0),
        };
        let input = self.op.inputs(case);
        let folds = segments.ranges().map(|range| self.op.fold(&input[range]));
        Instance {
            dimensions: dimensions(case, &segments),
            inputs: vec![
                self.op.array("in", &input),
                Array::of("offsets", &segments.offsets),
            ],
            outputs: vec![self.op.output("out", folds.collect())],
        }
    }

    fn input_name(&self, input: Input) -> String {
        input_name(input)
    }

    fn explain(&self, instance: &Instance, seen: &Seen<'_>) -> Option<Finding> {
        let input = self.op.elements_of(&instance.inputs[0]);
        let offsets = instance.inputs[1].words();
        let all: Vec<_> = Segments { offsets }.ranges().collect();
        let longest = seen.wrong.iter().filter(|wrong| !wrong.is_untouched);
        let wrong = longest.max_by_key(|wrong| all[wrong.index].len())?;
        let mine = &input[all[wrong.index].clone()];
        let is = |part: &[u64]| wrong.got == self.op.number(self.op.fold(part));
        let said = |what: &str| {
            format!(
                "out[{}] is the fold of {what} of its {} elements",
                wrong.index,
                mine.len()
            )
        };
        if mine.is_empty() {
            let because = format!(
                "segment {} is empty, and its fold is the identity",
                wrong.index
            );
            return Finding::new(Diagnosis::Identity, because);
        }
        for count in [1, 8, 16, 32, 64, 128, 256, 512, 1024] {
            if count < mine.len() && is(&mine[..count]) {
                return Finding::new(Diagnosis::PartOnly, said(&format!("the first {count}")));
            }
        }
        for warp in [16, 32, 64, 128, 256] {
            let every: Vec<u64> = mine.iter().copied().step_by(warp).collect();
            if every.len() < mine.len() && is(&every) {
                return Finding::new(Diagnosis::PartOnly, said(&format!("every {warp}th")));
            }
        }
        let end = all[wrong.index].end;
        match () {
            () if is(&mine[1..]) => Finding::new(Diagnosis::LostElement, said("all but the first")),
            () if is(&mine[..mine.len() - 1]) => {
                Finding::new(Diagnosis::LostElement, said("all but the last"))
            }
            () if end < input.len() && is(&input[all[wrong.index].start..=end]) => {
                let because = format!(
                    "out[{}] holds in[{end}], the head of the next segment",
                    wrong.index
                );
                Finding::new(Diagnosis::HeadIgnored, because)
            }
            () if self.op == Operator::Max && wrong.got == 0.0 && wrong.expected < 0.0 => {
                let because = "the result is 0, and all elements of the segment are smaller";
                Finding::new(Diagnosis::Identity, because)
            }
            () => None,
        }
    }
}

/// `bits` holds a bit an element, 32 to a word, the lowest first: 1 where a segment that is not empty
/// begins. Zero before. Dimensions: `n`, `segments` and `words`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HeadFlags {}

impl Reference for HeadFlags {
    fn instance(&self, case: &Case) -> Instance {
        let segments = Segments::of(case, 0);
        let words: Vec<u32> = segments.heads().chunks(32).map(word).collect();
        let mut dimensions = dimensions(case, &segments);
        dimensions.insert("words".into(), words.len() as u64);
        let mut out = Output::new("bits", Dtype::U32, Expected::equal(&words));
        out.initial = Initial::Zero;
        Instance {
            dimensions,
            inputs: vec![Array::of("offsets", &segments.offsets)],
            outputs: vec![out],
        }
    }

    fn input_name(&self, input: Input) -> String {
        input_name(input)
    }

    fn race_at_one_line(&self) -> Diagnosis {
        Diagnosis::LostUpdate
    }

    fn explain(&self, _: &Instance, seen: &Seen<'_>) -> Option<Finding> {
        let (mut missing, mut strange) = (None, None);
        for wrong in seen.wrong {
            let (got, expected) = (wrong.got as u32, wrong.expected as u32);
            let place = |bits: u32| 32 * wrong.index as u32 + bits.trailing_zeros();
            missing = missing.or((expected & !got != 0).then(|| place(expected & !got)));
            strange = strange.or((got & !expected != 0).then(|| place(got & !expected)));
        }
        let turned =
            |wrong: &super::Wrong| wrong.got as u32 == (wrong.expected as u32).reverse_bits();
        match (missing, strange) {
            _ if seen.wrong.iter().all(turned) => {
                let because =
                    "the bits of each word are in the opposite order: element 0 is the lowest bit";
                Finding::new(Diagnosis::Reversed, because)
            }
            (Some(at), None) => {
                let because = format!(
                    "a segment begins at {at}, and bit {} of word {} is 0",
                    at % 32,
                    at / 32
                );
                Finding::new(Diagnosis::LostElement, because)
            }
            (_, Some(at)) => {
                let because = format!(
                    "no segment begins at {at}, and bit {} of word {} is 1",
                    at % 32,
                    at / 32
                );
                Finding::new(Diagnosis::NotKept, because)
            }
            _ => None,
        }
    }
}

fn word(flags: &[u8]) -> u32 {
    let bits = flags.iter().enumerate();
    bits.fold(0, |word, (i, &flag)| word | u32::from(flag) << i)
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

    fn scan(kind: Kind) -> SegmentedScan {
        SegmentedScan {
            op: Operator::Sum,
            kind,
            given: Given::Flags,
            chunk: None,
        }
    }

    #[test]
    fn the_worked_example_of_the_chapter() {
        let input = [1, 2, 6, 7, 1, 1, 2, 3, 4];
        let flags = [1, 0, 1, 0, 0, 1, 0, 0, 0];
        let out = scan(Kind::Exclusive).scan(&input, &flags, Kind::Exclusive);
        assert_eq!(out, [0, 1, 0, 6, 13, 0, 1, 3, 6]);
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

    fn diagnosed(
        scan: &SegmentedScan,
        wrong: impl Fn(&[u64], &[u8]) -> Vec<u64>,
    ) -> Option<Diagnosis> {
        let made = scan.instance(&case(5000, Input::Uniform));
        let input = scan.op.elements_of(&made.inputs[0]);
        let bytes = scan
            .op
            .array("out", &wrong(&input, &made.inputs[1].bytes))
            .bytes;
        let comparison = made.outputs[0].compare(&bytes);
        let seen = Seen {
            output: &made.outputs[0],
            values: &comparison.values,
            wrong: &comparison.wrong,
            threads: 256,
        };
        Some(scan.explain(&made, &seen)?.diagnosis)
    }

    #[test]
    fn mistakes_are_told_by_their_results() {
        let inclusive = scan(Kind::Inclusive);
        let found = diagnosed(&inclusive, |x, heads| inclusive.neighbour(x, heads, 256));
        assert_eq!(found, Some(Diagnosis::PreviousBlock));
        let found = diagnosed(&inclusive, |x, heads| {
            inclusive.scan(x, &vec![0; heads.len()], Kind::Inclusive)
        });
        assert_eq!(found, Some(Diagnosis::HeadIgnored));
        let exclusive = scan(Kind::Exclusive);
        let found = diagnosed(&exclusive, |x, heads| {
            let mut moved = exclusive.scan(x, heads, Kind::Inclusive);
            moved.rotate_right(1);
            moved[0] = 0;
            moved
        });
        assert_eq!(found, Some(Diagnosis::HeadIgnored));
    }
}
