//! The CPU's own directed roundings, as a model for ours.

use ptx::ir::Round;
use std::arch::asm;

/// A rounding, and whether results below the smallest normal number become zeros. (x86 judges them
/// after rounding to the format's precision, as PTX's `.ftz` does.)
#[derive(Clone, Copy)]
pub struct Mode(Round, bool);

impl From<Round> for Mode {
    fn from(round: Round) -> Self {
        Self(round, false)
    }
}

impl From<(Round, bool)> for Mode {
    fn from((round, ftz): (Round, bool)) -> Self {
        Self(round, ftz)
    }
}

/// The control register with this mode: all exceptions masked, subnormal operands kept.
fn control(mode: impl Into<Mode>) -> u32 {
    let Mode(round, ftz) = mode.into();
    let round = match round {
        Round::NearestEven | Round::None => 0,
        Round::Down => 1,
        Round::Up => 2,
        Round::Zero => 3,
    };
    0x1f80 | round << 13 | u32::from(ftz) << 15
}

/// Defines a function that executes one instruction under a rounding. The first operand is the
/// instruction's destination too.
macro_rules! rounded {
    ($name:ident, $mode:ty, $ty:ty, ($first:ident $(, $arg:ident)*), $instruction:literal) => {
        /// The instruction of the same name, in a mode.
        pub fn $name(mode: $mode, $first: $ty $(, $arg: $ty)*) -> $ty {
            let (directed, usual) = (control(mode), control(Round::NearestEven));
            let mut result = $first;
            // SAFETY: the callers see to it that the CPU has the instruction, and the control
            // register is put back before any other floating-point instruction.
            unsafe {
                asm!(
                    "ldmxcsr [{directed}]",
                    $instruction,
                    "ldmxcsr [{usual}]",
                    directed = in(reg) &raw const directed,
                    usual = in(reg) &raw const usual,
                    d = inout(xmm_reg) result,
                    $($arg = in(xmm_reg) $arg,)*
                    options(nostack),
                );
            }
            result
        }
    };
}

rounded!(add32, (Round, bool), f32, (a, b), "addss {d}, {b}");
rounded!(sub32, (Round, bool), f32, (a, b), "subss {d}, {b}");
rounded!(mul32, (Round, bool), f32, (a, b), "mulss {d}, {b}");
rounded!(div32, (Round, bool), f32, (a, b), "divss {d}, {b}");
rounded!(sqrt32, (Round, bool), f32, (a), "sqrtss {d}, {d}");
rounded!(add64, Round, f64, (a, b), "addsd {d}, {b}");
rounded!(sub64, Round, f64, (a, b), "subsd {d}, {b}");
rounded!(mul64, Round, f64, (a, b), "mulsd {d}, {b}");
rounded!(div64, Round, f64, (a, b), "divsd {d}, {b}");
rounded!(sqrt64, Round, f64, (a), "sqrtsd {d}, {d}");
rounded!(narrow, (Round, bool), f64, (a), "cvtsd2ss {d}, {d}");
rounded!(multiply_add32, (Round, bool), f32, (c, a, b), "vfmadd231ss {d}, {a}, {b}");
rounded!(multiply_add64, Round, f64, (c, a, b), "vfmadd231sd {d}, {a}, {b}");

/// Whether the CPU has `fma`.
pub fn has_fma() -> bool {
    std::arch::is_x86_feature_detected!("fma")
}

/// `a × b + c`, in a mode.
pub fn fma32(mode: (Round, bool), a: f32, b: f32, c: f32) -> f32 {
    assert!(has_fma());
    multiply_add32(mode, c, a, b)
}

/// `a × b + c`, under a rounding.
pub fn fma64(round: Round, a: f64, b: f64, c: f64) -> f64 {
    assert!(has_fma());
    multiply_add64(round, c, a, b)
}

/// `f64` to `f32`, in a mode.
pub fn narrow32(mode: (Round, bool), a: f64) -> f32 {
    f32::from_bits(narrow(mode, a).to_bits() as u32)
}

/// Defines a conversion from `i64`.
macro_rules! from_integer {
    ($name:ident, $ty:ty, $instruction:literal) => {
        /// The integer as a float, under a rounding.
        pub fn $name(round: Round, a: i64) -> $ty {
            let (directed, usual) = (control(round), control(Round::NearestEven));
            let mut result: $ty = 0.0;
            // SAFETY: as above.
            unsafe {
                asm!(
                    "ldmxcsr [{directed}]",
                    $instruction,
                    "ldmxcsr [{usual}]",
                    directed = in(reg) &raw const directed,
                    usual = in(reg) &raw const usual,
                    d = inout(xmm_reg) result,
                    a = in(reg) a,
                    options(nostack),
                );
            }
            result
        }
    };
}

from_integer!(int32, f32, "cvtsi2ss {d}, {a}");
from_integer!(int64, f64, "cvtsi2sd {d}, {a}");
