//! The reference: computes on the CPU what every result is compared with.

use crate::{By, Case};
use harness::Element;
use rayon::prelude::*;

use crate::inputs::{is_at_least, pivot};

// ANCHOR: compact
/// The selected elements, in order.
pub fn compact<T: Copy>(
    elements: impl Iterator<Item = T>,
    selects: impl Fn(usize, T) -> bool,
) -> Vec<T> {
    let mut selected = Vec::new();
    for (i, x) in elements.enumerate() {
        if selects(i, x) {
            selected.push(x);
        }
    }
    selected
}
// ANCHOR_END: compact

/// Whether each element, or row, of a case is selected: by the mask, or by the predicate.
pub fn flags<T: Element>(case: &Case, elements: &[T], mask: &[bool]) -> Vec<bool> {
    match case.task.by {
        By::Mask | By::Bits => mask.to_vec(),
        By::Predicate => {
            let pivot = pivot(case);
            elements.par_iter().map(|&x| is_at_least(x, pivot)).collect()
        }
    }
}

/// The number of flags that one core works on at a time. No sector of 32 bytes lies in two parts.
const PART: usize = 1 << 16;

/// The elements whose flag is `wanted`, in order. A flag stands for `width` elements: one, or a row.
pub fn select<T: Element>(elements: &[T], width: usize, flags: &[bool], wanted: bool) -> Vec<T> {
    let count = |flags: &[bool]| width * flags.iter().filter(|&&flag| flag == wanted).count();
    let counts: Vec<usize> = flags.par_chunks(PART).map(count).collect();
    let mut selected = vec![T::zeroed(); counts.iter().sum()];
    let mut rest = &mut selected[..];
    let places: Vec<&mut [T]> = counts
        .iter()
        .map(|&count| rest.split_off_mut(..count).expect("as many as were counted"))
        .collect();
    let parts = elements.par_chunks(PART * width).zip(flags.par_chunks(PART)).zip(places);
    parts.for_each(|((elements, flags), place)| {
        let rows = compact(elements.chunks_exact(width), |i, _| flags[i] == wanted);
        for (to, row) in place.chunks_exact_mut(width).zip(rows) {
            to.copy_from_slice(row);
        }
    });
    selected
}

/// The number of sectors of 32 bytes that hold a byte of what is flagged. A flag stands for `bytes` bytes.
pub fn sectors(flags: &[bool], bytes: usize) -> usize {
    let of_part = |flags: &[bool]| {
        let (mut sectors, mut next) = (0, 0);
        for (i, _) in flags.iter().enumerate().filter(|(_, flag)| **flag) {
            let first = (i * bytes / 32).max(next);
            next = ((i + 1) * bytes).div_ceil(32).max(next);
            sectors += next - first;
        }
        sectors
    };
    flags.par_chunks(PART).map(of_part).sum()
}

#[cfg(test)]
mod tests {
    use harness::{Dtype, Op, Shape};

    use super::*;
    use crate::{Density, Pattern, SelectionParameters, inputs};

    /// The example that the page follows by hand.
    #[test]
    fn the_worked_example() {
        let mask = [1, 0, 1, 0, 1, 0, 1, 0];
        let selected = compact([3, 1, 8, 4, 6, 5, 2, 7].into_iter(), |i, _| mask[i] == 1);
        assert_eq!(selected, [3, 8, 6, 2]);
    }

    #[track_caller]
    fn check(by: By, shape: Shape, expected: &[u8]) {
        let parameters = SelectionParameters::new(by, Density::HALF, Pattern::Alternating);
        let case = Case { shape, ..Case::vector(0, Dtype::U8, Op::Sum) }.with(parameters);
        let data = [100u8, 150, 200, 250, 50, 0];
        let flags = flags(&case, &data, &inputs::mask(&case));
        let (_, width) = inputs::sizes(&case);
        let selected = select(&data, width as usize, &flags, true);
        assert_eq!(selected, expected, "{by} {shape}");
    }

    #[test]
    fn by_mask_bits_and_pivot() {
        let (six, three) = (Shape::Vector { n: 6 }, Shape::Matrix { rows: 3, cols: 2 });
        for by in [By::Mask, By::Bits] {
            check(by, six, &[100, 200, 50]);
            check(by, three, &[100, 150, 50, 0]);
        }
        check(By::Predicate, six, &[150, 200, 250]);
    }

    #[test]
    fn parts_together_are_the_whole() {
        let flags: Vec<bool> = (0..3 * PART + 17).map(|i| i * i % 7 < 2).collect();
        for width in [1, 3] {
            let elements: Vec<u32> = (0..(flags.len() * width) as u32).collect();
            let is_selected = |x: &u32| flags[*x as usize / width];
            let one_by_one: Vec<u32> = elements.iter().copied().filter(is_selected).collect();
            assert_eq!(select(&elements, width, &flags, true), one_by_one);
            for bytes in [1, 12, 100] {
                let of = |i: usize| i * bytes / 32..((i + 1) * bytes).div_ceil(32);
                let flagged = (0..flags.len()).filter(|&i| flags[i]);
                let touched: std::collections::BTreeSet<_> = flagged.flat_map(of).collect();
                assert_eq!(sectors(&flags, bytes), touched.len());
            }
        }
    }

    #[test]
    fn a_sector_counts_once() {
        let mut flags = [false; 64];
        assert_eq!(sectors(&flags, 4), 0);
        (flags[0], flags[7], flags[40]) = (true, true, true);
        assert_eq!(sectors(&flags, 4), 2);
        // 20 bytes each: 0 and 140 to 160; 800 to 820.
        assert_eq!(sectors(&flags, 20), 1 + 1 + 1);
        // 100 bytes each: sectors 0 to 3, 21 to 24, 125 to 128.
        assert_eq!(sectors(&flags, 100), 4 + 4 + 4);
        assert_eq!(sectors(&[true; 64], 20), 40);
    }
}
