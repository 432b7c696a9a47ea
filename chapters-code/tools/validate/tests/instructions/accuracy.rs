//! The approximate instructions, and how far the PTX manual lets each be from the true value.

use half::{bf16, f16};
use validate::instructions::inputs::Row;

/// A format of numbers.
#[derive(Clone, Copy, Debug)]
enum Format {
    F16,
    Bf16,
    F32,
    F64,
}

/// How far a result may be off.
#[derive(Clone, Copy, Debug)]
enum Bound {
    /// Relative to the true value.
    Relative(f64),
    /// Absolutely.
    Absolute(f64),
    /// Sine and cosine: absolutely, up to 2 pi and up to 100 pi; beyond, nothing is said.
    Angle,
    /// The logarithm: absolutely about one, relatively elsewhere.
    Logarithm,
}

/// An approximate instruction.
#[derive(Clone, Copy, Debug)]
pub struct Approximation {
    function: fn(f64, f64) -> f64,
    format: Format,
    /// How many numbers an operand holds.
    lanes: u32,
    ftz: bool,
    bound: Bound,
}

impl Approximation {
    /// The instruction that a column's name begins with, if it is approximate.
    pub fn of(name: &str) -> Option<Self> {
        let opcode = name.split(' ').next()?;
        if !opcode.contains(".approx") && !opcode.contains(".full") {
            return None;
        }
        let (base, ty) = (opcode.split('.').next()?, opcode.rsplit('.').next()?);
        let (format, lanes) = match ty {
            "f16" => (Format::F16, 1),
            "f16x2" => (Format::F16, 2),
            "bf16" => (Format::Bf16, 1),
            "bf16x2" => (Format::Bf16, 2),
            "f32" => (Format::F32, 1),
            "f64" => (Format::F64, 1),
            _ => panic!("no bound is known for {opcode}"),
        };
        let (function, bound) = known(base, format, opcode.contains(".full"));
        Some(Self { function, format, lanes, ftz: opcode.contains(".ftz"), bound })
    }

    /// Whether `result` is near enough to the true value for a row of operands.
    pub fn allows(&self, row: &Row, result: u64) -> bool {
        let width = self.format.width();
        (0..self.lanes).all(|lane| {
            let part = |bits: u64| bits >> (lane * width) & (!0 >> (64 - width));
            self.allows_number(part(row[0]), part(row[1]), part(result))
        })
    }

    fn allows_number(&self, a: u64, b: u64, result: u64) -> bool {
        let value = |bits| match self.format {
            // `.ftz.f64` sees the upper half of its operand.
            Format::F64 if self.ftz => f64::from_bits(bits & !0 << 32),
            format => format.value(bits),
        };
        let result = self.format.value(result);
        // Whether the hardware flushes subnormal operands is not for this check: either way will do.
        let flushed = |bits| self.flushed(value(bits));
        let operands = [[value(a), value(b)], [flushed(a), flushed(b)]];
        operands.iter().any(|&[a, b]| self.is_near(a, b, result))
    }

    fn flushed(&self, value: f64) -> f64 {
        if value.abs() < self.format.smallest() { 0.0f64.copysign(value) } else { value }
    }

    fn is_near(&self, a: f64, b: f64, result: f64) -> bool {
        let exact = (self.function)(a, b);
        if exact.is_nan() || result.is_nan() {
            return exact.is_nan() && result.is_nan();
        }
        let overflows = exact.abs() > self.format.largest();
        if overflows || result.is_infinite() {
            return result.is_infinite()
                && result.signum() == exact.signum()
                && exact.abs() >= self.format.largest() * (1.0 - 1e-6);
        }
        let error = (result - exact).abs();
        // A result that is subnormal may have been flushed, or is rounded.
        let unit = if self.ftz { self.format.smallest() } else { self.format.smallest_subnormal() };
        let allowed = match self.bound {
            Bound::Relative(bound) => bound * exact.abs(),
            Bound::Absolute(bound) => bound,
            Bound::Angle if a.abs() <= std::f64::consts::TAU => 2f64.powf(-20.5),
            Bound::Angle if a.abs() <= 50.0 * std::f64::consts::TAU => 2f64.powf(-14.7),
            Bound::Angle => 1.0 + exact.abs(),
            Bound::Logarithm if (0.5..=2.0).contains(&a) => 2f64.powi(-22),
            Bound::Logarithm => 2f64.powi(-22) * exact.abs(),
        };
        error <= allowed + unit
    }
}

/// The function of an opcode, and its bound.
fn known(base: &str, format: Format, full: bool) -> (fn(f64, f64) -> f64, Bound) {
    let relative = |exponent: f64| Bound::Relative(exponent.exp2());
    match (base, format) {
        ("div", _) if full => (|a, b| a / b, relative(-22.0)),
        ("div", _) => (quotient, relative(-22.0)),
        ("rcp", Format::F64) => (|a, _| 1.0 / a, relative(-20.0)),
        ("rcp", _) => (|a, _| 1.0 / a, relative(-23.0)),
        ("rsqrt", Format::F64) => (rsqrt, relative(-20.0)),
        ("rsqrt", _) => (rsqrt, relative(-22.9)),
        ("sqrt", _) => (|a, _| a.sqrt(), relative(-23.0)),
        ("sin", _) => (|a, _| a.sin(), Bound::Angle),
        ("cos", _) => (|a, _| a.cos(), Bound::Angle),
        ("lg2", _) => (|a, _| a.log2(), Bound::Logarithm),
        ("ex2", Format::F16) => (|a, _| a.exp2(), relative(-9.9)),
        ("ex2", Format::Bf16) => (|a, _| a.exp2(), relative(-7.0)),
        ("ex2", _) => (|a, _| a.exp2(), relative(-22.0)),
        ("tanh", Format::F16) => (|a, _| a.tanh(), Bound::Absolute((-10.987f64).exp2())),
        ("tanh", Format::Bf16) => (|a, _| a.tanh(), Bound::Absolute((-8.0f64).exp2())),
        ("tanh", _) => (|a, _| a.tanh(), relative(-11.0)),
        _ => panic!("no bound is known for {base} of {format:?}"),
    }
}

/// `div.approx`: the manual has it zero for a divisor above 2^126, and NaN for an infinity by it.
fn quotient(a: f64, b: f64) -> f64 {
    if b.abs() > 2f64.powi(126) { a * 0.0f64.copysign(b) } else { a / b }
}

fn rsqrt(a: f64, _: f64) -> f64 {
    if a == 0.0 { f64::INFINITY.copysign(a) } else { 1.0 / a.sqrt() }
}

impl Format {
    fn width(self) -> u32 {
        match self {
            Self::F16 | Self::Bf16 => 16,
            Self::F32 => 32,
            Self::F64 => 64,
        }
    }

    fn value(self, bits: u64) -> f64 {
        match self {
            Self::F16 => f16::from_bits(bits as u16).to_f64(),
            Self::Bf16 => bf16::from_bits(bits as u16).to_f64(),
            Self::F32 => f32::from_bits(bits as u32).into(),
            Self::F64 => f64::from_bits(bits),
        }
    }

    /// The smallest normal number.
    fn smallest(self) -> f64 {
        match self {
            Self::F16 => f16::MIN_POSITIVE.to_f64(),
            Self::Bf16 | Self::F32 => f32::MIN_POSITIVE.into(),
            Self::F64 => f64::MIN_POSITIVE,
        }
    }

    fn smallest_subnormal(self) -> f64 {
        self.value(1)
    }

    fn largest(self) -> f64 {
        match self {
            Self::F16 => f16::MAX.to_f64(),
            Self::Bf16 => bf16::MAX.to_f64(),
            Self::F32 => f32::MAX.into(),
            Self::F64 => f64::MAX,
        }
    }
}
