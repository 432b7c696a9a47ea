//! Addition and subtraction with the carry flag, which decoding turns into a register.
//!
//! As on a GPU, a subtraction adds the complement: `a - b` is `a + !b + 1`. After `sub.cc` the flag
//! is therefore 1 if *no* borrow occurred, and `subc` subtracts one more if it is 0. A chain of
//! subtractions alone cannot show this, but `addc` after `sub.cc` does; compilers use that sequence
//! to divide 128-bit integers.
//!
//! These instructions write two registers, so they handle the mask themselves.

use super::lanes::active;
use crate::registers::{LaneMask, Registers};
use ptx::ir::{R32, R64};

/// How an instruction uses the carry flag.
#[derive(Clone, Copy)]
pub struct Flag {
    /// The flag's register, with 0 or 1 per lane.
    pub register: R32,
    /// Whether the instruction adds the flag.
    pub uses: bool,
    /// Whether the instruction sets the flag to the carry out.
    pub sets: bool,
}

/// Adds `a` and `$addend(b)`, of type `$ty`, in the register file behind `$read` and `$write`.
/// `$without` is the carry in of an instruction that does not use the flag.
macro_rules! chained {
    ($name:ident, $doc:literal, $register:ty, $read:ident, $write:ident, $addend:expr, $without:literal) => {
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
                let carry_in =
                    if flag.uses { regs.r32(flag.register)[lane] != 0 } else { $without };
                let [a, b] = s.map(|r| regs.$read(r)[lane]);
                let (partial, first) = a.overflowing_add($addend(b));
                let (result, second) = partial.overflowing_add(carry_in.into());
                regs.$write(d)[lane] = result;
                if flag.sets {
                    regs.r32_mut(flag.register)[lane] = u32::from(first | second);
                }
            }
        }
    };
}

chained!(add32, "`add.cc`, `addc`, `addc.cc` in 32 bits.", R32, r32, r32_mut, |b: u32| b, false);
chained!(sub32, "`sub.cc`, `subc`, `subc.cc` in 32 bits.", R32, r32, r32_mut, |b: u32| !b, true);
chained!(add64, "`add.cc`, `addc`, `addc.cc` in 64 bits.", R64, r64, r64_mut, |b: u64| b, false);
chained!(sub64, "`sub.cc`, `subc`, `subc.cc` in 64 bits.", R64, r64, r64_mut, |b: u64| !b, true);
