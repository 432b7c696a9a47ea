//! What can be set beyond the CUDA API: `simtSetOption`, and the environment at the start.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{LazyLock, Mutex};

use simt::{BarrierOrder, Options, WeakMemory};

use crate::error::{CUresult, Result};
use crate::recording;
use crate::state::lock;

/// Devices, at most: more than any machine has.
const MAX_DEVICES: usize = 64;

static OPTIONS: LazyLock<Mutex<Options>> = LazyLock::new(|| Mutex::new(from_environment()));

/// How many devices `cuInit` makes where the environment does not say.
static DEVICES: AtomicUsize = AtomicUsize::new(1);

/// Whether faults are in reports only, and not said on standard error.
static QUIET: AtomicBool = AtomicBool::new(false);

/// The options for a launch now.
pub fn current() -> Options {
    lock(&OPTIONS).clone()
}

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
        "devices" => {
            let count =
                usize::try_from(value).ok().filter(|count| (1..=MAX_DEVICES).contains(count));
            DEVICES.store(count.ok_or_else(wrong)?, Ordering::Relaxed);
        }
        "quiet" => QUIET.store(switch()?, Ordering::Relaxed),
        _ => return Err(CUresult::INVALID_VALUE.because(format!("there is no option {name}"))),
    }
    Ok(())
}

/// Whether a kernel that is stopped is said to be on standard error: not for a program that takes the report, and
/// expects such a kernel.
pub fn says_faults() -> bool {
    !QUIET.load(Ordering::Relaxed)
}

/// Whether the environment asked for weak memory. Loads that may miss a store are then said on standard error.
pub fn says_stale_reads() -> bool {
    static SAYS: LazyLock<bool> =
        LazyLock::new(|| number("SIMT_WEAK_MEMORY").is_some_and(|seed| seed != 0));
    *SAYS
}

/// True if the environment asked for races. They are then said on standard error: a program that
/// was not written for the simulator does not take its reports.
pub fn says_races() -> bool {
    static SAYS: LazyLock<bool> = LazyLock::new(|| number("SIMT_RACES").is_some_and(|on| on != 0));
    *SAYS
}

fn from_environment() -> Options {
    let mut options = Options { counters: true, ..Options::default() };
    if let Some(seed) = number("SIMT_SEED") {
        options.seed = seed;
    }
    options.weak_memory = number("SIMT_WEAK_MEMORY").filter(|seed| *seed != 0).map(weak_memory);
    if let Some(seed) = number("SIMT_ACTIVE_MASKS") {
        options.active_masks = seed;
    }
    if let Some(threads) = number("SIMT_THREADS") {
        options.threads = threads as usize;
    }
    if let Some(limit) = number("SIMT_INSTRUCTION_LIMIT") {
        options.instruction_limit = limit;
    }
    if let Some(blocks) = number("SIMT_RESIDENT_BLOCKS") {
        options.resident_blocks = usize::try_from(blocks).unwrap_or(usize::MAX);
    }
    options.races = says_races();
    options
}

/// Weak memory of a seed, until other options change it.
fn weak_memory(seed: u64) -> WeakMemory {
    let barriers = match number("SIMT_PTX_BARRIERS") {
        None | Some(0) => BarrierOrder::AsOnGpus,
        Some(_) => BarrierOrder::AsInPtx,
    };
    WeakMemory { seed, only: None, barriers, reports: says_stale_reads() }
}

/// The number of devices: `SIMT_DEVICES`, or what the option `devices` says, or one.
pub fn device_count() -> usize {
    match number("SIMT_DEVICES") {
        Some(n) => usize::try_from(n).unwrap_or(MAX_DEVICES).min(MAX_DEVICES),
        None => DEVICES.load(Ordering::Relaxed),
    }
}

/// A variable of the environment. One that is no number is said to be none, and passed over.
fn number(name: &str) -> Option<u64> {
    let text = std::env::var_os(name)?;
    let value = text.to_str().and_then(|text| text.trim().parse().ok());
    if value.is_none() {
        crate::entry::say(&format!("{name}={text:?} is not a number, and has no effect"));
    }
    value
}
