//! Folds: of everything, or of what each block has.

use harness::{
    Dtype, Element, Op,
    bound::{self, Compensated},
    with_element,
};
use serde::Deserialize;

use super::{
    Array, Case, Expected, Finding, Instance, Output, Reference, Seen, compare::numbers, elements,
    vector,
};
use crate::diagnosis::Diagnosis;

/// `out[b]` is the fold of block b's `chunk` elements of `in`; without a chunk `out[0]` is that of
/// all n. Dimensions: `n`, and `rows`, the number of results.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reduce {
    /// The elements' type: `i32`, `u32`, `i64`, `f32` or `f64`.
    #[serde(deserialize_with = "crate::course::dtype")]
    dtype: Dtype,
    /// The operator.
    #[serde(deserialize_with = "crate::course::op")]
    op: Op,
    /// Elements of a block.
    chunk: Option<u64>,
}

/// Where the element that wins stands, for one seed after another: a maximum tells of one element
/// only, so each place that may be forgotten has its turn. Counted from the end where negative.
const WINNERS: [i64; 10] = [-1, 0, 31, 32, 255, 256, -2, 1, 511, 512];

impl Reference for Reduce {
    fn seeds(&self) -> u64 {
        match self.op {
            Op::Max | Op::Min => WINNERS.len() as u64,
            _ => 1,
        }
    }

    fn instance(&self, case: &Case) -> Instance {
        with_element!(self.dtype, T => self.of::<T>(case))
    }

    fn explain(&self, instance: &Instance, seen: &Seen<'_>) -> Option<Finding> {
        let input = numbers(self.dtype, &instance.inputs[0].bytes);
        let first = seen.first();
        let chunk = self.chunk.map_or(input.len(), |chunk| chunk as usize);
        let begin = first.index * chunk;
        let mine = &input[begin..(begin + chunk).min(input.len())];
        if first.is_untouched {
            return None;
        }
        self.is_not_the_identity(first.got, first.expected)
            .or_else(|| self.is_another_block(seen))
            .or_else(|| self.is_a_part(seen, mine))
            .or_else(|| self.is_one_off(seen, mine, begin))
    }
}

impl Reduce {
    fn of<T: Element>(&self, case: &Case) -> Instance {
        let mut input: Vec<T> = elements(case, self.op);
        self.place_winner(&mut input, case.seed);
        let n = input.len() as u64;
        let chunk = self.chunk.unwrap_or(n).max(1) as usize;
        let mut parts: Vec<&[T]> = input.chunks(chunk).collect();
        if parts.is_empty() {
            parts.push(&[]);
        }
        let expected = match T::DTYPE.is_float() {
            true => Expected::Within(parts.iter().map(|part| self.float(part)).collect()),
            false => Expected::Bits(parts.iter().map(|part| self.integer(part)).collect()),
        };
        let mut dimensions = vector(case.shape);
        dimensions.insert("rows".into(), parts.len() as u64);
        let out = Output::new("out", T::DTYPE, expected);
        Instance {
            dimensions,
            inputs: vec![Array::of("in", &input)],
            outputs: vec![out],
        }
    }

    /// Moves the element that wins to where it is that seed's turn.
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
        let wanted = WINNERS[(seed % WINNERS.len() as u64) as usize];
        input.swap(at, wanted.rem_euclid(n) as usize);
    }

    fn integer<T: Element>(&self, part: &[T]) -> u64 {
        let all = part.iter().map(|x| x.to_i64());
        let folded = match self.op {
            Op::Sum | Op::Affine => all.fold(0, i64::wrapping_add),
            Op::Product => all.fold(1, i64::wrapping_mul),
            Op::Max => all.fold(T::LOWEST.to_i64(), i64::max),
            Op::Min => all.fold(T::HIGHEST.to_i64(), i64::min),
            Op::And => all.fold(-1, |a, b| a & b),
            Op::Or => all.fold(0, |a, b| a | b),
        };
        folded as u64 & (u64::MAX >> (64 - 8 * T::DTYPE.size()))
    }

    /// A fold in f64 and how far from it a right kernel may be: max and min round nothing, products
    /// and sums what [`harness::bound`] derives.
    fn float<T: Element>(&self, part: &[T]) -> (f64, f64) {
        let all = || part.iter().map(|x| x.to_f64());
        match self.op {
            Op::Max => (all().fold(T::LOWEST.to_f64(), f64::max), 0.0),
            Op::Min => (all().fold(T::HIGHEST.to_f64(), f64::min), 0.0),
            Op::Product => {
                let product = all().product();
                let n = part.len() as u64;
                (product, bound::product(T::DTYPE, n, product))
            }
            _ => {
                let (mut sum, mut absolute) = (Compensated::default(), 0.0);
                for x in all() {
                    sum.add(x);
                    absolute += x.abs();
                }
                let n = part.len() as u64;
                let depth = n.saturating_sub(1);
                (sum.value(), bound::sum(T::DTYPE, depth, absolute))
            }
        }
    }

    fn is_not_the_identity(&self, got: f64, expected: f64) -> Option<Finding> {
        let zero_wins = match self.op {
            Op::Max => expected < 0.0,
            Op::Min => expected > 0.0,
            Op::Product | Op::And => true,
            _ => false,
        };
        let because = "the result is 0, which is no result of these elements";
        (zero_wins && got == 0.0).then(|| Finding::new(Diagnosis::Identity, because))?
    }

    fn is_another_block(&self, seen: &Seen<'_>) -> Option<Finding> {
        let zeroth = *seen.values.first()?;
        let other = seen.first().index > 0 && seen.all_are(|_| Some(zeroth));
        let because = "every block's result is that of block 0";
        other.then(|| Finding::new(Diagnosis::BlockOffset, because))?
    }

    /// Folds of what a mistake leaves in place of all.
    fn is_a_part(&self, seen: &Seen<'_>, mine: &[f64]) -> Option<Finding> {
        let n = mine.len();
        type Keep = fn(usize, usize) -> bool;
        let parts: [(&str, Keep); 8] = [
            ("no element at all", |_, _| false),
            ("every other warp's elements", |i, _| i % 64 < 32),
            ("the first warp's elements", |i, _| i % 256 < 32),
            ("one element of each warp", |i, _| i % 32 == 0),
            ("the elements with even indices", |i, _| i % 2 == 0),
            ("the first 256 elements", |i, _| i < 256),
            ("the first 1,024 elements", |i, _| i < 1024),
            ("the first half of the elements", |i, n| i < n / 2),
        ];
        let kept = |keep: Keep| mine.iter().enumerate().filter(move |(i, _)| keep(*i, n));
        let matches = |&(_, keep): &(&str, Keep)| {
            kept(keep).count() < n && seen.first().is(self.fold(kept(keep).map(|(_, x)| *x)))
        };
        let (name, _) = parts.into_iter().find(matches)?;
        Finding::new(Diagnosis::PartOnly, format!("the result is that of {name}"))
    }

    /// One element too few, or one twice.
    fn is_one_off(&self, seen: &Seen<'_>, mine: &[f64], begin: usize) -> Option<Finding> {
        let first = seen.first();
        match self.op {
            Op::Sum => {
                let difference = self.wrapped(first.got - first.expected);
                let near =
                    |x: f64| (difference - x).abs() <= if first.bound > 0.0 { 1e-5 } else { 0.0 };
                let lost = mine.iter().position(|&x| near(self.wrapped(-x)));
                let twice = mine.iter().position(|&x| near(x));
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
                let at = mine.iter().position(|&x| x == first.expected)?;
                let others = mine.iter().enumerate().filter(|(i, _)| *i != at);
                let second = self.fold(others.map(|(_, x)| *x));
                let because = format!("in[{}], which should win, is not seen", begin + at);
                (first.got == second).then(|| Finding::new(Diagnosis::LostElement, because))?
            }
            _ => None,
        }
    }

    fn fold(&self, all: impl Iterator<Item = f64>) -> f64 {
        match self.op {
            Op::Max => all.fold(with_element!(self.dtype, T => T::LOWEST.to_f64()), f64::max),
            Op::Min => all.fold(
                with_element!(self.dtype, T => T::HIGHEST.to_f64()),
                f64::min,
            ),
            Op::Product => all.product(),
            _ => self.wrapped(all.sum()),
        }
    }

    /// A sum of integers as their type would hold it.
    fn wrapped(&self, x: f64) -> f64 {
        match self.dtype {
            Dtype::I32 => f64::from(x as i64 as i32),
            Dtype::U32 => f64::from(x as i64 as u32),
            _ => x,
        }
    }
}
