//! Loops over `f64` lanes: vectorised for the usual case, lane by lane for the rest.

use super::exact::Exactly;
use super::float;
use super::isa::Vectors;
use super::lanes::{Lanes, no_nan, row, with};
use crate::registers::{LaneMask, Registers};
use ptx::ir::{R64, Round};

/// Computes `d = near(a)`, or `exactly(a)` if the rounding is directed.
///
/// NaN results are rare. Only if a lane has one are the bits of NaNs computed lane by lane.
#[inline(always)]
pub fn arithmetic1<V: Vectors>(
    mut lanes: Lanes<'_, V>,
    d: R64,
    a: R64,
    round: Round,
    (near, exactly): (impl Fn(f64) -> f64, Exactly<1>),
) {
    if !float::is_nearest(round) {
        return directed(lanes.regs, lanes.mask, d, [a], round, exactly);
    }
    let x = lanes.regs.r64(a);
    let out = row!(i => near(f64::from_bits(x[i])).to_bits());
    if no_nan(&out) {
        lanes.write(d, &out);
    } else {
        with_nan(lanes.regs, lanes.mask, d, [a], move |[x]| near(x));
    }
}

/// Computes [`arithmetic1`] with two operands.
#[inline(always)]
pub fn arithmetic2<V: Vectors>(
    mut lanes: Lanes<'_, V>,
    d: R64,
    s: [R64; 2],
    round: Round,
    (near, exactly): (impl Fn(f64, f64) -> f64, Exactly<2>),
) {
    if !float::is_nearest(round) {
        return directed(lanes.regs, lanes.mask, d, s, round, exactly);
    }
    let (x, y) = (lanes.regs.r64(s[0]), lanes.regs.r64(s[1]));
    let out = row!(i => near(f64::from_bits(x[i]), f64::from_bits(y[i])).to_bits());
    if no_nan(&out) {
        lanes.write(d, &out);
    } else {
        with_nan(lanes.regs, lanes.mask, d, s, move |[x, y]| near(x, y));
    }
}

/// Computes [`arithmetic1`] with three operands.
#[inline(always)]
pub fn arithmetic3<V: Vectors>(
    mut lanes: Lanes<'_, V>,
    d: R64,
    s: [R64; 3],
    round: Round,
    (near, exactly): (impl Fn(f64, f64, f64) -> f64, Exactly<3>),
) {
    if !float::is_nearest(round) {
        return directed(lanes.regs, lanes.mask, d, s, round, exactly);
    }
    let regs = &*lanes.regs;
    let (x, y, z) = (regs.r64(s[0]), regs.r64(s[1]), regs.r64(s[2]));
    let out =
        row!(i => near(f64::from_bits(x[i]), f64::from_bits(y[i]), f64::from_bits(z[i])).to_bits());
    if no_nan(&out) {
        lanes.write(d, &out);
    } else {
        with_nan(lanes.regs, lanes.mask, d, s, move |[x, y, z]| near(x, y, z));
    }
}

/// Callers pass a closure with `move`: one that refers to an operation would need a stack frame.
#[inline(never)]
fn with_nan<const N: usize>(
    regs: &mut Registers,
    mask: LaneMask,
    d: R64,
    s: [R64; N],
    near: impl Fn([f64; N]) -> f64,
) {
    with(regs, mask, d, s, |values| float::nearest64(values, &near));
}

#[inline(never)]
fn directed<const N: usize>(
    regs: &mut Registers,
    mask: LaneMask,
    d: R64,
    s: [R64; N],
    round: Round,
    exactly: Exactly<N>,
) {
    let f = |values| exactly(values, round);
    with(regs, mask, d, s, |values| float::directed64(round, values, f));
}
