//! Loops over `f64` lanes: vectorised for the usual case, lane by lane for the rest.

use super::exact::Exactly;
use super::float;
use super::isa::Vectors;
use super::lanes::{Lanes, no_nan, row, with};
use crate::registers::{LaneMask, Registers};
use ptx::ir::{R64, Round};

/// Computes `d = near(s)`, or `exactly(s)` if the rounding is directed.
///
/// NaN results are rare. Only if a lane has one are the bits of NaNs computed lane by lane.
#[inline(always)]
pub fn arithmetic<V: Vectors, const N: usize>(
    mut lanes: Lanes<'_, V>,
    d: R64,
    s: [R64; N],
    round: Round,
    (near, exactly): (impl Fn([f64; N]) -> f64, Exactly<N>),
) {
    if !float::is_nearest(round) {
        return directed(lanes.regs, lanes.mask, d, s, round, exactly);
    }
    let rows = s.map(|r| lanes.regs.r64(r));
    let out = row!(i => near(rows.map(|row| f64::from_bits(row[i]))).to_bits());
    if no_nan(&out) {
        lanes.write(d, &out);
    } else {
        with_nan(lanes.regs, lanes.mask, d, s, near);
    }
}

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
