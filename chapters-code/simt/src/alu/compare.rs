//! `setp` and `testp`: lanes to predicate bits.

use super::float::flush;
use super::half::{Bf16, F16, Format16, flush_f16};
use super::int::sext16;
use super::lanes::{lanes, test};
use super::vectors::Vectors;
use crate::registers::{LaneMask, Lanes32, Lanes64, Registers};
use ptx::ir::{Cmp, CmpType32, CmpType64, Combine, FloatClass, Pred, PredOp, R32, R64};

/// A 32-bit comparison.
#[derive(Clone, Copy)]
pub struct Compare32 {
    /// The relation.
    pub cmp: Cmp,
    /// The type.
    pub ty: CmpType32,
    /// The operands.
    pub s: [R32; 2],
}

/// A 64-bit comparison.
#[derive(Clone, Copy)]
pub struct Compare64 {
    /// The relation.
    pub cmp: Cmp,
    /// The type.
    pub ty: CmpType64,
    /// The operands.
    pub s: [R64; 2],
}

/// Where the result of a comparison goes: to the first, its complement to the second.
pub type Target = (Pred, Option<Pred>);

/// Writes the result of a comparison, combined with another predicate first where `with` says so.
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

/// Predicate logic. `Mov` and `Not` ignore `b`.
pub fn combine(op: PredOp, a: LaneMask, b: LaneMask) -> LaneMask {
    match op {
        PredOp::Mov => a,
        PredOp::Not => !a,
        PredOp::And => a & b,
        PredOp::Or => a | b,
        PredOp::Xor => a ^ b,
    }
}

/// `setp` of 32-bit registers.
#[inline(always)]
pub fn setp32<V: Vectors>(
    v: V,
    compare: Compare32,
    regs: &mut Registers,
    mask: LaneMask,
    target: Target,
    with: &Option<Combine>,
) {
    let Compare32 { cmp, ty, s } = compare;
    let (x, y) = (regs.r32(s[0]), regs.r32(s[1]));
    let bits = match ty {
        CmpType32::U32 => integers(cmp, x, y, |x, y| v.equal_32(x, y), |x, y| v.less_u32(x, y)),
        CmpType32::S32 => integers(cmp, x, y, |x, y| v.equal_32(x, y), |x, y| v.less_s32(x, y)),
        CmpType32::F32 { ftz: false } => floats(v, cmp, x, y),
        CmpType32::U16
        | CmpType32::S16
        | CmpType32::F32 { ftz: true }
        | CmpType32::F16 { .. }
        | CmpType32::Bf16 => return v.setp_widened(compare, regs, mask, target, with),
    };
    write(regs, mask, target, with, bits);
}

/// `setp` of the types that are compared as another.
#[inline(always)]
pub fn setp_widened<V: Vectors>(
    v: V,
    Compare32 { cmp, ty, s }: Compare32,
    regs: &mut Registers,
    mask: LaneMask,
    target: Target,
    with: &Option<Combine>,
) {
    let (x, y) = (&widen(ty, regs.r32(s[0])), &widen(ty, regs.r32(s[1])));
    let bits = match ty {
        CmpType32::U32 | CmpType32::S32 | CmpType32::U16 | CmpType32::S16 => {
            integers(cmp, x, y, |x, y| v.equal_32(x, y), |x, y| v.less_s32(x, y))
        }
        CmpType32::F32 { .. } | CmpType32::F16 { .. } | CmpType32::Bf16 => floats(v, cmp, x, y),
    };
    write(regs, mask, target, with, bits);
}

/// `setp` of 64-bit registers.
#[inline(always)]
pub fn setp64<V: Vectors>(
    v: V,
    Compare64 { cmp, ty, s }: Compare64,
    regs: &mut Registers,
    mask: LaneMask,
    target: Target,
    with: &Option<Combine>,
) {
    let (x, y) = (regs.r64(s[0]), regs.r64(s[1]));
    let bits = match ty {
        CmpType64::U64 => integers(cmp, x, y, |x, y| v.equal_64(x, y), |x, y| v.less_u64(x, y)),
        CmpType64::S64 => integers(cmp, x, y, |x, y| v.equal_64(x, y), |x, y| v.less_s64(x, y)),
        CmpType64::F64 => floats(v, cmp, x, y),
    };
    write(regs, mask, target, with, bits);
}

/// An operand as a number of 32 bits that compares likewise: a signed integer or an `f32`.
#[inline(never)]
fn widen(ty: CmpType32, row: &Lanes32) -> Lanes32 {
    match ty {
        CmpType32::S32 | CmpType32::F32 { ftz: false } => *row,
        CmpType32::U32 => lanes!(i => row[i] ^ 0x8000_0000),
        CmpType32::U16 => lanes!(i => row[i] & 0xffff),
        CmpType32::S16 => lanes!(i => sext16(row[i])),
        CmpType32::F32 { ftz: true } => lanes!(i => flush(row[i])),
        CmpType32::F16 { ftz: false } => lanes!(i => F16::widen(row[i] & 0xffff).to_bits()),
        CmpType32::F16 { ftz: true } => {
            lanes!(i => F16::widen(flush_f16(row[i] & 0xffff)).to_bits())
        }
        CmpType32::Bf16 => lanes!(i => Bf16::widen(row[i]).to_bits()),
    }
}

/// Compares integers. Their order is total, so "less" and "equal" give all six comparisons.
#[inline(always)]
fn integers<R>(
    cmp: Cmp,
    x: &R,
    y: &R,
    equal: impl Fn(&R, &R) -> LaneMask,
    less: impl Fn(&R, &R) -> LaneMask,
) -> LaneMask {
    match cmp {
        Cmp::Eq | Cmp::Equ => equal(x, y),
        Cmp::Ne | Cmp::Neu => !equal(x, y),
        Cmp::Lt | Cmp::Ltu => less(x, y),
        Cmp::Ge | Cmp::Geu => !less(x, y),
        Cmp::Gt | Cmp::Gtu => less(y, x),
        Cmp::Le | Cmp::Leu => !less(y, x),
        Cmp::Num => !0,
        Cmp::Nan => 0,
    }
}

/// Rows of floats. Each relation is false where an operand is a NaN.
pub trait FloatRow {
    /// `x < y`.
    fn less<V: Vectors>(v: V, x: &Self, y: &Self) -> LaneMask;
    /// `x <= y`.
    fn less_or_equal<V: Vectors>(v: V, x: &Self, y: &Self) -> LaneMask;
    /// `x == y`.
    fn equal<V: Vectors>(v: V, x: &Self, y: &Self) -> LaneMask;
}

impl FloatRow for Lanes32 {
    fn less<V: Vectors>(v: V, x: &Self, y: &Self) -> LaneMask {
        v.less_f32(x, y)
    }

    fn less_or_equal<V: Vectors>(v: V, x: &Self, y: &Self) -> LaneMask {
        v.less_or_equal_f32(x, y)
    }

    fn equal<V: Vectors>(v: V, x: &Self, y: &Self) -> LaneMask {
        v.equal_f32(x, y)
    }
}

impl FloatRow for Lanes64 {
    fn less<V: Vectors>(v: V, x: &Self, y: &Self) -> LaneMask {
        v.less_f64(x, y)
    }

    fn less_or_equal<V: Vectors>(v: V, x: &Self, y: &Self) -> LaneMask {
        v.less_or_equal_f64(x, y)
    }

    fn equal<V: Vectors>(v: V, x: &Self, y: &Self) -> LaneMask {
        v.equal_f64(x, y)
    }
}

/// Compares floats. An unordered comparison is the complement of the opposite ordered one.
#[inline(always)]
fn floats<V: Vectors, R: FloatRow>(v: V, cmp: Cmp, x: &R, y: &R) -> LaneMask {
    match cmp {
        Cmp::Eq => R::equal(v, x, y),
        Cmp::Neu => !R::equal(v, x, y),
        Cmp::Lt => R::less(v, x, y),
        Cmp::Gt => R::less(v, y, x),
        Cmp::Geu => !R::less(v, x, y),
        Cmp::Leu => !R::less(v, y, x),
        Cmp::Le => R::less_or_equal(v, x, y),
        Cmp::Ge => R::less_or_equal(v, y, x),
        Cmp::Gtu => !R::less_or_equal(v, x, y),
        Cmp::Ltu => !R::less_or_equal(v, y, x),
        Cmp::Ne => R::less(v, x, y) | R::less(v, y, x),
        Cmp::Equ => !(R::less(v, x, y) | R::less(v, y, x)),
        Cmp::Num => R::equal(v, x, x) & R::equal(v, y, y),
        Cmp::Nan => !(R::equal(v, x, x) & R::equal(v, y, y)),
    }
}

/// `testp.f32`.
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

/// `testp.f64`.
#[inline(never)]
pub fn testp64(class: FloatClass, regs: &mut Registers, mask: LaneMask, d: Pred, a: R64) {
    let a = regs.r64(a);
    let bits = test!(i => is_class(class, f64::from_bits(a[i]), f64::MIN_POSITIVE));
    regs.set_pred(d, bits, mask);
}

/// Whether `x`, of a format with this smallest normal number, is of a class. Zero counts as normal.
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
