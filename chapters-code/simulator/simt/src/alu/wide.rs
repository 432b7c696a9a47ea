//! Operations with 64-bit results.

use super::double_lanes::arithmetic;
use super::isa::Vectors;
use super::lanes::{Lanes, row};
use super::{approx, exact, float, int};
use crate::registers::{LaneMask, Registers};
use ptx::ir::{Bin64, Count64, R32, R64, Shift, Sign, Ter64, Un64};

/// Executes a [`Un64`].
#[inline(always)]
pub fn unary<V: Vectors>(lanes: Lanes<'_, V>, op: Un64, d: R64, a: R64) {
    match op {
        Un64::Mov => lanes.map1(d, a, |x| x),
        Un64::Neg => lanes.map1(d, a, u64::wrapping_neg),
        Un64::Not => lanes.map1(d, a, |x| !x),
        Un64::Abs => lanes.map1(d, a, |x| (x as i64).unsigned_abs()),
        Un64::Cnot => lanes.each1(d, a, |x| u64::from(x == 0)),
        Un64::Brev => lanes.each1(d, a, u64::reverse_bits),
        Un64::NegF64 => lanes.map1(d, a, float::neg64),
        Un64::AbsF64 => lanes.map1(d, a, float::abs64),
        Un64::SqrtF64(round) => arithmetic(lanes, d, [a], round, (|[x]| x.sqrt(), exact::sqrt)),
        Un64::RcpF64(round) => arithmetic(lanes, d, [a], round, (|[x]| x.recip(), exact::rcp)),
        Un64::RcpApproxF64 => lanes.each1(d, a, approx::rcp_f64),
        Un64::RsqrtApproxF64 { ftz: false } => lanes.each1(d, a, approx::rsqrt_f64),
        Un64::RsqrtApproxF64 { ftz: true } => lanes.each1(d, a, approx::rsqrt_ftz_f64),
    }
}

/// Executes a [`Bin64`].
#[inline(always)]
pub fn binary<V: Vectors>(lanes: Lanes<'_, V>, op: Bin64, d: R64, s: [R64; 2]) {
    match op {
        Bin64::Add => lanes.map2(d, s, u64::wrapping_add),
        Bin64::Sub => lanes.map2(d, s, u64::wrapping_sub),
        Bin64::MulLo => lanes.map2(d, s, u64::wrapping_mul),
        Bin64::MulHiU => lanes.each2(d, s, int::mul_hi_u64),
        Bin64::MulHiS => lanes.each2(d, s, int::mul_hi_s64),
        Bin64::DivU => lanes.each2(d, s, int::div_u64),
        Bin64::DivS => lanes.each2(d, s, int::div_s64),
        Bin64::RemU => lanes.each2(d, s, int::rem_u64),
        Bin64::RemS => lanes.each2(d, s, int::rem_s64),
        Bin64::MinU => lanes.map2(d, s, u64::min),
        Bin64::MinS => lanes.map2(d, s, |x, y| (x as i64).min(y as i64) as u64),
        Bin64::MaxU => lanes.map2(d, s, u64::max),
        Bin64::MaxS => lanes.map2(d, s, |x, y| (x as i64).max(y as i64) as u64),
        Bin64::And => lanes.map2(d, s, |x, y| x & y),
        Bin64::Or => lanes.map2(d, s, |x, y| x | y),
        Bin64::Xor => lanes.map2(d, s, |x, y| x ^ y),
        Bin64::AddF64(round) => arithmetic(lanes, d, s, round, (|[x, y]| x + y, exact::add)),
        Bin64::SubF64(round) => arithmetic(lanes, d, s, round, (|[x, y]| x - y, exact::sub)),
        Bin64::MulF64(round) => arithmetic(lanes, d, s, round, (|[x, y]| x * y, exact::mul)),
        // The operands are exchanged, because a NaN's bits are those of the dividend first.
        Bin64::DivF64(round) => arithmetic(
            lanes,
            d,
            [s[1], s[0]],
            round,
            (|[y, x]| x / y, |[y, x], round| exact::div([x, y], round)),
        ),
        Bin64::MinF64 => lanes.map2(d, s, float::min64),
        Bin64::MaxF64 => lanes.map2(d, s, float::max64),
        Bin64::CopysignF64 => lanes.each2(d, s, |x, y| (x & (1 << 63)) | (y & !(1 << 63))),
    }
}

/// Executes a [`Ter64`].
#[inline(always)]
pub fn ternary<V: Vectors>(lanes: Lanes<'_, V>, op: Ter64, d: R64, s: [R64; 3]) {
    match op {
        Ter64::MadLo => lanes.map3(d, s, |x, y, z| x.wrapping_mul(y).wrapping_add(z)),
        Ter64::MadHiU => {
            lanes.each3(d, s, |x, y, z| int::mul_hi_u64(x, y).wrapping_add(z));
        }
        Ter64::MadHiS => {
            lanes.each3(d, s, |x, y, z| int::mul_hi_s64(x, y).wrapping_add(z));
        }
        Ter64::SadU => lanes.each3(d, s, |x, y, z| x.abs_diff(y).wrapping_add(z)),
        Ter64::SadS => lanes.each3(d, s, |x, y, z| (x as i64).abs_diff(y as i64).wrapping_add(z)),
        Ter64::FmaF64(round) => {
            arithmetic(lanes, d, s, round, (|[x, y, z]| x.mul_add(y, z), exact::fma));
        }
    }
}

/// Executes shifts by a 32-bit amount.
#[inline(always)]
pub fn shift<V: Vectors>(lanes: Lanes<'_, V>, op: Shift, d: R64, a: R64, b: R32) {
    match op {
        Shift::Left => lanes.map_64_32(d, a, b, |x, n| (x << (n & 63)) & in_range(n)),
        Shift::RightUnsigned => lanes.map_64_32(d, a, b, |x, n| (x >> (n & 63)) & in_range(n)),
        Shift::RightSigned => lanes.map_64_32(d, a, b, |x, n| (x as i64 >> n.min(63)) as u64),
    }
}

/// Returns all ones for a shift amount that leaves bits.
#[inline(always)]
fn in_range(amount: u32) -> u64 {
    if amount < 64 { !0 } else { 0 }
}

/// Computes `mul.wide.u32` in one lane.
#[inline(always)]
fn product_u32(x: u32, y: u32) -> u64 {
    u64::from(x) * u64::from(y)
}

/// Computes `mul.wide.s32` in one lane.
#[inline(always)]
fn product_s32(x: u32, y: u32) -> u64 {
    (i64::from(x as i32) * i64::from(y as i32)) as u64
}

/// Executes `mul.wide`.
#[inline(always)]
pub fn mul_wide<V: Vectors>(lanes: Lanes<'_, V>, sign: Sign, d: R64, s: [R32; 2]) {
    match sign {
        Sign::Unsigned => lanes.map2(d, s, product_u32),
        Sign::Signed => lanes.map2(d, s, product_s32),
    }
}

/// Executes `mad.wide`.
#[inline(always)]
pub fn mad_wide<V: Vectors>(lanes: Lanes<'_, V>, sign: Sign, d: R64, s: [R32; 2], c: R64) {
    match sign {
        Sign::Unsigned => {
            lanes.map_32_32_64(d, s, c, |x, y, z| product_u32(x, y).wrapping_add(z));
        }
        Sign::Signed => {
            lanes.map_32_32_64(d, s, c, |x, y, z| product_s32(x, y).wrapping_add(z));
        }
    }
}

/// Executes `popc`, `clz` and `bfind` of 64 bits.
#[inline(never)]
pub fn count(op: Count64, regs: &mut Registers, mask: LaneMask, d: R32, a: R64) {
    let f = |x: u64| match op {
        Count64::Popc => x.count_ones(),
        Count64::Clz => x.leading_zeros(),
        Count64::BfindU => int::bfind_u64(x),
        Count64::BfindS => int::bfind_s64(x),
        Count64::BfindShiftU => int::shift_amount(int::bfind_u64(x), 64),
        Count64::BfindShiftS => int::shift_amount(int::bfind_s64(x), 64),
    };
    let x = regs.r64(a);
    let out = row!(i => f(x[i]));
    regs.write32(d, mask, &out);
}

/// Executes `bfe.u64` and `bfe.s64`; `field` holds the position and the length.
#[inline(never)]
pub fn bfe(sign: Sign, regs: &mut Registers, mask: LaneMask, d: R64, a: R64, field: [R32; 2]) {
    let f = match sign {
        Sign::Unsigned => int::bfe_u64,
        Sign::Signed => int::bfe_s64,
    };
    let (x, [position, length]) = (regs.r64(a), field.map(|r| regs.r32(r)));
    let out = row!(i => f(x[i], position[i], length[i]));
    regs.write64(d, mask, &out);
}

/// Executes `bfi.b64`; `field` holds the position and the length.
#[inline(never)]
pub fn bfi(regs: &mut Registers, mask: LaneMask, d: R64, s: [R64; 2], field: [R32; 2]) {
    let ([x, y], [position, length]) = (s.map(|r| regs.r64(r)), field.map(|r| regs.r32(r)));
    let out = row!(i => int::bfi_b64(x[i], y[i], position[i], length[i]));
    regs.write64(d, mask, &out);
}
