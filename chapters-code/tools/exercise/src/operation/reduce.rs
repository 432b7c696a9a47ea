//! Folds: of everything, or of what each block has.

use chapter_1_reduce::reference::Aggregate;
use harness::{Dtype, Element, Op, verify::Accepted, with_element};
use serde::Deserialize;

use super::{
    Array, Case, Finding, Instance, Observation, Output, Reference, Wrong, dimensions, elements,
    values,
};
use crate::diagnosis::Diagnosis;

/// `out[b]` is the fold of block b's `chunk` elements of `in`; without a chunk `out[0]` is that of
/// all n. Dimensions: `n`, and `rows`, the number of results.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reduce {
    /// The elements' type: `i32`, `u32`, `i64`, `f32` or `f64`.
    #[serde(deserialize_with = "crate::course::named")]
    dtype: Dtype,
    /// The operator.
    #[serde(deserialize_with = "crate::course::named")]
    op: Op,
    /// Elements of a block.
    chunk: Option<u64>,
}

/// Where the element that wins stands, for one seed after another: a maximum tells of one element
/// only, so each place that may be forgotten has its turn. Counted from the end where negative.
const WINNERS: [i64; 10] = [-1, 0, 31, 32, 255, 256, -2, 1, 511, 512];

/// Seeds after one another with which each of these places has its turn, and after them extremes twice.
const CASES: u64 = WINNERS.len() as u64 + 2;

/// From this number of elements on, the places of [`WINNERS`] are too few of them.
const LARGE: i64 = 1 << 14;

impl Reference for Reduce {
    fn seeds(&self) -> u64 {
        match self.op {
            Op::Max | Op::Min => CASES,
            _ => 1,
        }
    }

    /// One for a winner among the last elements, one for a winner anywhere.
    fn large_seeds(&self) -> u64 {
        self.seeds().min(2)
    }

    fn instance(&self, case: &Case) -> Instance {
        with_element!(self.dtype, T => self.of::<T>(case))
    }

    fn explain(&self, instance: &Instance, seen: &Observation<'_>) -> Option<Finding> {
        let finite: Vec<Wrong> =
            seen.wrong.iter().filter(|wrong| wrong.is_finite()).copied().collect();
        let wrong = if finite.is_empty() { seen.wrong } else { &finite };
        let seen = &Observation { wrong, ..*seen };
        with_element!(self.dtype, T => self.explain_as::<T>(&instance.inputs[0].elements(), seen))
    }
}

impl Reduce {
    fn explain_as<T: Element>(&self, input: &[T], seen: &Observation<'_>) -> Option<Finding> {
        let first = seen.first();
        let chunk = self.chunk.map_or(input.len(), |chunk| chunk as usize);
        let begin = first.index * chunk;
        let mine = &input[begin..(begin + chunk).min(input.len())];
        if first.is_untouched {
            return None;
        }
        self.is_not_the_identity(first, mine)
            .or_else(|| self.is_of_some_blocks(seen, input))
            .or_else(|| self.is_another_block(seen))
            .or_else(|| self.is_a_part(seen, mine))
            .or_else(|| self.is_one_off(seen, mine, begin))
    }

    fn of<T: Element>(&self, case: &Case) -> Instance {
        let mut input: Vec<T> = elements(case, self.op);
        let n = input.len() as u64;
        let chunk = self.chunk.unwrap_or(n).max(1) as usize;
        match self.op {
            Op::Sum if T::DTYPE.is_float() => values::scale_terms(&mut input, case.seed, chunk),
            Op::Max | Op::Min => match case.seed % CASES < WINNERS.len() as u64 {
                true => self.place_winner(&mut input, case.seed),
                false => values::at_the_ends(&mut input, case, self.op),
            },
            _ => {}
        }
        let mut parts: Vec<&[T]> = input.chunks(chunk).collect();
        if parts.is_empty() {
            parts.push(&[]);
        }
        let dimensions = dimensions([("n", n), ("rows", parts.len() as u64)]);
        let folds = parts.into_iter().map(|part| self.fold(part));
        Instance {
            dimensions,
            outputs: vec![Output::of("out", folds)],
            inputs: vec![Array::of("in", &input)],
        }
    }

    /// Moves the element that wins to where it is that seed's turn; among many elements, anywhere, or
    /// near the end.
    fn place_winner<T: Element>(&self, input: &mut [T], seed: u64) {
        let (n, sign) = match (self.op, input.len() as i64) {
            (_, 0) => return,
            (Op::Max, n) => (n, 1.0),
            (Op::Min, n) => (n, -1.0),
            _ => return,
        };
        let order = |a: &&T, b: &&T| (sign * a.to_f64()).total_cmp(&(sign * b.to_f64()));
        let winner = input.iter().max_by(order).copied();
        let at = input.iter().position(|x| Some(*x) == winner).unwrap_or(0);
        let random = (harness::inputs::bits(!seed, 0) >> 1) as i64;
        let wanted = match (n > LARGE, seed % 2) {
            (false, _) => WINNERS[(seed % CASES) as usize],
            (true, 0) => random % n,
            (true, _) => -1 - random % (n / 16),
        };
        input.swap(at, wanted.rem_euclid(n) as usize);
    }

    /// The chapter's fold, and how far from it the result of any order of additions may be.
    fn fold<T: Element>(&self, part: &[T]) -> Accepted<T::Acc> {
        let numbers = || part.iter().map(|x| x.to_f64());
        if numbers().any(|x| !x.is_finite()) {
            // The same in any order, as long as no sum of the others overflows.
            return Accepted::Within { value: numbers().sum(), bound: 0.0 };
        }
        let depth = (part.len() as u64).saturating_sub(1);
        Aggregate::of(self.op, part.iter().copied()).expect(depth, 0.0)
    }

    fn is_not_the_identity<T: Element>(&self, first: &Wrong, mine: &[T]) -> Option<Finding> {
        let (got, expected) = (first.got, first.expected);
        let is_none = || mine.iter().all(|x| x.to_f64() != got);
        let stranger_wins = match self.op {
            Op::Max => got > expected && is_none(),
            Op::Min => got < expected && is_none(),
            Op::Product | Op::And => got == 0.0,
            _ => false,
        };
        let because = format!("the result is {got}, which is none of the elements");
        stranger_wins.then(|| Finding::new(Diagnosis::Identity, because))?
    }

    /// Only what the first blocks of a grid have found, which takes every so many elements of them.
    fn is_of_some_blocks<T: Element>(
        &self,
        seen: &Observation<'_>,
        input: &[T],
    ) -> Option<Finding> {
        let threads = seen.threads.max(1) as usize;
        let blocks = seen.covered as usize / threads;
        if self.op != Op::Sum || self.dtype.is_float() || self.chunk.is_some() || blocks < 2 {
            return None;
        }
        let mut of_block = vec![0i64; blocks];
        for (tile, elements) in input.chunks(threads).enumerate() {
            let sums = elements.iter().map(|x| x.to_i64());
            of_block[tile % blocks] = sums.fold(of_block[tile % blocks], i64::wrapping_add);
        }
        let mut sum = 0i64;
        let is_it = |of: &i64| {
            sum = sum.wrapping_add(*of);
            T::from_bits(sum as u64).to_f64() == seen.first().got
        };
        let count = 1 + of_block[..blocks - 1].iter().position(is_it)?;
        let because = format!("the result is that of the first {count} of {blocks} blocks");
        Finding::new(Diagnosis::PartOnly, because)
    }

    fn is_another_block(&self, seen: &Observation<'_>) -> Option<Finding> {
        let zeroth = *seen.values.first()?;
        let other = seen.first().index > 0 && seen.all_are(|_| Some(zeroth));
        let because = "every block's result is that of block 0";
        other.then(|| Finding::new(Diagnosis::BlockOffset, because))?
    }

    /// Folds of what a mistake leaves in place of all.
    fn is_a_part<T: Element>(&self, seen: &Observation<'_>, mine: &[T]) -> Option<Finding> {
        let n = mine.len();
        type Keep = fn(usize, usize) -> bool;
        // A row of up to two warps' elements, which one warp may share.
        let is_row = self.chunk.is_some_and(|chunk| chunk <= 64);
        let first: (&str, Keep) = match is_row {
            true => ("the row's first 32 elements", |i, _| i < 32),
            false => ("no element at all", |_, _| false),
        };
        let parts: [(&str, Keep); 8] = [
            first,
            ("every other warp's elements", |i, _| i % 64 < 32),
            ("the first warp's elements", |i, _| i % 256 < 32),
            ("one element of each warp", |i, _| i % 32 == 0),
            ("the elements with even indices", |i, _| i % 2 == 0),
            ("the first 256 elements", |i, _| i < 256),
            ("the first 1,024 elements", |i, _| i < 1024),
            ("the first half of the elements", |i, n| i < n / 2),
        ];
        let matches = |&(_, keep): &(&str, Keep)| {
            let kept: Vec<T> = (0..n).filter(|i| keep(*i, n)).map(|i| mine[i]).collect();
            // The identity of a maximum may be an element, too.
            let is_told = !kept.is_empty()
                || !matches!(self.op, Op::Max | Op::Min)
                || !mine.iter().any(|x| x.to_f64() == seen.first().got);
            kept.len() + 1 < n && is_told && seen.first().is(self.fold(&kept).value())
        };
        let (name, _) = parts.into_iter().find(matches)?;
        Finding::new(Diagnosis::PartOnly, format!("the result is that of {name}"))
    }

    /// One element too few, or one twice.
    fn is_one_off<T: Element>(
        &self,
        seen: &Observation<'_>,
        mine: &[T],
        begin: usize,
    ) -> Option<Finding> {
        let first = seen.first();
        match self.op {
            Op::Sum => {
                // Of integers as their type would hold it.
                let wrapped = |x: f64| match self.dtype.is_float() {
                    true => x,
                    false => T::from_bits(x as i64 as u64).to_f64(),
                };
                let difference = wrapped(first.got - first.expected);
                let largest = mine.iter().map(|x| x.to_f64().abs()).fold(0.0, f64::max);
                let rounded = if first.bound > 0.0 { 1e-5 * largest } else { 0.0 };
                let near = |x: f64| (difference - x).abs() <= rounded;
                let lost = mine.iter().position(|x| near(wrapped(-x.to_f64())));
                let twice = mine.iter().position(|x| near(x.to_f64()));
                let said = |at: usize, how| {
                    format!("out[{}] is that of in[{}] {how}", first.index, begin + at)
                };
                match (lost, twice) {
                    (Some(at), _) => Finding::new(Diagnosis::LostElement, said(at, "left out")),
                    (_, Some(at)) => Finding::new(Diagnosis::DoubledElement, said(at, "twice")),
                    _ => None,
                }
            }
            Op::Max | Op::Min => {
                let at = mine.iter().position(|x| x.to_f64() == first.expected)?;
                let second = self.fold(&[&mine[..at], &mine[at + 1..]].concat()).value();
                let because = format!("in[{}], which should win, is not seen", begin + at);
                (first.got == second).then(|| Finding::new(Diagnosis::LostElement, because))?
            }
            _ => None,
        }
    }
}
