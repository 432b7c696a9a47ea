//! Vectors of small registers packed into a larger one, and unpacked: the `mov` forms with braces.
//!
//! Unpacking writes several registers, and so looks at the mask itself.

use super::lanes::{lanes, map2};
use crate::registers::{LaneMask, Registers};
use ptx::ir::{R32, R64};

/// `mov.b64 d, {lo, hi}`.
#[inline(always)]
pub fn pack64(regs: &mut Registers, d: R64, lo: R32, hi: R32) {
    let (lo, hi) = (regs.r32(lo), regs.r32(hi));
    *regs.r64_mut(d) = lanes!(i => u64::from(lo[i]) | u64::from(hi[i]) << 32);
}

/// `mov.b64 {lo, hi}, a`.
#[inline(always)]
pub fn unpack64(regs: &mut Registers, mask: LaneMask, lo: Option<R32>, hi: Option<R32>, a: R64) {
    let a = *regs.r64(a);
    if let Some(d) = lo {
        regs.write32(d, mask, &lanes!(i => a[i] as u32));
    }
    if let Some(d) = hi {
        regs.write32(d, mask, &lanes!(i => (a[i] >> 32) as u32));
    }
}

/// `mov.b32 d, {lo, hi}`.
#[inline(always)]
pub fn pack32(regs: &mut Registers, d: R32, lo: R32, hi: R32) {
    map2(regs, d, [lo, hi], |lo, hi| (lo & 0xffff) | (hi << 16));
}

/// `mov.b32 {lo, hi}, a`.
#[inline(always)]
pub fn unpack32(regs: &mut Registers, mask: LaneMask, lo: Option<R32>, hi: Option<R32>, a: R32) {
    let a = *regs.r32(a);
    if let Some(d) = lo {
        regs.write32(d, mask, &lanes!(i => a[i] & 0xffff));
    }
    if let Some(d) = hi {
        regs.write32(d, mask, &lanes!(i => a[i] >> 16));
    }
}

/// `mov.b64 d, {a, b, c, d}`.
#[inline(never)]
pub fn pack64x4(regs: &mut Registers, d: R64, s: [R32; 4]) {
    let s = s.map(|r| regs.r32(r));
    let part = |i: usize, n: usize| u64::from(s[n][i] & 0xffff) << (16 * n);
    *regs.r64_mut(d) = lanes!(i => part(i, 0) | part(i, 1) | part(i, 2) | part(i, 3));
}

/// `mov.b64 {a, b, c, d}, a`.
#[inline(never)]
pub fn unpack64x4(regs: &mut Registers, mask: LaneMask, d: &[Option<R32>; 4], a: R64) {
    let a = *regs.r64(a);
    for (n, d) in d.iter().enumerate() {
        if let Some(d) = *d {
            regs.write32(d, mask, &lanes!(i => (a[i] >> (16 * n)) as u32 & 0xffff));
        }
    }
}
