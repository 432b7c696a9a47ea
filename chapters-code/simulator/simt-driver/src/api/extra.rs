//! What goes past the CUDA API: options for the machine, and what it reports.

use std::ffi::{c_char, c_int};

use crate::entry::guard;
use crate::error::CUresult;
use crate::types::{HostBytes, Text};
use crate::{allocation, options, pending, recording, report, strict};

/// Sets an option for the launches to come. Returns 0, or `CUDA_ERROR_INVALID_VALUE` where there
/// is no such option, or it has no such value.
///
/// | name | value |
/// | --- | --- |
/// | `active_masks` | a seed by which `activemask` returns only a part of the lanes; 0 returns all |
/// | `counters` | 0 or 1: count requests, sectors, wavefronts, … (at first 1) |
/// | `devices` | how many devices `cuInit` makes, if `SIMT_DEVICES` is not set (at first 1) |
/// | `held_back` | a seed by which one block of a launch is held back while others execute a million instructions; 0 for none |
/// | `independent_lanes` | a seed by which lanes of a warp run ahead of the others from an access to memory on; 0 turns it off |
/// | `instruction_limit` | warp instructions a launch may take before it is ended; 0 for no end |
/// | `only_stale_reads` | 0 or 1: of weak memory that is on, only the stale reads that `stale_read` names may happen |
/// | `ptx_barriers` | 0 or 1: with weak memory that is on, barriers order only what PTX promises |
/// | `quiet` | 0 or 1: faults are in reports only, and not on standard error |
/// | `races` | 0 or 1: look for data races |
/// | `record` | 0 or 1: keep all that the devices execute from now on, for `simtTakeRecording` |
/// | `resident_blocks` | blocks that are resident at a time; 0 for the machine's choice |
/// | `seed` | of the schedule |
/// | `starts_in_order` | 0 or 1: blocks start in order whatever the seed |
/// | `stale_read` | the number of a stale read that may happen; implies `only_stale_reads` |
/// | `strict` | 0 or 1: what is reported becomes an error and a status of the process, see `strict.rs`; it turns no check on |
/// | `threads` | host threads; 0 for all |
/// | `torn_vectors` | 0 or 1: in weak memory the elements of a vector access are accesses of their own, in any order |
/// | `trace` | 0 or 1: keep what each warp did, in order, up to [`simt::MOST_EVENTS`] a launch; implies `counters` and `races` |
/// | `weak_memory` | a seed for weak memory; 0 turns it off |
/// | `write_protected_from` | the address of the first byte that no kernel may write, for `write_protected_to` |
/// | `write_protected_to` | the address behind the last such byte: with `races` a kernel that writes one of them is stopped; 0 ends the protection of all |
///
/// # Safety
/// `name` must be null or a string that ends in NUL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn simtSetOption(name: Text, value: i64) -> c_int {
    guard("simtSetOption", || {
        pending::run_deferred();
        options::set(&name.get()?, value)
    })
    .0 as c_int
}

/// Calls the allocation, or the variable of a module, that contains an address by this name in reports to come: `` `name` (1024
/// bytes) `` in place of its address. An empty name ends that. Returns 0, or `CUDA_ERROR_INVALID_VALUE` where nothing is
/// allocated.
///
/// # Safety
/// `name` must be null or a string that ends in NUL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn simtSetName(address: u64, name: Text) -> c_int {
    guard("simtSetName", || {
        pending::run_deferred();
        let name = name.get()?;
        allocation::set_name(address, Some(name.as_str()).filter(|name| !name.is_empty()))
    })
    .0 as c_int
}

/// Notes a report of another library, such as `simt-nccl`, which has said it on standard error: strict mode counts it.
/// `answered` is 1 if a call of that library has returned an error for it; otherwise the next call that waits does.
#[unsafe(no_mangle)]
pub extern "C" fn simtNoteReport(answered: c_int) {
    guard("simtNoteReport", || {
        strict::note_everywhere(answered != 0);
        Ok(())
    });
}

/// Takes what the launches since the last report counted, found and traced, as JSON:
///
/// ```json
/// {"version": 1, "launches": [{"kernel": "sum_f32", "grid": [1, 1, 1], "block": [256, 1, 1],
///   "dynamic_shared": 0, "static_shared": 1024, "counters": {}, "longest_warp": 0, "races": [], "fault": null}],
///  "dropped": 0}
/// ```
///
/// That is a [`simt_report::Report`], whose fields say what each name and number means. With several
/// devices a launch also has its `device` and, if it has accessed memory of another one, `links`: bytes per
/// pair of devices. The report's own `links` add up those of all launches and copies.
///
/// Returns the length of the text in bytes, without a NUL. If that is at most `length`, the text
/// is in `buffer` (followed by a NUL if there is room), and the next report begins anew; otherwise
/// nothing has changed.
///
/// # Safety
/// `buffer` must be null or valid for writing `length` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn simtTakeReport(buffer: *mut c_char, length: usize) -> usize {
    let mut needed = 0;
    guard("simtTakeReport", || {
        pending::run_deferred();
        let taken = report::take(|text| deliver(text, buffer, length, &mut needed));
        taken.map_err(|e| CUresult::UNKNOWN.because(e.to_string()))
    });
    needed
}

/// Takes what the devices have executed since the option `record` was set to 1, as the JSON of a
/// [`simt_report::Recording`]. With its text the recording ends. The length and the buffer are as
/// in [`simtTakeReport`].
///
/// # Safety
/// `buffer` must be null or valid for writing `length` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn simtTakeRecording(buffer: *mut c_char, length: usize) -> usize {
    let mut needed = 0;
    guard("simtTakeRecording", || {
        pending::run_deferred();
        let taken = recording::take(|text| deliver(text, buffer, length, &mut needed));
        taken.map_err(|e| CUresult::UNKNOWN.because(e.to_string()))
    });
    needed
}

/// Writes a text where it fits, and notes its length.
fn deliver(text: &str, buffer: *mut c_char, length: usize, needed: &mut usize) -> bool {
    *needed = text.len();
    // A null buffer only asks for the length.
    let room = if buffer.is_null() { 0 } else { length };
    *needed <= room && fill(HostBytes(buffer.cast()), room, text)
}

/// Writes a text that fits, and a NUL if there is room.
fn fill(buffer: HostBytes, room: usize, text: &str) -> bool {
    let Ok(target) = buffer.as_slice_mut(room) else {
        return false;
    };
    target[..text.len()].copy_from_slice(text.as_bytes());
    if let Some(end) = target.get_mut(text.len()) {
        *end = 0;
    }
    true
}
