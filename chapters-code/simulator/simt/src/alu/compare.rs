//! `setp` and `testp`: comparisons of lanes that give predicate bits.

use super::float::flush;
use super::half::{Bf16, F16, Format16, flush_f16};
use super::int::sext16;
use super::isa::Vectors;
use super::lanes::{Lanes, row, test, test_in};
use crate::registers::{LaneMask, Lanes32, Register, Registers};
use ptx::ir::{Cmp, CmpType32, CmpType64, Combine, FloatClass, Pred, PredOp, R32, R64};
use std::cmp::Ordering;

/// A comparison of 32-bit registers.
#[derive(Clone, Copy)]
pub struct Compare32 {
    /// The relation.
    pub cmp: Cmp,
    /// The type.
    pub ty: CmpType32,
    /// The operands.
    pub s: [R32; 2],
}

/// A comparison of 64-bit registers.
#[derive(Clone, Copy)]
pub struct Compare64 {
    /// The relation.
    pub cmp: Cmp,
    /// The type.
    pub ty: CmpType64,
    /// The operands.
    pub s: [R64; 2],
}

/// The operands of a relation that is computed, and whether the result is its complement.
#[derive(Clone, Copy)]
struct Related<R> {
    s: [R; 2],
    invert: bool,
}

impl<R: Copy> Related<R> {
    fn new([a, b]: [R; 2], swap: bool, invert: bool) -> Self {
        let s = if swap { [b, a] } else { [a, b] };
        Self { s, invert }
    }
}

/// The predicates that receive a comparison's result and, optionally, its complement.
pub type Target = (Pred, Option<Pred>);

/// Writes the result of a comparison, combined with another predicate first if `with` is present.
#[inline(always)]
fn write(
    regs: &mut Registers,
    mask: LaneMask,
    (d, q): Target,
    with: &Option<Combine>,
    bits: LaneMask,
) {
    let (result, complement) = match *with {
        None => (bits, !bits),
        Some(Combine { op, c, negated }) => {
            let c = regs.pred(c) ^ if negated { !0 } else { 0 };
            (combine(op, bits, c), combine(op, !bits, c))
        }
    };
    regs.set_pred(d, result, mask);
    if let Some(q) = q {
        regs.set_pred(q, complement, mask);
    }
}

/// Combines two predicates. `Mov` and `Not` ignore `b`.
fn combine(op: PredOp, a: LaneMask, b: LaneMask) -> LaneMask {
    match op {
        PredOp::Mov => a,
        PredOp::Not => !a,
        PredOp::And => a & b,
        PredOp::Or => a | b,
        PredOp::Xor => a ^ b,
    }
}

/// Executes predicate logic.
pub fn predicates(op: PredOp, regs: &mut Registers, mask: LaneMask, d: Pred, [a, b]: [Pred; 2]) {
    let bits = combine(op, regs.pred(a), regs.pred(b));
    regs.set_pred(d, bits, mask);
}

/// How a comparison is computed: as one of few relations, perhaps with swapped operands or
/// complemented.
enum Plan {
    Equal {
        invert: bool,
    },
    Less {
        swap: bool,
        invert: bool,
    },
    LessOrEqual {
        swap: bool,
        invert: bool,
    },
    /// The comparison is none of these: see [`unusual32`].
    Unusual,
}

impl Plan {
    /// Plans a comparison of integers. Their order is total, so "less" and "equal" give all six
    /// comparisons.
    #[inline(always)]
    fn of_integers(cmp: Cmp) -> Self {
        match cmp {
            Cmp::Eq | Cmp::Equ => Self::Equal { invert: false },
            Cmp::Ne | Cmp::Neu => Self::Equal { invert: true },
            Cmp::Lt | Cmp::Ltu => Self::Less { swap: false, invert: false },
            Cmp::Ge | Cmp::Geu => Self::Less { swap: false, invert: true },
            Cmp::Gt | Cmp::Gtu => Self::Less { swap: true, invert: false },
            Cmp::Le | Cmp::Leu => Self::Less { swap: true, invert: true },
            Cmp::Num | Cmp::Nan => Self::Unusual,
        }
    }

    /// Plans a comparison of floats. An unordered comparison is the complement of the opposite
    /// ordered one.
    #[inline(always)]
    fn of_floats(cmp: Cmp) -> Self {
        match cmp {
            Cmp::Eq => Self::Equal { invert: false },
            Cmp::Neu => Self::Equal { invert: true },
            Cmp::Lt => Self::Less { swap: false, invert: false },
            Cmp::Gt => Self::Less { swap: true, invert: false },
            Cmp::Geu => Self::Less { swap: false, invert: true },
            Cmp::Leu => Self::Less { swap: true, invert: true },
            Cmp::Le => Self::LessOrEqual { swap: false, invert: false },
            Cmp::Ge => Self::LessOrEqual { swap: true, invert: false },
            Cmp::Gtu => Self::LessOrEqual { swap: false, invert: true },
            Cmp::Ltu => Self::LessOrEqual { swap: true, invert: true },
            Cmp::Ne | Cmp::Equ | Cmp::Num | Cmp::Nan => Self::Unusual,
        }
    }
}

/// Executes `setp` of 32-bit registers.
#[inline(always)]
pub fn setp32<V: Vectors>(
    lanes: Lanes<'_, V>,
    compare: Compare32,
    target: Target,
    with: &Option<Combine>,
) {
    let Compare32 { cmp, ty, s } = compare;
    let plan = match ty {
        CmpType32::U32 | CmpType32::S32 => Plan::of_integers(cmp),
        CmpType32::F32 { ftz: false } => Plan::of_floats(cmp),
        CmpType32::U16
        | CmpType32::S16
        | CmpType32::F32 { ftz: true }
        | CmpType32::F16 { .. }
        | CmpType32::Bf16 => Plan::Unusual,
    };
    let related = |swap, invert| Related::new(s, swap, invert);
    match (ty, plan) {
        (CmpType32::F32 { .. }, Plan::Equal { invert }) => {
            relate(lanes, related(false, invert), target, with, |x, y| {
                f32::from_bits(x) == f32::from_bits(y)
            });
        }
        (CmpType32::F32 { .. }, Plan::Less { swap, invert }) => {
            relate(lanes, related(swap, invert), target, with, |x, y| {
                f32::from_bits(x) < f32::from_bits(y)
            });
        }
        (CmpType32::F32 { .. }, Plan::LessOrEqual { swap, invert }) => {
            relate(lanes, related(swap, invert), target, with, |x, y| {
                f32::from_bits(x) <= f32::from_bits(y)
            });
        }
        (_, Plan::Equal { invert }) => {
            relate(lanes, related(false, invert), target, with, |x, y| x == y)
        }
        (CmpType32::U32, Plan::Less { swap, invert }) => {
            relate(lanes, related(swap, invert), target, with, |x, y| x < y);
        }
        (_, Plan::Less { swap, invert }) => {
            relate(lanes, related(swap, invert), target, with, |x, y| (x as i32) < (y as i32));
        }
        (_, Plan::LessOrEqual { .. } | Plan::Unusual) => {
            unusual32(lanes.regs, lanes.mask, compare, target, with);
        }
    }
}

/// Executes `setp` of 64-bit registers.
#[inline(always)]
pub fn setp64<V: Vectors>(
    lanes: Lanes<'_, V>,
    compare: Compare64,
    target: Target,
    with: &Option<Combine>,
) {
    let Compare64 { cmp, ty, s } = compare;
    let plan = match ty {
        CmpType64::U64 | CmpType64::S64 => Plan::of_integers(cmp),
        CmpType64::F64 => Plan::of_floats(cmp),
    };
    let related = |swap, invert| Related::new(s, swap, invert);
    match (ty, plan) {
        (CmpType64::F64, Plan::Equal { invert }) => {
            relate(lanes, related(false, invert), target, with, |x, y| {
                f64::from_bits(x) == f64::from_bits(y)
            });
        }
        (CmpType64::F64, Plan::Less { swap, invert }) => {
            relate(lanes, related(swap, invert), target, with, |x, y| {
                f64::from_bits(x) < f64::from_bits(y)
            });
        }
        (CmpType64::F64, Plan::LessOrEqual { swap, invert }) => {
            relate(lanes, related(swap, invert), target, with, |x, y| {
                f64::from_bits(x) <= f64::from_bits(y)
            });
        }
        (_, Plan::Equal { invert }) => {
            relate(lanes, related(false, invert), target, with, |x, y| x == y)
        }
        (CmpType64::U64, Plan::Less { swap, invert }) => {
            relate(lanes, related(swap, invert), target, with, |x, y| x < y);
        }
        (_, Plan::Less { swap, invert }) => {
            relate(lanes, related(swap, invert), target, with, |x, y| (x as i64) < (y as i64));
        }
        (_, Plan::LessOrEqual { .. } | Plan::Unusual) => {
            unusual64(lanes.regs, lanes.mask, compare, target, with);
        }
    }
}

/// Compares registers by `holds` and writes the result.
#[inline(always)]
fn relate<V: Vectors, R: Register>(
    lanes: Lanes<'_, V>,
    Related { s, invert }: Related<R>,
    target: Target,
    with: &Option<Combine>,
    holds: impl Fn(R::Value, R::Value) -> bool,
) {
    let (x, y) = (s[0].row(lanes.regs), s[1].row(lanes.regs));
    let bits = test_in!(V, i => holds(x[i], y[i]));
    write(lanes.regs, lanes.mask, target, with, if invert { !bits } else { bits });
}

/// Compares types that are converted first, and relations that ask about NaNs.
#[inline(never)]
fn unusual32(
    regs: &mut Registers,
    mask: LaneMask,
    Compare32 { cmp, ty, s }: Compare32,
    target: Target,
    with: &Option<Combine>,
) {
    let [x, y] = s.map(|r| widen(ty, regs.r32(r)));
    let bits = match ty {
        CmpType32::U32 | CmpType32::S32 | CmpType32::U16 | CmpType32::S16 => {
            test!(i => holds(cmp, (x[i] as i32).partial_cmp(&(y[i] as i32))))
        }
        CmpType32::F32 { .. } | CmpType32::F16 { .. } | CmpType32::Bf16 => {
            test!(i => holds(cmp, f32::from_bits(x[i]).partial_cmp(&f32::from_bits(y[i]))))
        }
    };
    write(regs, mask, target, with, bits);
}

/// Compares for relations that ask about NaNs.
#[inline(never)]
fn unusual64(
    regs: &mut Registers,
    mask: LaneMask,
    Compare64 { cmp, ty, s }: Compare64,
    target: Target,
    with: &Option<Combine>,
) {
    let [x, y] = s.map(|r| regs.r64(r));
    let bits = match ty {
        CmpType64::U64 | CmpType64::S64 => test!(i => holds(cmp, Some(x[i].cmp(&y[i])))),
        CmpType64::F64 => {
            test!(i => holds(cmp, f64::from_bits(x[i]).partial_cmp(&f64::from_bits(y[i]))))
        }
    };
    write(regs, mask, target, with, bits);
}

/// Whether a comparison holds for operands in this order. `None` means that an operand is NaN.
fn holds(cmp: Cmp, order: Option<Ordering>) -> bool {
    match cmp {
        Cmp::Eq => order == Some(Ordering::Equal),
        Cmp::Ne => matches!(order, Some(Ordering::Less | Ordering::Greater)),
        Cmp::Lt => order == Some(Ordering::Less),
        Cmp::Le => matches!(order, Some(Ordering::Less | Ordering::Equal)),
        Cmp::Gt => order == Some(Ordering::Greater),
        Cmp::Ge => matches!(order, Some(Ordering::Greater | Ordering::Equal)),
        Cmp::Equ => matches!(order, Some(Ordering::Equal) | None),
        Cmp::Neu => order != Some(Ordering::Equal),
        Cmp::Ltu => matches!(order, Some(Ordering::Less) | None),
        Cmp::Leu => order != Some(Ordering::Greater),
        Cmp::Gtu => matches!(order, Some(Ordering::Greater) | None),
        Cmp::Geu => order != Some(Ordering::Less),
        Cmp::Num => order.is_some(),
        Cmp::Nan => order.is_none(),
    }
}

/// Converts an operand to a 32-bit number with the same order: a signed integer or an `f32`.
#[inline(always)]
fn widen(ty: CmpType32, row: &Lanes32) -> Lanes32 {
    match ty {
        CmpType32::S32 | CmpType32::F32 { ftz: false } => *row,
        CmpType32::U32 => row!(i => row[i] ^ 0x8000_0000),
        CmpType32::U16 => row!(i => row[i] & 0xffff),
        CmpType32::S16 => row!(i => sext16(row[i])),
        CmpType32::F32 { ftz: true } => row!(i => flush(row[i])),
        CmpType32::F16 { ftz: false } => row!(i => F16::widen(row[i] & 0xffff).to_bits()),
        CmpType32::F16 { ftz: true } => {
            row!(i => F16::widen(flush_f16(row[i] & 0xffff)).to_bits())
        }
        CmpType32::Bf16 => row!(i => Bf16::widen(row[i]).to_bits()),
    }
}

/// Executes `testp.f32`.
#[inline(never)]
pub fn testp32(class: FloatClass, regs: &mut Registers, mask: LaneMask, d: Pred, a: R32) {
    let a = regs.r32(a);
    let bits = test!(i => {
        is_class(
            class,
            f64::from(f32::from_bits(a[i])),
            f32::MIN_POSITIVE.into(),
        )
    });
    regs.set_pred(d, bits, mask);
}

/// Executes `testp.f64`.
#[inline(never)]
pub fn testp64(class: FloatClass, regs: &mut Registers, mask: LaneMask, d: Pred, a: R64) {
    let a = regs.r64(a);
    let bits = test!(i => is_class(class, f64::from_bits(a[i]), f64::MIN_POSITIVE));
    regs.set_pred(d, bits, mask);
}

/// Whether `x` is of a class, in a format with this smallest normal number. Zero counts as normal.
fn is_class(class: FloatClass, x: f64, smallest_normal: f64) -> bool {
    let subnormal = x != 0.0 && x.abs() < smallest_normal;
    match class {
        FloatClass::Finite => x.is_finite(),
        FloatClass::Infinite => x.is_infinite(),
        FloatClass::Number => !x.is_nan(),
        FloatClass::NotANumber => x.is_nan(),
        FloatClass::Normal => x.is_finite() && !subnormal,
        FloatClass::Subnormal => subnormal,
    }
}
