//! Selection between registers: `selp`, `slct`, and the last step of `set`.

use super::float::flush_if;
use super::isa::Vectors;
use super::lanes::{Lanes, row};
use crate::registers::{LaneMask, Register, Registers, lane_word, lane_word64};
use ptx::ir::{Pred, R32, R64, SlctType};

/// Executes `selp` in 32 bits.
#[inline(always)]
pub fn selp32<V: Vectors>(mut lanes: Lanes<'_, V>, d: R32, s: [R32; 2], p: Pred) {
    let regs = &*lanes.regs;
    let (bits, x, y) = (regs.pred(p), regs.r32(s[0]), regs.r32(s[1]));
    let out = row!(i => (x[i] & lane_word(bits, i)) | (y[i] & !lane_word(bits, i)));
    lanes.write(d, &out);
}

/// Executes `selp` in 64 bits.
#[inline(always)]
pub fn selp64<V: Vectors>(mut lanes: Lanes<'_, V>, d: R64, s: [R64; 2], p: Pred) {
    let regs = &*lanes.regs;
    let (bits, x, y) = (regs.pred(p), regs.r64(s[0]), regs.r64(s[1]));
    let out = row!(i => (x[i] & lane_word64(bits, i)) | (y[i] & !lane_word64(bits, i)));
    lanes.write(d, &out);
}

/// Computes `p ? if_true : 0`.
#[inline(always)]
pub fn set_mask<V: Vectors>(mut lanes: Lanes<'_, V>, d: R32, p: Pred, if_true: u32) {
    let bits = lanes.regs.pred(p);
    let out = row!(i => lane_word(bits, i) & if_true);
    lanes.write(d, &out);
}

/// Whether the condition of `slct` holds: `c >= 0`, which is false for a NaN and true for -0.
fn not_negative(by: SlctType, c: u32) -> bool {
    match by {
        SlctType::S32 => c as i32 >= 0,
        SlctType::F32 { ftz } => f32::from_bits(flush_if(ftz, c)) >= 0.0,
    }
}

/// Executes `slct`.
#[inline(never)]
pub fn slct<R: Register>(
    by: SlctType,
    regs: &mut Registers,
    mask: LaneMask,
    d: R,
    s: [R; 2],
    c: R32,
) {
    let ([x, y], c) = (s.map(|r| r.row(regs)), regs.r32(c));
    let out = row!(i => if not_negative(by, c[i]) { x[i] } else { y[i] });
    d.write(regs, mask, &out);
}
