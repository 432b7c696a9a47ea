//! Loads and stores of contiguous elements: all lanes at once, through vector registers.
//!
//! The elements of inactive lanes are read too, if they are mapped. They are written back unchanged
//! only if no other thread can write in between.
//!
//! The loops are written out rather than mapped. Closures passed to the standard library's array
//! functions are not always inlined, and would then lose the caller's vector instructions.

use ptx::ir::{Load, MemType, R32, R64, Src, Store};

use super::quads;
use super::view::View;
use crate::registers::{ALL_LANES, LaneMask, Lanes32, Lanes64, Registers};

/// Builds the array with `f(lane)` in each lane.
#[inline(always)]
#[allow(clippy::needless_range_loop)] // An iterator's loop is peeled, and its vectors split.
pub(super) fn each_lane<T: Copy + Default>(f: impl Fn(usize) -> T) -> [T; 32] {
    let mut out = [T::default(); 32];
    for lane in 0..32 {
        out[lane] = f(lane);
    }
    out
}

/// Loads contiguous elements for the lanes of `mask`; `origin` is the address of lane 0's element.
/// Returns `None`, without any effect, if this path does not apply or not all elements are mapped.
#[inline(always)]
pub(super) fn load<V: View>(
    view: &mut V,
    registers: &mut Registers,
    load: &Load,
    origin: u64,
    mask: LaneMask,
) -> Option<()> {
    match (load.ty, load.len, load.d[0]) {
        (MemType::B32, 1, Some(Src::R32(d))) => {
            let bytes = view.load::<128>(origin)?;
            registers.write32(d, mask, &words(&bytes, 1, 0));
        }
        (MemType::B64, 1, Some(Src::R64(d))) => {
            let bytes = view.load::<256>(origin)?;
            registers.write64(d, mask, &long_words(&bytes, 1, 0));
        }
        _ if mask != ALL_LANES => return None,
        (MemType::B32, 2, _) => load_words::<V, 256>(view, registers, load, origin)?,
        (MemType::B32, 4, _) => load_words::<V, 512>(view, registers, load, origin)?,
        (MemType::B64, 2, _) => load_long_words(view, registers, load, origin)?,
        (MemType::U8, 1, Some(Src::R32(d))) => {
            let bytes = view.load::<32>(origin)?;
            *registers.r32_mut(d) = each_lane(|lane| bytes[lane].into());
        }
        (MemType::U16, 1, Some(Src::R32(d))) => {
            let bytes = view.load::<64>(origin)?;
            let halves = bytes.as_chunks().0;
            *registers.r32_mut(d) = each_lane(|lane| u16::from_le_bytes(halves[lane]).into());
        }
        _ => return None,
    }
    Some(())
}

/// Returns one 32-bit element per lane, of `len` per lane.
#[inline(always)]
pub(super) fn words(bytes: &[u8], len: usize, element: usize) -> Lanes32 {
    let words = &bytes.as_chunks().0[..32 * len];
    each_lane(|lane| u32::from_le_bytes(words[lane * len + element]))
}

/// Returns one 64-bit element per lane, of `len` per lane.
#[inline(always)]
fn long_words(bytes: &[u8], len: usize, element: usize) -> Lanes64 {
    let words = &bytes.as_chunks().0[..32 * len];
    each_lane(|lane| u64::from_le_bytes(words[lane * len + element]))
}

/// Loads 32-bit elements, `BYTES / 128` per lane, for all lanes.
#[inline(always)]
fn load_words<V: View, const BYTES: usize>(
    view: &mut V,
    registers: &mut Registers,
    load: &Load,
    origin: u64,
) -> Option<()> {
    if load.d.iter().flatten().any(|d| matches!(d, Src::R64(_))) {
        return None;
    }
    let bytes = view.load::<BYTES>(origin)?;
    if let Some(bytes) = bytes.first_chunk::<512>() {
        let rows = quads::of_lanes(bytes);
        for (d, row) in load.d.iter().zip(&rows) {
            if let Some(Src::R32(d)) = *d {
                *registers.r32_mut(d) = *row;
            }
        }
        return Some(());
    }
    for element in 0..BYTES / 128 {
        if let Some(Src::R32(d)) = load.d[element] {
            *registers.r32_mut(d) = words(&bytes, BYTES / 128, element);
        }
    }
    Some(())
}

/// Loads 64-bit elements, two per lane, for all lanes.
#[inline(always)]
fn load_long_words<V: View>(
    view: &mut V,
    registers: &mut Registers,
    load: &Load,
    origin: u64,
) -> Option<()> {
    let bytes = view.load::<512>(origin)?;
    for element in 0..2 {
        if let Some(Src::R64(d)) = load.d[element] {
            *registers.r64_mut(d) = long_words(&bytes, 2, element);
        }
    }
    Some(())
}

/// Stores contiguous elements for the lanes of `mask`; `origin` is the address of lane 0's element.
/// Returns `None`, without any effect, if this path does not apply or not all elements are mapped.
#[inline(always)]
pub(super) fn store<V: View>(
    view: &mut V,
    registers: &Registers,
    store: &Store,
    origin: u64,
    mask: LaneMask,
) -> Option<()> {
    if mask != ALL_LANES && !V::PRIVATE {
        return None;
    }
    match (store.ty, store.len, store.s[0]) {
        (MemType::B32, 1, Src::R32(s)) => store_words(view, registers, s, origin, mask),
        (MemType::B64, 1, Src::R64(s)) => store_long_words(view, registers, s, origin, mask),
        _ if mask != ALL_LANES => None,
        (MemType::B32, 2, _) => store_several(view, origin, &several::<2>(registers, store)?),
        (MemType::B32, 4, _) => store_several(view, origin, &several::<4>(registers, store)?),
        (MemType::B64, 2, _) => store_several64(view, origin, &several64(registers, store)?),
        (MemType::U8, 1, Src::R32(s)) => {
            let row = registers.r32(s);
            view.store(origin, each_lane(|lane| row[lane] as u8))
        }
        (MemType::U16, 1, Src::R32(s)) => {
            let row = registers.r32(s);
            let mut bytes = [0; 64];
            for (lane, half) in bytes.as_chunks_mut().0.iter_mut().enumerate() {
                *half = (row[lane] as u16).to_le_bytes();
            }
            view.store(origin, bytes)
        }
        _ => None,
    }
}

#[inline(always)]
fn store_words<V: View>(
    view: &mut V,
    registers: &Registers,
    s: R32,
    origin: u64,
    mask: LaneMask,
) -> Option<()> {
    let mut row = *registers.r32(s);
    if mask != ALL_LANES {
        let mut there = words(&view.load::<128>(origin)?, 1, 0);
        crate::registers::blend32(&mut there, mask, &row);
        row = there;
    }
    view.store(origin, to_bytes(&row))
}

/// Returns the words of all lanes as contiguous bytes.
#[inline(always)]
pub(super) fn to_bytes(row: &Lanes32) -> [u8; 128] {
    let mut bytes = [0; 128];
    for (lane, word) in bytes.as_chunks_mut().0.iter_mut().enumerate() {
        *word = row[lane].to_le_bytes();
    }
    bytes
}

#[inline(always)]
fn store_long_words<V: View>(
    view: &mut V,
    registers: &Registers,
    s: R64,
    origin: u64,
    mask: LaneMask,
) -> Option<()> {
    let mut row = *registers.r64(s);
    if mask != ALL_LANES {
        let mut there = long_words(&view.load::<256>(origin)?, 1, 0);
        crate::registers::blend64(&mut there, mask, &row);
        row = there;
    }
    let mut bytes = [0; 256];
    for (lane, word) in bytes.as_chunks_mut().0.iter_mut().enumerate() {
        *word = row[lane].to_le_bytes();
    }
    view.store(origin, bytes)
}

/// Returns the sources of a store of 32-bit elements.
#[inline(always)]
fn several<'r, const LEN: usize>(
    registers: &'r Registers,
    store: &Store,
) -> Option<[&'r Lanes32; LEN]> {
    let Src::R32(first) = store.s[0] else {
        return None;
    };
    let mut rows = [registers.r32(first); LEN];
    for (row, s) in rows.iter_mut().zip(store.s) {
        let Src::R32(s) = s else { return None };
        *row = registers.r32(s);
    }
    Some(rows)
}

/// Returns the sources of a store of two 64-bit elements.
#[inline(always)]
fn several64<'r>(registers: &'r Registers, store: &Store) -> Option<[&'r Lanes64; 2]> {
    match store.s {
        [Src::R64(a), Src::R64(b), ..] => Some([registers.r64(a), registers.r64(b)]),
        _ => None,
    }
}

/// Stores several 32-bit elements per lane, for all lanes.
#[inline(always)]
fn store_several<V: View, const LEN: usize>(
    view: &mut V,
    origin: u64,
    rows: &[&Lanes32; LEN],
) -> Option<()> {
    let mut bytes = [0; 512];
    for (lane, words) in bytes.as_chunks_mut().0.chunks_exact_mut(LEN).take(32).enumerate() {
        for (word, row) in words.iter_mut().zip(rows) {
            *word = row[lane].to_le_bytes();
        }
    }
    view.write(origin, &bytes[..128 * LEN])
}

/// Stores two 64-bit elements per lane, for all lanes.
#[inline(always)]
fn store_several64<V: View>(view: &mut V, origin: u64, rows: &[&Lanes64; 2]) -> Option<()> {
    let mut bytes = [0; 512];
    for (lane, pair) in bytes.as_chunks_mut().0.chunks_exact_mut(2).enumerate() {
        for (word, row) in pair.iter_mut().zip(rows) {
            *word = row[lane].to_le_bytes();
        }
    }
    view.store(origin, bytes)
}
