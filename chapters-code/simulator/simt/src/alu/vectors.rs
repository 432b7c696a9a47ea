//! The compilations of the register instructions.
//!
//! Every loop is written once and inlined into the functions listed at the end of this file. These
//! are compiled up to four times: for each set of vector instructions, and for full and partial
//! masks. A function is listed if its caller should not pay for its stack frame; the dispatch over
//! the instructions has none.

use super::compare::{Compare32, Compare64, Related, Target, relate32, relate64};
use super::convert::{self, PackedTarget};
use super::convert_lane::Conversion;
use super::half::{Order, Product, Sum};
use super::lanes::Lanes;
use super::{bin32, compare, half_lanes, int, ter32, un32, wide};
use ptx::ir::{Bin32, Bin64, Combine, Half, R32, R64, Src, Ter32, Ter64, Un32, Un64};

/// The instructions of every CPU of the architecture.
#[derive(Clone, Copy, Debug)]
pub struct Baseline;

/// AVX2 and the extensions that came with it. A value proves that the CPU has them.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy, Debug)]
pub struct Avx2(());

#[cfg(target_arch = "x86_64")]
impl Avx2 {
    /// Queries the CPU.
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

    /// Returns the proof. A caller that may call this without `unsafe` has queried the CPU already.
    #[target_feature(enable = "avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt")]
    pub(super) fn here() -> Self {
        Self(())
    }
}

/// The AVX-512 extensions for words that all CPUs with AVX-512 have. A value proves that the CPU
/// has them.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy, Debug)]
pub struct Avx512(());

#[cfg(target_arch = "x86_64")]
impl Avx512 {
    /// Queries the CPU.
    pub fn detect() -> Option<Self> {
        let all = Avx2::detect().is_some()
            && is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vl");
        all.then_some(Self(()))
    }
}

/// [`Baseline`], for full masks.
#[cfg(not(target_arch = "x86_64"))]
#[derive(Clone, Copy)]
pub struct BaselineFull(pub Baseline);

/// [`Baseline`], for any mask.
#[derive(Clone, Copy)]
pub struct BaselinePartial(pub Baseline);

/// [`Avx2`], for full masks.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy)]
pub struct Avx2Full(pub Avx2);

/// [`Avx2`], for any mask.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy)]
pub struct Avx2Partial(pub Avx2);

/// Declares [`Vectors`] and implements it for each set.
macro_rules! compile {
    ($functions:tt) => {
        declare! { $functions }
        #[cfg(not(target_arch = "x86_64"))]
        implement! { [] BaselineFull false false $functions }
        implement! { [] BaselinePartial true false $functions }
        #[cfg(target_arch = "x86_64")]
        implement! {
            [#[target_feature(enable = "avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt")]]
            Avx2Full false true $functions
        }
        #[cfg(target_arch = "x86_64")]
        implement! {
            [#[target_feature(enable = "avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt")]]
            Avx2Partial true true $functions
        }
    };
}

/// Declares [`Vectors`].
macro_rules! declare {
    ({$($(#[$doc:meta])* $name:ident($($arg:ident: $ty:ty),*) = |$lanes:ident| $body:expr;)*}) => {
        /// A set of vector instructions, and the functions compiled for it.
        pub trait Vectors: Copy {
            /// Whether some lanes may be inactive.
            const MASKED: bool;
            /// Whether its functions are compiled for AVX2.
            #[cfg_attr(not(target_arch = "x86_64"), expect(dead_code))]
            const AVX2: bool;
            $($(#[$doc])* fn $name(lanes: Lanes<'_, Self>, $($arg: $ty),*);)*
        }
    };
}

/// Implements [`Vectors`] for one set, with these attributes on its functions.
macro_rules! implement {
    (
        $attributes:tt $set:ident $masked:literal $avx2:literal
        {$($(#[$doc:meta])* $name:ident($($arg:ident: $ty:ty),*) = |$lanes:ident| $body:expr;)*}
    ) => {
        impl Vectors for $set {
            const MASKED: bool = $masked;
            const AVX2: bool = $avx2;
            $(function! { $attributes $name($($arg: $ty),*) = |$lanes: $set| $body })*
        }
    };
}

/// Defines one function of [`Vectors`] and its implementation.
macro_rules! function {
    (
        [$($attribute:tt)*]
        $name:ident($($arg:ident: $ty:ty),*) = |$lanes:ident: $set:ident| $body:expr
    ) => {
        #[inline(always)]
        fn $name(lanes: Lanes<'_, Self>, $($arg: $ty),*) {
            #[inline(never)]
            $($attribute)*
            fn compiled($lanes: Lanes<'_, $set>, $($arg: $ty),*) {
                $body
            }
            // SAFETY: the set's value in `lanes` proves that the CPU has the features that the
            // attributes enable.
            #[allow(unused_unsafe)]
            unsafe {
                compiled(lanes, $($arg),*);
            }
        }
    };
}

compile! {{
    /// One operand, 32 bits.
    un32(op: Un32, d: R32, a: R32) =
        |lanes| un32::execute(lanes, op, d, a);
    /// Two operands, 32 bits.
    bin32(op: Bin32, d: R32, s: [R32; 2]) =
        |lanes| bin32::execute(lanes, op, d, s);
    /// Three operands, 32 bits.
    ter32(op: Ter32, d: R32, s: [R32; 3]) =
        |lanes| ter32::execute(lanes, op, d, s);
    /// `lop3`.
    lop3(table: u8, d: R32, s: [R32; 3]) =
        |lanes| lanes.map3(d, s, |x, y, z| int::lop3(table, x, y, z));
    /// `bfi.b32`.
    bfi32(d: R32, s: [R32; 4]) =
        |lanes| lanes.map4(d, s, int::bfi_b32);
    /// One operand, 64 bits.
    un64(op: Un64, d: R64, a: R64) =
        |lanes| wide::unary(lanes, op, d, a);
    /// Two operands, 64 bits.
    bin64(op: Bin64, d: R64, s: [R64; 2]) =
        |lanes| wide::binary(lanes, op, d, s);
    /// Three operands, 64 bits.
    ter64(op: Ter64, d: R64, s: [R64; 3]) =
        |lanes| wide::ternary(lanes, op, d, s);
    /// `cvt`.
    convert(c: Conversion, da: [Src; 2]) =
        |lanes| convert::execute(lanes, c, da);
    /// `cvt` of two values into one register.
    pack_halves(c: PackedTarget, d: R32, s: [R32; 2]) =
        |lanes| convert::pack_halves(lanes, c, d, s);
    /// `div.u32`.
    div_u32(d: R32, s: [R32; 2]) =
        |lanes| lanes.map2(d, s, int::div_u32);
    /// `div.s32`.
    div_s32(d: R32, s: [R32; 2]) =
        |lanes| lanes.map2(d, s, int::div_s32);
    /// `rem.u32`.
    rem_u32(d: R32, s: [R32; 2]) =
        |lanes| lanes.map2(d, s, int::rem_u32);
    /// `rem.s32`.
    rem_s32(d: R32, s: [R32; 2]) =
        |lanes| lanes.map2(d, s, int::rem_s32);
    /// `add` and `sub` of 16-bit floats.
    half_sum(f: Sum, half: Half, d: R32, s: [R32; 2]) =
        |lanes| half_lanes::binary(lanes, f, half, d, s);
    /// `mul` of 16-bit floats.
    half_product(half: Half, d: R32, s: [R32; 2]) =
        |lanes| half_lanes::binary(lanes, Product, half, d, s);
    /// `min` and `max` of 16-bit floats.
    half_order(f: Order, half: Half, d: R32, s: [R32; 2]) =
        |lanes| half_lanes::binary(lanes, f, half, d, s);
    /// `fma` of 16-bit floats.
    half_fused(half: Half, relu: bool, d: R32, s: [R32; 3]) =
        |lanes| half_lanes::fused(lanes, half, relu, d, s);
    /// `setp` of 32-bit registers.
    setp32(compare: Compare32, target: Target, with: &Option<Combine>) =
        |lanes| compare::setp32(lanes, compare, target, with);
    /// `setp` of 64-bit registers.
    setp64(compare: Compare64, target: Target, with: &Option<Combine>) =
        |lanes| compare::setp64(lanes, compare, target, with);
    /// Equality of integers.
    equal_32(c: Related<R32>, target: Target, with: &Option<Combine>) =
        |lanes| relate32(lanes, c, target, with, |x, y| x == y);
    /// Order of unsigned integers.
    less_u32(c: Related<R32>, target: Target, with: &Option<Combine>) =
        |lanes| relate32(lanes, c, target, with, |x, y| x < y);
    /// Order of signed integers.
    less_s32(c: Related<R32>, target: Target, with: &Option<Combine>) =
        |lanes| relate32(lanes, c, target, with, |x, y| (x as i32) < (y as i32));
    /// Equality of floats.
    equal_f32(c: Related<R32>, target: Target, with: &Option<Combine>) =
        |lanes| relate32(lanes, c, target, with, |x, y| f32::from_bits(x) == f32::from_bits(y));
    /// `<` of floats.
    less_f32(c: Related<R32>, target: Target, with: &Option<Combine>) =
        |lanes| relate32(lanes, c, target, with, |x, y| f32::from_bits(x) < f32::from_bits(y));
    /// `<=` of floats.
    less_or_equal_f32(c: Related<R32>, target: Target, with: &Option<Combine>) =
        |lanes| relate32(lanes, c, target, with, |x, y| f32::from_bits(x) <= f32::from_bits(y));
    /// Equality of integers.
    equal_64(c: Related<R64>, target: Target, with: &Option<Combine>) =
        |lanes| relate64(lanes, c, target, with, |x, y| x == y);
    /// Order of unsigned integers.
    less_u64(c: Related<R64>, target: Target, with: &Option<Combine>) =
        |lanes| relate64(lanes, c, target, with, |x, y| x < y);
    /// Order of signed integers.
    less_s64(c: Related<R64>, target: Target, with: &Option<Combine>) =
        |lanes| relate64(lanes, c, target, with, |x, y| (x as i64) < (y as i64));
    /// Equality of floats.
    equal_f64(c: Related<R64>, target: Target, with: &Option<Combine>) =
        |lanes| relate64(lanes, c, target, with, |x, y| f64::from_bits(x) == f64::from_bits(y));
    /// `<` of floats.
    less_f64(c: Related<R64>, target: Target, with: &Option<Combine>) =
        |lanes| relate64(lanes, c, target, with, |x, y| f64::from_bits(x) < f64::from_bits(y));
    /// `<=` of floats.
    less_or_equal_f64(c: Related<R64>, target: Target, with: &Option<Combine>) =
        |lanes| relate64(lanes, c, target, with, |x, y| f64::from_bits(x) <= f64::from_bits(y));
}}
