//! `f16` and `bf16` arithmetic against exact sums of integers, rounded by searching all numbers of
//! the format.

use super::common::{self, Random, S, check32};
use half::{bf16, f16};
use ptx::ir::{Alu, Bin32, Half, Ter32, Un32};
use simt::registers::Lanes32;

const F16: Half = Half::F16 { ftz: false, sat: false };
const F16X2: Half = Half::F16x2 { ftz: false, sat: false };
const FORMATS: [Half; 4] = [F16, F16X2, Half::Bf16, Half::Bf16x2];

const HALVES: &[u32] = &[
    0x0000, 0x8000, 0x0001, 0x8001, 0x03ff, 0x0400, 0x0401, 0x8400, 0x1400, 0x3bff, 0x3c00, 0x3c01,
    0xbc00, 0x4000, 0x6400, 0x6801, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7c01, 0x7e00, 0xfe01, 0x7fff,
    0x007f, 0x0080, 0x0081, 0x3f7f, 0x3f80, 0x3f81, 0xbf80, 0x4380, 0x7f7f, 0xff7f, 0x7f80, 0xff80,
    0x7f81, 0x7fc0, 0x0101, 0x1fc0, 0x2001, 0x00ff,
];

/// Pairs of halves: all combinations of two, and random ones.
fn rows<const N: usize>(random: u64) -> Vec<[Lanes32; N]> {
    let mut rows = common::combinations::<N, u32>(&HALVES[..if N == 2 { 42 } else { 21 }]);
    if N == 3 {
        rows.extend(common::combinations::<N, u32>(&HALVES[21..]));
    }
    // The upper halves go through the same values in another order.
    for (n, row) in rows.clone().into_iter().rev().enumerate() {
        for (operand, lanes) in row.into_iter().enumerate() {
            for (lane, half) in lanes.into_iter().enumerate() {
                rows[n][operand][lane] |= half << 16;
            }
        }
    }
    rows.extend((0..random).map(|seed| {
        let mut random = Random(seed);
        std::array::from_fn(|_| {
            let mut half = || random.row32(HALVES).map(|x| x & 0xffff);
            let (upper, lower) = (half(), half());
            std::array::from_fn(|i| upper[i] << 16 | lower[i])
        })
    }));
    rows
}

fn is_f16(half: Half) -> bool {
    matches!(half, Half::F16 { .. } | Half::F16x2 { .. })
}

fn value(half: Half, bits: u32) -> f64 {
    if is_f16(half) {
        f16::from_bits(bits as u16).into()
    } else {
        bf16::from_bits(bits as u16).into()
    }
}

fn infinity(half: Half) -> u32 {
    if is_f16(half) { 0x7c00 } else { 0x7f80 }
}

/// `model` on the halves that count.
fn lanewise<const N: usize>(half: Half, s: [u32; N], model: impl Fn([u32; N]) -> u32) -> u32 {
    let lower = model(s.map(|x| x & 0xffff));
    match half {
        Half::F16 { .. } | Half::Bf16 => lower,
        Half::F16x2 { .. } | Half::Bf16x2 => lower | model(s.map(|x| x >> 16)) << 16,
    }
}

/// `sum` of the terms, exactly, as an integer multiple of 2^-298; `f16` and `bf16` products are
/// that. 600 bits, two's complement, lowest word first.
type Exact = [u64; 10];

const LOWEST: i32 = -298;

fn add_exact(a: Exact, b: Exact) -> Exact {
    let mut carry = false;
    std::array::from_fn(|i| {
        let (x, first) = a[i].overflowing_add(b[i]);
        let (x, second) = x.overflowing_add(carry.into());
        carry = first | second;
        x
    })
}

fn negate_exact(a: Exact) -> Exact {
    add_exact(a.map(|x| !x), std::array::from_fn(|i| u64::from(i == 0)))
}

fn is_negative(a: &Exact) -> bool {
    a[9] >> 63 == 1
}

/// A finite `f64` whose lowest bit is not below 2^-298.
fn exact(x: f64) -> Exact {
    let bits = x.abs().to_bits();
    let biased = (bits >> 52) as i32;
    let fraction = bits & ((1 << 52) - 1) | u64::from(biased != 0) << 52;
    let shift = biased.max(1) - 1075 - LOWEST;
    let mut out = [0; 10];
    if fraction != 0 {
        let (fraction, shift) =
            if shift < 0 { (fraction >> -shift, 0) } else { (fraction, shift as usize) };
        let wide = u128::from(fraction) << (shift % 64);
        out[shift / 64] = wide as u64;
        out[shift / 64 + 1] = (wide >> 64) as u64;
    }
    if x < 0.0 { negate_exact(out) } else { out }
}

/// The number of the format nearest to `x`, by bisection over its bits; `zero` is the sign of a
/// zero.
fn nearest(half: Half, x: Exact, zero: u32) -> u32 {
    if x == [0; 10] {
        return zero;
    }
    let sign = if is_negative(&x) { 0x8000 } else { 0 };
    let magnitude = if sign != 0 { negate_exact(x) } else { x };
    // Infinity stands for the number that would follow the largest one.
    let at = |bits: u32| {
        if bits == infinity(half) {
            exact(2.0 * value(half, bits - (infinity(half) & !(infinity(half) << 1))))
        } else {
            exact(value(half, bits))
        }
    };
    let above = |bits: u32| is_negative(&add_exact(magnitude, negate_exact(at(bits))));
    let (mut low, mut high) = (0, infinity(half));
    if !above(high) {
        return sign | high;
    }
    while high - low > 1 {
        let middle = (low + high) / 2;
        if above(middle) { high = middle } else { low = middle }
    }
    // Twice the number against the sum of its neighbours.
    let twice = add_exact(magnitude, magnitude);
    let neighbours = add_exact(at(low), at(high));
    let rest = add_exact(twice, negate_exact(neighbours));
    let up = match (rest == [0; 10], is_negative(&rest)) {
        (true, _) => low & 1 == 1,
        (false, negative) => !negative,
    };
    sign | if up { high } else { low }
}

/// `a × b + c`, rounded once, with PTX's NaN.
fn fused(half: Half, a: u32, b: u32, c: u32) -> u32 {
    let [x, y, z] = [a, b, c].map(|bits| value(half, bits));
    let usual = x * y + z;
    if usual.is_nan() {
        return 0x7fff;
    }
    if x.is_infinite() || y.is_infinite() || z.is_infinite() {
        return infinity(half) | if usual < 0.0 { 0x8000 } else { 0 };
    }
    let zero = if usual.is_sign_negative() { 0x8000 } else { 0 };
    nearest(half, add_exact(exact(x * y), exact(z)), zero)
}

fn product(half: Half, a: u32, b: u32) -> u32 {
    // -0 is the neutral element of addition.
    fused(half, a, b, 0x8000)
}

fn sum(half: Half, a: u32, b: u32) -> u32 {
    let one = if is_f16(half) { 0x3c00 } else { 0x3f80 };
    fused(half, a, one, b)
}

#[test]
fn sums_and_products() {
    for [x, y] in rows(60) {
        for half in FORMATS {
            let make = |op| move |d| Alu::Bin32 { op, d, a: S[0], b: S[1] };
            check32(&[x, y], &[], make(Bin32::AddHalf(half)), |i| {
                lanewise(half, [x[i], y[i]], |[a, b]| sum(half, a, b))
            });
            check32(&[x, y], &[], make(Bin32::SubHalf(half)), |i| {
                lanewise(half, [x[i], y[i]], |[a, b]| sum(half, a, b ^ 0x8000))
            });
            check32(&[x, y], &[], make(Bin32::MulHalf(half)), |i| {
                lanewise(half, [x[i], y[i]], |[a, b]| product(half, a, b))
            });
        }
    }
}

#[test]
fn fma() {
    for [x, y, z] in rows(200).into_iter().step_by(3) {
        for half in FORMATS {
            for relu in [false, true] {
                let op = Ter32::FmaHalf { half, relu };
                let make = |d| Alu::Ter32 { op, d, a: S[0], b: S[1], c: S[2] };
                check32(&[x, y, z], &[], make, |i| {
                    lanewise(half, [x[i], y[i], z[i]], |[a, b, c]| {
                        let result = fused(half, a, b, c);
                        if relu && result & 0x8000 != 0 { 0 } else { result }
                    })
                });
            }
        }
    }
}

#[test]
fn fma_near_cancellation() {
    for seed in 0..300 {
        let mut random = Random(seed);
        let [x, y]: [Lanes32; 2] =
            std::array::from_fn(|_| random.row32(HALVES).map(|x| x & 0xffff));
        for half in [F16, Half::Bf16] {
            let z: Lanes32 = std::array::from_fn(|i| {
                let opposite = product(half, x[i], y[i]) ^ 0x8000;
                opposite.wrapping_add((random.next() % 5) as u32).wrapping_sub(2) & 0xffff
            });
            let op = Ter32::FmaHalf { half, relu: false };
            let make = |d| Alu::Ter32 { op, d, a: S[0], b: S[1], c: S[2] };
            check32(&[x, y, z], &[], make, |i| fused(half, x[i], y[i], z[i]));
        }
    }
}

/// Where a product and an addend fall next to the middle of two numbers: a sum rounded twice goes
/// wrong there.
#[test]
fn fma_next_to_ties() {
    for seed in 0..300 {
        let mut random = Random(seed);
        for half in [F16, Half::Bf16] {
            let cases: [[u32; 3]; 32] = std::array::from_fn(|i| {
                if i % 2 == 0 { half_a_step(half, &mut random) } else { tie(half, &mut random) }
            });
            let [x, y, z] = [0, 1, 2].map(|n| cases.map(|case| case[n]));
            let op = Ter32::FmaHalf { half, relu: false };
            let make = |d| Alu::Ter32 { op, d, a: S[0], b: S[1], c: S[2] };
            check32(&[x, y, z], &[], make, |i| fused(half, x[i], y[i], z[i]));
        }
    }
}

fn bits_of(half: Half, value: f64) -> u32 {
    let bits =
        if is_f16(half) { f16::from_f64(value).to_bits() } else { bf16::from_f64(value).to_bits() };
    bits.into()
}

/// A product of about half a step between the numbers around the addend.
fn half_a_step(half: Half, random: &mut Random) -> [u32; 3] {
    let one = if is_f16(half) { 0x3c00 } else { 0x3f80 };
    let a = one + (random.next() % 0x80) as u32;
    let c = one + (random.next() % 0x80) as u32;
    let step = value(half, c + 1) - value(half, c);
    [a, bits_of(half, step / 2.0 / value(half, a)), c]
}

/// A product exactly between two numbers, and a small addend of either sign.
fn tie(half: Half, random: &mut Random) -> [u32; 3] {
    let (least, steps) = if is_f16(half) { (2049, 0x3ff) } else { (257, 0x7f) };
    let odd = (random.next() % steps) as u32 * 2;
    // Three times an odd number, with one bit more than the format has.
    let factor = (least + odd).div_ceil(3) | 1;
    let scale = if is_f16(half) { 1.0 } else { 2f64.powi((random.next() % 160) as i32 - 80) };
    let sign = ((random.next() % 2) << 15) as u32;
    let small = if is_f16(half) { 1 + (random.next() % 3) as u32 } else { 0x0080 };
    [bits_of(half, 3.0), bits_of(half, f64::from(factor) * scale), sign | small]
}

#[test]
fn modifiers_of_f16() {
    let flush = |x: u32, ftz| {
        if ftz && x & 0x7c00 == 0 { x & 0x8000 } else { x }
    };
    let saturate = |x: u32, sat| match f16::from_bits(x as u16).to_f32() {
        value if sat && (value.is_nan() || value <= 0.0) => 0,
        value if sat && value > 1.0 => 0x3c00,
        _ => x,
    };
    for [x, y] in rows(20) {
        for (ftz, sat) in [(false, true), (true, false), (true, true)] {
            for half in [Half::F16 { ftz, sat }, Half::F16x2 { ftz, sat }] {
                // Below the smallest normal number, 2^-14, when rounded to 11 bits: a tie goes to it.
                let least = 2f64.powi(-14) - 2f64.powi(-26);
                let finish = |x: u32, exact: f64| match ftz && exact.abs() < least {
                    true => saturate(x & 0x8000, sat),
                    false => saturate(x, sat),
                };
                let number = |x: u32| value(half, x);
                let make = |op| move |d| Alu::Bin32 { op, d, a: S[0], b: S[1] };
                check32(&[x, y], &[], make(Bin32::AddHalf(half)), |i| {
                    lanewise(half, [x[i], y[i]], |[a, b]| {
                        let [a, b] = [flush(a, ftz), flush(b, ftz)];
                        finish(sum(half, a, b), number(a) + number(b))
                    })
                });
                check32(&[x, y], &[], make(Bin32::MulHalf(half)), |i| {
                    lanewise(half, [x[i], y[i]], |[a, b]| {
                        let [a, b] = [flush(a, ftz), flush(b, ftz)];
                        finish(product(half, a, b), number(a) * number(b))
                    })
                });
                let op = Ter32::FmaHalf { half, relu: false };
                let make = |d| Alu::Ter32 { op, d, a: S[0], b: S[1], c: S[0] };
                check32(&[x, y], &[], make, |i| {
                    lanewise(half, [x[i], y[i]], |[a, b]| {
                        let [a, b] = [flush(a, ftz), flush(b, ftz)];
                        finish(fused(half, a, b, a), number(a) * number(b) + number(a))
                    })
                });
            }
        }
    }
}

#[test]
fn minimum_and_maximum() {
    fn min(half: Half, a: u32, b: u32, propagate: bool) -> u32 {
        let (x, y) = (value(half, a), value(half, b));
        match (x.is_nan(), y.is_nan()) {
            (true, true) => 0x7fff,
            (true, false) | (false, true) if propagate => 0x7fff,
            (true, false) => b,
            (false, true) => a,
            (false, false) if x < y || x == y && x.is_sign_negative() => a,
            (false, false) => b,
        }
    }
    fn max(half: Half, a: u32, b: u32, propagate: bool) -> u32 {
        let result = min(half, a ^ 0x8000, b ^ 0x8000, propagate);
        if result == 0x7fff { result } else { result ^ 0x8000 }
    }
    type Model = fn(Half, u32, u32, bool) -> u32;
    type Make = fn(Half) -> Bin32;
    let table: &[(Make, Model, bool)] = &[
        (Bin32::MinHalf, min, false),
        (Bin32::MaxHalf, max, false),
        (Bin32::MinNanHalf, min, true),
        (Bin32::MaxNanHalf, max, true),
    ];
    for [x, y] in rows(60) {
        for half in FORMATS {
            for (op, model, propagate) in table {
                let make = |d| Alu::Bin32 { op: op(half), d, a: S[0], b: S[1] };
                check32(&[x, y], &[], make, |i| {
                    lanewise(half, [x[i], y[i]], |[a, b]| model(half, a, b, *propagate))
                });
            }
        }
    }
}

#[test]
fn signs() {
    let unless_nan = |half, x: u32, result| {
        if value(half, x).is_nan() { 0x7fff } else { result }
    };
    for [x, _] in rows(20) {
        for half in FORMATS {
            let make = |op| move |d| Alu::Un32 { op, d, a: S[0] };
            check32(&[x], &[], make(Un32::NegHalf(half)), |i| {
                lanewise(half, [x[i]], |[a]| unless_nan(half, a, a ^ 0x8000))
            });
            check32(&[x], &[], make(Un32::AbsHalf(half)), |i| {
                lanewise(half, [x[i]], |[a]| unless_nan(half, a, a & 0x7fff))
            });
        }
    }
}
