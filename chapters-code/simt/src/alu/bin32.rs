//! Two operands to one 32-bit result.

use super::exact;
use super::float::{self, Mode, SIGN32};
use super::float_lanes::{arithmetic2, min_max};
use super::half::{Order, Sum};
use super::int::{self, sext16};
use super::lanes::{each2, map2};
use super::vectors::Vectors;
use crate::registers::{LaneMask, Registers};
use ptx::ir::{Bin32, R32, Round};

/// Executes `op` on `s`, the operands. See the parent module for what `mask` means.
#[inline(always)]
pub fn execute<V: Vectors>(
    vectors: V,
    op: Bin32,
    regs: &mut Registers,
    mask: LaneMask,
    d: R32,
    s: [R32; 2],
) {
    match op {
        Bin32::Add => map2(regs, d, s, u32::wrapping_add),
        Bin32::Sub => map2(regs, d, s, u32::wrapping_sub),
        Bin32::MulLo => map2(regs, d, s, u32::wrapping_mul),
        Bin32::MulHiU => map2(regs, d, s, int::mul_hi_u32),
        Bin32::MulHiS => map2(regs, d, s, int::mul_hi_s32),
        Bin32::Mul24LoU => each2(regs, mask, d, s, int::mul24_lo_u),
        Bin32::Mul24LoS => each2(regs, mask, d, s, int::mul24_lo_s),
        Bin32::Mul24HiU => each2(regs, mask, d, s, int::mul24_hi_u),
        Bin32::Mul24HiS => each2(regs, mask, d, s, int::mul24_hi_s),
        Bin32::DivU => vectors.div_u32(regs, d, s),
        Bin32::DivS => vectors.div_s32(regs, d, s),
        Bin32::RemU => vectors.rem_u32(regs, d, s),
        Bin32::RemS => vectors.rem_s32(regs, d, s),
        Bin32::MinU => map2(regs, d, s, u32::min),
        Bin32::MinS => map2(regs, d, s, int::min_s32),
        Bin32::MaxU => map2(regs, d, s, u32::max),
        Bin32::MaxS => map2(regs, d, s, int::max_s32),
        Bin32::And => map2(regs, d, s, |x, y| x & y),
        Bin32::Or => map2(regs, d, s, |x, y| x | y),
        Bin32::Xor => map2(regs, d, s, |x, y| x ^ y),
        Bin32::Shl => map2(regs, d, s, int::shl),
        Bin32::ShrU => map2(regs, d, s, int::shr),
        Bin32::ShrS => map2(regs, d, s, int::sar),
        Bin32::AddSatS => each2(regs, mask, d, s, int::add_sat),
        Bin32::SubSatS => each2(regs, mask, d, s, int::sub_sat),
        Bin32::BmskClamp => each2(regs, mask, d, s, int::bmsk_clamp),
        Bin32::BmskWrap => each2(regs, mask, d, s, int::bmsk_wrap),
        Bin32::SzextClampU => each2(regs, mask, d, s, int::szext_clamp_u),
        Bin32::SzextClampS => each2(regs, mask, d, s, int::szext_clamp_s),
        Bin32::Add16 => map2(regs, d, s, |x, y| x.wrapping_add(y) & 0xffff),
        Bin32::Sub16 => map2(regs, d, s, |x, y| x.wrapping_sub(y) & 0xffff),
        Bin32::MulLo16 => map2(regs, d, s, |x, y| x.wrapping_mul(y) & 0xffff),
        Bin32::MulHiU16 => each2(regs, mask, d, s, |x, y| int::mul_wide_u16(x, y) >> 16),
        Bin32::MulHiS16 => each2(regs, mask, d, s, |x, y| int::mul_wide_s16(x, y) >> 16),
        Bin32::MulWideU16 => map2(regs, d, s, int::mul_wide_u16),
        Bin32::MulWideS16 => map2(regs, d, s, int::mul_wide_s16),
        Bin32::DivU16 => each2(regs, mask, d, s, |x, y| unsigned16(x, y, int::div_u32)),
        Bin32::DivS16 => each2(regs, mask, d, s, |x, y| signed16(x, y, int::div_s32)),
        Bin32::RemU16 => each2(regs, mask, d, s, |x, y| unsigned16(x, y, int::rem_u32)),
        Bin32::RemS16 => each2(regs, mask, d, s, |x, y| signed16(x, y, int::rem_s32)),
        Bin32::MinU16 => map2(regs, d, s, |x, y| unsigned16(x, y, u32::min)),
        Bin32::MinS16 => map2(regs, d, s, |x, y| signed16(x, y, int::min_s32)),
        Bin32::MaxU16 => map2(regs, d, s, |x, y| unsigned16(x, y, u32::max)),
        Bin32::MaxS16 => map2(regs, d, s, |x, y| signed16(x, y, int::max_s32)),
        Bin32::Shl16 => map2(regs, d, s, |x, y| int::shl(x, y) & 0xffff),
        Bin32::ShrU16 => map2(regs, d, s, |x, y| int::shr(x & 0xffff, y)),
        Bin32::ShrS16 => map2(regs, d, s, |x, y| int::sar(sext16(x), y) & 0xffff),
        Bin32::AddF32 { round, ftz, sat } => {
            let mode = Mode { round, ftz, sat };
            arithmetic2(regs, mask, d, s, mode, (|x, y| x + y, exact::add));
        }
        Bin32::SubF32 { round, ftz, sat } => {
            let mode = Mode { round, ftz, sat };
            arithmetic2(regs, mask, d, s, mode, (|x, y| x - y, exact::sub));
        }
        Bin32::MulF32 { round, ftz, sat } => {
            let mode = Mode { round, ftz, sat };
            arithmetic2(regs, mask, d, s, mode, (|x, y| x * y, exact::mul));
        }
        Bin32::DivF32 { round, ftz } => {
            let mode = Mode {
                round,
                ftz,
                sat: false,
            };
            arithmetic2(regs, mask, d, s, mode, (|x, y| x / y, exact::div));
        }
        Bin32::DivApproxF32 { ftz } => {
            let mode = Mode {
                round: Round::NearestEven,
                ftz,
                sat: false,
            };
            arithmetic2(regs, mask, d, s, mode, (|x, y| x / y, exact::div));
        }
        Bin32::MinF32 { ftz, nan } => min_max(regs, mask, d, s, [ftz, nan], float::min32),
        Bin32::MaxF32 { ftz, nan } => min_max(regs, mask, d, s, [ftz, nan], float::max32),
        Bin32::CopysignF32 => map2(regs, d, s, |x, y| (x & SIGN32) | (y & !SIGN32)),
        Bin32::AddHalf(half) => vectors.half_sum(Sum { flip: 0 }, half, regs, mask, d, s),
        Bin32::SubHalf(half) => vectors.half_sum(Sum { flip: 0x8000 }, half, regs, mask, d, s),
        Bin32::MulHalf(half) => vectors.half_product(half, regs, mask, d, s),
        Bin32::MinHalf(half) => vectors.half_order(Order::Min, half, regs, mask, d, s),
        Bin32::MaxHalf(half) => vectors.half_order(Order::Max, half, regs, mask, d, s),
        Bin32::MinNanHalf(half) => vectors.half_order(Order::MinNan, half, regs, mask, d, s),
        Bin32::MaxNanHalf(half) => vectors.half_order(Order::MaxNan, half, regs, mask, d, s),
    }
}

/// A 16-bit operation on zero-extended operands.
#[inline(always)]
fn unsigned16(x: u32, y: u32, f: fn(u32, u32) -> u32) -> u32 {
    f(x & 0xffff, y & 0xffff) & 0xffff
}

/// A 16-bit operation on sign-extended operands.
#[inline(always)]
fn signed16(x: u32, y: u32, f: fn(u32, u32) -> u32) -> u32 {
    f(sext16(x), sext16(y)) & 0xffff
}
