//! Register-to-register instructions, executed for a whole warp at a time.
//!
//! [`Prepared::execute`] runs one instruction in the lanes of a mask. Each operation is a loop over
//! 32 lanes. The loop is compiled for the instructions that every CPU of the architecture has and,
//! on x86-64, for AVX2; the frequent operations are also compiled for AVX-512. [`Isa::detect`]
//! chooses once.
//!
//! A loop that skips lanes does not vectorise. The loops therefore compute all lanes, and a partial
//! mask only restricts which lanes are written. Full and partial masks have a compilation each, so
//! that a full mask costs nothing.
//!
//! Results are those of PTX ISA section 9.7 for compute capability 9.0, bit for bit, except for the
//! approximate functions (`approx`).

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
mod frequent;
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
pub use frequent::{Prepared, execute_all};
pub use vectors::Baseline;
#[cfg(target_arch = "x86_64")]
pub use vectors::{Avx2, Avx512};

use crate::registers::{LaneMask, Registers};
use carry::Flag;
use compare::{Compare32, Compare64};
use convert::PackedTarget;
use convert_lane::Conversion;
use lanes::Lanes;
use ptx::ir::Alu;
use vectors::Vectors;

/// The vector instructions to use, chosen once per process.
#[derive(Clone, Copy, Debug)]
pub enum Isa {
    /// The instructions that every CPU of the architecture has.
    Baseline(Baseline),
    /// AVX2.
    #[cfg(target_arch = "x86_64")]
    Avx2(Avx2),
    /// AVX-512 for the frequent instructions, and AVX2 for the others.
    #[cfg(target_arch = "x86_64")]
    Avx512(Avx512),
}

impl Isa {
    /// Returns the best set that this CPU has.
    pub fn detect() -> Self {
        Self::available().last().unwrap_or(Self::Baseline(Baseline))
    }

    /// Returns all sets that this CPU has, the best one last.
    pub fn available() -> impl Iterator<Item = Self> {
        let all = std::iter::once(Self::Baseline(Baseline));
        #[cfg(target_arch = "x86_64")]
        let all = all
            .chain(Avx2::detect().map(Self::Avx2))
            .chain(Avx512::detect().map(Self::Avx512));
        all
    }

    /// Executes `alu` in the lanes of `mask`. Callers that execute it often use [`Prepared`]
    /// instead.
    pub fn execute(self, alu: &Alu, regs: &mut Registers, mask: LaneMask, windows: &Windows) {
        Prepared::new(self, alu).execute(regs, mask, windows);
    }
}

/// Executes `alu` by finding out which operation it is.
#[inline(always)]
fn execute_lanes<V: Vectors>(lanes: Lanes<'_, V>, alu: &Alu, windows: &Windows) {
    match *alu {
        Alu::Un32 { op, d, a } => V::un32(lanes, op, d, a),
        Alu::Bin32 { op, d, a, b } => V::bin32(lanes, op, d, [a, b]),
        Alu::Ter32 { op, d, a, b, c } => V::ter32(lanes, op, d, [a, b, c]),
        Alu::Un64 { op, d, a } => V::un64(lanes, op, d, a),
        Alu::Bin64 { op, d, a, b } => V::bin64(lanes, op, d, [a, b]),
        Alu::Ter64 { op, d, a, b, c } => V::ter64(lanes, op, d, [a, b, c]),
        Alu::Shift64 { op, d, a, b } => wide::shift(lanes, op, d, a, b),
        Alu::MulWide { signed, d, a, b } => wide::mul_wide(lanes, signed, d, [a, b]),
        Alu::MadWide { signed, d, a, b, c } => wide::mad_wide(lanes, signed, d, [a, b], c),
        Alu::Count64 { op, d, a } => wide::count(op, lanes.regs, lanes.mask, d, a),
        Alu::Bfe64 { signed, d, a, b, c } => {
            wide::bfe(signed, lanes.regs, lanes.mask, d, a, [b, c]);
        }
        Alu::Bfi64 { d, a, b, c, len } => {
            wide::bfi(lanes.regs, lanes.mask, d, [a, b], [c, len]);
        }
        Alu::Bfi32 { d, a, b, c, len } => V::bfi32(lanes, d, [a, b, c, len]),
        Alu::Lop3 { table, d, a, b, c } => V::lop3(lanes, table, d, [a, b, c]),
        Alu::AddCarry32 {
            d,
            a,
            b,
            carry,
            uses,
            sets,
        } => {
            let flag = Flag {
                register: carry,
                uses,
                sets,
            };
            carry::add32(lanes.regs, lanes.mask, d, [a, b], flag);
        }
        Alu::SubBorrow32 {
            d,
            a,
            b,
            carry,
            uses,
            sets,
        } => {
            let flag = Flag {
                register: carry,
                uses,
                sets,
            };
            carry::sub32(lanes.regs, lanes.mask, d, [a, b], flag);
        }
        Alu::AddCarry64 {
            d,
            a,
            b,
            carry,
            uses,
            sets,
        } => {
            let flag = Flag {
                register: carry,
                uses,
                sets,
            };
            carry::add64(lanes.regs, lanes.mask, d, [a, b], flag);
        }
        Alu::SubBorrow64 {
            d,
            a,
            b,
            carry,
            uses,
            sets,
        } => {
            let flag = Flag {
                register: carry,
                uses,
                sets,
            };
            carry::sub64(lanes.regs, lanes.mask, d, [a, b], flag);
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
            V::setp32(lanes, Compare32 { cmp, ty, s: [a, b] }, (d, q), with);
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
            V::setp64(lanes, Compare64 { cmp, ty, s: [a, b] }, (d, q), with);
        }
        Alu::SetMask { d, p, if_true } => select::set_mask(lanes, d, p, if_true),
        Alu::Selp32 { d, a, b, p } => select::selp32(lanes, d, [a, b], p),
        Alu::Selp64 { d, a, b, p } => select::selp64(lanes, d, [a, b], p),
        Alu::Slct32 { by, d, a, b, c } => {
            select::slct32(by, lanes.regs, lanes.mask, d, [a, b, c]);
        }
        Alu::Slct64 { by, d, a, b, c } => {
            select::slct64(by, lanes.regs, lanes.mask, d, [a, b], c);
        }
        Alu::PredOp { op, d, a, b } => {
            let bits = compare::combine(op, lanes.regs.pred(a), lanes.regs.pred(b));
            lanes.regs.set_pred(d, bits, lanes.mask);
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
            V::convert(
                lanes,
                Conversion {
                    from,
                    to,
                    round,
                    sat,
                    ftz,
                },
                [d, a],
            );
        }
        Alu::CvtPack {
            to,
            round,
            relu,
            d,
            a,
            b,
        } => {
            V::pack_halves(lanes, PackedTarget { to, round, relu }, d, [a, b]);
        }
        Alu::Pack64 { d, lo, hi } => {
            lanes.map_32_32(d, [lo, hi], |lo, hi| u64::from(lo) | (u64::from(hi) << 32));
        }
        Alu::Unpack64 { lo, hi, a } => pack::unpack64(lanes, lo, hi, a),
        Alu::Pack32 { d, lo, hi } => {
            lanes.map2(d, [lo, hi], |lo, hi| (lo & 0xffff) | (hi << 16));
        }
        Alu::Unpack32 { lo, hi, a } => pack::unpack32(lanes, lo, hi, a),
        Alu::Pack64x4 { d, s } => pack::pack64x4(lanes.regs, lanes.mask, d, s),
        Alu::Unpack64x4 { ref d, a } => pack::unpack64x4(lanes.regs, lanes.mask, d, a),
        Alu::ToGeneric { space, d, a } => {
            let base = windows.base(space);
            lanes.map1_64(d, a, |x| x.wrapping_add(base));
        }
        Alu::FromGeneric { space, d, a } => {
            let base = windows.base(space);
            lanes.map1_64(d, a, |x| x.wrapping_sub(base));
        }
        Alu::IsSpace { space, d, a } => {
            address::is_space(windows, space, lanes.regs, lanes.mask, d, a);
        }
        Alu::Testp32 { class, d, a } => compare::testp32(class, lanes.regs, lanes.mask, d, a),
        Alu::Testp64 { class, d, a } => compare::testp64(class, lanes.regs, lanes.mask, d, a),
    }
}
