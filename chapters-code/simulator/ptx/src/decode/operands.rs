//! Converts operands to registers.
//!
//! Every source becomes a register: constants and addresses get a slot, and `%clock` is read into
//! one. A destination is a register of the right file, or `_`.

use super::Decoded;
use super::context::Global;
use super::kernel::Decoder;
use super::registers::Slot;
use super::scope::Entity;
use crate::error::ErrorKind;
use crate::ir::{Alu, Op};
use crate::ir::{Const, Guard, Pred, PredOp, R32, R64, Space, Src};
use crate::syntax::{Immediate, Operand, Type};

/// The meaning of a name.
#[derive(Clone, Copy)]
pub(super) enum Named {
    Register(Type, Slot),
    /// An address: the space, and the address within it.
    Address(Space, Const),
}

impl<'m, 'a> Decoder<'_, 'm, 'a> {
    /// Resolves a name in the current scope.
    pub fn resolve(&mut self, name: &'a str) -> Decoded<Named> {
        if let Some(entity) = self.scopes.get(name, &mut self.registers)? {
            return match entity {
                Entity::Register { ty, slot: Some(slot) } => Ok(Named::Register(ty, slot)),
                Entity::Variable { space, offset, .. } => {
                    Ok(Named::Address(space, Const::Bits(u64::from(offset))))
                }
                Entity::Shared(address) => Ok(Named::Address(Space::Shared, address)),
                Entity::Register { slot: None, .. } | Entity::Targets(_) => {
                    Err(ErrorKind::Undeclared(name.into()))
                }
            };
        }
        self.context.check_supported(name)?;
        match self.context.get(name) {
            Some(Global::Variable(symbol, space)) => {
                Ok(Named::Address(space, Const::Address(symbol, 0)))
            }
            Some(Global::Shared(variable)) => {
                Ok(Named::Address(Space::Shared, self.layout.shared(variable)?))
            }
            Some(Global::Missing) => {
                Err(ErrorKind::Invalid(format!("`{name}` is declared `.extern`, and not defined")))
            }
            Some(Global::Function(_)) => {
                Err(ErrorKind::Unsupported(format!("the address of function `{name}`")))
            }
            None => Err(ErrorKind::Undeclared(name.into())),
        }
    }

    /// Returns the 32-bit source of an instruction of a type. 16 bits are zero-extended.
    pub fn src32(&mut self, operand: &Operand<'a>, ty: Type) -> Decoded<R32> {
        match self.operand_slot(operand, ty)? {
            Slot::R32(register) => Ok(register),
            _ => Err(self.mismatch("a 32-bit operand", operand)),
        }
    }

    /// Returns a 64-bit source.
    pub fn src64(&mut self, operand: &Operand<'a>, ty: Type) -> Decoded<R64> {
        match self.operand_slot(operand, ty)? {
            Slot::R64(register) => Ok(register),
            _ => Err(self.mismatch("a 64-bit operand", operand)),
        }
    }

    /// Returns a source of either file. A constant goes to the file of its type.
    pub fn src(&mut self, operand: &Operand<'a>, ty: Type) -> Decoded<Src> {
        match self.operand_slot(operand, ty)? {
            Slot::R32(register) => Ok(Src::R32(register)),
            Slot::R64(register) => Ok(Src::R64(register)),
            Slot::Pred(_) => Err(self.mismatch("a number", operand)),
        }
    }

    fn operand_slot(&mut self, operand: &Operand<'a>, ty: Type) -> Decoded<Slot> {
        match *operand {
            Operand::Name(name) => match self.special(name, "")? {
                Some(slot) => Ok(slot),
                None => match self.resolve(name)? {
                    Named::Register(_, slot) => Ok(slot),
                    Named::Address(_, address) => self.constant(address, ty),
                },
            },
            Operand::Component(name, component) => match self.special(name, component)? {
                Some(slot) => Ok(slot),
                None => {
                    Err(ErrorKind::Unsupported(format!("special register `{name}.{component}`")))
                }
            },
            Operand::Offset(name, addend) => match self.resolve(name)? {
                Named::Address(_, address) => self.constant(plus(address, addend), ty),
                Named::Register(..) => Err(self.mismatch("a variable before `+`", operand)),
            },
            Operand::Immediate(value) => match immediate_bits(value, ty) {
                Some(bits) => self.constant(Const::Bits(bits), ty),
                None => Err(self.mismatch("a constant of its own type", operand)),
            },
            _ => Err(self.mismatch("a register or a constant", operand)),
        }
    }

    fn constant(&mut self, value: Const, ty: Type) -> Decoded<Slot> {
        match ty.bytes() {
            8 => self.registers.constant64(value).map(Slot::R64),
            _ => self.registers.constant32(value).map(Slot::R32),
        }
    }

    /// Returns the 32-bit slot of a number.
    pub fn bits32(&mut self, bits: u32) -> Decoded<R32> {
        self.registers.constant32(Const::Bits(u64::from(bits)))
    }

    /// Returns a predicate that may be negated.
    pub fn guard_of(&mut self, operand: &Operand<'a>) -> Decoded<Guard> {
        match *operand {
            Operand::Name(name) | Operand::Not(name) => {
                let negated = matches!(operand, Operand::Not(_));
                match self.resolve(name)? {
                    Named::Register(_, Slot::Pred(pred)) => Ok(Guard { pred, negated }),
                    _ => Err(self.mismatch("a predicate", operand)),
                }
            }
            Operand::Immediate(Immediate::Integer(value)) => {
                let pred = self.registers.constant_pred(value != 0)?;
                Ok(Guard { pred, negated: false })
            }
            _ => Err(self.mismatch("a predicate", operand)),
        }
    }

    /// Returns a predicate. `!p` is computed first.
    pub fn pred(&mut self, operand: &Operand<'a>) -> Decoded<Pred> {
        let Guard { pred, negated } = self.guard_of(operand)?;
        if !negated {
            return Ok(pred);
        }
        let d = self.registers.scratch_pred()?;
        self.emit(Op::Alu(Alu::PredOp { op: PredOp::Not, d, a: pred, b: pred }));
        Ok(d)
    }

    /// Returns a 32-bit destination. For `_` it is a register that no instruction reads.
    pub fn dst32(&mut self, operand: &Operand<'a>) -> Decoded<R32> {
        match self.destination(operand)? {
            None => self.registers.scratch32(),
            Some((_, Slot::R32(register))) => Ok(register),
            Some(_) => Err(self.mismatch("a 32-bit register", operand)),
        }
    }

    /// Returns a 64-bit destination.
    pub fn dst64(&mut self, operand: &Operand<'a>) -> Decoded<R64> {
        match self.destination(operand)? {
            None => self.registers.scratch64(),
            Some((_, Slot::R64(register))) => Ok(register),
            Some(_) => Err(self.mismatch("a 64-bit register", operand)),
        }
    }

    /// Returns a predicate as destination.
    pub fn dst_pred(&mut self, operand: &Operand<'a>) -> Decoded<Pred> {
        match self.destination(operand)? {
            None => self.registers.scratch_pred(),
            Some((_, Slot::Pred(register))) => Ok(register),
            Some(_) => Err(self.mismatch("a predicate", operand)),
        }
    }

    /// Returns the register of an operand with its declared type, or `None` for `_`.
    pub fn destination(&mut self, operand: &Operand<'a>) -> Decoded<Option<(Type, Slot)>> {
        let Operand::Name(name) = *operand else {
            return Err(self.mismatch("a register", operand));
        };
        if name == "_" {
            return Ok(None);
        }
        match self.resolve(name)? {
            Named::Register(ty, slot) => Ok(Some((ty, slot))),
            Named::Address(..) => Err(self.mismatch("a register", operand)),
        }
    }

    /// Returns the value of an operand that must be an integer constant.
    pub fn integer(&self, operand: &Operand<'a>) -> Decoded<u64> {
        match *operand {
            Operand::Immediate(Immediate::Integer(value)) => Ok(value),
            _ => Err(self.mismatch("an integer constant", operand)),
        }
    }

    /// Returns the error for an operand that does not fit the instruction.
    pub fn mismatch(&self, expected: &'static str, operand: &Operand<'a>) -> ErrorKind {
        ErrorKind::Operand { instruction: self.opcode.into(), expected, found: describe(operand) }
    }
}

/// Adds a number to an address.
pub(super) fn plus(address: Const, addend: i64) -> Const {
    match address {
        Const::Bits(bits) => Const::Bits(bits.wrapping_add_signed(addend)),
        Const::Address(symbol, a) => Const::Address(symbol, a.wrapping_add(addend)),
        Const::GenericAddress(symbol, a) => Const::GenericAddress(symbol, a.wrapping_add(addend)),
        Const::Shared { variable, offset } => {
            Const::Shared { variable, offset: offset.wrapping_add(addend) }
        }
        Const::DynamicShared(a) => Const::DynamicShared(a.wrapping_add(addend)),
    }
}

/// Returns a constant as the bits of a type, or `None` if PTX does not allow it.
fn immediate_bits(value: Immediate, ty: Type) -> Option<u64> {
    Some(match (value, ty) {
        (Immediate::Integer(_), Type::F32 | Type::F64 | Type::Pred) => return None,
        (Immediate::Integer(bits), _) => match ty.bytes() {
            1 => bits & 0xff,
            2 => bits & 0xffff,
            4 => bits & 0xffff_ffff,
            _ => bits,
        },
        (Immediate::F32(bits), Type::F32 | Type::B32) => u64::from(bits),
        (Immediate::F64(bits), Type::F64 | Type::B64) => bits,
        (Immediate::F32(bits), Type::F64) => f64::from(f32::from_bits(bits)).to_bits(),
        (Immediate::F64(bits), Type::F32) => u64::from((f64::from_bits(bits) as f32).to_bits()),
        (Immediate::F32(_) | Immediate::F64(_), _) => return None,
    })
}

/// Describes an operand for an error.
fn describe(operand: &Operand<'_>) -> String {
    match operand {
        Operand::Name(name) => format!("`{name}`"),
        Operand::Not(name) => format!("`!{name}`"),
        Operand::Component(name, component) => format!("`{name}.{component}`"),
        Operand::Immediate(Immediate::Integer(value)) => format!("`{}`", *value as i64),
        Operand::Immediate(_) => "a floating-point constant".into(),
        Operand::Offset(name, addend) => format!("`{name}+{addend}`"),
        Operand::Pair(first, second) => format!("`{first}|{second}`"),
        Operand::Vector(_) => "a vector".into(),
        Operand::Address { .. } => "an address".into(),
        Operand::List(_) => "a list of parameters".into(),
    }
}
