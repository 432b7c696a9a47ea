//! What the chapters' tests have in common: rungs run on the simulator, and judged.

mod process;
mod program;
mod recorded;
mod timed;

use std::{
    cell::Cell,
    collections::HashMap,
    sync::{LazyLock, Mutex, MutexGuard, PoisonError},
};

pub use self::{
    process::in_own_process,
    program::{Program, check_example, check_refusal, stdout},
    recorded::check_recorded,
    timed::check_timed,
};
use harness::{
    Case, Device, DeviceChoice, Input, Outcome, Rung,
    simulator::{Counters, LaunchReport},
    verify::{Checker, Verdict},
};

use crate::{
    Chapter, Row,
    progress::Progress,
    row::Caught,
    runner::{Runner, Step},
};

/// Warp instructions of a launch, at most: half a minute's worth, so that a kernel that never ends
/// fails its test.
pub const INSTRUCTIONS: i64 = 1 << 31;

thread_local! {
    /// The seed of the schedule under which this thread's launches run; 0 is in order.
    static SEED: Cell<i64> = const { Cell::new(0) };
}

/// The simulator, with the schedule of the calling thread. Its reports and its schedule are those of
/// the whole process, so only one test at a time may use it.
///
/// # Panics
/// Where it does not open.
pub fn simulator() -> MutexGuard<'static, Runner> {
    static RUNNER: LazyLock<Mutex<Runner>> = LazyLock::new(|| {
        let runner = Runner::open(DeviceChoice::Sim, 20, &[]).expect("the simulator opens");
        let simulator = runner.device.simulator().expect("it is one");
        assert!(simulator.set(c"instruction_limit", INSTRUCTIONS));
        assert!(simulator.set(c"quiet", 1), "rows hold the faults");
        Mutex::new(runner)
    });
    let runner = RUNNER.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let simulator = runner.device.simulator().expect("it is one");
    assert!(simulator.set(c"seed", SEED.get()));
    runner
}

/// Sizes that have tripped kernels: around a warp, a block of 256 and one of 1,024, and three blocks of
/// 512 and a bit.
pub const SIZES: [u64; 12] = [0, 1, 31, 32, 33, 255, 256, 257, 1023, 1024, 1025, 1543];

/// A case with each of the inputs that trip kernels: all equal, cancelling each other, all negative.
pub fn awkward_inputs(case: Case) -> [Case; 3] {
    let inputs = [Input::Constant, Input::Cancelling, Input::Negative];
    inputs.map(|input| Case { input, ..case })
}

/// Picks the rungs that are meant to be right.
pub fn is_right(rung: &Rung, _: &Case) -> bool {
    !rung.is_broken()
}

/// Picks those that are meant to be wrong, but for those that would never end: after such a one the
/// driver takes no more work from the process.
pub fn is_broken(rung: &Rung, _: &Case) -> bool {
    rung.is_broken() && !rung.is_endless
}

/// The rungs that `wanted` picks on every case that they are for.
pub fn steps(
    chapter: &dyn Chapter,
    cases: &[Case],
    wanted: &dyn Fn(&Rung, &Case) -> bool,
) -> Vec<Step> {
    let mut steps = Vec::new();
    for &case in cases {
        for rung in chapter.rungs() {
            let own = chapter.case_for(&rung, &case);
            if wanted(&rung, &case) && rung.refusal(&own).is_none() {
                steps.push(Step { rung, case: own });
            }
        }
    }
    steps
}

/// Runs the rungs that `wanted` picks on every case that they are for.
///
/// # Panics
/// Where a step cannot be run.
pub fn run(
    chapter: &dyn Chapter,
    cases: &[Case],
    wanted: &dyn Fn(&Rung, &Case) -> bool,
) -> Vec<Row> {
    run_steps(&mut simulator(), chapter, &steps(chapter, cases, wanted))
}

/// Runs steps in order.
///
/// # Panics
/// Where one cannot be run.
pub fn run_steps(runner: &mut Runner, chapter: &dyn Chapter, steps: &[Step]) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut done = |row| {
        rows.push(row);
        Ok(())
    };
    runner
        .run_steps(chapter, steps, &Progress::new(steps.len()), &mut done)
        .expect("the steps run");
    rows
}

/// Runs something once for each schedule, in which blocks and warps take turns as its seed says.
///
/// # Panics
/// Where there is no simulator.
pub fn under_schedules<R>(
    seeds: impl IntoIterator<Item = i64>,
    mut run: impl FnMut() -> R,
) -> Vec<R> {
    let of_seed = |seed| {
        let _seeded = Seeded::new(seed);
        run()
    };
    seeds.into_iter().map(of_seed).collect()
}

/// A schedule, as long as it lives.
struct Seeded(i64);

impl Seeded {
    fn new(seed: i64) -> Self {
        SEED.set(seed);
        Self(seed)
    }
}

impl Drop for Seeded {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("under the schedule of seed {}", self.0);
        }
        SEED.set(0);
    }
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
            format!("{} on {}: {what}", row.kernel, row.title)
        })
        .collect();
    assert!(wrong.is_empty(), "{} of {} rows:\n{}", wrong.len(), rows.len(), wrong.join("\n"));
}

/// Fails unless these are the broken rungs' rows, in order, each caught by the checker that is named.
///
/// # Panics
/// Where that does not hold.
#[track_caller]
pub fn check_caught(rows: &[Row], expected: &[(&str, Checker)]) {
    let names: Vec<_> = rows.iter().map(|row| row.kernel).collect();
    let declared: Vec<_> = expected.iter().map(|(kernel, _)| *kernel).collect();
    assert_eq!(names, declared);
    for (row, (kernel, checker)) in rows.iter().zip(expected) {
        match &row.caught {
            Some(Caught::By(by)) => assert!(by.contains(checker), "{kernel}: {by:?}"),
            other => panic!("{kernel}: {other:?}"),
        }
    }
}

/// The row of a rung.
///
/// # Panics
/// Where it was not run.
#[track_caller]
pub fn row<'r>(rows: &'r [Row], kernel: &str) -> &'r Row {
    let row = rows.iter().find(|row| row.kernel == kernel);
    row.expect("it was run")
}

/// The verdict of one launch of a rung on a case, whether the rung is meant to be right there or not.
///
/// # Panics
/// Where the rung cannot be set up or launched.
pub fn judged(chapter: &dyn Chapter, rung: &str, case: &Case) -> Verdict {
    let runner = simulator();
    run_once(&runner.device, chapter, rung, case).verdict
}

/// The verdict of one launch of a rung on a device that seems to have few multiprocessors: a grid that fills
/// the device then walks over many tiles.
///
/// # Panics
/// Where the rung cannot be set up or launched.
pub fn judged_on_few(
    multiprocessors: u32,
    chapter: &dyn Chapter,
    rung: &str,
    case: &Case,
) -> Verdict {
    let runner = simulator();
    let mut device = runner.device.clone();
    device.properties.multiprocessors = multiprocessors;
    run_once(&device, chapter, rung, case).verdict
}

fn run_once(device: &Device, chapter: &dyn Chapter, rung: &str, case: &Case) -> Outcome {
    let mut problem = chapter.problem(device, case).expect("a problem");
    problem.run_rung(rung, None, &[]).expect("the rung is launched")
}

/// What is counted while a rung runs on a case, all its launches together.
///
/// # Panics
/// Where it is wrong, or does not run on the case.
pub fn counted(chapter: &dyn Chapter, rung: &str, case: &Case) -> Counters {
    /// Chapter and rung, case, and seed of the schedule.
    type Run = (String, Case, i64);
    /// Tests ask for one counter after another of the same run.
    static KNOWN: LazyLock<Mutex<HashMap<Run, Counters>>> = LazyLock::new(Mutex::default);
    let known = || KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let key = (format!("{} {rung}", chapter.name()), *case, SEED.get());
    if let Some(&counters) = known().get(&key) {
        return counters;
    }
    let rows = run(chapter, &[*case], &|other, _| other.name == rung);
    check(&rows);
    let counters = rows[0].counters.expect("counters are on");
    known().insert(key, counters);
    counters
}

/// The launches of a rung on a case, one by one.
///
/// # Panics
/// Where they do not run.
pub fn launches(chapter: &dyn Chapter, rung: &str, case: &Case) -> Vec<LaunchReport> {
    let runner = simulator();
    let report = run_once(&runner.device, chapter, rung, case).report;
    report.launches.into()
}
