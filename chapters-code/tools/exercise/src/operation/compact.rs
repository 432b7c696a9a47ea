//! Compaction: what is selected goes to the front, in its order or in any.

use chapter_4_compact::reference::select;
use harness::{Input, inputs::bits};
use serde::Deserialize;

use super::{
    Array, Case, Finding, Initial, Instance, Observation, Ordering, Output, Reference, dimensions,
    moved,
};
use crate::diagnosis::Diagnosis;

/// `out` begins with what is selected of the n `in`, `selected[0]` is how many that is. Behind them `out`
/// stays as it was. Dimension: `n`.
///
/// Inputs: uniform selects a half at random, constant everything, sorted long runs, zipf a 32nd, and
/// negative nothing.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Compact {
    /// What says which elements are selected.
    by: By,
    /// Whether any order will do.
    #[serde(default)]
    any_order: bool,
    /// What becomes of the others.
    #[serde(default)]
    others: Others,
}

/// What says which elements are selected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum By {
    /// Bytes `mask`, anything but 0 if an element is selected.
    Mask,
    /// An element that differs from the one before it is selected; the first one always.
    Change,
}

/// What becomes of elements that are not selected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Others {
    /// Nothing.
    #[default]
    Drop,
    /// They come behind the selected ones, in their order.
    Follow,
}

/// What is to be done, and with what.
struct Problem {
    input: Vec<i32>,
    selects: Vec<bool>,
}

impl Reference for Compact {
    fn instance(&self, case: &Case) -> Instance {
        let problem = self.problem(case);
        let selected = problem.selects.iter().filter(|selects| **selects).count();
        let mut out = Output::equal("out", &self.result(&problem));
        out.capacity = problem.input.len();
        if self.any_order {
            out.ordering = Ordering::Free;
        }
        let mut number = Output::equal("selected", &[selected as u32]);
        if self.any_order {
            number.initial = Initial::Zero;
        }
        let mut inputs = vec![Array::of("in", &problem.input)];
        if self.by != By::Change {
            inputs.push(Array::of("mask", &Self::mask(case, &problem.selects)));
        }
        Instance {
            dimensions: dimensions([("n", case.shape.elements())]),
            inputs,
            outputs: vec![out, number],
        }
    }

    fn input_name(&self, input: Input) -> String {
        let name = match (input, self.by) {
            (Input::Constant, By::Change) => "no two neighbours are equal",
            (Input::Constant, _) => "all are selected",
            (Input::Negative, By::Change) => "all are equal",
            (Input::Negative, _) => "none is selected",
            (Input::Sorted, _) => "long runs are selected",
            (Input::Zipf, _) => "few are selected",
            _ => "a half is selected",
        };
        name.to_owned()
    }

    fn explain(&self, instance: &Instance, seen: &Observation<'_>) -> Option<Finding> {
        let problem = self.again(instance);
        match seen.output.name {
            "selected" => self.wrong_number(instance, &problem, seen),
            _ => self
                .moved(&problem, seen)
                .or_else(|| self.permuted(&problem, seen))
                .or_else(|| self.aligned(instance, &problem, seen)),
        }
    }
}

impl Compact {
    fn problem(&self, case: &Case) -> Problem {
        let n = case.shape.elements();
        let random = |i: u64| bits(!case.seed, i);
        let selects = |i: u64| match case.input {
            Input::Constant => true,
            Input::Negative => false,
            // A stretch of 40 is as its number's bits say.
            Input::Sorted => random(i / 40) & 1 == 1,
            Input::Zipf => random(i).is_multiple_of(32),
            _ => random(i) & 1 == 1,
        };
        let mut selects: Vec<bool> = (0..n).map(selects).collect();
        let mut input = moved::integers(case.seed ^ (case.input as u64) << 40, n);
        if self.by == By::Change {
            if let Some(first) = selects.first_mut() {
                *first = true;
            }
            for i in 1..input.len() {
                let random = random(i as u64);
                // Some neighbors differ in one bit, which a float, a half word or a difference may not tell.
                let near = (random >> 8)
                    .is_multiple_of(8)
                    .then(|| input[i - 1] ^ 1 << ((random >> 32) % 32));
                input[i] = match selects[i] {
                    true => near.unwrap_or(input[i]),
                    false => input[i - 1],
                };
            }
            selects = changes(&input);
        }
        Problem { input, selects }
    }

    /// The problem of an instance.
    fn again(&self, instance: &Instance) -> Problem {
        let input: Vec<i32> = instance.inputs[0].elements();
        let selects = match instance.inputs.get(1) {
            Some(mask) => mask.bytes.iter().map(|byte| *byte != 0).collect(),
            None => changes(&input),
        };
        Problem { input, selects }
    }

    fn mask(case: &Case, selects: &[bool]) -> Vec<u8> {
        let truth = |i: usize| {
            let random = bits(case.seed, i as u64);
            match random % 8 {
                0..4 => [255, 1, 2, 128][(random % 4) as usize],
                _ => 1 + (random >> 8) as u8 % 255,
            }
        };
        let byte = |(i, &selects): (usize, &bool)| if selects { truth(i) } else { 0 };
        selects.iter().enumerate().map(byte).collect()
    }

    fn result(&self, problem: &Problem) -> Vec<i32> {
        let those = |selected| select(&problem.input, 1, &problem.selects, selected);
        match self.others {
            Others::Drop => those(true),
            Others::Follow => [those(true), those(false)].concat(),
        }
    }

    /// The same as numbers.
    fn right(&self, problem: &Problem) -> Vec<f64> {
        self.result(problem).into_iter().map(f64::from).collect()
    }

    /// Everything too far by some elements, or too near.
    fn moved(&self, problem: &Problem, seen: &Observation<'_>) -> Option<Finding> {
        let right = self.right(problem);
        let n = right.len();
        for by in 1..=2.min(n.saturating_sub(1)) {
            if seen.values[by..] == right[..n - by] {
                let because = format!("every element is {by} too far to the right");
                return Finding::new(Diagnosis::Shifted, because);
            }
            if self.by == By::Change && by == 1 && seen.values[..n - by] == right[by..] {
                let because = "in[0] belongs to out[0] and is not there: it has none before it, and is always selected";
                return Finding::new(Diagnosis::LostElement, because);
            }
            if seen.values[..n - by] == right[by..] {
                let because = format!("every element is {by} too far to the left");
                return Finding::new(Diagnosis::Shifted, because);
            }
        }
        None
    }

    /// What stands at the first wrong index: an element that belongs further on, further back, or
    /// nowhere.
    fn aligned(
        &self,
        instance: &Instance,
        problem: &Problem,
        seen: &Observation<'_>,
    ) -> Option<Finding> {
        let right = self.right(problem);
        let first = seen.first();
        let index = first.index;
        if first.is_untouched {
            return None;
        }
        let input = |x: f64| problem.input.iter().position(|&y| f64::from(y) == x);
        let found = right.iter().position(|x| *x == first.got);
        match found {
            Some(at) if at > index && !self.any_order => {
                let missing = input(right[index])?;
                let because = format!(
                    "in[{missing}] belongs to out[{index}] and is not there; what belongs behind it has moved up{}",
                    self.tested(instance, problem, missing)
                );
                Finding::new(Diagnosis::LostElement, because)
            }
            Some(at) if self.by == By::Change && at < index => {
                let because = format!(
                    "out[{index}] repeats out[{at}]: that element equals the one before it"
                );
                Finding::new(Diagnosis::NotSelected, because)
            }
            Some(_) => {
                let because = format!("in[{}] is there more than once", input(first.got)?);
                Finding::new(Diagnosis::DoubledElement, because)
            }
            None => {
                let because =
                    format!("out[{index}] is in[{}], which is not selected", input(first.got)?);
                Finding::new(Diagnosis::NotSelected, because)
            }
        }
    }

    /// What the test on an element is about, in words.
    fn tested(&self, instance: &Instance, problem: &Problem, at: usize) -> String {
        match (self.by, at.checked_sub(1)) {
            (By::Mask, _) => format!("; its mask byte is {:#04x}", instance.inputs[1].bytes[at]),
            (By::Change, Some(before)) => {
                let [one, other] = [before, at].map(|at| problem.input[at]);
                format!("; in[{before}] is {one:#010x} and in[{at}] is {other:#010x}")
            }
            (By::Change, None) => String::new(),
        }
    }

    /// The right elements in another order.
    fn permuted(&self, problem: &Problem, seen: &Observation<'_>) -> Option<Finding> {
        let mut right = self.right(problem);
        let mut got = seen.values.to_vec();
        got.sort_by(f64::total_cmp);
        right.sort_by(f64::total_cmp);
        let because = format!(
            "all elements are there; out[{}] has one that belongs elsewhere",
            seen.first().index
        );
        (got == right).then(|| Finding::new(Diagnosis::Order, because))?
    }

    fn wrong_number(
        &self,
        instance: &Instance,
        problem: &Problem,
        seen: &Observation<'_>,
    ) -> Option<Finding> {
        let (got, n) = (seen.first().got, problem.selects.len());
        if seen.first().is_untouched && !self.any_order {
            return None;
        }
        let selected = |range: std::ops::Range<usize>| {
            problem.selects[range].iter().filter(|selects| **selects).count() as f64
        };
        let sum =
            instance.inputs.get(1).map(|mask| mask.bytes.iter().map(|byte| f64::from(*byte)).sum());
        if self.by == By::Mask && sum == Some(got) {
            let because = "the number is the sum of the mask's bytes";
            return Finding::new(Diagnosis::TruthValue, because);
        }
        for block in [32, 64, 256, 512, 1024, 2048, 4096] {
            let last = n.saturating_sub(1) / block * block;
            let which = match () {
                () if last > 0 && got == selected(last..n) => "last",
                () if last > 0 && got == selected(0..block) => "first",
                () if last > 0 && got == selected(0..last) => {
                    let because = format!("what the last block of {block} selects is missing");
                    return Finding::new(Diagnosis::PartOnly, because);
                }
                () => continue,
            };
            let because = format!("the number is that of the {which} block of {block} alone");
            return Finding::new(Diagnosis::PartOnly, because);
        }
        let off = got - seen.first().expected;
        match off {
            -1.0 => Finding::new(Diagnosis::LostElement, "one is missing in the number"),
            off if off < 0.0 => {
                Finding::new(Diagnosis::PartOnly, format!("{} are missing in the number", -off))
            }
            off => {
                let because = format!("the number has {off} that are not selected");
                Finding::new(Diagnosis::NotSelected, because)
            }
        }
    }
}

/// Whether each element differs from the one before it.
fn changes(input: &[i32]) -> Vec<bool> {
    let differs = |i: usize| i == 0 || input[i] != input[i - 1];
    (0..input.len()).map(differs).collect()
}

#[cfg(test)]
mod tests {
    use harness::Shape;

    use super::*;

    fn compact() -> Compact {
        Compact { by: By::Mask, any_order: false, others: Others::Drop }
    }

    fn instance(compact: &Compact, n: u64, input: Input) -> Instance {
        compact.instance(&Case { shape: Shape::Vector { n }, input, seed: 1 })
    }

    #[test]
    fn elements_are_distinct_and_one_is_zero() {
        let problem = compact().again(&instance(&compact(), 1 << 16, Input::Uniform));
        let distinct: std::collections::HashSet<_> = problem.input.iter().collect();
        assert_eq!(distinct.len(), 1 << 16);
        assert!(distinct.contains(&0));
        let selected = problem.selects.iter().filter(|selects| **selects).count();
        assert!((32_000..33_500).contains(&selected), "{selected}");
    }

    #[test]
    fn what_changes_is_kept() {
        let unique = Compact { by: By::Change, ..compact() };
        let made = instance(&unique, 1000, Input::Uniform);
        let mut input: Vec<i32> = made.inputs[0].elements();
        input.dedup();
        assert_eq!(made.outputs[0].expected, Output::equal("out", &input).expected);
    }

    fn diagnosed(wrong: impl Fn(&[i32]) -> Vec<i32>) -> Option<Diagnosis> {
        let made = instance(&compact(), 700, Input::Uniform);
        let right = compact().result(&compact().again(&made));
        let mut bytes = made.outputs[0].bytes_before(4 * 700);
        let wrong = wrong(&right);
        bytes[..4 * wrong.len()].copy_from_slice(bytemuck::cast_slice(&wrong));
        crate::operation::diagnosed(&compact(), &made, &bytes)
    }

    #[test]
    fn mistakes_are_told_by_their_results() {
        let shifted = diagnosed(|right| [&[7], &right[..right.len() - 1]].concat());
        assert_eq!(shifted, Some(Diagnosis::Shifted));
        let lost = diagnosed(|right| [&right[..20], &right[24..]].concat());
        assert_eq!(lost, Some(Diagnosis::LostElement));
        let order = diagnosed(|right| [&right[32..64], &right[..32], &right[64..]].concat());
        assert_eq!(order, Some(Diagnosis::Order));
    }
}
