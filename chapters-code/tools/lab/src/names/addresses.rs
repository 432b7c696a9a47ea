//! Which instructions only find addresses, and which compute in registers alone.

use std::collections::BTreeSet;

use super::dtypes::is_float;
use super::ptx::{Code, Instruction};

/// Whether an instruction computes in registers alone.
pub fn is_arithmetic(one: &Instruction<'_>) -> bool {
    matches!(
        one.root(),
        "mov"
            | "cvt"
            | "cvta"
            | "add"
            | "sub"
            | "mul"
            | "mad"
            | "fma"
            | "div"
            | "rem"
            | "neg"
            | "not"
            | "and"
            | "or"
            | "xor"
            | "shl"
            | "shr"
            | "min"
            | "max"
            | "setp"
            | "selp"
            | "popc"
            | "clz"
            | "lop3"
            | "prmt"
            | "bfe"
            | "bfi"
            | "shf"
            | "abs"
            | "brev"
            | "mul24"
            | "sad"
            | "set"
    ) || one.opcode.starts_with("ld.param")
}

/// The instructions whose results only serve to find addresses, by their lines in the PTX.
pub fn of_addresses(code: &Code<'_>) -> BTreeSet<u32> {
    let mut needed: BTreeSet<&str> = BTreeSet::new();
    let is_needed = |one: &Instruction<'_>, needed: &BTreeSet<&str>| {
        !is_integer(one) || one.written.iter().any(|name| needed.contains(name))
    };
    let mut before = usize::MAX;
    while needed.len() != before {
        before = needed.len();
        for one in
            code.instructions.iter().rev().filter(|one| is_needed(one, &needed)).collect::<Vec<_>>()
        {
            let values = one.operands.iter().filter(|operand| !operand.starts_with('['));
            needed.extend(values.flat_map(|operand| registers_in(operand)));
        }
    }
    let others = code.instructions.iter().filter(|one| !is_needed(one, &needed));
    others.map(|one| one.ptx_line).collect()
}

fn registers_in(operand: &str) -> impl Iterator<Item = &str> {
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || "%_$".contains(letter);
    operand.split(move |letter| !is_part(letter)).filter(|word| word.starts_with('%'))
}

/// Whether an instruction computes integers in registers, so that its result may be only an address.
fn is_integer(one: &Instruction<'_>) -> bool {
    let mut parts = one.opcode.split('.');
    is_arithmetic(one)
        && one.root() != "setp"
        && !parts.any(|part| part == "pred" || is_float(part))
}
