//! Every kernel of the book gives the right result, with nothing for the checks to find, whatever the
//! order in which warps and blocks take turns.

use harness::{
    Case, Dtype, Op, Shape,
    testing::{self, check, under_schedules},
};

/// A few blocks and a bit, less than a warp, and a matrix.
fn cases() -> [Case; 3] {
    let vector = |n| Case::vector(n, Dtype::F32, Op::Sum);
    let matrix = Case {
        shape: Shape::Matrix { rows: 70, cols: 33 },
        ..vector(0)
    };
    [vector(7), vector(5000), matrix]
}

#[test]
fn every_rung_under_many_schedules() {
    for chapter in record::chapters() {
        under_schedules(0..=9, || {
            check(&testing::run(&*chapter, &cases(), &testing::is_right));
        });
    }
}
