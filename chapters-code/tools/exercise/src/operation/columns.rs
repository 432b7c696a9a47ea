//! Sums of neighbours and of columns.

use chapter_1_reduce::reference::reduce_columns;
use chapter_7_coalescing::reference;
use harness::{Dtype, Op, Shape, verify::Accepted};
use serde::Deserialize;

use super::{
    Array, Case, Finding, Instance, Observation, Output, Reference, compare::numbers, dimensions,
    moved::distinct, sectors_of_rows, shapes,
};
use crate::diagnosis::Diagnosis;

/// `out[i] = in[2 i] + in[2 i + 1]`, floats of any kind: each sum is rounded once.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PairSums {}

impl Reference for PairSums {
    fn elements_of_one(&self) -> u64 {
        2
    }

    fn instance(&self, case: &Case) -> Instance {
        let n = case.shape.elements();
        let input: Vec<f32> = distinct(case.seed, 2 * n);
        let sums = reference::pair_sums(&input).into_iter();
        let exactly = |sum: f32| Accepted::<f32>::Within { value: sum.into(), bound: 0.0 };
        Instance {
            dimensions: dimensions([("n", n)]),
            outputs: vec![Output::of("out", sums.map(exactly))],
            inputs: vec![Array::of("in", &input)],
        }
    }

    fn explain(&self, instance: &Instance, seen: &Observation<'_>) -> Option<Finding> {
        let input = numbers(Dtype::F32, &instance.inputs[0].bytes);
        let n = input.len() / 2;
        let sum = |a: usize, b: usize| Some(f64::from((input.get(a)? + input.get(b)?) as f32));
        seen.first_of(&[
            (Diagnosis::PartOnly, "only the first of two is there", &|i| input.get(2 * i).copied()),
            (Diagnosis::PartOnly, "only the second of two is there", &|i| {
                input.get(2 * i + 1).copied()
            }),
            (Diagnosis::DoubledElement, "the first of two is added to itself", &|i| {
                sum(2 * i, 2 * i)
            }),
            (Diagnosis::Displaced, "out[i] is in[i] + in[i + 1]: the pairs overlap", &|i| {
                sum(i, i + 1)
            }),
            (Diagnosis::Displaced, "out[i] is in[i] + in[i + n]: halves, not neighbours", &|i| {
                sum(i, i + n)
            }),
            (Diagnosis::Displaced, "the pairs begin one place too late", &|i| {
                sum(2 * i + 1, 2 * i + 2)
            }),
        ])
    }
}

/// `out[c]` is the sum of column c of a matrix of `u32`, modulo 2^32. Dimensions: `rows`, `cols`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ColumnSums {}

impl Reference for ColumnSums {
    fn sizes(&self) -> Vec<Shape> {
        shapes("0x5 5x0 1x1 1x33 33x1 7x31 8x32 31x7 9x65 64x64 65x129 200x70 1100x1000")
    }

    fn instance(&self, case: &Case) -> Instance {
        let Shape::Matrix { rows, cols } = case.shape else {
            return Instance::default();
        };
        let bits = |i| harness::inputs::bits(case.seed, i) as u32;
        let input: Vec<u32> = (0..rows * cols).map(bits).collect();
        let sums = reduce_columns(Op::Sum, &input, rows as usize, cols as usize);
        let sums = sums.iter().map(|sum| sum.expect::<u32>(rows, 0.0));
        Instance {
            dimensions: dimensions([
                ("rows", rows),
                ("cols", cols),
                ("in_sectors", sectors_of_rows(rows, cols, cols, 4)),
            ]),
            outputs: vec![Output::of("out", sums)],
            inputs: vec![Array::of("in", &input)],
        }
    }

    fn explain(&self, instance: &Instance, seen: &Observation<'_>) -> Option<Finding> {
        let input = numbers(Dtype::U32, &instance.inputs[0].bytes);
        let side = |name: &str| instance.dimensions[name] as usize;
        let (rows, cols) = (side("rows"), side("cols"));
        let at = |row: usize, col: usize| input[row * cols + col];
        let wrapped = |sum: f64| f64::from(sum as u64 as u32);
        let sum = |col: usize, keep: &dyn Fn(usize) -> bool| {
            let kept = (0..rows).filter(|&row| keep(row));
            Some(wrapped(kept.map(|row| at(row, col)).sum()))
        };
        let twice = |col| {
            let all = sum(col, &|_| true)?;
            Some(wrapped(all + sum(col, &|row| row % 8 == 0)?))
        };
        let of_a_row = |row: usize| {
            let inside = row < rows;
            inside.then(|| wrapped((0..cols).map(|col| at(row, col)).sum()))
        };
        seen.first_of(&[
            (Diagnosis::LostElement, "the last row is left out", &|col| {
                sum(col, &|row| row + 1 < rows)
            }),
            (Diagnosis::LostElement, "the first row is left out", &|col| sum(col, &|row| row > 0)),
            (
                Diagnosis::PartOnly,
                "only the first warp's rows, every 8th, are in the sums",
                &|col| sum(col, &|row| row % 8 == 0),
            ),
            (Diagnosis::PartOnly, "only the first 8 rows are in the sums", &|col| {
                sum(col, &|row| row < 8)
            }),
            (Diagnosis::PartOnly, "only the first 32 rows are in the sums", &|col| {
                sum(col, &|row| row < 32)
            }),
            (Diagnosis::PartOnly, "every 8th row, of the last warp, is not in the sums", &|col| {
                sum(col, &|row| row % 8 != 7)
            }),
            (
                Diagnosis::DoubledElement,
                "the first warp's rows, every 8th, are in the sums twice",
                &twice,
            ),
            (Diagnosis::Transposed, "these are the sums of the rows", &of_a_row),
            (Diagnosis::BlockOffset, "every 32 sums are those of the first 32 columns", &|col| {
                sum(col % 32, &|_| true)
            }),
        ])
    }
}
