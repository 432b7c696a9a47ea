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
    Case, Device, DeviceChoice, Input, Outcome,
    simulator::{Counters, LaunchReport},
    task::AsColumns,
    verify::{Checker, Verdict},
};
use recording::Caught;
use report::{
    AnyCase, AnyChapter, AnyRung, Row,
    progress::Progress,
    runner::{Runner, Step},
};

/// Warp instructions of a launch, at most: half a minute's worth, so that a kernel that never ends
/// fails its test.
pub const INSTRUCTIONS: u64 = 1 << 31;

thread_local! {
    /// The seed of the schedule under which this thread's launches run; 0 is in order.
    static SEED: Cell<u64> = const { Cell::new(0) };
}

/// The simulator, with the schedule of the calling thread. Its reports and its schedule are those of
/// the whole process, so only one test at a time may use it.
///
/// # Panics
/// If it does not open.
pub fn simulator() -> MutexGuard<'static, Runner> {
    static RUNNER: LazyLock<Mutex<Runner>> = LazyLock::new(|| {
        let runner = Runner::open(DeviceChoice::Sim, 20, &[]).expect("the simulator opens");
        let simulator = runner.device.simulator().expect("it is one");
        let limited = simulator.configure(|options| {
            options.instruction_limit = INSTRUCTIONS;
            options.quiet = true; // rows hold the faults
        });
        limited.expect("these are options");
        Mutex::new(runner)
    });
    let runner = RUNNER.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let simulator = runner.device.simulator().expect("it is one");
    let seeded = simulator.configure(|options| options.seed = SEED.get());
    seeded.expect("this is an option");
    runner
}

/// Sizes that have tripped kernels: around a warp, a block of 256 and one of 1,024, and three blocks of
/// 512 and a bit.
pub const SIZES: [u64; 12] = [0, 1, 31, 32, 33, 255, 256, 257, 1023, 1024, 1025, 1543];

/// A case with each of the inputs that trip kernels: all equal, cancelling each other, all negative.
pub fn awkward_inputs<T: Clone>(case: Case<T>) -> [Case<T>; 3] {
    let inputs = [Input::Constant, Input::Cancelling, Input::Negative];
    inputs.map(|input| Case { input, ..case.clone() })
}

/// Picks the rungs that are meant to be right.
pub fn is_right(rung: &AnyRung, _: &AnyCase) -> bool {
    !rung.is_broken()
}

/// Picks those that are meant to be wrong, but for those that stop the device.
pub fn is_broken(rung: &AnyRung, _: &AnyCase) -> bool {
    rung.is_broken() && !stops(rung)
}

/// Whether a rung never ends, or nothing but a fault or a guard zone shows what is wrong with it. After such a one the
/// driver takes no more work from the process.
pub fn stops(rung: &AnyRung) -> bool {
    let by = rung.caught_by;
    rung.is_endless || by.contains(&Checker::Fault) && !by.contains(&Checker::Races)
}

/// The rungs that `wanted` picks on every case that they are for.
pub fn steps(
    chapter: &dyn AnyChapter,
    cases: &[Case<impl AsColumns>],
    wanted: &dyn Fn(&AnyRung, &AnyCase) -> bool,
) -> Vec<Step> {
    let mut steps = Vec::new();
    for case in cases.iter().map(Case::erased) {
        for rung in chapter.rungs() {
            let own = chapter.case_for(rung.name, &case);
            if wanted(&rung, &case) && chapter.refusal(rung.name, &own).is_none() {
                steps.push(Step { rung, case: own });
            }
        }
    }
    steps
}

/// Runs the rungs that `wanted` picks on every case that they are for.
///
/// # Panics
/// If a step cannot be run.
pub fn run(
    chapter: &dyn AnyChapter,
    cases: &[Case<impl AsColumns>],
    wanted: &dyn Fn(&AnyRung, &AnyCase) -> bool,
) -> Vec<Row> {
    run_steps(&mut simulator(), chapter, &steps(chapter, cases, wanted))
}

/// Runs steps in order.
///
/// # Panics
/// If one cannot be run.
pub fn run_steps(runner: &mut Runner, chapter: &dyn AnyChapter, steps: &[Step]) -> Vec<Row> {
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
/// If there is no simulator.
pub fn under_schedules<R>(
    seeds: impl IntoIterator<Item = u64>,
    mut run: impl FnMut() -> R,
) -> Vec<R> {
    let of_seed = |seed| {
        let _seeded = Seeded::new(seed);
        run()
    };
    seeds.into_iter().map(of_seed).collect()
}

/// The tests `under_several_schedules`, under two of them, and `exhaustive_under_several_schedules`, under four more: what
/// is given must hold under each.
#[macro_export]
macro_rules! under_several_schedules {
    ($check:expr) => {
        #[test]
        fn under_several_schedules() {
            $crate::under_schedules(1..=2, || $check);
        }

        #[test]
        #[ignore = "exhaustive: `cargo test -- --ignored exhaustive`"]
        fn exhaustive_under_several_schedules() {
            $crate::under_schedules(3..=6, || $check);
        }
    };
}

/// A schedule, as long as it lives.
struct Seeded(u64);

impl Seeded {
    fn new(seed: u64) -> Self {
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

/// Whether a rung, which must be right, gives the same bits under six schedules.
///
/// # Panics
/// If it is wrong, or does not run on the case.
pub fn is_repeated(chapter: &dyn AnyChapter, rung: &str, case: &Case<impl AsColumns>) -> bool {
    let checksums = under_schedules(1..=6, || {
        let rows = run(chapter, &[case.erased()], &|other, _| other.name == rung);
        check(&rows);
        rows[0].checksum.clone()
    });
    checksums.iter().all(|checksum| *checksum == checksums[0])
}

/// Fails with every row that is not as it should be.
///
/// # Panics
/// If there is such a row, or no row at all.
#[track_caller]
pub fn check(rows: &[Row]) {
    assert!(!rows.is_empty(), "nothing was run");
    let wrong: Vec<String> = rows
        .iter()
        .filter(|row| !row.is_as_declared())
        .map(|row| {
            let what = row.failures.join("; ");
            format!("{} on {}: {what}", row.subject.kernel, row.title)
        })
        .collect();
    assert!(wrong.is_empty(), "{} of {} rows:\n{}", wrong.len(), rows.len(), wrong.join("\n"));
}

/// Fails unless rows are of all rungs that are named, and of no other, and each was caught by the checker beside its name.
///
/// # Panics
/// If that does not hold.
#[track_caller]
pub fn check_caught(rows: &[Row], expected: &[(&str, Checker)]) {
    for (kernel, checker) in expected {
        let caught = &row(rows, kernel).caught;
        let by = checker.name();
        let is_caught =
            matches!(caught, Some(Caught::By(names)) if names.iter().any(|name| name == by));
        assert!(is_caught, "{kernel}: {caught:?}, and not by {by}");
    }
    for row in rows {
        let name = &row.subject.kernel;
        assert!(expected.iter().any(|(kernel, _)| kernel == name), "{name}: nothing is expected");
    }
}

/// The row of a rung.
///
/// # Panics
/// If it was not run.
#[track_caller]
pub fn row<'r>(rows: &'r [Row], kernel: &str) -> &'r Row {
    let row = rows.iter().find(|row| row.subject.kernel == kernel);
    row.expect("it was run")
}

/// The verdict of one launch of a rung on a case, whether the rung is meant to be right there or not.
///
/// # Panics
/// If the rung cannot be set up or launched.
pub fn judged(chapter: &dyn AnyChapter, rung: &str, case: &Case<impl AsColumns>) -> Verdict {
    let runner = simulator();
    run_once(&runner.device, chapter, rung, case).verdict
}

/// The verdict of one launch of a rung on a device that seems to have few multiprocessors: a grid that fills
/// the device then walks over many tiles.
///
/// # Panics
/// If the rung cannot be set up or launched.
pub fn judged_on_few(
    multiprocessors: u32,
    chapter: &dyn AnyChapter,
    rung: &str,
    case: &Case<impl AsColumns>,
) -> Verdict {
    let runner = simulator();
    let mut device = runner.device.clone();
    device.properties.multiprocessors = multiprocessors;
    run_once(&device, chapter, rung, case).verdict
}

fn run_once(
    device: &Device,
    chapter: &dyn AnyChapter,
    rung: &str,
    case: &Case<impl AsColumns>,
) -> Outcome {
    let mut problem = chapter.problem(device, &case.erased()).expect("a problem");
    problem.run_rung(rung, None, &[]).expect("the rung is launched")
}

/// What is counted while a rung runs on a case, all its launches together.
///
/// # Panics
/// If it is wrong, or does not run on the case.
pub fn counted(chapter: &dyn AnyChapter, rung: &str, case: &Case<impl AsColumns>) -> Counters {
    /// Chapter and rung, case, and seed of the schedule.
    type Run = (String, AnyCase, u64);
    /// Tests ask for one counter after another of the same run.
    static KNOWN: LazyLock<Mutex<HashMap<Run, Counters>>> = LazyLock::new(Mutex::default);
    let known = || KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let key = (format!("{} {rung}", chapter.name()), case.erased(), SEED.get());
    if let Some(&counters) = known().get(&key) {
        return counters;
    }
    let rows = run(chapter, &[case.erased()], &|other, _| other.name == rung);
    check(&rows);
    let counters = rows[0].counters.expect("counters are on");
    known().insert(key, counters);
    counters
}

/// The launches of a rung on a case, one by one.
///
/// # Panics
/// If they do not run.
pub fn launches(
    chapter: &dyn AnyChapter,
    rung: &str,
    case: &Case<impl AsColumns>,
) -> Vec<LaunchReport> {
    let runner = simulator();
    let report = run_once(&runner.device, chapter, rung, case).report;
    report.launches.into()
}
