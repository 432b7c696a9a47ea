//! Segments scanned, each by itself.

use harness::Input;
use serde::Deserialize;

use super::{
    Case, Finding, Instance, Reference, Seen,
    operator::{Kind, Operator},
    segments::{self, Given, Segments},
};
use crate::diagnosis::Diagnosis;

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
            dimensions: segments::dimensions(case, &segments),
            inputs: vec![self.op.array("in", &input), self.given.array(&segments)],
            outputs: vec![self.op.output("out", out)],
        }
    }

    fn input_name(&self, input: Input) -> String {
        segments::input_name(input)
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
        crate::operation::diagnosed(scan, &made, &bytes)
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
