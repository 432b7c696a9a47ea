//! What holds for the rungs of every chapter.

use harness::Shape;
use recording::Caught;
use report::{AnyCase, AnyChapter, AnyRung};
use testing::is_broken;

/// The cases that broken rungs are recorded on, and those that samples are of, with about `n` elements.
fn cases(chapter: &dyn AnyChapter, n: u64) -> Vec<AnyCase> {
    let side = n.isqrt();
    let shapes = [Shape::Vector { n }, Shape::Matrix { rows: side, cols: side }];
    let samples = shapes.into_iter().flat_map(|shape| chapter.sample_cases(shape));
    let mut cases = chapter.broken_cases(n);
    for case in samples {
        if !cases.contains(&case) {
            cases.push(case);
        }
    }
    cases
}

/// Every kernel that is shown because it is wrong is caught at every size, by the check that is named first.
#[test]
fn broken_rungs_are_caught() {
    for chapter in chapters::ALL {
        for n in [1, 5000, 1 << 16] {
            let cases = cases(*chapter, n);
            let broken = |rung: &AnyRung| is_broken(rung, &cases[0]);
            // One element is of one device, and no order of devices can spoil it.
            let is_too_small = n == 1 && chapter.devices(&cases[0]) > 1;
            if is_too_small || !chapter.rungs().iter().any(broken) {
                continue;
            }
            let rows = testing::run(*chapter, &cases, &is_broken);
            testing::check(&rows);
            for row in &rows {
                let first = row.caught_by[0].name();
                let is_caught =
                    matches!(&row.caught, Some(Caught::By(by)) if by.iter().any(|by| by == first));
                assert!(is_caught, "{} {}: {:?}", row.subject.kernel, row.title, row.caught);
            }
            for rung in chapter.rungs().iter().filter(|rung| broken(rung)) {
                testing::row(&rows, rung.name);
            }
        }
    }
}
