//! Scalar `f16` and `bf16` operations, written without branches so that they vectorise.
//!
//! Sums and products are computed in `f32` and rounded again. `f32` has more than twice the bits of
//! either format plus two, so the second rounding gives the result of a single one (Figueroa 1995).
//! A product is exact in `f32` unless it is below half of the format's smallest number. A fused
//! operation needs more than twice the bits. Its first rounding is therefore to odd, which
//! preserves on which side of a tie the exact result lies (Boldo and Melquiond 2008).
//!
//! NaN results are 0x7fff.

/// The NaN of 16-bit results.
pub const NAN16: u32 = 0x7fff;

/// One of the two formats. Operations take and return 16 bits.
pub trait Format16 {
    /// The bits of infinity.
    const INFINITY: u32;
    /// Widens a number to `f32`, exactly.
    fn widen(x: u32) -> f32;
    /// Rounds to nearest even.
    fn narrow(x: f32) -> u32;
    /// Computes `a × b + c`, rounded once.
    fn fma(a: u32, b: u32, c: u32) -> u32;
    /// Computes `a × b`, rounded once.
    #[inline(always)]
    fn mul(a: u32, b: u32) -> u32 {
        Self::narrow(Self::widen(a) * Self::widen(b))
    }
    /// Computes `a + b`, rounded once.
    #[inline(always)]
    fn add(a: u32, b: u32) -> u32 {
        Self::narrow(Self::widen(a) + Self::widen(b))
    }
}

/// IEEE 754 binary16.
pub struct F16;

/// The upper half of an `f32`.
pub struct Bf16;

impl Format16 for F16 {
    const INFINITY: u32 = 0x7c00;

    #[inline(always)]
    fn widen(x: u32) -> f32 {
        let sign = (x & 0x8000) << 16;
        let magnitude = x & 0x7fff;
        // The exponent and fraction are at their positions except for the bias. A product restores
        // the bias and normalises the subnormals.
        let scaled = f32::from_bits(magnitude << 13) * f32::from_bits((127 + 112) << 23);
        let special = if magnitude >= Self::INFINITY { 0x7f80_0000 } else { 0 };
        let bits = scaled.to_bits() | special;
        f32::from_bits(if magnitude > Self::INFINITY { 0x7fff_ffff } else { bits | sign })
    }

    #[inline(always)]
    fn narrow(x: f32) -> u32 {
        let bits = x.to_bits();
        let sign = (bits >> 16) & 0x8000;
        let magnitude = bits & 0x7fff_ffff;
        let odd = (magnitude >> 13) & 1;
        let normal = magnitude.wrapping_sub(112 << 23).wrapping_add(0xfff + odd) >> 13;
        // In 0.5 + x the lowest bit has the weight 2^-24, the weight of the subnormals' lowest bit.
        let subnormal = (f32::from_bits(magnitude) + 0.5).to_bits().wrapping_sub(126 << 23);
        let finite = if magnitude < 113 << 23 { subnormal } else { normal };
        let large = if magnitude >= 143 << 23 { Self::INFINITY } else { finite };
        if magnitude > 0x7f80_0000 { NAN16 } else { large | sign }
    }

    #[inline(always)]
    fn fma(a: u32, b: u32, c: u32) -> u32 {
        // The product has 22 bits, so it is exact.
        let product = Self::widen(a) * Self::widen(b);
        Self::narrow(add_to_odd32(product, Self::widen(c)))
    }
}

impl F16 {
    /// Computes `2 (a × b + c)`, rounded once.
    pub fn fma_doubled(a: u32, b: u32, c: u32) -> u32 {
        let product = 2.0 * Self::widen(a) * Self::widen(b);
        Self::narrow(add_to_odd32(product, 2.0 * Self::widen(c)))
    }
}

impl Format16 for Bf16 {
    const INFINITY: u32 = 0x7f80;

    #[inline(always)]
    fn widen(x: u32) -> f32 {
        f32::from_bits(x << 16)
    }

    #[inline(always)]
    fn narrow(x: f32) -> u32 {
        let bits = x.to_bits();
        let rounded = bits.wrapping_add(0x7fff + ((bits >> 16) & 1)) >> 16;
        if x.is_nan() { NAN16 } else { rounded }
    }

    #[inline(always)]
    fn fma(a: u32, b: u32, c: u32) -> u32 {
        // The product has 16 bits within the exponents of `f64`, so it is exact.
        let product = f64::from(Self::widen(a)) * f64::from(Self::widen(b));
        Self::narrow(narrow_to_odd(add_to_odd64(product, f64::from(Self::widen(c)))))
    }
}

/// Computes `a + b` rounded to odd: an inexact sum becomes the neighbour whose last bit is one.
#[inline(always)]
fn add_to_odd32(a: f32, b: f32) -> f32 {
    let sum = a + b;
    // Knuth's two-sum gives the rounding error exactly.
    let b_part = sum - a;
    let error = (a - (sum - b_part)) + (b - b_part);
    let bits = sum.to_bits();
    let inexact = (error < 0.0) | (error > 0.0);
    let grows = (error > 0.0) == (sum > 0.0);
    let step = if grows { 1 } else { !0u32 };
    let odd = bits.wrapping_add(if inexact & (bits & 1 == 0) { step } else { 0 });
    f32::from_bits(odd)
}

/// Computes [`add_to_odd32`] in `f64`.
#[inline(always)]
fn add_to_odd64(a: f64, b: f64) -> f64 {
    let sum = a + b;
    let b_part = sum - a;
    let error = (a - (sum - b_part)) + (b - b_part);
    let bits = sum.to_bits();
    let inexact = (error < 0.0) | (error > 0.0);
    let grows = (error > 0.0) == (sum > 0.0);
    let step = if grows { 1 } else { !0u64 };
    f64::from_bits(bits.wrapping_add(if inexact & (bits & 1 == 0) { step } else { 0 }))
}

/// Rounds to `f32`, to odd.
#[inline(always)]
fn narrow_to_odd(x: f64) -> f32 {
    let nearest = x as f32;
    let bits = nearest.to_bits();
    let (back, exact) = (f64::from(nearest).abs(), x.abs());
    let inexact = (back < exact) | (back > exact);
    let step = if back < exact { 1 } else { !0u32 };
    f32::from_bits(bits.wrapping_add(if inexact & (bits & 1 == 0) { step } else { 0 }))
}

/// An operation on two 16-bit values of either format.
pub trait Operation2: Copy {
    /// Returns the result, in 16 bits.
    fn apply<F: Format16>(self, a: u32, b: u32) -> u32;
    /// Returns twice the result, rounded once, if that may differ from twice the rounded result.
    fn doubled<F: Format16>(self, a: u32, b: u32) -> Option<u32>;
}

/// Computes `a + (b ^ flip)`: a sum, or a difference if `flip` is the sign bit.
#[derive(Clone, Copy)]
pub struct Sum {
    /// The bits of `b` to flip.
    pub flip: u32,
}

impl Operation2 for Sum {
    #[inline(always)]
    fn apply<F: Format16>(self, a: u32, b: u32) -> u32 {
        F::add(a, b ^ self.flip)
    }

    // A sum as small as a subnormal is exact.
    fn doubled<F: Format16>(self, _: u32, _: u32) -> Option<u32> {
        None
    }
}

/// Computes `a × b`.
#[derive(Clone, Copy)]
pub struct Product;

impl Operation2 for Product {
    #[inline(always)]
    fn apply<F: Format16>(self, a: u32, b: u32) -> u32 {
        F::mul(a, b)
    }

    fn doubled<F: Format16>(self, a: u32, b: u32) -> Option<u32> {
        Some(F::narrow(2.0 * F::widen(a) * F::widen(b)))
    }
}

/// Computes a minimum or a maximum.
#[derive(Clone, Copy)]
pub enum Order {
    /// `min`.
    Min,
    /// `max`.
    Max,
    /// `min.NaN`: a NaN operand gives a NaN.
    MinNan,
    /// `max.NaN`: a NaN operand gives a NaN.
    MaxNan,
}

impl Operation2 for Order {
    #[inline(always)]
    fn apply<F: Format16>(self, a: u32, b: u32) -> u32 {
        // These are the same for all lanes. Reversing the order turns a minimum into a maximum.
        let (reverse, propagate) = match self {
            Self::Min => (0, false),
            Self::Max => (!0, false),
            Self::MinNan => (0, true),
            Self::MaxNan => (!0, true),
        };
        let (a_nan, b_nan) = (a & 0x7fff > F::INFINITY, b & 0x7fff > F::INFINITY);
        let first = (key16(a) ^ reverse) < (key16(b) ^ reverse);
        let chosen = if first { a } else { b };
        let number = if a_nan { b } else { a };
        let chosen = if a_nan | b_nan { number } else { chosen };
        let nan = (a_nan & b_nan) | ((a_nan | b_nan) & propagate);
        if nan { NAN16 } else { chosen }
    }

    fn doubled<F: Format16>(self, _: u32, _: u32) -> Option<u32> {
        None
    }
}

/// Maps bits to integers of the same order, with -0 below +0.
#[inline(always)]
fn key16(x: u32) -> i32 {
    let x = (x << 16) as i32 >> 16;
    x ^ ((x >> 31) & 0x7fff)
}

/// Applies `f` to both halves.
#[inline(always)]
pub fn pair1(a: u32, f: impl Fn(u32) -> u32) -> u32 {
    f(a & 0xffff) | (f(a >> 16) << 16)
}

/// Applies `f` to both pairs of halves.
#[inline(always)]
pub fn pair2<F: Format16>(f: impl Operation2, a: u32, b: u32) -> u32 {
    f.apply::<F>(a & 0xffff, b & 0xffff) | (f.apply::<F>(a >> 16, b >> 16) << 16)
}

/// Computes `a × b + c` for both triples of halves.
#[inline(always)]
pub fn pair_fma<F: Format16>(a: u32, b: u32, c: u32) -> u32 {
    F::fma(a & 0xffff, b & 0xffff, c & 0xffff) | (F::fma(a >> 16, b >> 16, c >> 16) << 16)
}

/// Computes `neg`. A NaN becomes canonical, because ptxas turns the instruction into a sum with -0.
pub fn neg16<F: Format16>(x: u32) -> u32 {
    if x & 0x7fff > F::INFINITY { NAN16 } else { x ^ 0x8000 }
}

/// Computes `abs`. A NaN becomes canonical.
pub fn abs16<F: Format16>(x: u32) -> u32 {
    if x & 0x7fff > F::INFINITY { NAN16 } else { x & 0x7fff }
}

/// Replaces a subnormal by the zero of its sign.
pub fn flush_f16(x: u32) -> u32 {
    if x & 0x7c00 == 0 { x & 0x8000 } else { x }
}

/// Applies [`flush_f16`] to a result. The result counts as below the smallest normal number if it
/// is when rounded to 11 bits with an unbounded exponent. Twice the result shows that if rounding
/// has made it the smallest normal number.
pub fn flush_result_f16(x: u32, doubled: impl Fn() -> Option<u32>) -> u32 {
    let is_rounded_up = |twice| twice & 0x7fff < 0x0800;
    if x & 0x7fff == 0x0400 && doubled().is_some_and(is_rounded_up) {
        x & 0x8000
    } else {
        flush_f16(x)
    }
}

/// Applies `.sat` to an `f16`: clamps to [0, 1], and a NaN becomes 0.
pub fn saturate_f16(x: u32) -> u32 {
    if (x & 0x8000 != 0) | (x & 0x7fff > F16::INFINITY) { 0 } else { x.min(0x3c00) }
}

/// Applies `.relu`: negative numbers become 0, and a NaN stays a NaN.
#[inline(always)]
pub fn relu(x: u32, infinity: u32) -> u32 {
    let nan = x & 0x7fff > infinity;
    let clamped = if x & 0x8000 != 0 { 0 } else { x };
    if nan { NAN16 } else { clamped }
}
