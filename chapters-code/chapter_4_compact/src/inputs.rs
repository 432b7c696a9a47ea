//! Seeded masks, and the pivot of a predicate: element i depends on the seed and on i alone.

use crate::{By, Case, Density, Pattern};
use harness::{Dtype, Element, Error, Shape, inputs::bits};
use rayon::prelude::*;

/// The pattern of the mask: at random if a file has the mask.
pub fn pattern(case: &Case) -> Pattern {
    case.task.mask.unwrap_or(Pattern::Random)
}

/// The number of elements and 1; for a matrix, the numbers of rows and of columns.
pub fn sizes(case: &Case) -> (u64, u64) {
    match case.shape {
        Shape::Vector { n } => (n, 1),
        Shape::Matrix { rows, cols } => (rows, cols),
    }
}

/// The name of the kernel for what selects and for the type: `mask_b32`, `predicate_f32`.
pub fn entry(case: &Case) -> String {
    match case.task.by {
        By::Predicate => format!("predicate_{}", case.dtype),
        by => format!("{by}_b{}", 8 * case.dtype.size()),
    }
}

/// The types whose elements can be moved.
pub const DTYPES: [Dtype; 6] =
    [Dtype::I32, Dtype::U32, Dtype::I64, Dtype::F32, Dtype::F64, Dtype::U8];

/// The number of elements in a run of a clustered mask.
pub const RUN: u64 = 3000;

/// Whether a mask selects element i.
pub fn selects(density: Density, pattern: Pattern, seed: u64, i: u64) -> bool {
    let (selected, of) = (u64::from(density.kept), u64::from(density.of));
    // Not the draws that the elements themselves are made from.
    let draw = |i| bits(seed ^ 0x6d61_736b, i) >> 32;
    match pattern {
        Pattern::Random => draw(i) * of < selected << 32,
        Pattern::Clustered => draw(i / RUN) * of < selected << 32,
        // The i-th is selected where the whole number of selected ones, i * selected / of, grows.
        Pattern::Alternating => i * selected % of < selected,
    }
}

/// The mask of a case: a flag per element, or per row.
pub fn mask(case: &Case) -> Vec<bool> {
    let (density, pattern) = (case.task.density, pattern(case));
    let (n, _) = sizes(case);
    let selects = |i| selects(density, pattern, case.seed, i);
    (0..n).into_par_iter().map(selects).collect()
}

/// The smallest value that the predicate selects: about the wanted part of uniform elements is as large.
pub fn pivot<T: Element>(case: &Case) -> T {
    let left_out = 1.0 - case.task.density.to_f64();
    let (lowest, highest) = match T::DTYPE.is_float() {
        true => (-1.0, 1.0),
        false => (T::LOWEST.to_f64(), T::HIGHEST.to_f64()),
    };
    T::from_f64(lowest + left_out * (highest - lowest))
}

/// The bits of a value of at most 64 bits, with zeros above them.
pub fn bits_of<T: Element>(value: T) -> u64 {
    let mut bits = [0; 8];
    bits[..size_of::<T>()].copy_from_slice(bytemuck::bytes_of(&value));
    u64::from_le_bytes(bits)
}

/// Whether an element is at least the pivot.
pub fn is_at_least<T: Element>(x: T, pivot: T) -> bool {
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
    let (there, (wanted, _)) = (mask.len() as u64, sizes(case));
    if there == wanted {
        return Ok(());
    }
    let what = match case.shape {
        Shape::Vector { .. } => "elements",
        Shape::Matrix { .. } => "rows",
    };
    Err(Error::Usage(format!(
        "the mask is of {there}, and there are {wanted} {what}\n  remedy: give -n {there}, as many {what} as \
         the mask has flags, or a mask of {wanted}"
    )))
}

/// A mask as kernels read it. A byte that selects is any but 0; the bits behind a mask's end are set.
pub fn mask_in_memory(by: By, mask: &[bool]) -> Vec<u8> {
    match by {
        By::Mask => {
            // PyTorch's masks hold 1. C++ takes any byte but 0 for true.
            const SELECT: [u8; 5] = [1, 255, 128, 2, 1];
            let byte = |(i, &flag)| u8::from(flag) * SELECT[i % SELECT.len()];
            mask.par_iter().enumerate().map(byte).collect()
        }
        By::Bits => {
            let words = mask.par_chunks(32).map(|flags| word_of(flags).to_le_bytes());
            words.collect::<Vec<_>>().into_flattened()
        }
        By::Predicate => Vec::new(),
    }
}

fn word_of(mask: &[bool]) -> u32 {
    let behind = u32::MAX.checked_shl(mask.len() as u32).unwrap_or(0);
    let set = |word, (k, &flag)| word | u32::from(flag) << k;
    mask.iter().enumerate().fold(behind, set)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn selected(density: Density, pattern: Pattern, n: u64) -> Vec<u64> {
        (0..n).filter(|&i| selects(density, pattern, 1, i)).collect()
    }

    #[test]
    fn alternating_masks() {
        assert_eq!(selected(Density::HALF, Pattern::Alternating, 7), [0, 2, 4, 6]);
        let third = Density::new(1, 3).expect("a density");
        assert_eq!(selected(third, Pattern::Alternating, 7), [0, 3, 6]);
    }

    #[test]
    fn masks_select_the_part_that_is_asked_for() {
        for (part, of) in [(0, 1), (1, 64), (1, 2), (1, 1)] {
            let density = Density::new(part, of).expect("a density");
            for pattern in [Pattern::Random, Pattern::Clustered, Pattern::Alternating] {
                let n = 3_000_000;
                let part = selected(density, pattern, n).len() as f64 / n as f64;
                // A clustered mask is a thousand draws.
                assert!((part - density.to_f64()).abs() < 0.05, "{density} {pattern}");
                assert!(part == density.to_f64() || ![0.0, 1.0].contains(&density.to_f64()));
            }
        }
    }

    #[test]
    fn clustered_masks_have_runs() {
        let selected = selected(Density::HALF, Pattern::Clustered, 100 * RUN);
        let ends = selected.windows(2).filter(|pair| pair[1] != pair[0] + 1);
        assert!(ends.count() < 40);
    }

    #[test]
    fn bits_behind_the_end_are_set() {
        assert_eq!(word_of(&[true, false, true]), u32::MAX << 3 | 0b101);
        assert_eq!(word_of(&[false; 32]), 0);
    }
}
