//! Selects the function that executes a register instruction.
//!
//! A kernel executes each instruction many times, so [`Prepared`] looks once for its function. There
//! is one function per form of [`Alu`] and, for the frequent operations, one per operation. Both run
//! the same code: an operation that is known at compile time leaves one arm of its `match`.

use super::carry::{self, Flag};
use super::compare::{self, Compare32, Compare64};
use super::convert::{self, PackedTarget};
use super::convert_lane::Conversion;
#[cfg(not(target_arch = "x86_64"))]
use super::isa::BaselineFull;
#[cfg(target_arch = "x86_64")]
use super::isa::{Avx2, Avx2Full, Avx2Partial};
use super::isa::{Baseline, BaselinePartial, Isa, compiled};
use super::lanes::Lanes;
use super::{Windows, address, bin32, int, pack, select, ter32, un32, wide};
use crate::registers::{ALL_LANES, LaneMask, Registers};
use ptx::ir::{
    Alu, Bin32, Bin64, Cmp, CmpType32, CmpType64, Num, Round, Shift, Sign, Space, Ter32, Ter64,
    Un32, Un64,
};

/// Executes instructions of one kind, in all lanes or in those of the mask.
///
/// # Safety
///
/// The CPU must have the vector instructions that the function was compiled for. An instruction of
/// another kind has no effect.
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
            #[cfg(not(target_arch = "x86_64"))]
            Isa::Baseline(_) => [baseline_full(alu), baseline_partial(alu)],
            // All x86-64 CPUs of the last ten years have AVX2. A compilation of full masks for the
            // others would only lengthen the build.
            #[cfg(target_arch = "x86_64")]
            Isa::Baseline(_) => [baseline_partial(alu); 2],
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
        let function = if mask == ALL_LANES { self.full } else { self.partial };
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

/// Defines the function that selects among those compiled for one set of vector instructions. Each
/// row has a form of [`Alu`] with its fields, what executes it, and the frequent operations, which
/// are compiled separately.
macro_rules! select {
    // Without the functions for frequent operations.
    ($select:ident, $isa:ident, $set:expr, general; {$(
        $form:ident $fields:tt => $body:expr;
        $([$($operation:tt)*])*
    )*}, $lanes:ident, $windows:ident) => {
        select! { $select, $isa, $set, all; {$($form $fields => $body;)*}, $lanes, $windows }
    };
    ($select:ident, $isa:ident, $set:expr, all; {$(
        $form:ident $fields:tt => $body:expr;
        $([$($key:ident: $($value:ident)::+ $({ $($field:tt)* })? $(($($argument:tt)*))?),+])*
    )*}, $lanes:ident, $windows:ident) => {
        // The general function of a form is unreachable if all its operations are frequent.
        #[allow(unreachable_patterns)]
        fn $select(alu: &Alu) -> Function {
            match *alu {
                $(
                    $(
                        Alu::$form {
                            $($key: $($value)::+ $({ $($field)* })? $(($($argument)*))?,)+ ..
                        } => {
                            compiled! { $isa:
                                #[allow(unused_variables)]
                                fn frequent(
                                    alu: &Alu, regs: &mut Registers, mask: LaneMask, $windows: &Windows,
                                ) {
                                    let $lanes = Lanes { vectors: $set, regs, mask };
                                    if let Alu::$form $fields = *alu {
                                        $(let $key = $($value)::+ $({ $($field)* })? $(($($argument)*))?;)+
                                        $body
                                    }
                                }
                            }
                            frequent
                        }
                    )*
                    Alu::$form { .. } => {
                        compiled! { $isa:
                            #[allow(unused_mut)]
                            fn general(
                                alu: &Alu, regs: &mut Registers, mask: LaneMask, $windows: &Windows,
                            ) {
                                let $lanes = Lanes { vectors: $set, regs, mask };
                                let _ = $windows;
                                if let Alu::$form $fields = *alu {
                                    $body
                                }
                            }
                        }
                        general
                    }
                )*
            }
        }
    };
}

/// All register instructions, for one set of vector instructions.
macro_rules! instructions {
    ($select:ident, $isa:ident, $set:expr, $which:ident) => { select! { $select, $isa, $set, $which; {
        Un32 { op, d, a } => un32::execute(lanes, op, d, a);
            [op: Un32::Mov] [op: Un32::Neg] [op: Un32::Not] [op: Un32::Popc]
            [op: Un32::NegF32 { ftz: false }]
        Bin32 { op, d, a, b } => bin32::execute(lanes, op, d, [a, b]);
            [op: Bin32::Add] [op: Bin32::Sub] [op: Bin32::MulLo] [op: Bin32::MulHiU]
            [op: Bin32::DivU] [op: Bin32::DivS] [op: Bin32::RemU] [op: Bin32::RemS]
            [op: Bin32::And] [op: Bin32::Or] [op: Bin32::Xor]
            [op: Bin32::Shl] [op: Bin32::ShrU] [op: Bin32::ShrS]
            [op: Bin32::MinU] [op: Bin32::MinS] [op: Bin32::MaxU] [op: Bin32::MaxS]
            [op: Bin32::AddF32 { round: Round::NearestEven, ftz: false, sat: false }]
            [op: Bin32::SubF32 { round: Round::NearestEven, ftz: false, sat: false }]
            [op: Bin32::MulF32 { round: Round::NearestEven, ftz: false, sat: false }]
            [op: Bin32::MinF32 { ftz: false, nan: false }]
            [op: Bin32::MaxF32 { ftz: false, nan: false }]
        Ter32 { op, d, a, b, c } => ter32::execute(lanes, op, d, [a, b, c]);
            [op: Ter32::MadLo]
            [op: Ter32::FmaF32 { round: Round::NearestEven, ftz: false, sat: false }]
        Un64 { op, d, a } => wide::unary(lanes, op, d, a);
            [op: Un64::Mov] [op: Un64::Neg] [op: Un64::Not]
        Bin64 { op, d, a, b } => wide::binary(lanes, op, d, [a, b]);
            [op: Bin64::Add] [op: Bin64::Sub] [op: Bin64::MulLo]
            [op: Bin64::And] [op: Bin64::Or] [op: Bin64::Xor]
            [op: Bin64::MinU] [op: Bin64::MinS] [op: Bin64::MaxU] [op: Bin64::MaxS]
            [op: Bin64::AddF64(Round::NearestEven)] [op: Bin64::SubF64(Round::NearestEven)]
            [op: Bin64::MulF64(Round::NearestEven)]
            [op: Bin64::MinF64] [op: Bin64::MaxF64]
        Ter64 { op, d, a, b, c } => wide::ternary(lanes, op, d, [a, b, c]);
            [op: Ter64::MadLo] [op: Ter64::FmaF64(Round::NearestEven)]
        Shift64 { op, d, a, b } => wide::shift(lanes, op, d, a, b);
            [op: Shift::Left] [op: Shift::RightUnsigned] [op: Shift::RightSigned]
        MulWide { signed, d, a, b } => wide::mul_wide(lanes, signed, d, [a, b]);
            [signed: Sign::Unsigned] [signed: Sign::Signed]
        MadWide { signed, d, a, b, c } => wide::mad_wide(lanes, signed, d, [a, b], c);
            [signed: Sign::Unsigned] [signed: Sign::Signed]
        Count64 { op, d, a } => wide::count(op, lanes.regs, lanes.mask, d, a);
        Bfe64 { signed, d, a, b, c } =>
            wide::bfe(signed, lanes.regs, lanes.mask, d, a, [b, c]);
        Bfi64 { d, a, b, c, len } => wide::bfi(lanes.regs, lanes.mask, d, [a, b], [c, len]);
        Bfi32 { d, a, b, c, len } => lanes.map4(d, [a, b, c, len], int::bfi_b32);
        Lop3 { table, d, a, b, c } => lanes.map3(d, [a, b, c], |x, y, z| int::lop3(table, x, y, z));
        AddCarry32 { d, a, b, carry: register, uses, sets } =>
            carry::add32(lanes.regs, lanes.mask, d, [a, b], Flag { register, uses, sets });
        SubBorrow32 { d, a, b, carry: register, uses, sets } =>
            carry::sub32(lanes.regs, lanes.mask, d, [a, b], Flag { register, uses, sets });
        AddCarry64 { d, a, b, carry: register, uses, sets } =>
            carry::add64(lanes.regs, lanes.mask, d, [a, b], Flag { register, uses, sets });
        SubBorrow64 { d, a, b, carry: register, uses, sets } =>
            carry::sub64(lanes.regs, lanes.mask, d, [a, b], Flag { register, uses, sets });
        Setp32 { cmp, ty, d, q, a, b, ref with } =>
            compare::setp32(lanes, Compare32 { cmp, ty, s: [a, b] }, (d, q), with);
            [cmp: Cmp::Eq, ty: CmpType32::U32] [cmp: Cmp::Eq, ty: CmpType32::S32]
            [cmp: Cmp::Ne, ty: CmpType32::U32] [cmp: Cmp::Ne, ty: CmpType32::S32]
            [cmp: Cmp::Lt, ty: CmpType32::U32] [cmp: Cmp::Lt, ty: CmpType32::S32]
            [cmp: Cmp::Le, ty: CmpType32::U32] [cmp: Cmp::Le, ty: CmpType32::S32]
            [cmp: Cmp::Gt, ty: CmpType32::U32] [cmp: Cmp::Gt, ty: CmpType32::S32]
            [cmp: Cmp::Ge, ty: CmpType32::U32] [cmp: Cmp::Ge, ty: CmpType32::S32]
        Setp64 { cmp, ty, d, q, a, b, ref with } =>
            compare::setp64(lanes, Compare64 { cmp, ty, s: [a, b] }, (d, q), with);
            [cmp: Cmp::Eq, ty: CmpType64::U64] [cmp: Cmp::Eq, ty: CmpType64::S64]
            [cmp: Cmp::Ne, ty: CmpType64::U64] [cmp: Cmp::Ne, ty: CmpType64::S64]
            [cmp: Cmp::Lt, ty: CmpType64::U64] [cmp: Cmp::Lt, ty: CmpType64::S64]
            [cmp: Cmp::Le, ty: CmpType64::U64] [cmp: Cmp::Le, ty: CmpType64::S64]
            [cmp: Cmp::Gt, ty: CmpType64::U64] [cmp: Cmp::Gt, ty: CmpType64::S64]
            [cmp: Cmp::Ge, ty: CmpType64::U64] [cmp: Cmp::Ge, ty: CmpType64::S64]
        SetMask { d, p, if_true } => select::set_mask(lanes, d, p, if_true);
        Selp32 { d, a, b, p } => select::selp32(lanes, d, [a, b], p);
        Selp64 { d, a, b, p } => select::selp64(lanes, d, [a, b], p);
        Slct32 { by, d, a, b, c } => select::slct(by, lanes.regs, lanes.mask, d, [a, b], c);
        Slct64 { by, d, a, b, c } => select::slct(by, lanes.regs, lanes.mask, d, [a, b], c);
        PredOp { op, d, a, b } => compare::predicates(op, lanes.regs, lanes.mask, d, [a, b]);
        Cvt { from, to, round, sat, ftz, d, a } =>
            convert::execute(lanes, Conversion { from, to, round, sat, ftz }, [d, a]);
            [from: Num::U32, to: Num::U64] [from: Num::S32, to: Num::S64]
            [from: Num::U64, to: Num::U32]
        CvtPack { to, round, relu, d, a, b } =>
            convert::pack_halves(lanes, PackedTarget { to, round, relu }, d, [a, b]);
        Pack64 { d, lo, hi } => pack::pack64(lanes, d, [lo, hi]);
        Unpack64 { lo, hi, a } => pack::unpack64(lanes, lo, hi, a);
        Pack32 { d, lo, hi } => pack::pack32(lanes, d, [lo, hi]);
        Unpack32 { lo, hi, a } => pack::unpack32(lanes, lo, hi, a);
        Pack64x4 { d, s } => pack::pack64x4(lanes.regs, lanes.mask, d, s);
        Unpack64x4 { ref d, a } => pack::unpack64x4(lanes.regs, lanes.mask, d, a);
        ToGeneric { space, d, a } => address::to_generic(lanes, windows.base(space), d, a);
            [space: Space::Global]
        FromGeneric { space, d, a } => address::from_generic(lanes, windows.base(space), d, a);
            [space: Space::Global]
        IsSpace { space, d, a } => address::is_space(windows, space, lanes.regs, lanes.mask, d, a);
        Testp32 { class, d, a } => compare::testp32(class, lanes.regs, lanes.mask, d, a);
        Testp64 { class, d, a } => compare::testp64(class, lanes.regs, lanes.mask, d, a);
    }, lanes, windows } };
}

#[cfg(not(target_arch = "x86_64"))]
instructions! { baseline_full, Baseline, BaselineFull(Baseline), all }
#[cfg(not(target_arch = "x86_64"))]
instructions! { baseline_partial, Baseline, BaselinePartial(Baseline), all }
#[cfg(target_arch = "x86_64")]
instructions! { baseline_partial, Baseline, BaselinePartial(Baseline), general }
#[cfg(target_arch = "x86_64")]
instructions! { avx2_full, Avx2, Avx2Full(Avx2::here()), all }
#[cfg(target_arch = "x86_64")]
instructions! { avx2_partial, Avx2, Avx2Partial(Avx2::here()), all }
// The compiler finds the wider vectors, and masks for the partial ones, in the same code.
#[cfg(target_arch = "x86_64")]
instructions! { avx512_full, Avx512, Avx2Full(Avx2::here()), all }
#[cfg(target_arch = "x86_64")]
instructions! { avx512_partial, Avx512, Avx2Partial(Avx2::here()), all }
