//! One device for all tests of a file: its reports are those of the whole process, so only one test
//! at a time may use it.

#![allow(dead_code)] // each test file uses its part

use std::sync::{LazyLock, Mutex, MutexGuard};

use chapter_2_histogram::chapter::Histogram;
use harness::{
    Case, Chapter, DeviceChoice, Dtype, Input, Op, Parameters, Row, Shape,
    progress::Progress,
    runner::{Runner, Step},
};

/// Warp instructions of a launch, at most: half a minute's worth, so that a kernel that never ends
/// fails its test.
pub const INSTRUCTIONS: i64 = 1 << 31;

/// The chapter, which counts keys that have no bin.
pub const CHAPTER: Histogram = Histogram::COUNTING;

/// The simulator, for whoever holds it.
pub fn simulator() -> MutexGuard<'static, Runner> {
    static RUNNER: LazyLock<Mutex<Runner>> = LazyLock::new(|| {
        let runner = Runner::open(DeviceChoice::Sim, 20, None).expect("the simulator opens");
        let simulator = runner.device.simulator().expect("it is one");
        assert!(simulator.set(c"instruction_limit", INSTRUCTIONS));
        Mutex::new(runner)
    });
    RUNNER
        .lock()
        .unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// `n` uniform keys of 32 bits in 256 bins.
pub fn u32s(n: u64) -> Case {
    Case {
        shape: Shape::Vector { n },
        dtype: Dtype::U32,
        op: Op::Sum,
        input: Input::Uniform,
        seed: 1,
        parameters: with_bins(256),
    }
}

/// So many bins.
pub fn with_bins(count: u32) -> Parameters {
    Parameters {
        bins: Some(count),
        ..Parameters::default()
    }
}

/// Runs every rung that is meant to be right on every case that it has room for.
pub fn run_all(cases: &[Case]) -> Vec<Row> {
    run(cases, &|rung, _| !rung.is_broken())
}

/// Runs the rungs that `wanted` picks on every case that they are for.
pub fn run(cases: &[Case], wanted: &dyn Fn(&harness::RungInfo, &Case) -> bool) -> Vec<Row> {
    let mut steps = Vec::new();
    for case in cases {
        for rung in CHAPTER.rungs() {
            let case = CHAPTER.case_for(rung.name, case);
            if wanted(&rung, &case) && CHAPTER.refusal(rung.name, &case).is_none() {
                steps.push(Step { rung, case });
            }
        }
    }
    let mut rows = Vec::new();
    let mut done = |row| {
        rows.push(row);
        Ok(())
    };
    let progress = Progress::new(steps.len());
    simulator()
        .run(&CHAPTER, &steps, &progress, &mut done)
        .expect("the steps run");
    rows
}

/// Fails with every row that is not as it should be.
#[track_caller]
pub fn check(rows: &[Row]) {
    assert!(!rows.is_empty(), "nothing was run");
    let wrong: Vec<String> = rows
        .iter()
        .filter(|row| !row.is_as_declared())
        .map(|row| {
            let (kernel, shape, dtype, input) = (row.kernel, row.shape(), row.dtype, row.input);
            let what = row.failures.join("; ");
            format!("{kernel} {shape} {dtype}{} {input}: {what}", row.parameters)
        })
        .collect();
    assert!(
        wrong.is_empty(),
        "{} of {} rows:\n{}",
        wrong.len(),
        rows.len(),
        wrong.join("\n")
    );
}
