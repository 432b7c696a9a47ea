//! Loops over lanes of `f16` and `bf16`, alone or in pairs.
//!
//! A value alone is computed as a pair whose upper half is dropped, so that both share a loop.

use super::half::{
    Bf16, F16, Format16, Operation2, flush_f16, pair_fma, pair1, pair2, relu, saturate_f16,
};
use super::lanes::{lanes, with1, with2, with3};
use crate::registers::{LaneMask, Registers};
use ptx::ir::{Half, R32};

/// The bits of a result that count.
#[inline(always)]
fn kept(half: Half) -> u32 {
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

    fn finish(self, x: u32) -> u32 {
        let x = self.flush(x);
        if self.sat { saturate_f16(x) } else { x }
    }
}

/// An operation with modifiers.
#[derive(Clone, Copy)]
struct Modified<O>(O, Modifiers);

impl<O: Operation2> Operation2 for Modified<O> {
    fn apply<F: Format16>(self, a: u32, b: u32) -> u32 {
        let Self(f, modifiers) = self;
        modifiers.finish(f.apply::<F>(modifiers.flush(a), modifiers.flush(b)))
    }
}

/// `d = f(a, b)`, half by half.
#[inline(always)]
pub fn binary(
    f: impl Operation2,
    half: Half,
    regs: &mut Registers,
    mask: LaneMask,
    d: R32,
    s: [R32; 2],
) {
    let kept = kept(half);
    let (x, y) = (regs.r32(s[0]), regs.r32(s[1]));
    let out = match half {
        Half::F16 {
            ftz: false,
            sat: false,
        }
        | Half::F16x2 {
            ftz: false,
            sat: false,
        } => {
            lanes!(i => pair2::<F16>(f, x[i], y[i]) & kept)
        }
        Half::Bf16 | Half::Bf16x2 => lanes!(i => pair2::<Bf16>(f, x[i], y[i]) & kept),
        Half::F16 { ftz, sat } | Half::F16x2 { ftz, sat } => {
            let f = Modified(f, Modifiers { ftz, sat });
            return with2(regs, mask, d, s, |x, y| pair2::<F16>(f, x, y) & kept);
        }
    };
    *regs.r32_mut(d) = out;
}

/// `d = a × b + c`, and for `with_relu` the larger of that and 0, half by half.
#[inline(always)]
pub fn fused(
    half: Half,
    with_relu: bool,
    regs: &mut Registers,
    mask: LaneMask,
    d: R32,
    s: [R32; 3],
) {
    let kept = kept(half);
    let (x, y, z) = (regs.r32(s[0]), regs.r32(s[1]), regs.r32(s[2]));
    let out = match half {
        Half::F16 {
            ftz: false,
            sat: false,
        }
        | Half::F16x2 {
            ftz: false,
            sat: false,
        } => {
            lanes!(i => pair_fma::<F16>(x[i], y[i], z[i]) & kept)
        }
        Half::Bf16 | Half::Bf16x2 => lanes!(i => pair_fma::<Bf16>(x[i], y[i], z[i]) & kept),
        Half::F16 { ftz, sat } | Half::F16x2 { ftz, sat } => {
            let modifiers = Modifiers { ftz, sat };
            let fma = |x: u32, y: u32, z: u32, shift: u32| {
                let [x, y, z] = [x, y, z].map(|x| modifiers.flush((x >> shift) & 0xffff));
                modifiers.finish(F16::fma(x, y, z)) << shift
            };
            with3(regs, mask, d, s, |x, y, z| {
                (fma(x, y, z, 0) | fma(x, y, z, 16)) & kept
            });
            *regs.r32(d)
        }
    };
    let infinity = match half {
        Half::F16 { .. } | Half::F16x2 { .. } => F16::INFINITY,
        Half::Bf16 | Half::Bf16x2 => Bf16::INFINITY,
    };
    *regs.r32_mut(d) = if with_relu {
        lanes!(i => pair1(out[i], |x| relu(x, infinity)) & kept)
    } else {
        out
    };
}

/// `d = f16(a)` or `bf16(a)`, as `half` says, half by half.
#[inline(never)]
pub fn unary(
    half: Half,
    regs: &mut Registers,
    mask: LaneMask,
    [d, a]: [R32; 2],
    f16: fn(u32) -> u32,
    bf16: fn(u32) -> u32,
) {
    let kept = kept(half);
    match half {
        Half::F16 { ftz, sat } | Half::F16x2 { ftz, sat } => {
            let modifiers = Modifiers { ftz, sat };
            let f = |x| modifiers.finish(f16(modifiers.flush(x)));
            with1(regs, mask, d, a, |x| pair1(x, f) & kept);
        }
        Half::Bf16 | Half::Bf16x2 => with1(regs, mask, d, a, |x| pair1(x, bf16) & kept),
    }
}
