//! The reference: computes on the CPU what every result is compared with.

use crate::layout::Layout;

/// The side of a square that is transposed at a time, so that both matrices stay in the caches.
const SIDE: u64 = 64;

/// Writes element (r, c) of each input matrix to (c, r) of its output. The gaps keep what they hold.
pub fn transpose<T: Copy>(layout: &Layout, input: &[T], output: &mut [T]) {
    let Layout { ld_in, ld_out, .. } = *layout;
    for matrix in 0..layout.batch {
        let from = matrix * layout.rows * ld_in;
        let to = matrix * layout.cols * ld_out;
        for (first_row, first_col) in corners(layout) {
            for row in first_row..layout.rows.min(first_row + SIDE) {
                for col in first_col..layout.cols.min(first_col + SIDE) {
                    let element = input[(from + row * ld_in + col) as usize];
                    output[(to + col * ld_out + row) as usize] = element;
                }
            }
        }
    }
}

/// The first row and column of each square.
fn corners(layout: &Layout) -> impl Iterator<Item = (u64, u64)> + use<> {
    let Layout { rows, cols, .. } = *layout;
    let step = SIDE as usize;
    let row_starts = (0..rows).step_by(step);
    row_starts.flat_map(move |row| (0..cols).step_by(step).map(move |col| (row, col)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worked_example() {
        let layout = Layout { rows: 2, cols: 3, ld_in: 4, ld_out: 3, batch: 1 };
        let mut output = [0; 9];
        transpose(&layout, &[1, 2, 3, -1, 4, 5, 6, -1], &mut output);
        assert_eq!(output, [1, 4, 0, 2, 5, 0, 3, 6, 0]);
    }

    #[test]
    fn a_second_transpose_restores_the_input() {
        let layout = Layout { rows: 130, cols: 67, ld_in: 67, ld_out: 130, batch: 2 };
        let input: Vec<u64> = (0..layout.elements()).collect();
        let (mut once, mut twice) = (vec![0; input.len()], vec![0; input.len()]);
        transpose(&layout, &input, &mut once);
        let back = Layout {
            rows: layout.cols,
            cols: layout.rows,
            ld_in: layout.ld_out,
            ld_out: layout.ld_in,
            ..layout
        };
        transpose(&back, &once, &mut twice);
        assert_ne!(once, input);
        assert_eq!(twice, input);
    }
}
