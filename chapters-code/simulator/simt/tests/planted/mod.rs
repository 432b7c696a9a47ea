//! Small kernels with one planted bug each, and the same kernels without it: every bug is found
//! under every schedule, and nothing is found where there is none. What is said of each bug stands
//! in `snapshots`.

mod hand_over;
pub mod list;
pub mod missed;
mod run;

use std::collections::BTreeSet;

use list::{Bug, Planted, all};
use run::{Found, Kind, run, run_with};
use simt::{FaultKind, Options};
use simt_report::RaceKind;

/// Schedules that every kernel runs under.
pub const SEEDS: std::ops::Range<u64> = 0..12;

/// What a finding is about.
fn bug(kind: Kind) -> Option<Bug> {
    use {FaultKind as F, RaceKind as R};
    Some(match kind {
        Kind::Race(kind) => match kind {
            R::ReadWrite | R::WriteRead | R::WriteWrite | R::ReadAtomic | R::AtomicRead => {
                Bug::Race
            }
            R::WriteAtomic | R::AtomicWrite | R::AtomicAtomic => Bug::Race,
            R::PendingCopy | R::EarlyCopy | R::AbandonedCopy | R::EarlyExit => Bug::Race,
            R::MissingProxyFence => Bug::Fence,
            R::MbarrierReinitialised | R::MbarrierOverwritten => Bug::Mbarrier,
            R::DivergentBarrier | R::BarrierThreads | R::LeftBarrier => Bug::Barrier,
            R::ShuffleSource => Bug::Lanes,
            R::UninitialisedRead => Bug::Uninitialised,
        },
        Kind::Fault(F::Overflow) => Bug::Mbarrier,
        Kind::Fault(F::IllegalInstruction) => Bug::Lanes,
        Kind::Fault(F::IllegalAddress) => Bug::OutOfBounds,
        Kind::Fault(F::MisalignedAddress) => Bug::Misaligned,
        Kind::Fault(F::Deadlock) => Bug::Deadlock,
        Kind::Fault(_) => return None,
    })
}

/// True if a finding tells of the bug. Barriers and warp-wide operations that not everybody reaches
/// may also end in a deadlock, which then says where everybody waits.
fn tells(found: &Found, planted: &Planted) -> bool {
    let told = bug(found.kind);
    told == Some(planted.bug)
        || told == Some(Bug::Deadlock) && matches!(planted.bug, Bug::Barrier | Bug::Lanes)
        || planted.bug == Bug::Mbarrier
            && matches!(told, Some(Bug::Race | Bug::Deadlock | Bug::Lanes))
}

#[test]
fn there_are_enough() {
    assert!(all().count() >= 40);
    let names: BTreeSet<_> = all().map(|p| p.name).collect();
    assert_eq!(names.len(), all().count());
}

/// The list has every kernel of the files, and no other.
#[test]
fn the_list_is_complete() {
    let mut listed = BTreeSet::new();
    let mut there = BTreeSet::new();
    for planted in all() {
        listed.insert(planted.name.to_owned());
        listed.insert(planted.twin());
        let module = ptx::parse(planted.ptx).unwrap_or_else(|e| panic!("{}: {e}", planted.file));
        there.extend(module.kernels.into_iter().map(|k| k.name));
    }
    assert_eq!(listed, there);
}

#[test]
fn every_bug_is_found_under_every_schedule() {
    let mut missed = Vec::new();
    for planted in all() {
        let seeds: Vec<u64> = SEEDS
            .filter(|seed| {
                let found = run(planted, planted.name, *seed);
                !found.iter().any(|f| tells(f, planted))
            })
            .collect();
        if !seeds.is_empty() {
            missed.push(format!("{} with seeds {seeds:?}", planted.name));
        }
    }
    assert!(missed.is_empty(), "missed:\n{}", missed.join("\n"));
}

/// Half of every warp returns in this kernel, which is right, and what the note is for.
fn is_expected_note(planted: &Planted, found: &Found) -> bool {
    planted.name == "barrier_skipped_at_end" && found.kind == Kind::Race(RaceKind::LeftBarrier)
}

#[test]
fn nothing_is_found_where_nothing_is_wrong() {
    let mut false_alarms = Vec::new();
    for planted in all() {
        for seed in SEEDS {
            let found = run(planted, &planted.twin(), seed);
            let found = found.iter().filter(|f| !is_expected_note(planted, f));
            let told = found.map(|f| format!("{} with seed {seed}: {}", planted.twin(), f.message));
            false_alarms.extend(told);
        }
    }
    assert!(false_alarms.is_empty(), "{}", false_alarms.join("\n"));
}

/// The same where lanes of a warp run ahead of the others.
#[test]
fn independent_lanes_change_no_verdict() {
    let mut wrong = Vec::new();
    for planted in all() {
        for seed in 1..=8 {
            let run = |kernel: &str| {
                let options = Options::default().with(|options| {
                    options.independent_lanes = seed;
                    options.seed = seed % 3;
                });
                run_with(planted, kernel, options)
            };
            if !run(planted.name).iter().any(|found| tells(found, planted)) {
                wrong.push(format!("{} is missed with seed {seed}", planted.name));
            }
            let twin = planted.twin();
            let found = run(&twin).into_iter().filter(|found| !is_expected_note(planted, found));
            wrong.extend(found.map(|found| format!("{twin} with seed {seed}: {}", found.message)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What is said of each bug, with the blocks and warps in order.
#[test]
fn messages() {
    let files: BTreeSet<_> = all().map(|p| p.file).collect();
    for file in files {
        let mut text = String::new();
        for planted in all().filter(|p| p.file == file) {
            let found = run(planted, planted.name, 0);
            let lines: Vec<_> =
                found.iter().map(|f| format!("  {}: {}", f.kind, f.message)).collect();
            text += &format!("{}\n{}\n\n", planted.name, lines.join("\n"));
        }
        insta::assert_snapshot!(file, text);
    }
}
