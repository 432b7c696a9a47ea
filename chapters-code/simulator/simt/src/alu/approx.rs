//! The `.approx` functions. They are computed in `f64` and rounded. The results are within the
//! error that the PTX manual allows, but not bit for bit those of a GPU's function units and
//! tables.

use super::exact::{self, Finite, Value};
use super::float::{self, flush_if};
use super::half::{Bf16, F16, Format16};
use ptx::ir::Round;

/// Applies `f` to `f32` bits.
pub fn unary32(ftz: bool, x: u32, f: impl Fn(f64) -> f64) -> u32 {
    let x = f32::from_bits(flush_if(ftz, x));
    flush_if(ftz, float::canonical(f(f64::from(x)) as f32))
}

/// Computes `div.approx`.
///
/// It multiplies by the reciprocal, which is zero for a divisor above 2^126. The quotient is then
/// zero too, or NaN if the dividend is an infinity. Both roundings are there: 41 / 41 is below 1.
#[inline(always)]
pub fn quotient(x: f32, y: f32) -> f32 {
    const LARGEST_DIVISOR: f32 = f32::from_bits((127 + 126) << 23);
    if y.abs() > LARGEST_DIVISOR {
        return x * 0.0f32.copysign(y);
    }
    let product = x * (1.0 / y);
    if product.is_normal() { product } else { x / y }
}

/// Computes [`quotient`] with any rounding.
pub fn exact_quotient([x, y]: [Value; 2], round: Round) -> Value {
    match y {
        Value::Finite(divisor) if divisor.is_above(126) => {
            let zero = Value::Finite(Finite { significand: 0, ..divisor });
            exact::mul([x, zero], round)
        }
        _ => exact::div([x, y], round),
    }
}

/// Computes `rsqrt.approx`. A zero gives the infinity of its sign.
pub fn rsqrt(x: f64) -> f64 {
    if x == 0.0 { f64::INFINITY.copysign(x) } else { 1.0 / x.sqrt() }
}

/// Computes `ex2.approx` and `tanh.approx` of an `f16`.
pub fn unary_f16(x: u32, f: impl Fn(f64) -> f64) -> u32 {
    F16::narrow(f(f64::from(F16::widen(x))) as f32)
}

/// Computes `ex2.approx` and `tanh.approx` of a `bf16`.
pub fn unary_bf16(x: u32, f: impl Fn(f64) -> f64) -> u32 {
    Bf16::narrow(f(f64::from(Bf16::widen(x))) as f32)
}

/// Computes `rcp.approx.ftz.f64`, which reads and writes the upper 32 bits only and flushes
/// subnormals.
pub fn rcp_f64(x: u64) -> u64 {
    upper_f64(x, |x| 1.0 / x)
}

/// Computes `rsqrt.approx.ftz.f64`, which reads and writes the upper 32 bits only and flushes
/// subnormals.
pub fn rsqrt_ftz_f64(x: u64) -> u64 {
    upper_f64(x, rsqrt)
}

/// Applies `f` to the upper 32 bits and rounds to the nearest number of that precision. The upper
/// half of a NaN is 0x7fffffff, which is the NaN that the function unit returns for `f32`.
fn upper_f64(x: u64, f: impl Fn(f64) -> f64) -> u64 {
    const UPPER: u64 = !0 << 32;
    let result = f(f64::from_bits(flush64(x & UPPER)));
    if result.is_nan() {
        u64::from(float::NAN32) << 32
    } else {
        flush64(result.to_bits().saturating_add(1 << 31) & UPPER)
    }
}

/// Computes `rsqrt.approx.f64`.
pub fn rsqrt_f64(x: u64) -> u64 {
    let result = rsqrt(f64::from_bits(x));
    if result.is_nan() { float::propagate64(&[x]) } else { result.to_bits() }
}

fn flush64(x: u64) -> u64 {
    if x & 0x7ff0_0000_0000_0000 == 0 { x & (1 << 63) } else { x }
}
