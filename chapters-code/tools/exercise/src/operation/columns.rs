//! Sums of neighbours and of columns.

use chapter_1_reduce::reference::fold_columns;
use chapter_7_coalescing::reference;
use harness::{Dtype, Op, Shape};
use serde::Deserialize;

use super::{
    Array, Case, Finding, Instance, Output, Reference, Seen, compare::numbers, moved::distinct,
    vector,
};
use crate::{course::launch::Dimensions, diagnosis::Diagnosis};

/// `out[i] = in[2 i] + in[2 i + 1]`, floats that hold whole numbers, so that no sum is rounded.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PairSums {}

impl Reference for PairSums {
    fn instance(&self, case: &Case) -> Instance {
        let input: Vec<f32> = distinct(case.seed, 2 * case.shape.elements());
        Instance {
            dimensions: vector(case.shape),
            outputs: vec![Output::equal("out", &reference::pair_sums(&input))],
            inputs: vec![Array::of("in", &input)],
        }
    }

    fn explain(&self, instance: &Instance, seen: &Seen<'_>) -> Option<Finding> {
        let input = numbers(Dtype::F32, &instance.inputs[0].bytes);
        let n = input.len() / 2;
        let sum = |a: usize, b: usize| Some(input.get(a)? + input.get(b)?);
        type Mistake<'m> = (Diagnosis, &'m str, &'m dyn Fn(usize) -> Option<f64>);
        let mistakes: [Mistake<'_>; 6] = [
            (
                Diagnosis::PartOnly,
                "only the first of two is there",
                &|i| input.get(2 * i).copied(),
            ),
            (
                Diagnosis::PartOnly,
                "only the second of two is there",
                &|i| input.get(2 * i + 1).copied(),
            ),
            (
                Diagnosis::DoubledElement,
                "the first of two is added to itself",
                &|i| sum(2 * i, 2 * i),
            ),
            (
                Diagnosis::Displaced,
                "out[i] is in[i] + in[i + 1]: the pairs overlap",
                &|i| sum(i, i + 1),
            ),
            (
                Diagnosis::Displaced,
                "out[i] is in[i] + in[i + n]: halves, not neighbours",
                &|i| sum(i, i + n),
            ),
            (
                Diagnosis::Displaced,
                "the pairs begin one place too late",
                &|i| sum(2 * i + 1, 2 * i + 2),
            ),
        ];
        let (diagnosis, because, _) = mistakes
            .into_iter()
            .find(|(_, _, mistake)| seen.all_are(mistake))?;
        Finding::new(diagnosis, because)
    }
}

/// `out[c]` is the sum of column c of a matrix of `u32`, modulo 2^32. Dimensions: `rows`, `cols`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ColumnSums {}

impl Reference for ColumnSums {
    fn sizes(&self) -> Vec<Shape> {
        let sides = [
            (0, 5),
            (5, 0),
            (1, 1),
            (1, 33),
            (33, 1),
            (7, 31),
            (8, 32),
            (31, 7),
            (9, 65),
            (64, 64),
            (65, 129),
            (200, 70),
            (1000, 100),
        ];
        let shape = |(rows, cols)| Shape::Matrix { rows, cols };
        sides.into_iter().map(shape).collect()
    }

    fn instance(&self, case: &Case) -> Instance {
        let Shape::Matrix { rows, cols } = case.shape else {
            return Instance::default();
        };
        let bits = |i| harness::inputs::bits(case.seed, i) as u32;
        let input: Vec<u32> = (0..rows * cols).map(bits).collect();
        let sums = fold_columns(Op::Sum, &input, rows as usize, cols as usize);
        let sums = sums.iter().map(|sum| sum.expect::<u32>(Op::Sum, rows, 0.0));
        let named = [("rows", rows), ("cols", cols)];
        Instance {
            dimensions: Dimensions::from(named.map(|(name, size)| (name.to_owned(), size))),
            outputs: vec![Output::of("out", sums)],
            inputs: vec![Array::of("in", &input)],
        }
    }

    fn explain(&self, instance: &Instance, seen: &Seen<'_>) -> Option<Finding> {
        let input = numbers(Dtype::U32, &instance.inputs[0].bytes);
        let side = |name: &str| instance.dimensions[name] as usize;
        let (rows, cols) = (side("rows"), side("cols"));
        let at = |row: usize, col: usize| input[row * cols + col];
        let wrapped = |sum: f64| f64::from(sum as u64 as u32);
        let of_rows = |col: usize, keep: &dyn Fn(usize) -> bool| {
            let kept = (0..rows).filter(|&row| keep(row));
            wrapped(kept.map(|row| at(row, col)).sum())
        };
        type Keep<'k> = (Diagnosis, &'k str, &'k dyn Fn(usize) -> bool);
        let parts: [Keep<'_>; 6] = [
            (Diagnosis::LostElement, "the last row is left out", &|row| {
                row + 1 < rows
            }),
            (
                Diagnosis::LostElement,
                "the first row is left out",
                &|row| row > 0,
            ),
            (
                Diagnosis::PartOnly,
                "only the first warp's rows, every 8th, are in the sums",
                &|row| row % 8 == 0,
            ),
            (
                Diagnosis::PartOnly,
                "only the first 8 rows are in the sums",
                &|row| row < 8,
            ),
            (
                Diagnosis::PartOnly,
                "only the first 32 rows are in the sums",
                &|row| row < 32,
            ),
            (
                Diagnosis::PartOnly,
                "every 8th row, of the last warp, is not in the sums",
                &|row| row % 8 != 7,
            ),
        ];
        let fits = |(_, _, keep): &Keep<'_>| seen.all_are(|col| Some(of_rows(col, keep)));
        if let Some((diagnosis, because, _)) = parts.iter().find(|part| fits(part)) {
            return Finding::new(*diagnosis, *because);
        }
        let twice = |col: usize| {
            let all = of_rows(col, &|_| true);
            Some(wrapped(all + of_rows(col, &|row| row % 8 == 0)))
        };
        if seen.all_are(twice) {
            let because = "the first warp's rows, every 8th, are in the sums twice";
            return Finding::new(Diagnosis::DoubledElement, because);
        }
        let of_a_row = |row: usize| {
            let inside = row < rows;
            inside.then(|| wrapped((0..cols).map(|col| at(row, col)).sum()))
        };
        if seen.all_are(of_a_row) {
            return Finding::new(Diagnosis::Transposed, "these are the sums of the rows");
        }
        let zeroth = |col: usize| Some(of_rows(col % 32, &|_| true));
        let because = "every 32 sums are those of the first 32 columns";
        seen.all_are(zeroth)
            .then(|| Finding::new(Diagnosis::BlockOffset, because))?
    }
}
