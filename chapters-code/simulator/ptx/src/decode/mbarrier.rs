//! `mbarrier`: barriers in shared memory.

use super::Decoded;
use super::inst::Inst;
use super::kernel::Decoder;
use crate::ir::{
    Alu, Arrive, ArriveKind, Bin32, Mbarrier, MbarrierOp, Op, PENDING_COUNT_BITS, Phase, Semantics,
    Space,
};
use crate::syntax::{Operand, Type};

/// The spaces of an mbarrier object. Only those of the thread's own block are supported.
const SPACES: [(&str, Space); 3] =
    [("shared", Space::Shared), ("shared::cta", Space::Shared), ("shared::cluster", Space::Shared)];

/// Accounts for modifiers such as `.release.cta`, the space, and the type.
fn modifiers(inst: &mut Inst<'_, '_>, ordering: &str) -> Decoded<(Semantics, Space)> {
    let semantics = if inst.flag("relaxed") {
        Semantics::Relaxed
    } else {
        inst.flag(ordering);
        Semantics::Orders
    };
    inst.choose(&[("cta", ()), ("cluster", ())]);
    let space = inst.choose(&SPACES).unwrap_or(Space::Generic);
    if inst.ty()? != Type::B64 {
        return Err(inst.unsupported());
    }
    Ok((semantics, space))
}

impl<'a> Decoder<'_, '_, 'a> {
    /// Decodes `mbarrier.init.shared.b64 [a], n` and all others except `cp.async.mbarrier.arrive`.
    pub fn mbarrier(&mut self, mut inst: Inst<'_, 'a>) -> Decoded<()> {
        if inst.flag("init") {
            let (_, space) = modifiers(&mut inst, "")?;
            let [addr, count] = inst.operands()?;
            let count = self.src32(count, Type::U32)?;
            self.emit_mbarrier(addr, space, MbarrierOp::Init { count })
        } else if inst.flag("inval") {
            let (_, space) = modifiers(&mut inst, "")?;
            let [addr] = inst.operands()?;
            self.emit_mbarrier(addr, space, MbarrierOp::Inval)
        } else if inst.flag("arrive") {
            self.mbarrier_arrive(inst, [ArriveKind::Arrive, ArriveKind::NoComplete])
        } else if inst.flag("arrive_drop") {
            self.mbarrier_arrive(inst, [ArriveKind::Drop, ArriveKind::DropNoComplete])
        } else if inst.flag("test_wait") || inst.flag("try_wait") {
            self.mbarrier_wait(inst)
        } else if inst.flag("pending_count") {
            self.mbarrier_pending_count(inst)
        } else {
            self.mbarrier_transactions(inst)
        }
    }

    fn emit_mbarrier(&mut self, addr: &Operand<'a>, space: Space, op: MbarrierOp) -> Decoded<()> {
        let (space, addr) = self.address(addr, space)?;
        self.emit(Op::Mbarrier(Mbarrier { space, addr, op }));
        Ok(())
    }

    /// Decodes `mbarrier.expect_tx.relaxed.cta.shared.b64 [a], n` and `complete_tx`.
    fn mbarrier_transactions(&mut self, mut inst: Inst<'_, 'a>) -> Decoded<()> {
        let expects = inst.flag("expect_tx");
        if !expects && !inst.flag("complete_tx") {
            return Err(inst.unsupported());
        }
        let (_, space) = modifiers(&mut inst, "")?;
        let [addr, bytes] = inst.operands()?;
        let bytes = self.src32(bytes, Type::U32)?;
        let op =
            if expects { MbarrierOp::ExpectTx { bytes } } else { MbarrierOp::CompleteTx { bytes } };
        self.emit_mbarrier(addr, space, op)
    }

    /// Decodes `mbarrier.arrive.release.cta.shared.b64 state, [a], n`, with or without
    /// `.expect_tx`.
    fn mbarrier_arrive(
        &mut self,
        mut inst: Inst<'_, 'a>,
        [plain, no_complete]: [ArriveKind; 2],
    ) -> Decoded<()> {
        let kind = if inst.flag("noComplete") { no_complete } else { plain };
        let expects = inst.flag("expect_tx");
        let (semantics, space) = modifiers(&mut inst, "release")?;
        inst.finish()?;
        let (state, addr, number) = match inst.syntax.operands.as_slice() {
            [state, addr] if !expects && kind == plain => (state, addr, None),
            [state, addr, number] => (state, addr, Some(self.src32(number, Type::U32)?)),
            operands => return Err(inst.operand_count(operands.len())),
        };
        let state = match state {
            Operand::Name("_") => None,
            state => Some(self.dst64(state)?),
        };
        let (count, expect) = if expects { (None, number) } else { (number, None) };
        let arrive = Arrive { kind, state, count, expect, semantics };
        self.emit_mbarrier(addr, space, MbarrierOp::Arrive(arrive))
    }

    /// Decodes `mbarrier.try_wait.parity.acquire.cta.shared.b64 p, [a], parity, time`.
    fn mbarrier_wait(&mut self, mut inst: Inst<'_, 'a>) -> Decoded<()> {
        let tries = inst.syntax.modifiers.contains(&"try_wait");
        let by_parity = inst.flag("parity");
        let (semantics, space) = modifiers(&mut inst, "acquire")?;
        inst.finish()?;
        let (d, addr, phase) = match inst.syntax.operands.as_slice() {
            [d, addr, phase] => (d, addr, phase),
            // The time is only a hint how long to try.
            [d, addr, phase, time] if tries => {
                self.src32(time, Type::U32)?;
                (d, addr, phase)
            }
            operands => return Err(inst.operand_count(operands.len())),
        };
        let d = self.dst_pred(d)?;
        let phase = if by_parity {
            Phase::Parity(self.src32(phase, Type::U32)?)
        } else {
            Phase::State(self.src64(phase, Type::B64)?)
        };
        self.emit_mbarrier(addr, space, MbarrierOp::Wait { d, phase, semantics })
    }

    /// Decodes `mbarrier.pending_count.b64 n, state`.
    fn mbarrier_pending_count(&mut self, mut inst: Inst<'_, 'a>) -> Decoded<()> {
        if inst.ty()? != Type::B64 {
            return Err(inst.unsupported());
        }
        let [d, state] = inst.operands()?;
        let (d, a) = (self.dst32(d)?, self.src64(state, Type::B64)?);
        let b = self.bits32((1 << PENDING_COUNT_BITS) - 1)?;
        self.alu(Alu::Unpack64 { lo: Some(d), hi: None, a })?;
        let op = Bin32::And;
        self.alu(Alu::Bin32 { op, d, a: d, b })
    }

    /// Decodes `cp.async.mbarrier.arrive.noinc.shared.b64 [a]`.
    pub fn mbarrier_after_copies(&mut self, mut inst: Inst<'_, 'a>) -> Decoded<()> {
        if !inst.flag("arrive") {
            return Err(inst.unsupported());
        }
        let is_expected = inst.flag("noinc");
        let space = inst.choose(&SPACES).unwrap_or(Space::Generic);
        if inst.ty()? != Type::B64 {
            return Err(inst.unsupported());
        }
        let [addr] = inst.operands()?;
        self.emit_mbarrier(addr, space, MbarrierOp::AfterCopies { is_expected })
    }
}
