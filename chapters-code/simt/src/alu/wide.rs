//! Operations with 64-bit results.

use super::double_lanes::{arithmetic1, arithmetic2, arithmetic3};
use super::lanes::{
    each1_64, each2_64, each3_64, lanes, map_32_32, map_32_32_64, map_64_32, map1_64, map2_64,
    map3_64,
};
use super::{approx, exact, float, int};
use crate::registers::{LaneMask, Registers};
use ptx::ir::{Bin64, Count64, R32, R64, Shift, Sign, Ter64, Un64};

/// Executes a [`Un64`]. See the parent module for what `mask` means.
#[inline(always)]
pub fn unary(op: Un64, regs: &mut Registers, mask: LaneMask, d: R64, a: R64) {
    match op {
        Un64::Mov => map1_64(regs, d, a, |x| x),
        Un64::Neg => map1_64(regs, d, a, u64::wrapping_neg),
        Un64::Not => map1_64(regs, d, a, |x| !x),
        Un64::Abs => map1_64(regs, d, a, |x| (x as i64).unsigned_abs()),
        Un64::Cnot => each1_64(regs, mask, d, a, |x| u64::from(x == 0)),
        Un64::Brev => each1_64(regs, mask, d, a, u64::reverse_bits),
        Un64::NegF64 => map1_64(regs, d, a, float::neg64),
        Un64::AbsF64 => map1_64(regs, d, a, float::abs64),
        Un64::SqrtF64(round) => arithmetic1(regs, mask, d, a, round, (f64::sqrt, exact::sqrt)),
        Un64::RcpF64(round) => arithmetic1(regs, mask, d, a, round, (|x| 1.0 / x, exact::rcp)),
        Un64::RcpApproxF64 => each1_64(regs, mask, d, a, approx::rcp_f64),
        Un64::RsqrtApproxF64 => each1_64(regs, mask, d, a, approx::rsqrt_f64),
    }
}

/// Executes a [`Bin64`].
#[inline(always)]
pub fn binary(op: Bin64, regs: &mut Registers, mask: LaneMask, d: R64, s: [R64; 2]) {
    match op {
        Bin64::Add => map2_64(regs, d, s, u64::wrapping_add),
        Bin64::Sub => map2_64(regs, d, s, u64::wrapping_sub),
        Bin64::MulLo => map2_64(regs, d, s, u64::wrapping_mul),
        Bin64::MulHiU => each2_64(regs, mask, d, s, int::mul_hi_u64),
        Bin64::MulHiS => each2_64(regs, mask, d, s, int::mul_hi_s64),
        Bin64::DivU => each2_64(regs, mask, d, s, int::div_u64),
        Bin64::DivS => each2_64(regs, mask, d, s, int::div_s64),
        Bin64::RemU => each2_64(regs, mask, d, s, int::rem_u64),
        Bin64::RemS => each2_64(regs, mask, d, s, int::rem_s64),
        Bin64::MinU => map2_64(regs, d, s, u64::min),
        Bin64::MinS => map2_64(regs, d, s, |x, y| (x as i64).min(y as i64) as u64),
        Bin64::MaxU => map2_64(regs, d, s, u64::max),
        Bin64::MaxS => map2_64(regs, d, s, |x, y| (x as i64).max(y as i64) as u64),
        Bin64::And => map2_64(regs, d, s, |x, y| x & y),
        Bin64::Or => map2_64(regs, d, s, |x, y| x | y),
        Bin64::Xor => map2_64(regs, d, s, |x, y| x ^ y),
        Bin64::AddF64(round) => arithmetic2(regs, mask, d, s, round, (|x, y| x + y, exact::add)),
        Bin64::SubF64(round) => arithmetic2(regs, mask, d, s, round, (|x, y| x - y, exact::sub)),
        Bin64::MulF64(round) => arithmetic2(regs, mask, d, s, round, (|x, y| x * y, exact::mul)),
        Bin64::DivF64(round) => arithmetic2(regs, mask, d, s, round, (|x, y| x / y, exact::div)),
        Bin64::MinF64 => map2_64(regs, d, s, float::min64),
        Bin64::MaxF64 => map2_64(regs, d, s, float::max64),
        Bin64::CopysignF64 => each2_64(regs, mask, d, s, |x, y| (x & (1 << 63)) | (y & !(1 << 63))),
    }
}

/// Executes a [`Ter64`].
#[inline(always)]
pub fn ternary(op: Ter64, regs: &mut Registers, mask: LaneMask, d: R64, s: [R64; 3]) {
    match op {
        Ter64::MadLo => map3_64(regs, d, s, |x, y, z| x.wrapping_mul(y).wrapping_add(z)),
        Ter64::MadHiU => {
            each3_64(regs, mask, d, s, |x, y, z| {
                int::mul_hi_u64(x, y).wrapping_add(z)
            });
        }
        Ter64::MadHiS => {
            each3_64(regs, mask, d, s, |x, y, z| {
                int::mul_hi_s64(x, y).wrapping_add(z)
            });
        }
        Ter64::SadU => each3_64(regs, mask, d, s, |x, y, z| x.abs_diff(y).wrapping_add(z)),
        Ter64::SadS => each3_64(regs, mask, d, s, |x, y, z| {
            (x as i64).abs_diff(y as i64).wrapping_add(z)
        }),
        Ter64::FmaF64(round) => {
            arithmetic3(regs, mask, d, s, round, (f64::mul_add, exact::fma));
        }
    }
}

/// Shifts by a 32-bit amount.
#[inline(always)]
pub fn shift(op: Shift, regs: &mut Registers, d: R64, a: R64, b: R32) {
    match op {
        Shift::Left => map_64_32(regs, d, a, b, |x, n| (x << (n & 63)) & in_range(n)),
        Shift::RightUnsigned => map_64_32(regs, d, a, b, |x, n| (x >> (n & 63)) & in_range(n)),
        Shift::RightSigned => map_64_32(regs, d, a, b, |x, n| (x as i64 >> n.min(63)) as u64),
    }
}

/// All ones for a shift that leaves bits.
#[inline(always)]
fn in_range(amount: u32) -> u64 {
    if amount < 64 { !0 } else { 0 }
}

/// `mul.wide.u32`, in one lane.
#[inline(always)]
fn product_u32(x: u32, y: u32) -> u64 {
    u64::from(x) * u64::from(y)
}

/// `mul.wide.s32`, in one lane.
#[inline(always)]
fn product_s32(x: u32, y: u32) -> u64 {
    (i64::from(x as i32) * i64::from(y as i32)) as u64
}

/// `mul.wide`.
#[inline(always)]
pub fn mul_wide(sign: Sign, regs: &mut Registers, d: R64, s: [R32; 2]) {
    match sign {
        Sign::Unsigned => map_32_32(regs, d, s, product_u32),
        Sign::Signed => map_32_32(regs, d, s, product_s32),
    }
}

/// `mad.wide`.
#[inline(always)]
pub fn mad_wide(sign: Sign, regs: &mut Registers, d: R64, s: [R32; 2], c: R64) {
    match sign {
        Sign::Unsigned => {
            map_32_32_64(regs, d, s, c, |x, y, z| product_u32(x, y).wrapping_add(z));
        }
        Sign::Signed => {
            map_32_32_64(regs, d, s, c, |x, y, z| product_s32(x, y).wrapping_add(z));
        }
    }
}

/// `popc`, `clz` and `bfind` of 64 bits.
#[inline(never)]
pub fn count(op: Count64, regs: &mut Registers, d: R32, a: R64) {
    let x = regs.r64(a);
    let f = |x: u64| match op {
        Count64::Popc => x.count_ones(),
        Count64::Clz => x.leading_zeros(),
        Count64::BfindU => int::bfind_u64(x),
        Count64::BfindS => int::bfind_s64(x),
        Count64::BfindShiftU => int::shift_amount(int::bfind_u64(x), 64),
        Count64::BfindShiftS => int::shift_amount(int::bfind_s64(x), 64),
    };
    *regs.r32_mut(d) = lanes!(i => f(x[i]));
}

/// `bfe.u64`, `bfe.s64`.
#[inline(never)]
pub fn bfe(sign: Sign, regs: &mut Registers, d: R64, a: R64, [position, length]: [R32; 2]) {
    let (x, position, length) = (regs.r64(a), regs.r32(position), regs.r32(length));
    let f = match sign {
        Sign::Unsigned => int::bfe_u64,
        Sign::Signed => int::bfe_s64,
    };
    *regs.r64_mut(d) = lanes!(i => f(x[i], position[i], length[i]));
}

/// `bfi.b64`.
#[inline(never)]
pub fn bfi(regs: &mut Registers, d: R64, s: [R64; 2], [position, length]: [R32; 2]) {
    let (x, y) = (regs.r64(s[0]), regs.r64(s[1]));
    let (position, length) = (regs.r32(position), regs.r32(length));
    *regs.r64_mut(d) = lanes!(i => int::bfi_b64(x[i], y[i], position[i], length[i]));
}
