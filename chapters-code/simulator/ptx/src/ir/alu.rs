//! Operations on registers alone.

use super::{
    Bin32, Bin64, Cmp, CmpType32, CmpType64, Combine, Count64, FloatClass, Num, PackedHalf, Pred,
    PredOp, R32, R64, Round, Shift, Sign, SlctType, Space, Src, Ter32, Ter64, Un32, Un64,
};

/// An operation on registers alone.
///
/// 16-bit operations read and write 32-bit slots whose upper half is zero. `F32` and similar names
/// mean that the slot's bits are such a number. `ftz` flushes subnormal inputs and results to a
/// zero of their sign.
#[derive(Clone, Copy, Debug)]
#[expect(missing_docs, reason = "the fields are operands and modifiers of PTX")]
pub enum Alu {
    /// One operand and a 32-bit result.
    Un32 { op: Un32, d: R32, a: R32 },
    /// Two operands and a 32-bit result.
    Bin32 { op: Bin32, d: R32, a: R32, b: R32 },
    /// Three operands and a 32-bit result.
    Ter32 { op: Ter32, d: R32, a: R32, b: R32, c: R32 },
    /// One operand and a 64-bit result.
    Un64 { op: Un64, d: R64, a: R64 },
    /// Two operands and a 64-bit result.
    Bin64 { op: Bin64, d: R64, a: R64, b: R64 },
    /// Three operands and a 64-bit result.
    Ter64 { op: Ter64, d: R64, a: R64, b: R64, c: R64 },
    /// `shl.b64`, `shr.u64|s64`: the amount is a 32-bit register, clamped at 64.
    Shift64 { op: Shift, d: R64, a: R64, b: R32 },
    /// `mul.wide`: 32 × 32 → 64 bits.
    MulWide { signed: Sign, d: R64, a: R32, b: R32 },
    /// `mad.wide`: 32 × 32 + 64 → 64 bits.
    MadWide { signed: Sign, d: R64, a: R32, b: R32, c: R64 },
    /// `popc.b64`, `clz.b64`, `bfind.u64|s64`.
    Count64 { op: Count64, d: R32, a: R64 },
    /// `bfe.u64|s64`: `c` bits of `a` from bit `b` on.
    Bfe64 { signed: Sign, d: R64, a: R64, b: R32, c: R32 },
    /// `bfi.b64`: inserts the low `len` bits of `a` into `b` from bit `c` on.
    Bfi64 { d: R64, a: R64, b: R64, c: R32, len: R32 },
    /// `bfi.b32 d, a, b, c, len`.
    Bfi32 { d: R32, a: R32, b: R32, c: R32, len: R32 },
    /// `lop3.b32` with its look-up table.
    Lop3 { table: u8, d: R32, a: R32, b: R32, c: R32 },
    /// `add.cc`, `addc`, `sub.cc`, `subc`, `mad…cc`: `carry` is a 32-bit register that holds the
    /// condition code's carry flag (0 or 1), the same one throughout a kernel.
    AddCarry32 { d: R32, a: R32, b: R32, carry: R32, uses: bool, sets: bool },
    /// `sub.cc`, `subc`: adds the complement, with the flag as the carry.
    SubBorrow32 { d: R32, a: R32, b: R32, carry: R32, uses: bool, sets: bool },
    /// `add.cc.u64`, `addc.u64` and similar instructions.
    AddCarry64 { d: R64, a: R64, b: R64, carry: R32, uses: bool, sets: bool },
    /// `sub.cc.u64`, `subc.u64`.
    SubBorrow64 { d: R64, a: R64, b: R64, carry: R32, uses: bool, sets: bool },
    /// `setp`, with an optional second predicate (the complement) and combination with a third.
    Setp32 {
        cmp: Cmp,
        ty: CmpType32,
        d: Pred,
        q: Option<Pred>,
        a: R32,
        b: R32,
        with: Option<Combine>,
    },
    /// `setp` of 64-bit operands.
    Setp64 {
        cmp: Cmp,
        ty: CmpType64,
        d: Pred,
        q: Option<Pred>,
        a: R64,
        b: R64,
        with: Option<Combine>,
    },
    /// Turns a predicate into `if_true` or zero. `set` decodes to `setp` and this operation.
    SetMask { d: R32, p: Pred, if_true: u32 },
    /// `selp`: p ? a : b.
    Selp32 { d: R32, a: R32, b: R32, p: Pred },
    /// `selp` of 64-bit operands.
    Selp64 { d: R64, a: R64, b: R64, p: Pred },
    /// `slct`: c >= 0 ? a : b.
    Slct32 { by: SlctType, d: R32, a: R32, b: R32, c: R32 },
    /// `slct` of 64-bit operands.
    Slct64 { by: SlctType, d: R64, a: R64, b: R64, c: R32 },
    /// Predicate logic. `Mov` and `Not` ignore `b`.
    PredOp { op: PredOp, d: Pred, a: Pred, b: Pred },
    /// `cvt`. `a` is in the file of `from`, and `d` in the file of `to`. Only the low bits of `a`
    /// that `from` names are used. A 16-bit result has a zero upper half, and an 8-bit one is first
    /// extended to 16 bits. A second `Cvt` extends further if PTX requires it. Between floats of
    /// one format, `round` rounds to an integral value.
    Cvt { from: Num, to: Num, round: Round, sat: bool, ftz: bool, d: Src, a: Src },
    /// `cvt.rn.f16x2.f32 d, a, b` and bf16x2: `a` goes to the upper half.
    CvtPack { to: PackedHalf, round: Round, relu: bool, d: R32, a: R32, b: R32 },
    /// `mov.b64 d, {lo, hi}`. (`cvt.pack.sat.…` is not in the dialect.)
    Pack64 { d: R64, lo: R32, hi: R32 },
    /// `mov.b64 {lo, hi}, a`.
    Unpack64 { lo: Option<R32>, hi: Option<R32>, a: R64 },
    /// `mov.b32 d, {lo, hi}` of 16-bit registers.
    Pack32 { d: R32, lo: R32, hi: R32 },
    /// `mov.b32 {lo, hi}, a` into 16-bit registers.
    Unpack32 { lo: Option<R32>, hi: Option<R32>, a: R32 },
    /// `mov.b64 d, {a, b, c, d}` of 16-bit registers.
    Pack64x4 { d: R64, s: [R32; 4] },
    /// `mov.b64 {a, b, c, d}, a` into 16-bit registers.
    Unpack64x4 { d: [Option<R32>; 4], a: R64 },
    /// `cvta.SPACE`: converts to a generic address.
    ToGeneric { space: Space, d: R64, a: R64 },
    /// `cvta.to.SPACE`: converts from a generic address.
    FromGeneric { space: Space, d: R64, a: R64 },
    /// `isspacep`.
    IsSpace { space: Space, d: Pred, a: R64 },
    /// `testp.f32`.
    Testp32 { class: FloatClass, d: Pred, a: R32 },
    /// `testp.f64`.
    Testp64 { class: FloatClass, d: Pred, a: R64 },
}
