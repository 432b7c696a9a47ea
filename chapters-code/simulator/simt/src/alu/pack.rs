//! The `mov` forms with braces: they pack small registers into a larger one, and unpack them.

use super::isa::Vectors;
use super::lanes::{Lanes, row};
use crate::registers::{LaneMask, Registers};
use ptx::ir::{R32, R64};

/// Executes `mov.b64 d, {lo, hi}`.
#[inline(always)]
pub fn pack64<V: Vectors>(lanes: Lanes<'_, V>, d: R64, s: [R32; 2]) {
    lanes.map2(d, s, |lo, hi| u64::from(lo) | (u64::from(hi) << 32));
}

/// Executes `mov.b32 d, {lo, hi}`.
#[inline(always)]
pub fn pack32<V: Vectors>(lanes: Lanes<'_, V>, d: R32, s: [R32; 2]) {
    lanes.map2(d, s, |lo, hi| (lo & 0xffff) | (hi << 16));
}

/// Executes `mov.b64 {lo, hi}, a`.
#[inline(always)]
pub fn unpack64<V: Vectors>(mut lanes: Lanes<'_, V>, lo: Option<R32>, hi: Option<R32>, a: R64) {
    if let Some(d) = lo {
        let a = lanes.regs.r64(a);
        let out = row!(i => a[i] as u32);
        lanes.write(d, &out);
    }
    if let Some(d) = hi {
        let a = lanes.regs.r64(a);
        let out = row!(i => (a[i] >> 32) as u32);
        lanes.write(d, &out);
    }
}

/// Executes `mov.b32 {lo, hi}, a`.
#[inline(always)]
pub fn unpack32<V: Vectors>(mut lanes: Lanes<'_, V>, lo: Option<R32>, hi: Option<R32>, a: R32) {
    let a = lanes.regs.r32(a);
    let (lower, upper) = (row!(i => a[i] & 0xffff), row!(i => a[i] >> 16));
    if let Some(d) = lo {
        lanes.write(d, &lower);
    }
    if let Some(d) = hi {
        lanes.write(d, &upper);
    }
}

/// Executes `mov.b64 d, {a, b, c, d}`.
#[inline(never)]
pub fn pack64x4(regs: &mut Registers, mask: LaneMask, d: R64, s: [R32; 4]) {
    let s = s.map(|r| regs.r32(r));
    let part = |i: usize, n: usize| u64::from(s[n][i] & 0xffff) << (16 * n);
    let out = row!(i => part(i, 0) | part(i, 1) | part(i, 2) | part(i, 3));
    regs.write64(d, mask, &out);
}

/// Executes `mov.b64 {a, b, c, d}, a`.
#[inline(never)]
pub fn unpack64x4(regs: &mut Registers, mask: LaneMask, d: &[Option<R32>; 4], a: R64) {
    let a = *regs.r64(a);
    for (n, d) in d.iter().enumerate() {
        if let Some(d) = *d {
            let out = row!(i => (a[i] >> (16 * n)) as u32 & 0xffff);
            regs.write32(d, mask, &out);
        }
    }
}
