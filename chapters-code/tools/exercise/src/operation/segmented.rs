//! Segments scanned, each by itself.

use chapter_3_scan::reference;
use chapter_5_segmented_scan::{reference::Expected, segments::Offsets};
use harness::{Element, Input, Kind, Op};
use serde::Deserialize;

use super::{
    Array, Case, Finding, Instance, Observation, Output, Reference,
    operator::{combine, identity, of_scans, with_operand},
    segments::{self, Given},
    way::other,
};
use crate::diagnosis::Diagnosis;

/// `out[i]` is the fold of the elements from the head of i's segment to i, with it or without.
/// Dimensions: `n`, and `segments` where offsets are given.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SegmentedScan {
    /// The operator, which decides on the elements' type.
    #[serde(deserialize_with = "of_scans")]
    op: Op,
    /// Whether element i is in result i.
    kind: Kind,
    /// How segments are given.
    given: Given,
    /// Elements of a block, if each block is to be scanned as if nothing came before it.
    chunk: Option<u64>,
}

impl Reference for SegmentedScan {
    fn instance(&self, case: &Case) -> Instance {
        with_operand!(self.op, T => self.of::<T>(case))
    }

    fn input_name(&self, input: Input) -> String {
        segments::input_name(input)
    }

    fn explain(&self, instance: &Instance, seen: &Observation<'_>) -> Option<Finding> {
        with_operand!(self.op, T => self.explain_out::<T>(instance, seen))
    }
}

impl SegmentedScan {
    fn of<T: Element>(&self, case: &Case) -> Instance {
        let segments = segments::of(case, if self.given == Given::Flags { 1 } else { 0 });
        let input: Vec<T> = segments::elements(case, self.op);
        let out = self.scan(&input, &self.heads(&segments.flags()), self.kind);
        Instance {
            dimensions: segments::dimensions(&segments),
            inputs: vec![Array::of("in", &input), self.given.array(&segments)],
            outputs: vec![Output::equal("out", &out)],
        }
    }

    fn explain_out<T: Element>(
        &self,
        instance: &Instance,
        seen: &Observation<'_>,
    ) -> Option<Finding> {
        let input: Vec<T> = instance.inputs[0].elements();
        let flags = self.given.flags(&instance.inputs[1], input.len());
        let heads = self.heads(&flags);
        self.as_a_whole(&input, &heads, seen)
            .or_else(|| self.across(&input, &heads, seen))
            .or_else(|| self.stretch(&input, &flags, seen))
            .or_else(|| self.difference(&input, &heads, seen))
    }

    fn chunk(&self) -> usize {
        self.chunk.map_or(usize::MAX, |chunk| chunk as usize)
    }

    /// Where results begin anew: at heads, and at chunks.
    fn heads(&self, flags: &[u8]) -> Vec<u8> {
        with_heads(flags, self.chunk())
    }

    fn scan<T: Element>(&self, input: &[T], heads: &[u8], kind: Kind) -> Vec<T> {
        let segments = Offsets::of_flags(heads).expect("the first element is a head");
        let results = Expected::new(self.op, 1, input, &segments).scan(kind);
        results.map(|exact| exact.nearest()).collect()
    }

    /// Mistakes that know nothing of blocks.
    fn as_a_whole<T: Element>(
        &self,
        input: &[T],
        heads: &[u8],
        seen: &Observation<'_>,
    ) -> Option<Finding> {
        let is = |heads: &[u8], kind| seen.is(&self.scan(input, heads, kind));
        if is(heads, other(self.kind)) {
            let because = match self.kind {
                Kind::Inclusive => "each result lacks its own element: this is the exclusive scan",
                Kind::Exclusive => "each result holds its own element: this is the inclusive scan",
            };
            return Finding::new(Diagnosis::Shifted, because);
        }
        let mut moved = self.scan(input, heads, Kind::Inclusive);
        moved.rotate_right(1);
        let first = moved.iter_mut().step_by(self.chunk());
        first.for_each(|first| *first = identity(self.op));
        if self.kind == Kind::Exclusive && seen.is(&moved) {
            let because = "every head has the fold of the segment before: the inclusive scan was moved by one place";
            return Finding::new(Diagnosis::HeadIgnored, because);
        }
        if is(&self.heads(&vec![0; input.len()]), self.kind) {
            let because = "the results are those of a scan without segments";
            return Finding::new(Diagnosis::HeadIgnored, because);
        }
        let because = "every result is its own element";
        seen.is(input).then(|| Finding::new(Diagnosis::Unchanged, because))?
    }

    /// What a warp or a block does not learn of those before it.
    fn across<T: Element>(
        &self,
        input: &[T],
        heads: &[u8],
        seen: &Observation<'_>,
    ) -> Option<Finding> {
        let alone = |block| self.scan(input, &with_heads(heads, block), self.kind);
        // Where each segment has a block, borders between blocks mean nothing.
        if self.given == Given::Offsets {
            return None;
        }
        if seen.is(&alone(32)) {
            let because = "every result is that of its warp alone";
            return Finding::new(Diagnosis::WarpAlone, because);
        }
        let blocks = [64, 128, 256, 512, 1024].into_iter();
        for block in blocks.filter(|block| *block < input.len()) {
            if seen.is(&alone(block)) {
                let because = format!("every result is that of its block of {block} alone");
                return Finding::new(Diagnosis::BlockAlone, because);
            }
            if seen.is(&self.neighbour(input, heads, block)) {
                let because = format!(
                    "a segment that reaches over a whole block of {block} loses what lies before that block"
                );
                return Finding::new(Diagnosis::PreviousBlock, because);
            }
        }
        None
    }

    /// As if what is open before a block were what the block before it leaves, by itself.
    fn neighbour<T: Element>(&self, input: &[T], heads: &[u8], block: usize) -> Vec<T> {
        let mut out = Vec::with_capacity(input.len());
        for begin in (0..input.len()).step_by(block) {
            let end = (begin + block).min(input.len());
            let from = begin.saturating_sub(block);
            let heads = with_heads(&heads[from..end], usize::MAX);
            out.extend(&self.scan(&input[from..end], &heads, self.kind)[begin - from..]);
        }
        out
    }

    /// The stretch of elements that the first wrong result is the fold of.
    fn stretch<T: Element>(
        &self,
        input: &[T],
        flags: &[u8],
        seen: &Observation<'_>,
    ) -> Option<Finding> {
        let wrong = seen.first();
        let end = match self.kind {
            Kind::Inclusive => wrong.index + 1,
            Kind::Exclusive => wrong.index,
        };
        if self.op == Op::Max || wrong.is_untouched {
            return None;
        }
        let head = (0..=wrong.index).rev().find(|i| flags[*i] != 0).unwrap_or(0);
        let mut fold: T = identity(self.op);
        let mut begin = end;
        while begin > 0 && (begin == end || fold.to_f64() != wrong.got) {
            begin -= 1;
            fold = combine(self.op, input[begin], fold);
        }
        if fold.to_f64() != wrong.got {
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
    fn difference<T: Element>(
        &self,
        input: &[T],
        heads: &[u8],
        seen: &Observation<'_>,
    ) -> Option<Finding> {
        let wrong = seen.first();
        let own = wrong.index;
        if self.op != Op::Sum || wrong.is_untouched {
            return None;
        }
        let off = (wrong.got - wrong.expected) as i64 as u32;
        let head = (0..=own).rev().find(|i| heads[*i] != 0).unwrap_or(0);
        let mut sums = vec![0u32];
        let scanned = reference::scan(self.op, Kind::Inclusive, 1, &input[..=own]);
        sums.extend(scanned.map(|exact| exact.nearest().to_i64() as u32));
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
                let last = match self.kind {
                    Kind::Inclusive => own + 1,
                    Kind::Exclusive => own,
                };
                if sum == off && end > last {
                    let because = said("holds, though it should hold only what comes before it,");
                    return Finding::new(Diagnosis::NotSelected, because);
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

/// Head flags with another head at every `block`th element, from the first on.
fn with_heads(flags: &[u8], block: usize) -> Vec<u8> {
    let mut heads = flags.to_vec();
    heads.iter_mut().step_by(block).for_each(|head| *head = 1);
    heads
}

#[cfg(test)]
mod tests {
    use harness::Shape;

    use super::*;

    fn case(n: u64, input: Input) -> Case {
        Case { shape: Shape::Vector { n }, input, seed: 1 }
    }

    fn scan(kind: Kind) -> SegmentedScan {
        SegmentedScan { op: Op::Sum, kind, given: Given::Flags, chunk: None }
    }

    #[test]
    fn the_worked_example_of_the_chapter() {
        let input = [1, 2, 6, 7, 1, 1, 2, 3, 4];
        let flags = [1, 0, 1, 0, 0, 1, 0, 0, 0];
        let out = scan(Kind::Exclusive).scan(&input, &flags, Kind::Exclusive);
        assert_eq!(out, [0, 1, 0, 6, 13, 0, 1, 3, 6]);
    }

    fn diagnosed(
        scan: &SegmentedScan,
        wrong: impl Fn(&[i32], &[u8]) -> Vec<i32>,
    ) -> Option<Diagnosis> {
        let made = scan.instance(&case(5000, Input::Uniform));
        let wrong = wrong(&made.inputs[0].elements(), &made.inputs[1].bytes);
        let bytes = Array::of("out", &wrong).bytes;
        crate::operation::diagnosed(scan, &made, &bytes)
    }

    #[test]
    fn mistakes_are_told_by_their_results() {
        let inclusive = scan(Kind::Inclusive);
        let found = diagnosed(&inclusive, |x, heads| inclusive.neighbour(x, heads, 256));
        assert_eq!(found, Some(Diagnosis::PreviousBlock));
        let found = diagnosed(&inclusive, |x, heads| {
            inclusive.scan(x, &inclusive.heads(&vec![0; heads.len()]), Kind::Inclusive)
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
