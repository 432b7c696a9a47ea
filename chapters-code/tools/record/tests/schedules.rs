//! Every kernel of the book gives the right result, with nothing for the checks to find, whatever the
//! order in which warps and blocks take turns.

use std::ops::RangeInclusive;

use harness::Shape;
use report::{AnyCase, AnyChapter};
use testing::{check, under_schedules};

/// What a chapter has of vectors of these sizes, and of a matrix.
pub fn cases(chapter: &dyn AnyChapter, sizes: &[u64]) -> Vec<AnyCase> {
    let vectors = sizes.iter().map(|&n| Shape::Vector { n });
    let shapes = vectors.chain([Shape::Matrix { rows: 70, cols: 33 }]);
    shapes.flat_map(|shape| chapter.sample_cases(shape)).collect()
}

fn check_every_rung(seeds: RangeInclusive<u64>) {
    for &chapter in chapters::ALL {
        under_schedules(seeds.clone(), || {
            // Less than a warp, and a few blocks and a bit.
            let cases = cases(chapter, &[7, 5000]);
            check(&testing::run(chapter, &cases, &testing::is_right));
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
