//! `cvt`: vector loops for the usual conversions. [`super::convert_lane`] does the others.

use super::convert_lane::{Conversion, convert, encode_f32};
use super::exact::{BF16, F16 as F16_FORMAT};
use super::float;
use super::half::{Bf16, F16, Format16, relu};
use super::lanes::{active, map_32, map_64, map1, map2, with2};
use crate::registers::{LaneMask, Registers};
use ptx::ir::{Num, PackedHalf, R32, R64, Round, Src};

/// `cvt` from `a` to `d`. See the parent module for what `mask` means.
#[inline(always)]
pub fn execute(c: Conversion, regs: &mut Registers, mask: LaneMask, [d, a]: [Src; 2]) {
    let done = !c.sat
        && !c.ftz
        && match (d, a) {
            (Src::R32(d), Src::R32(a)) => within32(c, regs, d, a),
            (Src::R64(d), Src::R32(a)) => to64(c, regs, d, a),
            (Src::R32(d), Src::R64(a)) => from64(c, regs, d, a),
            (Src::R64(d), Src::R64(a)) => within64(c, regs, d, a),
        };
    if !done {
        each(c, regs, mask, d, a);
    }
}

/// Lane by lane.
#[inline(never)]
fn each(c: Conversion, regs: &mut Registers, mask: LaneMask, d: Src, a: Src) {
    for lane in active(mask) {
        let bits = match a {
            Src::R32(a) => regs.r32(a)[lane].into(),
            Src::R64(a) => regs.r64(a)[lane],
        };
        let result = convert(c, bits);
        match d {
            Src::R32(d) => regs.r32_mut(d)[lane] = result as u32,
            Src::R64(d) => regs.r64_mut(d)[lane] = result,
        }
    }
}

/// How an integer of up to 32 bits is extended to 32: shifted up, down again arithmetically, and
/// masked. The same for all lanes.
#[derive(Clone, Copy)]
struct Extension {
    shift: u32,
    mask: u32,
}

impl Extension {
    /// `None` for what is not an integer of up to 32 bits.
    fn of(num: Num) -> Option<Self> {
        match num {
            Num::U8 => Some(Self {
                shift: 24,
                mask: 0xff,
            }),
            Num::S8 => Some(Self {
                shift: 24,
                mask: !0,
            }),
            Num::U16 => Some(Self {
                shift: 16,
                mask: 0xffff,
            }),
            Num::S16 => Some(Self {
                shift: 16,
                mask: !0,
            }),
            Num::U32 | Num::S32 => Some(Self { shift: 0, mask: !0 }),
            Num::U64 | Num::S64 | Num::F16 | Num::Bf16 | Num::F32 | Num::F64 => None,
        }
    }

    /// The same, for a result: its register is 16 bits wide where the type is narrower than 32.
    fn of_result(num: Num) -> Option<Self> {
        let extension = Self::of(num)?;
        let register = if extension.shift == 0 { !0 } else { 0xffff };
        Some(Self {
            mask: extension.mask & register,
            ..extension
        })
    }

    #[inline(always)]
    fn apply(self, x: u32) -> u32 {
        ((x << self.shift) as i32 >> self.shift) as u32 & self.mask
    }
}

fn nearest(round: Round) -> bool {
    float::is_nearest(round)
}

/// Between 32-bit registers. Returns whether there is a loop for it.
#[inline(always)]
fn within32(c: Conversion, regs: &mut Registers, d: R32, a: R32) -> bool {
    match (c.from, c.to, c.round) {
        (Num::U32, Num::F32, round) if nearest(round) => {
            map1(regs, d, a, |x| (x as f32).to_bits());
        }
        (Num::F32, Num::S32, Round::Zero) => {
            map1(regs, d, a, |x| f32::from_bits(x) as i32 as u32);
        }
        (Num::F32, Num::U32, Round::Zero) => map1(regs, d, a, |x| f32::from_bits(x) as u32),
        (Num::F32, Num::F32, round) => integral(round, regs, d, a),
        (Num::F16, Num::F32, _) => map1(regs, d, a, |x| F16::widen(x & 0xffff).to_bits()),
        (Num::Bf16, Num::F32, _) => map1(regs, d, a, |x| Bf16::widen(x).to_bits()),
        (Num::F32, Num::F16, round) if nearest(round) => {
            map1(regs, d, a, |x| F16::narrow(f32::from_bits(x)));
        }
        (Num::F32, Num::Bf16, round) if nearest(round) => {
            map1(regs, d, a, |x| Bf16::narrow(f32::from_bits(x)));
        }
        (from, to, round) => match (Extension::of(from), Extension::of_result(to)) {
            (Some(read), Some(write)) => map1(regs, d, a, |x| write.apply(read.apply(x))),
            (Some(read), None) if to == Num::F32 && nearest(round) => {
                map1(regs, d, a, |x| (read.apply(x) as i32 as f32).to_bits());
            }
            _ => return false,
        },
    }
    true
}

/// `f32` rounded to integral values.
#[inline(always)]
fn integral(round: Round, regs: &mut Registers, d: R32, a: R32) {
    match round {
        Round::None => map1(regs, d, a, |x| x),
        Round::NearestEven => {
            map1(regs, d, a, |x| {
                float::canonical(f32::from_bits(x).round_ties_even())
            });
        }
        Round::Zero => map1(regs, d, a, |x| float::canonical(f32::from_bits(x).trunc())),
        Round::Down => map1(regs, d, a, |x| float::canonical(f32::from_bits(x).floor())),
        Round::Up => map1(regs, d, a, |x| float::canonical(f32::from_bits(x).ceil())),
    }
}

/// From a 32-bit to a 64-bit register.
#[inline(always)]
fn to64(c: Conversion, regs: &mut Registers, d: R64, a: R32) -> bool {
    match (c.from, c.to) {
        (Num::S32, Num::S64 | Num::U64) => map_32(regs, d, a, |x| x as i32 as u64),
        (Num::U32, Num::S64 | Num::U64) => map_32(regs, d, a, u64::from),
        (Num::S32, Num::F64) => map_32(regs, d, a, |x| f64::from(x as i32).to_bits()),
        (Num::U32, Num::F64) => map_32(regs, d, a, |x| f64::from(x).to_bits()),
        (Num::F32, Num::F64) => map_32(regs, d, a, |x| f64::from(f32::from_bits(x)).to_bits()),
        (from, Num::S64 | Num::U64) => match Extension::of(from) {
            Some(read) => map_32(regs, d, a, |x| read.apply(x) as i32 as u64),
            None => return false,
        },
        _ => return false,
    }
    true
}

/// From a 64-bit to a 32-bit register.
#[inline(always)]
fn from64(c: Conversion, regs: &mut Registers, d: R32, a: R64) -> bool {
    match (c.from, c.to, c.round) {
        (Num::S64 | Num::U64, Num::S32 | Num::U32, _) => map_64(regs, d, a, |x| x as u32),
        (Num::S64 | Num::U64, to, _) => match Extension::of_result(to) {
            Some(write) => map_64(regs, d, a, |x| write.apply(x as u32)),
            None => return false,
        },
        (Num::F64, Num::F32, round) if nearest(round) => {
            map_64(regs, d, a, |x| float::canonical(f64::from_bits(x) as f32));
        }
        _ => return false,
    }
    true
}

/// Between 64-bit registers.
#[inline(always)]
fn within64(c: Conversion, regs: &mut Registers, d: R64, a: R64) -> bool {
    match (c.from, c.to) {
        (Num::S64 | Num::U64, Num::S64 | Num::U64) => {
            let x = *regs.r64(a);
            *regs.r64_mut(d) = x;
            true
        }
        _ => false,
    }
}

/// What `cvt.rn.f16x2.f32` and its like do to each of their operands.
#[derive(Clone, Copy)]
pub struct PackedTarget {
    /// The format.
    pub to: PackedHalf,
    /// The rounding.
    pub round: Round,
    /// `.relu`.
    pub relu: bool,
}

/// `cvt.rn.f16x2.f32` and its like: the first operand to the upper half, the second to the lower.
#[inline(always)]
pub fn pack_halves(c: PackedTarget, regs: &mut Registers, mask: LaneMask, d: R32, s: [R32; 2]) {
    match (c.to, nearest(c.round) && !c.relu) {
        (PackedHalf::F16x2, true) => map2(regs, d, s, narrow2::<F16>),
        (PackedHalf::Bf16x2, true) => map2(regs, d, s, narrow2::<Bf16>),
        (to, false) => {
            let (format, infinity) = match to {
                PackedHalf::F16x2 => (F16_FORMAT, F16::INFINITY),
                PackedHalf::Bf16x2 => (BF16, Bf16::INFINITY),
            };
            let half = |x| {
                let bits = encode_f32(format, x, c.round);
                if c.relu { relu(bits, infinity) } else { bits }
            };
            with2(regs, mask, d, s, |a, b| half(a) << 16 | half(b));
        }
    }
}

#[inline(always)]
fn narrow2<F: Format16>(a: u32, b: u32) -> u32 {
    F::narrow(f32::from_bits(a)) << 16 | F::narrow(f32::from_bits(b))
}
