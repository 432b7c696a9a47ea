//! `cvt`, `cvta` and `isspacep`.

use super::Decoded;
use super::inst::{Inst, ROUNDINGS};
use super::kernel::Decoder;
use super::memory::SPACES;
use super::registers::Slot;
use crate::ir::{Alu, Num, PackedHalf, Round, Space, Src};
use crate::syntax::{Operand, Type};

/// The roundings to an integral value.
const INTEGRAL: [(&str, Round); 4] =
    [("rni", Round::NearestEven), ("rzi", Round::Zero), ("rmi", Round::Down), ("rpi", Round::Up)];

/// The parts of a conversion without its operands.
#[derive(Clone, Copy)]
struct Conversion {
    from: Num,
    to: Num,
    round: Round,
    sat: bool,
    ftz: bool,
}

fn num(ty: Type) -> Option<Num> {
    Some(match ty {
        Type::U8 => Num::U8,
        Type::S8 => Num::S8,
        Type::U16 => Num::U16,
        Type::S16 => Num::S16,
        Type::U32 => Num::U32,
        Type::S32 => Num::S32,
        Type::U64 => Num::U64,
        Type::S64 => Num::S64,
        Type::F16 => Num::F16,
        Type::Bf16 => Num::Bf16,
        Type::F32 => Num::F32,
        Type::F64 => Num::F64,
        _ => return None,
    })
}

fn is_float(ty: Type) -> bool {
    matches!(ty, Type::F16 | Type::Bf16 | Type::F32 | Type::F64)
}

impl<'a> Decoder<'_, '_, 'a> {
    /// Decodes `cvt.rni.sat.s32.f32 d, a`.
    pub fn cvt(&mut self, mut inst: Inst<'_, 'a>) -> Decoded<()> {
        let (to, from) = (inst.ty()?, inst.ty()?);
        if matches!(to, Type::F16x2 | Type::Bf16x2) && from == Type::F32 {
            return self.cvt_pack(inst, to);
        }
        if from == Type::F32 && matches!(to, Type::F16 | Type::Bf16) && inst.flag("relu") {
            return self.cvt_relu(inst, to);
        }
        let conversion = conversion(&mut inst, to, from)?;
        let [d, a] = inst.operands()?;
        let a = self.conversion_source(a, from)?;
        self.convert(conversion, d, to, a)
    }

    /// Returns a source in the file of its type. For a wider register it is the lower half.
    fn conversion_source(&mut self, operand: &Operand<'a>, from: Type) -> Decoded<Src> {
        match (self.src(operand, from)?, from.bytes()) {
            (Src::R32(_), 8) => Err(self.mismatch("a 64-bit operand", operand)),
            (Src::R64(a), 1..8) => {
                let lo = self.registers.scratch32()?;
                self.alu(Alu::Unpack64 { lo: Some(lo), hi: None, a })?;
                Ok(Src::R32(lo))
            }
            (source, _) => Ok(source),
        }
    }

    /// Appends a conversion into `d`, and extends the result to the width of `d`.
    fn convert(&mut self, c: Conversion, d: &Operand<'a>, to: Type, a: Src) -> Decoded<()> {
        let (declared, slot) = match self.destination(d)? {
            Some(register) => register,
            None => return Ok(()),
        };
        if declared.bytes() < to.bytes().min(8) {
            return Err(self.mismatch("a wider register", d));
        }
        match slot {
            Slot::Pred(_) => Err(self.mismatch("a number", d)),
            Slot::R64(d) if to.bytes() == 8 => self.alu_cvt(c, Src::R64(d), a),
            Slot::R64(wide) => {
                let Some(widened) = extension(to, 8) else {
                    return Err(self.mismatch("a 32-bit register", d));
                };
                let narrow = Src::R32(self.registers.scratch32()?);
                self.alu_cvt(c, narrow, a)?;
                self.alu_cvt(widen(c.to, widened), Src::R64(wide), narrow)
            }
            Slot::R32(d) => {
                self.alu_cvt(c, Src::R32(d), a)?;
                match extension(to, declared.bytes()) {
                    Some(widened) if to.is_signed() => {
                        self.alu_cvt(widen(c.to, widened), Src::R32(d), Src::R32(d))
                    }
                    _ => Ok(()),
                }
            }
        }
    }

    fn alu_cvt(&mut self, c: Conversion, d: Src, a: Src) -> Decoded<()> {
        let Conversion { from, to, round, sat, ftz } = c;
        self.alu(Alu::Cvt { from, to, round, sat, ftz, d, a })
    }

    /// Decodes `cvt.rn.relu.f16.f32 d, a`, which becomes the lower half of a pair.
    fn cvt_relu(&mut self, mut inst: Inst<'_, 'a>, to: Type) -> Decoded<()> {
        let to = if to == Type::F16 { PackedHalf::F16x2 } else { PackedHalf::Bf16x2 };
        let round = inst.require(&ROUNDINGS[..2])?;
        let [d, a] = inst.operands()?;
        let (a, zero) = (self.src32(a, Type::F32)?, self.bits32(0)?);
        let d = self.dst32(d)?;
        self.alu(Alu::CvtPack { to, round, relu: true, d, a: zero, b: a })
    }

    /// Decodes `cvt.rn.f16x2.f32 d, a, b`.
    fn cvt_pack(&mut self, mut inst: Inst<'_, 'a>, to: Type) -> Decoded<()> {
        let to = if to == Type::F16x2 { PackedHalf::F16x2 } else { PackedHalf::Bf16x2 };
        let round = inst.require(&ROUNDINGS[..2])?;
        let relu = inst.flag("relu");
        let [d, a, b] = inst.operands()?;
        let (a, b) = (self.src32(a, Type::F32)?, self.src32(b, Type::F32)?);
        let d = self.dst32(d)?;
        self.alu(Alu::CvtPack { to, round, relu, d, a, b })
    }

    /// Decodes `cvta.to.global.u64 d, a`.
    pub fn cvta(&mut self, mut inst: Inst<'_, 'a>) -> Decoded<()> {
        let to_space = inst.flag("to");
        let space = inst.require(&SPACES)?;
        if inst.ty()? != Type::U64 {
            return Err(inst.unsupported());
        }
        let space = self.actual_space(space);
        let [d, a] = inst.operands()?;
        let (a, d) = (self.src64(a, Type::U64)?, self.dst64(d)?);
        self.alu(if to_space {
            Alu::FromGeneric { space, d, a }
        } else {
            Alu::ToGeneric { space, d, a }
        })
    }

    /// Decodes `isspacep.shared p, a`.
    pub fn isspacep(&mut self, mut inst: Inst<'_, 'a>) -> Decoded<()> {
        let space = inst.require(&SPACES)?;
        let [d, a] = inst.operands()?;
        let (a, d) = (self.src64(a, Type::U64)?, self.dst_pred(d)?);
        self.alu(Alu::IsSpace { space, d, a })
    }

    /// Returns the space in which a variable is stored: parameters of an inlined function are in
    /// local memory.
    pub fn actual_space(&self, space: Space) -> Space {
        match space {
            Space::Param if !self.calls.is_empty() => Space::Local,
            space => space,
        }
    }
}

/// Accounts for a conversion's modifiers, and checks that its rounding is named if it needs one.
fn conversion(inst: &mut Inst<'_, '_>, to_ty: Type, from_ty: Type) -> Decoded<Conversion> {
    let (Some(to), Some(from)) = (num(to_ty), num(from_ty)) else {
        return Err(inst.unsupported());
    };
    let (float, integral) = (inst.choose(&ROUNDINGS), inst.choose(&INTEGRAL));
    let (ftz, sat) = (inst.flag("ftz"), inst.flag("sat"));
    let narrows = to_ty.bytes() < from_ty.bytes() || to_ty.bytes() == 2;
    let allowed = match (is_float(from_ty), is_float(to_ty), float, integral) {
        (false, false, None, None) => !ftz,
        (false, true, Some(_), None) => true,
        (true, false, None, Some(_)) => true,
        (true, true, None, _) if from == to => true,
        (true, true, Some(_), None) => narrows && from != to,
        (true, true, None, None) => !narrows,
        _ => false,
    };
    if !allowed || !exists(to_ty, from_ty, sat) {
        return Err(inst.unsupported());
    }
    Ok(Conversion { from, to, round: float.or(integral).unwrap_or(Round::None), sat, ftz })
}

/// Whether a conversion exists, apart from its rounding. There is none between `bf16` and 8 bits.
/// `.sat` does not exist for `bf16`, nor for conversions that it could not change.
fn exists(to: Type, from: Type, sat: bool) -> bool {
    let bf16 = to == Type::Bf16 || from == Type::Bf16;
    let byte = to.bytes() == 1 || from.bytes() == 1;
    let widens = to.bytes() > from.bytes() && (to.is_signed() || !from.is_signed());
    let holds_all = !is_float(to) && !is_float(from) && (widens || to == from);
    !(bf16 && (byte || sat) || holds_all && sat)
}

/// Returns the integer of `bytes` bytes to which a narrower one is extended, or `None` if it is not
/// narrower.
fn extension(ty: Type, bytes: u32) -> Option<Num> {
    if ty.bytes() >= bytes || is_float(ty) {
        return None;
    }
    Some(match (bytes, ty.is_signed()) {
        (8, true) => Num::S64,
        (8, false) => Num::U64,
        (4, true) => Num::S32,
        (4, false) => Num::U32,
        (_, true) => Num::S16,
        (_, false) => Num::U16,
    })
}

fn widen(from: Num, to: Num) -> Conversion {
    Conversion { from, to, round: Round::None, sat: false, ftz: false }
}
