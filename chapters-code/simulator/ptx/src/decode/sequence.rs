//! Table instructions that become several operations.

use super::Decoded;
use super::half::half;
use super::inst::Inst;
use super::kernel::Decoder;
use super::table::Form;
use crate::ir::{Alu, Bin32, R32, Un32};
use crate::syntax::Type;

impl<'a> Decoder<'_, '_, 'a> {
    /// Decodes a table instruction whose form has several operations.
    pub fn tabled_sequence(&mut self, form: Form, ty: Type, inst: &Inst<'_, 'a>) -> Decoded<()> {
        let operands = inst.syntax.operands.as_slice();
        match (form, operands) {
            (Form::Then(first, second), [d, a, b, c]) => {
                let (a, b, c) = (self.src32(a, ty)?, self.src32(b, ty)?, self.src32(c, ty)?);
                let between = self.bin32_into_scratch(first, a, b)?;
                let d = self.dst32(d)?;
                self.bin32_op(second, d, between, c)
            }
            (Form::Relu(op), [d, a, b]) => {
                let (a, b) = (self.src32(a, ty)?, self.src32(b, ty)?);
                let (between, zero) = (self.bin32_into_scratch(op, a, b)?, self.bits32(0)?);
                let d = self.dst32(d)?;
                self.bin32_op(Bin32::MaxS, d, between, zero)
            }
            (Form::Sad16(max, min), [d, a, b, c]) => {
                let (a, b, c) = (self.src32(a, ty)?, self.src32(b, ty)?, self.src32(c, ty)?);
                let larger = self.bin32_into_scratch(max, a, b)?;
                let smaller = self.bin32_into_scratch(min, a, b)?;
                let distance = self.bin32_into_scratch(Bin32::Sub16, larger, smaller)?;
                let d = self.dst32(d)?;
                self.bin32_op(Bin32::Add16, d, distance, c)
            }
            (Form::Wrap(op), [d, a, b]) => {
                let (a, b) = (self.src32(a, ty)?, self.src32(b, Type::U32)?);
                let low = self.bits32(31)?;
                let b = self.bin32_into_scratch(Bin32::And, b, low)?;
                let d = self.dst32(d)?;
                self.bin32_op(op, d, a, b)
            }
            _ => Err(inst.operand_count(operands.len())),
        }
    }

    /// Decodes `min` and `max` of floats. With `.xorsign.abs` they compare magnitudes, and the
    /// result has the sign of the product.
    pub fn min_max(&mut self, mut inst: Inst<'_, 'a>, op: Bin32, ty: Type) -> Decoded<()> {
        if !inst.flag("xorsign") {
            return self.bin32(inst, op, ty);
        }
        if !inst.flag("abs") {
            return Err(inst.unsupported());
        }
        let [d, a, b] = inst.operands()?;
        let (a, b) = (self.src32(a, ty)?, self.src32(b, ty)?);
        let (sign, neg) = match (ty, half(ty, false, false)) {
            (_, None) => (0x8000_0000, Un32::NegF32 { ftz: false }),
            (Type::F16 | Type::Bf16, Some(half)) => (0x8000, Un32::NegHalf(half)),
            (_, Some(half)) => (0x8000_8000, Un32::NegHalf(half)),
        };
        let (sign, rest) = (self.bits32(sign)?, self.bits32(!sign)?);
        let signs = self.bin32_into_scratch(Bin32::Xor, a, b)?;
        let signs = self.bin32_into_scratch(Bin32::And, signs, sign)?;
        let a = self.bin32_into_scratch(Bin32::And, a, rest)?;
        let b = self.bin32_into_scratch(Bin32::And, b, rest)?;
        let magnitude = self.bin32_into_scratch(op, a, b)?;
        let signed = self.bin32_into_scratch(Bin32::Or, magnitude, signs)?;
        // Two negations change only a NaN, which loses its sign.
        let negated = self.registers.scratch32()?;
        let d = self.dst32(d)?;
        self.alu(Alu::Un32 { op: neg, d: negated, a: signed })?;
        self.alu(Alu::Un32 { op: neg, d, a: negated })
    }

    /// Appends an operation whose result goes to a scratch register.
    pub fn bin32_into_scratch(&mut self, op: Bin32, a: R32, b: R32) -> Decoded<R32> {
        let d = self.registers.scratch32()?;
        self.bin32_op(op, d, a, b)?;
        Ok(d)
    }

    fn bin32_op(&mut self, op: Bin32, d: R32, a: R32, b: R32) -> Decoded<()> {
        self.alu(Alu::Bin32 { op, d, a, b })
    }
}
