//! What operations share that move elements and compute little or nothing: inputs whose elements are
//! all different, so that a wrong one tells where it comes from.

use std::collections::HashMap;

use harness::{Element, inputs::bits};

use super::values;

/// Elements that are all different, up to 2^23 of them; of bytes random ones, of which there are 256. Of wider
/// ones a quarter are any bits of the type, and the others whole numbers, which are easier to follow.
pub(crate) fn distinct<T: Element>(seed: u64, n: u64) -> Vec<T> {
    let made = Elements::new(seed, size_of::<T>());
    let mut elements: Vec<T> = (0..n).map(|i| made.at(i)).collect();
    if size_of::<T>() >= 4 {
        values::place(&mut elements, seed, &values::outstanding());
    }
    elements
}

/// How one element is made.
struct Elements {
    seed: u64,
    of_16: Permutation,
    of_any: Permutation,
    of_whole: Permutation,
    of_low_half: Permutation,
}

impl Elements {
    fn new(seed: u64, bytes: usize) -> Self {
        Self {
            seed,
            of_16: Permutation::new(seed, 16),
            of_any: Permutation::new(seed, if bytes == 4 { 31 } else { 32 }),
            of_whole: Permutation::new(seed, 23),
            of_low_half: Permutation::new(!seed, 22),
        }
    }

    fn at<T: Element>(&self, i: u64) -> T {
        let random = bits(self.seed, i);
        let is_any = (random >> 40).is_multiple_of(4);
        match size_of::<T>() {
            1 => T::from_bits(random),
            2 => T::from_bits(self.of_16.at(i)),
            // The lowest bit is none of a whole number's below 2^23.
            4 if is_any => T::from_bits(self.of_any.at(i) << 1 | 1),
            4 => T::from_f64(self.of_whole.at(i) as f64),
            _ if is_any => T::from_bits(self.of_any.at(i) << 32 | random & 0xffff_ffff | 1),
            // Both halves of a wide element tell if it is from.
            _ => T::from_f64((self.of_whole.at(i) << 22 | self.of_low_half.at(i)) as f64),
        }
    }
}

/// Integers of 32 bits that are all different, from the whole range, with those that stand out among them.
pub(crate) fn integers(seed: u64, n: u64) -> Vec<i32> {
    let permutation = Permutation::new(seed, 32);
    let mut integers: Vec<i32> = (0..n).map(|i| permutation.at(i) as i32).collect();
    values::place(&mut integers, seed, &values::outstanding());
    integers
}

/// Places among 2^`width`, another one for every number below that: each step can be undone.
struct Permutation {
    width: u32,
    /// What each round adds, and what it multiplies by.
    rounds: [(u64, u64); 3],
}

impl Permutation {
    fn new(seed: u64, width: u32) -> Self {
        let round = |round| (bits(seed, round) >> 20, bits(seed, round) | 1);
        Self { width, rounds: [0, 1, 2].map(round) }
    }

    fn at(&self, i: u64) -> u64 {
        let mask = (1 << self.width) - 1;
        let round = |x: u64, (summand, factor): &(u64, u64)| {
            let x = x.wrapping_add(*summand) & mask;
            let x = x.wrapping_mul(*factor) & mask;
            x ^ x >> (self.width / 2)
        };
        self.rounds.iter().fold(i, round)
    }
}

/// Where each value of an input stands.
pub(crate) struct Sources {
    places: HashMap<u64, usize>,
}

impl Sources {
    /// Of an input whose elements are all different.
    pub(crate) fn of(input: &[f64]) -> Self {
        let entry = |(at, value): (usize, &f64)| (value.to_bits(), at);
        Self { places: input.iter().enumerate().map(entry).collect() }
    }

    /// Where a value stands, if it is one of the input.
    pub(crate) fn place(&self, value: f64) -> Option<usize> {
        self.places.get(&value.to_bits()).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_element_is_there_twice() {
        for seed in 0..4 {
            let of_words = distinct::<f32>(seed, 100_000);
            // Zero is one of the numbers that stand out.
            assert!(Sources::of(&numbers(&of_words)).places.len() >= 99_999);
            let of_halves = distinct::<u16>(seed, 65_536);
            assert_eq!(Sources::of(&numbers(&of_halves)).places.len(), 65_536);
            let wide = distinct::<f64>(seed, 1000);
            assert!(wide.iter().any(|x| *x > f64::powi(2.0, 43)));
            assert!(of_words.iter().any(|x| x.is_nan()) && wide.iter().any(|x| x.is_nan()));
            assert!(of_words.iter().any(|x| x.fract() != 0.0 && x.abs() > 1e-3));
        }
    }

    fn numbers<T: Element>(elements: &[T]) -> Vec<f64> {
        elements.iter().map(|x| x.to_f64()).collect()
    }
}
