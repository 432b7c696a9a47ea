//! The reference: computes on the CPU what every result is compared with.

use rayon::prelude::*;

use crate::layout::Layout;

/// The side of a square that is transposed at a time, so that both matrices stay in the caches.
const SIDE: u64 = 64;

/// Writes element (r, c) of each input matrix to (c, r) of its output. The gaps keep what they hold.
pub fn transpose<T: Copy + Send + Sync>(layout: &Layout, input: &[T], output: &mut [T]) {
    let Layout { rows, cols, ld_in, ld_out, batch, .. } = *layout;
    if rows == 0 || cols == 0 {
        return;
    }
    let matrices = output.par_chunks_mut((cols * ld_out) as usize).take(batch as usize);
    matrices.enumerate().for_each(|(matrix, output)| {
        let input = &input[matrix * (rows * ld_in) as usize..];
        let strips = output.par_chunks_mut((SIDE * ld_out) as usize).enumerate();
        strips.for_each(|(strip, output)| {
            transpose_strip(layout, strip as u64 * SIDE, input, output)
        });
    });
}

/// Writes the rows of an output matrix from `first_col` on: as many columns of the input, at most [`SIDE`].
fn transpose_strip<T: Copy>(layout: &Layout, first_col: u64, input: &[T], output: &mut [T]) {
    let Layout { rows, cols, ld_in, ld_out, .. } = *layout;
    for first_row in (0..rows).step_by(SIDE as usize) {
        for row in first_row..rows.min(first_row + SIDE) {
            for col in first_col..cols.min(first_col + SIDE) {
                let element = input[(row * ld_in + col) as usize];
                output[((col - first_col) * ld_out + row) as usize] = element;
            }
        }
    }
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
