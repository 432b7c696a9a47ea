//! `cvt` of one value, for every combination of types and modifiers.

use super::exact::{self, BF16, F16, F32, F64, Format, Value};
use super::float::{self, flush};
use ptx::ir::{Num, Round};

/// The types and modifiers of a `cvt`.
#[derive(Clone, Copy, Debug)]
pub struct Conversion {
    /// The source type.
    pub from: Num,
    /// The destination type.
    pub to: Num,
    /// The rounding. It rounds to an integral value if the result is an integer or both types are
    /// the same.
    pub round: Round,
    /// `.sat`: clamps to the range of an integer type, or to [0, 1] for floats.
    pub sat: bool,
    /// `.ftz`, which applies to `f32` operands and results. The operand of a conversion to `f16`
    /// keeps its subnormals, as the directed roundings show on an H200.
    pub ftz: bool,
}

/// Converts the bits of an operand to the bits of the result.
pub fn convert(c: Conversion, bits: u64) -> u64 {
    let bits = if c.ftz && c.from == Num::F32 && c.to != Num::F16 {
        flush(bits as u32).into()
    } else {
        bits
    };
    match (Kind::of(c.from), Kind::of(c.to)) {
        (Kind::Integer(from), Kind::Integer(to)) => {
            let value = from.value(bits);
            to.bits(if c.sat { to.clamp(value) } else { value })
        }
        (Kind::Integer(from), Kind::Float(to)) => {
            let value = from.value(bits);
            let exact = exact::integer(value < 0, value.unsigned_abs() as u64);
            finish(c, to.encode(exact, c.round))
        }
        (Kind::Float(from), Kind::Integer(to)) => to.bits(float_to_integer(c, from, to, bits)),
        (Kind::Float(from), Kind::Float(to)) => finish(c, float_to_float(c, from, to, bits)),
    }
}

/// Rounds an `f32` to a 16-bit format.
pub fn encode_f32(to: Format, bits: u32, round: Round) -> u32 {
    to.encode(F32.decode(bits.into()), round) as u32
}

enum Kind {
    Integer(Integer),
    Float(Format),
}

impl Kind {
    fn of(num: Num) -> Self {
        let integer = |width, signed| Self::Integer(Integer { width, signed });
        match num {
            Num::U8 => integer(8, false),
            Num::S8 => integer(8, true),
            Num::U16 => integer(16, false),
            Num::S16 => integer(16, true),
            Num::U32 => integer(32, false),
            Num::S32 => integer(32, true),
            Num::U64 => integer(64, false),
            Num::S64 => integer(64, true),
            Num::F16 => Self::Float(F16),
            Num::Bf16 => Self::Float(BF16),
            Num::F32 => Self::Float(F32),
            Num::F64 => Self::Float(F64),
        }
    }
}

#[derive(Clone, Copy)]
struct Integer {
    width: u32,
    signed: bool,
}

impl Integer {
    fn value(self, bits: u64) -> i128 {
        let unused = 64 - self.width;
        if self.signed {
            (((bits << unused) as i64) >> unused).into()
        } else {
            ((bits << unused) >> unused).into()
        }
    }

    fn clamp(self, value: i128) -> i128 {
        let magnitude_bits = self.width - u32::from(self.signed);
        let min = if self.signed { -1 << magnitude_bits } else { 0 };
        value.clamp(min, (1 << magnitude_bits) - 1)
    }

    /// Returns the low bits of `value` as a register holds them: 8 bits are extended to 16.
    fn bits(self, value: i128) -> u64 {
        let extended = self.value(value as u64) as u64;
        match self.width {
            8 | 16 => extended & 0xffff,
            32 => extended & 0xffff_ffff,
            _ => extended,
        }
    }
}

/// Widens a number of any format to `f64` exactly, except for the bits of a NaN.
fn widen(format: Format, bits: u64) -> f64 {
    f64::from_bits(F64.encode(format.decode(bits), Round::NearestEven))
}

/// Rounds to an integer and clamps.
///
/// A NaN becomes zero if the source is narrower than 64 bits and the destination too; otherwise
/// only the destination's highest bit is set.
fn float_to_integer(c: Conversion, from: Format, to: Integer, bits: u64) -> i128 {
    let x = widen(from, bits);
    if x.is_nan() {
        let zero = from != F64 && to.width != 64;
        return if zero { 0 } else { 1 << (to.width - 1) };
    }
    to.clamp(float::round_to_integral(x, c.round) as i128)
}

/// Changes the format. If both formats are the same, rounds to an integral value instead.
fn float_to_float(c: Conversion, from: Format, to: Format, bits: u64) -> u64 {
    let value = from.decode(bits);
    if from == to && to == F64 && c.round == Round::None {
        return bits;
    }
    if value == Value::Nan {
        return nan(c, from, to, bits);
    }
    if from != to && c.ftz && to == F32 {
        return to.encode_flushing(value, c.round);
    }
    if from != to {
        return to.encode(value, c.round);
    }
    if c.round == Round::None {
        return bits;
    }
    let integral = float::round_to_integral(widen(from, bits), c.round);
    to.encode(F64.decode(integral.to_bits()), Round::NearestEven)
}

/// Converts a NaN. It keeps its sign and as many bits as fit on the way to and from `f64` and from
/// `bf16` to `f32`. With `.ftz`, an `f32` NaN becomes canonical first.
fn nan(c: Conversion, from: Format, to: Format, bits: u64) -> u64 {
    match (from, to) {
        (F64, F64) => float::propagate64(&[bits]),
        (F64, _) => to.narrow_nan(bits),
        // The ten fraction bits of `f16` and its sign go to where `f32` has them.
        (F16, F64) => float::widen_nan((bits & 0x8000) << 16 | (bits & 0x3ff) << 13),
        (BF16, F64) => float::widen_nan(bits << 16),
        (F32, F64) if !c.ftz => float::widen_nan(bits),
        (F32, F64) => float::widen_nan(F32.nan),
        (BF16, F32) if !c.ftz => bits << 16,
        _ => to.nan,
    }
}

/// Flushes and saturates a result.
fn finish(c: Conversion, bits: u64) -> u64 {
    let bits = if c.ftz && c.to == Num::F32 { flush(bits as u32).into() } else { bits };
    let Kind::Float(format) = Kind::of(c.to) else {
        return bits;
    };
    let x = widen(format, bits);
    if !c.sat || x > 0.0 && x <= 1.0 {
        bits
    } else if x > 1.0 {
        format.encode(exact::integer(false, 1), Round::NearestEven)
    } else {
        0
    }
}
