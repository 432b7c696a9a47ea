//! The approximate functions: within the manual's bounds, and exact where it gives a table.

use super::common::{D, E, Random, S, T, WINDOWS, isas, registers};
use half::{bf16, f16};
use ptx::ir::{Alu, Half, Un32, Un64};

/// The result of `op` on the bits `x`.
fn result(op: Un32, x: u32) -> u32 {
    let results: Vec<u32> = isas()
        .into_iter()
        .map(|isa| {
            let mut regs = registers(&[[x; 32]], &[]);
            isa.execute(&Alu::Un32 { op, d: D, a: S[0] }, &mut regs, !0, &WINDOWS);
            regs.r32(D)[31]
        })
        .collect();
    assert_eq!(results.first(), results.last(), "{op:?} of {x:#x}");
    results[0]
}

fn result_f32(op: Un32, x: f32) -> f32 {
    f32::from_bits(result(op, x.to_bits()))
}

/// Numbers between two powers of two, of both signs where `both`.
fn numbers(exponents: std::ops::Range<i32>, both: bool) -> Vec<f32> {
    let mut random = Random(3);
    exponents
        .flat_map(|e| [e; 20])
        .map(|e| {
            let fraction = 1.0 + (random.next() >> 40) as f32 / (1u64 << 24) as f32;
            let sign = if both && random.next().is_multiple_of(2) { -1.0 } else { 1.0 };
            sign * fraction * (e as f32).exp2()
        })
        .collect()
}

/// Bounds of the manual, as an error relative to the result.
#[test]
fn relative_errors() {
    type Function = fn(f64) -> f64;
    let table: &[(Un32, Function, f64, std::ops::Range<i32>, bool)] = &[
        (Un32::RcpApproxF32 { ftz: false }, |x| 1.0 / x, 2f64.powi(-23), -120..120, true),
        (Un32::SqrtApproxF32 { ftz: false }, f64::sqrt, 2f64.powi(-23), -120..120, false),
        (
            Un32::RsqrtApproxF32 { ftz: false },
            |x| 1.0 / x.sqrt(),
            2f64.powf(-22.9),
            -120..120,
            false,
        ),
        (Un32::Ex2ApproxF32 { ftz: false }, f64::exp2, 2f64.powi(-22), -20..6, true),
        (Un32::TanhApproxF32, f64::tanh, 2f64.powi(-11), -20..5, true),
    ];
    for (op, f, bound, exponents, both) in table {
        for x in numbers(exponents.clone(), *both) {
            let (wanted, got) = (f(x.into()), f64::from(result_f32(*op, x)));
            assert!((got - wanted).abs() <= bound * wanted.abs(), "{op:?} of {x}: {got}");
        }
    }
}

/// Bounds of the manual, as an absolute error.
#[test]
fn absolute_errors() {
    type Function = fn(f64) -> f64;
    let table: &[(Un32, Function, f64, std::ops::Range<i32>, bool)] = &[
        (Un32::SinApproxF32 { ftz: false }, f64::sin, 2f64.powf(-20.5), -20..2, true),
        (Un32::CosApproxF32 { ftz: false }, f64::cos, 2f64.powf(-20.5), -20..2, true),
        (Un32::Lg2ApproxF32 { ftz: false }, f64::log2, 2f64.powi(-22), -1..1, false),
    ];
    for (op, f, bound, exponents, both) in table {
        for x in numbers(exponents.clone(), *both) {
            let (wanted, got) = (f(x.into()), f64::from(result_f32(*op, x)));
            assert!((got - wanted).abs() <= *bound, "{op:?} of {x}: {got}");
        }
    }
}

const INFINITY: u32 = 0x7f80_0000;
const NEGATIVE: u32 = 0x8000_0000;
const NAN: u32 = 0x7fff_ffff;

/// The manual's tables of special operands: -infinity, -subnormal, -0, +0, +subnormal, +infinity,
/// NaN, with subnormals flushed.
#[test]
fn special_operands() {
    let operands = [INFINITY | NEGATIVE, 0x8000_0001, NEGATIVE, 0, 1, INFINITY, 0xffc1_2345];
    let minus = INFINITY | NEGATIVE;
    let one = 0x3f80_0000;
    let table = [
        (Un32::RcpApproxF32 { ftz: true }, [NEGATIVE, minus, minus, INFINITY, INFINITY, 0, NAN]),
        (Un32::SqrtApproxF32 { ftz: true }, [NAN, NEGATIVE, NEGATIVE, 0, 0, INFINITY, NAN]),
        (Un32::RsqrtApproxF32 { ftz: true }, [NAN, minus, minus, INFINITY, INFINITY, 0, NAN]),
        (Un32::SinApproxF32 { ftz: true }, [NAN, NEGATIVE, NEGATIVE, 0, 0, NAN, NAN]),
        (Un32::CosApproxF32 { ftz: true }, [NAN, one, one, one, one, NAN, NAN]),
        (Un32::Lg2ApproxF32 { ftz: true }, [NAN, minus, minus, minus, minus, INFINITY, NAN]),
        (Un32::Ex2ApproxF32 { ftz: true }, [0, one, one, one, one, INFINITY, NAN]),
    ];
    for (op, results) in table {
        for (x, wanted) in operands.into_iter().zip(results) {
            assert_eq!(result(op, x), wanted, "{op:?} of {x:#x}");
        }
    }
}

#[test]
fn subnormal_results() {
    assert_eq!(result_f32(Un32::Ex2ApproxF32 { ftz: false }, -130.0), 2f32.powi(-130));
    assert_eq!(result_f32(Un32::Ex2ApproxF32 { ftz: true }, -130.0), 0.0);
    assert_eq!(result_f32(Un32::RcpApproxF32 { ftz: true }, f32::MAX), 0.0);
    assert!(result_f32(Un32::RcpApproxF32 { ftz: false }, f32::MAX) > 0.0);
}

#[test]
fn halves() {
    let f16_form = Half::F16 { ftz: false, sat: false };
    for bits in (0..0x1_0000).step_by(7) {
        let x = f16::from_bits(bits as u16);
        let got = f16::from_bits(result(Un32::Ex2ApproxHalf(f16_form), bits) as u16);
        close(got.to_f64(), x.to_f64().exp2(), 2f64.powf(-9.9), 2f64.powi(-24), bits);
        let got = f16::from_bits(result(Un32::TanhApproxHalf(f16_form), bits) as u16);
        close(got.to_f64(), x.to_f64().tanh(), 2f64.powf(-10.987), 2f64.powi(-24), bits);
        let x = bf16::from_bits(bits as u16);
        let got = bf16::from_bits(result(Un32::Ex2ApproxHalf(Half::Bf16), bits) as u16);
        close(got.to_f64(), x.to_f64().exp2(), 2f64.powi(-7), 2f64.powi(-133), bits);
        let got = bf16::from_bits(result(Un32::TanhApproxHalf(Half::Bf16), bits) as u16);
        close(got.to_f64(), x.to_f64().tanh(), 2f64.powi(-8), 2f64.powi(-133), bits);
    }
    for x in [0x3c00_0000, 0x4000_3c00] {
        let got = result(Un32::Ex2ApproxHalf(Half::F16x2 { ftz: false, sat: false }), x);
        let half =
            |x: u32| u32::from(f16::from_f64(f16::from_bits(x as u16).to_f64().exp2()).to_bits());
        assert_eq!(got, half(x >> 16) << 16 | half(x));
    }
}

/// Within the relative error, or where results are subnormal within the absolute one; a value
/// beyond the format's range may be an infinity.
fn close(got: f64, wanted: f64, relative: f64, absolute: f64, bits: u32) {
    let overflow = got.is_infinite() && wanted > 65504.0;
    let near = (got - wanted).abs() <= (relative * wanted.abs()).max(absolute);
    assert!(near || overflow || (got.is_nan() && wanted.is_nan()), "{bits:#x}: {got} {wanted}");
}

#[test]
fn doubles() {
    let result = |op, x: f64| {
        let results = isas().into_iter().map(|isa| {
            let mut regs = registers(&[], &[[x.to_bits(); 32]]);
            isa.execute(&Alu::Un64 { op, d: E, a: T[0] }, &mut regs, !0, &WINDOWS);
            regs.r64(E)[0]
        });
        let results = results.collect::<Vec<_>>();
        assert_eq!(results.first(), results.last());
        results[0]
    };
    let rsqrt_f64 = Un64::RsqrtApproxF64 { ftz: false };
    for x in numbers(-100..100, true).into_iter().map(f64::from).chain([1.0 / 3.0, 1e300]) {
        let rcp = result(Un64::RcpApproxF64, x);
        assert_eq!(rcp as u32, 0, "only the upper half");
        assert!((f64::from_bits(rcp) * x - 1.0).abs() < 2f64.powi(-19));
        let rsqrt = f64::from_bits(result(rsqrt_f64, x.abs()));
        assert!((rsqrt * rsqrt * x.abs() - 1.0).abs() < 2f64.powi(-40));
    }
    assert_eq!(result(Un64::RcpApproxF64, 1e-308), f64::INFINITY.to_bits());
    assert_eq!(result(Un64::RcpApproxF64, -1.7e308), (-0.0f64).to_bits());
    assert_eq!(result(Un64::RcpApproxF64, -0.0), f64::NEG_INFINITY.to_bits());
    assert_eq!(result(rsqrt_f64, -0.0), f64::NEG_INFINITY.to_bits());
    assert!(f64::from_bits(result(rsqrt_f64, -1.0)).is_nan());
}
