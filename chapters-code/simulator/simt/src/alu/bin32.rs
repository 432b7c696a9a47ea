//! Operations with two operands and one 32-bit result.

use super::float::{self, Mode, SIGN32};
use super::float_lanes::{arithmetic, min_max};
use super::half::{Order, Product, Sum};
use super::int::{self, sext16};
use super::isa::Vectors;
use super::lanes::Lanes;
use super::{approx, exact, half_lanes};
use ptx::ir::{Bin32, R32, Round};

/// Executes `op` on the operands `s`.
#[inline(always)]
pub fn execute<V: Vectors>(lanes: Lanes<'_, V>, op: Bin32, d: R32, s: [R32; 2]) {
    match op {
        Bin32::Add => lanes.map2(d, s, u32::wrapping_add),
        Bin32::Sub => lanes.map2(d, s, u32::wrapping_sub),
        Bin32::MulLo => lanes.map2(d, s, u32::wrapping_mul),
        Bin32::MulHiU => lanes.map2(d, s, int::mul_hi_u32),
        Bin32::MulHiS => lanes.map2(d, s, int::mul_hi_s32),
        Bin32::Mul24LoU => lanes.each2(d, s, int::mul24_lo_u),
        Bin32::Mul24LoS => lanes.each2(d, s, int::mul24_lo_s),
        Bin32::Mul24HiU => lanes.each2(d, s, int::mul24_hi_u),
        Bin32::Mul24HiS => lanes.each2(d, s, int::mul24_hi_s),
        Bin32::DivU => lanes.map2(d, s, int::div_u32),
        Bin32::DivS => lanes.map2(d, s, int::div_s32),
        Bin32::RemU => lanes.map2(d, s, int::rem_u32),
        Bin32::RemS => lanes.map2(d, s, int::rem_s32),
        Bin32::MinU => lanes.map2(d, s, u32::min),
        Bin32::MinS => lanes.map2(d, s, int::min_s32),
        Bin32::MaxU => lanes.map2(d, s, u32::max),
        Bin32::MaxS => lanes.map2(d, s, int::max_s32),
        Bin32::And => lanes.map2(d, s, |x, y| x & y),
        Bin32::Or => lanes.map2(d, s, |x, y| x | y),
        Bin32::Xor => lanes.map2(d, s, |x, y| x ^ y),
        Bin32::Shl => lanes.map2(d, s, int::shl),
        Bin32::ShrU => lanes.map2(d, s, int::shr),
        Bin32::ShrS => lanes.map2(d, s, int::sar),
        Bin32::AddSatS => lanes.each2(d, s, int::add_sat),
        Bin32::SubSatS => lanes.each2(d, s, int::sub_sat),
        Bin32::BmskClamp => lanes.each2(d, s, int::bmsk_clamp),
        Bin32::BmskWrap => lanes.each2(d, s, int::bmsk_wrap),
        Bin32::SzextClampU => lanes.each2(d, s, int::szext_clamp_u),
        Bin32::SzextClampS => lanes.each2(d, s, int::szext_clamp_s),
        Bin32::Add16 => lanes.map2(d, s, |x, y| x.wrapping_add(y) & 0xffff),
        Bin32::Sub16 => lanes.map2(d, s, |x, y| x.wrapping_sub(y) & 0xffff),
        Bin32::MulLo16 => lanes.map2(d, s, |x, y| x.wrapping_mul(y) & 0xffff),
        Bin32::MulHiU16 => lanes.each2(d, s, |x, y| int::mul_wide_u16(x, y) >> 16),
        Bin32::MulHiS16 => lanes.each2(d, s, |x, y| int::mul_wide_s16(x, y) >> 16),
        Bin32::MulWideU16 => lanes.map2(d, s, int::mul_wide_u16),
        Bin32::MulWideS16 => lanes.map2(d, s, int::mul_wide_s16),
        Bin32::DivU16 => lanes.each2(d, s, |x, y| unsigned16(x, y, int::div_u32)),
        Bin32::DivS16 => lanes.each2(d, s, |x, y| signed16(x, y, int::div_s32)),
        Bin32::RemU16 => lanes.each2(d, s, |x, y| unsigned16(x, y, int::rem_u32)),
        Bin32::RemS16 => lanes.each2(d, s, |x, y| signed16(x, y, int::rem_s32)),
        Bin32::MinU16 => lanes.map2(d, s, |x, y| unsigned16(x, y, u32::min)),
        Bin32::MinS16 => lanes.map2(d, s, |x, y| signed16(x, y, int::min_s32)),
        Bin32::MaxU16 => lanes.map2(d, s, |x, y| unsigned16(x, y, u32::max)),
        Bin32::MaxS16 => lanes.map2(d, s, |x, y| signed16(x, y, int::max_s32)),
        Bin32::Shl16 => lanes.map2(d, s, |x, y| int::shl(x, y) & 0xffff),
        Bin32::ShrU16 => lanes.map2(d, s, |x, y| int::shr(x & 0xffff, y)),
        Bin32::ShrS16 => lanes.map2(d, s, |x, y| int::sar(sext16(x), y) & 0xffff),
        Bin32::AddF32 { round, ftz, sat } => {
            let mode = Mode { round, ftz, sat };
            arithmetic(lanes, d, s, mode, (|[x, y]| x + y, exact::add));
        }
        Bin32::SubF32 { round, ftz, sat } => {
            let mode = Mode { round, ftz, sat };
            arithmetic(lanes, d, s, mode, (|[x, y]| x - y, exact::sub));
        }
        Bin32::MulF32 { round, ftz, sat } => {
            let mode = Mode { round, ftz, sat };
            arithmetic(lanes, d, s, mode, (|[x, y]| x * y, exact::mul));
        }
        Bin32::DivF32 { round, ftz } => {
            let mode = Mode { round, ftz, sat: false };
            arithmetic(lanes, d, s, mode, (|[x, y]| x / y, exact::div));
        }
        Bin32::DivApproxF32 { ftz } => {
            let mode = Mode { round: Round::NearestEven, ftz, sat: false };
            arithmetic(
                lanes,
                d,
                s,
                mode,
                (|[x, y]| approx::quotient(x, y), approx::exact_quotient),
            );
        }
        Bin32::DivFullF32 { ftz } => {
            let mode = Mode { round: Round::NearestEven, ftz, sat: false };
            arithmetic(lanes, d, s, mode, (|[x, y]| x / y, exact::div));
        }
        Bin32::MinF32 { ftz, nan } => min_max(lanes, d, s, [ftz, nan], float::min32),
        Bin32::MaxF32 { ftz, nan } => min_max(lanes, d, s, [ftz, nan], float::max32),
        Bin32::CopysignF32 => lanes.map2(d, s, |x, y| (x & SIGN32) | (y & !SIGN32)),
        Bin32::AddHalf(half) => half_lanes::binary(lanes, Sum { flip: 0 }, half, d, s),
        Bin32::SubHalf(half) => half_lanes::binary(lanes, Sum { flip: 0x8000 }, half, d, s),
        Bin32::MulHalf(half) => half_lanes::binary(lanes, Product, half, d, s),
        Bin32::MinHalf(half) => half_lanes::binary(lanes, Order::Min, half, d, s),
        Bin32::MaxHalf(half) => half_lanes::binary(lanes, Order::Max, half, d, s),
        Bin32::MinNanHalf(half) => half_lanes::binary(lanes, Order::MinNan, half, d, s),
        Bin32::MaxNanHalf(half) => half_lanes::binary(lanes, Order::MaxNan, half, d, s),
    }
}

/// Applies a 16-bit operation to zero-extended operands.
#[inline(always)]
fn unsigned16(x: u32, y: u32, f: fn(u32, u32) -> u32) -> u32 {
    f(x & 0xffff, y & 0xffff) & 0xffff
}

/// Applies a 16-bit operation to sign-extended operands.
#[inline(always)]
fn signed16(x: u32, y: u32, f: fn(u32, u32) -> u32) -> u32 {
    f(sext16(x), sext16(y)) & 0xffff
}
