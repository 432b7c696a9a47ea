//! Elements of the whole range of a type: each number that a kernel may take for a sign of its own, such as
//! its identity, a flag or the highest number that it thinks of, stands somewhere in an input.

use harness::{Dtype, Element, Op, inputs::bits};

use super::{Case, operator::identity};

/// The elements that stand out, a line each: the kind of type, the bits or the number, and what that is.
const OUTSTANDING: &str = include_str!("outstanding.txt");

/// The elements of a type that stand out.
pub(crate) fn outstanding<T: Element>() -> Vec<T> {
    let (kind, radix) = match T::DTYPE {
        Dtype::F32 => ("f32 ", 16),
        Dtype::F64 => ("f64 ", 16),
        _ => ("int ", 10),
    };
    let of_this_kind = |line: &'static str| line.strip_prefix(kind)?.split(' ').next();
    // Doubles with a sign have bits beyond those of an `i64`.
    let bits = |text| i128::from_str_radix(text, radix).expect("a number") as u64;
    let found = OUTSTANDING.lines().filter_map(of_this_kind);
    found.map(|text| T::from_bits(bits(text))).collect()
}

/// Puts some of `special` at places that the seed draws: one first, one last, and others for at most one in
/// eight elements.
pub(crate) fn place<T: Element>(elements: &mut [T], seed: u64, special: &[T]) {
    let n = elements.len();
    let count = special.len().min((n / 8).max(n.min(2)));
    // Of each size another one is first.
    let seed = seed ^ 0x706c_6163 ^ (n as u64) << 32;
    let random = |at: usize| bits(seed, at as u64) as usize;
    for at in 0..count {
        let place = match at {
            0 => 0,
            1 => n - 1,
            _ => random(at) % n,
        };
        elements[place] = special[(random(usize::MAX) % special.len() + at) % special.len()];
    }
}

/// Replaces one in `every` elements by one of `special`, and the first and the last now and then.
pub(crate) fn sprinkle<T: Element>(elements: &mut [T], seed: u64, every: u64, special: &[T]) {
    let n = elements.len();
    for (i, element) in elements.iter_mut().enumerate() {
        let random = bits(seed ^ 0x6578_7472, i as u64);
        let is_end = (i == 0 || i + 1 == n) && n > 1 && random.is_multiple_of(4);
        if !special.is_empty() && (is_end || random.is_multiple_of(every)) {
            *element = special[(random >> 32) as usize % special.len()];
        }
    }
}

/// Integers for a running maximum: each may be larger than all before it, or lie anywhere below, so that the
/// maximum grows from one end of the range to the other.
pub(crate) fn rising<T: Element>(seed: u64, n: u64) -> Vec<T> {
    let element = |i: u64| {
        let random = bits(seed, i);
        let height = ((u128::from(i) << 32) / u128::from(n.max(1))) as u64;
        let below = if random & 1 == 0 { 0 } else { (random >> 32) % (height + 1) };
        T::from_bits((height - below).wrapping_add(i32::MIN as i64 as u64))
    };
    (0..n).map(element).collect()
}

/// Maps that a kernel may take for nothing, or that forget what was before them, or that wrap.
pub(crate) fn maps(seed: u64) -> Vec<i64> {
    let map = |factor: u32, summand: u32| (u64::from(factor) << 32 | u64::from(summand)) as i64;
    let harmless = [map(1, 0), map(1, 1), map(u32::MAX, 0), map(u32::MAX, u32::MAX)];
    // After a factor 0 nothing tells of what was before.
    let forgetful = [map(0, 0), map(0, 7), map(1 << 31, 1), map(2, 3), map(65_536, 5)];
    match bits(seed, 0x6d61_7073) % 4 {
        0 => [&harmless[..], &forgetful].concat(),
        _ => harmless.into(),
    }
}

/// How a stretch of terms of a sum is scaled.
enum Scale {
    /// Not at all: fractions.
    One,
    /// By a power of 2, down to the smallest numbers.
    Power(i32),
    /// Not at all, and one of them, at least, is no number or infinite.
    NotFinite,
}

fn scale(random: u64) -> Scale {
    match random % 8 {
        0..5 => Scale::One,
        // From 2^-140, where floats are subnormal, to 2^100, of which no 256 overflow.
        5 | 6 => Scale::Power(((random >> 8) % 241) as i32 - 140),
        _ => Scale::NotFinite,
    }
}

/// Floats whose sums are asked for, chunk by chunk: fractions, and now and then huge, tiny or not finite.
/// Within a chunk all are of one size, so that each of them tells.
pub(crate) fn scale_terms<T: Element>(terms: &mut [T], seed: u64, chunk: usize) {
    for (number, terms) in terms.chunks_mut(chunk).enumerate() {
        let random = bits(seed ^ 0x7363_616c, number as u64);
        // The last elements are of a chunk that is not full: what stands at its end may be taken for all that follow.
        if terms.len() < chunk && (random >> 42).is_multiple_of(4) {
            let infinity = if random >> 41 & 1 == 0 { f64::INFINITY } else { f64::NEG_INFINITY };
            if let Some(last) = terms.last_mut() {
                *last = T::from_f64(infinity);
            }
            continue;
        }
        match scale(random) {
            Scale::One => {}
            Scale::Power(power) => {
                let factor = f64::powi(2.0, power);
                terms.iter_mut().for_each(|x| *x = T::from_f64(x.to_f64() * factor));
            }
            Scale::NotFinite => {
                let strange = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY];
                let count = 1 + (random >> 16) as usize % 2;
                for at in 0..count {
                    let random = bits(random, at as u64);
                    let place = match random >> 60 {
                        0 | 1 => 0,
                        2 | 3 => terms.len() - 1,
                        _ => (random >> 8) as usize % terms.len(),
                    };
                    terms[place] = T::from_f64(strange[random as usize % 3]);
                }
            }
        }
    }
}

/// Makes some inputs of a maximum extreme: the highest number wins, or one just above the lowest, or all are
/// the lowest, which is what no elements have as their maximum.
pub(crate) fn at_the_ends<T: Element>(elements: &mut [T], case: &Case, op: Op) {
    let n = elements.len();
    let lowest: T = identity(op);
    let towards = if op == Op::Max { 1 } else { -1 };
    let next = T::from_bits(lowest.to_i64().wrapping_add(towards) as u64);
    let random = bits(case.seed ^ 0x656e_6473, n as u64);
    let winner = match random % 3 {
        0 => Some(identity(if op == Op::Max { Op::Min } else { Op::Max })),
        1 => {
            elements.fill(lowest);
            Some(next)
        }
        _ => {
            elements.fill(lowest);
            None
        }
    };
    if let (Some(winner), true) = (winner, n > 0) {
        elements[(random >> 8) as usize % n] = winner;
    }
}

/// Makes some segments extreme: all of their elements are what no elements have as their maximum, or one of them is
/// next to it.
pub(crate) fn at_the_ends_of_segments<T: Element>(
    elements: &mut [T],
    segments: impl Iterator<Item = std::ops::Range<usize>>,
    seed: u64,
    op: Op,
) {
    let lowest: T = identity(op);
    let towards = if op == Op::Max { 1 } else { -1 };
    let next = T::from_bits(lowest.to_i64().wrapping_add(towards) as u64);
    for (number, segment) in segments.enumerate() {
        let random = bits(seed ^ 0x7365_676d, number as u64);
        if segment.is_empty() || random % 8 > 1 {
            continue;
        }
        let place = segment.start + (random >> 8) as usize % segment.len();
        elements[segment].fill(lowest);
        if random % 8 == 1 {
            elements[place] = next;
        }
    }
}

#[cfg(test)]
mod tests {
    use harness::{Input, Shape};

    use super::*;

    #[test]
    fn what_stands_out_is_there_first_and_last_too() {
        let special: Vec<f32> = outstanding();
        let mut elements = vec![7.0f32; 1000];
        place(&mut elements, 1, &special);
        let is_special = |x: &f32| special.iter().any(|s| s.to_bits() == x.to_bits());
        assert!(is_special(&elements[0]) && is_special(&elements[999]));
        assert!(elements.iter().filter(|x| is_special(x)).count() > 12);
        assert!(elements.iter().any(|x| x.is_nan()));
    }

    #[test]
    fn a_rising_maximum_goes_from_end_to_end() {
        let x: Vec<i32> = rising(1, 10_000);
        let mut most = i32::MIN;
        let mut records = 0;
        for x in &x {
            records += u32::from(*x > most);
            most = most.max(*x);
        }
        assert!(records > 4000);
        assert!(x[0] < -2_000_000_000 && most > 2_000_000_000);
        assert!(x.iter().skip(9000).any(|x| *x < -1_000_000_000));
    }

    #[test]
    fn sums_have_terms_of_all_sizes() {
        let mut terms = vec![0.75f32; 256 * 200];
        scale_terms(&mut terms, 1, 256);
        let is = |kind: fn(&f32) -> bool| terms.iter().filter(|x| kind(x)).count();
        assert!(is(|x| x.is_nan()) > 0 && is(|x| x.is_infinite()) > 0);
        assert!(is(|x| x.is_subnormal()) > 0 && is(|x| x.abs() > 1e20) > 0);
        assert!(is(|x| *x == 0.75) > 256 * 100);
    }

    #[test]
    fn a_maximum_may_be_that_of_no_elements() {
        let all = |seed| {
            let shape = Shape::Vector { n: 50 };
            let mut x = vec![5i32; 50];
            at_the_ends(&mut x, &Case { shape, input: Input::Uniform, seed }, Op::Max);
            x.into_iter().max().expect("it has elements")
        };
        let maxima: std::collections::BTreeSet<i32> = (0..60).map(all).collect();
        assert_eq!(maxima, [i32::MIN, i32::MIN + 1, i32::MAX].into());
    }
}
