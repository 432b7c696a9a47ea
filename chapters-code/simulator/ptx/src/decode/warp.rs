//! Warp-wide instructions.

use super::Decoded;
use super::inst::Inst;
use super::kernel::Decoder;
use crate::ir::{
    Collective, CollectiveOp, Guard, Op, Pred, R32, ReduxOp, ShflMode, Shuffle, Src, Vote,
};
use crate::syntax::{Operand, Type};

const SHUFFLES: [(&str, ShflMode); 4] = [
    ("up", ShflMode::Up),
    ("down", ShflMode::Down),
    ("bfly", ShflMode::Bfly),
    ("idx", ShflMode::Idx),
];

/// The operations of `redux.sync` for `.u32` (or `.b32`) and for `.s32`.
const REDUCTIONS: [(&str, ReduxOp, ReduxOp); 3] = [
    ("add", ReduxOp::Add, ReduxOp::Add),
    ("min", ReduxOp::MinU32, ReduxOp::MinS32),
    ("max", ReduxOp::MaxU32, ReduxOp::MaxS32),
];

const BITWISE: [(&str, ReduxOp); 3] =
    [("and", ReduxOp::And), ("or", ReduxOp::Or), ("xor", ReduxOp::Xor)];

/// The forms of `vote.sync` that return a predicate.
type VoteForm = fn(Pred, Guard) -> Vote;

const VOTES: [(&str, VoteForm); 3] = [
    ("all", |d, Guard { pred: a, negated }| Vote::All { d, a, negated }),
    ("any", |d, Guard { pred: a, negated }| Vote::Any { d, a, negated }),
    ("uni", |d, Guard { pred: a, negated }| Vote::Uni { d, a, negated }),
];

impl<'a> Decoder<'_, '_, 'a> {
    /// Accounts for `.sync`. The forms without it no longer exist since Volta.
    fn require_sync(&self, inst: &mut Inst<'_, 'a>) -> Decoded<()> {
        if inst.flag("sync") { Ok(()) } else { Err(inst.unsupported()) }
    }

    /// Appends an operation of the lanes of `mask`.
    fn collective(&mut self, mask: R32, op: CollectiveOp) {
        self.emit(Op::Warp(Collective { mask, op }));
    }

    /// Returns a destination with an optional predicate: `d|p`.
    fn dst_pair(&mut self, operand: &Operand<'a>) -> Decoded<(R32, Option<Pred>)> {
        match *operand {
            Operand::Pair(d, p) => {
                let d = self.dst32(&Operand::Name(d))?;
                Ok((d, Some(self.dst_pred(&Operand::Name(p))?)))
            }
            _ => Ok((self.dst32(operand)?, None)),
        }
    }

    /// Decodes `shfl.sync.down.b32 d|p, a, b, c, mask`.
    pub fn shfl(&mut self, mut inst: Inst<'_, 'a>) -> Decoded<()> {
        self.require_sync(&mut inst)?;
        let mode = inst.require(&SHUFFLES)?;
        if inst.ty()? != Type::B32 {
            return Err(inst.unsupported());
        }
        let [d, a, b, c, mask] = inst.operands()?;
        let (a, b) = (self.src32(a, Type::B32)?, self.src32(b, Type::U32)?);
        let (c, mask) = (self.src32(c, Type::U32)?, self.src32(mask, Type::U32)?);
        let (d, pred) = self.dst_pair(d)?;
        let shuffle = Shuffle { mode, d, pred, a, b, c };
        self.collective(mask, CollectiveOp::Shfl(shuffle));
        Ok(())
    }

    /// Decodes `vote.sync.any.pred d, a, mask` and `vote.sync.ballot.b32`.
    pub fn vote(&mut self, mut inst: Inst<'_, 'a>) -> Decoded<()> {
        self.require_sync(&mut inst)?;
        let form = inst.choose(&VOTES);
        let ballot = form.is_none() && inst.flag("ballot");
        let ty = inst.ty()?;
        let [d, a, mask] = inst.operands()?;
        let (guard, mask) = (self.guard_of(a)?, self.src32(mask, Type::U32)?);
        let vote = match (form, ty) {
            (Some(form), Type::Pred) => form(self.dst_pred(d)?, guard),
            (None, Type::B32) if ballot => {
                let Guard { pred: a, negated } = guard;
                Vote::Ballot { d: self.dst32(d)?, a, negated }
            }
            _ => return Err(inst.unsupported()),
        };
        self.collective(mask, CollectiveOp::Vote(vote));
        Ok(())
    }

    /// Decodes `match.any.sync.b32 d, a, mask` and `match.all.sync.b32 d|p, a, mask`.
    pub fn match_sync(&mut self, mut inst: Inst<'_, 'a>) -> Decoded<()> {
        self.require_sync(&mut inst)?;
        let all = inst.require(&[("any", false), ("all", true)])?;
        let ty = inst.ty()?;
        let [d, a, mask] = inst.operands()?;
        let a = match ty {
            Type::B32 => Src::R32(self.src32(a, ty)?),
            Type::B64 => Src::R64(self.src64(a, ty)?),
            _ => return Err(inst.unsupported()),
        };
        let mask = self.src32(mask, Type::U32)?;
        if all {
            let (d, pred) = self.dst_pair(d)?;
            self.collective(mask, CollectiveOp::MatchAll { d, pred, a });
        } else {
            let d = self.dst32(d)?;
            self.collective(mask, CollectiveOp::MatchAny { d, a });
        }
        Ok(())
    }

    /// Decodes `redux.sync.add.u32 d, a, mask`.
    pub fn redux(&mut self, mut inst: Inst<'_, 'a>) -> Decoded<()> {
        self.require_sync(&mut inst)?;
        let ty = inst.ty()?;
        let arithmetic = |signed: bool| {
            REDUCTIONS.map(|(name, u32, s32)| (name, if signed { s32 } else { u32 }))
        };
        let op = match ty {
            Type::B32 => inst.require(&BITWISE)?,
            Type::U32 => inst.require(&arithmetic(false))?,
            Type::S32 => inst.require(&arithmetic(true))?,
            _ => return Err(inst.unsupported()),
        };
        let [d, a, mask] = inst.operands()?;
        let (a, mask) = (self.src32(a, ty)?, self.src32(mask, Type::U32)?);
        let d = self.dst32(d)?;
        self.collective(mask, CollectiveOp::Redux { op, d, a });
        Ok(())
    }

    /// Decodes `activemask.b32 d`.
    pub fn activemask(&mut self, mut inst: Inst<'_, 'a>) -> Decoded<()> {
        if inst.ty()? != Type::B32 {
            return Err(inst.unsupported());
        }
        let [d] = inst.operands()?;
        let d = self.dst32(d)?;
        self.emit(Op::ActiveMask { d });
        Ok(())
    }

    /// Decodes `elect.sync d|p, mask`.
    pub fn elect(&mut self, mut inst: Inst<'_, 'a>) -> Decoded<()> {
        self.require_sync(&mut inst)?;
        let [d, mask] = inst.operands()?;
        let &Operand::Pair(d, p) = d else {
            return Err(self.mismatch("a register and a predicate", d));
        };
        let mask = self.src32(mask, Type::U32)?;
        let d = if d == "_" { None } else { Some(self.dst32(&Operand::Name(d))?) };
        let pred = self.dst_pred(&Operand::Name(p))?;
        self.collective(mask, CollectiveOp::Elect { d, pred });
        Ok(())
    }
}
