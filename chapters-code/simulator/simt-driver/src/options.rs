//! What can be set beyond the CUDA API: `simtSetOption`, and the environment at the start.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, Mutex};

use simt::{BarrierOrder, Options, WeakMemory};
use strsim::levenshtein;

use crate::entry::say;
use crate::error::{CUresult, Result};
use crate::recording;
use crate::state::lock;
use crate::strict;

/// Devices, at most: more than any machine has.
const MAX_DEVICES: usize = 64;

static OPTIONS: LazyLock<Mutex<Options>> = LazyLock::new(|| Mutex::new(from_environment()));

/// How many devices `cuInit` makes where the environment does not say.
static DEVICES: AtomicUsize = AtomicUsize::new(1);

/// Where the part of memory begins whose end makes it write-protected.
static PROTECTED_FROM: AtomicU64 = AtomicU64::new(0);

/// Whether faults are in reports only, and not said on standard error.
static QUIET: AtomicBool = AtomicBool::new(false);

/// Reads the environment, unless that has happened.
pub fn read_environment() {
    LazyLock::force(&OPTIONS);
}

/// The options for a launch now.
pub fn current() -> Options {
    lock(&OPTIONS).clone()
}

/// The names of all options, as the table of `simtSetOption` has them.
const NAMES: [&str; 22] = [
    "active_masks",
    "counters",
    "devices",
    "held_back",
    "independent_lanes",
    "instruction_limit",
    "only_stale_reads",
    "ptx_barriers",
    "quiet",
    "races",
    "record",
    "resident_blocks",
    "seed",
    "stale_read",
    "starts_in_order",
    "strict",
    "threads",
    "torn_vectors",
    "trace",
    "weak_memory",
    "write_protected_from",
    "write_protected_to",
];

/// The variables of the environment, as the table of the crate has them.
const VARIABLES: [&str; 11] = [
    "SIMT_STRICT",
    "SIMT_DEVICES",
    "SIMT_SEED",
    "SIMT_RESIDENT_BLOCKS",
    "SIMT_PTX_BARRIERS",
    "SIMT_THREADS",
    "SIMT_RACES",
    "SIMT_WEAK_MEMORY",
    "SIMT_ACTIVE_MASKS",
    "SIMT_INDEPENDENT_LANES",
    "SIMT_INSTRUCTION_LIMIT",
];

/// Sets one option. What the names mean is said at [`simt::Options`].
pub fn set(name: &str, value: i64) -> Result {
    if name == "record" {
        return recording::set(value);
    }
    let mut options = lock(&OPTIONS);
    let wrong = || CUresult::INVALID_VALUE.because(format!("option {name} cannot be {value}"));
    let switch = || match value {
        0 => Ok(false),
        1 => Ok(true),
        _ => Err(wrong()),
    };
    match name {
        // A seed is 64 bits of any sign.
        "seed" => options.seed = value as u64,
        "starts_in_order" => options.starts_in_order = switch()?,
        // Of weak memory the seed; 0 turns it off.
        "weak_memory" => {
            options.weak_memory = (value != 0).then(|| weak_memory(value as u64));
        }
        "active_masks" => options.active_masks = value as u64,
        "independent_lanes" => options.independent_lanes = value as u64,
        "held_back" => options.held_back = value as u64,
        "torn_vectors" => options.torn_vectors = switch()?,
        // What barriers order, and which stale reads may happen, of weak memory that is on.
        "ptx_barriers" => {
            let barriers = if switch()? { BarrierOrder::AsInPtx } else { BarrierOrder::AsOnGpus };
            options.weak_memory.as_mut().ok_or_else(wrong)?.barriers = barriers;
        }
        "only_stale_reads" => {
            let only = switch()?.then(BTreeSet::new);
            options.weak_memory.as_mut().ok_or_else(wrong)?.only = only;
        }
        "stale_read" => {
            let weak = options.weak_memory.as_mut().ok_or_else(wrong)?;
            weak.only.get_or_insert_default().insert(value as u64);
        }
        "races" => options.races = switch()?,
        "counters" => options.counters = switch()?,
        "trace" => options.trace = switch()?,
        "instruction_limit" => options.instruction_limit = value.try_into().map_err(|_| wrong())?,
        "resident_blocks" => options.resident_blocks = value.try_into().map_err(|_| wrong())?,
        "threads" => options.threads = value.try_into().map_err(|_| wrong())?,
        "write_protected_from" => PROTECTED_FROM.store(value as u64, Ordering::Relaxed),
        // 0 is the end of no part: it ends the protection.
        "write_protected_to" => match value as u64 {
            0 => options.write_protected = Arc::default(),
            to => protect(&mut options, PROTECTED_FROM.load(Ordering::Relaxed)..to),
        },
        "devices" => {
            let count =
                usize::try_from(value).ok().filter(|count| (1..=MAX_DEVICES).contains(count));
            DEVICES.store(count.ok_or_else(wrong)?, Ordering::Relaxed);
        }
        "quiet" => QUIET.store(switch()?, Ordering::Relaxed),
        "strict" => strict::set(switch()?),
        _ => {
            let nearest = nearest(name, &NAMES).unwrap_or("one of the table in api/extra.rs");
            let cause = format!("there is no option {name}; perhaps it is {nearest}");
            return Err(CUresult::INVALID_VALUE.because(cause));
        }
    }
    Ok(())
}

/// Adds a part of memory that kernels must not write.
fn protect(options: &mut Options, part: Range<u64>) {
    let all = Arc::make_mut(&mut options.write_protected);
    let at = all.partition_point(|other| other.start < part.start);
    if !part.is_empty() {
        all.insert(at, part);
    }
}

/// The name that a mistyped one resembles most: by few letters, or by its beginning.
fn nearest<'n>(name: &str, names: &[&'n str]) -> Option<&'n str> {
    const MOST: usize = 2;
    let name = name.to_lowercase();
    let distance_to = |known: &str| {
        let known = known.to_lowercase();
        let begins = known.starts_with(&name) || name.starts_with(&known);
        if begins { 1 } else { levenshtein(&name, &known) }
    };
    let known = names.iter().min_by_key(|known| distance_to(known))?;
    (distance_to(known) <= MOST).then_some(known)
}

/// The variables that are set to a number, read once. Others are said to have no effect.
static ENVIRONMENT: LazyLock<HashMap<&str, u64>> = LazyLock::new(|| {
    check_names();
    VARIABLES.into_iter().filter_map(|name| Some((name, number(name)?))).collect()
});

/// The number that a variable is set to.
fn setting(name: &str) -> Option<u64> {
    ENVIRONMENT.get(name).copied()
}

/// Whether a variable is set, and not to 0.
fn is_on(name: &str) -> bool {
    setting(name).is_some_and(|value| value != 0)
}

/// Says which variables are none, but resemble one.
fn check_names() {
    for (name, _) in std::env::vars_os() {
        let Some(name) = name.to_str().filter(|name| !VARIABLES.contains(name)) else { continue };
        let is_ours = name.len() > "SIMT_".len() && name.to_uppercase().starts_with("SIMT");
        if let Some(known) = nearest(name, &VARIABLES).filter(|_| is_ours) {
            say(&format!("there is no setting {name}; perhaps it is {known}"));
        }
    }
}

/// Whether a kernel that is stopped is said to be on standard error: not for a program that takes the report, and
/// expects such a kernel.
pub fn says_faults() -> bool {
    !QUIET.load(Ordering::Relaxed)
}

/// Whether races are looked for.
pub fn looks_for_races() -> bool {
    let options = lock(&OPTIONS);
    options.races || options.trace
}

/// Whether the environment asked for weak memory. Loads that may miss a store are then said on standard error.
pub fn says_stale_reads() -> bool {
    is_on("SIMT_WEAK_MEMORY")
}

/// True if the environment asked for races, or in strict mode. They are then said on standard error: a program that
/// was not written for the simulator does not take its reports.
pub fn print_races() -> bool {
    setting("SIMT_RACES").or(setting("SIMT_STRICT")).is_some_and(|on| on != 0) || strict::is_on()
}

fn from_environment() -> Options {
    strict::set(is_on("SIMT_STRICT"));
    let number = |name| setting(name).unwrap_or(0);
    let size = |name| usize::try_from(number(name)).unwrap_or(usize::MAX);
    Options::default().with(|options| {
        options.seed = number("SIMT_SEED");
        options.weak_memory =
            setting("SIMT_WEAK_MEMORY").filter(|seed| *seed != 0).map(weak_memory);
        options.active_masks = number("SIMT_ACTIVE_MASKS");
        options.independent_lanes = number("SIMT_INDEPENDENT_LANES");
        options.threads = size("SIMT_THREADS");
        options.instruction_limit = number("SIMT_INSTRUCTION_LIMIT");
        options.resident_blocks = size("SIMT_RESIDENT_BLOCKS");
        options.races = setting("SIMT_RACES").map_or(strict::is_on(), |on| on != 0);
    })
}

/// Weak memory of a seed, until other options change it.
fn weak_memory(seed: u64) -> WeakMemory {
    let barriers =
        if is_on("SIMT_PTX_BARRIERS") { BarrierOrder::AsInPtx } else { BarrierOrder::AsOnGpus };
    WeakMemory { seed, only: None, barriers, reports: says_stale_reads() }
}

/// The number of devices: `SIMT_DEVICES`, or what the option `devices` says, or one.
pub fn device_count() -> usize {
    match setting("SIMT_DEVICES") {
        Some(n) => usize::try_from(n).unwrap_or(MAX_DEVICES).min(MAX_DEVICES),
        None => DEVICES.load(Ordering::Relaxed),
    }
}

/// A variable of the environment. One that is no number is said to be none, and passed over.
fn number(name: &str) -> Option<u64> {
    let text = std::env::var_os(name)?;
    let value = text.to_str().and_then(|text| text.trim().parse().ok());
    if value.is_none() {
        say(&format!("{name}={text:?} is not a number, and has no effect"));
    }
    value
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// The names in the first column of a table of a file's comments.
    fn table(text: &'static str, comment: &str) -> BTreeSet<&'static str> {
        let rows = text.lines().filter_map(|line| line.strip_prefix(comment)?.split('`').nth(1));
        rows.collect()
    }

    #[test]
    fn the_tables_name_what_there_is() {
        let options = table(include_str!("api/extra.rs"), "/// | ");
        assert_eq!(options, BTreeSet::from(NAMES));
        let variables = table(include_str!("lib.rs"), "//! | ");
        assert_eq!(variables, BTreeSet::from(VARIABLES));
    }

    #[test]
    fn each_name_is_an_option() {
        set("weak_memory", 1).expect("it is there");
        for name in NAMES.into_iter().filter(|name| *name != "weak_memory") {
            set(name, 1).unwrap_or_else(|no| panic!("{name}: {no:?}"));
        }
        assert!(set("race", 1).unwrap_err().cause.unwrap().ends_with("perhaps it is races"));
        // Other tests are of this process, too.
        let numbers = NAMES.into_iter().filter(|name| !["counters", "devices"].contains(name));
        numbers.for_each(|name| set(name, 0).expect("0 is a value of each"));
    }

    #[test]
    fn what_is_mistyped() {
        for (name, known) in [
            ("SIMT_RACE", "SIMT_RACES"),
            ("simt_races", "SIMT_RACES"),
            ("SIMT_WEAKMEMORY", "SIMT_WEAK_MEMORY"),
            ("SIMT_INSTRUCTIONS_LIMIT", "SIMT_INSTRUCTION_LIMIT"),
            ("SIMT_STRICT_MODE", "SIMT_STRICT"),
            ("SIMT_WEAK", "SIMT_WEAK_MEMORY"),
        ] {
            assert_eq!(nearest(name, &VARIABLES), Some(known), "{name}");
        }
        for name in ["SIMT_ROOT", "SIMT_LIB", "PATH"] {
            assert_eq!(nearest(name, &VARIABLES), None, "{name}");
        }
    }
}
