//! The frequent instructions, each compiled separately.
//!
//! `execute_lanes` finds out anew each time which operation it is given. An instruction is executed
//! many times, so [`Prepared`] looks once for the function that executes just this operation, or
//! else for the general one. The loops are the same: an operation that is known at compile time
//! leaves one arm of their `match`.

use super::compare::{self, Compare32, Compare64};
use super::convert_lane::Conversion;
use super::lanes::Lanes;
#[cfg(not(target_arch = "x86_64"))]
use super::vectors::BaselineFull;
#[cfg(target_arch = "x86_64")]
use super::vectors::{Avx2, Avx2Full, Avx2Partial};
use super::vectors::{Baseline, BaselinePartial};
use super::{Isa, Windows, bin32, convert, execute_lanes, ter32, un32, wide};
use crate::registers::{ALL_LANES, LaneMask, Registers};
use ptx::ir::{
    Alu, Bin32, Bin64, Cmp, CmpType32, CmpType64, Num, Round, Shift, Sign, Space, Ter32, Ter64,
    Un32, Un64,
};

/// Executes one kind of instruction, in all lanes or in those of the mask.
///
/// # Safety
///
/// The CPU must have the vector instructions that the function was compiled for. The instruction
/// must be of the function's kind, or nothing happens.
type Function = unsafe fn(&Alu, &mut Registers, LaneMask, &Windows);

/// An instruction, and the functions that execute it on this CPU.
#[derive(Clone, Copy, Debug)]
pub struct Prepared<'a> {
    alu: &'a Alu,
    full: Function,
    partial: Function,
}

impl<'a> Prepared<'a> {
    /// Selects the functions for `alu`.
    pub fn new(isa: Isa, alu: &'a Alu) -> Self {
        let [full, partial] = match isa {
            Isa::Baseline(_) => [baseline_full(alu), baseline_partial(alu)],
            #[cfg(target_arch = "x86_64")]
            Isa::Avx2(_) => [avx2_full(alu), avx2_partial(alu)],
            #[cfg(target_arch = "x86_64")]
            Isa::Avx512(_) => [avx512_full(alu), avx512_partial(alu)],
        };
        Self { alu, full, partial }
    }

    /// Executes the instruction in the lanes of `mask`.
    #[inline(always)]
    pub fn execute(&self, regs: &mut Registers, mask: LaneMask, windows: &Windows) {
        let function = if mask == ALL_LANES {
            self.full
        } else {
            self.partial
        };
        // SAFETY: `new` has selected the function for this instruction and for this CPU; an `Isa`
        // proves what the CPU has.
        unsafe { function(self.alu, regs, mask, windows) }
    }
}

/// Executes instructions one after the other, in the lanes of `mask`.
#[inline(always)]
pub fn execute_all(all: &[Prepared<'_>], regs: &mut Registers, mask: LaneMask, windows: &Windows) {
    if mask == ALL_LANES {
        for one in all {
            // SAFETY: see `Prepared::execute`.
            unsafe { (one.full)(one.alu, regs, mask, windows) }
        }
    } else {
        for one in all {
            // SAFETY: see `Prepared::execute`.
            unsafe { (one.partial)(one.alu, regs, mask, windows) }
        }
    }
}

/// Defines the function that selects among the functions compiled for one set of vector
/// instructions, and leaves the other instructions to `$others`.
macro_rules! choose {
    ($choose:ident, $set:expr, $attributes:tt, $others:ident, {$(
        $form:ident $operands:tt as |$lanes:ident, $windows:ident| $body:expr =>
        $([$($key:ident: $($value:ident)::+ $({ $($field:tt)* })? $(($($argument:tt)*))?),+])+
    )*}) => {
        fn $choose(alu: &Alu) -> Function {
            match *alu {
                $($(
                    Alu::$form {
                        $($key: $($value)::+ $({ $($field)* })? $(($($argument)*))?,)+ ..
                    } => compiled! { $attributes $set; |alu, $lanes, $windows| {
                        $(let $key = $($value)::+ $({ $($field)* })? $(($($argument)*))?;)+
                        if let Alu::$form $operands = *alu {
                            $body
                        }
                    }},
                )+)*
                _ => $others(alu),
            }
        }
    };
}

/// Defines a [`Function`] with the attributes.
macro_rules! compiled {
    (
        [$($attribute:tt)*] $set:expr;
        |$alu:ident, $lanes:ident, $windows:ident| $body:block
    ) => {{
        $($attribute)*
        fn compiled($alu: &Alu, regs: &mut Registers, mask: LaneMask, $windows: &Windows) {
            let $lanes = Lanes { vectors: $set, regs, mask };
            let _ = $windows;
            $body
        }
        compiled
    }};
}

/// Lists the frequent instructions: for each form its operands, its implementation, and its
/// operations.
macro_rules! frequent {
    ($choose:ident, $set:expr, $attributes:tt, $others:ident) => {
        choose! { $choose, $set, $attributes, $others, {
            Un32 { d, a, .. } as |lanes, windows| un32::execute(lanes, op, d, a) =>
                [op: Un32::Mov] [op: Un32::Neg] [op: Un32::Not] [op: Un32::Popc]
                [op: Un32::NegF32 { ftz: false }]
            Bin32 { d, a, b, .. } as |lanes, windows| bin32::execute(lanes, op, d, [a, b]) =>
                [op: Bin32::Add] [op: Bin32::Sub] [op: Bin32::MulLo] [op: Bin32::MulHiU]
                [op: Bin32::And] [op: Bin32::Or] [op: Bin32::Xor]
                [op: Bin32::Shl] [op: Bin32::ShrU] [op: Bin32::ShrS]
                [op: Bin32::MinU] [op: Bin32::MinS] [op: Bin32::MaxU] [op: Bin32::MaxS]
                [op: Bin32::AddF32 { round: Round::NearestEven, ftz: false, sat: false }]
                [op: Bin32::SubF32 { round: Round::NearestEven, ftz: false, sat: false }]
                [op: Bin32::MulF32 { round: Round::NearestEven, ftz: false, sat: false }]
                [op: Bin32::MinF32 { ftz: false, nan: false }]
                [op: Bin32::MaxF32 { ftz: false, nan: false }]
            Ter32 { d, a, b, c, .. } as |lanes, windows| ter32::execute(lanes, op, d, [a, b, c]) =>
                [op: Ter32::MadLo]
                [op: Ter32::FmaF32 { round: Round::NearestEven, ftz: false, sat: false }]
            Un64 { d, a, .. } as |lanes, windows| wide::unary(lanes, op, d, a) =>
                [op: Un64::Mov] [op: Un64::Neg] [op: Un64::Not]
            Bin64 { d, a, b, .. } as |lanes, windows| wide::binary(lanes, op, d, [a, b]) =>
                [op: Bin64::Add] [op: Bin64::Sub] [op: Bin64::MulLo]
                [op: Bin64::And] [op: Bin64::Or] [op: Bin64::Xor]
                [op: Bin64::MinU] [op: Bin64::MinS] [op: Bin64::MaxU] [op: Bin64::MaxS]
                [op: Bin64::AddF64(Round::NearestEven)] [op: Bin64::SubF64(Round::NearestEven)]
                [op: Bin64::MulF64(Round::NearestEven)]
                [op: Bin64::MinF64] [op: Bin64::MaxF64]
            Ter64 { d, a, b, c, .. } as |lanes, windows| wide::ternary(lanes, op, d, [a, b, c]) =>
                [op: Ter64::MadLo] [op: Ter64::FmaF64(Round::NearestEven)]
            Shift64 { d, a, b, .. } as |lanes, windows| wide::shift(lanes, op, d, a, b) =>
                [op: Shift::Left] [op: Shift::RightUnsigned] [op: Shift::RightSigned]
            MulWide { d, a, b, .. } as |lanes, windows| wide::mul_wide(lanes, signed, d, [a, b]) =>
                [signed: Sign::Unsigned] [signed: Sign::Signed]
            MadWide { d, a, b, c, .. } as |lanes, windows| wide::mad_wide(lanes, signed, d, [a, b], c) =>
                [signed: Sign::Unsigned] [signed: Sign::Signed]
            Setp32 { d, q, a, b, with, .. } as
                |lanes, windows| compare::integers32(lanes, Compare32 { cmp, ty, s: [a, b] }, (d, q), &with) =>
                [cmp: Cmp::Eq, ty: CmpType32::U32] [cmp: Cmp::Eq, ty: CmpType32::S32]
                [cmp: Cmp::Ne, ty: CmpType32::U32] [cmp: Cmp::Ne, ty: CmpType32::S32]
                [cmp: Cmp::Lt, ty: CmpType32::U32] [cmp: Cmp::Lt, ty: CmpType32::S32]
                [cmp: Cmp::Le, ty: CmpType32::U32] [cmp: Cmp::Le, ty: CmpType32::S32]
                [cmp: Cmp::Gt, ty: CmpType32::U32] [cmp: Cmp::Gt, ty: CmpType32::S32]
                [cmp: Cmp::Ge, ty: CmpType32::U32] [cmp: Cmp::Ge, ty: CmpType32::S32]
            Setp64 { d, q, a, b, with, .. } as
                |lanes, windows| compare::integers64(lanes, Compare64 { cmp, ty, s: [a, b] }, (d, q), &with) =>
                [cmp: Cmp::Eq, ty: CmpType64::U64] [cmp: Cmp::Eq, ty: CmpType64::S64]
                [cmp: Cmp::Ne, ty: CmpType64::U64] [cmp: Cmp::Ne, ty: CmpType64::S64]
                [cmp: Cmp::Lt, ty: CmpType64::U64] [cmp: Cmp::Lt, ty: CmpType64::S64]
                [cmp: Cmp::Le, ty: CmpType64::U64] [cmp: Cmp::Le, ty: CmpType64::S64]
                [cmp: Cmp::Gt, ty: CmpType64::U64] [cmp: Cmp::Gt, ty: CmpType64::S64]
                [cmp: Cmp::Ge, ty: CmpType64::U64] [cmp: Cmp::Ge, ty: CmpType64::S64]
            Cvt { round, sat, ftz, d, a, .. } as
                |lanes, windows| convert::execute(lanes, Conversion { from, to, round, sat, ftz }, [d, a]) =>
                [from: Num::U32, to: Num::U64] [from: Num::S32, to: Num::S64]
                [from: Num::U64, to: Num::U32]
            ToGeneric { d, a, .. } as |lanes, windows| lanes.map1_64(d, a, |x| x.wrapping_add(windows.base(space))) =>
                [space: Space::Global]
            FromGeneric { d, a, .. } as |lanes, windows| lanes.map1_64(d, a, |x| x.wrapping_sub(windows.base(space))) =>
                [space: Space::Global]
        }}
    };
}

/// Defines the function for the other instructions, which finds out which operation it is given.
macro_rules! others {
    ($choose:ident, $set:expr, $attributes:tt) => {
        fn $choose(_: &Alu) -> Function {
            compiled! { $attributes $set; |alu, lanes, windows| {
                execute_lanes(lanes, alu, windows);
            }}
        }
    };
}

/// Defines the functions for one set of vector instructions: those that select among all, and those
/// for instructions that are not frequent.
macro_rules! all {
    ($choose:ident, $others:ident, $set:expr, $attributes:tt) => {
        frequent! { $choose, $set, $attributes, $others }
        others! { $others, $set, $attributes }
    };
}

#[cfg(not(target_arch = "x86_64"))]
all! { baseline_full, other_baseline_full, BaselineFull(Baseline), [] }
#[cfg(not(target_arch = "x86_64"))]
all! { baseline_partial, other_baseline_partial, BaselinePartial(Baseline), [] }
#[cfg(target_arch = "x86_64")]
all! {
    avx2_full, other_avx2_full, Avx2Full(Avx2::here()),
    [#[target_feature(enable = "avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt")]]
}
#[cfg(target_arch = "x86_64")]
all! {
    avx2_partial, other_avx2_partial, Avx2Partial(Avx2::here()),
    [#[target_feature(enable = "avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt")]]
}
// The sources are those for AVX2: the compiler finds the wider vectors, and masks for the partial
// ones.
#[cfg(target_arch = "x86_64")]
frequent! {
    avx512_full, Avx2Full(Avx2::here()),
    [#[target_feature(
        enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt"
    )]],
    other_avx2_full
}
#[cfg(target_arch = "x86_64")]
frequent! {
    avx512_partial, Avx2Partial(Avx2::here()),
    [#[target_feature(
        enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt"
    )]],
    other_avx2_partial
}

/// One function for all instructions on CPUs without AVX2, which every x86-64 CPU of the last ten
/// years has. More would double the build time of this crate.
#[cfg(target_arch = "x86_64")]
fn baseline_full(alu: &Alu) -> Function {
    baseline_partial(alu)
}

#[cfg(target_arch = "x86_64")]
others! { baseline_partial, BaselinePartial(Baseline), [] }
