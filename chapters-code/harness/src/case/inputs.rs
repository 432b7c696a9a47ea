//! Seeded inputs: element i depends on the seed and on i alone, so they are the same on every
//! machine, however many threads make them.
//!
//! Never all ones and never zeros: those hide elements dropped, doubled or misplaced.

use rayon::prelude::*;

use crate::{Case, Dtype, Element, Input, Op};

/// The elements of a case's input.
pub fn generate<T: Element>(case: &Case<impl Sized>) -> Vec<T> {
    let Case { op, input, seed, .. } = *case;
    let n = case.elements();
    let element = |i: u64| match input {
        Input::Uniform => uniform::<T>(op, seed, i, n),
        Input::Constant if T::DTYPE.is_float() => T::from_f64(0.1),
        Input::Constant => T::from_f64(12345.0),
        Input::Cancelling => cancelling::<T>(seed, i),
        Input::Negative => negative::<T>(seed, i),
        Input::Denormal => denormal::<T>(seed, i),
        Input::Digits => T::from_f64(digit(seed, i)),
        Input::Gaussian if T::DTYPE.is_float() => T::from_f64(gaussian(seed, i)),
        Input::Gaussian => T::from_f64(gaussian(seed, i) * f64::powi(2.0, 20)),
        Input::Zipf => T::from_f64(zipf(seed, i, 1 << 16) as f64),
        Input::Sorted => T::from_f64(i as f64 - (n / 2) as f64),
    };
    (0..n).into_par_iter().map(element).collect()
}

/// 64 random bits for position `i`: SplitMix64 (Steele, Lea and Flood 2014), run from two words.
pub fn bits(seed: u64, i: u64) -> u64 {
    let mut z = (seed ^ 0x5851_f42d_4c95_7f2d).wrapping_add(i.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    for _ in 0..2 {
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^= z >> 31;
    }
    z
}

/// A number in (−1, 1) that is a multiple of 2^−24 and not zero.
fn signed_fraction(bits: u64) -> f64 {
    let magnitude = ((bits >> 40) | 1) as f64 * f64::powi(2.0, -24);
    // A branch would be mispredicted for every other number.
    f64::from_bits(magnitude.to_bits() | bits << 63)
}

fn uniform<T: Element>(op: Op, seed: u64, i: u64, n: u64) -> T {
    let random = bits(seed, i);
    match op {
        Op::Product => factor(seed, i),
        Op::And => T::from_bits(!lone_bit(random, n)),
        Op::Or => T::from_bits(lone_bit(random, n)),
        // Odd factors: the product of many even ones is 0 modulo 2^32, and hides what came before.
        Op::Affine => T::from_bits(random | 1 << 32),
        _ if T::DTYPE.is_float() => T::from_f64(signed_fraction(random)),
        _ => T::from_bits(if random as u32 == 0 { 1 } else { random }),
    }
}

/// Factors whose product stays within range: odd integers, or floats in pairs m, 1/m.
fn factor<T: Element>(seed: u64, i: u64) -> T {
    if !T::DTYPE.is_float() {
        return T::from_bits(bits(seed, i) | 1);
    }
    let pair = bits(seed, i / 2);
    let m = 1.0 + (pair >> 12) as f64 * f64::powi(2.0, -52);
    let inverted = (pair ^ i) & 1 == 1;
    let sign = if bits(seed, i) & 2 == 0 { 1.0 } else { -1.0 };
    T::from_f64(sign * if inverted { 1.0 / m } else { m })
}

/// One bit of 64 in about 24 elements of n, none in the others: a conjunction or disjunction of
/// them is neither all zeros nor all ones, and shows where an element was lost.
fn lone_bit(random: u64, n: u64) -> u64 {
    if (random >> 8).is_multiple_of(n.div_ceil(24).max(1)) { 1 << (random % 64) } else { 0 }
}

fn cancelling<T: Element>(seed: u64, i: u64) -> T {
    let small = signed_fraction(bits(seed, i));
    match i % 3 {
        0 => T::from_f64(1e4),
        1 => T::from_f64(small),
        _ => T::from_f64(-1e4),
    }
}

fn negative<T: Element>(seed: u64, i: u64) -> T {
    if T::DTYPE.is_float() {
        return T::from_f64(-signed_fraction(bits(seed, i)).abs());
    }
    T::from_f64(-((bits(seed, i) >> 40 | 1) as f64))
}

fn denormal<T: Element>(seed: u64, i: u64) -> T {
    let significand = match T::DTYPE {
        Dtype::F32 | Dtype::Bf16 => f64::powi(2.0, -127),
        Dtype::F16 => f64::powi(2.0, -15),
        _ => return uniform(Op::Sum, seed, i, 1),
    };
    T::from_f64(signed_fraction(bits(seed, i)) * significand)
}

/// A number in (0, 1].
fn unit(bits: u64) -> f64 {
    ((bits >> 11) + 1) as f64 * f64::powi(2.0, -53)
}

/// A draw from the normal distribution of mean 0 and deviation 1 (Box and Muller 1958).
pub fn gaussian(seed: u64, i: u64) -> f64 {
    let [radius, angle] = [0, 1].map(|half| unit(bits(seed, 2 * i + half)));
    (-2.0 * radius.ln()).sqrt() * (std::f64::consts::TAU * angle).cos()
}

/// A rank in 1 ..= `ranks`, k with the probability ln(1 + 1/k) / ln(1 + ranks): about as 1/k.
pub fn zipf(seed: u64, i: u64, ranks: u64) -> u64 {
    let rank = ((1.0 - unit(bits(seed, i))) * ((ranks + 1) as f64).ln()).exp();
    (rank as u64).clamp(1, ranks)
}

fn digit(seed: u64, i: u64) -> f64 {
    const FIRST: [u8; 8] = [3, 1, 7, 0, 4, 1, 6, 3];
    match FIRST.get(i as usize) {
        Some(&digit) => f64::from(digit),
        None => (bits(seed, i) % 10) as f64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::{Bf16, F16};

    fn vector(n: u64, dtype: Dtype, op: Op) -> Case {
        Case::vector(n, dtype, op)
    }

    fn check_sum<T: Element>() {
        let input: Vec<T> = generate(&vector(10_000, T::DTYPE, Op::Sum));
        assert!(input.iter().all(|x| x.to_f64() != 0.0), "{} has a zero", T::DTYPE);
        assert!(input.iter().all(|x| x.to_f64().is_finite()), "{} is not finite", T::DTYPE);
        let distinct: std::collections::HashSet<_> =
            input.iter().map(|x| x.to_f64().to_bits()).collect();
        assert!(distinct.len() > 300, "{} has {} values", T::DTYPE, distinct.len());
        if T::DTYPE != Dtype::U32 {
            let negative = input.iter().filter(|x| x.to_f64() < 0.0).count();
            assert!((4000..6000).contains(&negative), "{}: {negative} negative", T::DTYPE);
        }
    }

    #[test]
    fn sums_get_distinct_signed_elements() {
        check_sum::<i32>();
        check_sum::<u32>();
        check_sum::<i64>();
        check_sum::<f32>();
        check_sum::<f64>();
        check_sum::<F16>();
        check_sum::<Bf16>();
    }

    #[test]
    fn the_same_seed_gives_the_same_elements() {
        let short: Vec<f32> = generate(&vector(10, Dtype::F32, Op::Sum));
        let long: Vec<f32> = generate(&vector(100, Dtype::F32, Op::Sum));
        assert_eq!(short[..], long[..10]);
        let other = Case { seed: 2, ..vector(10, Dtype::F32, Op::Sum) };
        assert_ne!(short, generate::<f32>(&other));
    }

    #[test]
    fn few_ranks_of_many_are_half_of_a_zipf_input() {
        let ranks: Vec<u64> = (0..100_000).map(|i| zipf(1, i, 65_536)).collect();
        assert!(ranks.iter().all(|rank| (1..=65_536).contains(rank)));
        // ln 257 / ln 65537 is 0.5003.
        let few = ranks.iter().filter(|&&rank| rank <= 256).count();
        assert!((49_000..51_000).contains(&few), "{few}");
    }

    #[test]
    fn a_bell_curve_has_two_thirds_within_its_deviation() {
        let draws: Vec<f64> = (0..100_000).map(|i| gaussian(1, i)).collect();
        let near = draws.iter().filter(|x| x.abs() < 1.0).count();
        assert!((67_500..69_000).contains(&near), "{near}");
        assert!((draws.iter().sum::<f64>() / 1e5).abs() < 0.02);
    }

    #[test]
    fn products_stay_in_range() {
        let factors: Vec<f32> = generate(&vector(1 << 16, Dtype::F32, Op::Product));
        let product = factors.iter().fold(1.0, |p, x| p * f64::from(*x));
        assert!((0.1..10.0).contains(&product.abs()), "{product}");
        let odd: Vec<i32> = generate(&vector(100, Dtype::I32, Op::Product));
        assert!(odd.iter().all(|x| x % 2 != 0));
    }

    #[test]
    fn and_or_results_are_neither_all_ones_nor_zero() {
        for n in [100, 1 << 16] {
            let elements: Vec<u32> = generate(&vector(n, Dtype::U32, Op::And));
            let and = elements.iter().fold(u32::MAX, |a, b| a & b);
            assert!(and != 0 && and != u32::MAX, "{and:#x}");
            let elements: Vec<u32> = generate(&vector(n, Dtype::U32, Op::Or));
            let or = elements.iter().fold(0, |a, b| a | b);
            assert!(or != 0 && or != u32::MAX, "{or:#x}");
        }
    }
}
