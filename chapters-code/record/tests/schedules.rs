//! Every kernel of the book gives the right result, with nothing for the checks to find, whatever the
//! order in which warps and blocks take turns.

use harness::{
    Case, Chapter, DeviceChoice, Dtype, Input, Op, Row, Shape,
    progress::Progress,
    runner::{Runner, Step},
};

const SEEDS: std::ops::RangeInclusive<i64> = 0..=9;

/// A few blocks and a bit, and less than a warp.
fn cases() -> Vec<Case> {
    let vectors = [7, 5000].map(|n| Shape::Vector { n });
    let matrix = Shape::Matrix { rows: 70, cols: 33 };
    let shapes = vectors.into_iter().chain([matrix]);
    let case = |shape| Case {
        shape,
        dtype: Dtype::F32,
        op: Op::Sum,
        input: Input::Uniform,
        seed: 1,
        parameters: Default::default(),
    };
    shapes.map(case).collect()
}

/// The rungs of a chapter that are meant to be right, on every case that they are for. Those of a
/// case follow one another, and share its input.
fn steps(chapter: &dyn Chapter) -> Vec<Step> {
    let mut steps = Vec::new();
    for case in cases() {
        for rung in chapter.rungs() {
            let case = chapter.case_for(rung.name, &case);
            if !rung.is_broken() && chapter.refusal(rung.name, &case).is_none() {
                steps.push(Step { rung, case });
            }
        }
    }
    steps
}

#[test]
fn every_rung_under_many_schedules() {
    let mut runner = Runner::open(DeviceChoice::Sim, 20, None).expect("the simulator opens");
    let mut wrong = Vec::new();
    for chapter in record::chapters() {
        let steps = steps(&*chapter);
        assert!(!steps.is_empty(), "{} has no rungs", chapter.name());
        for seed in SEEDS {
            let simulator = runner.device.simulator().expect("it is the simulator");
            assert!(simulator.set(c"seed", seed));
            let mut done = |row: Row| {
                if !row.is_as_declared() || !row.races.is_empty() {
                    let what = row.failures.join("; ");
                    wrong.push(format!(
                        "{} {} seed {seed}: {what}",
                        row.kernel,
                        row.shape()
                    ));
                }
                Ok(())
            };
            let progress = Progress::new(steps.len());
            runner
                .run(&*chapter, &steps, &progress, &mut done)
                .expect("the steps run");
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
