//! Choosing between registers: `selp`, `slct`, and the tail of `set`.

use super::lanes::lanes;
use crate::registers::{Registers, lane_word, lane_word64};
use ptx::ir::{Pred, R32, R64};

/// `selp`, 32 bits.
#[inline(always)]
pub fn selp32(regs: &mut Registers, d: R32, s: [R32; 2], p: Pred) {
    let bits = regs.pred(p);
    let (x, y) = (regs.r32(s[0]), regs.r32(s[1]));
    *regs.r32_mut(d) = lanes!(i => {
        let word = lane_word(bits, i);
        (x[i] & word) | (y[i] & !word)
    });
}

/// `selp`, 64 bits.
#[inline(always)]
pub fn selp64(regs: &mut Registers, d: R64, s: [R64; 2], p: Pred) {
    let bits = regs.pred(p);
    let (x, y) = (regs.r64(s[0]), regs.r64(s[1]));
    *regs.r64_mut(d) = lanes!(i => {
        let word = lane_word64(bits, i);
        (x[i] & word) | (y[i] & !word)
    });
}

/// `p ? if_true : 0`.
#[inline(always)]
pub fn set_mask(regs: &mut Registers, d: R32, p: Pred, if_true: u32) {
    let bits = regs.pred(p);
    *regs.r32_mut(d) = lanes!(i => lane_word(bits, i) & if_true);
}

/// Whether the condition of `slct` holds: `c >= 0`, false for a NaN and true for -0.
fn not_negative(float: bool, c: u32) -> bool {
    if float {
        f32::from_bits(c) >= 0.0
    } else {
        c as i32 >= 0
    }
}

/// `slct`, 32 bits.
#[inline(never)]
pub fn slct32(float: bool, regs: &mut Registers, d: R32, s: [R32; 3]) {
    let [x, y, c] = s.map(|r| regs.r32(r));
    *regs.r32_mut(d) = lanes!(i => {
        if not_negative(float, c[i]) {
            x[i]
        } else {
            y[i]
        }
    });
}

/// `slct`, 64 bits.
#[inline(never)]
pub fn slct64(float: bool, regs: &mut Registers, d: R64, s: [R64; 2], c: R32) {
    let ([x, y], c) = (s.map(|r| regs.r64(r)), regs.r32(c));
    *regs.r64_mut(d) = lanes!(i => {
        if not_negative(float, c[i]) {
            x[i]
        } else {
            y[i]
        }
    });
}
