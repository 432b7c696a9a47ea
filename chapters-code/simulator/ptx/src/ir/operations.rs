//! The arithmetic, logic and shift operations of [`super::Alu`].

use super::Half;

/// Signedness.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sign {
    /// `.uN`: unsigned integers.
    Unsigned,
    /// `.sN`: integers in two's complement.
    Signed,
}

/// A shift.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Shift {
    /// `shl`: fills with zeros.
    Left,
    /// `shr.u64`: fills with zeros.
    RightUnsigned,
    /// `shr.s64`: fills with the sign.
    RightSigned,
}

/// A rounding. The integer roundings (`.rni`, …) use the same names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Round {
    /// `.rn`: to nearest, ties to even.
    NearestEven,
    /// `.rz`: towards zero.
    Zero,
    /// `.rm`: towards negative infinity.
    Down,
    /// `.rp`: towards positive infinity.
    Up,
    /// No rounding is named: the conversion is exact.
    None,
}

/// Two operands to one 32-bit result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the fields are operands and modifiers of PTX")]
pub enum Bin32 {
    /// `add`.
    Add,
    /// `sub`.
    Sub,
    /// `mul.lo`: the low half of the product.
    MulLo,
    /// `mul.hi.u32`: the high half of the product.
    MulHiU,
    /// `mul.hi.s32`: the high half of the product.
    MulHiS,
    /// `mul24.lo.u32`: the low 32 bits of the 48-bit product of the low 24 bits.
    Mul24LoU,
    /// `mul24.lo.s32`.
    Mul24LoS,
    /// `mul24.hi.u32`: the high 32 bits of that product.
    Mul24HiU,
    /// `mul24.hi.s32`.
    Mul24HiS,
    /// `div.u32`.
    DivU,
    /// `div.s32`.
    DivS,
    /// `rem.u32`.
    RemU,
    /// `rem.s32`.
    RemS,
    /// `min.u32`.
    MinU,
    /// `min.s32`.
    MinS,
    /// `max.u32`.
    MaxU,
    /// `max.s32`.
    MaxS,
    /// `and`.
    And,
    /// `or`.
    Or,
    /// `xor`.
    Xor,
    /// `shl.b32`. Amounts above 31 act as 32.
    Shl,
    /// `shr.u32`. Amounts above 31 act as 32.
    ShrU,
    /// `shr.s32`. Amounts above 31 act as 31.
    ShrS,
    /// `add.sat.s32`: clamps to the range of the type.
    AddSatS,
    /// `sub.sat.s32`: clamps to the range of the type.
    SubSatS,
    /// `bmsk.clamp`: a mask of `b` ones from bit `a` on.
    BmskClamp,
    /// `bmsk.wrap`: uses the low five bits of both operands.
    BmskWrap,
    /// `szext.clamp.u32`: zero-extends the low `b` bits.
    SzextClampU,
    /// `szext.clamp.s32`: sign-extends the low `b` bits.
    SzextClampS,
    /// `add.u16`, `add.s16`.
    Add16,
    /// `sub.u16`, `sub.s16`.
    Sub16,
    /// `mul.lo.u16`, `mul.lo.s16`.
    MulLo16,
    /// `mul.hi.u16`.
    MulHiU16,
    /// `mul.hi.s16`.
    MulHiS16,
    /// `mul.wide.u16`: 16 × 16 → 32 bits.
    MulWideU16,
    /// `mul.wide.s16`: 16 × 16 → 32 bits.
    MulWideS16,
    /// `div.u16`.
    DivU16,
    /// `div.s16`.
    DivS16,
    /// `rem.u16`.
    RemU16,
    /// `rem.s16`.
    RemS16,
    /// `min.u16`.
    MinU16,
    /// `min.s16`.
    MinS16,
    /// `max.u16`.
    MaxU16,
    /// `max.s16`.
    MaxS16,
    /// `shl.b16`.
    Shl16,
    /// `shr.u16`.
    ShrU16,
    /// `shr.s16`.
    ShrS16,
    /// `add.f32`.
    AddF32 { round: Round, ftz: bool, sat: bool },
    /// `sub.f32`.
    SubF32 { round: Round, ftz: bool, sat: bool },
    /// `mul.f32`.
    MulF32 { round: Round, ftz: bool, sat: bool },
    /// `div.rn|rz|rm|rp.f32`.
    DivF32 { round: Round, ftz: bool },
    /// `div.approx`. If the divisor is above 2^126, it is zero, or NaN for an infinite dividend.
    DivApproxF32 { ftz: bool },
    /// `div.full.f32`.
    DivFullF32 { ftz: bool },
    /// `min.f32`. `nan` means `min.NaN`, where a NaN operand gives a NaN.
    MinF32 { ftz: bool, nan: bool },
    /// `max.f32`. `nan` means `max.NaN`, where a NaN operand gives a NaN.
    MaxF32 { ftz: bool, nan: bool },
    /// `copysign.f32`: the sign of `a` and the magnitude of `b`.
    CopysignF32,
    /// `add` of 16-bit floats.
    AddHalf(Half),
    /// `sub` of 16-bit floats.
    SubHalf(Half),
    /// `mul` of 16-bit floats.
    MulHalf(Half),
    /// `min` of 16-bit floats.
    MinHalf(Half),
    /// `max` of 16-bit floats.
    MaxHalf(Half),
    /// `min.NaN` of 16-bit floats.
    MinNanHalf(Half),
    /// `max.NaN` of 16-bit floats.
    MaxNanHalf(Half),
}

/// One operand to one 32-bit result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the fields are operands and modifiers of PTX")]
pub enum Un32 {
    /// `mov`.
    Mov,
    /// `neg.s32`.
    Neg,
    /// `not.b32`.
    Not,
    /// `abs.s32`.
    Abs,
    /// `cnot.b32`: zero becomes one, and all other values zero.
    Cnot,
    /// `popc.b32`: the number of ones.
    Popc,
    /// `clz.b32`: the number of leading zeros.
    Clz,
    /// `brev.b32`: the bits in reverse order.
    Brev,
    /// `bfind.u32`: the highest set bit, or 0xffffffff if there is none.
    BfindU,
    /// `bfind.s32`: the highest bit that differs from the sign.
    BfindS,
    /// `bfind.shiftamt.u32`: the shift that moves that bit to the top.
    BfindShiftU,
    /// `bfind.shiftamt.s32`.
    BfindShiftS,
    /// `neg.s16`.
    Neg16,
    /// `not.b16`.
    Not16,
    /// `abs.s16`.
    Abs16,
    /// `cnot.b16`.
    Cnot16,
    /// `neg.f32`.
    NegF32 { ftz: bool },
    /// `abs.f32`.
    AbsF32 { ftz: bool },
    /// `sqrt.rn|rz|rm|rp.f32`.
    SqrtF32 { round: Round, ftz: bool },
    /// `rcp.rn|rz|rm|rp.f32`.
    RcpF32 { round: Round, ftz: bool },
    /// `sqrt.approx.f32`.
    SqrtApproxF32 { ftz: bool },
    /// `rcp.approx.f32`.
    RcpApproxF32 { ftz: bool },
    /// `rsqrt.approx.f32`.
    RsqrtApproxF32 { ftz: bool },
    /// `sin.approx.f32`.
    SinApproxF32 { ftz: bool },
    /// `cos.approx.f32`.
    CosApproxF32 { ftz: bool },
    /// `lg2.approx.f32`.
    Lg2ApproxF32 { ftz: bool },
    /// `ex2.approx.f32`.
    Ex2ApproxF32 { ftz: bool },
    /// `tanh.approx.f32`.
    TanhApproxF32,
    /// `neg` of 16-bit floats.
    NegHalf(Half),
    /// `abs` of 16-bit floats.
    AbsHalf(Half),
    /// `ex2.approx` of 16-bit floats.
    Ex2ApproxHalf(Half),
    /// `tanh.approx` of 16-bit floats.
    TanhApproxHalf(Half),
}

/// Three operands to one 32-bit result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the fields are operands and modifiers of PTX")]
pub enum Ter32 {
    /// `mad.lo`: `a * b + c`, the low half of the product.
    MadLo,
    /// `mad.hi.u32`: uses the high half of the product.
    MadHiU,
    /// `mad.hi.s32`: uses the high half of the product.
    MadHiS,
    /// `mad.lo.u16`, `mad.lo.s16`.
    MadLo16,
    /// `mad.wide.u16`: 16 × 16 + 32 → 32 bits.
    MadWideU16,
    /// `mad.wide.s16`: 16 × 16 + 32 → 32 bits.
    MadWideS16,
    /// `mad24.lo.u32`.
    Mad24LoU,
    /// `mad24.lo.s32`.
    Mad24LoS,
    /// `sad.u32`: the absolute difference of `a` and `b`, plus `c`.
    SadU,
    /// `sad.s32`: the absolute difference of `a` and `b`, plus `c`.
    SadS,
    /// `fma.f32`, rounded once.
    FmaF32 { round: Round, ftz: bool, sat: bool },
    /// `fma` of 16-bit floats. `relu` replaces negative results by 0.
    FmaHalf { half: Half, relu: bool },
    /// `bfe.u32`: `c` bits of `a` from bit `b` on.
    BfeU,
    /// `bfe.s32`: as `bfe.u32`, filled with the field's sign.
    BfeS,
    /// `prmt` with its mode: selects four of eight bytes.
    Prmt(PrmtMode),
    /// `shf.l.clamp.b32`: a funnel shift with `a` low, `b` high and the amount `c`.
    ShfLeftClamp,
    /// `shf.l.wrap.b32`: uses the low five bits of the amount.
    ShfLeftWrap,
    /// `shf.r.clamp.b32`.
    ShfRightClamp,
    /// `shf.r.wrap.b32`.
    ShfRightWrap,
    /// `dp4a`: a dot product of four bytes plus `c`, with the signedness of `a` and `b`.
    Dp4a(Sign, Sign),
    /// `dp2a.lo`: two halves of `a` times the two low bytes of `b`, plus `c`.
    Dp2aLo(Sign, Sign),
    /// `dp2a.hi`: two halves of `a` times the two high bytes of `b`, plus `c`.
    Dp2aHi(Sign, Sign),
    /// `fns`: the `c`-th set bit of `a` from bit `b` on; 0xffffffff if there is none.
    Fns,
}

/// `prmt`'s mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PrmtMode {
    /// No mode: each nibble of `c` selects a byte.
    Index,
    /// `.f4e`: four bytes forwards from byte `c`.
    F4e,
    /// `.b4e`: four bytes backwards from byte `c`.
    B4e,
    /// `.rc8`: byte `c`, four times.
    Rc8,
    /// `.ecl`: the bytes of `a`, none below byte `c`.
    Ecl,
    /// `.ecr`: the bytes of `a`, none above byte `c`.
    Ecr,
    /// `.rc16`: half `c`, twice.
    Rc16,
}

/// One operand to one 64-bit result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the fields are operands and modifiers of PTX")]
pub enum Un64 {
    /// `mov`.
    Mov,
    /// `neg.s64`.
    Neg,
    /// `not.b64`.
    Not,
    /// `abs.s64`.
    Abs,
    /// `cnot.b64`: zero becomes one, and all other values zero.
    Cnot,
    /// `brev.b64`: the bits in reverse order.
    Brev,
    /// `neg.f64`.
    NegF64,
    /// `abs.f64`.
    AbsF64,
    /// `sqrt.f64`.
    SqrtF64(Round),
    /// `rcp.f64`.
    RcpF64(Round),
    /// `rcp.approx.ftz.f64`.
    RcpApproxF64,
    /// `rsqrt.approx.f64`.
    RsqrtApproxF64 { ftz: bool },
}

/// Two operands to one 64-bit result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Bin64 {
    /// `add`.
    Add,
    /// `sub`.
    Sub,
    /// `mul.lo`: the low half of the product.
    MulLo,
    /// `mul.hi.u64`: the high half of the product.
    MulHiU,
    /// `mul.hi.s64`: the high half of the product.
    MulHiS,
    /// `div.u64`.
    DivU,
    /// `div.s64`.
    DivS,
    /// `rem.u64`.
    RemU,
    /// `rem.s64`.
    RemS,
    /// `min.u64`.
    MinU,
    /// `min.s64`.
    MinS,
    /// `max.u64`.
    MaxU,
    /// `max.s64`.
    MaxS,
    /// `and`.
    And,
    /// `or`.
    Or,
    /// `xor`.
    Xor,
    /// `add.f64`.
    AddF64(Round),
    /// `sub.f64`.
    SubF64(Round),
    /// `mul.f64`.
    MulF64(Round),
    /// `div.f64`.
    DivF64(Round),
    /// `min.f64`.
    MinF64,
    /// `max.f64`.
    MaxF64,
    /// `copysign.f64`: the sign of `a` and the magnitude of `b`.
    CopysignF64,
}

/// Three operands to one 64-bit result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ter64 {
    /// `mad.lo`: `a * b + c`, the low half of the product.
    MadLo,
    /// `mad.hi.u64`: uses the high half of the product.
    MadHiU,
    /// `mad.hi.s64`: uses the high half of the product.
    MadHiS,
    /// `sad.u64`: the absolute difference of `a` and `b`, plus `c`.
    SadU,
    /// `sad.s64`: the absolute difference of `a` and `b`, plus `c`.
    SadS,
    /// `fma.f64`, rounded once.
    FmaF64(Round),
}

/// Counts in a 64-bit value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Count64 {
    /// `popc.b64`: the number of ones.
    Popc,
    /// `clz.b64`: the number of leading zeros.
    Clz,
    /// `bfind.u64`: the highest set bit, or 0xffffffff if there is none.
    BfindU,
    /// `bfind.s64`: the highest bit that differs from the sign.
    BfindS,
    /// `bfind.shiftamt.u64`: the shift that moves that bit to the top.
    BfindShiftU,
    /// `bfind.shiftamt.s64`.
    BfindShiftS,
}
