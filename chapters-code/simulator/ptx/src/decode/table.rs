//! Instructions without options, as data: opcode, types, and decoded form.

use crate::ir::{Bin32, Bin64, Count64, PrmtMode, Shift, Sign, Ter32, Ter64, Un32, Un64};
use crate::syntax::Type;
use std::collections::HashMap;
use std::sync::LazyLock;

/// The form of an operation: its operands and their register files.
#[derive(Clone, Copy)]
pub(super) enum Form {
    Un32(Un32),
    Bin32(Bin32),
    Ter32(Ter32),
    Un64(Un64),
    Bin64(Bin64),
    Ter64(Ter64),
    /// The amount is 32 bits wide for every type.
    Shift32(Bin32),
    Shift64(Shift),
    MulWide(Sign),
    MadWide(Sign),
    /// Multiplies 16 × 16 bits and adds 32 bits.
    MadWide16(Ter32),
    Count64(Count64),
    Bfe64(Sign),
    Bfi32,
    Bfi64,
    /// One operation on `a` and `b`, and another on its result and `c`.
    Then(Bin32, Bin32),
    /// An operation followed by the maximum of its result and zero.
    Relu(Bin32),
    /// The larger operand minus the smaller one, plus `c`.
    Sad16(Bin32, Bin32),
    /// An operation that uses the five lowest bits of its second operand.
    Wrap(Bin32),
}

/// Returns the form of an opcode, and the type of its constants.
pub(super) fn lookup(opcode: &str) -> Option<(Form, Type)> {
    static FORMS: LazyLock<HashMap<(&str, &str), Form>> = LazyLock::new(|| {
        let spread = |&(head, tails, form): &(&'static str, &'static str, Form)| {
            tails.split(' ').map(move |tail| ((head, tail), form))
        };
        TABLE.iter().flat_map(spread).collect()
    });
    let (head, tail) = opcode.rsplit_once('.')?;
    let &form = FORMS.get(&(head, tail))?;
    Some((form, Type::named(tail).unwrap_or(Type::B32)))
}

/// Iterates over the full opcodes of the table.
pub(super) fn opcodes() -> impl Iterator<Item = String> {
    TABLE
        .iter()
        .flat_map(|(head, tails, _)| tails.split(' ').map(move |tail| format!("{head}.{tail}")))
}

use Form as F;
use Sign::{Signed, Unsigned};

/// Opcode up to its last dot, the types that may follow, and the form.
const TABLE: &[(&str, &str, Form)] = &[
    // 32-bit integers.
    ("add", "u32 s32", F::Bin32(Bin32::Add)),
    ("sub", "u32 s32", F::Bin32(Bin32::Sub)),
    ("add.sat", "s32", F::Bin32(Bin32::AddSatS)),
    ("sub.sat", "s32", F::Bin32(Bin32::SubSatS)),
    ("mul.lo", "u32 s32", F::Bin32(Bin32::MulLo)),
    ("mul.hi", "u32", F::Bin32(Bin32::MulHiU)),
    ("mul.hi", "s32", F::Bin32(Bin32::MulHiS)),
    ("mul24.lo", "u32", F::Bin32(Bin32::Mul24LoU)),
    ("mul24.lo", "s32", F::Bin32(Bin32::Mul24LoS)),
    ("mul24.hi", "u32", F::Bin32(Bin32::Mul24HiU)),
    ("mul24.hi", "s32", F::Bin32(Bin32::Mul24HiS)),
    ("mad.lo", "u32 s32", F::Ter32(Ter32::MadLo)),
    ("mad.hi", "u32", F::Ter32(Ter32::MadHiU)),
    ("mad.hi", "s32", F::Ter32(Ter32::MadHiS)),
    ("mad24.lo", "u32", F::Ter32(Ter32::Mad24LoU)),
    ("mad24.lo", "s32", F::Ter32(Ter32::Mad24LoS)),
    ("mad24.hi", "u32", F::Then(Bin32::Mul24HiU, Bin32::Add)),
    ("mad24.hi", "s32", F::Then(Bin32::Mul24HiS, Bin32::Add)),
    ("mad24.hi.sat", "s32", F::Then(Bin32::Mul24HiS, Bin32::AddSatS)),
    ("sad", "u32", F::Ter32(Ter32::SadU)),
    ("sad", "s32", F::Ter32(Ter32::SadS)),
    ("div", "u32", F::Bin32(Bin32::DivU)),
    ("div", "s32", F::Bin32(Bin32::DivS)),
    ("rem", "u32", F::Bin32(Bin32::RemU)),
    ("rem", "s32", F::Bin32(Bin32::RemS)),
    ("min", "u32", F::Bin32(Bin32::MinU)),
    ("min", "s32", F::Bin32(Bin32::MinS)),
    ("max", "u32", F::Bin32(Bin32::MaxU)),
    ("max", "s32", F::Bin32(Bin32::MaxS)),
    ("min.relu", "s32", F::Relu(Bin32::MinS)),
    ("max.relu", "s32", F::Relu(Bin32::MaxS)),
    ("neg", "s32", F::Un32(Un32::Neg)),
    ("abs", "s32", F::Un32(Un32::Abs)),
    // Bit operations. 16-bit logic is 32-bit logic, because the upper half is zero.
    ("and", "b32 b16", F::Bin32(Bin32::And)),
    ("or", "b32 b16", F::Bin32(Bin32::Or)),
    ("xor", "b32 b16", F::Bin32(Bin32::Xor)),
    ("not", "b32", F::Un32(Un32::Not)),
    ("not", "b16", F::Un32(Un32::Not16)),
    ("cnot", "b32", F::Un32(Un32::Cnot)),
    ("cnot", "b16", F::Un32(Un32::Cnot16)),
    ("shl", "b32", F::Shift32(Bin32::Shl)),
    ("shr", "u32 b32", F::Shift32(Bin32::ShrU)),
    ("shr", "s32", F::Shift32(Bin32::ShrS)),
    ("popc", "b32", F::Un32(Un32::Popc)),
    ("clz", "b32", F::Un32(Un32::Clz)),
    ("brev", "b32", F::Un32(Un32::Brev)),
    ("bfind", "u32", F::Un32(Un32::BfindU)),
    ("bfind", "s32", F::Un32(Un32::BfindS)),
    ("bfind.shiftamt", "u32", F::Un32(Un32::BfindShiftU)),
    ("bfind.shiftamt", "s32", F::Un32(Un32::BfindShiftS)),
    ("bfe", "u32", F::Ter32(Ter32::BfeU)),
    ("bfe", "s32", F::Ter32(Ter32::BfeS)),
    ("bfi", "b32", F::Bfi32),
    ("bmsk.clamp", "b32", F::Bin32(Bin32::BmskClamp)),
    ("bmsk.wrap", "b32", F::Bin32(Bin32::BmskWrap)),
    ("szext.clamp", "u32", F::Bin32(Bin32::SzextClampU)),
    ("szext.clamp", "s32", F::Bin32(Bin32::SzextClampS)),
    ("szext.wrap", "u32", F::Wrap(Bin32::SzextClampU)),
    ("szext.wrap", "s32", F::Wrap(Bin32::SzextClampS)),
    ("shf.l.clamp", "b32", F::Ter32(Ter32::ShfLeftClamp)),
    ("shf.l.wrap", "b32", F::Ter32(Ter32::ShfLeftWrap)),
    ("shf.r.clamp", "b32", F::Ter32(Ter32::ShfRightClamp)),
    ("shf.r.wrap", "b32", F::Ter32(Ter32::ShfRightWrap)),
    ("prmt", "b32", F::Ter32(Ter32::Prmt(PrmtMode::Index))),
    ("prmt.b32", "f4e", F::Ter32(Ter32::Prmt(PrmtMode::F4e))),
    ("prmt.b32", "b4e", F::Ter32(Ter32::Prmt(PrmtMode::B4e))),
    ("prmt.b32", "rc8", F::Ter32(Ter32::Prmt(PrmtMode::Rc8))),
    ("prmt.b32", "ecl", F::Ter32(Ter32::Prmt(PrmtMode::Ecl))),
    ("prmt.b32", "ecr", F::Ter32(Ter32::Prmt(PrmtMode::Ecr))),
    ("prmt.b32", "rc16", F::Ter32(Ter32::Prmt(PrmtMode::Rc16))),
    ("fns", "b32", F::Ter32(Ter32::Fns)),
    // Dot products.
    ("dp4a.u32", "u32", F::Ter32(Ter32::Dp4a(Unsigned, Unsigned))),
    ("dp4a.u32", "s32", F::Ter32(Ter32::Dp4a(Unsigned, Signed))),
    ("dp4a.s32", "u32", F::Ter32(Ter32::Dp4a(Signed, Unsigned))),
    ("dp4a.s32", "s32", F::Ter32(Ter32::Dp4a(Signed, Signed))),
    ("dp2a.lo.u32", "u32", F::Ter32(Ter32::Dp2aLo(Unsigned, Unsigned))),
    ("dp2a.lo.u32", "s32", F::Ter32(Ter32::Dp2aLo(Unsigned, Signed))),
    ("dp2a.lo.s32", "u32", F::Ter32(Ter32::Dp2aLo(Signed, Unsigned))),
    ("dp2a.lo.s32", "s32", F::Ter32(Ter32::Dp2aLo(Signed, Signed))),
    ("dp2a.hi.u32", "u32", F::Ter32(Ter32::Dp2aHi(Unsigned, Unsigned))),
    ("dp2a.hi.u32", "s32", F::Ter32(Ter32::Dp2aHi(Unsigned, Signed))),
    ("dp2a.hi.s32", "u32", F::Ter32(Ter32::Dp2aHi(Signed, Unsigned))),
    ("dp2a.hi.s32", "s32", F::Ter32(Ter32::Dp2aHi(Signed, Signed))),
    // 16-bit integers.
    ("add", "u16 s16", F::Bin32(Bin32::Add16)),
    ("sub", "u16 s16", F::Bin32(Bin32::Sub16)),
    ("mul.lo", "u16 s16", F::Bin32(Bin32::MulLo16)),
    ("mul.hi", "u16", F::Bin32(Bin32::MulHiU16)),
    ("mul.hi", "s16", F::Bin32(Bin32::MulHiS16)),
    ("mul.wide", "u16", F::Bin32(Bin32::MulWideU16)),
    ("mul.wide", "s16", F::Bin32(Bin32::MulWideS16)),
    ("mad.lo", "u16 s16", F::Ter32(Ter32::MadLo16)),
    ("mad.hi", "u16", F::Then(Bin32::MulHiU16, Bin32::Add16)),
    ("mad.hi", "s16", F::Then(Bin32::MulHiS16, Bin32::Add16)),
    ("sad", "u16", F::Sad16(Bin32::MaxU16, Bin32::MinU16)),
    ("sad", "s16", F::Sad16(Bin32::MaxS16, Bin32::MinS16)),
    ("mad.wide", "u16", F::MadWide16(Ter32::MadWideU16)),
    ("mad.wide", "s16", F::MadWide16(Ter32::MadWideS16)),
    ("div", "u16", F::Bin32(Bin32::DivU16)),
    ("div", "s16", F::Bin32(Bin32::DivS16)),
    ("rem", "u16", F::Bin32(Bin32::RemU16)),
    ("rem", "s16", F::Bin32(Bin32::RemS16)),
    ("min", "u16", F::Bin32(Bin32::MinU16)),
    ("min", "s16", F::Bin32(Bin32::MinS16)),
    ("max", "u16", F::Bin32(Bin32::MaxU16)),
    ("max", "s16", F::Bin32(Bin32::MaxS16)),
    ("neg", "s16", F::Un32(Un32::Neg16)),
    ("abs", "s16", F::Un32(Un32::Abs16)),
    ("shl", "b16", F::Shift32(Bin32::Shl16)),
    ("shr", "u16 b16", F::Shift32(Bin32::ShrU16)),
    ("shr", "s16", F::Shift32(Bin32::ShrS16)),
    // 64-bit integers.
    ("add", "u64 s64", F::Bin64(Bin64::Add)),
    ("sub", "u64 s64", F::Bin64(Bin64::Sub)),
    ("mul.lo", "u64 s64", F::Bin64(Bin64::MulLo)),
    ("mul.hi", "u64", F::Bin64(Bin64::MulHiU)),
    ("mul.hi", "s64", F::Bin64(Bin64::MulHiS)),
    ("mul.wide", "u32", F::MulWide(Unsigned)),
    ("mul.wide", "s32", F::MulWide(Signed)),
    ("mad.lo", "u64 s64", F::Ter64(Ter64::MadLo)),
    ("mad.hi", "u64", F::Ter64(Ter64::MadHiU)),
    ("mad.hi", "s64", F::Ter64(Ter64::MadHiS)),
    ("mad.wide", "u32", F::MadWide(Unsigned)),
    ("mad.wide", "s32", F::MadWide(Signed)),
    ("sad", "u64", F::Ter64(Ter64::SadU)),
    ("sad", "s64", F::Ter64(Ter64::SadS)),
    ("div", "u64", F::Bin64(Bin64::DivU)),
    ("div", "s64", F::Bin64(Bin64::DivS)),
    ("rem", "u64", F::Bin64(Bin64::RemU)),
    ("rem", "s64", F::Bin64(Bin64::RemS)),
    ("min", "u64", F::Bin64(Bin64::MinU)),
    ("min", "s64", F::Bin64(Bin64::MinS)),
    ("max", "u64", F::Bin64(Bin64::MaxU)),
    ("max", "s64", F::Bin64(Bin64::MaxS)),
    ("neg", "s64", F::Un64(Un64::Neg)),
    ("abs", "s64", F::Un64(Un64::Abs)),
    ("and", "b64", F::Bin64(Bin64::And)),
    ("or", "b64", F::Bin64(Bin64::Or)),
    ("xor", "b64", F::Bin64(Bin64::Xor)),
    ("not", "b64", F::Un64(Un64::Not)),
    ("cnot", "b64", F::Un64(Un64::Cnot)),
    ("shl", "b64", F::Shift64(Shift::Left)),
    ("shr", "u64 b64", F::Shift64(Shift::RightUnsigned)),
    ("shr", "s64", F::Shift64(Shift::RightSigned)),
    ("brev", "b64", F::Un64(Un64::Brev)),
    ("popc", "b64", F::Count64(Count64::Popc)),
    ("clz", "b64", F::Count64(Count64::Clz)),
    ("bfind", "u64", F::Count64(Count64::BfindU)),
    ("bfind", "s64", F::Count64(Count64::BfindS)),
    ("bfind.shiftamt", "u64", F::Count64(Count64::BfindShiftU)),
    ("bfind.shiftamt", "s64", F::Count64(Count64::BfindShiftS)),
    ("bfe", "u64", F::Bfe64(Unsigned)),
    ("bfe", "s64", F::Bfe64(Signed)),
    ("bfi", "b64", F::Bfi64),
    // f64 operations whose result needs no rounding.
    ("neg", "f64", F::Un64(Un64::NegF64)),
    ("abs", "f64", F::Un64(Un64::AbsF64)),
    ("min", "f64", F::Bin64(Bin64::MinF64)),
    ("max", "f64", F::Bin64(Bin64::MaxF64)),
];
