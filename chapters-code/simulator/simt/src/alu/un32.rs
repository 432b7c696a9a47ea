//! Operations with one operand and one 32-bit result.

use super::approx::{self, unary_bf16, unary_f16};
use super::float::{Mode, abs32, flush, neg32};
use super::float_lanes::arithmetic;
use super::half::{Bf16, F16, abs16, neg16};
use super::isa::Vectors;
use super::lanes::{Lanes, with};
use super::{exact, half_lanes, int};
use crate::registers::{LaneMask, Registers};
use ptx::ir::{R32, Round, Un32};

/// Executes `op` on `a`.
#[inline(always)]
pub fn execute<V: Vectors>(lanes: Lanes<'_, V>, op: Un32, d: R32, a: R32) {
    match op {
        Un32::Mov => lanes.map1(d, a, |x| x),
        Un32::Neg => lanes.map1(d, a, u32::wrapping_neg),
        Un32::Not => lanes.map1(d, a, |x| !x),
        Un32::Abs => lanes.map1(d, a, |x| (x as i32).unsigned_abs()),
        Un32::Cnot => lanes.map1(d, a, |x| u32::from(x == 0)),
        Un32::Popc => lanes.map1(d, a, u32::count_ones),
        Un32::Clz => lanes.map1(d, a, u32::leading_zeros),
        Un32::Brev => lanes.map1(d, a, u32::reverse_bits),
        Un32::BfindU => lanes.map1(d, a, int::bfind_u32),
        Un32::BfindS => lanes.map1(d, a, int::bfind_s32),
        Un32::BfindShiftU => {
            lanes.each1(d, a, |x| int::shift_amount(int::bfind_u32(x), 32));
        }
        Un32::BfindShiftS => {
            lanes.each1(d, a, |x| int::shift_amount(int::bfind_s32(x), 32));
        }
        Un32::Neg16 => lanes.map1(d, a, |x| x.wrapping_neg() & 0xffff),
        Un32::Not16 => lanes.map1(d, a, |x| !x & 0xffff),
        Un32::Abs16 => lanes.map1(d, a, |x| (int::sext16(x) as i32).unsigned_abs() & 0xffff),
        Un32::Cnot16 => lanes.map1(d, a, |x| u32::from(x & 0xffff == 0)),
        Un32::NegF32 { ftz: false } => lanes.map1(d, a, neg32),
        Un32::NegF32 { ftz: true } => lanes.map1(d, a, |x| neg32(flush(x))),
        Un32::AbsF32 { ftz: false } => lanes.map1(d, a, abs32),
        Un32::AbsF32 { ftz: true } => lanes.map1(d, a, |x| abs32(flush(x))),
        Un32::SqrtF32 { round, ftz } => {
            let mode = Mode { round, ftz, sat: false };
            arithmetic(lanes, d, [a], mode, (|[x]| x.sqrt(), exact::sqrt));
        }
        Un32::RcpF32 { round, ftz } => {
            let mode = Mode { round, ftz, sat: false };
            arithmetic(lanes, d, [a], mode, (|[x]| x.recip(), exact::rcp));
        }
        Un32::SqrtApproxF32 { ftz } => {
            let mode = Mode { round: Round::NearestEven, ftz, sat: false };
            arithmetic(lanes, d, [a], mode, (|[x]| x.sqrt(), exact::sqrt));
        }
        Un32::RcpApproxF32 { ftz } => {
            let mode = Mode { round: Round::NearestEven, ftz, sat: false };
            arithmetic(lanes, d, [a], mode, (|[x]| x.recip(), exact::rcp));
        }
        Un32::RsqrtApproxF32 { ftz } => {
            approximate(lanes.regs, lanes.mask, d, a, ftz, approx::rsqrt)
        }
        Un32::SinApproxF32 { ftz } => approximate(lanes.regs, lanes.mask, d, a, ftz, f64::sin),
        Un32::CosApproxF32 { ftz } => approximate(lanes.regs, lanes.mask, d, a, ftz, f64::cos),
        Un32::Lg2ApproxF32 { ftz } => approximate(lanes.regs, lanes.mask, d, a, ftz, f64::log2),
        Un32::Ex2ApproxF32 { ftz } => approximate(lanes.regs, lanes.mask, d, a, ftz, f64::exp2),
        Un32::TanhApproxF32 => approximate(lanes.regs, lanes.mask, d, a, false, f64::tanh),
        Un32::NegHalf(half) => {
            half_lanes::unary(half, lanes.regs, lanes.mask, [d, a], neg16::<F16>, neg16::<Bf16>);
        }
        Un32::AbsHalf(half) => {
            half_lanes::unary(half, lanes.regs, lanes.mask, [d, a], abs16::<F16>, abs16::<Bf16>);
        }
        Un32::Ex2ApproxHalf(half) => {
            let (f16, bf16) = (|x| unary_f16(x, f64::exp2), |x| unary_bf16(x, f64::exp2));
            half_lanes::unary(half, lanes.regs, lanes.mask, [d, a], f16, bf16);
        }
        Un32::TanhApproxHalf(half) => {
            let (f16, bf16) = (|x| unary_f16(x, f64::tanh), |x| unary_bf16(x, f64::tanh));
            half_lanes::unary(half, lanes.regs, lanes.mask, [d, a], f16, bf16);
        }
    }
}

#[inline(never)]
fn approximate(regs: &mut Registers, mask: LaneMask, d: R32, a: R32, ftz: bool, f: fn(f64) -> f64) {
    with(regs, mask, d, [a], |[x]| approx::unary32(ftz, x, f));
}
