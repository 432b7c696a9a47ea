//! The JSON of a report, which recorded files and other programs read.

use serde::{Serialize, de::DeserializeOwned};
use serde_json::{from_str, to_string, to_value};

use crate::*;

/// Every variant is called in JSON as in sentences, and is read again.
#[test]
fn names_are_the_same_in_json() {
    fn check<T>(all: &[T])
    where
        T: Copy + PartialEq + std::fmt::Debug + std::fmt::Display + Serialize + DeserializeOwned,
    {
        for &one in all {
            let json = to_string(&one).expect("JSON");
            assert_eq!(json, format!("\"{one}\""));
            assert_eq!(from_str::<T>(&json).expect("it is one"), one);
        }
    }
    check(AccessKind::ALL);
    check(AccessSpace::ALL);
    check(Action::ALL);
    check(FaultKind::ALL);
    check(InstructionClass::ALL);
    check(Missing::ALL);
    check(RaceKind::ALL);
    check(Space::ALL);
}

#[test]
fn a_counter_is_found_by_its_name() {
    let counters = Counters { global_load_sectors: 3, barriers: 5, ..Counters::default() };
    let json = to_value(counters).expect("JSON");
    for (name, count) in json.as_object().expect("an object") {
        assert_eq!(counters.get(name), count.as_u64(), "{name}");
    }
    assert_eq!(counters.get("global"), None);
}

#[test]
fn a_report_is_written_and_read() {
    let side = |line: &str, lane, access| RaceAccess {
        line: line.into(),
        device: None,
        block: [1, 0, 0],
        warp: 2,
        lane,
        access,
    };
    let place = Place { block: 1, warp: 2, line: "k.cu:3".into() };
    let report = Report {
        launches: [LaunchReport {
            kernel: "k".into(),
            grid: [2, 1, 1],
            block: [96, 1, 1],
            races: vec![Race {
                kind: RaceKind::unordered(AccessKind::Store, AccessKind::Load),
                space: AccessSpace::Shared.into(),
                array: "tile".into(),
                offset: 4,
                address: 4,
                bytes: 4,
                first: side("k.cu:3", 0, AccessKind::Store.into()),
                second: side("k.cu:4", 1, AccessKind::Load.into()),
                missing: Missing::Syncwarp,
                is_update: false,
                message: "a race".into(),
            }],
            trace: Some(Trace {
                events: vec![Event::Access {
                    place,
                    access: TracedAccess {
                        access: AccessKind::Store,
                        space: AccessSpace::Shared,
                        bytes: 4,
                        array: "tile".into(),
                        base: 0,
                        allocation_bytes: 0,
                        lanes: 1,
                        addresses: vec![4],
                        values: vec![vec![7]],
                        cost: 1,
                    },
                }],
                dropped: 0,
                executed: Vec::new(),
            }),
            fault: Some(Fault {
                kind: FaultKind::Trap,
                space: None,
                detail: None,
                message: "a fault".into(),
            }),
            ..LaunchReport::default()
        }]
        .into(),
        ..Report::default()
    };
    let json = concat!(
        r#"{"version":1,"launches":[{"kernel":"k","grid":[2,1,1],"block":[96,1,1],"dynamic_shared":0,"#,
        r#""static_shared":0,"counters":null,"longest_warp":0,"races":[{"kind":"write_read","space":"shared","#,
        r#""array":"tile","offset":4,"address":4,"bytes":4,"first":{"line":"k.cu:3","block":[1,0,0],"#,
        r#""warp":2,"lane":0,"access":"write"},"second":{"line":"k.cu:4","block":[1,0,0],"warp":2,"lane":1,"#,
        r#""access":"read"},"missing":"__syncwarp","message":"a race"}],"trace":{"events":"#,
        r#"[{"event":"access","block":1,"warp":2,"line":"k.cu:3","access":"store","space":"shared","#,
        r#""bytes":4,"array":"tile","base":0,"allocation_bytes":0,"lanes":1,"addresses":[4],"#,
        r#""values":[[7]],"cost":1}],"dropped":0},"fault":{"kind":"trap","message":"a fault"}}],"#,
        r#""dropped":0}"#
    );
    assert_eq!(to_string(&report).expect("JSON"), json);
    assert_eq!(from_str::<Report>(json).expect("a report"), report);
}

#[test]
fn a_report_of_another_version_is_refused() {
    let error =
        from_str::<Report>(r#"{"version":2,"launches":[],"dropped":0}"#).expect_err("not read");
    assert!(error.to_string().contains("version 2, and this program reads version 1"), "{error}");
}

/// Of ten stale reads two matter, and only together.
#[test]
fn stale_reads_are_bisected() {
    let stale = crate::StaleReads { numbers: (1..=10).collect(), ..Default::default() };
    let fails = |with: &std::collections::BTreeSet<u64>| with.contains(&3) && with.contains(&7);
    assert_eq!(stale.smallest(fails), Some([3, 7].into()));
    assert_eq!(stale.smallest(|with| with.len() >= 11), None);
    assert_eq!(stale.smallest(|_| true), Some([].into()));
}

#[test]
fn the_first_seed_that_fails_is_reduced_to_its_stale_reads() {
    let mut runs = Vec::new();
    let mut try_seeds = |needs: BarrierOrder| {
        crate::try_seeds(1..=3, |memory| {
            runs.push(memory.clone());
            let may = |number| memory.only.as_ref().is_none_or(|only| only.contains(&number));
            let is_right = memory.seed != 2 || memory.barriers != needs || !may(3);
            let stale = StaleReads {
                numbers: (1..=4).filter(|n| may(*n)).collect(),
                unordered: 1,
                ..StaleReads::default()
            };
            let launch = LaunchReport { stale_reads: Some(stale), ..LaunchReport::default() };
            let report = Report { launches: [launch].into(), ..Report::default() };
            Ok::<_, ()>(WeakRun { is_right, is_stopped: false, report })
        })
    };
    for barriers in [BarrierOrder::AsOnGpus, BarrierOrder::AsInPtx] {
        let found = try_seeds(barriers).expect("no error").expect("seed 2 fails");
        assert_eq!(
            found.memory,
            WeakMemory { seed: 2, only: Some([3].into()), barriers, reports: false }
        );
        assert_eq!(found.is_promised_by_gpus(), barriers == BarrierOrder::AsInPtx);
    }
    assert_eq!(
        runs.iter().filter(|memory| memory.seed == 3).count(),
        1,
        "the first failure ends a search"
    );
    let wrong = WeakRun { is_right: false, is_stopped: false, report: Report::default() };
    let found = crate::try_seeds(1..=3, |_| Ok::<_, ()>(wrong.clone())).expect("no error");
    assert!(found.expect("it fails").message().starts_with("no stale read is needed"));
}

/// A flag that is polled may be read late; what matters is the data that is read after it.
#[test]
fn stale_reads_of_flags_are_named_only_alone() {
    let side = |line: &str| RaceAccess {
        line: line.into(),
        device: None,
        block: [0; 3],
        warp: 0,
        lane: 0,
        access: Action::Read,
    };
    let read = |message: &str, is_strong| StaleRead {
        number: 1,
        load: side("k.cu:3"),
        store: None,
        array: "the allocation".into(),
        offset: 0,
        address: 0,
        is_strong,
        cure: Cure::WriterFence,
        message: message.into(),
    };
    let message = |stale_reads: &[StaleRead]| {
        let memory = WeakMemory::default();
        crate::WeakFailure { memory, stale_reads: stale_reads.to_vec() }.message()
    };
    let (flag, data) = (read("the flag", true), read("the data", false));
    assert_eq!(message(&[flag.clone(), data]), "the data");
    assert_eq!(message(&[flag]), "the flag");
}
