//! The two compilations of the instructions.
//!
//! Every loop is written once, inlined into the functions listed at the end of this file, and these
//! are compiled for each set of vector instructions. A function is listed where its caller should
//! not pay for its stack frame: the dispatch over all instructions has none.

use super::compare::{self, Compare32, Compare64, Target};
use super::convert::{self, PackedTarget};
use super::convert_lane::Conversion;
use super::half::{Order, Product, Sum};
use super::lanes::{lanes, map2, test};
use super::{Windows, bin32, execute_partial, execute_whole, half_lanes, int, ter32, un32, wide};
use crate::registers::{LaneMask, Lanes32, Lanes64, Registers};
use ptx::ir::{Alu, Bin32, Bin64, Combine, Half, R32, R64, Src, Ter32, Ter64, Un32, Un64};

/// The instructions of every CPU of the architecture.
#[derive(Clone, Copy, Debug)]
pub struct Baseline;

/// AVX2, and what came with it: proof that the CPU has them.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy, Debug)]
pub struct Avx2(());

#[cfg(target_arch = "x86_64")]
impl Avx2 {
    /// Asks the CPU.
    pub fn detect() -> Option<Self> {
        let all = is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("fma")
            && is_x86_feature_detected!("f16c")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("lzcnt")
            && is_x86_feature_detected!("popcnt");
        all.then_some(Self(()))
    }
}

/// Declares [`Vectors`] and implements it for both sets.
macro_rules! compile_for_each {
    ($($(#[$doc:meta])* $name:ident($($arg:ident: $ty:ty),*) $(-> $result:ty)? = |$vectors:ident| $body:expr;)*) => {
        /// A set of vector instructions, with the functions compiled for it.
        pub trait Vectors: Copy {
            $($(#[$doc])* fn $name(self, $($arg: $ty),*) $(-> $result)?;)*
        }

        impl Vectors for Baseline {
            $(
                #[inline(always)]
                fn $name(self, $($arg: $ty),*) $(-> $result)? {
                    #[inline(never)]
                    fn compiled($vectors: Baseline, $($arg: $ty),*) $(-> $result)? {
                        $body
                    }
                    compiled(self, $($arg),*)
                }
            )*
        }

        #[cfg(target_arch = "x86_64")]
        impl Vectors for Avx2 {
            $(
                #[inline(always)]
                fn $name(self, $($arg: $ty),*) $(-> $result)? {
                    #[inline(never)]
                    #[target_feature(enable = "avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt")]
                    fn compiled($vectors: Avx2, $($arg: $ty),*) $(-> $result)? {
                        $body
                    }
                    // SAFETY: `self` proves that the CPU has these features.
                    unsafe { compiled(self, $($arg),*) }
                }
            )*
        }
    };
}

compile_for_each! {
    /// Executes an instruction in all lanes, as `execute_whole` does.
    whole(alu: &Alu, regs: &mut Registers, mask: LaneMask, windows: &Windows) =
        |vectors| execute_whole(vectors, alu, regs, mask, windows);
    /// Executes an instruction in the lanes of `mask`.
    partial(alu: &Alu, regs: &mut Registers, mask: LaneMask, windows: &Windows) =
        |vectors| execute_partial(vectors, alu, regs, mask, windows);
    /// One operand, 32 bits.
    un32(op: Un32, regs: &mut Registers, mask: LaneMask, d: R32, a: R32) =
        |_vectors| un32::execute(op, regs, mask, d, a);
    /// Two operands, 32 bits.
    bin32(op: Bin32, regs: &mut Registers, mask: LaneMask, d: R32, s: [R32; 2]) =
        |vectors| bin32::execute(vectors, op, regs, mask, d, s);
    /// Three operands, 32 bits.
    ter32(op: Ter32, regs: &mut Registers, mask: LaneMask, d: R32, s: [R32; 3]) =
        |vectors| ter32::execute(vectors, op, regs, mask, d, s);
    /// One operand, 64 bits.
    un64(op: Un64, regs: &mut Registers, mask: LaneMask, d: R64, a: R64) =
        |_vectors| wide::unary(op, regs, mask, d, a);
    /// Two operands, 64 bits.
    bin64(op: Bin64, regs: &mut Registers, mask: LaneMask, d: R64, s: [R64; 2]) =
        |_vectors| wide::binary(op, regs, mask, d, s);
    /// Three operands, 64 bits.
    ter64(op: Ter64, regs: &mut Registers, mask: LaneMask, d: R64, s: [R64; 3]) =
        |_vectors| wide::ternary(op, regs, mask, d, s);
    /// `cvt`.
    convert(c: Conversion, regs: &mut Registers, mask: LaneMask, da: [Src; 2]) =
        |_vectors| convert::execute(c, regs, mask, da);
    /// `cvt` of two values into one register.
    pack_halves(c: PackedTarget, regs: &mut Registers, mask: LaneMask, d: R32, s: [R32; 2]) =
        |_vectors| convert::pack_halves(c, regs, mask, d, s);
    /// `setp` of 32-bit registers.
    setp32(
        compare: Compare32, regs: &mut Registers, mask: LaneMask, target: Target,
        with: &Option<Combine>
    ) = |vectors| compare::setp32(vectors, compare, regs, mask, target, with);
    /// `setp` of the types that are compared as another.
    setp_widened(
        compare: Compare32, regs: &mut Registers, mask: LaneMask, target: Target,
        with: &Option<Combine>
    ) = |vectors| compare::setp_widened(vectors, compare, regs, mask, target, with);
    /// `setp` of 64-bit registers.
    setp64(
        compare: Compare64, regs: &mut Registers, mask: LaneMask, target: Target,
        with: &Option<Combine>
    ) = |vectors| compare::setp64(vectors, compare, regs, mask, target, with);
    /// Lanes where `x == y`.
    equal_32(x: &Lanes32, y: &Lanes32) -> LaneMask = |_vectors| test!(i => x[i] == y[i]);
    /// Lanes where `x < y`, as `u32`.
    less_u32(x: &Lanes32, y: &Lanes32) -> LaneMask = |_vectors| test!(i => x[i] < y[i]);
    /// Lanes where `x < y`, as `i32`.
    less_s32(x: &Lanes32, y: &Lanes32) -> LaneMask = |_vectors| test!(i => (x[i] as i32) < (y[i] as i32));
    /// Lanes where `x == y`.
    equal_64(x: &Lanes64, y: &Lanes64) -> LaneMask = |_vectors| test!(i => x[i] == y[i]);
    /// Lanes where `x < y`, as `u64`.
    less_u64(x: &Lanes64, y: &Lanes64) -> LaneMask = |_vectors| test!(i => x[i] < y[i]);
    /// Lanes where `x < y`, as `i64`.
    less_s64(x: &Lanes64, y: &Lanes64) -> LaneMask = |_vectors| test!(i => (x[i] as i64) < (y[i] as i64));
    /// Lanes where `x < y`, as `f32`.
    less_f32(x: &Lanes32, y: &Lanes32) -> LaneMask = |_vectors| test!(i => f32::from_bits(x[i]) < f32::from_bits(y[i]));
    /// Lanes where `x < y`, as `f64`.
    less_f64(x: &Lanes64, y: &Lanes64) -> LaneMask = |_vectors| test!(i => f64::from_bits(x[i]) < f64::from_bits(y[i]));
    /// Lanes where `x <= y`, as `f32`.
    less_or_equal_f32(x: &Lanes32, y: &Lanes32) -> LaneMask = |_vectors| test!(i => f32::from_bits(x[i]) <= f32::from_bits(y[i]));
    /// Lanes where `x <= y`, as `f64`.
    less_or_equal_f64(x: &Lanes64, y: &Lanes64) -> LaneMask = |_vectors| test!(i => f64::from_bits(x[i]) <= f64::from_bits(y[i]));
    /// Lanes where `x == y`, as `f32`.
    equal_f32(x: &Lanes32, y: &Lanes32) -> LaneMask = |_vectors| test!(i => f32::from_bits(x[i]) == f32::from_bits(y[i]));
    /// Lanes where `x == y`, as `f64`.
    equal_f64(x: &Lanes64, y: &Lanes64) -> LaneMask = |_vectors| test!(i => f64::from_bits(x[i]) == f64::from_bits(y[i]));
    /// `div.u32`.
    div_u32(regs: &mut Registers, d: R32, s: [R32; 2]) =
        |_vectors| map2(regs, d, s, int::div_u32);
    /// `div.s32`.
    div_s32(regs: &mut Registers, d: R32, s: [R32; 2]) =
        |_vectors| map2(regs, d, s, int::div_s32);
    /// `rem.u32`.
    rem_u32(regs: &mut Registers, d: R32, s: [R32; 2]) =
        |_vectors| map2(regs, d, s, int::rem_u32);
    /// `rem.s32`.
    rem_s32(regs: &mut Registers, d: R32, s: [R32; 2]) =
        |_vectors| map2(regs, d, s, int::rem_s32);
    /// `add` and `sub` of 16-bit floats.
    half_sum(f: Sum, half: Half, regs: &mut Registers, mask: LaneMask, d: R32, s: [R32; 2]) =
        |_vectors| half_lanes::binary(f, half, regs, mask, d, s);
    /// `mul` of 16-bit floats.
    half_product(half: Half, regs: &mut Registers, mask: LaneMask, d: R32, s: [R32; 2]) =
        |_vectors| half_lanes::binary(Product, half, regs, mask, d, s);
    /// `min` and `max` of 16-bit floats.
    half_order(f: Order, half: Half, regs: &mut Registers, mask: LaneMask, d: R32, s: [R32; 2]) =
        |_vectors| half_lanes::binary(f, half, regs, mask, d, s);
    /// `fma` of 16-bit floats.
    half_fused(half: Half, relu: bool, regs: &mut Registers, mask: LaneMask, d: R32, s: [R32; 3]) =
        |_vectors| half_lanes::fused(half, relu, regs, mask, d, s);
}
