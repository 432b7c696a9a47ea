//! What operations share that move elements and compute little or nothing: inputs whose elements are
//! all different, so that a wrong one tells where it comes from.

use std::collections::HashMap;

use harness::{Element, inputs::bits};

/// Elements that are all different, of up to 2^22; of bytes random ones, of which there are 256.
pub(crate) fn distinct<T: Element>(seed: u64, n: u64) -> Vec<T> {
    let element = |i| match size_of::<T>() {
        1 => T::from_bits(bits(seed, i)),
        2 => T::from_bits(permuted(seed, i, 16)),
        4 => T::from_f64(permuted(seed, i, 22) as f64),
        // Both halves of a wide element tell where it is from.
        _ => T::from_f64((permuted(seed, i, 22) << 22 | permuted(!seed, i, 22)) as f64),
    };
    (0..n).map(element).collect()
}

/// A place among 2^`width`, another one for every `i` below that: each step can be undone.
fn permuted(seed: u64, i: u64, width: u32) -> u64 {
    let mask = (1 << width) - 1;
    let round = |x: u64, round| {
        let x = x.wrapping_add(bits(seed, round) >> 20) & mask;
        let x = x.wrapping_mul(bits(seed, round) | 1) & mask;
        x ^ x >> (width / 2)
    };
    (0..3).fold(i, round)
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
            assert_eq!(Sources::of(&numbers(&of_words)).places.len(), 100_000);
            let of_halves = distinct::<u16>(seed, 65_536);
            assert_eq!(Sources::of(&numbers(&of_halves)).places.len(), 65_536);
            let wide = distinct::<f64>(seed, 1000);
            assert!(wide.iter().any(|x| *x > f64::powi(2.0, 43)));
        }
    }

    fn numbers<T: Element>(elements: &[T]) -> Vec<f64> {
        elements.iter().map(|x| x.to_f64()).collect()
    }
}
