//! Addition and subtraction through the carry flag, which decoding made a register of its own.
//!
//! These write two registers, and so look at the mask themselves.

use super::lanes::active;
use crate::registers::{LaneMask, Registers};
use ptx::ir::{R32, R64};

/// How an instruction treats the flag.
#[derive(Clone, Copy)]
pub struct Flag {
    /// Its register: 0 or 1 a lane.
    pub register: R32,
    /// Adds it (subtracts it, as a borrow).
    pub uses: bool,
    /// Sets it to the carry out (the borrow).
    pub sets: bool,
}

/// Addition or subtraction of `$ty`, in the register file behind `$read` and `$write`.
macro_rules! chained {
    ($name:ident, $doc:literal, $register:ty, $read:ident, $write:ident, $operation:ident) => {
        #[doc = $doc]
        #[inline(never)]
        pub fn $name(
            regs: &mut Registers,
            mask: LaneMask,
            d: $register,
            s: [$register; 2],
            flag: Flag,
        ) {
            for lane in active(mask) {
                let carry_in = (flag.uses && regs.r32(flag.register)[lane] != 0).into();
                let [a, b] = s.map(|r| regs.$read(r)[lane]);
                let (partial, first) = a.$operation(b);
                let (result, second) = partial.$operation(carry_in);
                regs.$write(d)[lane] = result;
                if flag.sets {
                    regs.r32_mut(flag.register)[lane] = u32::from(first | second);
                }
            }
        }
    };
}

chained!(
    add32,
    "`add.cc`, `addc`, `addc.cc` in 32 bits.",
    R32,
    r32,
    r32_mut,
    overflowing_add
);
chained!(
    sub32,
    "`sub.cc`, `subc`, `subc.cc` in 32 bits.",
    R32,
    r32,
    r32_mut,
    overflowing_sub
);
chained!(
    add64,
    "`add.cc`, `addc`, `addc.cc` in 64 bits.",
    R64,
    r64,
    r64_mut,
    overflowing_add
);
chained!(
    sub64,
    "`sub.cc`, `subc`, `subc.cc` in 64 bits.",
    R64,
    r64,
    r64_mut,
    overflowing_sub
);
