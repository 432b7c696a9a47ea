//! `cvt` in all combinations of types, against the CPU's conversions and exact comparisons.

use super::common::{S, check32};
use super::numbers::*;
use half::{bf16, f16};
use ptx::ir::{Alu, Num, PackedHalf, Round};
use simt::registers::Lanes64;

const DIRECTED: [Round; 4] = [Round::NearestEven, Round::Zero, Round::Down, Round::Up];
const INTEGRAL: [Num; 8] =
    [Num::U8, Num::S8, Num::U16, Num::S16, Num::U32, Num::S32, Num::U64, Num::S64];
const FLOATING: [Num; 4] = [Num::F16, Num::Bf16, Num::F32, Num::F64];

#[test]
fn integer_to_integer() {
    for from in INTEGRAL {
        for row in rows(from) {
            for to in INTEGRAL {
                let (min, max) = range(to);
                check((from, to), (Round::None, false, false), &row, |x| {
                    held(to, integer(from, x))
                });
                check((from, to), (Round::None, true, false), &row, |x| {
                    held(to, integer(from, x).clamp(min, max))
                });
            }
        }
    }
}

/// An `f64` rounded to an integer.
fn integral(x: f64, round: Round) -> f64 {
    match round {
        Round::NearestEven => x.round_ties_even(),
        Round::Zero => x.trunc(),
        Round::Down => x.floor(),
        Round::Up => x.ceil(),
        Round::None => x,
    }
}

#[test]
fn float_to_integer() {
    for from in FLOATING {
        for row in rows(from) {
            for (to, round) in INTEGRAL.iter().flat_map(|&to| DIRECTED.map(|round| (to, round))) {
                let (min, max) = range(to);
                for (sat, ftz) in [(false, false), (true, false), (false, true)] {
                    check((from, to), (round, sat, ftz && from == Num::F32), &row, |x| {
                        let value = float(from, x);
                        if value.is_nan() {
                            let zero = from != Num::F64 && bits(to) != 64;
                            return held(to, if zero { 0 } else { 1 << (bits(to) - 1) });
                        }
                        let subnormal = f32::from_bits(x as u32).is_subnormal();
                        let flushed =
                            if ftz && from == Num::F32 && subnormal { 0.0 } else { value };
                        // `as` saturates.
                        held(to, (integral(flushed, round) as i128).clamp(min, max))
                    });
                }
            }
        }
    }
}

/// Checks a rounded result by its neighbours: `compare` compares a number with the exact value.
fn rounded(
    to: Num,
    round: Round,
    negative: bool,
    compare: impl Fn(f64) -> std::cmp::Ordering,
) -> u64 {
    let infinity: u64 = match to {
        Num::F16 => 0x7c00,
        Num::Bf16 => 0x7f80,
        _ => 0x7f80_0000,
    };
    let sign = u64::from(negative) << (bits(to) - 1);
    let is_above = |magnitude: u64| {
        let ordering = compare(float(to, sign | magnitude));
        if negative { ordering.is_lt() } else { ordering.is_gt() }
    };
    // The largest magnitude not above the exact one.
    let (mut low, mut high) = (0, infinity);
    while high - low > 1 {
        let middle = (low + high) / 2;
        if is_above(middle) { high = middle } else { low = middle }
    }
    if compare(float(to, sign | low)).is_eq() {
        return sign | low;
    }
    let up = match round {
        Round::Zero => false,
        Round::Down => negative,
        Round::Up => !negative,
        Round::NearestEven | Round::None => {
            let next = if high == infinity {
                let unit = float(to, low) - float(to, low - 1);
                float(to, low) + unit
            } else {
                float(to, high)
            };
            let middle = (float(to, low) + next) / 2.0;
            match compare(if negative { -middle } else { middle }) {
                std::cmp::Ordering::Equal => low & 1 == 1,
                ordering => (ordering.is_lt()) != negative,
            }
        }
    };
    sign | if up { high } else { low }
}

#[test]
fn integer_to_float() {
    for from in INTEGRAL {
        for row in rows(from) {
            for (to, round) in FLOATING.iter().flat_map(|&to| DIRECTED.map(|round| (to, round))) {
                check((from, to), (round, false, false), &row, |x| {
                    let value = integer(from, x);
                    let small = i64::try_from(value);
                    match (to, small) {
                        (Num::F32, Ok(value)) => super::cpu::int32(round, value).to_bits().into(),
                        (Num::F64, Ok(value)) => super::cpu::int64(round, value).to_bits(),
                        (Num::F64, Err(_)) => {
                            // Halved, with a sticky bit: the same rounding.
                            let halved = (value >> 1 | value & 1) as i64;
                            (2.0 * super::cpu::int64(round, halved)).to_bits()
                        }
                        _ if value == 0 => 0,
                        _ => rounded(to, round, value < 0, |y| {
                            // Every `y` that matters is an integer, or less than any.
                            (y as i128).cmp(&value).then(y.partial_cmp(&y.trunc()).unwrap())
                        }),
                    }
                });
                check((from, to), (round, true, false), &row, |x| {
                    let one = match to {
                        Num::F16 => 0x3c00,
                        Num::Bf16 => 0x3f80,
                        Num::F32 => 0x3f80_0000,
                        _ => 0x3ff0_0000_0000_0000,
                    };
                    if integer(from, x) > 0 { one } else { 0 }
                });
            }
        }
    }
}

/// What becomes of a NaN.
fn nan(from: Num, to: Num, x: u64) -> u64 {
    // By bits: a compiler may fold a conversion of a NaN to any NaN.
    let widened = |x: u64| (x >> 31 & 1) << 63 | 0x7ff8 << 48 | (x & 0x7f_ffff) << 29;
    let upper = |fraction: u32| (x >> 63, (x & ((1 << 52) - 1) | 1 << 51) >> (52 - fraction));
    match (from, to) {
        (Num::F64, Num::F16) => upper(10).0 << 15 | 0x7c00 | upper(10).1,
        (Num::F64, Num::Bf16) => upper(7).0 << 15 | 0x7f80 | upper(7).1,
        (Num::F64, Num::F32) => upper(23).0 << 31 | 0x7f80_0000 | upper(23).1,
        (_, Num::F16 | Num::Bf16) => 0x7fff,
        (Num::Bf16, Num::F32) => x << 16 & 0xffff_0000,
        (_, Num::F32) => 0x7fff_ffff,
        (Num::Bf16, _) => widened(x << 16 & 0xffff_0000),
        (Num::F32, _) => widened(x),
        (Num::F16, _) => (x >> 15 & 1) << 63 | 0x7ff8 << 48 | (x & 0x3ff) << 42,
        _ => x | 1 << 51,
    }
}

#[test]
fn float_to_float() {
    for from in FLOATING {
        for row in rows(from) {
            for (to, round) in FLOATING.iter().flat_map(|&to| DIRECTED.map(|round| (to, round))) {
                if from == to {
                    continue;
                }
                check((from, to), (round, false, false), &row, |x| {
                    let value = float(from, x);
                    let sign = u64::from(value.is_sign_negative()) << (bits(to) - 1);
                    match to {
                        _ if value.is_nan() => nan(from, to, x),
                        Num::F64 => value.to_bits(),
                        Num::F32 => super::cpu::narrow32((round, false), value).to_bits().into(),
                        Num::F16 if value.is_infinite() => sign | 0x7c00,
                        _ if value.is_infinite() => sign | 0x7f80,
                        _ if value == 0.0 => sign,
                        _ => rounded(to, round, value < 0.0, |y| y.partial_cmp(&value).unwrap()),
                    }
                });
            }
        }
    }
}

#[test]
fn modifiers_between_floats() {
    let flush = |x: u64| {
        let x = f32::from_bits(x as u32);
        u64::from(if x.is_subnormal() { 0f32.copysign(x) } else { x }.to_bits())
    };
    for row in rows(Num::F32) {
        check((Num::F32, Num::F64), (Round::None, false, true), &row, |x| {
            let value = float(Num::F32, flush(x));
            if value.is_nan() { nan(Num::F32, Num::F64, 0x7fff_ffff) } else { value.to_bits() }
        });
        check((Num::F32, Num::F32), (Round::None, true, false), &row, |x| {
            let value = f32::from_bits(x as u32);
            u64::from(if value > 0.0 { value.min(1.0) } else { 0.0 }.to_bits())
        });
    }
    for row in rows(Num::F64) {
        for round in DIRECTED {
            check((Num::F64, Num::F32), (round, false, true), &row, |x| {
                let value = float(Num::F64, x);
                if value.is_nan() {
                    nan(Num::F64, Num::F32, x)
                } else {
                    super::cpu::narrow32((round, true), value).to_bits().into()
                }
            });
        }
    }
}

#[test]
fn integral_values() {
    for num in FLOATING {
        for row in rows(num) {
            for round in DIRECTED {
                check((num, num), (round, false, false), &row, |x| {
                    let value = float(num, x);
                    let result = integral(value, round);
                    match num {
                        _ if value.is_nan() => nan(num, num, x),
                        Num::F16 => f16::from_f64(result).to_bits().into(),
                        Num::Bf16 => bf16::from_f64(result).to_bits().into(),
                        Num::F32 => (result as f32).to_bits().into(),
                        _ => result.to_bits(),
                    }
                });
            }
        }
    }
}

/// Every number of both 16-bit formats, there and back.
#[test]
fn all_halves() {
    for start in (0..=u16::MAX).step_by(32) {
        let row: Lanes64 = std::array::from_fn(|i| u64::from(start) + i as u64);
        let modifiers = (Round::NearestEven, false, false);
        check((Num::F16, Num::F32), modifiers, &row, |x| {
            let value = f16::from_bits(x as u16);
            if value.is_nan() { 0x7fff_ffff } else { value.to_f32().to_bits().into() }
        });
        check((Num::Bf16, Num::F32), modifiers, &row, |x| x << 16);
        let floats = row.map(|x| u64::from(f16::from_bits(x as u16).to_f32().to_bits()));
        check((Num::F32, Num::F16), modifiers, &floats, |x| {
            let value = f32::from_bits(x as u32);
            if value.is_nan() { 0x7fff } else { f16::from_f32(value).to_bits().into() }
        });
    }
}

#[test]
fn packed() {
    for (x, y) in rows(Num::F32).into_iter().zip(rows(Num::F32).into_iter().rev()) {
        let (x, y) = (x.map(|x| x as u32), y.map(|x| x as u32));
        for to in [PackedHalf::F16x2, PackedHalf::Bf16x2] {
            for (round, relu) in
                [Round::NearestEven, Round::Zero].iter().flat_map(|&r| [(r, false), (r, true)])
            {
                let make = |d| Alu::CvtPack { to, round, relu, d, a: S[0], b: S[1] };
                let half = |x: u32| half_of(to, round, relu, x);
                check32(&[x, y], &[], make, |i| half(x[i]) << 16 | half(y[i]));
            }
        }
    }
}

fn half_of(to: PackedHalf, round: Round, relu: bool, x: u32) -> u32 {
    let num = if to == PackedHalf::F16x2 { Num::F16 } else { Num::Bf16 };
    let value = f64::from(f32::from_bits(x));
    let sign = if value.is_sign_negative() { 0x8000 } else { 0 };
    let result = match num {
        _ if value.is_nan() => 0x7fff,
        Num::F16 if value.is_infinite() => sign | 0x7c00,
        _ if value.is_infinite() => sign | 0x7f80,
        _ if value == 0.0 => sign,
        _ => rounded(num, round, value < 0.0, |y| y.partial_cmp(&value).unwrap()) as u32,
    };
    if relu && result & 0x8000 != 0 { 0 } else { result }
}
