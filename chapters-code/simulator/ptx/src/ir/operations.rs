//! The arithmetic, logic and shift operations of [`super::Alu`].

use super::Half;

/// Signedness.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Sign {
    Unsigned,
    Signed,
}

/// A shift.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Shift {
    Left,
    RightUnsigned,
    RightSigned,
}

/// A rounding. The integer roundings (`.rni`, …) use the same names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Round {
    NearestEven,
    Zero,
    Down,
    Up,
    /// No rounding is named: the conversion is exact.
    None,
}

/// Two operands to one 32-bit result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Bin32 {
    Add,
    Sub,
    MulLo,
    MulHiU,
    MulHiS,
    /// 24-bit multiply, low 32 bits of the product.
    Mul24LoU,
    Mul24LoS,
    Mul24HiU,
    Mul24HiS,
    DivU,
    DivS,
    RemU,
    RemS,
    MinU,
    MinS,
    MaxU,
    MaxS,
    And,
    Or,
    Xor,
    /// Shift left. Amounts above 31 act as 32.
    Shl,
    ShrU,
    ShrS,
    AddSatS,
    SubSatS,
    /// `bmsk.clamp`, `bmsk.wrap`.
    BmskClamp,
    BmskWrap,
    /// `szext`.
    SzextClampU,
    SzextClampS,
    // 16-bit integers.
    Add16,
    Sub16,
    MulLo16,
    MulHiU16,
    MulHiS16,
    /// 16 × 16 → 32.
    MulWideU16,
    MulWideS16,
    DivU16,
    DivS16,
    RemU16,
    RemS16,
    MinU16,
    MinS16,
    MaxU16,
    MaxS16,
    Shl16,
    ShrU16,
    ShrS16,
    // f32. `Rounding`s other than nearest even are separate forms.
    AddF32 {
        round: Round,
        ftz: bool,
        sat: bool,
    },
    SubF32 {
        round: Round,
        ftz: bool,
        sat: bool,
    },
    MulF32 {
        round: Round,
        ftz: bool,
        sat: bool,
    },
    /// `div.rn|rz|rm|rp`.
    DivF32 {
        round: Round,
        ftz: bool,
    },
    /// `div.approx`. If the divisor is above 2^126, it is zero, or NaN for an infinite dividend.
    DivApproxF32 {
        ftz: bool,
    },
    /// `div.full`.
    DivFullF32 {
        ftz: bool,
    },
    /// `min`. `nan` means `min.NaN`, where a NaN operand gives a NaN.
    MinF32 {
        ftz: bool,
        nan: bool,
    },
    MaxF32 {
        ftz: bool,
        nan: bool,
    },
    CopysignF32,
    // f16 and bf16, scalar and two at a time.
    AddHalf(Half),
    SubHalf(Half),
    MulHalf(Half),
    MinHalf(Half),
    MaxHalf(Half),
    MinNanHalf(Half),
    MaxNanHalf(Half),
}

/// One operand to one 32-bit result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Un32 {
    Mov,
    Neg,
    Not,
    Abs,
    /// Boolean complement: zero becomes one, and all other values zero.
    Cnot,
    Popc,
    Clz,
    Brev,
    /// `bfind`: 0xffffffff if no bit is found.
    BfindU,
    BfindS,
    BfindShiftU,
    BfindShiftS,
    Neg16,
    Not16,
    Abs16,
    Cnot16,
    NegF32 {
        ftz: bool,
    },
    AbsF32 {
        ftz: bool,
    },
    SqrtF32 {
        round: Round,
        ftz: bool,
    },
    RcpF32 {
        round: Round,
        ftz: bool,
    },
    SqrtApproxF32 {
        ftz: bool,
    },
    RcpApproxF32 {
        ftz: bool,
    },
    RsqrtApproxF32 {
        ftz: bool,
    },
    SinApproxF32 {
        ftz: bool,
    },
    CosApproxF32 {
        ftz: bool,
    },
    Lg2ApproxF32 {
        ftz: bool,
    },
    Ex2ApproxF32 {
        ftz: bool,
    },
    TanhApproxF32,
    NegHalf(Half),
    AbsHalf(Half),
    Ex2ApproxHalf(Half),
    TanhApproxHalf(Half),
}

/// Three operands to one 32-bit result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Ter32 {
    MadLo,
    MadHiU,
    MadHiS,
    MadLo16,
    /// 16 × 16 + 32 → 32.
    MadWideU16,
    MadWideS16,
    Mad24LoU,
    Mad24LoS,
    SadU,
    SadS,
    FmaF32 {
        round: Round,
        ftz: bool,
        sat: bool,
    },
    FmaHalf {
        half: Half,
        relu: bool,
    },
    BfeU,
    BfeS,
    /// `prmt` with its mode.
    Prmt(PrmtMode),
    /// Funnel shifts: `a` low, `b` high, `c` amount.
    ShfLeftClamp,
    ShfLeftWrap,
    ShfRightClamp,
    ShfRightWrap,
    /// Dot products with accumulation: signedness of `a` and `b`.
    Dp4a(Sign, Sign),
    Dp2aLo(Sign, Sign),
    Dp2aHi(Sign, Sign),
    /// `fns`: the `c`-th set bit of `a` from bit `b` on; 0xffffffff if there is none.
    Fns,
}

/// `prmt`'s mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum PrmtMode {
    Index,
    F4e,
    B4e,
    Rc8,
    Ecl,
    Ecr,
    Rc16,
}

/// One operand to one 64-bit result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Un64 {
    Mov,
    Neg,
    Not,
    Abs,
    Cnot,
    Brev,
    NegF64,
    AbsF64,
    SqrtF64(Round),
    RcpF64(Round),
    /// `rcp.approx.ftz.f64`, `rsqrt.approx.f64`.
    RcpApproxF64,
    RsqrtApproxF64 {
        ftz: bool,
    },
}

/// Two operands to one 64-bit result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Bin64 {
    Add,
    Sub,
    MulLo,
    MulHiU,
    MulHiS,
    DivU,
    DivS,
    RemU,
    RemS,
    MinU,
    MinS,
    MaxU,
    MaxS,
    And,
    Or,
    Xor,
    AddF64(Round),
    SubF64(Round),
    MulF64(Round),
    DivF64(Round),
    MinF64,
    MaxF64,
    CopysignF64,
}

/// Three operands to one 64-bit result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Ter64 {
    MadLo,
    MadHiU,
    MadHiS,
    SadU,
    SadS,
    FmaF64(Round),
}

/// Counts in a 64-bit value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Count64 {
    Popc,
    Clz,
    BfindU,
    BfindS,
    BfindShiftU,
    BfindShiftS,
}
