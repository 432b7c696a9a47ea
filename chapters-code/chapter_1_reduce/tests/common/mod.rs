//! One device for all tests of a file: its reports are those of the whole process, so only one test
//! at a time may use it.

#![allow(dead_code)] // each test file uses its part

use std::sync::{LazyLock, Mutex, MutexGuard};

use chapter_1_reduce::chapter::Reduce;
use harness::{
    Case, Chapter, DeviceChoice, Dtype, Input, Op, Row, Shape,
    progress::Progress,
    runner::{Runner, Step},
};

/// Warp instructions of a launch, at most: half a minute's worth, so that a kernel that never ends
/// fails its test.
pub const INSTRUCTIONS: i64 = 1 << 31;

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

/// A sum of `n` f32.
pub fn sum_f32(n: u64) -> Case {
    vector(n, Dtype::F32, Op::Sum)
}

/// A vector's case.
pub fn vector(n: u64, dtype: Dtype, op: Op) -> Case {
    Case {
        shape: Shape::Vector { n },
        dtype,
        op,
        input: Input::Uniform,
        seed: 1,
        parameters: Default::default(),
    }
}

/// Runs every rung that is meant to be right on every case.
pub fn run_all(cases: &[Case]) -> Vec<Row> {
    run(cases, &|rung, _| !rung.is_broken())
}

/// Runs the rungs that `wanted` picks on every case that they are for.
pub fn run(cases: &[Case], wanted: &dyn Fn(&harness::RungInfo, &Case) -> bool) -> Vec<Row> {
    let mut steps = Vec::new();
    for &case in cases {
        for rung in Reduce.rungs() {
            let own = Reduce.case_for(rung.name, &case);
            if wanted(&rung, &case) && Reduce.refusal(rung.name, &own).is_none() {
                steps.push(Step { rung, case: own });
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
        .run(&Reduce, &steps, &progress, &mut done)
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
            let what = row.failures.join("; ");
            format!(
                "{} {} {} {}: {what}",
                row.kernel,
                row.shape(),
                row.op,
                row.dtype
            )
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
