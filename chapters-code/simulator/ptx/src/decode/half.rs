//! Arithmetic and functions of `f16` and `bf16`, alone and in pairs, and of pairs of integers.

use super::Decoded;
use super::inst::Inst;
use super::kernel::Decoder;
use crate::ir::{Alu, Bin32, Half, R32, Ter32, Un32};
use crate::syntax::{Operand, Type};

/// Returns the format of a type, or `None` for options that the type does not have.
pub(super) fn half(ty: Type, ftz: bool, sat: bool) -> Option<Half> {
    match ty {
        Type::F16 => Some(Half::F16 { ftz, sat }),
        Type::F16x2 => Some(Half::F16x2 { ftz, sat }),
        Type::Bf16 if !ftz && !sat => Some(Half::Bf16),
        Type::Bf16x2 if !ftz && !sat => Some(Half::Bf16x2),
        _ => None,
    }
}

impl<'a> Decoder<'_, '_, 'a> {
    /// Decodes `add`, `sub`, `mul`, `fma`, `min`, `max`, `neg` and `abs`.
    pub fn arithmetic_half(&mut self, mut inst: Inst<'_, 'a>, ty: Type) -> Decoded<()> {
        let (ftz, sat) = (inst.flag("ftz"), inst.flag("sat"));
        let base = inst.syntax.base;
        let rounds = matches!(base, "add" | "sub" | "mul" | "fma");
        let Some(half) = half(ty, ftz, sat && rounds).filter(|_| rounds || !sat) else {
            return Err(inst.unsupported());
        };
        if rounds {
            inst.flag("rn");
        }
        let op = match base {
            "neg" => return self.un32(inst, Un32::NegHalf(half), ty),
            "abs" => return self.un32(inst, Un32::AbsHalf(half), ty),
            "fma" => {
                let relu = inst.flag("relu");
                return self.ter32_float(inst, Ter32::FmaHalf { half, relu }, ty);
            }
            "add" => Bin32::AddHalf(half),
            "sub" => Bin32::SubHalf(half),
            "mul" => Bin32::MulHalf(half),
            "min" | "max" => {
                let op = match (base, inst.flag("NaN")) {
                    ("min", true) => Bin32::MinNanHalf(half),
                    ("max", true) => Bin32::MaxNanHalf(half),
                    ("min", false) => Bin32::MinHalf(half),
                    _ => Bin32::MaxHalf(half),
                };
                return self.min_max(inst, op, ty);
            }
            _ => return Err(inst.unsupported()),
        };
        self.bin32(inst, op, ty)
    }

    /// Decodes `ex2.approx` and `tanh.approx`.
    pub fn function_half(&mut self, mut inst: Inst<'_, 'a>, ty: Type) -> Decoded<()> {
        // `ex2.approx.ftz.bf16` always has `.ftz`, which changes nothing. `f16` has no `.ftz` form.
        let bf16 = matches!(ty, Type::Bf16 | Type::Bf16x2);
        let flushed = inst.syntax.base == "ex2" && bf16 && inst.flag("ftz");
        let half = half(ty, false, false).filter(|_| inst.flag("approx"));
        let op = match (inst.syntax.base, half) {
            ("ex2", Some(half)) if flushed == bf16 => Un32::Ex2ApproxHalf(half),
            ("tanh", Some(half)) => Un32::TanhApproxHalf(half),
            _ => return Err(inst.unsupported()),
        };
        self.un32(inst, op, ty)
    }

    /// Decodes `add.u16x2`, `min.s16x2` and similar instructions into one operation per half.
    pub fn arithmetic_pair(&mut self, mut inst: Inst<'_, 'a>, ty: Type) -> Decoded<()> {
        let op = match (inst.syntax.base, ty.is_signed()) {
            ("add", _) => Bin32::Add16,
            ("min", false) => Bin32::MinU16,
            ("min", true) => Bin32::MinS16,
            ("max", false) => Bin32::MaxU16,
            ("max", true) => Bin32::MaxS16,
            _ => return Err(inst.unsupported()),
        };
        let relu = ty == Type::S16x2 && op != Bin32::Add16 && inst.flag("relu");
        let [d, a, b] = inst.operands()?;
        let (a, b, d) = (self.halves(a, ty)?, self.halves(b, ty)?, self.dst32(d)?);
        for (d, b) in a.into_iter().zip(b) {
            self.alu(Alu::Bin32 { op, d, a: d, b })?;
            if relu {
                let zero = self.bits32(0)?;
                self.alu(Alu::Bin32 { op: Bin32::MaxS16, d, a: d, b: zero })?;
            }
        }
        self.alu(Alu::Pack32 { d, lo: a[0], hi: a[1] })
    }

    /// Returns the lower and the upper half of a pair in two scratch registers.
    pub fn halves(&mut self, operand: &Operand<'a>, ty: Type) -> Decoded<[R32; 2]> {
        let a = self.src32(operand, ty)?;
        let (lo, hi) = (self.registers.scratch32()?, self.registers.scratch32()?);
        self.alu(Alu::Unpack32 { lo: Some(lo), hi: Some(hi), a })?;
        Ok([lo, hi])
    }
}
