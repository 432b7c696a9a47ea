//! Finds the accesses whose address is computed from one variable in shared memory.
//!
//! An address in shared memory is a number, so an index beyond the end of one array reaches the next. But
//! where a register holds the address of one variable plus a number, the program means that variable
//! alone. Registers are followed through copies, sums and selections, over the whole code at once. A value
//! from memory that is added to an address is taken for a number.
//!
//! **Can miss:** an address that may be of two variables (`pointer_to_either_array`); one that comes from
//! memory, from another lane, or from the caller of a function that is not inlined
//! (`pointer_from_another_lane`); what lies within one variable, such as the members of a structure
//! (`member_into_next`); arrays in local memory, for which PTX has one variable (`local_into_next`).

use std::collections::HashMap;

use crate::access::{Accesses, Register};
use crate::ir::{Address, Alu, Bin32, Bin64, BulkDirection, Instruction, Limits, Num, Op, Space};
use crate::ir::{Ter32, Ter64, Un32, Un64};

/// What a register holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// A number, which no address went into.
    Number,
    /// An address in one variable, or beside it.
    Variable(Limits),
    /// Anything else.
    Unknown,
}

use Origin::{Number, Unknown, Variable};

/// What registers hold. One that is not there has not been written so far.
pub(crate) type Origins = HashMap<Register, Origin>;

/// Sets the limits of all addresses in shared memory. `origins` has the registers that are filled before
/// execution.
pub(crate) fn mark(code: &mut [Instruction], mut origins: Origins) {
    if !origins.values().any(|origin| matches!(origin, Variable(_))) {
        return;
    }
    let accesses: Vec<Accesses> = code.iter().map(Accesses::of).collect();
    let mut has_changed = true;
    while std::mem::take(&mut has_changed) {
        for (instruction, accesses) in code.iter().zip(&accesses) {
            let Some(result) = result(&instruction.op, &accesses.reads, &origins) else {
                continue;
            };
            for register in &accesses.writes {
                let before = origins.get(register).copied();
                let after = before.map_or(result, |before| join(before, result));
                has_changed |= before != Some(after);
                origins.insert(*register, after);
            }
        }
    }
    for instruction in code {
        for address in shared_addresses(&mut instruction.op) {
            if let Some(Variable(limits)) = origins.get(&address.base.into()) {
                address.limits = *limits;
            }
        }
    }
}

/// Returns the addresses of an operation that may be in shared memory.
fn shared_addresses(op: &mut Op) -> Vec<&mut Address> {
    let is_shared = |space| matches!(space, Space::Shared | Space::Cluster | Space::Generic);
    match op {
        Op::Ld(load) if is_shared(load.space) => vec![&mut load.addr],
        Op::St(store) if is_shared(store.space) => vec![&mut store.addr],
        Op::Atom(atom) if is_shared(atom.space) => vec![&mut atom.addr],
        Op::CpAsync { dst, .. } => vec![dst],
        Op::Bulk(copy) => match copy.direction {
            BulkDirection::Load { .. } => vec![&mut copy.dst],
            BulkDirection::Store => vec![&mut copy.src],
        },
        _ => Vec::new(),
    }
}

/// Returns what an instruction's results hold, or `None` if an operand has not been written so far.
fn result(op: &Op, reads: &[Register], origins: &Origins) -> Option<Origin> {
    let of = |register: Register| origins.get(&register).copied();
    let alu = match op {
        Op::Ld(_) | Op::Atom(_) => return Some(Number),
        Op::Alu(alu) => alu,
        _ => return derived(reads, of),
    };
    Some(match *alu {
        Alu::Un32 { op: Un32::Mov, a, .. } => of(a.into())?,
        Alu::Un64 { op: Un64::Mov, a, .. }
        | Alu::ToGeneric { space: Space::Shared | Space::Cluster, a, .. }
        | Alu::FromGeneric { space: Space::Shared | Space::Cluster, a, .. } => of(a.into())?,
        Alu::Cvt { from, to, a, .. } if is_address(from) && is_address(to) => of(a.into())?,
        // A compiler writes `or` for a sum without carries.
        Alu::Bin32 { op: Bin32::Add | Bin32::Or | Bin32::And, a, b, .. } => {
            sum(of(a.into())?, of(b.into())?)
        }
        Alu::Bin64 { op: Bin64::Add | Bin64::Or | Bin64::And, a, b, .. } => {
            sum(of(a.into())?, of(b.into())?)
        }
        Alu::Bin32 { op: Bin32::Sub, a, b, .. } => difference(of(a.into())?, of(b.into())?),
        Alu::Bin64 { op: Bin64::Sub, a, b, .. } => difference(of(a.into())?, of(b.into())?),
        Alu::Ter32 { op: Ter32::MadLo, a, b, c, .. } => {
            sum(derived(&[a.into(), b.into()], of)?, of(c.into())?)
        }
        Alu::Ter64 { op: Ter64::MadLo, a, b, c, .. } => {
            sum(derived(&[a.into(), b.into()], of)?, of(c.into())?)
        }
        Alu::MadWide { a, b, c, .. } => sum(derived(&[a.into(), b.into()], of)?, of(c.into())?),
        Alu::Selp32 { a, b, .. } => join(of(a.into())?, of(b.into())?),
        Alu::Selp64 { a, b, .. } => join(of(a.into())?, of(b.into())?),
        _ => derived(reads, of)?,
    })
}

/// Whether a number of this type can hold an address in shared memory.
fn is_address(ty: Num) -> bool {
    matches!(ty, Num::U32 | Num::S32 | Num::U64 | Num::S64)
}

/// Returns what an operation gives that makes no address of addresses.
fn derived(operands: &[Register], of: impl Fn(Register) -> Option<Origin>) -> Option<Origin> {
    let numbers = operands.iter().filter(|r| !matches!(r, Register::Pred(_)));
    let origins: Option<Vec<Origin>> = numbers.map(|register| of(*register)).collect();
    Some(if origins?.iter().all(|origin| *origin == Number) { Number } else { Unknown })
}

/// Returns what holds one of these.
fn join(a: Origin, b: Origin) -> Origin {
    if a == b { a } else { Unknown }
}

fn sum(a: Origin, b: Origin) -> Origin {
    match (a, b) {
        (Number, other) | (other, Number) => other,
        _ => Unknown,
    }
}

fn difference(a: Origin, b: Origin) -> Origin {
    match (a, b) {
        (a, Number) => a,
        (Variable(a), Variable(b)) if a == b => Number,
        _ => Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIRST: Limits = Limits { first: 0, end: 128 };
    const SECOND: Limits = Limits { first: 128, end: 256 };
    const DYNAMIC: Limits = Limits { first: 256, end: u32::MAX };

    /// The limits of the last load that these lines end with.
    fn limits(lines: &str) -> Limits {
        let text = format!(
            ".version 8.0\n.target sm_90\n.address_size 64\n\
             .extern .shared .align 16 .b8 dynamic[];\n\
             .visible .entry k(.param .u64 p)\n{{\n\
             .reg .pred %p<9>;\n.reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n\
             .shared .align 4 .b8 first[128];\n.shared .align 4 .b8 second[128];\n\
             ld.param.u64 %rd1, [p];\nmov.u32 %r1, %tid.x;\nshl.b32 %r2, %r1, 2;\n\
             setp.eq.u32 %p1, %r1, 3;\nld.global.u32 %r3, [%rd1];\nmov.u32 %r4, first;\n\
             mov.u32 %r5, second;\nmov.u32 %r6, dynamic;\nst.shared.u32 [first], %r1;\n\
             st.shared.u32 [second], %r1;\n{lines}\nret;\n}}\n"
        );
        let module = crate::parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        let loads = |i: &Instruction| match &i.op {
            Op::Ld(load) => Some(load.addr.limits),
            _ => None,
        };
        module.kernels[0].code.iter().rev().find_map(loads).expect("there is a load")
    }

    #[test]
    fn one_variable_and_a_number() {
        for (lines, expected) in [
            ("ld.shared.u32 %r7, [first+200];", FIRST),
            ("ld.shared.u32 %r7, [second+4];", SECOND),
            ("ld.shared.u32 %r7, [%r6+4];", DYNAMIC),
            ("ld.shared.u32 %r7, [dynamic+4];", DYNAMIC),
            ("add.s32 %r8, %r4, %r2;\nld.shared.u32 %r7, [%r8+128];", FIRST),
            ("add.s32 %r8, %r3, %r5;\nld.shared.u32 %r7, [%r8];", SECOND),
            ("mad.lo.s32 %r8, %r1, 4, %r5;\nld.shared.u32 %r7, [%r8];", SECOND),
            (
                "selp.b32 %r8, %r2, %r3, %p1;\nadd.s32 %r8, %r8, 4;\nadd.s32 %r0, %r8, %r4;\nld.shared.u32 %r7, [%r0];",
                FIRST,
            ),
            ("L: add.s32 %r4, %r4, 4;\nld.shared.u32 %r7, [%r4];\n@%p1 bra L;", FIRST),
            (
                "cvt.u64.u32 %rd2, %r5;\ncvta.shared.u64 %rd3, %rd2;\nadd.s64 %rd4, %rd3, 8;\nld.u32 %r7, [%rd4];",
                SECOND,
            ),
        ] {
            assert_eq!(limits(lines), expected, "{lines}");
        }
    }

    #[test]
    fn anything_else() {
        for lines in [
            "ld.shared.u32 %r7, [%r2];",
            "sub.s32 %r7, %r4, %r2;\nsub.s32 %r7, %r7, %r4;\nadd.s32 %r8, %r7, %r5;\nld.shared.u32 %r7, [%r8];",
            "ld.shared.u32 %r7, [%r3];",
            "selp.b32 %r8, %r4, %r5, %p1;\nld.shared.u32 %r7, [%r8];",
            "@%p1 mov.u32 %r4, %r5;\nld.shared.u32 %r7, [%r4];",
            "sub.s32 %r8, %r5, %r4;\nadd.s32 %r8, %r8, %r4;\nld.shared.u32 %r7, [%r8];",
            "xor.b32 %r8, %r4, %r2;\nld.shared.u32 %r7, [%r8];",
            "shfl.sync.idx.b32 %r8, %r4, 0, 31, -1;\nld.shared.u32 %r7, [%r8];",
        ] {
            assert_eq!(limits(lines), Limits::NONE, "{lines}");
        }
    }
}
