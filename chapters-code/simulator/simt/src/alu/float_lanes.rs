//! Loops over `f32` lanes: vectorised for the usual modifiers, lane by lane for the rest.

use super::exact::Exactly;
use super::float::{self, Mode, canonical, directed32, flush, flush_if, is_smallest, nearest32};
use super::isa::Vectors;
use super::lanes::{Lanes, row, with};
use crate::registers::{LaneMask, Lanes32, Registers};
use ptx::ir::R32;

/// How a [`Mode`] is executed.
enum Strategy {
    /// Vectorised.
    Plain,
    /// Vectorised, with subnormals flushed.
    Flush,
    /// Lane by lane, with the CPU's rounding.
    Saturate,
    /// Lane by lane, in integers, for any rounding.
    Directed,
}

#[inline(always)]
fn strategy(mode: Mode) -> Strategy {
    match (float::is_nearest(mode.round), mode.sat, mode.ftz) {
        (true, false, false) => Strategy::Plain,
        (true, false, true) => Strategy::Flush,
        (true, true, false) => Strategy::Saturate,
        (false, _, _) | (true, true, true) => Strategy::Directed,
    }
}

/// Whether a lane's result may have been rounded up to the smallest normal number.
#[inline(always)]
fn any_smallest(row: &Lanes32) -> bool {
    row.iter().fold(false, |any, &x| any | is_smallest(x))
}

#[inline(always)]
fn flushed(x: u32) -> f32 {
    f32::from_bits(flush(x))
}

/// Computes `d = near(s)`, or `exactly(s)` if the rounding is directed.
#[inline(always)]
pub fn arithmetic<V: Vectors, const N: usize>(
    mut lanes: Lanes<'_, V>,
    d: R32,
    s: [R32; N],
    mode: Mode,
    (near, exactly): (impl Fn([f32; N]) -> f32, Exactly<N>),
) {
    match strategy(mode) {
        Strategy::Plain => {
            let rows = s.map(|r| lanes.regs.r32(r));
            let out = row!(i => canonical(near(rows.map(|row| f32::from_bits(row[i])))));
            lanes.write(d, &out);
        }
        Strategy::Flush => {
            let rows = s.map(|r| lanes.regs.r32(r));
            let out = row!(i => flush(canonical(near(rows.map(|row| flushed(row[i]))))));
            if any_smallest(&out) {
                directed(lanes.regs, lanes.mask, d, s, mode, exactly)
            } else {
                lanes.write(d, &out)
            }
        }
        Strategy::Saturate => saturated(lanes.regs, lanes.mask, d, s, mode, near),
        Strategy::Directed => directed(lanes.regs, lanes.mask, d, s, mode, exactly),
    }
}

#[inline(never)]
fn saturated<const N: usize>(
    regs: &mut Registers,
    mask: LaneMask,
    d: R32,
    s: [R32; N],
    mode: Mode,
    near: impl Fn([f32; N]) -> f32,
) {
    with(regs, mask, d, s, |values| nearest32(mode, values, &near));
}

#[inline(never)]
fn directed<const N: usize>(
    regs: &mut Registers,
    mask: LaneMask,
    d: R32,
    s: [R32; N],
    mode: Mode,
    exactly: Exactly<N>,
) {
    let f = |values| exactly(values, mode.round);
    with(regs, mask, d, s, |values| directed32(mode, values, f));
}

/// Computes `min` or `max` by `choose`, with the modifiers `ftz` and `NaN`.
#[inline(always)]
pub fn min_max<V: Vectors>(
    lanes: Lanes<'_, V>,
    d: R32,
    s: [R32; 2],
    modifiers: [bool; 2],
    choose: impl Fn(u32, u32) -> u32,
) {
    match modifiers {
        [false, false] => lanes.map2(d, s, choose),
        _ => modified_min_max(lanes.regs, lanes.mask, d, s, modifiers, choose),
    }
}

#[inline(never)]
fn modified_min_max(
    regs: &mut Registers,
    mask: LaneMask,
    d: R32,
    s: [R32; 2],
    [ftz, nan]: [bool; 2],
    choose: impl Fn(u32, u32) -> u32,
) {
    with(regs, mask, d, s, |[x, y]| {
        let (x, y) = (flush_if(ftz, x), flush_if(ftz, y));
        if nan { float::or_nan32(x, y, &choose) } else { choose(x, y) }
    });
}
