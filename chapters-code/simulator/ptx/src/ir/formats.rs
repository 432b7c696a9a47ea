//! Numbers, their formats, and how they are compared.

use super::Pred;

/// A 16-bit floating format, alone or in pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the fields are operands and modifiers of PTX")]
pub enum Half {
    /// `.f16`: IEEE 754 binary16. `sat` clamps results to [0, 1].
    F16 { ftz: bool, sat: bool },
    /// `.f16x2`: two `.f16` numbers in 32 bits.
    F16x2 { ftz: bool, sat: bool },
    /// `.bf16`: the upper half of an `.f32`.
    Bf16,
    /// `.bf16x2`: two `.bf16` numbers in 32 bits.
    Bf16x2,
}

/// The format of a pair of halves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PackedHalf {
    /// `.f16x2`.
    F16x2,
    /// `.bf16x2`.
    Bf16x2,
}

/// A comparison. The unordered forms are true when an operand is NaN.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cmp {
    /// `.eq`: equal.
    Eq,
    /// `.ne`: not equal.
    Ne,
    /// `.lt`: less.
    Lt,
    /// `.le`: less or equal.
    Le,
    /// `.gt`: greater.
    Gt,
    /// `.ge`: greater or equal.
    Ge,
    /// `.equ`: equal or unordered.
    Equ,
    /// `.neu`: not equal or unordered.
    Neu,
    /// `.ltu`: less or unordered.
    Ltu,
    /// `.leu`: less, equal or unordered.
    Leu,
    /// `.gtu`: greater or unordered.
    Gtu,
    /// `.geu`: greater, equal or unordered.
    Geu,
    /// `.num`: both operands are numbers.
    Num,
    /// `.nan`: an operand is NaN.
    Nan,
}

/// The operand type of a 32-bit comparison. `lo`, `ls`, `hi`, `hs` decode to the unsigned forms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the fields are operands and modifiers of PTX")]
pub enum CmpType32 {
    /// `.u32`, `.b32`.
    U32,
    /// `.s32`.
    S32,
    /// `.u16`, `.b16`.
    U16,
    /// `.s16`.
    S16,
    /// `.f32`.
    F32 { ftz: bool },
    /// `.f16`.
    F16 { ftz: bool },
    /// `.bf16`.
    Bf16,
}

/// The operand type of a 64-bit comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CmpType64 {
    /// `.u64`, `.b64`.
    U64,
    /// `.s64`.
    S64,
    /// `.f64`.
    F64,
}

/// The type of the third operand of `slct`. A NaN is not at least zero; -0 is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the fields are operands and modifiers of PTX")]
pub enum SlctType {
    /// `.s32`.
    S32,
    /// `.f32`.
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
pub enum PredOp {
    /// `mov.pred`.
    Mov,
    /// `not.pred`.
    Not,
    /// `and.pred`.
    And,
    /// `or.pred`.
    Or,
    /// `xor.pred`.
    Xor,
}

/// A number format, for `cvt`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Num {
    /// `.u8`.
    U8,
    /// `.s8`.
    S8,
    /// `.u16`.
    U16,
    /// `.s16`.
    S16,
    /// `.u32`.
    U32,
    /// `.s32`.
    S32,
    /// `.u64`.
    U64,
    /// `.s64`.
    S64,
    /// `.f16`.
    F16,
    /// `.bf16`.
    Bf16,
    /// `.f32`.
    F32,
    /// `.f64`.
    F64,
}

/// `testp`'s class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FloatClass {
    /// `.finite`: neither an infinity nor NaN.
    Finite,
    /// `.infinite`: an infinity.
    Infinite,
    /// `.number`: anything but NaN.
    Number,
    /// `.notanumber`: NaN.
    NotANumber,
    /// `.normal`: neither subnormal, an infinity nor NaN. Zeros are normal.
    Normal,
    /// `.subnormal`: below the smallest normal number, and not zero.
    Subnormal,
}
