//! `atom` and `red`: one lane after the other, each indivisible.
//!
//! Lanes of one warp with the same address take effect in the order of their numbers. A GPU
//! promises no order. Sums of `f32` by atomics therefore differ between machines and should not be
//! compared bit for bit.

use std::sync::PoisonError;

use half::{bf16, f16};
use ptx::ir::{Atom, AtomOp, AtomType, Order, Space, Src};

use super::Exec;
use super::memory::{Target, addresses, is_own, targets};
use super::rows::each_lane;
use super::transfer::{Elements, Shape, aligned, out_of_bounds, strength};
use super::view::{Bytes, Device, View};
use crate::access::{Access, AccessKind, AccessSpace};
use crate::banks::atomic::Form;
use crate::counters::lanes;
use crate::fault::{FaultKind, Step, Trap};
use crate::observe::Observer;
use crate::pattern::{Addresses, Pattern};
use crate::racy;
use crate::registers::LaneMask;

/// A read-modify-write of a memory cell. It maps the old bits, the operand and, for `cas`, the new
/// value to the new bits.
struct Update {
    op: AtomOp,
    ty: AtomType,
    /// Whether subnormal `f32` operands and results are flushed to zero.
    flush: bool,
}

impl<'a, O: Observer<'a>> Exec<'_, 'a, O> {
    #[inline(always)]
    pub(super) fn atomic_inline(&mut self, atom: &Atom, mask: LaneMask) -> Step {
        let addresses = addresses(&self.warp.registers, atom.addr);
        self.warp.note_poll(self.pc);
        let shape = Shape::new(AccessKind::Atomic, atom.ty.bytes());
        aligned(shape, &addresses, mask)?;
        if let Order::Release(scope) | Order::AcqRel(scope) = atom.order {
            self.fence(scope, mask);
        }
        match atom.space {
            Space::Shared => self.atomic_in(Target::Shared, atom, &addresses, mask),
            Space::Cluster => self.atomic_elsewhere(Target::Shared, atom, &addresses, mask),
            Space::Generic => {
                for (target, part) in targets(&addresses, mask) {
                    let own = addresses.map(|a| a.wrapping_sub(target.window()));
                    self.atomic_elsewhere(target, atom, &own, part)?;
                }
                Ok(())
            }
            _ => self.atomic_elsewhere(Target::Device, atom, &addresses, mask),
        }
    }

    #[inline(never)]
    fn atomic_elsewhere(
        &mut self,
        target: Target,
        atom: &Atom,
        addresses: &[u64; 32],
        mask: LaneMask,
    ) -> Step {
        match target {
            Target::Local => self.atomic_local(atom, addresses, mask),
            Target::Shared if !is_own(addresses) => self.atomic_cluster(atom, addresses, mask),
            Target::Shared | Target::Device => self.atomic_in(target, atom, addresses, mask),
        }
    }

    /// Executes an atomic on a thread's local memory, which PTX leaves undefined. An H100 executes
    /// an atomic of a single lane, which libcu++'s barriers of one thread need. It adds those of
    /// several lanes up in the memory of one of them.
    fn atomic_local(&mut self, atom: &Atom, addresses: &[u64; 32], mask: LaneMask) -> Step {
        if mask.count_ones() > 1 {
            let cause = "an atomic on local memory by several lanes of a warp at once, which PTX \
                         leaves undefined: a GPU mixes up their memories";
            let lane = Some(mask.trailing_zeros());
            let trap = Trap::new(FaultKind::IllegalAddress, lane, cause);
            return Err(trap.within(Some(simt_report::Space::Local)));
        }
        let mut operands = self.operands(atom, addresses, mask);
        let shape = Shape::new(AccessKind::Atomic, atom.ty.bytes());
        let at = Elements { shape, addresses: Addresses::Lanes(addresses), mask };
        self.each_local_lane(at, |view, _, _| operands.update_all(view, atom, false))?;
        self.finish_atomic(atom, &operands);
        Ok(())
    }

    /// Executes an atomic on the shared memory of this block.
    #[inline(never)]
    pub(super) fn atomic_shared(
        &mut self,
        atom: &Atom,
        addresses: &[u64; 32],
        mask: LaneMask,
    ) -> Step {
        self.atomic_in(Target::Shared, atom, addresses, mask)
    }

    /// Executes an atomic on the shared memory of another block of the cluster, of this rank.
    pub(super) fn atomic_peer(
        &mut self,
        rank: u32,
        atom: &Atom,
        addresses: &[u64; 32],
        mask: LaneMask,
    ) -> Step {
        let mut operands = self.operands(atom, addresses, mask);
        let shape = Shape::new(AccessKind::Atomic, atom.ty.bytes());
        let at = Elements::new(addresses, mask, shape);
        let strength = strength(atom.order);
        let access = Access { strength, ..self.as_access(AccessSpace::Shared, at) };
        self.observer.access_in_cluster(&access, rank);
        let mut view = self.peer(rank, mask)?;
        operands.update_all(&mut view, atom, false)?;
        self.peer_changed(rank);
        self.finish_atomic(atom, &operands);
        Ok(())
    }

    #[inline(always)]
    fn operands<'o>(&self, atom: &Atom, addresses: &'o [u64; 32], mask: LaneMask) -> Operands<'o> {
        Operands {
            addresses,
            mask,
            b: self.values(atom.b),
            c: atom.c.map_or([0; 32], |c| self.values(c)),
            has_changed: false,
        }
    }

    #[inline(always)]
    fn atomic_in(
        &mut self,
        target: Target,
        atom: &Atom,
        addresses: &[u64; 32],
        mask: LaneMask,
    ) -> Step {
        let space = match target {
            Target::Shared => AccessSpace::Shared,
            Target::Device | Target::Local => AccessSpace::Global,
        };
        if space == AccessSpace::Global {
            self.check_protected(AccessKind::Atomic, atom.ty.bytes(), || *addresses, mask)?;
        }
        let mut operands = self.operands(atom, addresses, mask);
        let order = (O::CHECKS && target == Target::Device).then_some(&self.grid.group.atomics);
        let _order = order.map(|m| m.lock().unwrap_or_else(PoisonError::into_inner));
        let access = Access {
            kind: AccessKind::Atomic,
            space,
            strength: strength(atom.order),
            read_only: false,
            bytes: atom.ty.bytes(),
            addresses: Addresses::Lanes(addresses),
            mask,
            pattern: Pattern::Scattered,
            form: Form::of(atom, &operands.b),
            warp: self.warp.index,
            pc: self.pc,
        };
        self.observer.access(&access);
        let flush = target == Target::Device;
        match target {
            Target::Shared => {
                let limits = atom.addr.limits;
                let mut view = Bytes::shared_within(self.shared, limits, self.grid.kernel);
                operands.update_all(&mut view, atom, flush)?;
            }
            Target::Device | Target::Local => {
                let mut view = Device { memory: &self.grid.memory, region: &mut self.warp.region };
                operands.update_all(&mut view, atom, flush)?;
            }
        }
        if O::CHECKS {
            self.observer.has_read(&access);
        }
        self.finish_atomic(atom, &operands);
        Ok(())
    }

    /// Writes the old values to the destination.
    #[inline(always)]
    fn finish_atomic(&mut self, atom: &Atom, operands: &Operands<'_>) {
        self.warp.has_changed |= operands.has_changed;
        let (old, mask) = (&operands.b, operands.mask);
        match atom.d {
            Some(Src::R32(d)) => self.write32(d, mask, &each_lane(|lane| old[lane] as u32)),
            Some(Src::R64(d)) => self.warp.registers.write64(d, mask, old),
            None => {}
        }
    }

    #[inline(always)]
    fn values(&self, s: Src) -> [u64; 32] {
        match s {
            Src::R32(r) => {
                let words = self.warp.registers.r32(r);
                each_lane(|lane| words[lane].into())
            }
            Src::R64(r) => *self.warp.registers.r64(r),
        }
    }
}

/// The operands of an atomic. `b` is replaced by the old values.
struct Operands<'a> {
    addresses: &'a [u64; 32],
    mask: LaneMask,
    b: [u64; 32],
    c: [u64; 32],
    /// Whether the value of a cell has changed.
    has_changed: bool,
}

impl Operands<'_> {
    /// Updates the cell of every active lane.
    #[inline(always)]
    fn update_all(&mut self, view: &mut (impl Cells + View), atom: &Atom, flush: bool) -> Step {
        let update = Update { op: atom.op, ty: atom.ty, flush };
        let done = match (atom.op, atom.ty) {
            // The most frequent operation is separate, so that nothing is decided per lane.
            (AtomOp::Add, AtomType::U32 | AtomType::S32) => {
                self.each(view, 4, |old, b, _| u64::from((old as u32).wrapping_add(b as u32)))
            }
            _ => self.each_of_any(view, &update),
        };
        done.map_err(|lane| {
            let address = self.addresses[lane as usize & 31];
            out_of_bounds(view, AccessKind::Atomic, atom.ty.bytes(), address, lane)
        })
    }

    #[inline(never)]
    fn each_of_any(&mut self, view: &mut impl Cells, update: &Update) -> Result<(), u32> {
        self.each(view, update.ty.bytes(), |old, b, c| update.apply(old, b, c))
    }

    /// On an unmapped address, returns the lane.
    #[inline(always)]
    fn each(
        &mut self,
        view: &mut impl Cells,
        bytes: u32,
        change: impl Fn(u64, u64, u64) -> u64,
    ) -> Result<(), u32> {
        for lane in lanes(self.mask) {
            let i = lane as usize & 31;
            let (b, c) = (self.b[i], self.c[i]);
            let updated = view.update(self.addresses[i], bytes, |old| change(old, b, c));
            let (old, new) = updated.ok_or(lane)?;
            self.has_changed |= new != old;
            self.b[i] = old;
        }
        Ok(())
    }
}

/// Memory in which a cell can be read and rewritten indivisibly.
trait Cells {
    /// Replaces the `bytes` bytes at `address` by the result of `change`. Returns the old and the
    /// new bits.
    fn update(
        &mut self,
        address: u64,
        bytes: u32,
        change: impl Fn(u64) -> u64,
    ) -> Option<(u64, u64)>;
}

/// Updates a cell of one width at the start of a slice.
macro_rules! update_cell {
    ($cell:expr, $int:ident, $change:expr) => {{
        let cell = $cell.first_chunk_mut()?;
        let old = $int::from_le_bytes(*cell);
        let new = $change(u64::from(old)) as $int;
        *cell = new.to_le_bytes();
        (u64::from(old), u64::from(new))
    }};
}

impl Cells for Bytes<'_> {
    // One host thread executes the whole block, so the update is indivisible.
    #[inline(always)]
    fn update(
        &mut self,
        address: u64,
        bytes: u32,
        change: impl Fn(u64) -> u64,
    ) -> Option<(u64, u64)> {
        let cell = self.at(address)?;
        Some(match bytes {
            2 => update_cell!(cell, u16, change),
            4 => update_cell!(cell, u32, change),
            _ => update_cell!(cell, u64, change),
        })
    }
}

impl Cells for Device<'_> {
    #[inline(always)]
    fn update(
        &mut self,
        address: u64,
        bytes: u32,
        change: impl Fn(u64) -> u64,
    ) -> Option<(u64, u64)> {
        let pointer = self.find(address, u64::from(bytes))?.host(address, u64::from(bytes));
        // SAFETY: the cell is mapped and aligned, as the callers have checked, and the launch's
        // snapshot keeps it alive.
        Some(unsafe { racy::update(pointer, bytes, change) })
    }
}

impl Update {
    fn apply(&self, old: u64, b: u64, c: u64) -> u64 {
        match self.op {
            AtomOp::Exch => b,
            AtomOp::Cas => {
                if old == b {
                    c
                } else {
                    old
                }
            }
            AtomOp::And => old & b,
            AtomOp::Or => old | b,
            AtomOp::Xor => old ^ b,
            // Both are defined only for u32.
            AtomOp::Inc => u64::from(if old >= b { 0 } else { old as u32 + 1 }),
            AtomOp::Dec => {
                if old == 0 || old > b {
                    b
                } else {
                    old - 1
                }
            }
            AtomOp::Add | AtomOp::Min | AtomOp::Max => self.arithmetic(old, b),
        }
    }

    fn arithmetic(&self, old: u64, b: u64) -> u64 {
        match self.ty {
            AtomType::B16 => old,
            AtomType::U32 => u64::from(self.pick(old as u32, b as u32, u32::wrapping_add)),
            AtomType::S32 => self.pick(old as i32, b as i32, i32::wrapping_add) as u32 as u64,
            AtomType::U64 => self.pick(old, b, u64::wrapping_add),
            AtomType::S64 => self.pick(old as i64, b as i64, i64::wrapping_add) as u64,
            AtomType::F32 => u64::from(self.add_f32(old as u32, b as u32)),
            AtomType::F64 => self.add_f64(old, b),
            AtomType::F16 => u64::from(add_f16(old as u16, b as u16)),
            AtomType::Bf16 => u64::from(add_bf16(old as u16, b as u16)),
            AtomType::F16x2 => halves(old, b, add_f16),
            AtomType::Bf16x2 => halves(old, b, add_bf16),
        }
    }

    fn pick<T: Ord>(&self, old: T, b: T, add: impl Fn(T, T) -> T) -> T {
        match self.op {
            AtomOp::Min => old.min(b),
            AtomOp::Max => old.max(b),
            _ => add(old, b),
        }
    }

    /// Computes `atom.add.f64` for NaNs. In shared memory it is a loop around `add.f64`: the NaN is
    /// quieted, and memory's comes before the operand's. In global memory the NaN is unchanged and
    /// the operand's comes first.
    fn add_f64(&self, old: u64, b: u64) -> u64 {
        const QUIET: u64 = 1 << 51;
        match (is_nan64(old), is_nan64(b)) {
            (false, false) => {
                let sum = f64::from_bits(old) + f64::from_bits(b);
                if sum.is_nan() { 0xfff8 << 48 } else { sum.to_bits() }
            }
            (true, _) if !self.flush => old | QUIET,
            (false, true) if !self.flush => b | QUIET,
            (_, true) => b,
            (true, false) => old,
        }
    }

    /// Computes `atom.add.f32`, which flushes subnormals in global memory and preserves them in
    /// shared memory.
    fn add_f32(&self, old: u32, b: u32) -> u32 {
        let flush = |x: f32| {
            if self.flush && x.is_subnormal() { 0.0f32.copysign(x) } else { x }
        };
        let sum = flush(flush(f32::from_bits(old)) + flush(f32::from_bits(b)));
        if sum.is_nan() { 0x7fff_ffff } else { sum.to_bits() }
    }
}

/// Whether `f64` bits are a NaN.
fn is_nan64(bits: u64) -> bool {
    f64::from_bits(bits).is_nan()
}

fn add_f16(a: u16, b: u16) -> u16 {
    let sum = f16::from_f32(f16::from_bits(a).to_f32() + f16::from_bits(b).to_f32());
    if sum.is_nan() { 0x7fff } else { sum.to_bits() }
}

fn add_bf16(a: u16, b: u16) -> u16 {
    let sum = bf16::from_f32(bf16::from_bits(a).to_f32() + bf16::from_bits(b).to_f32());
    if sum.is_nan() { 0x7fff } else { sum.to_bits() }
}

fn halves(old: u64, b: u64, add: impl Fn(u16, u16) -> u16) -> u64 {
    let low = add(old as u16, b as u16);
    let high = add((old >> 16) as u16, (b >> 16) as u16);
    u64::from(high) << 16 | u64::from(low)
}
