//! Comparisons, selections and predicate logic.

use super::Decoded;
use super::inst::Inst;
use super::kernel::Decoder;
use crate::ir::{
    Alu, Cmp, CmpType32, CmpType64, Combine, FloatClass, Guard, Pred, PredOp, R32, SlctType,
};
use crate::syntax::{Operand, Type};

const COMPARISONS: [(&str, Cmp); 18] = [
    ("eq", Cmp::Eq),
    ("ne", Cmp::Ne),
    ("lt", Cmp::Lt),
    ("le", Cmp::Le),
    ("gt", Cmp::Gt),
    ("ge", Cmp::Ge),
    ("lo", Cmp::Lt),
    ("ls", Cmp::Le),
    ("hi", Cmp::Gt),
    ("hs", Cmp::Ge),
    ("equ", Cmp::Equ),
    ("neu", Cmp::Neu),
    ("ltu", Cmp::Ltu),
    ("leu", Cmp::Leu),
    ("gtu", Cmp::Gtu),
    ("geu", Cmp::Geu),
    ("num", Cmp::Num),
    ("nan", Cmp::Nan),
];

const LOGIC: [(&str, PredOp); 3] = [("and", PredOp::And), ("or", PredOp::Or), ("xor", PredOp::Xor)];

const CLASSES: [(&str, FloatClass); 6] = [
    ("finite", FloatClass::Finite),
    ("infinite", FloatClass::Infinite),
    ("number", FloatClass::Number),
    ("notanumber", FloatClass::NotANumber),
    ("normal", FloatClass::Normal),
    ("subnormal", FloatClass::Subnormal),
];

/// The parts of a comparison without its operands.
#[derive(Clone, Copy)]
struct Comparison {
    cmp: Cmp,
    ty: Type,
    ftz: bool,
    logic: Option<PredOp>,
}

/// The predicates that a comparison sets.
#[derive(Clone, Copy)]
struct Outcome {
    d: Pred,
    /// The complement, if there is a second predicate.
    q: Option<Pred>,
    with: Option<Combine>,
}

impl Comparison {
    /// Accounts for a comparison's modifiers. `ty` is the type of its operands.
    fn of(inst: &mut Inst<'_, '_>, ty: Type) -> Decoded<Self> {
        let cmp = inst.require(&COMPARISONS)?;
        let (logic, ftz) = (inst.choose(&LOGIC), inst.flag("ftz"));
        Ok(Self { cmp, ty, ftz, logic })
    }

    fn is_float(&self) -> bool {
        matches!(
            self.ty,
            Type::F16 | Type::F16x2 | Type::Bf16 | Type::Bf16x2 | Type::F32 | Type::F64
        )
    }

    /// Whether the modifiers fit the type: unordered forms are for floats, and `ftz` for types
    /// whose subnormals can be flushed.
    fn is_valid(&self) -> bool {
        let ordered = matches!(self.cmp, Cmp::Eq | Cmp::Ne | Cmp::Lt | Cmp::Le | Cmp::Gt | Cmp::Ge);
        let flushes = matches!(self.ty, Type::F16 | Type::F16x2 | Type::F32);
        (ordered || self.is_float()) && (flushes || !self.ftz)
    }

    fn type32(&self) -> Option<CmpType32> {
        let ftz = self.ftz;
        Some(match self.ty {
            Type::B16 | Type::U16 => CmpType32::U16,
            Type::S16 => CmpType32::S16,
            Type::B32 | Type::U32 => CmpType32::U32,
            Type::S32 => CmpType32::S32,
            Type::F32 => CmpType32::F32 { ftz },
            Type::F16 | Type::F16x2 => CmpType32::F16 { ftz },
            Type::Bf16 | Type::Bf16x2 => CmpType32::Bf16,
            _ => return None,
        })
    }

    fn type64(&self) -> Option<CmpType64> {
        match self.ty {
            Type::B64 | Type::U64 => Some(CmpType64::U64),
            Type::S64 => Some(CmpType64::S64),
            Type::F64 => Some(CmpType64::F64),
            _ => None,
        }
    }
}

/// Whether `set` exists for these types. 16-bit results are for 16-bit comparisons and `f16` ones;
/// 16-bit operands are not compared into an `f32`.
fn can_set(to: Type, from: Type, ftz: bool) -> bool {
    let from_f16 = matches!(from, Type::F16 | Type::F16x2);
    let from_bf16 = matches!(from, Type::Bf16 | Type::Bf16x2);
    match to {
        Type::U16 | Type::S16 => from_f16 || from_bf16,
        Type::F32 => !from_f16 && !from_bf16,
        Type::F16 | Type::F16x2 => !from_bf16,
        Type::Bf16 | Type::Bf16x2 => !ftz,
        _ => true,
    }
}

impl<'a> Decoder<'_, '_, 'a> {
    /// Decodes `setp.lt.and.s32 p|q, a, b, !c`.
    pub fn setp(&mut self, mut inst: Inst<'_, 'a>) -> Decoded<()> {
        let ty = inst.ty()?;
        let comparison = Comparison::of(&mut inst, ty)?;
        let (d, [a, b], with) = self.comparison_operands(&inst, comparison)?;
        if matches!(ty, Type::F16x2 | Type::Bf16x2) {
            return self.setp_pair(comparison, d, [a, b], with);
        }
        let (d, q) = match *d {
            Operand::Pair(d, q) => {
                let q = self.dst_pred(&Operand::Name(q))?;
                (self.dst_pred(&Operand::Name(d))?, Some(q))
            }
            _ => (self.dst_pred(d)?, None),
        };
        self.compare(&inst, comparison, Outcome { d, q, with }, [a, b])
    }

    /// Decodes `set.lt.u32.f32 d, a, b`: a comparison whose outcome becomes ones or zeros.
    pub fn set(&mut self, mut inst: Inst<'_, 'a>) -> Decoded<()> {
        let (to, ty) = (inst.ty()?, inst.ty()?);
        let comparison = Comparison::of(&mut inst, ty)?;
        let if_true = match to {
            Type::U32 | Type::S32 => u32::MAX,
            Type::F32 => 1f32.to_bits(),
            Type::F16 | Type::F16x2 => 0x3c00,
            Type::Bf16 | Type::Bf16x2 => 0x3f80,
            Type::U16 | Type::S16 => 0xffff,
            _ => return Err(inst.unsupported()),
        };
        if !can_set(to, ty, comparison.ftz) {
            return Err(inst.unsupported());
        }
        let (d, [a, b], with) = self.comparison_operands(&inst, comparison)?;
        let d = self.dst32(d)?;
        let p = self.registers.scratch_pred()?;
        let outcome = Outcome { d: p, q: None, with };
        if !matches!(ty, Type::F16x2 | Type::Bf16x2) {
            self.compare(&inst, comparison, outcome, [a, b])?;
            return self.alu(Alu::SetMask { d, p, if_true });
        }
        // The result is a pair of halves or, for integers, a pair of 16-bit masks.
        let if_true = if to.bytes() == 4 && if_true == u32::MAX { 0xffff } else { if_true };
        let (a, b) = (self.halves(a, ty)?, self.halves(b, ty)?);
        let mut parts = [d; 2];
        for (part, (&a, &b)) in parts.iter_mut().zip(a.iter().zip(&b)) {
            *part = self.registers.scratch32()?;
            self.compare32(&inst, comparison, outcome, [a, b])?;
            self.alu(Alu::SetMask { d: *part, p, if_true })?;
        }
        self.alu(Alu::Pack32 { d, lo: parts[0], hi: parts[1] })
    }

    /// Returns the destination, the operands and the predicate to combine with, if the instruction
    /// has one.
    fn comparison_operands<'i>(
        &mut self,
        inst: &Inst<'i, 'a>,
        comparison: Comparison,
    ) -> Decoded<(&'i Operand<'a>, [&'i Operand<'a>; 2], Option<Combine>)> {
        if !comparison.is_valid() {
            return Err(inst.unsupported());
        }
        let Some(op) = comparison.logic else {
            let [d, a, b] = inst.operands()?;
            return Ok((d, [a, b], None));
        };
        let [d, a, b, c] = inst.operands()?;
        let Guard { pred: c, negated } = self.guard_of(c)?;
        Ok((d, [a, b], Some(Combine { op, c, negated })))
    }

    fn compare(
        &mut self,
        inst: &Inst<'_, 'a>,
        comparison: Comparison,
        Outcome { d, q, with }: Outcome,
        [a, b]: [&Operand<'a>; 2],
    ) -> Decoded<()> {
        let (cmp, ty) = (comparison.cmp, comparison.ty);
        if let Some(ty64) = comparison.type64() {
            let (a, b) = (self.src64(a, ty)?, self.src64(b, ty)?);
            return self.alu(Alu::Setp64 { cmp, ty: ty64, d, q, a, b, with });
        }
        let (a, b) = (self.src32(a, ty)?, self.src32(b, ty)?);
        self.compare32(inst, comparison, Outcome { d, q, with }, [a, b])
    }

    fn compare32(
        &mut self,
        inst: &Inst<'_, 'a>,
        comparison: Comparison,
        Outcome { d, q, with }: Outcome,
        [a, b]: [R32; 2],
    ) -> Decoded<()> {
        let ty = comparison.type32().ok_or_else(|| inst.unsupported())?;
        self.alu(Alu::Setp32 { cmp: comparison.cmp, ty, d, q, a, b, with })
    }

    /// Decodes `setp.lt.f16x2 p|q, a, b`: `p` is for the lower halves, `q` for the upper ones.
    fn setp_pair(
        &mut self,
        comparison: Comparison,
        d: &Operand<'a>,
        [a, b]: [&Operand<'a>; 2],
        with: Option<Combine>,
    ) -> Decoded<()> {
        let &Operand::Pair(p, q) = d else {
            return Err(self.mismatch("a pair of predicates", d));
        };
        let (cmp, Some(ty)) = (comparison.cmp, comparison.type32()) else {
            return Err(self.mismatch("halves", a));
        };
        let ([a_lo, a_hi], [b_lo, b_hi]) =
            (self.halves(a, comparison.ty)?, self.halves(b, comparison.ty)?);
        // The combining predicate may be one of the two that are set.
        let lower = self.registers.scratch_pred()?;
        let (p, q_pred) = (self.dst_pred(&Operand::Name(p))?, self.dst_pred(&Operand::Name(q))?);
        self.alu(Alu::Setp32 { cmp, ty, d: lower, q: None, a: a_lo, b: b_lo, with })?;
        self.alu(Alu::Setp32 { cmp, ty, d: q_pred, q: None, a: a_hi, b: b_hi, with })?;
        self.alu(Alu::PredOp { op: PredOp::Mov, d: p, a: lower, b: lower })
    }

    /// Decodes `selp.b32 d, a, b, p`.
    pub fn selp(&mut self, mut inst: Inst<'_, 'a>) -> Decoded<()> {
        let ty = inst.ty()?;
        if matches!(ty, Type::F16 | Type::F16x2 | Type::Bf16 | Type::Bf16x2) {
            return Err(inst.unsupported());
        }
        let [d, mut a, mut b, p] = inst.operands()?.each_ref();
        let Guard { pred: p, negated } = self.guard_of(p)?;
        if negated {
            std::mem::swap(&mut a, &mut b);
        }
        let alu = match ty.bytes() {
            8 => {
                let (a, b) = (self.src64(a, ty)?, self.src64(b, ty)?);
                Alu::Selp64 { d: self.dst64(d)?, a, b, p }
            }
            2 | 4 => {
                let (a, b) = (self.src32(a, ty)?, self.src32(b, ty)?);
                Alu::Selp32 { d: self.dst32(d)?, a, b, p }
            }
            _ => return Err(inst.unsupported()),
        };
        self.alu(alu)
    }

    /// Decodes `slct.b32.s32 d, a, b, c`.
    pub fn slct(&mut self, mut inst: Inst<'_, 'a>) -> Decoded<()> {
        let (ty, by) = (inst.ty()?, inst.ty()?);
        let by_type = match by {
            Type::F32 => SlctType::F32 { ftz: inst.flag("ftz") },
            Type::S32 => SlctType::S32,
            _ => return Err(inst.unsupported()),
        };
        let [d, a, b, c] = inst.operands()?;
        let (c, by) = (self.src32(c, by)?, by_type);
        let alu = match ty.bytes() {
            8 => {
                let (a, b) = (self.src64(a, ty)?, self.src64(b, ty)?);
                Alu::Slct64 { by, d: self.dst64(d)?, a, b, c }
            }
            2 | 4 => {
                let (a, b) = (self.src32(a, ty)?, self.src32(b, ty)?);
                Alu::Slct32 { by, d: self.dst32(d)?, a, b, c }
            }
            _ => return Err(inst.unsupported()),
        };
        self.alu(alu)
    }

    /// Decodes `testp.finite.f32 p, a`.
    pub fn testp(&mut self, mut inst: Inst<'_, 'a>) -> Decoded<()> {
        let (ty, class) = (inst.ty()?, inst.require(&CLASSES)?);
        let [d, a] = inst.operands()?;
        let d = self.dst_pred(d)?;
        let alu = match ty {
            Type::F32 => Alu::Testp32 { class, d, a: self.src32(a, ty)? },
            Type::F64 => Alu::Testp64 { class, d, a: self.src64(a, ty)? },
            _ => return Err(inst.unsupported()),
        };
        self.alu(alu)
    }

    /// Decodes `and.pred`, `or.pred`, `xor.pred` and `not.pred`.
    pub fn pred_logic(&mut self, mut inst: Inst<'_, 'a>) -> Decoded<()> {
        if inst.ty()? != Type::Pred {
            return Err(inst.unsupported());
        }
        if inst.syntax.base == "not" {
            let [d, a] = inst.operands()?;
            let (a, d) = (self.pred(a)?, self.dst_pred(d)?);
            return self.alu(Alu::PredOp { op: PredOp::Not, d, a, b: a });
        }
        let named = LOGIC.iter().find(|(name, _)| *name == inst.syntax.base);
        let &(_, op) = named.ok_or_else(|| inst.unsupported())?;
        let [d, a, b] = inst.operands()?;
        let (a, b, d) = (self.pred(a)?, self.pred(b)?, self.dst_pred(d)?);
        self.alu(Alu::PredOp { op, d, a, b })
    }
}
