//! Every rung at 1,000 elements on the timed path, the broken ones too.

use crate::common::{case, conversion, product, scan};
use chapter_5_segmented_scan::{Conversion, Matrix, Segments, chapter::Segmented};
use harness::{Dtype, Op};
use report::AnyChapter;

#[test]
fn rows_are_timed_and_still_verified() {
    let cases = [
        scan(1000, Segments::Of(64)),
        case(1000, Dtype::F32, Op::Sum, None, Segments::Of(20)),
        product(1000, Matrix::Banded),
        conversion(1000, Conversion::ToFlags, Segments::Of(64)),
        conversion(1000, Conversion::ToOffsets, Segments::Of(64)),
    ];
    let timed = |case| {
        let steps = testing::steps(&Segmented::DEFAULT, &[case], &|_, _| true);
        testing::check_timed(&Segmented::DEFAULT, &steps).len()
    };
    let rows: usize = cases.map(timed).into_iter().sum();
    assert_eq!(rows, Segmented::DEFAULT.rungs().len());
}
