//! Uses of undefined values.
//!
//! **Detects** uses of a value that a shuffle read from a lane which does not participate. The value
//! is followed through registers, bit by bit and lane by lane: see [`super::shade`]. It is used where it
//! is stored, is part of an address, decides a branch or a guard, or is an operand of an atomic or a
//! barrier. A value that is thrown away is no fault: by a selection, by a branch on something else, by a
//! mask of bits, or because it is overwritten.
//!
//! Only a warp whose registers hold undefined bits is followed, instruction by instruction.
//!
//! **Can miss:** a shuffle from the wrong lanes whose value is not used (`butterfly_across_warps`).
//! **May report wrongly:** a value that is stored and then not read; a value that a comparison or
//! arithmetic makes irrelevant, as the larger of it and infinity.

use ptx::ir::{Collective, CollectiveOp, Kernel, MemType, Op, Register, Vote};
use rustc_hash::FxHashMap;

use super::Finding;
use super::shade::{ALL_BITS, Row, Shade, Shades, Source, of_alu};
use crate::counters::lanes;
use crate::registers::{LaneMask, Lanes32, Registers};

/// What uses an undefined value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Use {
    /// It is stored.
    Store,
    /// It is part of an address.
    Address,
    /// It is an operand of an atomic.
    Atomic,
    /// It decides a branch, or whether an instruction is executed.
    Decision,
    /// Anything else.
    Other,
}

/// The detector for one block at a time.
pub(super) struct Undefined<'a> {
    kernel: &'a Kernel,
    warps: Vec<Shades>,
    /// The registers that an instruction reads, besides its guard, and those that it writes.
    registers: FxHashMap<u32, [Vec<Register>; 2]>,
}

impl<'a> Undefined<'a> {
    pub fn new(kernel: &'a Kernel) -> Self {
        Self { kernel, warps: Vec::new(), registers: FxHashMap::default() }
    }

    pub fn start_block(&mut self, warps: u32) {
        self.warps.clear();
        self.warps.resize_with(warps as usize, Shades::default);
    }

    /// Whether registers of a warp have undefined bits.
    #[inline(always)]
    pub fn is_in(&self, warp: u32) -> bool {
        !self.warps[warp as usize].is_empty()
    }

    /// Notes that lanes have exchanged values. `sources` has the lane that each reads in a shuffle.
    pub fn exchanged(
        &mut self,
        (warp, pc): (u32, u32),
        op: &CollectiveOp,
        active: LaneMask,
        sources: Option<&Lanes32>,
    ) {
        let shades = &mut self.warps[warp as usize];
        let before = shades.clone();
        let of_all = |register: Register| {
            let all = lanes(active).map(|lane| before.get(register, lane));
            all.fold(Shade::default(), Shade::or)
        };
        match *op {
            CollectiveOp::Shfl(shuffle) => {
                let place = |lane| {
                    let [by, clamp] = [shuffle.b, shuffle.c].map(|r| before.get(r.into(), lane));
                    by.or(clamp)
                };
                shades.set(shuffle.d.into(), active, |lane| {
                    let source = sources.map_or(lane, |row| row[lane as usize & 31]);
                    let read = match active >> source & 1 {
                        0 => Shade::absent(Source::new(pc, lane, source)),
                        _ => before.get(shuffle.a.into(), source),
                    };
                    read.or(place(lane).all(ALL_BITS))
                });
                if let Some(p) = shuffle.pred {
                    shades.set(p.into(), active, |lane| place(lane).all(1));
                }
            }
            CollectiveOp::Vote(Vote::Ballot { d, a, .. }) => {
                let bit = |lane| before.get(a.into(), lane).all(1 << lane);
                let ballot = lanes(active).map(bit).fold(Shade::default(), Shade::or);
                shades.set(d.into(), active, |_| ballot);
            }
            _ => {
                let (read, written) = exchanged_registers(op);
                let shade = read.map_or_else(Shade::default, of_all).all(ALL_BITS);
                for register in written {
                    shades.set(register, active, |_| shade);
                }
            }
        }
    }

    /// Notes that the lanes `active` of `mask` are about to execute an instruction, whose guard is false in
    /// the others. Returns a use of an undefined value.
    pub fn step(
        &mut self,
        (warp, pc): (u32, u32),
        (mask, active): (LaneMask, LaneMask),
        registers: &Registers,
    ) -> Option<Finding> {
        let instruction = &self.kernel.code[pc as usize];
        let [reads, writes] = self
            .registers
            .entry(pc)
            .or_insert_with(|| [instruction.operands(), instruction.writes()]);
        let shades = &mut self.warps[warp as usize];
        let guard = instruction.guard.map(|guard| Register::from(guard.pred));
        if !shades.has_any(reads) && !shades.has_any(writes) && !shades.has_any(guard.as_slice()) {
            return None;
        }
        let decided = |shades: &Shades, lane| {
            guard.map_or_else(Shade::default, |guard| shades.get(guard, lane)).all(ALL_BITS)
        };
        if let Op::Alu(alu) = &instruction.op {
            let mut rows = Vec::with_capacity(writes.len());
            for &register in writes.iter() {
                let mut row = Row::default();
                for lane in lanes(mask) {
                    let computed = match active >> lane & 1 {
                        0 => shades.get(register, lane),
                        _ => of_alu(alu, register, reads, (shades, registers, lane)),
                    };
                    row[lane as usize & 31] = computed.or(decided(shades, lane));
                }
                rows.push(row);
            }
            for (register, row) in writes.iter().zip(rows) {
                shades.set(*register, mask, |lane| row[lane as usize & 31]);
            }
            return None;
        }
        let by_guard = lanes(mask).map(|lane| (lane, decided(shades, lane), Use::Decision));
        let uses = uses(&instruction.op, reads);
        let by_operand = uses.iter().flat_map(|&(register, bits, how)| {
            let shades = &*shades;
            lanes(active).map(move |lane| (lane, shades.get(register, lane).within(bits), how))
        });
        let used = by_guard.chain(by_operand).find(|(_, shade, _)| shade.is_some());
        if !matches!(instruction.op, Op::Warp(_)) {
            for register in writes {
                shades.set(*register, active, |_| Shade::default());
            }
        }
        used.map(|(lane, shade, how)| Finding::Undefined {
            warp,
            source: shade.source,
            pc,
            lane,
            how,
        })
    }
}

/// Returns the register that an exchange between lanes reads, and those that it writes.
fn exchanged_registers(op: &CollectiveOp) -> (Option<Register>, Vec<Register>) {
    match *op {
        CollectiveOp::Vote(
            Vote::All { d, a, .. } | Vote::Any { d, a, .. } | Vote::Uni { d, a, .. },
        ) => (Some(a.into()), vec![d.into()]),
        CollectiveOp::MatchAny { d, a } => (Some(a.into()), vec![d.into()]),
        CollectiveOp::MatchAll { d, pred, a } => (
            Some(a.into()),
            [Some(d.into()), pred.map(Register::from)].into_iter().flatten().collect(),
        ),
        CollectiveOp::Redux { d, a, .. } => (Some(a.into()), vec![d.into()]),
        CollectiveOp::Elect { d, pred } => {
            (None, [d.map(Register::from), Some(pred.into())].into_iter().flatten().collect())
        }
        CollectiveOp::Sync | CollectiveOp::Shfl(_) | CollectiveOp::Vote(Vote::Ballot { .. }) => {
            (None, Vec::new())
        }
    }
}

/// Returns the registers that an operation uses, with the bits that it uses and what for.
fn uses(op: &Op, reads: &[Register]) -> Vec<(Register, u64, Use)> {
    match op {
        Op::Ld(load) => vec![(load.addr.base.into(), ALL_BITS, Use::Address)],
        Op::St(store) => {
            let stored = &store.s[..usize::from(store.len)];
            let bits = match store.ty {
                MemType::U8 | MemType::S8 => 0xff,
                MemType::U16 | MemType::S16 => 0xffff,
                MemType::B32 | MemType::S32 => u32::MAX.into(),
                MemType::B64 => ALL_BITS,
            };
            let stored = stored.iter().map(|&s| (s.into(), bits, Use::Store));
            stored.chain([(store.addr.base.into(), ALL_BITS, Use::Address)]).collect()
        }
        Op::Atom(atom) => {
            let operands = [Some(atom.b), atom.c].into_iter().flatten();
            let operands = operands.map(|s| (s.into(), ALL_BITS, Use::Atomic));
            operands.chain([(atom.addr.base.into(), ALL_BITS, Use::Address)]).collect()
        }
        // What the lanes exchange is followed further.
        Op::Warp(Collective { mask, .. }) => vec![((*mask).into(), ALL_BITS, Use::Other)],
        Op::Bra(_) | Op::BrxIdx { .. } => all(reads, Use::Decision),
        _ => all(reads, Use::Other),
    }
}

fn all(reads: &[Register], how: Use) -> Vec<(Register, u64, Use)> {
    reads.iter().map(|&register| (register, ALL_BITS, how)).collect()
}
