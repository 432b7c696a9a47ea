//! Accesses as atomic accesses of 64 bits.

use std::sync::atomic::{AtomicU64, Ordering};

use super::UNIT;

const CELL: usize = UNIT as usize;

/// Returns the cell that contains a byte, and the byte's position in the cell.
///
/// # Safety
/// As the header of [`super`] says.
#[inline(always)]
unsafe fn cell<'a>(byte: *mut u8) -> (&'a AtomicU64, usize) {
    let at = byte.addr() % CELL;
    let start = byte.wrapping_sub(at).cast::<u64>();
    // SAFETY: the allocation begins and ends at cell boundaries, stays alive, and is accessed only
    // in this way.
    (unsafe { AtomicU64::from_ptr(start) }, at)
}

/// Reads `N` bytes.
///
/// # Safety
/// As the header of [`super`] says.
#[inline(always)]
pub(crate) unsafe fn load<const N: usize>(from: *mut u8) -> [u8; N] {
    let mut out = [0; N];
    // SAFETY: the caller's promise.
    let (first, at) = unsafe { cell(from) };
    if at + N <= CELL {
        let bytes = u64::from_le_bytes(first.load(Ordering::Relaxed).to_ne_bytes()) >> (8 * at);
        out.copy_from_slice(&bytes.to_le_bytes()[..N]);
    } else if at == 0 && N.is_multiple_of(CELL) {
        for (i, chunk) in out.as_chunks_mut().0.iter_mut().enumerate() {
            // SAFETY: the caller's promise, of a part of the bytes.
            let (cell, _) = unsafe { cell(from.wrapping_add(CELL * i)) };
            *chunk = cell.load(Ordering::Relaxed).to_ne_bytes();
        }
    } else {
        // SAFETY: the caller's promise.
        unsafe { read(from, &mut out) };
    }
    out
}

/// Writes `N` bytes.
///
/// # Safety
/// As the header of [`super`] says.
#[inline(always)]
pub(crate) unsafe fn store<const N: usize>(to: *mut u8, value: [u8; N]) {
    if to.addr().is_multiple_of(CELL) && N.is_multiple_of(CELL) {
        for (i, chunk) in value.as_chunks().0.iter().enumerate() {
            // SAFETY: the caller's promise, of a part of the bytes.
            let (cell, _) = unsafe { cell(to.wrapping_add(CELL * i)) };
            cell.store(u64::from_ne_bytes(*chunk), Ordering::Relaxed);
        }
    } else {
        // SAFETY: the caller's promise.
        unsafe { write(to, &value) };
    }
}

/// Reads `out.len()` bytes.
///
/// # Safety
/// As the header of [`super`] says.
#[inline(always)]
pub(crate) unsafe fn read(from: *mut u8, out: &mut [u8]) {
    let mut done = 0;
    while done < out.len() {
        // SAFETY: the caller's promise, of a byte among those to be read.
        let (cell, at) = unsafe { cell(from.wrapping_add(done)) };
        let count = (CELL - at).min(out.len() - done);
        let bytes = cell.load(Ordering::Relaxed).to_ne_bytes();
        out[done..done + count].copy_from_slice(&bytes[at..at + count]);
        done += count;
    }
}

/// Writes `data`.
///
/// # Safety
/// As the header of [`super`] says.
#[inline(always)]
pub(crate) unsafe fn write(to: *mut u8, data: &[u8]) {
    let mut done = 0;
    while done < data.len() {
        // SAFETY: the caller's promise, of a byte among those to be written.
        let (cell, at) = unsafe { cell(to.wrapping_add(done)) };
        let count = (CELL - at).min(data.len() - done);
        let part = &data[done..done + count];
        match part.first_chunk() {
            Some(whole) => cell.store(u64::from_ne_bytes(*whole), Ordering::Relaxed),
            None => change(cell, Ordering::Relaxed, |bytes| {
                bytes[at..at + count].copy_from_slice(part);
            }),
        }
        done += count;
    }
}

/// Replaces the aligned 2, 4 or 8 bytes at `to` by the result of `new`, indivisibly. Returns the
/// old and the new bits.
///
/// # Safety
/// As the header of [`super`] says.
#[inline(always)]
pub(crate) unsafe fn update(to: *mut u8, bytes: u32, new: impl Fn(u64) -> u64) -> (u64, u64) {
    // SAFETY: the caller's promise.
    let (cell, at) = unsafe { cell(to) };
    let part = at..at + bytes as usize;
    let mut values = (0, 0);
    change(cell, Ordering::AcqRel, |all| {
        let mut wide = [0; CELL];
        wide[..part.len()].copy_from_slice(&all[part.clone()]);
        let old = u64::from_le_bytes(wide);
        let new = new(old) & u64::MAX >> (64 - 8 * bytes);
        all[part.clone()].copy_from_slice(&new.to_le_bytes()[..part.len()]);
        values = (old, new);
    });
    values
}

/// Changes some of a cell's bytes indivisibly.
#[inline(always)]
fn change(cell: &AtomicU64, order: Ordering, mut with: impl FnMut(&mut [u8; CELL])) {
    let mut seen = cell.load(Ordering::Relaxed);
    loop {
        let mut bytes = seen.to_ne_bytes();
        with(&mut bytes);
        let new = u64::from_ne_bytes(bytes);
        match cell.compare_exchange_weak(seen, new, order, Ordering::Relaxed) {
            Ok(_) => return,
            Err(now) => seen = now,
        }
    }
}
