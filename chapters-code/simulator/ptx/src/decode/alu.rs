//! Integer instructions: those of the table, `lop3`, and arithmetic with carry.

use super::Decoded;
use super::inst::Inst;
use super::kernel::Decoder;
use super::table::Form;
use crate::ir::{Alu, Bin32, Bin64, Op, R32, Ter32};
use crate::syntax::{Operand, Type};

impl<'a> Decoder<'_, '_, 'a> {
    /// Appends an operation on registers.
    pub fn alu(&mut self, alu: Alu) -> Decoded<()> {
        self.emit(Op::Alu(alu));
        Ok(())
    }

    /// Decodes an instruction of the table. The table accounts for the whole opcode.
    pub fn tabled(&mut self, form: Form, ty: Type, inst: &Inst<'_, 'a>) -> Decoded<()> {
        let operands = inst.syntax.operands.as_slice();
        let alu = match (form, operands) {
            (Form::Un32(op), [d, a]) => Alu::Un32 { op, a: self.src32(a, ty)?, d: self.dst32(d)? },
            (Form::Bin32(op), [d, a, b]) => {
                let (a, b) = (self.src32(a, ty)?, self.src32(b, ty)?);
                Alu::Bin32 { op, d: self.dst32(d)?, a, b }
            }
            (Form::Shift32(op), [d, a, b]) => {
                let (a, b) = (self.src32(a, ty)?, self.src32(b, Type::U32)?);
                Alu::Bin32 { op, d: self.dst32(d)?, a, b }
            }
            (Form::Ter32(op), [d, a, b, c]) => self.ter32(op, ty, [d, a, b, c], ty)?,
            (Form::MadWide16(op), [d, a, b, c]) => self.ter32(op, ty, [d, a, b, c], Type::U32)?,
            (Form::Bfi32, [d, a, b, c, len]) => {
                let (a, b) = (self.src32(a, ty)?, self.src32(b, ty)?);
                let (c, len) = (self.src32(c, Type::U32)?, self.src32(len, Type::U32)?);
                Alu::Bfi32 { d: self.dst32(d)?, a, b, c, len }
            }
            _ => return self.tabled64(form, ty, inst),
        };
        self.alu(alu)
    }

    /// Decodes an operation with `a` and `b` of one type and `c` of another.
    fn ter32(
        &mut self,
        op: Ter32,
        ty: Type,
        [d, a, b, c]: [&Operand<'a>; 4],
        c_ty: Type,
    ) -> Decoded<Alu> {
        let (a, b, c) = (self.src32(a, ty)?, self.src32(b, ty)?, self.src32(c, c_ty)?);
        Ok(Alu::Ter32 { op, d: self.dst32(d)?, a, b, c })
    }

    fn tabled64(&mut self, form: Form, ty: Type, inst: &Inst<'_, 'a>) -> Decoded<()> {
        let operands = inst.syntax.operands.as_slice();
        let alu = match (form, operands) {
            (Form::Un64(op), [d, a]) => Alu::Un64 { op, a: self.src64(a, ty)?, d: self.dst64(d)? },
            (Form::Count64(op), [d, a]) => {
                Alu::Count64 { op, a: self.src64(a, ty)?, d: self.dst32(d)? }
            }
            (Form::Bin64(op), [d, a, b]) => {
                let (a, b) = (self.src64(a, ty)?, self.src64(b, ty)?);
                Alu::Bin64 { op, d: self.dst64(d)?, a, b }
            }
            (Form::Shift64(op), [d, a, b]) => {
                let (a, b) = (self.src64(a, ty)?, self.src32(b, Type::U32)?);
                Alu::Shift64 { op, d: self.dst64(d)?, a, b }
            }
            (Form::MulWide(signed), [d, a, b]) => {
                let (a, b) = (self.src32(a, ty)?, self.src32(b, ty)?);
                Alu::MulWide { signed, d: self.dst64(d)?, a, b }
            }
            (Form::MadWide(signed), [d, a, b, c]) => {
                let (a, b) = (self.src32(a, ty)?, self.src32(b, ty)?);
                Alu::MadWide { signed, c: self.src64(c, Type::U64)?, d: self.dst64(d)?, a, b }
            }
            (Form::Ter64(op), [d, a, b, c]) => {
                let (a, b, c) = (self.src64(a, ty)?, self.src64(b, ty)?, self.src64(c, ty)?);
                Alu::Ter64 { op, d: self.dst64(d)?, a, b, c }
            }
            (Form::Bfe64(signed), [d, a, b, c]) => {
                let (b, c) = (self.src32(b, Type::U32)?, self.src32(c, Type::U32)?);
                Alu::Bfe64 { signed, a: self.src64(a, ty)?, d: self.dst64(d)?, b, c }
            }
            (Form::Bfi64, [d, a, b, c, len]) => {
                let (a, b) = (self.src64(a, ty)?, self.src64(b, ty)?);
                let (c, len) = (self.src32(c, Type::U32)?, self.src32(len, Type::U32)?);
                Alu::Bfi64 { d: self.dst64(d)?, a, b, c, len }
            }
            _ => return self.tabled_sequence(form, ty, inst),
        };
        self.alu(alu)
    }

    /// Decodes `lop3.b32 d, a, b, c, table`.
    pub fn lop3(&mut self, mut inst: Inst<'_, 'a>) -> Decoded<()> {
        if inst.ty()? != Type::B32 {
            return Err(inst.unsupported());
        }
        let [d, a, b, c, table] = inst.operands()?;
        let Ok(table) = u8::try_from(self.integer(table)?) else {
            return Err(self.mismatch("a table of 8 bits", table));
        };
        let (a, b) = (self.src32(a, Type::B32)?, self.src32(b, Type::B32)?);
        let c = self.src32(c, Type::B32)?;
        let d = self.dst32(d)?;
        self.alu(Alu::Lop3 { table, d, a, b, c })
    }

    /// Decodes `add.cc`, `addc`, `sub.cc`, `subc`, `mad.lo.cc`, `madc.hi` and similar instructions.
    pub fn with_carry(&mut self, mut inst: Inst<'_, 'a>, ty: Type) -> Decoded<()> {
        let sets = inst.flag("cc");
        let (name, uses) = match inst.syntax.base.strip_suffix('c') {
            Some(name) => (name, true),
            None => (inst.syntax.base, false),
        };
        if !(sets || uses) || ty.bytes() < 4 {
            return Err(inst.unsupported());
        }
        if name == "mad" {
            return self.mad_with_carry(inst, ty, uses, sets);
        }
        let [d, a, b] = inst.operands()?;
        let carry = self.registers.carry()?;
        let alu = if ty.bytes() == 8 {
            let (a, b, d) = (self.src64(a, ty)?, self.src64(b, ty)?, self.dst64(d)?);
            match name {
                "add" => Alu::AddCarry64 { d, a, b, carry, uses, sets },
                "sub" => Alu::SubBorrow64 { d, a, b, carry, uses, sets },
                _ => return Err(inst.unsupported()),
            }
        } else {
            let (a, b, d) = (self.src32(a, ty)?, self.src32(b, ty)?, self.dst32(d)?);
            match name {
                "add" => Alu::AddCarry32 { d, a, b, carry, uses, sets },
                "sub" => Alu::SubBorrow32 { d, a, b, carry, uses, sets },
                _ => return Err(inst.unsupported()),
            }
        };
        self.alu(alu)
    }

    /// Decodes a multiplication into a scratch register, followed by an addition with carry.
    fn mad_with_carry(
        &mut self,
        mut inst: Inst<'_, 'a>,
        ty: Type,
        uses: bool,
        sets: bool,
    ) -> Decoded<()> {
        let high = inst.require(&[("lo", false), ("hi", true)])?;
        let [d, a, b, c] = inst.operands()?;
        let carry = self.registers.carry()?;
        if ty.bytes() == 8 {
            let op = match (high, ty.is_signed()) {
                (false, _) => Bin64::MulLo,
                (true, false) => Bin64::MulHiU,
                (true, true) => Bin64::MulHiS,
            };
            let (a, b, c) = (self.src64(a, ty)?, self.src64(b, ty)?, self.src64(c, ty)?);
            let (product, d) = (self.registers.scratch64()?, self.dst64(d)?);
            self.alu(Alu::Bin64 { op, d: product, a, b })?;
            return self.alu(Alu::AddCarry64 { d, a: product, b: c, carry, uses, sets });
        }
        let op = match (high, ty.is_signed()) {
            (false, _) => Bin32::MulLo,
            (true, false) => Bin32::MulHiU,
            (true, true) => Bin32::MulHiS,
        };
        let (a, b, c) = (self.src32(a, ty)?, self.src32(b, ty)?, self.src32(c, ty)?);
        let (product, d): (R32, R32) = (self.registers.scratch32()?, self.dst32(d)?);
        self.alu(Alu::Bin32 { op, d: product, a, b })?;
        self.alu(Alu::AddCarry32 { d, a: product, b: c, carry, uses, sets })
    }
}
