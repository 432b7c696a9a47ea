//! Keys drawn from all bins, or from more than there are; floats with some that have no bin.

use std::fmt;

use harness::{
    Dtype, Input,
    inputs::{bits, gaussian, generate, zipf},
};
use rayon::prelude::*;

use crate::{Case, bins::Bins, reference::Key};

/// The inputs that histograms have.
pub const INPUTS: [Input; 6] =
    [Input::Uniform, Input::Gaussian, Input::Zipf, Input::Constant, Input::Sorted, Input::Digits];

/// The types of keys.
pub const DTYPES: [Dtype; 4] = [Dtype::U8, Dtype::U16, Dtype::U32, Dtype::F32];

/// Of floats drawn at random, about one in this number is one of [`ODD`].
const ODD_ONES: u64 = 1024;

/// Floats that have no bin, or stand at the edge of one: as in [`position`], 0 is the lower end of
/// the range and 1 the upper one.
const ODD: [f64; 8] = [
    f64::NAN,
    f64::INFINITY,
    f64::NEG_INFINITY,
    1.0,
    -0.0,
    2.5,
    -1e-30,
    1.0 - 1.0 / (1 << 24) as f64,
];

/// Integers that have no bin, or stand at an end of the range.
fn odd_integers(bins: &Bins) -> [u32; 6] {
    let Bins { first, end, .. } = *bins;
    [0, first.saturating_sub(1), first, end - 1, end, u32::MAX]
}

/// The keys of a case: as many as there are elements.
pub fn keys<K: Key>(case: &Case, bins: &Bins) -> Vec<K> {
    let keys = u64::from(drawn_from(case, bins));
    if case.input == Input::Digits {
        let digits: Vec<K> = generate(case);
        let number = |digit: K| (digit.to_f64() as u64 % keys) as f64;
        return digits.into_iter().map(|d| of_number(number(d), bins)).collect();
    }
    let make = |i| match K::DTYPE {
        Dtype::F32 => K::from_f64(position(case, i, keys, bins)),
        _ if bins.divide_integers() => K::from_f64(integer(case, i, keys, bins).into()),
        _ => K::from_f64(number(case, i, keys) as f64),
    };
    (0..case.elements()).into_par_iter().map(make).collect()
}

/// From how many keys the input is drawn: as many as there are bins, or as the case says, and no more
/// than the type has.
fn drawn_from(case: &Case, bins: &Bins) -> u32 {
    let wanted = case.task.keys.unwrap_or(bins.count);
    match case.dtype {
        Dtype::U8 => wanted.min(1 << 8),
        Dtype::U16 => wanted.min(1 << 16),
        _ => wanted,
    }
}

/// Key i as a number below `keys`.
fn number(case: &Case, i: u64, keys: u64) -> u64 {
    let last = keys - 1;
    match case.input {
        Input::Gaussian => {
            let middle = keys as f64 / 2.0;
            ((middle + gaussian(case.seed, i) * keys as f64 / 8.0) as u64).min(last)
        }
        Input::Zipf => zipf(case.seed, i, keys) - 1,
        Input::Constant => keys / 3,
        Input::Sorted => (u128::from(i) * u128::from(keys) / u128::from(case.elements())) as u64,
        _ => ((bits(case.seed, i) >> 32) * keys) >> 32,
    }
}

/// Float i: somewhere in the bin of its number, or an odd one.
fn position(case: &Case, i: u64, keys: u64, bins: &Bins) -> f64 {
    let random = bits(!case.seed, i);
    if let Some(odd) = odd(case, random, &ODD) {
        return f64::from(bins.low) + odd * f64::from(bins.high - bins.low);
    }
    let fraction = match case.input {
        Input::Constant | Input::Sorted => 0.5,
        _ => (random >> 40) as f64 / (1u64 << 24) as f64,
    };
    in_range(number(case, i, keys) as f64 + fraction, bins)
}

/// Integer i: somewhere in the bin of its number, or an odd one.
fn integer(case: &Case, i: u64, keys: u64, bins: &Bins) -> u32 {
    let random = bits(!case.seed, i);
    let fraction = match case.input {
        Input::Constant | Input::Sorted => HALF,
        _ => (random >> 32) as u32,
    };
    let key = || in_integers(number(case, i, keys), fraction, bins);
    odd(case, random, &odd_integers(bins)).unwrap_or_else(key)
}

/// One of the odd ones for about one random number in [`ODD_ONES`], where the input is drawn at random.
fn odd<T: Copy>(case: &Case, random: u64, ones: &[T]) -> Option<T> {
    let at_random = matches!(case.input, Input::Uniform | Input::Gaussian | Input::Zipf);
    let is_odd = at_random && random.is_multiple_of(ODD_ONES);
    is_odd.then(|| ones[(random / ODD_ONES % ones.len() as u64) as usize])
}

fn of_number<K: Key>(number: f64, bins: &Bins) -> K {
    match K::DTYPE {
        Dtype::F32 => K::from_f64(in_range(number + 0.5, bins)),
        _ if bins.divide_integers() => K::from_f64(in_integers(number as u64, HALF, bins).into()),
        _ => K::from_f64(number),
    }
}

/// A position counted in bins, as a float of the range.
fn in_range(position: f64, bins: &Bins) -> f64 {
    let width = f64::from(bins.high) - f64::from(bins.low);
    f64::from(bins.low) + position / f64::from(bins.count) * width
}

/// The middle of a bin, as a fraction of its width in units of 2^-32.
const HALF: u32 = 1 << 31;

/// A position counted in bins, and in units of 2^-32 of one, as an integer of the range, or one above it.
fn in_integers(number: u64, fraction: u32, bins: &Bins) -> u32 {
    let width = u64::from(bins.end - bins.first);
    // At most (2^32 - 1)^2 + 2^32 - 1, which has 64 bits.
    let offset = (number * width + ((u64::from(fraction) * width) >> 32)) / u64::from(bins.count);
    u32::try_from(u64::from(bins.first) + offset).unwrap_or(u32::MAX)
}

/// Names for a message, `a, b, c`.
pub(crate) fn join(names: impl IntoIterator<Item: fmt::Display>) -> String {
    let names: Vec<_> = names.into_iter().map(|name| name.to_string()).collect();
    names.join(", ")
}

#[cfg(test)]
mod tests {
    use harness::Op;

    use super::*;
    use crate::{HistogramParameters, reference::histogram};

    fn counts<K: Key>(input: Input, keys_drawn: Option<u32>) -> Vec<u32> {
        let mut case = Case { input, ..Case::vector(100_000, K::DTYPE, Op::Sum) };
        case.task = HistogramParameters { keys: keys_drawn, ..HistogramParameters::default() };
        let bins = Bins::even(100, 0.0, 1.0).expect("bins");
        histogram(&keys::<K>(&case, &bins), &bins)
    }

    fn check_type<K: Key>() {
        let uniform = counts::<K>(Input::Uniform, None);
        assert!(uniform[..100].iter().all(|&count| (800..1200).contains(&count)));
        let bell = counts::<K>(Input::Gaussian, None);
        assert!(bell[50] > 2 * bell[35] && bell[35] > 5 * bell[10] && bell[10] > 0);
        let zipf = counts::<K>(Input::Zipf, None);
        assert!(zipf[0] > 10_000 && zipf[0] > 12 * zipf[20] && zipf[99] > 0);
        assert_eq!(counts::<K>(Input::Constant, None)[33], 100_000);
        assert!(counts::<K>(Input::Sorted, None)[..100].iter().all(|&count| count == 1000));
        let beyond = counts::<K>(Input::Uniform, Some(200))[100];
        assert!((48_000..52_000).contains(&beyond), "{beyond}");
    }

    #[test]
    fn shapes_of_all_inputs() {
        check_type::<u8>();
        check_type::<u16>();
        check_type::<u32>();
        check_type::<f32>();
    }

    /// Keys of all bins, from both ends of the range to all that is between.
    #[test]
    fn integers_are_drawn_from_the_whole_range() {
        let case = Case::vector(1 << 20, Dtype::U32, Op::Sum);
        let bins = Bins::of_integers(100, 1000.0, 1_001_000.0).expect("bins");
        let drawn: Vec<u32> = keys(&case, &bins);
        let counts = histogram(&drawn, &bins);
        let (inside, outside) = counts.split_at(100);
        assert!(inside.iter().all(|&count| (9500..11_500).contains(&count)), "{inside:?}");
        assert!(outside[0] > 100 && outside[1] > 100 && outside[2] == 0, "{outside:?}");
        let distinct: std::collections::HashSet<u32> = drawn.into_iter().collect();
        // Of w keys, n draws leave out w (1 - 1/w)^n, about w / e^(n / w).
        assert!((600_000..670_000).contains(&distinct.len()), "{}", distinct.len());
        for edge in [0, 999, 1000, 1_000_999, 1_001_000, u32::MAX] {
            assert!(distinct.contains(&edge), "{edge}");
        }
    }

    #[test]
    fn floats_have_some_without_a_bin() {
        let uniform = counts::<f32>(Input::Uniform, None);
        assert!(uniform[100..].iter().all(|&count| count > 5), "{:?}", &uniform[100..]);
    }
}
