//! The sequential algorithm, which every kernel is checked against.

use harness::{By, Case, Element, with_element};

use crate::{inputs::is_at_least, layout::Layout};

// ANCHOR: compact
/// The elements that are kept, in order.
pub fn compact<T: Copy>(
    elements: impl Iterator<Item = T>,
    keeps: impl Fn(usize, T) -> bool,
) -> Vec<T> {
    let mut kept = Vec::new();
    for (i, x) in elements.enumerate() {
        if keeps(i, x) {
            kept.push(x);
        }
    }
    kept
}
// ANCHOR_END: compact

/// What is kept of a case's input, in order: the bytes of elements, or of rows.
pub fn kept(case: &Case, input: &[u8]) -> Vec<u8> {
    with_element!(case.dtype, T => those::<T>(case, input, |keep| keep))
}

/// What is not, in order.
pub fn others(case: &Case, input: &[u8]) -> Vec<u8> {
    with_element!(case.dtype, T => those::<T>(case, input, |keep| !keep))
}

fn those<T: Element>(case: &Case, input: &[u8], wanted: fn(bool) -> bool) -> Vec<u8> {
    let layout = Layout::of(case);
    let data = &input[..layout.data_bytes()];
    if layout.width == 1 {
        let elements = data.chunks_exact(size_of::<T>());
        let elements = elements.map(bytemuck::pod_read_unaligned::<T>);
        let kept = compact(elements, |i, x| wanted(keeps(&layout, input, i, x)));
        return bytemuck::cast_slice(&kept).to_vec();
    }
    let row = (layout.width * layout.size) as usize;
    let rows = data.chunks_exact(row.max(1)).take(layout.n as usize);
    let keeps = |i, _: &[u8]| wanted(keeps(&layout, input, i, T::LOWEST));
    compact(rows, keeps).concat()
}

fn keeps<T: Element>(layout: &Layout, input: &[u8], i: usize, x: T) -> bool {
    match layout.by {
        By::Mask => input[layout.mask_at() + i] != 0,
        By::Bits => input[layout.mask_at() + i / 8] >> (i % 8) & 1 == 1,
        By::Predicate => is_at_least(x, layout.pivot),
    }
}

#[cfg(test)]
mod tests {
    use harness::{Density, Dtype, Op, Parameters, Pattern, Shape};

    use super::*;
    use crate::inputs;

    /// The example that the page follows by hand.
    #[test]
    fn the_worked_example() {
        let mask = [1, 0, 1, 0, 1, 0, 1, 0];
        let kept = compact([3, 1, 8, 4, 6, 5, 2, 7].into_iter(), |i, _| mask[i] == 1);
        assert_eq!(kept, [3, 8, 6, 2]);
    }

    #[track_caller]
    fn check(by: By, shape: Shape, expected: &[u8]) {
        let case = Case {
            shape,
            parameters: Parameters::of_selection(by, Density::HALF, Pattern::Alternating),
            ..Case::vector(0, Dtype::U8, Op::Sum)
        };
        let mask = inputs::mask(&case);
        let data = [100, 150, 200, 250, 50, 0];
        let input = inputs::input(&case, &data, &mask).expect("an input");
        assert_eq!(kept(&case, &input), expected, "{by} {shape}");
    }

    #[test]
    fn by_mask_bits_and_pivot() {
        let six = Shape::Vector { n: 6 };
        check(By::Mask, six, &[100, 200, 50]);
        check(By::Bits, six, &[100, 200, 50]);
        check(By::Predicate, six, &[150, 200, 250]);
    }

    #[test]
    fn rows() {
        let three = Shape::Matrix { rows: 3, cols: 2 };
        check(By::Mask, three, &[100, 150, 50, 0]);
        check(By::Bits, three, &[100, 150, 50, 0]);
    }
}
