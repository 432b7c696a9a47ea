//! What the launches counted, found and traced, kept until `simtTakeReport` asks for it.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Mutex;

use serde::Serialize;
use simt::{Fault, Race, Report};

use crate::entry::say;
use crate::options;
use crate::state::lock;

/// Launches kept at most: a program that never asks must not run out of memory. With all the races
/// that a launch can report, each takes some 10 KB.
const KEPT: usize = 1 << 12;

/// A launch that is over.
#[derive(Serialize)]
pub struct Launch {
    /// The kernel's name.
    pub kernel: String,
    /// Blocks.
    pub grid: [u32; 3],
    /// Threads of a block.
    pub block: [u32; 3],
    /// Bytes of dynamic shared memory.
    pub dynamic_shared: u32,
    /// Bytes of static shared memory.
    pub static_shared: u32,
    /// Counters, races, and what else the machine reports.
    #[serde(flatten)]
    pub report: Report,
    /// Why it ended early, if it did.
    pub fault: Option<Fault>,
}

/// The launches since the report was last taken.
#[derive(Serialize)]
struct Log {
    launches: VecDeque<Launch>,
    /// Launches forgotten because there were too many.
    dropped: u64,
}

static LOG: Mutex<Log> = Mutex::new(Log {
    launches: VecDeque::new(),
    dropped: 0,
});

/// Adds a launch.
pub fn add(launch: Launch) {
    if options::says_races() {
        launch.report.races.iter().for_each(say_once);
    }
    let mut log = lock(&LOG);
    if log.launches.len() == KEPT {
        log.launches.pop_front();
        log.dropped += 1;
    }
    log.launches.push_back(launch);
}

/// Says a race on standard error, unless one between the same two lines has been said already.
fn say_once(race: &Race) {
    static SAID: Mutex<BTreeSet<[String; 3]>> = Mutex::new(BTreeSet::new());
    let key = [&race.kind, &race.first.line, &race.second.line].map(String::clone);
    if lock(&SAID).insert(key) {
        say(&race.message);
    }
}

/// Hands the report, as JSON, to `take`, and begins a new one if it was taken.
pub fn take(take: impl FnOnce(&str) -> bool) -> serde_json::Result<()> {
    let mut log = lock(&LOG);
    if take(&serde_json::to_string(&*log)?) {
        *log = Log {
            launches: VecDeque::new(),
            dropped: 0,
        };
    }
    Ok(())
}
