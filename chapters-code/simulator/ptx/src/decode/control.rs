//! Branches, barriers, fences, and the ends of a kernel.

use super::Decoded;
use super::inst::Inst;
use super::kernel::Decoder;
use super::memory::SCOPES;
use super::scope::Entity;
use crate::error::ErrorKind;
use crate::ir::{
    Bar, BarKind, Branch, Collective, CollectiveOp, Fence, FenceStrength, Guard, Op, Scope,
};
use crate::syntax::{Operand, Type};

/// The names of scopes in `membar`.
const LEVELS: [(&str, Scope); 3] =
    [("cta", Scope::Block), ("gl", Scope::Device), ("sys", Scope::System)];

/// The effect of a barrier other than waiting.
#[derive(Clone, Copy)]
enum BarAction {
    Sync,
    Arrive,
    Red,
}

const ACTIONS: [(&str, BarAction); 3] =
    [("sync", BarAction::Sync), ("arrive", BarAction::Arrive), ("red", BarAction::Red)];

impl<'a> Decoder<'_, '_, 'a> {
    /// Decodes `@p bra label`.
    pub fn bra(&mut self, mut inst: Inst<'_, 'a>) -> Decoded<()> {
        let uniform = inst.flag("uni");
        let [target] = inst.operands()?;
        let &Operand::Name(name) = target else {
            return Err(self.mismatch("a label", target));
        };
        let target = self.scopes.label(name)?.0;
        self.branch(Branch { guard: self.guard, target, reconverge: None, uniform });
        Ok(())
    }

    /// Appends a branch, which holds its own guard.
    pub fn branch(&mut self, branch: Branch) {
        self.emit_guarded(Op::Bra(branch), None);
    }

    /// Decodes `brx.idx index, targets`.
    pub fn brx(&mut self, mut inst: Inst<'_, 'a>) -> Decoded<()> {
        if !inst.flag("idx") {
            return Err(inst.unsupported());
        }
        inst.flag("uni");
        let [index, list] = inst.operands()?;
        let &Operand::Name(name) = list else {
            return Err(self.mismatch("a table of targets", list));
        };
        let Some(Entity::Targets(names)) = self.scopes.get(name, &mut self.registers)? else {
            return Err(ErrorKind::Undeclared(name.into()));
        };
        self.context.copies(names.len())?;
        let labels = names.iter().map(|name| Ok(self.scopes.label(name)?.0));
        let targets = labels.collect::<Decoded<_>>()?;
        let index = self.src32(index, Type::U32)?;
        self.emit(Op::BrxIdx { index, targets, reconverge: None });
        Ok(())
    }

    /// Decodes `ret`: the end of the kernel, or of an inlined function.
    pub fn ret(&mut self, mut inst: Inst<'_, 'a>) -> Decoded<()> {
        let uniform = inst.flag("uni");
        let [] = inst.operands()?;
        match self.calls.last() {
            None => self.emit(Op::Exit),
            Some(&(_, behind)) => {
                self.branch(Branch {
                    guard: self.guard,
                    target: behind.0,
                    reconverge: None,
                    uniform,
                });
            }
        }
        Ok(())
    }

    /// Decodes `exit`, `trap`, `brkpt`, `pmevent` and `nanosleep`.
    pub fn simple_control(&mut self, mut inst: Inst<'_, 'a>) -> Decoded<()> {
        let op = match inst.syntax.base {
            "pmevent" => {
                inst.flag("mask");
                inst.operands::<1>()?;
                Op::Nop
            }
            "nanosleep" => {
                if inst.ty()? != Type::U32 {
                    return Err(inst.unsupported());
                }
                let [t] = inst.operands()?;
                Op::Nanosleep { t: self.src32(t, Type::U32)? }
            }
            base => {
                let [] = inst.operands()?;
                match base {
                    "exit" => Op::Exit,
                    "trap" | "brkpt" => Op::Trap,
                    _ => Op::Nop,
                }
            }
        };
        self.emit(op);
        Ok(())
    }

    /// Decodes `bar.sync`, `bar.red.popc.u32`, `bar.arrive`, `bar.warp.sync` and `barrier`.
    pub fn barrier(&mut self, mut inst: Inst<'_, 'a>) -> Decoded<()> {
        if inst.flag("warp") {
            if !inst.flag("sync") {
                return Err(inst.unsupported());
            }
            let [mask] = inst.operands()?;
            let mask = self.src32(mask, Type::U32)?;
            self.emit(Op::Warp(Collective { mask, op: CollectiveOp::Sync }));
            return Ok(());
        }
        if inst.syntax.base == "barrier" && inst.flag("cluster") {
            return self.cluster_barrier(inst);
        }
        inst.flag("cta");
        let aligned = inst.syntax.base == "bar" || inst.flag("aligned");
        match inst.require(&ACTIONS)? {
            BarAction::Red => self.bar_red(inst, aligned),
            BarAction::Sync => self.bar(inst, BarKind::Sync, aligned),
            BarAction::Arrive => self.bar(inst, BarKind::Arrive, aligned),
        }
    }

    /// Decodes `bar.sync id, threads`.
    fn bar(&mut self, inst: Inst<'_, 'a>, kind: BarKind, aligned: bool) -> Decoded<()> {
        inst.finish()?;
        let (id, threads) = match inst.syntax.operands.as_slice() {
            [id] if matches!(kind, BarKind::Sync) => (id, None),
            [id, threads] => (id, Some(threads)),
            operands => return Err(inst.operand_count(operands.len())),
        };
        let id = self.src32(id, Type::U32)?;
        let threads = threads.map(|n| self.src32(n, Type::U32)).transpose()?;
        let origin = self.locations.origin();
        self.emit(Op::Bar(Bar { kind, id, threads, aligned, origin }));
        Ok(())
    }

    /// Decodes `bar.red.popc.u32 d, id, threads, p`.
    fn bar_red(&mut self, mut inst: Inst<'_, 'a>, aligned: bool) -> Decoded<()> {
        let op = inst.require(&[("popc", 'p'), ("and", 'a'), ("or", 'o')])?;
        let ty = inst.ty()?;
        inst.finish()?;
        let (d, id, threads, a) = match inst.syntax.operands.as_slice() {
            [d, id, a] => (d, id, None, a),
            [d, id, threads, a] => (d, id, Some(threads), a),
            operands => return Err(inst.operand_count(operands.len())),
        };
        let Guard { pred: a, negated } = self.guard_of(a)?;
        let kind = match (op, ty) {
            ('p', Type::U32) => BarKind::RedPopc { d: self.dst32(d)?, a, negated },
            ('a', Type::Pred) => BarKind::RedAnd { d: self.dst_pred(d)?, a, negated },
            ('o', Type::Pred) => BarKind::RedOr { d: self.dst_pred(d)?, a, negated },
            _ => return Err(inst.unsupported()),
        };
        let id = self.src32(id, Type::U32)?;
        let threads = threads.map(|n| self.src32(n, Type::U32)).transpose()?;
        let origin = self.locations.origin();
        self.emit(Op::Bar(Bar { kind, id, threads, aligned, origin }));
        Ok(())
    }

    /// Decodes `membar.gl` and `fence.acq_rel.gpu`.
    pub fn fence(&mut self, mut inst: Inst<'_, 'a>) -> Decoded<()> {
        let kind = inst.syntax.modifiers.first();
        if matches!(kind, Some(&("proxy" | "mbarrier_init"))) {
            return self.proxy_fence(inst);
        }
        let fence = if inst.syntax.base == "membar" {
            Fence { scope: inst.require(&LEVELS)?, strength: FenceStrength::Sc }
        } else {
            // A fence without a kind is `.acq_rel`.
            let kinds = [("sc", FenceStrength::Sc), ("acq_rel", FenceStrength::AcqRel)];
            let strength = inst.choose(&kinds).unwrap_or(FenceStrength::AcqRel);
            Fence { scope: inst.require(&SCOPES)?, strength }
        };
        let [] = inst.operands()?;
        self.emit(Op::Fence(fence));
        Ok(())
    }
}
