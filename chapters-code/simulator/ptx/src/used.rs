//! Whether the value that an instruction writes to a register is used.
//!
//! The register is followed along all paths of control to if it is overwritten. Copies of it are
//! followed too. Two cases are not uses, because the value may be masked there:
//!
//! - a selection by `selp` between it and another value;
//! - a comparison whose result `and` or `or` combines with another predicate.
//!
//! All other cases are uses: arithmetic, addresses, stores, branches, guards, and exchanges between
//! lanes.

use std::collections::HashSet;

use crate::access::{Accesses, Register};
use crate::ir::{Alu, Combine, Instruction, Kernel, Op, Pred, PredOp, Src, Un32, Un64};

/// What an instruction does with a value that it reads.
enum Fate {
    /// The value is used.
    Used,
    /// These registers now hold the value, or the result of comparing it.
    Copied(Vec<Register>),
}

impl Kernel {
    /// Whether the value that the instruction at `pc` writes to `register` may be used.
    pub fn uses_result(&self, pc: u32, register: Src) -> bool {
        let mut seen = HashSet::new();
        let mut open = Vec::new();
        successors(&self.code, pc, register.into(), &mut open);
        while let Some((pc, register)) = open.pop() {
            let Some(instruction) = self.code.get(pc as usize) else {
                continue;
            };
            if !seen.insert((pc, register)) {
                continue;
            }
            let accesses = Accesses::of(instruction);
            if accesses.reads.contains(&register) {
                match fate(instruction, register) {
                    Fate::Used => return true,
                    Fate::Copied(to) => {
                        let code = &self.code;
                        to.into_iter().for_each(|copy| successors(code, pc, copy, &mut open));
                    }
                }
            }
            if instruction.guard.is_some() || !accesses.writes.contains(&register) {
                successors(&self.code, pc, register, &mut open);
            }
        }
        false
    }
}

/// Appends the instructions that may follow this one, each with a register.
fn successors(code: &[Instruction], pc: u32, register: Register, to: &mut Vec<(u32, Register)>) {
    let instruction = &code[pc as usize];
    to.extend(instruction.targets().iter().map(|&target| (target, register)));
    if instruction.falls_through() {
        to.push((pc + 1, register));
    }
}

fn fate(instruction: &Instruction, register: Register) -> Fate {
    let is = |p: Pred| register == p.into();
    if instruction.guard.is_some_and(|guard| is(guard.pred)) {
        return Fate::Used;
    }
    let Op::Alu(alu) = &instruction.op else {
        return Fate::Used;
    };
    match *alu {
        Alu::Un32 { op: Un32::Mov, d, .. } => Fate::Copied(vec![d.into()]),
        Alu::Un64 { op: Un64::Mov, d, .. } | Alu::Pack64 { d, .. } => Fate::Copied(vec![d.into()]),
        Alu::Unpack64 { lo, hi, .. } => {
            Fate::Copied([lo, hi].into_iter().flatten().map(Register::from).collect())
        }
        Alu::Selp32 { p, .. } | Alu::Selp64 { p, .. } if !is(p) => Fate::Copied(Vec::new()),
        Alu::Setp32 { d, q, with, .. } | Alu::Setp64 { d, q, with, .. } => match with {
            Some(Combine { op, .. }) if masks(op) => Fate::Copied(Vec::new()),
            Some(_) => Fate::Used,
            None => Fate::Copied([Some(d), q].into_iter().flatten().map(Register::from).collect()),
        },
        Alu::PredOp { op, d, .. } => match op {
            PredOp::Mov | PredOp::Not => Fate::Copied(vec![d.into()]),
            op if masks(op) => Fate::Copied(Vec::new()),
            _ => Fate::Used,
        },
        _ => Fate::Used,
    }
}

/// Whether one operand can make the other irrelevant.
fn masks(op: PredOp) -> bool {
    matches!(op, PredOp::And | PredOp::Or)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether the value of the only load is used by these lines.
    fn is_used(lines: &str) -> bool {
        let text = format!(
            ".version 8.0\n.target sm_90\n.address_size 64\n\
             .visible .entry k(.param .u64 p)\n{{\n\
             .reg .pred %p<9>;\n.reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n\
             ld.param.u64 %rd1, [p];\nmov.u32 %r8, %tid.x;\nsetp.eq.u32 %p8, %r8, 3;\n\
             ld.global.u32 %r1, [%rd1];\n{lines}\nret;\n}}\n"
        );
        let module = crate::parse(&text).expect("it is PTX");
        let kernel = &module.kernels[0];
        let loads = |i: &Instruction| match &i.op {
            Op::Ld(load) if load.space == crate::ir::Space::Global => load.d[0],
            _ => None,
        };
        let at = kernel.code.iter().position(|i| loads(i).is_some());
        let pc = at.expect("there is a load");
        kernel.uses_result(pc as u32, loads(&kernel.code[pc]).expect("it loads"))
    }

    #[test]
    fn what_uses_a_value() {
        for lines in [
            "st.global.u32 [%rd1], %r1;",
            "add.u32 %r2, %r1, 1;",
            "mov.u32 %r2, %r1;\nst.global.u32 [%rd1], %r2;",
            "setp.eq.u32 %p1, %r1, 0;\n@%p1 st.global.u32 [%rd1], %r8;",
            "setp.eq.u32 %p1, %r1, 0;\nselp.b32 %r2, 1, 2, %p1;",
            "@%p8 mov.u32 %r1, 7;\nst.global.u32 [%rd1], %r1;",
            "L: setp.eq.u32 %p1, %r8, 0;\n@%p1 bra M;\nst.global.u32 [%rd1], %r1;\nM:",
        ] {
            assert!(is_used(lines), "{lines}");
        }
    }

    #[test]
    fn what_does_not() {
        for lines in [
            "",
            "mov.u32 %r1, 7;\nst.global.u32 [%rd1], %r1;",
            "mov.u32 %r2, %r1;",
            "selp.b32 %r2, %r1, %r8, %p8;\nst.global.u32 [%rd1], %r2;",
            "setp.eq.u32 %p1, %r1, 0;\nand.pred %p2, %p1, %p8;\n@%p2 st.global.u32 [%rd1], %r8;",
            "setp.eq.or.u32 %p1, %r1, 0, %p8;\n@%p1 st.global.u32 [%rd1], %r8;",
        ] {
            assert!(!is_used(lines), "{lines}");
        }
    }
}
