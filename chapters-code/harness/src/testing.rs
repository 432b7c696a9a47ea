//! What the chapters' tests have in common: rungs run on the simulator, and judged.

use std::sync::{LazyLock, Mutex, MutexGuard};

use crate::{
    Case, Chapter, DeviceChoice, Row, RungInfo,
    progress::Progress,
    runner::{Runner, Step},
};

/// Warp instructions of a launch, at most: half a minute's worth, so that a kernel that never ends
/// fails its test.
pub const INSTRUCTIONS: i64 = 1 << 31;

/// The simulator, for whoever holds it: its reports are those of the whole process, so only one test
/// at a time may use it.
///
/// # Panics
/// Where it does not open.
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

/// Runs the rungs that `wanted` picks on every case that they are for.
///
/// # Panics
/// Where a step cannot be run.
pub fn run(
    chapter: &dyn Chapter,
    cases: &[Case],
    wanted: &dyn Fn(&RungInfo, &Case) -> bool,
) -> Vec<Row> {
    let mut steps = Vec::new();
    for &case in cases {
        for rung in chapter.rungs() {
            let own = chapter.case_for(rung.name, &case);
            if wanted(&rung, &case) && chapter.refusal(rung.name, &own).is_none() {
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
        .run(chapter, &steps, &progress, &mut done)
        .expect("the steps run");
    rows
}

/// Fails with every row that is not as it should be.
///
/// # Panics
/// Where there is such a row, or no row at all.
#[track_caller]
pub fn check(rows: &[Row]) {
    assert!(!rows.is_empty(), "nothing was run");
    let wrong: Vec<String> = rows
        .iter()
        .filter(|row| !row.is_as_declared())
        .map(|row| {
            let what = row.failures.join("; ");
            format!(
                "{} {} {} {}{}: {what}",
                row.kernel,
                row.shape(),
                row.op,
                row.dtype,
                row.parameters
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
