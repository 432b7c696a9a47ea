//! Numbers in all formats that `cvt` knows, and their corners.

use super::common::*;
use half::{bf16, f16};
use ptx::ir::*;
use simt::registers::{Lanes32, Lanes64};

pub fn bits(num: Num) -> u32 {
    match num {
        Num::U8 | Num::S8 => 8,
        Num::U16 | Num::S16 | Num::F16 | Num::Bf16 => 16,
        Num::U32 | Num::S32 | Num::F32 => 32,
        Num::U64 | Num::S64 | Num::F64 => 64,
    }
}

pub fn is_signed(num: Num) -> bool {
    matches!(num, Num::S8 | Num::S16 | Num::S32 | Num::S64)
}

pub fn range(num: Num) -> (i128, i128) {
    let n = bits(num);
    if is_signed(num) { (-1 << (n - 1), (1 << (n - 1)) - 1) } else { (0, (1 << n) - 1) }
}

/// The integer that these bits are.
pub fn integer(num: Num, x: u64) -> i128 {
    match num {
        Num::U8 => (x as u8).into(),
        Num::S8 => (x as i8).into(),
        Num::U16 => (x as u16).into(),
        Num::S16 => (x as i16).into(),
        Num::U32 => (x as u32).into(),
        Num::S32 => (x as i32).into(),
        Num::U64 => x.into(),
        _ => (x as i64).into(),
    }
}

/// The float that these bits are.
pub fn float(num: Num, x: u64) -> f64 {
    match num {
        Num::F16 => f16::from_bits(x as u16).into(),
        Num::Bf16 => bf16::from_bits(x as u16).into(),
        Num::F32 => f32::from_bits(x as u32).into(),
        _ => f64::from_bits(x),
    }
}

/// The bits that a register holds of an integer: 8 bits are extended to 16.
pub fn held(num: Num, x: i128) -> u64 {
    match num {
        Num::U8 => (x as u8).into(),
        Num::S8 => (x as i8 as u16).into(),
        Num::U16 | Num::S16 => (x as u16).into(),
        Num::U32 | Num::S32 => (x as u32).into(),
        _ => x as u64,
    }
}

/// Checks `cvt`, on a row of operands, against `model` from bits to bits.
pub fn check(
    (from, to): (Num, Num),
    (round, sat, ftz): (Round, bool, bool),
    row: &Lanes64,
    model: impl Fn(u64) -> u64,
) {
    let is_wide = bits(from) == 64;
    let (r32, r64) = (row.map(|x| x as u32), *row);
    let operands: (&[Lanes32], &[Lanes64]) = if is_wide { (&[], &[r64]) } else { (&[r32], &[]) };
    let make = |d| Alu::Cvt { from, to, round, sat, ftz, d, a: source(is_wide) };
    if bits(to) == 64 {
        let make = |d: R64| make(Src::R64(d));
        check64(operands.0, operands.1, make, |i| model(row[i]));
    } else {
        let make = |d: R32| make(Src::R32(d));
        check32(operands.0, operands.1, make, |i| model(row[i]) as u32);
    }
}

/// Bits worth converting from a type.
pub fn corners(num: Num) -> Vec<u64> {
    match num {
        Num::F16 | Num::Bf16 => [
            0, 1, 0x3ff, 0x400, 0x3c00, 0x3e00, 0x4100, 0x4248, 0x7bff, 0x7c00, 0x7e00, 0x7c01,
            0x3f80, 0x3fc0, 0x4020, 0x42fe, 0x42ff, 0x4300, 0x4680, 0x4700, 0x4f00, 0x4f80, 0x5f00,
            0x7f7f, 0x7f80, 0x7fc0, 0x7fff,
        ]
        .iter()
        .flat_map(|&x| [x, x | 0x8000])
        .collect(),
        Num::F32 => {
            let halves = [0.5f32, 1.5, 2.5, 126.5, 127.5, 128.0, 255.5, 32767.5, 65519.9, 65520.0];
            let limits = [2147483520.0f32, 2147483648.0, 4294967040.0, 1e-7, 5.96e-8, 2.98e-8, 0.3];
            let these = halves.iter().chain(&limits).flat_map(|x| [x.to_bits(), (-x).to_bits()]);
            these.chain(FLOATS.iter().copied()).map(u64::from).collect()
        }
        Num::F64 => {
            let these = [0.5f64, 1.5, 2.5, 127.5, 255.5, 2147483647.5, 2147483648.5, 4294967295.5];
            let these = these.iter().flat_map(|x| [x.to_bits(), (-x).to_bits()]);
            these.chain(DOUBLES.iter().copied()).collect()
        }
        _ => {
            let these = INTEGERS.iter().map(|&x| u64::from(x));
            these.clone().chain(these.map(|x| !x << 7)).chain([1 << 63, (1 << 63) - 1]).collect()
        }
    }
}

/// Rows of all corners and of random values. The upper halves of 16-bit operands are noise.
pub fn rows(num: Num) -> Vec<Lanes64> {
    let corners = corners(num);
    let at = |i: usize| corners[i % corners.len()];
    let mut rows: Vec<Lanes64> = (0..corners.len().div_ceil(32))
        .map(|n| std::array::from_fn(|lane| at(32 * n + lane)))
        .collect();
    rows.extend((0..20).map(|seed| {
        let mut random = Random(seed);
        std::array::from_fn(|_| random.near(&corners, bits(num).max(32)))
    }));
    rows
}
