//! Scalar `f32` and `f64` operations that Rust's operators do not give: PTX's NaNs, flushing of
//! subnormals, saturation, minimum and maximum, directed roundings.
//!
//! NaN results. For `f32` the CUDA programming guide fixes them: "the quiet NaN of bit pattern
//! 0x7fffffff". For `f64` nothing is documented; on an H200 an operand that is a NaN is passed on,
//! quieted. Where several are, it is the second, else the third (of `min`, `max` and `div` too the
//! one that the hardware's order of operands puts first). An invalid operation gives
//! 0xfff8000000000000.
//!
//! `.ftz` flushes a result that is below the smallest normal number after rounding to the format's
//! precision, with an exponent as small as it takes: so 2^-126 (1 - 2^-24) becomes zero, although
//! the nearest number that the format has is 2^-126.

use super::exact::{F32, F64, Value};
use ptx::ir::Round;

/// The NaN of `f32` results.
pub const NAN32: u32 = 0x7fff_ffff;

/// The sign bit of an `f32`.
pub const SIGN32: u32 = 0x8000_0000;
const QUIET64: u64 = 0x0008_0000_0000_0000;
const SIGN64: u64 = 1 << 63;

/// The modifiers of an `f32` instruction.
#[derive(Clone, Copy)]
pub struct Mode {
    /// The rounding.
    pub round: Round,
    /// `.ftz`: subnormal operands and results become zeros of their sign.
    pub ftz: bool,
    /// `.sat`: the result is clamped to [0, 1].
    pub sat: bool,
}

/// The bits of an `f32` result.
#[inline(always)]
pub fn canonical(x: f32) -> u32 {
    if x.is_nan() { NAN32 } else { x.to_bits() }
}

/// A subnormal becomes the zero of its sign.
#[inline(always)]
pub fn flush(x: u32) -> u32 {
    if x & 0x7f80_0000 == 0 { x & SIGN32 } else { x }
}

/// [`flush`], where `ftz` asks for it.
#[inline(always)]
pub fn flush_if(ftz: bool, x: u32) -> u32 {
    if ftz { flush(x) } else { x }
}

/// `.sat`: clamps to [0, 1]; a NaN becomes 0.
#[inline(always)]
pub fn saturate(x: u32) -> u32 {
    let x = f32::from_bits(x);
    if x > 0.0 { x.min(1.0).to_bits() } else { 0 }
}

/// Whether `round` is the mode that a CPU computes in.
pub fn is_nearest(round: Round) -> bool {
    match round {
        Round::NearestEven | Round::None => true,
        Round::Zero | Round::Down | Round::Up => false,
    }
}

/// `neg.f32`: a NaN becomes canonical, as ptxas makes the instruction a sum with -0.
#[inline(always)]
pub fn neg32(x: u32) -> u32 {
    canonical(-f32::from_bits(x))
}

/// `abs.f32`, likewise.
#[inline(always)]
pub fn abs32(x: u32) -> u32 {
    canonical(f32::from_bits(x).abs())
}

/// `neg.f64`: NaNs pass unchanged, says the CUDA programming guide.
#[inline(always)]
pub fn neg64(x: u64) -> u64 {
    if is_nan64(x) { x | QUIET64 } else { x ^ SIGN64 }
}

/// `abs.f64`, likewise.
#[inline(always)]
pub fn abs64(x: u64) -> u64 {
    if is_nan64(x) {
        x | QUIET64
    } else {
        x & !SIGN64
    }
}

/// An order of `f32` bits that puts -0 below +0.
#[inline(always)]
fn key32(x: u32) -> i32 {
    let x = x as i32;
    x ^ ((x >> 31) as u32 >> 1) as i32
}

#[inline(always)]
fn is_nan32(x: u32) -> bool {
    f32::from_bits(x).is_nan()
}

/// The operand that `first` prefers, a number before a NaN.
#[inline(always)]
fn choose32(a: u32, b: u32, first: bool) -> u32 {
    let number = if is_nan32(a) { b } else { a };
    let chosen = if first { a } else { b };
    let unordered = is_nan32(a) | is_nan32(b);
    let chosen = if unordered { number } else { chosen };
    if is_nan32(chosen) { NAN32 } else { chosen }
}

/// `min.f32`.
#[inline(always)]
pub fn min32(a: u32, b: u32) -> u32 {
    choose32(a, b, key32(a) < key32(b))
}

/// `max.f32`.
#[inline(always)]
pub fn max32(a: u32, b: u32) -> u32 {
    choose32(a, b, key32(a) > key32(b))
}

/// The canonical NaN where an operand is a NaN, else `f(a, b)`: the `.NaN` forms.
#[inline(always)]
pub fn or_nan32(a: u32, b: u32, f: impl Fn(u32, u32) -> u32) -> u32 {
    let result = f(a, b);
    if is_nan32(a) | is_nan32(b) {
        NAN32
    } else {
        result
    }
}

#[inline(always)]
fn key64(x: u64) -> i64 {
    let x = x as i64;
    x ^ ((x >> 63) as u64 >> 1) as i64
}

#[inline(always)]
fn is_nan64(x: u64) -> bool {
    f64::from_bits(x).is_nan()
}

#[inline(always)]
fn choose64(a: u64, b: u64, first: bool) -> u64 {
    let chosen = if first { a } else { b };
    let chosen = if is_nan64(b) { a } else { chosen };
    let both = if is_nan64(b) { b | QUIET64 } else { b };
    if is_nan64(a) { both } else { chosen }
}

/// `min.f64`.
#[inline(always)]
pub fn min64(a: u64, b: u64) -> u64 {
    choose64(a, b, key64(a) < key64(b))
}

/// `max.f64`.
#[inline(always)]
pub fn max64(a: u64, b: u64) -> u64 {
    choose64(a, b, key64(a) > key64(b))
}

/// The bits of an `f64` result that is a NaN: the second operand if that is one, else the third, else
/// the first, quieted.
pub fn propagate64(operands: &[u64]) -> u64 {
    let mut in_order = operands.iter().skip(1).chain(operands.first());
    let nan = in_order.find(|&&x| is_nan64(x));
    nan.map_or(F64.nan, |x| x | QUIET64)
}

/// An `f64` as the nearest `f32`; a NaN keeps its sign and the upper bits of its fraction, quieted.
#[inline(always)]
pub fn narrow64(bits: u64) -> u32 {
    let nan = (bits >> 32) as u32 & SIGN32 | 0x7fc0_0000 | (bits >> 29) as u32 & 0x7f_ffff;
    let value = f64::from_bits(bits);
    if value.is_nan() {
        nan
    } else {
        (value as f32).to_bits()
    }
}

/// The bits of an `f32` that is a NaN as an `f64`: quieted, with sign and fraction kept.
///
/// By bits, since Rust leaves open which NaN a conversion of one gives.
#[inline(always)]
pub fn widen_nan(bits: u64) -> u64 {
    (bits >> 31 & 1) << 63 | 0x7ff8 << 48 | (bits & 0x7f_ffff) << 29
}

/// The bits of an `f32` as an `f64`.
#[inline(always)]
pub fn widen32(x: u32) -> u64 {
    let value = f32::from_bits(x);
    if value.is_nan() {
        return widen_nan(x.into());
    }
    f64::from(value).to_bits()
}

/// `f` on `f32` operands, in the CPU's rounding.
#[inline(always)]
pub fn nearest32<const N: usize>(mode: Mode, s: [u32; N], f: impl Fn([f32; N]) -> f32) -> u32 {
    let result = canonical(f(s.map(|x| f32::from_bits(flush_if(mode.ftz, x)))));
    finish(mode, result)
}

/// `f` on `f32` operands, in any rounding.
pub fn directed32<const N: usize>(mode: Mode, s: [u32; N], f: impl Fn([Value; N]) -> Value) -> u32 {
    let values = s.map(|x| F32.decode(flush_if(mode.ftz, x).into()));
    let result = f(values);
    let bits = if mode.ftz {
        F32.encode_flushing(result, mode.round)
    } else {
        F32.encode(result, mode.round)
    };
    finish(mode, bits as u32)
}

/// Whether a result of [`nearest32`] may have been rounded up to the smallest normal number, so that
/// only [`directed32`] knows whether `.ftz` flushes it.
#[inline(always)]
pub fn is_smallest(bits: u32) -> bool {
    bits & !SIGN32 == 0x0080_0000
}

/// What the modifiers do to a result.
#[inline(always)]
fn finish(mode: Mode, result: u32) -> u32 {
    let result = flush_if(mode.ftz, result);
    if mode.sat { saturate(result) } else { result }
}

/// `f` on `f64` operands, in the CPU's rounding.
pub fn nearest64<const N: usize>(s: [u64; N], f: impl Fn([f64; N]) -> f64) -> u64 {
    let result = f(s.map(f64::from_bits));
    if result.is_nan() {
        propagate64(&s)
    } else {
        result.to_bits()
    }
}

/// `f` on `f64` operands, in any rounding.
pub fn directed64<const N: usize>(
    round: Round,
    s: [u64; N],
    f: impl Fn([Value; N]) -> Value,
) -> u64 {
    let result = f(s.map(|x| F64.decode(x)));
    if result == Value::Nan {
        propagate64(&s)
    } else {
        F64.encode(result, round)
    }
}

/// An `f64` rounded to an integer.
pub fn round_to_integral(x: f64, round: Round) -> f64 {
    match round {
        Round::NearestEven => x.round_ties_even(),
        Round::Zero | Round::None => x.trunc(),
        Round::Down => x.floor(),
        Round::Up => x.ceil(),
    }
}
