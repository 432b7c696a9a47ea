//! Launches of several devices run together again, with the same results, counters, bytes over links and races.

use std::collections::BTreeSet;

use chapter_8_multi_gpu::{DeviceParameters, all_reduces, chapter::MultiGpu};
use harness::simulator::Recording;
use harness::simulator::{LaunchReport, Missing};
use harness::verify::Checker;
use harness::{Case, Dtype, Input, Op};
use lab::replay::{Options, Outcome};
use report::AnyChapter;
use report::trace::Recorded;

use crate::replays::{data, lines_of, opened, recorded_of, run};

const BARRIER: &str = "chapters-code/chapter_8_multi_gpu/kernels/barrier.cuh";

fn recorded(kernel: &str, devices: usize, n: u64) -> Recorded {
    let task = DeviceParameters { devices: Some(devices), ..Default::default() };
    let case = Case { input: Input::Digits, task, ..Case::vector(n, Dtype::F32, Op::Sum) };
    recorded_of(&MultiGpu, kernel, &case.erased())
}

/// The two sides of each race. (Launches of a group end in another order than they begin.)
fn races(launches: &[LaunchReport]) -> BTreeSet<String> {
    let races = launches.iter().flat_map(|launch| &launch.races);
    races.map(|race| format!("{:?} {:?}", race.first, race.second)).collect()
}

#[test]
fn every_kernel_of_chapter_8_gives_what_the_driver_gave() {
    for rung in MultiGpu.rungs() {
        let name = rung.name;
        let recorded = recorded(name, 3, 3001);
        if recorded.report.launches.is_empty() {
            continue; // it only copies
        }
        let own = data(&recorded);
        assert!(own.runs[0].is_of_several_devices(), "{name}");
        let has_races = rung.caught_by.contains(&Checker::Races);
        let options = Options { races: has_races, ..Options::default() };
        let outcome = run(&mut opened(&recorded), options);
        assert_eq!(Some(outcome.counters), recorded.report.counters(), "{name}");
        assert_eq!(outcome.links, recorded.report.links, "{name}");
        let expected = races(recorded.report.launches.clone().make_contiguous());
        assert_eq!(races(&outcome.launches), expected, "{name}");
        assert_eq!(expected.is_empty(), !has_races, "{name}");
        if !rung.is_broken() {
            assert_eq!(outcome.is_right, Some(true), "{name}: {:?}", outcome.differences);
        }
    }
}

#[test]
fn a_struck_order_of_a_flag_is_a_race_of_two_devices() {
    let mut lab = opened(&recorded("push", 2, 2048));
    let with_races = Options { races: true, ..Options::default() };
    let removed = lines_of(BARRIER, "asm volatile(STORE_FLAG");
    assert!(lab.removable().iter().any(|one| removed.contains(&one.line)));
    let outcome = run(&mut lab, Options { removed, ..with_races.clone() });
    let race = outcome.launches.iter().flat_map(|launch| &launch.races).next();
    let race = race.expect("nothing orders the elements before the flag");
    assert_eq!(race.missing, Missing::ThreadfenceSystem);
    assert!(race.first.device.is_some() && race.first.device != race.second.device);
    let unchanged = run(&mut lab, with_races);
    assert_eq!((unchanged.is_right, races(&unchanged.launches).len()), (Some(true), 0));
}

/// Other digits can be drawn for arrays of their own, and not for the parts of one array.
#[test]
fn every_device_has_digits_of_its_own() {
    for (rung, _) in all_reduces() {
        assert!(data(&recorded(rung.name, 3, 3001)).runs[0].has_digits(), "{}", rung.name);
    }
    let mut lab = opened(&recorded("push", 4, 1000));
    let of = |input_seed| Options { input_seed, ..Options::default() };
    let [book, other]: [Outcome; 2] = [None, Some(7)].map(|seed| run(&mut lab, of(seed)));
    assert_ne!(book.hash, other.hash);
    assert_eq!((book.is_right, other.is_right), (Some(true), Some(true)));
}

#[test]
fn what_ran_alone_is_recorded_without_devices() {
    // The pools of the devices stay open to each other.
    recorded("flags", 2, 64);
    let recorded = recorded_of(
        &chapter_1_reduce::chapter::Reduce,
        "sequential",
        &Case { input: Input::Digits, ..Case::vector(100, Dtype::F32, Op::Sum) },
    );
    let Recording { allocations, operations, .. } = recorded.recording;
    assert!(allocations.iter().all(|allocation| allocation.device.is_none()));
    let json = serde_json::to_string(&operations).expect("JSON");
    assert!(!json.contains("\"device\"") && !json.contains("\"group\""));
}
