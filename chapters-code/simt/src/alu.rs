//! The instructions that work on registers alone, for a warp at a time.
//!
//! [`Isa::execute`] runs one instruction in the lanes of a mask. Each operation is a loop over 32
//! lanes, compiled twice: for the instructions that every CPU of the architecture has, and, on
//! x86-64, for AVX2, which [`Isa::detect`] looks for once.
//!
//! The mask. A loop that skips lanes does not vectorise. So the loops compute and write all lanes,
//! and where the mask is not full, `partial` puts the inactive lanes of the destination back
//! afterwards. Instructions that write predicates or several registers take care of the mask
//! themselves, and so do those that go lane by lane.
//!
//! Results are those of PTX ISA section 9.7 as compute capability 9.0 has them, to the bit, except
//! for the approximate functions (`approx`).

mod address;
mod approx;
mod bin32;
mod carry;
mod compare;
mod convert;
mod convert_lane;
mod double_lanes;
mod exact;
mod float;
mod float_lanes;
mod half;
mod half_lanes;
mod int;
mod lanes;
mod pack;
mod select;
mod ter32;
mod un32;
mod vectors;
mod wide;

pub use address::Windows;
#[cfg(target_arch = "x86_64")]
pub use vectors::Avx2;
pub use vectors::{Baseline, Vectors};

use crate::registers::{ALL_LANES, LaneMask, Registers, blend32, blend64};
use carry::Flag;
use compare::{Compare32, Compare64};
use convert::PackedTarget;
use convert_lane::Conversion;
use ptx::ir::{Alu, Src};

/// The vector instructions to use, chosen once.
#[derive(Clone, Copy, Debug)]
pub enum Isa {
    /// Those of every CPU of the architecture.
    Baseline(Baseline),
    /// AVX2.
    #[cfg(target_arch = "x86_64")]
    Avx2(Avx2),
}

impl Isa {
    /// The best that this CPU has.
    pub fn detect() -> Self {
        #[cfg(target_arch = "x86_64")]
        if let Some(avx2) = Avx2::detect() {
            return Self::Avx2(avx2);
        }
        Self::Baseline(Baseline)
    }

    /// Executes `alu` in the lanes of `mask`.
    #[inline(always)]
    pub fn execute(self, alu: &Alu, regs: &mut Registers, mask: LaneMask, windows: &Windows) {
        match self {
            Self::Baseline(vectors) => execute(vectors, alu, regs, mask, windows),
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(vectors) => execute(vectors, alu, regs, mask, windows),
        }
    }
}

/// Executes `alu` in the lanes of `mask`.
#[inline(always)]
pub fn execute<V: Vectors>(
    vectors: V,
    alu: &Alu,
    regs: &mut Registers,
    mask: LaneMask,
    windows: &Windows,
) {
    if mask == ALL_LANES {
        vectors.whole(alu, regs, mask, windows);
    } else {
        vectors.partial(alu, regs, mask, windows);
    }
}

/// Executes `alu`, computing all lanes.
///
/// The lanes outside `mask` of the register that [`destination`] names are unspecified afterwards;
/// nothing else of them changes.
#[inline(always)]
fn execute_whole<V: Vectors>(
    vectors: V,
    alu: &Alu,
    regs: &mut Registers,
    mask: LaneMask,
    windows: &Windows,
) {
    match *alu {
        Alu::Un32 { op, d, a } => vectors.un32(op, regs, mask, d, a),
        Alu::Bin32 { op, d, a, b } => vectors.bin32(op, regs, mask, d, [a, b]),
        Alu::Ter32 { op, d, a, b, c } => vectors.ter32(op, regs, mask, d, [a, b, c]),
        Alu::Un64 { op, d, a } => vectors.un64(op, regs, mask, d, a),
        Alu::Bin64 { op, d, a, b } => vectors.bin64(op, regs, mask, d, [a, b]),
        Alu::Ter64 { op, d, a, b, c } => vectors.ter64(op, regs, mask, d, [a, b, c]),
        Alu::Shift64 { op, d, a, b } => wide::shift(op, regs, d, a, b),
        Alu::MulWide { signed, d, a, b } => wide::mul_wide(signed, regs, d, [a, b]),
        Alu::MadWide { signed, d, a, b, c } => wide::mad_wide(signed, regs, d, [a, b], c),
        Alu::Count64 { op, d, a } => wide::count(op, regs, d, a),
        Alu::Bfe64 { signed, d, a, b, c } => wide::bfe(signed, regs, d, a, [b, c]),
        Alu::Bfi64 { d, a, b, c, len } => wide::bfi(regs, d, [a, b], [c, len]),
        Alu::Bfi32 { d, a, b, c, len } => lanes::map4(regs, d, [a, b, c, len], int::bfi_b32),
        Alu::Lop3 { table, d, a, b, c } => {
            lanes::map3(regs, d, [a, b, c], |x, y, z| int::lop3(table, x, y, z));
        }
        Alu::AddCarry32 {
            d,
            a,
            b,
            carry,
            uses,
            sets,
        } => {
            carry::add32(
                regs,
                mask,
                d,
                [a, b],
                Flag {
                    register: carry,
                    uses,
                    sets,
                },
            );
        }
        Alu::SubBorrow32 {
            d,
            a,
            b,
            carry,
            uses,
            sets,
        } => {
            carry::sub32(
                regs,
                mask,
                d,
                [a, b],
                Flag {
                    register: carry,
                    uses,
                    sets,
                },
            );
        }
        Alu::AddCarry64 {
            d,
            a,
            b,
            carry,
            uses,
            sets,
        } => {
            carry::add64(
                regs,
                mask,
                d,
                [a, b],
                Flag {
                    register: carry,
                    uses,
                    sets,
                },
            );
        }
        Alu::SubBorrow64 {
            d,
            a,
            b,
            carry,
            uses,
            sets,
        } => {
            carry::sub64(
                regs,
                mask,
                d,
                [a, b],
                Flag {
                    register: carry,
                    uses,
                    sets,
                },
            );
        }
        Alu::Setp32 {
            cmp,
            ty,
            d,
            q,
            a,
            b,
            ref with,
        } => {
            vectors.setp32(Compare32 { cmp, ty, s: [a, b] }, regs, mask, (d, q), with);
        }
        Alu::Setp64 {
            cmp,
            ty,
            d,
            q,
            a,
            b,
            ref with,
        } => {
            vectors.setp64(Compare64 { cmp, ty, s: [a, b] }, regs, mask, (d, q), with);
        }
        Alu::SetMask { d, p, if_true } => select::set_mask(regs, d, p, if_true),
        Alu::Selp32 { d, a, b, p } => select::selp32(regs, d, [a, b], p),
        Alu::Selp64 { d, a, b, p } => select::selp64(regs, d, [a, b], p),
        Alu::Slct32 { float, d, a, b, c } => select::slct32(float, regs, d, [a, b, c]),
        Alu::Slct64 { float, d, a, b, c } => select::slct64(float, regs, d, [a, b], c),
        Alu::PredOp { op, d, a, b } => {
            let bits = compare::combine(op, regs.pred(a), regs.pred(b));
            regs.set_pred(d, bits, mask);
        }
        Alu::Cvt {
            from,
            to,
            round,
            sat,
            ftz,
            d,
            a,
        } => {
            let conversion = Conversion {
                from,
                to,
                round,
                sat,
                ftz,
            };
            vectors.convert(conversion, regs, mask, [d, a]);
        }
        Alu::CvtPack {
            to,
            round,
            relu,
            d,
            a,
            b,
        } => {
            vectors.pack_halves(PackedTarget { to, round, relu }, regs, mask, d, [a, b]);
        }
        Alu::Pack64 { d, lo, hi } => pack::pack64(regs, d, lo, hi),
        Alu::Unpack64 { lo, hi, a } => pack::unpack64(regs, mask, lo, hi, a),
        Alu::Pack32 { d, lo, hi } => pack::pack32(regs, d, lo, hi),
        Alu::Unpack32 { lo, hi, a } => pack::unpack32(regs, mask, lo, hi, a),
        Alu::Pack64x4 { d, s } => pack::pack64x4(regs, d, s),
        Alu::Unpack64x4 { ref d, a } => pack::unpack64x4(regs, mask, d, a),
        Alu::ToGeneric { space, d, a } => address::to_generic(windows, space, regs, d, a),
        Alu::FromGeneric { space, d, a } => address::from_generic(windows, space, regs, d, a),
        Alu::IsSpace { space, d, a } => address::is_space(windows, space, regs, mask, d, a),
        Alu::Testp32 { class, d, a } => compare::testp32(class, regs, mask, d, a),
        Alu::Testp64 { class, d, a } => compare::testp64(class, regs, mask, d, a),
    }
}

/// The register whose inactive lanes [`execute_whole`] overwrites; `None` where it does not.
fn destination(alu: &Alu) -> Option<Src> {
    match *alu {
        Alu::Un32 { d, .. }
        | Alu::Bin32 { d, .. }
        | Alu::Ter32 { d, .. }
        | Alu::Count64 { d, .. }
        | Alu::Bfi32 { d, .. }
        | Alu::Lop3 { d, .. }
        | Alu::SetMask { d, .. }
        | Alu::Selp32 { d, .. }
        | Alu::Slct32 { d, .. }
        | Alu::CvtPack { d, .. }
        | Alu::Pack32 { d, .. } => Some(Src::R32(d)),
        Alu::Un64 { d, .. }
        | Alu::Bin64 { d, .. }
        | Alu::Ter64 { d, .. }
        | Alu::Shift64 { d, .. }
        | Alu::MulWide { d, .. }
        | Alu::MadWide { d, .. }
        | Alu::Bfe64 { d, .. }
        | Alu::Bfi64 { d, .. }
        | Alu::Selp64 { d, .. }
        | Alu::Slct64 { d, .. }
        | Alu::Pack64 { d, .. }
        | Alu::Pack64x4 { d, .. }
        | Alu::ToGeneric { d, .. }
        | Alu::FromGeneric { d, .. } => Some(Src::R64(d)),
        Alu::Cvt { d, .. } => Some(d),
        Alu::AddCarry32 { .. }
        | Alu::SubBorrow32 { .. }
        | Alu::AddCarry64 { .. }
        | Alu::SubBorrow64 { .. }
        | Alu::Setp32 { .. }
        | Alu::Setp64 { .. }
        | Alu::PredOp { .. }
        | Alu::Unpack64 { .. }
        | Alu::Unpack32 { .. }
        | Alu::Unpack64x4 { .. }
        | Alu::IsSpace { .. }
        | Alu::Testp32 { .. }
        | Alu::Testp64 { .. } => None,
    }
}

/// Executes `alu` in some of the lanes.
#[inline(always)]
fn execute_partial<V: Vectors>(
    vectors: V,
    alu: &Alu,
    regs: &mut Registers,
    mask: LaneMask,
    windows: &Windows,
) {
    match destination(alu) {
        Some(Src::R32(d)) => {
            let before = *regs.r32(d);
            vectors.whole(alu, regs, mask, windows);
            blend32(regs.r32_mut(d), !mask, &before);
        }
        Some(Src::R64(d)) => {
            let before = *regs.r64(d);
            vectors.whole(alu, regs, mask, windows);
            blend64(regs.r64_mut(d), !mask, &before);
        }
        None => vectors.whole(alu, regs, mask, windows),
    }
}
