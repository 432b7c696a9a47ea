//! Loops over `f64` lanes: vectorised for the usual case, lane by lane for the rest.

use super::exact::Exactly;
use super::float;
use super::isa::Vectors;
use super::lanes::{Lanes, no_nan, row, with1_64, with2_64, with3_64};
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
        return directed1(lanes.regs, lanes.mask, d, a, round, exactly);
    }
    let x = lanes.regs.r64(a);
    let out = row!(i => near(f64::from_bits(x[i])).to_bits());
    if no_nan(&out) {
        lanes.write64(d, &out);
    } else {
        with_nan1(lanes.regs, lanes.mask, d, a, near);
    }
}

#[inline(never)]
fn with_nan1(regs: &mut Registers, mask: LaneMask, d: R64, a: R64, near: impl Fn(f64) -> f64) {
    let near = |[x]: [f64; 1]| near(x);
    with1_64(regs, mask, d, a, |x| float::nearest64([x], near));
}

#[inline(never)]
fn directed1(
    regs: &mut Registers,
    mask: LaneMask,
    d: R64,
    a: R64,
    round: Round,
    exactly: Exactly<1>,
) {
    let f = |values| exactly(values, round);
    with1_64(regs, mask, d, a, |x| float::directed64(round, [x], f));
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
        return directed2(lanes.regs, lanes.mask, d, s, round, exactly);
    }
    let (x, y) = (lanes.regs.r64(s[0]), lanes.regs.r64(s[1]));
    let out = row!(i => near(f64::from_bits(x[i]), f64::from_bits(y[i])).to_bits());
    if no_nan(&out) {
        lanes.write64(d, &out);
    } else {
        with_nan2(lanes.regs, lanes.mask, d, s, near);
    }
}

#[inline(never)]
fn with_nan2(
    regs: &mut Registers,
    mask: LaneMask,
    d: R64,
    s: [R64; 2],
    near: impl Fn(f64, f64) -> f64,
) {
    let near = |[x, y]: [f64; 2]| near(x, y);
    with2_64(regs, mask, d, s, |x, y| float::nearest64([x, y], near));
}

#[inline(never)]
fn directed2(
    regs: &mut Registers,
    mask: LaneMask,
    d: R64,
    s: [R64; 2],
    round: Round,
    exactly: Exactly<2>,
) {
    let f = |values| exactly(values, round);
    with2_64(regs, mask, d, s, |x, y| float::directed64(round, [x, y], f));
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
        return directed3(lanes.regs, lanes.mask, d, s, round, exactly);
    }
    let regs = &*lanes.regs;
    let (x, y, z) = (regs.r64(s[0]), regs.r64(s[1]), regs.r64(s[2]));
    let out =
        row!(i => near(f64::from_bits(x[i]), f64::from_bits(y[i]), f64::from_bits(z[i])).to_bits());
    if no_nan(&out) {
        lanes.write64(d, &out);
    } else {
        with_nan3(lanes.regs, lanes.mask, d, s, near);
    }
}

#[inline(never)]
fn with_nan3(
    regs: &mut Registers,
    mask: LaneMask,
    d: R64,
    s: [R64; 3],
    near: impl Fn(f64, f64, f64) -> f64,
) {
    let near = |[x, y, z]: [f64; 3]| near(x, y, z);
    with3_64(regs, mask, d, s, |x, y, z| float::nearest64([x, y, z], near));
}

#[inline(never)]
fn directed3(
    regs: &mut Registers,
    mask: LaneMask,
    d: R64,
    s: [R64; 3],
    round: Round,
    exactly: Exactly<3>,
) {
    let f = |values| exactly(values, round);
    with3_64(regs, mask, d, s, |x, y, z| float::directed64(round, [x, y, z], f));
}
