//! Seeded masks, and inputs that hold data and mask: element i depends on the seed and on i alone.

use harness::{
    By, Case, Density, Dtype, Element, Error, Pattern, Shape,
    inputs::{self, bits},
    with_element,
};
use rayon::prelude::*;

use crate::layout::{Layout, density, pattern};

/// Elements of a run of a clustered mask.
pub const RUN: u64 = 3000;

/// Whether element i is kept.
pub fn keeps(density: Density, pattern: Pattern, seed: u64, i: u64) -> bool {
    let (kept, of) = (u64::from(density.kept()), u64::from(density.of()));
    // Not the draws that the elements themselves are made from.
    let draw = |i| bits(seed ^ 0x6d61_736b, i) >> 32;
    match pattern {
        Pattern::Random => draw(i) * of < kept << 32,
        Pattern::Clustered => draw(i / RUN) * of < kept << 32,
        // The i-th of `of` is kept where the whole number of kept ones grows there.
        Pattern::Alternating => i * kept % of < kept,
    }
}

/// A case's mask.
pub fn mask(case: &Case) -> Vec<bool> {
    let (density, pattern) = (density(case), pattern(case));
    let n = Layout::of(case).n;
    let keeps = |i| keeps(density, pattern, case.seed, i);
    (0..n).into_par_iter().map(keeps).collect()
}

/// What elements are compared with, so that about the wanted part of uniform ones is kept.
pub fn pivot(case: &Case) -> u64 {
    let left_out = 1.0 - density(case).to_f64();
    with_element!(case.dtype, T => {
        let (lowest, highest) = match T::DTYPE.is_float() {
            true => (-1.0, 1.0),
            false => (T::LOWEST.to_f64(), T::HIGHEST.to_f64()),
        };
        let pivot = T::from_f64(lowest + left_out * (highest - lowest));
        let mut bits = [0; 8];
        bits[..size_of::<T>()].copy_from_slice(bytemuck::bytes_of(&pivot));
        u64::from_le_bytes(bits)
    })
}

/// Whether an element is at least the pivot with these bits.
pub fn is_at_least<T: Element>(x: T, pivot: u64) -> bool {
    let pivot: T = bytemuck::pod_read_unaligned(&pivot.to_le_bytes()[..size_of::<T>()]);
    match T::DTYPE.is_float() {
        true => x.to_f64() >= pivot.to_f64(),
        false => x.to_i64() >= pivot.to_i64(),
    }
}

/// Refuses a mask that is not as long as the data.
///
/// # Errors
/// [`Error::Usage`] with both lengths.
pub fn check_mask(case: &Case, mask: &[bool]) -> Result<(), Error> {
    let (there, wanted) = (mask.len() as u64, Layout::of(case).n);
    if there == wanted {
        return Ok(());
    }
    let what = match case.shape {
        Shape::Vector { .. } => "elements",
        Shape::Matrix { .. } => "rows",
    };
    Err(Error::Usage(format!(
        "the mask is of {there}, and there are {wanted} {what}\n  remedy: give as many {what} as the mask \
         has places with -n, or a mask of {wanted}"
    )))
}

/// Data and mask in one input, as [`Layout`] says. A byte of a mask that keeps its element is any but 0;
/// the bits behind a mask's end are set.
///
/// # Errors
/// [`Error::Usage`] where the mask is not as long as the data.
pub fn input(case: &Case, data: &[u8], mask: &[bool]) -> Result<Vec<u8>, Error> {
    let layout = Layout::of(case);
    check_mask(case, mask)?;
    let mut input = vec![0; layout.input_bytes()];
    input[..data.len()].copy_from_slice(data);
    let at = layout.mask_at();
    match layout.by {
        By::Mask => {
            let bytes = input[at..].par_iter_mut().enumerate();
            bytes.for_each(|(i, byte)| *byte = if mask[i] { byte_that_keeps(i) } else { 0 });
        }
        By::Bits => {
            let words = input[at..].par_chunks_mut(4).zip(mask.par_chunks(32));
            words.for_each(|(word, mask)| word.copy_from_slice(&word_of(mask).to_le_bytes()));
        }
        By::Predicate => {}
    }
    Ok(input)
}

/// PyTorch's masks hold 1; C++ takes any byte but 0 for true.
fn byte_that_keeps(i: usize) -> u8 {
    const BYTES: [u8; 5] = [1, 255, 128, 2, 1];
    BYTES[i % BYTES.len()]
}

fn word_of(mask: &[bool]) -> u32 {
    let behind = u32::MAX.checked_shl(mask.len() as u32).unwrap_or(0);
    let set = |word, (k, &kept)| word | u32::from(kept) << k;
    mask.iter().enumerate().fold(behind, set)
}

/// The elements of a case, as bytes.
pub fn data(case: &Case) -> Vec<u8> {
    with_element!(case.dtype, T => bytemuck::cast_slice(&inputs::generate::<T>(case)).to_vec())
}

/// The types whose elements can be moved.
pub const DTYPES: [Dtype; 6] = [
    Dtype::I32,
    Dtype::U32,
    Dtype::I64,
    Dtype::F32,
    Dtype::F64,
    Dtype::U8,
];

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(density: Density, pattern: Pattern, n: u64) -> Vec<u64> {
        (0..n).filter(|&i| keeps(density, pattern, 1, i)).collect()
    }

    #[test]
    fn alternating_masks() {
        assert_eq!(kept(Density::HALF, Pattern::Alternating, 7), [0, 2, 4, 6]);
        let third = Density::new(1, 3).expect("a density");
        assert_eq!(kept(third, Pattern::Alternating, 7), [0, 3, 6]);
    }

    #[test]
    fn masks_keep_what_is_asked_for() {
        for (kept_of, of) in [(0, 1), (1, 64), (1, 2), (1, 1)] {
            let density = Density::new(kept_of, of).expect("a density");
            for pattern in [Pattern::Random, Pattern::Clustered, Pattern::Alternating] {
                let n = 3_000_000;
                let part = kept(density, pattern, n).len() as f64 / n as f64;
                // A clustered mask is a thousand draws.
                assert!(
                    (part - density.to_f64()).abs() < 0.05,
                    "{density} {pattern}"
                );
                assert!(part == density.to_f64() || ![0.0, 1.0].contains(&density.to_f64()));
            }
        }
    }

    #[test]
    fn clustered_masks_have_runs() {
        let kept = kept(Density::HALF, Pattern::Clustered, 100 * RUN);
        let ends = kept.windows(2).filter(|pair| pair[1] != pair[0] + 1);
        assert!(ends.count() < 40);
    }

    #[test]
    fn bits_behind_the_end_are_set() {
        assert_eq!(word_of(&[true, false, true]), u32::MAX << 3 | 0b101);
        assert_eq!(word_of(&[false; 32]), 0);
    }
}
