//! Numbers, their formats, and how they are compared.

use super::Pred;

/// A 16-bit floating format, alone or in pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Half {
    F16 { ftz: bool, sat: bool },
    F16x2 { ftz: bool, sat: bool },
    Bf16,
    Bf16x2,
}

/// The format of a pair of halves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum PackedHalf {
    F16x2,
    Bf16x2,
}

/// A comparison. The unordered forms are true when an operand is NaN.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Cmp {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    Equ,
    Neu,
    Ltu,
    Leu,
    Gtu,
    Geu,
    /// Both are numbers.
    Num,
    /// Either is NaN.
    Nan,
}

/// The operand type of a 32-bit comparison. `lo`, `ls`, `hi`, `hs` decode to the unsigned forms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum CmpType32 {
    U32,
    S32,
    U16,
    S16,
    F32 { ftz: bool },
    F16 { ftz: bool },
    Bf16,
}

/// The operand type of a 64-bit comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum CmpType64 {
    U64,
    S64,
    F64,
}

/// The type of the third operand of `slct`. A NaN is not at least zero; -0 is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum SlctType {
    S32,
    F32 { ftz: bool },
}

/// `setp.CMP.BOOL p|q, a, b, c`: p = cmp BOOL c, q = !cmp BOOL c.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Combine {
    /// The logic operation: `And`, `Or` or `Xor`.
    pub op: PredOp,
    /// The third operand.
    pub c: Pred,
    /// Whether `c` is negated.
    pub negated: bool,
}

/// Predicate logic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum PredOp {
    Mov,
    Not,
    And,
    Or,
    Xor,
}

/// A number format, for `cvt`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Num {
    U8,
    S8,
    U16,
    S16,
    U32,
    S32,
    U64,
    S64,
    F16,
    Bf16,
    F32,
    F64,
}

/// `testp`'s class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum FloatClass {
    Finite,
    Infinite,
    Number,
    NotANumber,
    Normal,
    Subnormal,
}
