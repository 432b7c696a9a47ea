//! Strict mode, for tests: what is reported becomes an error of the program, and a status of the process.
//!
//! A *report* is a finding about the program that no call would otherwise answer with an error: a race or another
//! finding of the race check, of a launch or between streams; and what `simt-nccl` says that NCCL would answer with a
//! wrong result or by waiting for ever. In strict mode
//!
//! - the next call that waits for the context fails with `CUDA_ERROR_LAUNCH_FAILED`, once: nothing is damaged, so that
//!   the context stays usable;
//! - the process exits with status [`STATUS`], whatever it has done with that error. A forked child that reports
//!   something exits so, too. Other functions for the end of the process (`atexit`) have run by then if they were
//!   registered after `cuInit`. A process that ends by `_exit`, or by a signal, is not noticed.
//!
//! No reports are notes (PTX that is newer than the driver, settings that do not exist, functions that are not
//! supported) and calls that fail as on a GPU. A kernel that faults is an error that the program gets as on a GPU, and
//! may expect: only if the process ends before any call has returned that error, it exits with [`STATUS`].

use std::ffi::{c_int, c_void};
use std::sync::Once;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use crate::context::Context;
use crate::entry::say;
use crate::error::{CUresult, Failure};
use crate::state::driver;

/// What a process exits with that has reported something.
pub const STATUS: c_int = 86;

static IS_ON: AtomicBool = AtomicBool::new(false);

/// Reports so far, and the process that they are of: a forked child begins with its parent's.
static REPORTS: AtomicU32 = AtomicU32::new(0);
static PROCESS: AtomicU32 = AtomicU32::new(0);

/// Contexts with a fault that no call has returned.
static UNSEEN_FAULTS: AtomicU32 = AtomicU32::new(0);

/// Turns strict mode on or off.
pub fn set(on: bool) {
    static AT_EXIT: Once = Once::new();
    IS_ON.store(on, Ordering::SeqCst);
    if on {
        // SAFETY: the library is never unloaded (build.rs), so that the function is there at the end.
        AT_EXIT.call_once(|| unsafe {
            atexit(end);
        });
    }
}

/// Whether strict mode is on.
pub fn is_on() -> bool {
    IS_ON.load(Ordering::SeqCst)
}

/// Notes a report about what has run in these contexts.
pub fn note<'c>(contexts: impl IntoIterator<Item = &'c Context>) {
    if count() {
        contexts.into_iter().for_each(Context::note_report);
    }
}

/// Notes a report that is about no context: unless it has been answered, the next call that waits fails in each of them.
pub fn note_everywhere(is_answered: bool) {
    if count()
        && !is_answered
        && let Ok(driver) = driver()
    {
        let all = driver.contexts.find(|_| true);
        all.into_iter()
            .filter_map(|handle| driver.contexts.get(handle))
            .for_each(|c| c.note_report());
    }
}

/// Counts a report, if strict mode is on.
fn count() -> bool {
    if !is_on() {
        return false;
    }
    let process = std::process::id();
    if PROCESS.swap(process, Ordering::SeqCst) != process {
        REPORTS.store(0, Ordering::SeqCst);
    }
    REPORTS.fetch_add(1, Ordering::SeqCst);
    true
}

/// Notes that a kernel has faulted, and that no call has returned the error yet.
pub fn add_fault() {
    UNSEEN_FAULTS.fetch_add(1, Ordering::SeqCst);
}

/// Notes that a call returns the error.
pub fn saw_fault() {
    UNSEEN_FAULTS.fetch_sub(1, Ordering::SeqCst);
}

/// What a call fails with after a report.
pub fn failure() -> Failure {
    CUresult::LAUNCH_FAILED.because("strict mode makes an error of what was reported above")
}

unsafe extern "C" {
    fn atexit(function: extern "C" fn()) -> c_int;
    fn fflush(stream: *mut c_void) -> c_int;
    fn _exit(status: c_int) -> !;
}

/// Ends a process that has reported something, when it ends.
extern "C" fn end() {
    let is_own = PROCESS.load(Ordering::SeqCst) == std::process::id();
    let reports = if is_own { REPORTS.load(Ordering::SeqCst) } else { 0 };
    let is_child = crate::fork::is_child();
    let faults = if is_child { 0 } else { UNSEEN_FAULTS.load(Ordering::SeqCst) };
    if !is_on() || reports == 0 && faults == 0 {
        return;
    }
    let what = match (reports, faults) {
        (0, faults) => format!("{faults} contexts have a fault that no call has returned"),
        (reports, _) => format!("something was reported, {reports} times"),
    };
    say(&format!("strict mode: {what}; the process exits with status {STATUS}"));
    // SAFETY: null stands for all streams of C, and the process ends.
    unsafe {
        fflush(std::ptr::null_mut());
        _exit(STATUS)
    }
}
