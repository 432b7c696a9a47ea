//! Segments folded to one result each.

use std::ops::Range;

use chapter_5_segmented_scan::reference::Expected;
use harness::{Element, Input, Op};
use serde::Deserialize;

use super::{
    Array, Case, Finding, Initial, Instance, Observation, Output, Reference, Wrong,
    operator::{combine, fold, identity, of_scans, with_operand},
    segments, values,
};
use crate::diagnosis::Diagnosis;

/// `out[s]` is the fold of segment s of `in`, from `offsets[s]` to `offsets[s + 1]`; of an empty one
/// the identity. Dimensions: `n` and `segments`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SegmentedReduce {
    /// The operator, which decides on the elements' type.
    #[serde(deserialize_with = "of_scans")]
    op: Op,
    /// How long all segments are, if they are to be counted by hand.
    length: Option<u32>,
}

impl Reference for SegmentedReduce {
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

impl SegmentedReduce {
    fn of<T: Element>(&self, case: &Case) -> Instance {
        let segments = match self.length {
            Some(length) => segments::equal(case.shape.elements() as u32, length),
            None => segments::of(case, 0),
        };
        let mut input: Vec<T> = segments::elements(case, self.op);
        if matches!(self.op, Op::Max | Op::Min) {
            values::at_the_ends_of_segments(&mut input, segments.ranges(), case.seed, self.op);
        }
        let folds = Expected::new(self.op, 1, &input, &segments).reduce();
        Instance {
            dimensions: segments::dimensions(&segments),
            outputs: vec![Output::of("out", folds)],
            inputs: vec![Array::of("in", &input), Array::of("offsets", segments.as_slice())],
        }
    }

    fn explain_out<T: Element>(
        &self,
        instance: &Instance,
        seen: &Observation<'_>,
    ) -> Option<Finding> {
        let input: Vec<T> = instance.inputs[0].elements();
        let segments = segments::again(&instance.inputs[1], input.len());
        let all: Vec<_> = segments.ranges().collect();
        let longest = seen.wrong.iter().filter(|wrong| !wrong.is_untouched);
        let wrong = longest.max_by_key(|wrong| all[wrong.index].len())?;
        let mine = &input[all[wrong.index].clone()];
        let is = |part: &[T]| wrong.got == fold(self.op, part).to_f64();
        let said = |what: &str| {
            format!("out[{}] is the fold of {what} of its {} elements", wrong.index, mine.len())
        };
        if mine.is_empty() {
            let because = format!("segment {} is empty, and its fold is the identity", wrong.index);
            return Finding::new(Diagnosis::Identity, because);
        }
        if let Some(finding) = self.part(&input, &all, seen, wrong) {
            return Some(finding);
        }
        let end = all[wrong.index].end;
        match () {
            () if is(&mine[1..]) => Finding::new(Diagnosis::LostElement, said("all but the first")),
            () if is(&mine[..mine.len() - 1]) => {
                Finding::new(Diagnosis::LostElement, said("all but the last"))
            }
            () if end < input.len() && is(&input[all[wrong.index].start..=end]) => {
                let because =
                    format!("out[{}] holds in[{end}], the head of the next segment", wrong.index);
                Finding::new(Diagnosis::HeadIgnored, because)
            }
            () if self.op == Op::Max && wrong.got == 0.0 && wrong.expected < 0.0 => {
                let because = "the result is 0, and all elements of the segment are smaller";
                Finding::new(Diagnosis::Identity, because)
            }
            () => self.run_of_a_sum(&input, all[wrong.index].clone(), wrong, &seen.output.initial),
        }
    }

    /// The part of the segment that gives its result, and those of all other segments that are wrong.
    fn part<T: Element>(
        &self,
        input: &[T],
        all: &[Range<usize>],
        seen: &Observation<'_>,
        longest: &Wrong,
    ) -> Option<Finding> {
        let lanes = [1, 2, 4, 8, 16]
            .map(|lanes| (format!("the elements of {lanes} lanes of each warp"), 32, lanes));
        let first = [1, 8, 16, 32, 64, 128, 256, 512, 1024]
            .map(|count| (format!("the first {count}"), usize::MAX, count));
        let every = [16, 32, 64, 128, 256].map(|step| (format!("every {step}th"), step, 1));
        let is_it = |&(_, period, kept): &(String, usize, usize)| {
            let mut written = seen.wrong.iter().filter(|wrong| !wrong.is_untouched);
            let is_shorter = all[longest.index].len() > kept;
            is_shorter
                && written.all(|wrong| {
                    let mine = &input[all[wrong.index].clone()];
                    let part = mine.iter().enumerate().filter(|(at, _)| at % period < kept);
                    let part: Vec<T> = part.map(|(_, x)| *x).collect();
                    wrong.got == fold(self.op, &part).to_f64()
                })
        };
        let mut parts = lanes.into_iter().rev().chain(first).chain(every);
        let (what, ..) = parts.find(is_it)?;
        let because = format!(
            "out[{}] is the fold of {what} of its {} elements",
            longest.index,
            all[longest.index].len()
        );
        Finding::new(Diagnosis::PartOnly, because)
    }

    /// A sum of the segment's last elements alone, of its first, or of some before its head as well; or
    /// one of these on top of what the output held before the launch.
    fn run_of_a_sum<T: Element>(
        &self,
        input: &[T],
        segment: Range<usize>,
        wrong: &Wrong,
        before: &Initial,
    ) -> Option<Finding> {
        if self.op != Op::Sum {
            return None;
        }
        let (head, end, length) = (segment.start, segment.end, segment.len());
        let nothing: T = identity(self.op);
        let Initial::Poison(poison) = *before else {
            return None;
        };
        let poison = T::from_bits(poison);
        let backwards = |start: T| self.reaching(start, input[..end].iter().rev(), wrong);
        let forwards = |start: T| self.reaching(start, input[head..end].iter(), wrong);
        let (diagnosis, holds) = match backwards(nothing) {
            Some(0) => (Diagnosis::SegmentCut, format!("holds none of its {length} elements")),
            Some(count) if count < length => {
                let holds = format!("is the fold of the last {count} of its {length} elements");
                (Diagnosis::SegmentCut, holds)
            }
            Some(count) => {
                let holds = format!("holds the {} elements before its head, too", count - length);
                (Diagnosis::HeadIgnored, holds)
            }
            None if backwards(poison).or_else(|| forwards(poison)).is_some() => {
                let holds = "was added to, and nothing was stored there before".to_owned();
                (Diagnosis::NeverWritten, holds)
            }
            None => {
                let first = forwards(nothing)?;
                let holds = format!("is the fold of the first {first} of its {length} elements");
                (Diagnosis::PartOnly, holds)
            }
        };
        Finding::new(diagnosis, format!("out[{}] {holds}", wrong.index))
    }

    /// How many of the elements, in their order, fold to what was got.
    fn reaching<'e, T: Element>(
        &self,
        start: T,
        elements: impl Iterator<Item = &'e T>,
        wrong: &Wrong,
    ) -> Option<usize> {
        let mut folded = start;
        let folds = elements.map(|x| {
            folded = combine(self.op, folded, *x);
            folded
        });
        std::iter::once(start).chain(folds).position(|fold| fold.to_f64() == wrong.got)
    }
}

#[cfg(test)]
mod tests {
    use harness::Shape;

    use super::*;

    /// What is said of one segment of 1,000 elements whose result is the sum of others.
    fn diagnosed(wrong: impl Fn(&[i32]) -> i32) -> Option<Diagnosis> {
        let reduce = SegmentedReduce { op: Op::Sum, length: Some(1000) };
        let case = Case { shape: Shape::Vector { n: 2000 }, input: Input::Uniform, seed: 1 };
        let instance = reduce.instance(&case);
        let x: Vec<i32> = instance.inputs[0].elements();
        let sum = |part: &[i32]| part.iter().fold(0i32, |sum, x| sum.wrapping_add(*x));
        let out = [sum(&x[..1000]), wrong(&x)];
        crate::operation::diagnosed(&reduce, &instance, &Array::of("out", &out).bytes)
    }

    #[test]
    fn sums_of_other_elements_are_told_apart() {
        let sum = |part: &[i32]| part.iter().fold(0i32, |sum, x| sum.wrapping_add(*x));
        assert_eq!(diagnosed(|x| sum(&x[1700..])), Some(Diagnosis::SegmentCut));
        assert_eq!(diagnosed(|_| 0), Some(Diagnosis::SegmentCut));
        assert_eq!(diagnosed(|x| sum(&x[900..])), Some(Diagnosis::HeadIgnored));
        assert_eq!(diagnosed(|x| sum(&x[1000..1333])), Some(Diagnosis::PartOnly));
        let poison = i32::from_le_bytes([harness::buffer::POISON; 4]);
        let on_poison = diagnosed(|x| sum(&x[1400..]).wrapping_add(poison));
        assert_eq!(on_poison, Some(Diagnosis::NeverWritten));
        assert_eq!(diagnosed(|x| sum(&x[1100..1900])), None);
    }
}
