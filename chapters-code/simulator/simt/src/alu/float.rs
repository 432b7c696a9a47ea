//! Scalar `f32` and `f64` operations that Rust's operators do not provide: PTX's NaNs, flushing of
//! subnormals, saturation, minimum and maximum, directed roundings.
//!
//! **NaN results.** The CUDA programming guide fixes the NaN of `f32`: "the quiet NaN of bit
//! pattern 0x7fffffff". It documents nothing for `f64`. An H200 returns an operand that is a NaN,
//! quieted. If several operands are NaN, it returns the second, or else the third. For `min`, `max`
//! and `div` this means the order in which the hardware takes the operands. An invalid operation
//! returns 0xfff8000000000000.
//!
//! **`.ftz`** flushes a result that is below the smallest normal number after rounding to the
//! format's precision with an unbounded exponent. 2^-126 (1 - 2^-24) therefore becomes zero,
//! although the nearest number in the format is 2^-126.

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

/// Returns the bits of an `f32` result, with the canonical NaN.
#[inline(always)]
pub fn canonical(x: f32) -> u32 {
    if x.is_nan() { NAN32 } else { x.to_bits() }
}

/// Replaces a subnormal by the zero of its sign.
#[inline(always)]
pub fn flush(x: u32) -> u32 {
    if x & 0x7f80_0000 == 0 { x & SIGN32 } else { x }
}

/// Applies [`flush`] if `ftz` is set.
#[inline(always)]
pub fn flush_if(ftz: bool, x: u32) -> u32 {
    if ftz { flush(x) } else { x }
}

/// Applies `.sat`: clamps to [0, 1], and a NaN becomes 0.
#[inline(always)]
pub fn saturate(x: u32) -> u32 {
    let x = f32::from_bits(x);
    if x > 0.0 { x.min(1.0).to_bits() } else { 0 }
}

/// Whether `round` is the CPU's rounding mode.
pub fn is_nearest(round: Round) -> bool {
    match round {
        Round::NearestEven | Round::None => true,
        Round::Zero | Round::Down | Round::Up => false,
    }
}

/// Computes `neg.f32`. A NaN becomes canonical, because ptxas turns the instruction into a sum with
/// -0.
#[inline(always)]
pub fn neg32(x: u32) -> u32 {
    canonical(-f32::from_bits(x))
}

/// Computes `abs.f32`. A NaN becomes canonical.
#[inline(always)]
pub fn abs32(x: u32) -> u32 {
    canonical(f32::from_bits(x).abs())
}

/// Computes `neg.f64`. The CUDA programming guide defines that NaNs pass unchanged.
#[inline(always)]
pub fn neg64(x: u64) -> u64 {
    if is_nan64(x) { x | QUIET64 } else { x ^ SIGN64 }
}

/// Computes `abs.f64`. NaNs pass unchanged.
#[inline(always)]
pub fn abs64(x: u64) -> u64 {
    if is_nan64(x) { x | QUIET64 } else { x & !SIGN64 }
}

/// Maps `f32` bits to integers of the same order, with -0 below +0.
#[inline(always)]
fn key32(x: u32) -> i32 {
    let x = x as i32;
    x ^ ((x >> 31) as u32 >> 1) as i32
}

#[inline(always)]
fn is_nan32(x: u32) -> bool {
    f32::from_bits(x).is_nan()
}

/// Returns the operand that `first` prefers, or the number if the other is NaN.
#[inline(always)]
fn choose32(a: u32, b: u32, first: bool) -> u32 {
    let number = if is_nan32(a) { b } else { a };
    let chosen = if first { a } else { b };
    let unordered = is_nan32(a) | is_nan32(b);
    let chosen = if unordered { number } else { chosen };
    if is_nan32(chosen) { NAN32 } else { chosen }
}

/// Computes `min.f32`.
#[inline(always)]
pub fn min32(a: u32, b: u32) -> u32 {
    choose32(a, b, key32(a) < key32(b))
}

/// Computes `max.f32`.
#[inline(always)]
pub fn max32(a: u32, b: u32) -> u32 {
    choose32(a, b, key32(a) > key32(b))
}

/// Returns the canonical NaN if an operand is NaN, else `f(a, b)`: the `.NaN` forms.
#[inline(always)]
pub fn or_nan32(a: u32, b: u32, f: impl Fn(u32, u32) -> u32) -> u32 {
    let result = f(a, b);
    if is_nan32(a) | is_nan32(b) { NAN32 } else { result }
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

/// Computes `min.f64`.
#[inline(always)]
pub fn min64(a: u64, b: u64) -> u64 {
    choose64(a, b, key64(a) < key64(b))
}

/// Computes `max.f64`.
#[inline(always)]
pub fn max64(a: u64, b: u64) -> u64 {
    choose64(a, b, key64(a) > key64(b))
}

/// Returns the bits of an `f64` result that is a NaN: the second operand if it is a NaN, else the
/// third, else the first, quieted.
pub fn propagate64(operands: &[u64]) -> u64 {
    let mut in_order = operands.iter().skip(1).chain(operands.first());
    let nan = in_order.find(|&&x| is_nan64(x));
    nan.map_or(F64.nan, |x| x | QUIET64)
}

/// Rounds an `f64` to the nearest `f32`. A NaN keeps its sign and the upper bits of its fraction,
/// quieted.
#[inline(always)]
pub fn narrow64(bits: u64) -> u32 {
    let nan = (bits >> 32) as u32 & SIGN32 | 0x7fc0_0000 | (bits >> 29) as u32 & 0x7f_ffff;
    let value = f64::from_bits(bits);
    if value.is_nan() { nan } else { (value as f32).to_bits() }
}

/// Widens the bits of an `f32` NaN to `f64`: quieted, with sign and fraction preserved.
///
/// This works on bits, because Rust leaves open which NaN a conversion returns.
#[inline(always)]
pub fn widen_nan(bits: u64) -> u64 {
    (bits >> 31 & 1) << 63 | 0x7ff8 << 48 | (bits & 0x7f_ffff) << 29
}

/// Widens the bits of an `f32` to those of an `f64`.
#[inline(always)]
pub fn widen32(x: u32) -> u64 {
    let value = f32::from_bits(x);
    if value.is_nan() {
        return widen_nan(x.into());
    }
    f64::from(value).to_bits()
}

/// Applies `f` to `f32` operands with the CPU's rounding.
#[inline(always)]
pub fn nearest32<const N: usize>(mode: Mode, s: [u32; N], f: impl Fn([f32; N]) -> f32) -> u32 {
    let result = canonical(f(s.map(|x| f32::from_bits(flush_if(mode.ftz, x)))));
    finish(mode, result)
}

/// Applies `f` to `f32` operands with any rounding.
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

/// Whether a result of [`nearest32`] may have been rounded up to the smallest normal number. Only
/// [`directed32`] can then decide whether `.ftz` flushes it.
#[inline(always)]
pub fn is_smallest(bits: u32) -> bool {
    bits & !SIGN32 == 0x0080_0000
}

/// Applies the modifiers to a result.
#[inline(always)]
fn finish(mode: Mode, result: u32) -> u32 {
    let result = flush_if(mode.ftz, result);
    if mode.sat { saturate(result) } else { result }
}

/// Applies `f` to `f64` operands with the CPU's rounding.
pub fn nearest64<const N: usize>(s: [u64; N], f: impl Fn([f64; N]) -> f64) -> u64 {
    let result = f(s.map(f64::from_bits));
    if result.is_nan() { propagate64(&s) } else { result.to_bits() }
}

/// Applies `f` to `f64` operands with any rounding.
pub fn directed64<const N: usize>(
    round: Round,
    s: [u64; N],
    f: impl Fn([Value; N]) -> Value,
) -> u64 {
    let result = f(s.map(|x| F64.decode(x)));
    if result == Value::Nan { propagate64(&s) } else { F64.encode(result, round) }
}

/// Rounds an `f64` to an integer.
pub fn round_to_integral(x: f64, round: Round) -> f64 {
    match round {
        Round::NearestEven => x.round_ties_even(),
        Round::Zero | Round::None => x.trunc(),
        Round::Down => x.floor(),
        Round::Up => x.ceil(),
    }
}
