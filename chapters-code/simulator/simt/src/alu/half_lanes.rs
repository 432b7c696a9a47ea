//! Loops over lanes of `f16` and `bf16`, alone or in pairs.
//!
//! A single value is computed as a pair whose upper half is dropped, so that both share a loop.

use super::half::{
    Bf16, F16, Format16, Operation2, flush_f16, flush_result_f16, pair_fma, pair1, pair2, relu,
    saturate_f16,
};
use super::isa::Vectors;
use super::lanes::{Lanes, row, with};
use crate::registers::{LaneMask, Registers};
use ptx::ir::{Half, R32};

/// Returns the mask of the result bits that are used.
#[inline(always)]
fn result_mask(half: Half) -> u32 {
    match half {
        Half::F16 { .. } | Half::Bf16 => 0xffff,
        Half::F16x2 { .. } | Half::Bf16x2 => !0,
    }
}

/// The modifiers of an `f16` instruction.
#[derive(Clone, Copy)]
struct Modifiers {
    ftz: bool,
    sat: bool,
}

impl Modifiers {
    fn flush(self, x: u32) -> u32 {
        if self.ftz { flush_f16(x) } else { x }
    }

    /// Applies the modifiers to a result. `doubled` is twice the result, if that was rounded
    /// separately.
    fn finish(self, x: u32, doubled: impl Fn() -> Option<u32>) -> u32 {
        let x = if self.ftz { flush_result_f16(x, doubled) } else { x };
        if self.sat { saturate_f16(x) } else { x }
    }
}

/// An operation with modifiers.
#[derive(Clone, Copy)]
struct Modified<O>(O, Modifiers);

impl<O: Operation2> Operation2 for Modified<O> {
    fn apply<F: Format16>(self, a: u32, b: u32) -> u32 {
        let Self(f, modifiers) = self;
        let (a, b) = (modifiers.flush(a), modifiers.flush(b));
        modifiers.finish(f.apply::<F>(a, b), || f.doubled::<F>(a, b))
    }

    fn doubled<F: Format16>(self, a: u32, b: u32) -> Option<u32> {
        self.0.doubled::<F>(a, b)
    }
}

/// Computes `d = f(a, b)`, half by half.
#[inline(always)]
pub fn binary<V: Vectors>(
    lanes: Lanes<'_, V>,
    f: impl Operation2,
    half: Half,
    d: R32,
    s: [R32; 2],
) {
    let result_bits = result_mask(half);
    match half {
        Half::F16 { ftz: false, sat: false } | Half::F16x2 { ftz: false, sat: false } => {
            map_pairs::<V, F16>(lanes, f, result_bits, d, s);
        }
        Half::Bf16 | Half::Bf16x2 => map_pairs::<V, Bf16>(lanes, f, result_bits, d, s),
        Half::F16 { ftz, sat } | Half::F16x2 { ftz, sat } => {
            let f = Modified(f, Modifiers { ftz, sat });
            with(lanes.regs, lanes.mask, d, s, |[x, y]| pair2::<F16>(f, x, y) & result_bits);
        }
    }
}

#[inline(always)]
fn map_pairs<V: Vectors, F: Format16>(
    mut lanes: Lanes<'_, V>,
    f: impl Operation2,
    result_bits: u32,
    d: R32,
    s: [R32; 2],
) {
    let (x, y) = (lanes.regs.r32(s[0]), lanes.regs.r32(s[1]));
    let out = row!(i => pair2::<F>(f, x[i], y[i]) & result_bits);
    lanes.write(d, &out);
}

/// Computes `d = a × b + c`, and for `with_relu` the larger of that and 0, half by half.
#[inline(always)]
pub fn fused<V: Vectors>(lanes: Lanes<'_, V>, half: Half, with_relu: bool, d: R32, s: [R32; 3]) {
    let result_bits = result_mask(half);
    match half {
        Half::F16 { ftz: false, sat: false } | Half::F16x2 { ftz: false, sat: false } => {
            map_fused::<V, F16>(lanes, with_relu, result_bits, d, s);
        }
        Half::Bf16 | Half::Bf16x2 => map_fused::<V, Bf16>(lanes, with_relu, result_bits, d, s),
        Half::F16 { ftz, sat } | Half::F16x2 { ftz, sat } => {
            let fma = |s: [u32; 3]| modified_fma(Modifiers { ftz, sat }, with_relu, s);
            with(lanes.regs, lanes.mask, d, s, |[x, y, z]| {
                let s = [x, y, z];
                (fma(s.map(|x| x & 0xffff)) | (fma(s.map(|x| x >> 16)) << 16)) & result_bits
            });
        }
    }
}

#[inline(always)]
fn map_fused<V: Vectors, F: Format16>(
    mut lanes: Lanes<'_, V>,
    with_relu: bool,
    result_bits: u32,
    d: R32,
    s: [R32; 3],
) {
    let regs = &*lanes.regs;
    let (x, y, z) = (regs.r32(s[0]), regs.r32(s[1]), regs.r32(s[2]));
    let out = row!(i => pair_fma::<F>(x[i], y[i], z[i]) & result_bits);
    if with_relu {
        let clamped = row!(i => pair1(out[i], |x| relu(x, F::INFINITY)) & result_bits);
        lanes.write(d, &clamped);
    } else {
        lanes.write(d, &out);
    }
}

fn modified_fma(modifiers: Modifiers, with_relu: bool, s: [u32; 3]) -> u32 {
    let [x, y, z] = s.map(|x| modifiers.flush(x));
    let doubled = || Some(F16::fma_doubled(x, y, z));
    let result = modifiers.finish(F16::fma(x, y, z), doubled);
    if with_relu { relu(result, F16::INFINITY) } else { result }
}

/// Computes `d = f16(a)` or `bf16(a)`, as `half` selects, half by half.
#[inline(never)]
pub fn unary(
    half: Half,
    regs: &mut Registers,
    mask: LaneMask,
    [d, a]: [R32; 2],
    f16: fn(u32) -> u32,
    bf16: fn(u32) -> u32,
) {
    let result_bits = result_mask(half);
    match half {
        Half::F16 { ftz, sat } | Half::F16x2 { ftz, sat } => {
            let modifiers = Modifiers { ftz, sat };
            let f = |x| modifiers.finish(f16(modifiers.flush(x)), || None);
            with(regs, mask, d, [a], |[x]| pair1(x, f) & result_bits);
        }
        Half::Bf16 | Half::Bf16x2 => with(regs, mask, d, [a], |[x]| pair1(x, bf16) & result_bits),
    }
}
