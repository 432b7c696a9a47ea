//! `cvt`: vector loops for the frequent conversions. [`super::convert_lane`] does the others.

use super::convert_lane::{Conversion, convert, encode_f32};
use super::exact::{BF16, F16 as F16_FORMAT};
use super::float;
use super::half::{Bf16, F16, Format16, relu};
use super::isa::Vectors;
use super::lanes::{Lanes, active, with};
use crate::registers::{LaneMask, Registers};
use ptx::ir::{Num, PackedHalf, R32, R64, Round, Src};

/// Executes `cvt` from `a` to `d`.
#[inline(always)]
pub fn execute<V: Vectors>(lanes: Lanes<'_, V>, c: Conversion, [d, a]: [Src; 2]) {
    match (d, a) {
        _ if c.sat || c.ftz => each(c, lanes.regs, lanes.mask, [d, a]),
        (Src::R32(d), Src::R32(a)) => within32(lanes, c, d, a),
        (Src::R64(d), Src::R32(a)) => to64(lanes, c, d, a),
        (Src::R32(d), Src::R64(a)) => from64(lanes, c, d, a),
        (Src::R64(d), Src::R64(a)) => within64(lanes, c, d, a),
    }
}

/// Converts lane by lane.
#[inline(never)]
fn each(c: Conversion, regs: &mut Registers, mask: LaneMask, [d, a]: [Src; 2]) {
    for lane in active(mask) {
        let result = convert(c, regs.bits(a, lane as u32));
        match d {
            Src::R32(d) => regs.r32_mut(d)[lane] = result as u32,
            Src::R64(d) => regs.r64_mut(d)[lane] = result,
        }
    }
}

/// How an integer of up to 32 bits is extended to 32 bits: shifted up, shifted down arithmetically,
/// and masked. All lanes share these amounts.
#[derive(Clone, Copy)]
struct Extension {
    shift: u32,
    mask: u32,
}

impl Extension {
    /// Returns the extension of a source type, or `None` if it is not an integer of up to 32 bits.
    fn of(num: Num) -> Option<Self> {
        match num {
            Num::U8 => Some(Self { shift: 24, mask: 0xff }),
            Num::S8 => Some(Self { shift: 24, mask: !0 }),
            Num::U16 => Some(Self { shift: 16, mask: 0xffff }),
            Num::S16 => Some(Self { shift: 16, mask: !0 }),
            Num::U32 | Num::S32 => Some(Self { shift: 0, mask: !0 }),
            Num::U64 | Num::S64 | Num::F16 | Num::Bf16 | Num::F32 | Num::F64 => None,
        }
    }

    /// Returns the extension of a result type. The result's register is 16 bits wide if the type is
    /// narrower than 32 bits.
    fn of_result(num: Num) -> Option<Self> {
        let extension = Self::of(num)?;
        let register = if extension.shift == 0 { !0 } else { 0xffff };
        Some(Self { mask: extension.mask & register, ..extension })
    }

    #[inline(always)]
    fn apply(self, x: u32) -> u32 {
        ((x << self.shift) as i32 >> self.shift) as u32 & self.mask
    }
}

fn nearest(round: Round) -> bool {
    float::is_nearest(round)
}

/// Converts between 32-bit registers.
#[inline(always)]
fn within32<V: Vectors>(lanes: Lanes<'_, V>, c: Conversion, d: R32, a: R32) {
    match (c.from, c.to, c.round) {
        (Num::U32, Num::F32, round) if nearest(round) => {
            lanes.map1(d, a, |x| (x as f32).to_bits());
        }
        (Num::F32, Num::S32, Round::Zero) => {
            lanes.map1(d, a, |x| f32::from_bits(x) as i32 as u32);
        }
        (Num::F32, Num::U32, Round::Zero) => lanes.map1(d, a, |x| f32::from_bits(x) as u32),
        (Num::F32, Num::F32, round) => integral(lanes, round, d, a),
        (Num::F16, Num::F32, _) => lanes.map1(d, a, |x| F16::widen(x & 0xffff).to_bits()),
        (Num::Bf16, Num::F32, _) => lanes.map1(d, a, |x| Bf16::widen(x).to_bits()),
        (Num::F32, Num::F16, round) if nearest(round) => {
            lanes.map1(d, a, |x| F16::narrow(f32::from_bits(x)));
        }
        (Num::F32, Num::Bf16, round) if nearest(round) => {
            lanes.map1(d, a, |x| Bf16::narrow(f32::from_bits(x)));
        }
        (from, to, round) => match (Extension::of(from), Extension::of_result(to)) {
            (Some(read), Some(write)) => lanes.map1(d, a, |x| write.apply(read.apply(x))),
            (Some(read), None) if to == Num::F32 && nearest(round) => {
                lanes.map1(d, a, |x| (read.apply(x) as i32 as f32).to_bits());
            }
            _ => each(c, lanes.regs, lanes.mask, [Src::R32(d), Src::R32(a)]),
        },
    }
}

/// Rounds `f32` to integral values.
#[inline(always)]
fn integral<V: Vectors>(lanes: Lanes<'_, V>, round: Round, d: R32, a: R32) {
    match round {
        Round::None => lanes.map1(d, a, |x| x),
        Round::NearestEven => {
            lanes.map1(d, a, |x| float::canonical(f32::from_bits(x).round_ties_even()));
        }
        Round::Zero => lanes.map1(d, a, |x| float::canonical(f32::from_bits(x).trunc())),
        Round::Down => lanes.map1(d, a, |x| float::canonical(f32::from_bits(x).floor())),
        Round::Up => lanes.map1(d, a, |x| float::canonical(f32::from_bits(x).ceil())),
    }
}

/// Converts from a 32-bit to a 64-bit register.
#[inline(always)]
fn to64<V: Vectors>(lanes: Lanes<'_, V>, c: Conversion, d: R64, a: R32) {
    match (c.from, c.to) {
        (Num::S32, Num::S64 | Num::U64) => lanes.map1(d, a, |x| x as i32 as u64),
        (Num::U32, Num::S64 | Num::U64) => lanes.map1(d, a, u64::from),
        (Num::S32, Num::F64) => lanes.map1(d, a, |x| f64::from(x as i32).to_bits()),
        (Num::U32, Num::F64) => lanes.map1(d, a, |x| f64::from(x).to_bits()),
        (Num::F32, Num::F64) => lanes.map1(d, a, float::widen32),
        (from, to) => match Extension::of(from) {
            Some(read) if matches!(to, Num::S64 | Num::U64) => {
                lanes.map1(d, a, |x| read.apply(x) as i32 as u64);
            }
            _ => each(c, lanes.regs, lanes.mask, [Src::R64(d), Src::R32(a)]),
        },
    }
}

/// Converts from a 64-bit to a 32-bit register.
#[inline(always)]
fn from64<V: Vectors>(lanes: Lanes<'_, V>, c: Conversion, d: R32, a: R64) {
    match (c.from, c.to, c.round) {
        (Num::S64 | Num::U64, Num::S32 | Num::U32, _) => lanes.map1(d, a, |x| x as u32),
        (Num::F64, Num::F32, round) if nearest(round) => {
            lanes.map1(d, a, float::narrow64);
        }
        (from, to, _) => match Extension::of_result(to) {
            Some(write) if matches!(from, Num::S64 | Num::U64) => {
                lanes.map1(d, a, |x| write.apply(x as u32));
            }
            _ => each(c, lanes.regs, lanes.mask, [Src::R32(d), Src::R64(a)]),
        },
    }
}

/// Converts between 64-bit registers.
#[inline(always)]
fn within64<V: Vectors>(lanes: Lanes<'_, V>, c: Conversion, d: R64, a: R64) {
    match (c.from, c.to) {
        (Num::S64 | Num::U64, Num::S64 | Num::U64) => lanes.map1(d, a, |x| x),
        _ => each(c, lanes.regs, lanes.mask, [Src::R64(d), Src::R64(a)]),
    }
}

/// How `cvt.rn.f16x2.f32` and similar instructions convert each operand.
#[derive(Clone, Copy)]
pub struct PackedTarget {
    /// The format.
    pub to: PackedHalf,
    /// The rounding.
    pub round: Round,
    /// `.relu`.
    pub relu: bool,
}

/// Executes `cvt.rn.f16x2.f32` and similar instructions: the first operand goes to the upper half,
/// the second to the lower.
#[inline(always)]
pub fn pack_halves<V: Vectors>(lanes: Lanes<'_, V>, c: PackedTarget, d: R32, s: [R32; 2]) {
    match (c.to, nearest(c.round) && !c.relu) {
        (PackedHalf::F16x2, true) => lanes.map2(d, s, narrow2::<F16>),
        (PackedHalf::Bf16x2, true) => lanes.map2(d, s, narrow2::<Bf16>),
        (to, false) => {
            let (format, infinity) = match to {
                PackedHalf::F16x2 => (F16_FORMAT, F16::INFINITY),
                PackedHalf::Bf16x2 => (BF16, Bf16::INFINITY),
            };
            let half = |x| {
                let bits = encode_f32(format, x, c.round);
                if c.relu { relu(bits, infinity) } else { bits }
            };
            with(lanes.regs, lanes.mask, d, s, |[a, b]| half(a) << 16 | half(b));
        }
    }
}

#[inline(always)]
fn narrow2<F: Format16>(a: u32, b: u32) -> u32 {
    F::narrow(f32::from_bits(a)) << 16 | F::narrow(f32::from_bits(b))
}
