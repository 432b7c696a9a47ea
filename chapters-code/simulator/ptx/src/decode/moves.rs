//! `mov`: copies, constants, addresses, clocks, and packing and unpacking of vectors.

use super::Decoded;
use super::inst::Inst;
use super::kernel::Decoder;
use super::special::{Clock, clock};
use crate::ir::{Alu, Bin32, Cmp, CmpType32, PredOp, R32, SpecialSlot, Un32, Un64};
use crate::syntax::{Operand, Type};

impl<'a> Decoder<'_, '_, 'a> {
    /// Decodes `mov.TYPE d, a`.
    pub fn mov(&mut self, mut inst: Inst<'_, 'a>) -> Decoded<()> {
        let ty = inst.ty()?;
        let [d, a] = inst.operands()?;
        match (d, a) {
            (Operand::Vector(parts), _) => self.unpack(&inst, ty, parts, a),
            (_, Operand::Vector(parts)) => self.pack(&inst, ty, d, parts),
            (_, Operand::Name("%is_explicit_cluster")) if ty == Type::Pred => {
                let SpecialSlot::R32(a) = self.is_explicit_cluster()? else {
                    return Err(inst.unsupported());
                };
                let (b, d) = (self.bits32(0)?, self.dst_pred(d)?);
                let (cmp, ty) = (Cmp::Ne, CmpType32::U32);
                self.alu(Alu::Setp32 { cmp, ty, d, q: None, a, b, with: None })
            }
            (_, Operand::Name(name)) if clock(name).is_some() => {
                self.mov_clock(ty, d, a, clock(name).unwrap_or(Clock::Low))
            }
            _ => self.mov_scalar(&inst, ty, d, a),
        }
    }

    fn mov_scalar(
        &mut self,
        inst: &Inst<'_, 'a>,
        ty: Type,
        d: &Operand<'a>,
        a: &Operand<'a>,
    ) -> Decoded<()> {
        let alu = match (ty, ty.bytes()) {
            (Type::Pred, _) => {
                let (a, d) = (self.pred(a)?, self.dst_pred(d)?);
                Alu::PredOp { op: PredOp::Mov, d, a, b: a }
            }
            (_, 8) => Alu::Un64 { op: Un64::Mov, a: self.src64(a, ty)?, d: self.dst64(d)? },
            (_, 4) => Alu::Un32 { op: Un32::Mov, a: self.src32(a, ty)?, d: self.dst32(d)? },
            // Special registers are wider than 16 bits.
            (_, 2) if matches!(a, Operand::Component(..)) => {
                let (a, b) = (self.src32(a, Type::U32)?, self.bits32(0xffff)?);
                Alu::Bin32 { op: Bin32::And, d: self.dst32(d)?, a, b }
            }
            (_, 2) => Alu::Un32 { op: Un32::Mov, a: self.src32(a, ty)?, d: self.dst32(d)? },
            _ => return Err(inst.unsupported()),
        };
        self.alu(alu)
    }

    fn mov_clock(
        &mut self,
        ty: Type,
        d: &Operand<'a>,
        a: &Operand<'a>,
        clock: Clock,
    ) -> Decoded<()> {
        match (clock, ty.bytes()) {
            (Clock::Cycles | Clock::Nanoseconds, 8) => {
                let d = self.dst64(d)?;
                self.read_clock64(clock, d);
                Ok(())
            }
            (Clock::Cycles | Clock::Nanoseconds, _) | (_, 1 | 2 | 8) => {
                Err(self.mismatch("a clock of its own width", a))
            }
            _ => {
                let d = self.dst32(d)?;
                self.read_clock32(clock, d)
            }
        }
    }

    /// Decodes `mov.b64 d, {lo, hi}`.
    fn pack(
        &mut self,
        inst: &Inst<'_, 'a>,
        ty: Type,
        d: &Operand<'a>,
        parts: &[Operand<'a>],
    ) -> Decoded<()> {
        let alu = match (ty.bytes(), parts) {
            (8, [lo, hi]) => {
                let (lo, hi) = (self.src32(lo, Type::B32)?, self.src32(hi, Type::B32)?);
                Alu::Pack64 { d: self.dst64(d)?, lo, hi }
            }
            (4, [lo, hi]) => {
                let (lo, hi) = (self.src32(lo, Type::B16)?, self.src32(hi, Type::B16)?);
                Alu::Pack32 { d: self.dst32(d)?, lo, hi }
            }
            (8, [a, b, c, e]) => {
                let mut s = [R32(0); 4];
                for (slot, part) in s.iter_mut().zip([a, b, c, e]) {
                    *slot = self.src32(part, Type::B16)?;
                }
                Alu::Pack64x4 { d: self.dst64(d)?, s }
            }
            _ => return Err(inst.unsupported()),
        };
        self.alu(alu)
    }

    /// Decodes `mov.b64 {lo, hi}, a`.
    fn unpack(
        &mut self,
        inst: &Inst<'_, 'a>,
        ty: Type,
        parts: &[Operand<'a>],
        a: &Operand<'a>,
    ) -> Decoded<()> {
        let alu = match (ty.bytes(), parts) {
            (8, [lo, hi]) => {
                let (lo, hi) = (self.part(lo)?, self.part(hi)?);
                Alu::Unpack64 { lo, hi, a: self.src64(a, ty)? }
            }
            (4, [lo, hi]) => {
                let (lo, hi) = (self.part(lo)?, self.part(hi)?);
                Alu::Unpack32 { lo, hi, a: self.src32(a, ty)? }
            }
            (8, [p, q, r, s]) => {
                let d = [self.part(p)?, self.part(q)?, self.part(r)?, self.part(s)?];
                Alu::Unpack64x4 { d, a: self.src64(a, ty)? }
            }
            _ => return Err(inst.unsupported()),
        };
        self.alu(alu)
    }

    /// Returns an element of a vector as destination, or `None` for `_`.
    fn part(&mut self, operand: &Operand<'a>) -> Decoded<Option<R32>> {
        match operand {
            Operand::Name("_") => Ok(None),
            _ => self.dst32(operand).map(Some),
        }
    }
}
