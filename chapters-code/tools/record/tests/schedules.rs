//! Every kernel of the book gives the right result, with nothing for the checks to find, whatever the
//! order in which warps and blocks take turns.

use std::ops::RangeInclusive;

use chapter_5_segmented_scan::{Conversion, Matrix, SegmentParameters};
use harness::{Case, Dtype, Kind, Op, Shape};
use report::testing::{self, check, under_schedules};

/// Vectors of these sizes, and a matrix; of segments, all that is done with them.
pub fn cases(chapter: &str, sizes: &[u64]) -> Vec<Case> {
    let vector = |n| Case::vector(n, Dtype::F32, Op::Sum);
    let matrix = Case { shape: Shape::Matrix { rows: 70, cols: 33 }, ..vector(0) };
    let cases: Vec<Case> = sizes.iter().map(|n| vector(*n)).chain([matrix]).collect();
    let with = |&parameters: &SegmentParameters| {
        let parameters = parameters.into();
        cases.iter().map(move |case| Case { parameters, ..*case })
    };
    match chapter {
        "chapter_5_segmented_scan" => of_segments().iter().flat_map(with).collect(),
        _ => cases,
    }
}

fn of_segments() -> [SegmentParameters; 5] {
    let none = SegmentParameters::default();
    let [flags, offsets] =
        Conversion::ALL.map(|to| SegmentParameters { convert: Some(to), ..none });
    let product = SegmentParameters::product(Matrix::PowerLaw);
    let scan = SegmentParameters { kind: Some(Kind::Inclusive), ..none };
    [none, scan, flags, offsets, product]
}

fn check_every_rung(seeds: RangeInclusive<i64>) {
    for chapter in record::chapters() {
        under_schedules(seeds.clone(), || {
            // Less than a warp, and a few blocks and a bit.
            let cases = cases(chapter.name(), &[7, 5000]);
            check(&testing::run(&*chapter, &cases, &testing::is_right));
        });
    }
}

#[test]
fn every_rung_under_many_schedules() {
    check_every_rung(0..=0);
}

#[test]
#[ignore = "exhaustive: `cargo test -- --ignored exhaustive`"]
fn exhaustive_every_rung_under_many_schedules() {
    check_every_rung(1..=9);
}
