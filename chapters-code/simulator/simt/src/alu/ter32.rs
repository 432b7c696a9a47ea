//! Operations with three operands and one 32-bit result.

use super::float::Mode;
use super::float_lanes::arithmetic;
use super::isa::Vectors;
use super::lanes::{Lanes, with};
use super::{exact, half_lanes, int};
use crate::registers::{LaneMask, Registers};
use ptx::ir::{PrmtMode, R32, Sign, Ter32};

/// Executes `op` on the operands `s`.
#[inline(always)]
pub fn execute<V: Vectors>(lanes: Lanes<'_, V>, op: Ter32, d: R32, s: [R32; 3]) {
    match op {
        Ter32::MadLo => lanes.map3(d, s, |x, y, z| x.wrapping_mul(y).wrapping_add(z)),
        Ter32::MadHiU => lanes.map3(d, s, |x, y, z| int::mul_hi_u32(x, y).wrapping_add(z)),
        Ter32::MadHiS => lanes.map3(d, s, |x, y, z| int::mul_hi_s32(x, y).wrapping_add(z)),
        Ter32::MadLo16 => {
            lanes.map3(d, s, |x, y, z| x.wrapping_mul(y).wrapping_add(z) & 0xffff);
        }
        Ter32::MadWideU16 => lanes.map3(d, s, |x, y, z| int::mul_wide_u16(x, y).wrapping_add(z)),
        Ter32::MadWideS16 => lanes.map3(d, s, |x, y, z| int::mul_wide_s16(x, y).wrapping_add(z)),
        Ter32::Mad24LoU => {
            lanes.each3(d, s, |x, y, z| int::mul24_lo_u(x, y).wrapping_add(z));
        }
        Ter32::Mad24LoS => {
            lanes.each3(d, s, |x, y, z| int::mul24_lo_s(x, y).wrapping_add(z));
        }
        Ter32::SadU => lanes.map3(d, s, |x, y, z| x.abs_diff(y).wrapping_add(z)),
        Ter32::SadS => {
            lanes.map3(d, s, |x, y, z| (x as i32).abs_diff(y as i32).wrapping_add(z));
        }
        Ter32::FmaF32 { round, ftz, sat } => {
            let mode = Mode { round, ftz, sat };
            arithmetic(lanes, d, s, mode, (|[x, y, z]| x.mul_add(y, z), exact::fma));
        }
        Ter32::FmaHalf { half, relu } => half_lanes::fused(lanes, half, relu, d, s),
        Ter32::BfeU => lanes.map3(d, s, int::bfe_u32),
        Ter32::BfeS => lanes.map3(d, s, int::bfe_s32),
        Ter32::Prmt(mode) => permute(mode, lanes.regs, lanes.mask, d, s),
        Ter32::ShfLeftClamp => lanes.map3(d, s, |x, y, z| int::funnel_left(x, y, z.min(32))),
        Ter32::ShfLeftWrap => lanes.map3(d, s, |x, y, z| int::funnel_left(x, y, z & 31)),
        Ter32::ShfRightClamp => lanes.map3(d, s, |x, y, z| int::funnel_right(x, y, z.min(32))),
        Ter32::ShfRightWrap => lanes.map3(d, s, |x, y, z| int::funnel_right(x, y, z & 31)),
        Ter32::Dp4a(a, b) => dp4a([a, b], lanes.regs, lanes.mask, d, s),
        Ter32::Dp2aLo(a, b) => dp2a([a, b], 0, lanes.regs, lanes.mask, d, s),
        Ter32::Dp2aHi(a, b) => dp2a([a, b], 2, lanes.regs, lanes.mask, d, s),
        Ter32::Fns => lanes.each3(d, s, int::fns),
    }
}

#[inline(never)]
fn permute(mode: PrmtMode, regs: &mut Registers, mask: LaneMask, d: R32, s: [R32; 3]) {
    with(regs, mask, d, s, |[x, y, z]| int::prmt(mode, x, y, z));
}

#[inline(never)]
fn dp4a(signs: [Sign; 2], regs: &mut Registers, mask: LaneMask, d: R32, s: [R32; 3]) {
    with(regs, mask, d, s, |[x, y, z]| int::dp4a(signs, x, y, z));
}

#[inline(never)]
fn dp2a(signs: [Sign; 2], first: u32, regs: &mut Registers, mask: LaneMask, d: R32, s: [R32; 3]) {
    with(regs, mask, d, s, |[x, y, z]| int::dp2a(signs, first, x, y, z));
}
