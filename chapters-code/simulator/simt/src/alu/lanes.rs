//! Loops over the lanes of a warp.
//!
//! The `map` functions are inlined with their operation, become vector instructions, and compute
//! all 32 lanes. The `each` functions are compiled once, call their operation through a pointer,
//! and skip inactive lanes; they are for rare operations and those without a vector form.
//! [`with`] is an `each` function that takes a closure, for callers that are out of line
//! already: a closure with captures needs a stack frame, which the fast paths avoid.
//!
//! All functions read every operand before they write, so a destination may be one of the operands.
//!
//! A `match` over operations calls a `map` function in each arm, and that function looks up its
//! registers. If the lookup were before the `match`, LLVM would move the loads that all arms share
//! to its front, element by element, and would then find no vectors.

use super::isa::Vectors;
use crate::registers::{LANES, LaneMask, Lanes32, Lanes64, Register, Registers};
use ptx::ir::{R32, R64};

/// Builds the row with `value` in each lane; `value` is an expression in the name of the lane.
///
/// This is a macro, and so are its users if operations are long: a long closure would be called and
/// not inlined, and a loop with a call in it does not vectorise.
macro_rules! row {
    ($lane:ident => $value:expr) => {{
        let mut row = [Default::default(); $crate::registers::LANES];
        for $lane in 0..$crate::registers::LANES {
            row[$lane] = $value;
        }
        row
    }};
}

/// Builds the mask of the lanes in which `condition` holds; it is an expression in the name of the
/// lane.
macro_rules! test {
    ($lane:ident => $condition:expr) => {
        $crate::alu::lanes::gather_bits(&row!($lane => if $condition { !0 } else { 0 }))
    };
}

/// Builds the mask as `test` does, in a compilation for `$set`.
macro_rules! test_in {
    ($set:ty, $lane:ident => $condition:expr) => {
        $crate::alu::lanes::gather_bits_in::<$set>(&row!($lane => if $condition { !0 } else { 0 }))
    };
}

pub(super) use {row, test, test_in};

/// The lanes and the vector instructions with which an instruction is executed.
pub struct Lanes<'a, V> {
    /// The registers of the warp.
    pub regs: &'a mut Registers,
    /// The active lanes. These are all lanes unless [`Vectors::MASKED`].
    pub mask: LaneMask,
    /// Proof that the CPU has the instructions.
    #[allow(dead_code)]
    pub vectors: V,
}

impl<V: Vectors> Lanes<'_, V> {
    /// Writes the active lanes of a register.
    #[inline(always)]
    pub fn write<D: Register>(&mut self, d: D, row: &[D::Value; LANES]) {
        if V::MASKED {
            d.write(self.regs, self.mask, row);
        } else {
            *d.row_mut(self.regs) = *row;
        }
    }

    /// Computes `d = f(a)`.
    #[inline(always)]
    pub fn map1<D: Register, S: Register>(mut self, d: D, a: S, f: impl Fn(S::Value) -> D::Value) {
        let a = a.row(self.regs);
        let out = row!(i => f(a[i]));
        self.write(d, &out);
    }

    /// Computes `d = f(a, b)`, with `s = [a, b]`.
    #[inline(always)]
    pub fn map2<D: Register, S: Register>(
        mut self,
        d: D,
        s: [S; 2],
        f: impl Fn(S::Value, S::Value) -> D::Value,
    ) {
        let (a, b) = (s[0].row(self.regs), s[1].row(self.regs));
        let out = row!(i => f(a[i], b[i]));
        self.write(d, &out);
    }

    /// Computes `d = f(a, b, c)`, with `s = [a, b, c]`.
    #[inline(always)]
    pub fn map3<R: Register>(
        mut self,
        d: R,
        s: [R; 3],
        f: impl Fn(R::Value, R::Value, R::Value) -> R::Value,
    ) {
        let regs = &*self.regs;
        let (a, b, c) = (s[0].row(regs), s[1].row(regs), s[2].row(regs));
        let out = row!(i => f(a[i], b[i], c[i]));
        self.write(d, &out);
    }

    /// Computes `d = f(a, b, c, e)`, with `s = [a, b, c, e]`.
    #[inline(always)]
    pub fn map4(mut self, d: R32, s: [R32; 4], f: impl Fn(u32, u32, u32, u32) -> u32) {
        let regs = &*self.regs;
        let (a, b) = (regs.r32(s[0]), regs.r32(s[1]));
        let (c, e) = (regs.r32(s[2]), regs.r32(s[3]));
        let out = row!(i => f(a[i], b[i], c[i], e[i]));
        self.write(d, &out);
    }

    /// Computes `d = f(a, b)` for a 64-bit `a` and a 32-bit `b`.
    #[inline(always)]
    pub fn map_64_32(mut self, d: R64, a: R64, b: R32, f: impl Fn(u64, u32) -> u64) {
        let (a, b) = (self.regs.r64(a), self.regs.r32(b));
        let out = row!(i => f(a[i], b[i]));
        self.write(d, &out);
    }

    /// Computes a 64-bit `d = f(a, b, c)` for 32-bit `a` and `b` and a 64-bit `c`.
    #[inline(always)]
    pub fn map_32_32_64(mut self, d: R64, s: [R32; 2], c: R64, f: impl Fn(u32, u32, u64) -> u64) {
        let regs = &*self.regs;
        let (a, b, c) = (regs.r32(s[0]), regs.r32(s[1]), regs.r64(c));
        let out = row!(i => f(a[i], b[i], c[i]));
        self.write(d, &out);
    }

    /// Computes `d = f(a)`, lane by lane.
    #[inline(always)]
    pub fn each1<R: Register>(self, d: R, a: R, f: fn(R::Value) -> R::Value) {
        each1(self.regs, self.mask, d, a, f);
    }

    /// Computes `d = f(a, b)`, lane by lane.
    #[inline(always)]
    pub fn each2<R: Register>(self, d: R, s: [R; 2], f: fn(R::Value, R::Value) -> R::Value) {
        each2(self.regs, self.mask, d, s, f);
    }

    /// Computes `d = f(a, b, c)`, lane by lane.
    #[inline(always)]
    pub fn each3<R: Register>(
        self,
        d: R,
        s: [R; 3],
        f: fn(R::Value, R::Value, R::Value) -> R::Value,
    ) {
        each3(self.regs, self.mask, d, s, f);
    }
}

/// Iterates over the lanes of a mask in ascending order.
pub fn active(mask: LaneMask) -> impl Iterator<Item = usize> {
    crate::counters::lanes(mask).map(|lane| lane as usize)
}

/// Computes `d = f(s)` in the lanes of `mask`.
#[inline(always)]
pub fn with<R: Register, const N: usize>(
    regs: &mut Registers,
    mask: LaneMask,
    d: R,
    s: [R; N],
    f: impl Fn([R::Value; N]) -> R::Value,
) {
    for lane in active(mask) {
        let operands = s.map(|r| r.row(regs)[lane]);
        d.row_mut(regs)[lane] = f(operands);
    }
}

/// Computes `d = f(a)` in the lanes of `mask`.
#[inline(never)]
fn each1<R: Register>(
    regs: &mut Registers,
    mask: LaneMask,
    d: R,
    a: R,
    f: fn(R::Value) -> R::Value,
) {
    with(regs, mask, d, [a], |[a]| f(a));
}

/// Computes `d = f(a, b)` in the lanes of `mask`.
#[inline(never)]
fn each2<R: Register>(
    regs: &mut Registers,
    mask: LaneMask,
    d: R,
    s: [R; 2],
    f: fn(R::Value, R::Value) -> R::Value,
) {
    with(regs, mask, d, s, |[a, b]| f(a, b));
}

/// Computes `d = f(a, b, c)` in the lanes of `mask`.
#[inline(never)]
fn each3<R: Register>(
    regs: &mut Registers,
    mask: LaneMask,
    d: R,
    s: [R; 3],
    f: fn(R::Value, R::Value, R::Value) -> R::Value,
) {
    with(regs, mask, d, s, |[a, b, c]| f(a, b, c));
}

/// Returns the lanes whose word is all ones. Every word is all ones or zero.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub fn gather_bits(words: &Lanes32) -> LaneMask {
    use std::arch::x86_64::{
        __m128i, _mm_movemask_epi8, _mm_packs_epi16, _mm_packs_epi32, _mm_set_epi32,
    };

    /// Returns lanes `i` to `i + 3` as a vector.
    #[inline(always)]
    fn four(words: &Lanes32, i: usize) -> __m128i {
        let [a, b, c, d] = [words[i], words[i + 1], words[i + 2], words[i + 3]];
        // SAFETY: needs SSE2, which every x86-64 has.
        unsafe { _mm_set_epi32(d as i32, c as i32, b as i32, a as i32) }
    }

    /// Returns a bit for each of the lanes `i` to `i + 15`.
    #[inline(always)]
    fn sixteen(words: &Lanes32, i: usize) -> u32 {
        // SAFETY: as above.
        unsafe {
            let lower = _mm_packs_epi32(four(words, i), four(words, i + 4));
            let upper = _mm_packs_epi32(four(words, i + 8), four(words, i + 12));
            _mm_movemask_epi8(_mm_packs_epi16(lower, upper)) as u32
        }
    }

    sixteen(words, 0) | (sixteen(words, 16) << 16)
}

/// Computes [`gather_bits`] in a compilation for `V`.
#[inline(always)]
pub fn gather_bits_in<V: Vectors>(words: &Lanes32) -> LaneMask {
    #[cfg(target_arch = "x86_64")]
    if V::AVX2 {
        // SAFETY: only sets whose functions are compiled for AVX2, and called on CPUs that have it,
        // set the constant `AVX2`.
        return unsafe { gather_bits_avx2(words) };
    }
    gather_bits(words)
}

/// Returns the lanes whose word is all ones. Every word is all ones or zero.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
#[inline]
fn gather_bits_avx2(words: &Lanes32) -> LaneMask {
    use std::arch::x86_64::{_mm256_castsi256_ps, _mm256_movemask_ps, _mm256_set_epi32};

    let mut bits = 0;
    for i in 0..4 {
        let [a, b, c, d, e, f, g, h] = words.as_chunks().0[i].map(|word: u32| word as i32);
        let eight = _mm256_set_epi32(h, g, f, e, d, c, b, a);
        bits |= (_mm256_movemask_ps(_mm256_castsi256_ps(eight)) as u32) << (8 * i);
    }
    bits
}

/// Returns the lanes whose word is all ones. Every word is all ones or zero.
#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
pub fn gather_bits(words: &Lanes32) -> LaneMask {
    words.iter().enumerate().fold(0, |bits, (lane, word)| bits | (word & (1 << lane)))
}

/// Whether no lane holds the bits of an `f64` NaN.
#[inline(always)]
pub fn no_nan(row: &Lanes64) -> bool {
    let mut nans = 0;
    for &bits in row {
        nans |= u64::from(f64::from_bits(bits).is_nan());
    }
    nans == 0
}
