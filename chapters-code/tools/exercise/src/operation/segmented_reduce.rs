//! Segments folded to one result each.

use chapter_5_segmented_scan::reference::Expected;
use harness::{Element, Input, Op};
use serde::Deserialize;

use super::{
    Array, Case, Finding, Instance, Output, Reference, Seen,
    operator::{fold, of_scans, with_operand},
    segments,
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

    fn explain(&self, instance: &Instance, seen: &Seen<'_>) -> Option<Finding> {
        with_operand!(self.op, T => self.explain_out::<T>(instance, seen))
    }
}

impl SegmentedReduce {
    fn of<T: Element>(&self, case: &Case) -> Instance {
        let segments = match self.length {
            Some(length) => segments::equal(case.shape.elements() as u32, length),
            None => segments::of(case, 0),
        };
        let input: Vec<T> = segments::elements(case, self.op);
        let folds = Expected::new(self.op, 1, &input, &segments).reduce();
        Instance {
            dimensions: segments::dimensions(&segments),
            outputs: vec![Output::of("out", folds)],
            inputs: vec![Array::of("in", &input), Array::of("offsets", segments.as_slice())],
        }
    }

    fn explain_out<T: Element>(&self, instance: &Instance, seen: &Seen<'_>) -> Option<Finding> {
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
        for count in [1, 8, 16, 32, 64, 128, 256, 512, 1024] {
            if count < mine.len() && is(&mine[..count]) {
                return Finding::new(Diagnosis::PartOnly, said(&format!("the first {count}")));
            }
        }
        for warp in [16, 32, 64, 128, 256] {
            let every: Vec<T> = mine.iter().copied().step_by(warp).collect();
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
                let because =
                    format!("out[{}] holds in[{end}], the head of the next segment", wrong.index);
                Finding::new(Diagnosis::HeadIgnored, because)
            }
            () if self.op == Op::Max && wrong.got == 0.0 && wrong.expected < 0.0 => {
                let because = "the result is 0, and all elements of the segment are smaller";
                Finding::new(Diagnosis::Identity, because)
            }
            () => None,
        }
    }
}
