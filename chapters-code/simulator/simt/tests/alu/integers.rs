//! Integer instructions against models in 128 bits.

use super::bits::{bit, field};
use super::common::{INTEGERS, Random, S, check32, rows32};
use ptx::ir::{Alu, Bin32, Sign, Ter32, Un32};

// Models.
pub type Unary<T, Result> = fn(T) -> Result;
pub type Binary<T> = fn(T, T) -> i128;
pub type Ternary<T> = fn(T, T, T) -> i128;

pub const SIGNS: [Sign; 2] = [Sign::Unsigned, Sign::Signed];

pub fn s32(x: u32) -> i128 {
    (x as i32).into()
}

pub fn u32_(x: u32) -> i128 {
    x.into()
}

fn s16(x: u32) -> i128 {
    (x as i16).into()
}

fn u16_(x: u32) -> i128 {
    (x as u16).into()
}

fn s24(x: u32) -> i128 {
    let low = i128::from(x & 0xff_ffff);
    if low >= 1 << 23 { low - (1 << 24) } else { low }
}

fn u24(x: u32) -> i128 {
    (x & 0xff_ffff).into()
}

pub fn quotient(x: i128, y: i128) -> i128 {
    if y == 0 { -1 } else { x / y }
}

pub fn remainder(x: i128, y: i128) -> i128 {
    if y == 0 { -1 } else { x % y }
}

/// `x` shifted by `amount`, which counts as `limit` above it.
pub fn shifted(x: i128, amount: u32, limit: u32, left: bool) -> i128 {
    let amount = amount.min(limit);
    if left { x << amount } else { x >> amount }
}

#[test]
fn two_operands() {
    let table: &[(Bin32, Binary<u32>)] = &[
        (Bin32::Add, |x, y| u32_(x) + u32_(y)),
        (Bin32::Sub, |x, y| u32_(x) - u32_(y)),
        (Bin32::MulLo, |x, y| u32_(x) * u32_(y)),
        (Bin32::MulHiU, |x, y| (u32_(x) * u32_(y)) >> 32),
        (Bin32::MulHiS, |x, y| (s32(x) * s32(y)) >> 32),
        (Bin32::Mul24LoU, |x, y| u24(x) * u24(y)),
        (Bin32::Mul24LoS, |x, y| s24(x) * s24(y)),
        (Bin32::Mul24HiU, |x, y| (u24(x) * u24(y)) >> 16),
        (Bin32::Mul24HiS, |x, y| (s24(x) * s24(y)) >> 16),
        (Bin32::DivU, |x, y| quotient(u32_(x), u32_(y))),
        (Bin32::DivS, |x, y| quotient(s32(x), s32(y))),
        (Bin32::RemU, |x, y| remainder(u32_(x), u32_(y))),
        (Bin32::RemS, |x, y| remainder(s32(x), s32(y))),
        (Bin32::MinU, |x, y| u32_(x).min(u32_(y))),
        (Bin32::MinS, |x, y| s32(x).min(s32(y))),
        (Bin32::MaxU, |x, y| u32_(x).max(u32_(y))),
        (Bin32::MaxS, |x, y| s32(x).max(s32(y))),
        (Bin32::And, |x, y| (x & y).into()),
        (Bin32::Or, |x, y| (x | y).into()),
        (Bin32::Xor, |x, y| (x ^ y).into()),
        (Bin32::Shl, |x, y| shifted(u32_(x), y, 32, true)),
        (Bin32::ShrU, |x, y| shifted(u32_(x), y, 32, false)),
        (Bin32::ShrS, |x, y| shifted(s32(x), y, 32, false)),
        (Bin32::AddSatS, |x, y| (s32(x) + s32(y)).clamp(i32::MIN.into(), i32::MAX.into())),
        (Bin32::SubSatS, |x, y| (s32(x) - s32(y)).clamp(i32::MIN.into(), i32::MAX.into())),
    ];
    for [x, y] in rows32(INTEGERS, 200) {
        for &(op, model) in table {
            let make = |d| Alu::Bin32 { op, d, a: S[0], b: S[1] };
            check32(&[x, y], &[], make, |i| model(x[i], y[i]) as u32);
        }
    }
}

#[test]
fn two_operands_of_16_bits() {
    let table: &[(Bin32, Binary<u32>)] = &[
        (Bin32::Add16, |x, y| u16_(x) + u16_(y)),
        (Bin32::Sub16, |x, y| u16_(x) - u16_(y)),
        (Bin32::MulLo16, |x, y| u16_(x) * u16_(y)),
        (Bin32::MulHiU16, |x, y| (u16_(x) * u16_(y)) >> 16),
        (Bin32::MulHiS16, |x, y| (s16(x) * s16(y)) >> 16),
        (Bin32::DivU16, |x, y| quotient(u16_(x), u16_(y))),
        (Bin32::DivS16, |x, y| quotient(s16(x), s16(y))),
        (Bin32::RemU16, |x, y| remainder(u16_(x), u16_(y))),
        (Bin32::RemS16, |x, y| remainder(s16(x), s16(y))),
        (Bin32::MinU16, |x, y| u16_(x).min(u16_(y))),
        (Bin32::MinS16, |x, y| s16(x).min(s16(y))),
        (Bin32::MaxU16, |x, y| u16_(x).max(u16_(y))),
        (Bin32::MaxS16, |x, y| s16(x).max(s16(y))),
        (Bin32::Shl16, |x, y| shifted(u16_(x), y, 16, true)),
        (Bin32::ShrU16, |x, y| shifted(u16_(x), y, 16, false)),
        (Bin32::ShrS16, |x, y| shifted(s16(x), y, 16, false)),
    ];
    for [x, y] in rows32(INTEGERS, 200) {
        for &(op, model) in table {
            let make = |d| Alu::Bin32 { op, d, a: S[0], b: S[1] };
            check32(&[x, y], &[], make, |i| model(x[i], y[i]) as u16 as u32);
        }
        let wide_u = |d| Alu::Bin32 { op: Bin32::MulWideU16, d, a: S[0], b: S[1] };
        check32(&[x, y], &[], wide_u, |i| (u16_(x[i]) * u16_(y[i])) as u32);
        let wide_s = |d| Alu::Bin32 { op: Bin32::MulWideS16, d, a: S[0], b: S[1] };
        check32(&[x, y], &[], wide_s, |i| (s16(x[i]) * s16(y[i])) as u32);
    }
}

#[test]
fn three_operands() {
    let table: &[(Ter32, Ternary<u32>)] = &[
        (Ter32::MadLo, |x, y, z| u32_(x) * u32_(y) + u32_(z)),
        (Ter32::MadHiU, |x, y, z| ((u32_(x) * u32_(y)) >> 32) + u32_(z)),
        (Ter32::MadHiS, |x, y, z| ((s32(x) * s32(y)) >> 32) + u32_(z)),
        (Ter32::MadLo16, |x, y, z| (u16_(x) * u16_(y) + u16_(z)) & 0xffff),
        (Ter32::MadWideU16, |x, y, z| u16_(x) * u16_(y) + u32_(z)),
        (Ter32::MadWideS16, |x, y, z| s16(x) * s16(y) + u32_(z)),
        (Ter32::Mad24LoU, |x, y, z| u24(x) * u24(y) + u32_(z)),
        (Ter32::Mad24LoS, |x, y, z| s24(x) * s24(y) + u32_(z)),
        (Ter32::SadU, |x, y, z| (u32_(x) - u32_(y)).abs() + u32_(z)),
        (Ter32::SadS, |x, y, z| (s32(x) - s32(y)).abs() + u32_(z)),
        (Ter32::ShfLeftClamp, |x, y, z| funnel(x, y) << z.min(32) >> 32),
        (Ter32::ShfLeftWrap, |x, y, z| funnel(x, y) << (z & 31) >> 32),
        (Ter32::ShfRightClamp, |x, y, z| funnel(x, y) >> z.min(32)),
        (Ter32::ShfRightWrap, |x, y, z| funnel(x, y) >> (z & 31)),
        (Ter32::BfeU, |x, y, z| field(u32_(x), false, 31, y, z)),
        (Ter32::BfeS, |x, y, z| field(s32(x), true, 31, y, z)),
    ];
    for [x, y, z] in rows32(INTEGERS, 300) {
        for &(op, model) in table {
            let make = |d| Alu::Ter32 { op, d, a: S[0], b: S[1], c: S[2] };
            check32(&[x, y, z], &[], make, |i| model(x[i], y[i], z[i]) as u32);
        }
    }
}

fn funnel(low: u32, high: u32) -> i128 {
    u32_(high) << 32 | u32_(low)
}

/// `bfind` of a non-negative number.
pub fn highest(x: i128) -> u32 {
    (0..64).rev().find(|&i| bit(x, i) == 1).unwrap_or(!0)
}

pub fn magnitude(x: i128) -> i128 {
    if x < 0 { !x } else { x }
}

pub fn shift_amount(position: u32, msb: u32) -> u32 {
    if position == !0 { !0 } else { msb - position }
}

#[test]
fn one_operand() {
    let table: &[(Un32, Unary<u32, u32>)] = &[
        (Un32::Mov, |x| x),
        (Un32::Neg, |x| -s32(x) as u32),
        (Un32::Not, |x| x ^ !0),
        (Un32::Abs, |x| s32(x).unsigned_abs() as u32),
        (Un32::Cnot, |x| if x == 0 { 1 } else { 0 }),
        (Un32::Popc, |x| (0..32).map(|i| x >> i & 1).sum()),
        (Un32::Clz, |x| 31u32.wrapping_sub(highest(u32_(x)))),
        (Un32::Brev, |x| (0..32).map(|i| (x >> i & 1) << (31 - i)).sum()),
        (Un32::BfindU, |x| highest(u32_(x))),
        (Un32::BfindS, |x| highest(magnitude(s32(x)))),
        (Un32::BfindShiftU, |x| shift_amount(highest(u32_(x)), 31)),
        (Un32::BfindShiftS, |x| shift_amount(highest(magnitude(s32(x))), 31)),
        (Un32::Neg16, |x| -s16(x) as u16 as u32),
        (Un32::Not16, |x| !s16(x) as u16 as u32),
        (Un32::Abs16, |x| s16(x).unsigned_abs() as u32 & 0xffff),
        (Un32::Cnot16, |x| if x & 0xffff == 0 { 1 } else { 0 }),
    ];
    for [x] in rows32(INTEGERS, 100) {
        for &(op, model) in table {
            check32(&[x], &[], |d| Alu::Un32 { op, d, a: S[0] }, |i| model(x[i]));
        }
    }
}

#[test]
fn dot_products() {
    let extended = |byte: u8, sign| match sign {
        Sign::Unsigned => i128::from(byte),
        Sign::Signed => i128::from(byte as i8),
    };
    let half = |x: u32, n: usize, sign| match sign {
        Sign::Unsigned => u16_(x >> (16 * n)),
        Sign::Signed => s16(x >> (16 * n)),
    };
    for seed in 0..100 {
        let mut random = Random(seed);
        let [x, y, z] = std::array::from_fn(|_| random.row32(INTEGERS));
        for (p, q) in SIGNS.iter().flat_map(|&p| SIGNS.map(|q| (p, q))) {
            let byte = |i: usize, n: usize| extended(y[i].to_le_bytes()[n], q);
            let make = |op| move |d| Alu::Ter32 { op, d, a: S[0], b: S[1], c: S[2] };
            check32(&[x, y, z], &[], make(Ter32::Dp4a(p, q)), |i| {
                let products = (0..4).map(|n| extended(x[i].to_le_bytes()[n], p) * byte(i, n));
                (u32_(z[i]) + products.sum::<i128>()) as u32
            });
            check32(&[x, y, z], &[], make(Ter32::Dp2aLo(p, q)), |i| {
                let products = (0..2).map(|n| half(x[i], n, p) * byte(i, n));
                (u32_(z[i]) + products.sum::<i128>()) as u32
            });
            check32(&[x, y, z], &[], make(Ter32::Dp2aHi(p, q)), |i| {
                let products = (0..2).map(|n| half(x[i], n, p) * byte(i, n + 2));
                (u32_(z[i]) + products.sum::<i128>()) as u32
            });
        }
    }
}
