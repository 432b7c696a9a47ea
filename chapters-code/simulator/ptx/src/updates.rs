//! Updates in several instructions: a store of what was computed from a load of the same address, as `x += 1` has it.
//!
//! The store's value is followed backwards along straight code, through operations in registers. A load that a branch
//! separates from its store is not found. In a kernel with locks or flags nothing counts as an update: an order by these
//! may be what is missing.

use std::collections::BTreeSet;

use crate::access::{Accesses, Register};
use crate::ir::{Address, AtomOp, Control, Instruction, Kernel, Load, Op, Order, Store};

impl Kernel {
    /// Whether both instructions are parts of one update: its load and its store, or twice its store. Two threads that
    /// execute them on one address lose an update, whatever barrier stands before or behind them.
    pub fn is_update(&self, one: u32, other: u32) -> bool {
        let loads = |store: u32, load: u32| self.updated_by(store) == Some(load);
        let is_one = match one == other {
            true => self.updated_by(one).is_some(),
            false => loads(one, other) || loads(other, one),
        };
        is_one && !self.code.iter().any(|instruction| hands_over(&instruction.op))
    }

    /// The load of the address that a store writes, whose value the stored one is computed from.
    fn updated_by(&self, store: u32) -> Option<u32> {
        let Op::St(Store { s, len: 1, addr, space, .. }) = self.code.get(store as usize)?.op else {
            return None;
        };
        let mut wanted = BTreeSet::from([Register::from(s[0])]);
        for pc in (0..store).rev() {
            let instruction = &self.code[pc as usize];
            if !matches!(instruction.control(), Control::Next) {
                return None;
            }
            let Accesses { writes, reads } = Accesses::of(instruction);
            if writes.iter().any(|register| wanted.contains(register)) {
                match &instruction.op {
                    Op::Ld(load) if load.space == space && reads_one(load, addr) => {
                        return Some(pc);
                    }
                    Op::Alu(_) => follow(&mut wanted, instruction, &writes, reads),
                    _ => writes.iter().for_each(|register| _ = wanted.remove(register)),
                }
            }
            if writes.contains(&addr.base.into()) {
                return None;
            }
        }
        None
    }
}

/// Whether an operation is of locks or flags, by which threads hand values to one another.
fn hands_over(op: &Op) -> bool {
    match op {
        Op::Fence(_) => true,
        Op::Ld(load) => load.order != Order::Weak,
        Op::St(store) => store.order != Order::Weak,
        Op::Atom(atom) => matches!(atom.op, AtomOp::Exch | AtomOp::Cas),
        _ => false,
    }
}

/// Whether a load is of one element at this address.
fn reads_one(load: &Load, Address { base, offset, .. }: Address) -> bool {
    load.len == 1 && (load.addr.base, load.addr.offset) == (base, offset)
}

/// Wants what an instruction reads in place of what it writes. With a guard it may leave what was there.
fn follow(
    wanted: &mut BTreeSet<Register>,
    instruction: &Instruction,
    writes: &[Register],
    reads: Vec<Register>,
) {
    if instruction.guard.is_none() {
        writes.iter().for_each(|register| _ = wanted.remove(register));
    }
    wanted.extend(reads);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether the first load and the only store of these lines are an update.
    fn is_update(lines: &str) -> bool {
        let text = format!(
            ".version 8.0\n.target sm_90\n.address_size 64\n\
             .visible .entry k(.param .u64 p)\n{{\n\
             .reg .pred %p<9>;\n.reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n\
             ld.param.u64 %rd1, [p];\nmov.u32 %r8, %tid.x;\nsetp.eq.u32 %p8, %r8, 3;\n\
             {lines}\nret;\n}}\n"
        );
        let module = crate::parse(&text).expect("it is PTX");
        let kernel = &module.kernels[0];
        let position = |is_it: fn(&Op) -> bool| {
            kernel.code.iter().position(|one| is_it(&one.op)).expect("it is there") as u32
        };
        let load = position(
            |op| matches!(op, Op::Ld(Load { space, .. }) if *space == crate::ir::Space::Global),
        );
        let store = position(|op| matches!(op, Op::St(_)));
        assert_eq!(kernel.is_update(load, store), kernel.is_update(store, load));
        assert_eq!(kernel.is_update(store, store), kernel.is_update(store, load));
        assert!(!kernel.is_update(load, load));
        kernel.is_update(load, store)
    }

    #[test]
    fn what_is_an_update() {
        for lines in [
            "ld.global.u32 %r1, [%rd1];\nadd.u32 %r2, %r1, 1;\nst.global.u32 [%rd1], %r2;",
            "ld.global.u32 %r1, [%rd1+8];\nld.global.u32 %r3, [%rd1+4];\nadd.u32 %r1, %r1, %r3;\n\
             st.global.u32 [%rd1+8], %r1;",
            "ld.global.u32 %r1, [%rd1];\n@%p8 add.u32 %r1, %r8, 1;\nst.global.u32 [%rd1], %r1;",
            "ld.global.u32 %r1, [%rd1];\nsetp.lt.u32 %p1, %r1, %r8;\nselp.b32 %r2, 1, 2, %p1;\n\
             st.global.u32 [%rd1], %r2;",
        ] {
            assert!(is_update(lines), "{lines}");
        }
    }

    #[test]
    fn what_is_not() {
        for lines in [
            "ld.global.u32 %r1, [%rd1];\nadd.u32 %r2, %r1, 1;\nst.global.u32 [%rd1+4], %r2;",
            "ld.global.u32 %r1, [%rd1+128];\nadd.u32 %r2, %r1, 1;\nst.global.u32 [%rd1], %r2;",
            "ld.global.u32 %r1, [%rd1];\nst.global.u32 [%rd1], %r8;",
            "ld.global.u32 %r1, [%rd1];\nmov.u32 %r1, 7;\nst.global.u32 [%rd1], %r1;",
            "ld.global.u32 %r1, [%rd1];\nadd.s64 %rd1, %rd1, 4;\nst.global.u32 [%rd1], %r1;",
            "ld.global.u32 %r1, [%rd1];\nadd.u32 %r2, %r1, 1;\nst.global.u32 [%rd1], %r2;\nmembar.gl;",
            "ld.global.u32 %r1, [%rd1];\n@%p8 bra L;\nadd.u32 %r1, %r1, 1;\nL: st.global.u32 [%rd1], %r1;",
        ] {
            assert!(!is_update(lines), "{lines}");
        }
    }
}
