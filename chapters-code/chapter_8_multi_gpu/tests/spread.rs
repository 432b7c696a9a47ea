//! The tasks on an array that is spread over the devices: every rung, on all numbers of devices and on sizes that have
//! tripped kernels, with the race check on.

use crate::common::{doing, run_all};
use chapter_8_multi_gpu::{
    Case, DeviceParameters, Rung, Task,
    chapter::MultiGpu,
    compactions, histograms,
    problem::{SpreadCompact, SpreadScan, SpreadSum},
    scans, sums,
};
use harness::{Device, DeviceChoice, Dtype, Error, Input, Ladder, Launch, Measured, rung::Prepare};
use report::{AnyCase, AnyChapter, AnyRung, Row};
use testing::{awkward_inputs, check, under_schedules};

const TASKS: [Task; 4] = [Task::Reduce, Task::Histogram, Task::Scan, Task::Compact];

/// Empty parts, parts of one element, and sizes around a pack, a tile and a part.
#[test]
fn awkward_sizes() {
    let mut sizes = testing::SIZES.to_vec();
    sizes.extend([2, 3, 4, 5, 7, 8, 9, 8191, 8192, 8193, 3 * 8192, 3 * 8192 + 1, 3 * 16384 + 5]);
    for n in sizes {
        check(&run_all(&TASKS.map(|task| doing(task, 3, n))));
    }
}

#[test]
fn two_to_eight_devices() {
    let cases = |devices| TASKS.map(|task| doing(task, devices, 40_003));
    let cases: Vec<Case> = (2..=8).flat_map(cases).collect();
    let rows = run_all(&cases);
    let rungs =
        sums::<f32>().len() + histograms().len() + scans::<f32>().len() + compactions().len();
    assert_eq!(rows.len(), 7 * rungs);
    check(&rows);
}

/// With several tiles per device, and devices that have none.
#[test]
fn several_tiles() {
    for (devices, n) in [(4, 300_001), (8, 5)] {
        check(&run_all(&TASKS.map(|task| doing(task, devices, n))));
    }
}

#[test]
fn integers_are_exact() {
    for n in [0, 1, 1025, 70_001] {
        let cases =
            [Task::Reduce, Task::Scan].map(|task| Case { dtype: Dtype::I64, ..doing(task, 4, n) });
        check(&run_all(&cases));
    }
}

/// All selected, none selected, and all on the last devices: then every selected element changes devices.
#[test]
fn awkward_elements() {
    for task in TASKS {
        let inputs =
            [Input::Sorted, Input::Digits].map(|input| Case { input, ..doing(task, 4, 30_001) });
        check(&run_all(&awkward_inputs(doing(task, 4, 30_001))));
        check(&run_all(&inputs));
    }
}

/// More counters than a block has threads, and fewer than there are devices.
#[test]
fn many_bins_and_few() {
    for bins in [2, 3000] {
        let parameters =
            DeviceParameters { bins: Some(bins), ..DeviceParameters::new(Task::Histogram, 8) };
        check(&run_all(&[doing(Task::Histogram, 8, 5003).with(parameters)]));
    }
}

/// The threads of all devices take turns as the seed says.
#[test]
fn under_several_schedules() {
    under_schedules(1..=3, || check(&run_all(&TASKS.map(|task| doing(task, 4, 70_003)))));
}

/// Launches follow each other, first without a host that waits, and then on other elements: words of one launch are not
/// taken for those of another. With one multiprocessor a block has several tiles.
#[test]
fn launches_in_a_row() {
    let device = Device::open(DeviceChoice::Sim).expect("the simulator");
    under_schedules(0..=3, || {
        for (multiprocessors, n) in [(132, 5), (132, 20_003), (1, 300_001)] {
            let (device, of) =
                (device.with_multiprocessors(multiprocessors), |task| doing(task, 3, n));
            in_a_row(sums(), || SpreadSum::<f32>::new(&device, &of(Task::Reduce)));
            in_a_row(scans(), || SpreadScan::<f32>::new(&device, &of(Task::Scan)));
            in_a_row(compactions(), || SpreadCompact::new(&device, &of(Task::Compact)));
        }
    });
}

fn in_a_row<P: Measured<Task = DeviceParameters>>(
    ladder: Ladder<P>,
    problem: impl Fn() -> Result<P, Error>,
) {
    let _alone = testing::simulator();
    for (rung, prepare) in ladder {
        let mut p = problem().expect("a problem");
        let launched = several_times(&mut p, &rung, prepare);
        let report = p.device().take_report().expect("a report");
        assert!(launched.is_ok(), "{}: {launched:?}", rung.name);
        assert_eq!(report.races().count(), 0, "{}", rung.name);
    }
}

fn several_times<P: Measured<Task = DeviceParameters>>(
    p: &mut P,
    rung: &Rung,
    prepare: Prepare<P>,
) -> Result<(), Error> {
    let Launch { mut enqueue, promise, .. } = prepare(p, rung)?;
    p.device().take_report()?;
    for seed in 1..=2 {
        p.refill(&Case { seed, ..*p.case() })?;
        p.reset()?;
        for _ in 0..3 {
            enqueue(p)?;
        }
        p.device().finish("three launches")?;
        let verdict = harness::rung::judge(p, &promise, 3)?;
        assert!(verdict.is_correct(), "{}: {verdict:?}", rung.name);
    }
    Ok(())
}

/// Under every schedule the same bits, unless the rung says that its sums vary.
#[test]
fn sums_have_a_fixed_order() {
    let cases = [Task::Reduce, Task::Scan].map(|task| doing(task, 4, 300_001));
    let fixed =
        |rung: &AnyRung, case: &AnyCase| !rung.is_broken() && !MultiGpu.varies(rung.name, case);
    let runs = under_schedules(0..=3, || testing::run(&MultiGpu, &cases, &fixed));
    let checksums = |rows: &[Row]| rows.iter().map(|row| row.checksum.clone()).collect::<Vec<_>>();
    assert_eq!(runs[0].len(), 3);
    assert!(runs.iter().all(|rows| checksums(rows) == checksums(&runs[0])));
}

/// What limits a rung is the memory of one device: the bytes that are counted are those of its part.
#[test]
fn bytes_are_those_of_one_device() {
    let bytes = |task| {
        let rows = run_all(&[doing(task, 4, 1 << 16)]);
        rows.iter().map(|row| row.bytes).collect::<Vec<u64>>()
    };
    let part = 4 * (1 << 16) / 4;
    assert_eq!(bytes(Task::Reduce), [part + 4; 2]);
    assert_eq!(bytes(Task::Histogram), [part + 4 * 259; 2]);
    assert_eq!(bytes(Task::Scan), [2 * part; 3]);
}

/// The bytes of elements that a rung moves from device to device; a word or two of counts is not listed.
fn travels(rung: &str, case: &Case) -> Vec<(u32, u32, u64)> {
    let runner = testing::simulator();
    let mut problem = MultiGpu.problem(&runner.device, &case.erased()).expect("a problem");
    let report = problem.run_rung(rung, None, &[]).expect("an outcome").report;
    let bytes = report.links.iter().map(|link| {
        (
            link.from,
            link.to,
            (link.read_bytes + link.written_bytes + link.copied_bytes) / 1024 * 1024,
        )
    });
    bytes.filter(|&(.., bytes)| bytes > 0).collect()
}

/// The upper half of ascending elements is selected, and lies on devices 2 and 3.
#[test]
fn what_travels() {
    let n = 1 << 16;
    let case = Case { input: Input::Sorted, ..doing(Task::Compact, 4, n) };
    let part = 4 * n / 2 / 4; // of the result
    for rung in ["compact_copies", "compact_direct"] {
        assert_eq!(travels(rung, &case), [(2, 0, part), (2, 1, part), (3, 2, part)], "{rung}");
    }
    assert_eq!(travels("compact_parts", &case), []);
    for rung in ["scan_then_carry", "sums_first", "lookback_devices"] {
        assert_eq!(travels(rung, &doing(Task::Scan, 4, n)), [], "{rung}");
    }
}

/// Many launches in a row, between which no host waits.
#[test]
fn rows_are_timed_and_still_verified() {
    let cases = TASKS.map(|task| doing(task, 3, 20_003));
    let steps = testing::steps(&MultiGpu, &cases, &testing::is_right);
    assert_eq!(testing::check_timed(&MultiGpu, &steps).len(), steps.len());
}
