//! What the launches counted, found and traced, kept until `simtTakeReport` asks for it.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Mutex;

use simt_report::{LaunchReport, Link, Race, Report, StaleRead, Version};

use crate::entry::say;
use crate::options;
use crate::state::lock;

/// Launches kept at most: a program that never asks must not run out of memory. With all the races
/// that a launch can report, each takes some 10 KB.
const KEPT: usize = 1 << 12;

/// The launches since the report was last taken.
static LOG: Mutex<Report> = Mutex::new(Report {
    version: Version,
    launches: VecDeque::new(),
    dropped: 0,
    links: Vec::new(),
    races: Vec::new(),
});

/// Adds a launch.
pub fn add(launch: LaunchReport) {
    if options::print_races() || options::says_stale_reads() {
        launch.races.iter().chain(&launch.notes).for_each(say_once);
        let notes = launch.stale_reads.iter().flat_map(|reads| &reads.only_in_ptx);
        notes.for_each(say_note_once);
    }
    let mut log = lock(&LOG);
    launch.links.iter().for_each(|link| link.add_to(&mut log.links));
    if log.launches.len() == KEPT {
        log.launches.pop_front();
        log.dropped += 1;
    }
    log.launches.push_back(launch);
}

/// Adds a race between operations of streams.
pub fn add_race(race: Race) {
    if options::print_races() {
        say_once(&race);
    }
    let races = &mut lock(&LOG).races;
    if races.len() < KEPT {
        races.push(race);
    }
}

/// Adds a copy between devices.
pub fn add_copy(from: usize, to: usize, bytes: usize) {
    let (from, to, copied_bytes) = (from as u32, to as u32, bytes as u64);
    let link = Link { from, to, copied_bytes, ..Link::default() };
    link.add_to(&mut lock(&LOG).links);
}

/// Says a race on standard error, unless one between the same two lines has been said already.
fn say_once(race: &Race) {
    say_between([race.kind.name(), &race.first.line, &race.second.line], &race.message);
}

/// The same for a load that may miss a store by PTX's memory model only.
fn say_note_once(read: &StaleRead) {
    let store = read.store.as_ref().map_or("", |store| &store.line);
    say_between(["stale read", store, &read.load.line], &read.message);
}

fn say_between(key: [&str; 3], message: &str) {
    static SAID: Mutex<BTreeSet<[String; 3]>> = Mutex::new(BTreeSet::new());
    if lock(&SAID).insert(key.map(str::to_owned)) {
        say(message);
    }
}

/// Hands the report, as JSON, to `take`, and begins a new one if it was taken.
pub fn take(take: impl FnOnce(&str) -> bool) -> serde_json::Result<()> {
    let mut log = lock(&LOG);
    if take(&log.to_json()?) {
        *log = Report::default();
    }
    Ok(())
}
