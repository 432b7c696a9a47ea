//! Finds the atomics that count: `atomicAdd(&x, 1)` on shared memory with an unused old value.
//!
//! For compute capability 8.0 and later, an assembler turns them into the instruction
//! `ATOMS.POPC.INC`. It adds the lanes of one address together and so takes fewer passes over the
//! banks. Tests of ptxas 13.5 show that it does so for `add` of the constant 1 and for `inc` up to
//! the largest number, but not for `add` of -1, of another constant or of a register, nor for
//! `dec`.

use std::collections::{HashMap, HashSet};

use crate::access::{Accesses, Register};
use crate::ir::{Alu, Atom, AtomOp, AtomType, Const, Instruction, Op, R32, Space, Un32};

/// Sets [`Atom::counts`] if it is true.
pub(crate) fn mark(code: &mut [Instruction], constants: &[(R32, Const)]) {
    let candidates: Vec<usize> = (0..code.len())
        .filter(|&at| matches!(&code[at].op, Op::Atom(atom) if counted_by(atom).is_some()))
        .collect();
    if candidates.is_empty() {
        return;
    }
    let accesses: Vec<Accesses> = code.iter().map(Accesses::of).collect();
    let read: HashSet<Register> = accesses.iter().flat_map(|a| a.reads.clone()).collect();
    let values = values(code, &accesses, constants);
    for at in candidates {
        if let Op::Atom(atom) = &mut code[at].op {
            let unread = atom.d.is_none_or(|d| !read.contains(&d.into()));
            atom.counts = unread && values.get(&atom.b.into()).copied() == counted_by(atom);
        }
    }
}

/// Returns the operand with which an atomic would add 1, if there is one.
fn counted_by(atom: &Atom) -> Option<u32> {
    match (atom.space, atom.op, atom.ty) {
        (Space::Shared, AtomOp::Add, AtomType::U32 | AtomType::S32) => Some(1),
        (Space::Shared, AtomOp::Inc, AtomType::U32) => Some(u32::MAX),
        _ => None,
    }
}

/// Returns the registers with known values: constants, and copies of them that no other instruction
/// overwrites.
fn values(
    code: &[Instruction],
    accesses: &[Accesses],
    constants: &[(R32, Const)],
) -> HashMap<Register, u32> {
    let bits = |&(register, value): &(R32, Const)| match value {
        Const::Bits(bits) => Some((register.into(), bits as u32)),
        _ => None,
    };
    let mut known: HashMap<Register, u32> = constants.iter().filter_map(bits).collect();
    let mut writes: HashMap<Register, u32> = HashMap::new();
    for register in accesses.iter().flat_map(|a| &a.writes) {
        *writes.entry(*register).or_default() += 1;
    }
    for instruction in code {
        if let Op::Alu(Alu::Un32 { op: Un32::Mov, d, a }) = instruction.op
            && writes[&d.into()] == 1
            && let Some(&value) = known.get(&a.into())
        {
            known.insert(d.into(), value);
        }
    }
    known
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, use_of_old: &str, counts: bool) {
        let text = format!(
            ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 p)\n{{\n\
             .reg .b32 %r<9>;\n.reg .b64 %rd<3>;\n.shared .align 4 .b8 s[64];\n\
             mov.u32 %r1, s;\nmov.u32 %r3, %tid.x;\n{line}\n{use_of_old}\nret;\n}}\n"
        );
        let module = crate::parse(&text).unwrap();
        let found = module.kernels[0].code.iter().find_map(|i| match &i.op {
            Op::Atom(atom) => Some(atom.counts),
            _ => None,
        });
        assert_eq!(found, Some(counts), "{line} {use_of_old}");
    }

    #[test]
    fn adding_one_counts_if_nothing_reads_the_old_value() {
        check("atom.shared.add.u32 %r2, [%r1], 1;", "", true);
        check("red.shared.add.u32 [%r1], 1;", "", true);
        check("atom.shared.add.s32 %r2, [%r1], 1;", "", true);
        check("atom.shared.inc.u32 %r2, [%r1], -1;", "", true);
        check("mov.u32 %r4, 1; red.shared.add.u32 [%r1], %r4;", "", true);
        check("atom.shared.add.u32 %r2, [%r1], 1;", "st.shared.u32 [%r1], %r2;", false);
    }

    #[test]
    fn the_rest_does_not() {
        for line in [
            "atom.shared.add.u32 %r2, [%r1], 2;",
            "atom.shared.add.u32 %r2, [%r1], -1;",
            "atom.shared.add.u32 %r2, [%r1], %r3;",
            "mov.u32 %r3, 1; red.shared.add.u32 [%r1], %r3;",
            "atom.shared.inc.u32 %r2, [%r1], 1;",
            "atom.shared.or.b32 %r2, [%r1], 1;",
            "atom.shared.dec.u32 %r2, [%r1], -1;",
        ] {
            check(line, "", false);
        }
    }
}
