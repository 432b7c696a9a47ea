//! Every rung, on every shape that has tripped a transpose, for every size of element, with the race check
//! on.

use crate::common::{SIZES, matrices, matrix, run_all};
use chapter_6_transpose::{Case, chapter::Transpose, rungs};
use harness::Dtype;
use testing::{check, under_several_schedules};

/// A single element, row and column; a tile and a row or column more or less; edges on both sides, or on
/// one; far more rows than columns, and the other way round; nothing at all.
const SHAPES: [(u64, u64); 20] = [
    (0, 0),
    (0, 7),
    (7, 0),
    (1, 1),
    (1, 300),
    (300, 1),
    (1, 33),
    (31, 32),
    (32, 32),
    (33, 31),
    (64, 64),
    (63, 65),
    (65, 128),
    (128, 64),
    (129, 127),
    (100, 260),
    (260, 100),
    (257, 256),
    (2, 1500),
    (1500, 3),
];

#[test]
fn every_size_of_element() {
    let of_shape = |(rows, cols)| SIZES.map(|dtype| matrix(rows, cols, dtype));
    let cases: Vec<Case> = SHAPES.into_iter().flat_map(of_shape).collect();
    let rows = run_all(&cases);
    let squares = cases.iter().filter(|case| case.shape.sides().is_some_and(|(a, b)| a == b));
    // One rung works in place, so it does not run on rectangles.
    assert_eq!(rows.len(), (rungs::<f32>().len() - 1) * cases.len() + squares.count());
    check(&rows);
}

#[test]
fn types_of_the_same_size_share_a_kernel() {
    let cases = Dtype::ALL.map(|dtype| matrix(70, 40, dtype));
    check(&run_all(&cases));
}

/// Rows with gaps behind them, which are neither read nor written: aligned, and not.
#[test]
fn batches_and_leading_dimensions() {
    for dtype in SIZES {
        let cases = [
            matrices(1, 80, matrix(48, 64, dtype)),
            matrices(3, 64, matrix(64, 64, dtype)),
            matrices(3, 71, matrix(50, 70, dtype)),
            matrices(2, 97, matrix(96, 96, dtype)),
            matrices(5, 9, matrix(1, 1, dtype)),
            matrices(4, 40, matrix(33, 1, dtype)),
        ];
        check(&run_all(&cases));
    }
}

/// More matrices than a grid has blocks in y.
#[test]
#[ignore = "exhaustive: `cargo test -- --ignored exhaustive`"]
fn exhaustive_more_matrices_than_a_launch_takes() {
    let case = matrices(65_536 + 3, 3, matrix(2, 3, Dtype::U16));
    let wanted = ["by_rows", "vectorized"];
    let rows = testing::run(&Transpose, &[case], &|rung, _| wanted.contains(&rung.name));
    assert_eq!(rows.len(), wanted.len());
    check(&rows);
}

/// Rows that begin at every place in a sector, on either side, and with gaps behind them.
#[test]
fn rows_that_begin_anywhere() {
    for dtype in SIZES {
        let cases: Vec<Case> = (0..8)
            .flat_map(|k| {
                let ragged = matrix(200 + k, 140 - k, dtype);
                [ragged, matrices(2, 141 + k, ragged)]
            })
            .collect();
        let rows = testing::run(&Transpose, &cases, &|rung, _| rung.name == "sectors");
        assert_eq!(rows.len(), cases.len());
        check(&rows);
    }
}

/// 2^20 elements.
#[test]
#[ignore = "exhaustive: `cargo test -- --ignored exhaustive`"]
fn exhaustive_a_thousand_by_a_thousand() {
    check(&run_all(&[matrix(1024, 1024, Dtype::F32), matrix(1023, 1025, Dtype::F32)]));
}

#[test]
fn several_seeds() {
    let cases = [2, 3, 4].map(|seed| Case { seed, ..matrix(130, 130, Dtype::U16) });
    check(&run_all(&cases));
}

under_several_schedules!({
    check(&run_all(&[matrix(200, 137, Dtype::F32), matrix(161, 161, Dtype::U8)]));
});
