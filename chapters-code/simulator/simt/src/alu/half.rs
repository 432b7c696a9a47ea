//! Scalar `f16` and `bf16` operations, written without branches so that they vectorise.
//!
//! Sums and products are computed in `f32` and rounded again. `f32` has more than twice the bits of
//! either format and two to spare, so the second rounding gives what a single one would (Figueroa
//! 1995). A product is even exact in `f32`, unless it is too small to be half of the format's
//! smallest number. For fused operations twice the bits are too few: there the first rounding is to
//! odd, which never hides on which side of a tie the exact result lies (Boldo and Melquiond 2008).
//!
//! NaN results are 0x7fff.

/// The NaN of 16-bit results.
pub const NAN16: u32 = 0x7fff;

/// One of the two formats; its operations take and give 16 bits.
pub trait Format16 {
    /// Bits of infinity.
    const INFINITY: u32;
    /// The number as `f32`, exactly.
    fn widen(x: u32) -> f32;
    /// Rounds to nearest even.
    fn narrow(x: f32) -> u32;
    /// `a × b + c`, rounded once.
    fn fma(a: u32, b: u32, c: u32) -> u32;
    /// `a × b`, rounded once.
    #[inline(always)]
    fn mul(a: u32, b: u32) -> u32 {
        Self::narrow(Self::widen(a) * Self::widen(b))
    }
    /// `a + b`, rounded once.
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
        // The exponent and fraction land in place but for the bias, which a product restores; it
        // also normalises the subnormals.
        let scaled = f32::from_bits(magnitude << 13) * f32::from_bits((127 + 112) << 23);
        let special = if magnitude >= Self::INFINITY {
            0x7f80_0000
        } else {
            0
        };
        let bits = scaled.to_bits() | special;
        f32::from_bits(if magnitude > Self::INFINITY {
            0x7fff_ffff
        } else {
            bits | sign
        })
    }

    #[inline(always)]
    fn narrow(x: f32) -> u32 {
        let bits = x.to_bits();
        let sign = (bits >> 16) & 0x8000;
        let magnitude = bits & 0x7fff_ffff;
        let odd = (magnitude >> 13) & 1;
        let normal = magnitude.wrapping_sub(112 << 23).wrapping_add(0xfff + odd) >> 13;
        // In 0.5 + x the lowest bit weighs 2^-24, that of the subnormals.
        let subnormal = (f32::from_bits(magnitude) + 0.5)
            .to_bits()
            .wrapping_sub(126 << 23);
        let finite = if magnitude < 113 << 23 {
            subnormal
        } else {
            normal
        };
        let large = if magnitude >= 143 << 23 {
            Self::INFINITY
        } else {
            finite
        };
        if magnitude > 0x7f80_0000 {
            NAN16
        } else {
            large | sign
        }
    }

    #[inline(always)]
    fn fma(a: u32, b: u32, c: u32) -> u32 {
        // 22 bits, so exact.
        let product = Self::widen(a) * Self::widen(b);
        Self::narrow(add_to_odd32(product, Self::widen(c)))
    }
}

impl F16 {
    /// `2 (a × b + c)`, rounded once.
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
        // 16 bits within f64's exponents, so exact.
        let product = f64::from(Self::widen(a)) * f64::from(Self::widen(b));
        Self::narrow(narrow_to_odd(add_to_odd64(
            product,
            f64::from(Self::widen(c)),
        )))
    }
}

/// `a + b` rounded to odd: where inexact, the neighbour whose last bit is one.
#[inline(always)]
fn add_to_odd32(a: f32, b: f32) -> f32 {
    let sum = a + b;
    // Knuth's two-sum: the rounding error, exactly.
    let b_part = sum - a;
    let error = (a - (sum - b_part)) + (b - b_part);
    let bits = sum.to_bits();
    let inexact = (error < 0.0) | (error > 0.0);
    let grows = (error > 0.0) == (sum > 0.0);
    let step = if grows { 1 } else { !0u32 };
    let odd = bits.wrapping_add(if inexact & (bits & 1 == 0) { step } else { 0 });
    f32::from_bits(odd)
}

/// [`add_to_odd32`] in `f64`.
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

/// To `f32`, rounded to odd.
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
    /// The result, in 16 bits.
    fn apply<F: Format16>(self, a: u32, b: u32) -> u32;
    /// Twice the result, rounded once, where that may differ from twice the rounded result.
    fn doubled<F: Format16>(self, a: u32, b: u32) -> Option<u32>;
}

/// `a + (b ^ flip)`: a sum, or with the sign bit as `flip` a difference.
#[derive(Clone, Copy)]
pub struct Sum {
    /// What to flip in `b`.
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

/// `a × b`.
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

/// Minimum and maximum.
#[derive(Clone, Copy)]
pub enum Order {
    /// `min`.
    Min,
    /// `max`.
    Max,
    /// `min.NaN`: a NaN operand gives a NaN.
    MinNan,
    /// `max.NaN`.
    MaxNan,
}

impl Operation2 for Order {
    #[inline(always)]
    fn apply<F: Format16>(self, a: u32, b: u32) -> u32 {
        // The same for all lanes: reversing the order makes a minimum a maximum.
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

/// An order that puts -0 below +0.
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

/// `a × b + c` of both triples of halves.
#[inline(always)]
pub fn pair_fma<F: Format16>(a: u32, b: u32, c: u32) -> u32 {
    F::fma(a & 0xffff, b & 0xffff, c & 0xffff) | (F::fma(a >> 16, b >> 16, c >> 16) << 16)
}

/// `neg`: a NaN becomes canonical, as ptxas makes the instruction a sum with -0.
pub fn neg16<F: Format16>(x: u32) -> u32 {
    if x & 0x7fff > F::INFINITY {
        NAN16
    } else {
        x ^ 0x8000
    }
}

/// `abs`, likewise.
pub fn abs16<F: Format16>(x: u32) -> u32 {
    if x & 0x7fff > F::INFINITY {
        NAN16
    } else {
        x & 0x7fff
    }
}

/// A subnormal becomes the zero of its sign.
pub fn flush_f16(x: u32) -> u32 {
    if x & 0x7c00 == 0 { x & 0x8000 } else { x }
}

/// [`flush_f16`] of a result, which is below the smallest normal number if it is when rounded to 11
/// bits whatever the exponent: twice the result is, where rounding has made it that number.
pub fn flush_result_f16(x: u32, doubled: impl Fn() -> Option<u32>) -> u32 {
    let is_rounded_up = |twice| twice & 0x7fff < 0x0800;
    if x & 0x7fff == 0x0400 && doubled().is_some_and(is_rounded_up) {
        x & 0x8000
    } else {
        flush_f16(x)
    }
}

/// `.sat` of an `f16`: clamps to [0, 1]; a NaN becomes 0.
pub fn saturate_f16(x: u32) -> u32 {
    if (x & 0x8000 != 0) | (x & 0x7fff > F16::INFINITY) {
        0
    } else {
        x.min(0x3c00)
    }
}

/// `.relu`: negative numbers become 0, a NaN stays one.
#[inline(always)]
pub fn relu(x: u32, infinity: u32) -> u32 {
    let nan = x & 0x7fff > infinity;
    let clamped = if x & 0x8000 != 0 { 0 } else { x };
    if nan { NAN16 } else { clamped }
}
