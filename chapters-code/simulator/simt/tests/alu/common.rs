//! Runs one instruction in every compilation, under full and partial masks, with the destination
//! apart from the operands and among them, and compares each lane with a scalar model.

// Without the CPU to compare with, some of this has no use.
#![cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]

pub use super::random::Random;

use std::fmt::LowerHex;

use ptx::ir::{Alu, Pred, R32, R64, Src};
use simt::alu::{Isa, Windows};
use simt::registers::{LANES, LaneMask, Lanes32, Lanes64, Register, Registers};

/// Where tests put the windows.
pub const WINDOWS: Windows = Windows {
    shared_base: 0x0100_0000_0000,
    shared_bytes: 1 << 32,
    cluster_bytes: 1 << 32,
    local_base: 0x0200_0000_0000,
    local_bytes: 1 << 32,
    constants: Vec::new(),
};

/// Masks under which every instruction is tried.
pub const MASKS: [LaneMask; 5] = [!0, 0x0000_0001, 0x8000_0000, 0x5a3c_0ff1, 0];

/// What the destination holds before.
pub const BEFORE32: u32 = 0xdead_beef;
/// What the destination holds before.
pub const BEFORE64: u64 = 0xdead_beef_0bad_cafe;

/// The operands' registers.
pub const S: [R32; 4] = [R32(0), R32(1), R32(2), R32(3)];
/// The operands' registers.
pub const T: [R64; 3] = [R64(0), R64(1), R64(2)];
/// A destination apart from the operands.
pub const D: R32 = R32(4);
/// A destination apart from the operands.
pub const E: R64 = R64(4);
/// A predicate destination.
pub const P: Pred = Pred(0);

/// All compilations that this CPU can run.
pub fn isas() -> Vec<Isa> {
    Isa::available().collect()
}

/// Registers that hold these rows as operands.
pub fn registers(r32: &[Lanes32], r64: &[Lanes64]) -> Registers {
    let mut regs = Registers::with_sizes(16, 16, 16);
    for (n, row) in r32.iter().enumerate() {
        *regs.r32_mut(S[n]) = *row;
    }
    for (n, row) in r64.iter().enumerate() {
        *regs.r64_mut(T[n]) = *row;
    }
    *regs.r32_mut(D) = [BEFORE32; LANES];
    *regs.r64_mut(E) = [BEFORE64; LANES];
    regs
}

fn is_active(mask: LaneMask, lane: usize) -> bool {
    mask >> lane & 1 == 1
}

/// Checks an instruction with a 32-bit result, `make(destination)`; `model` gives a lane's result.
pub fn check32(
    r32: &[Lanes32],
    r64: &[Lanes64],
    make: impl Fn(R32) -> Alu,
    model: impl Fn(usize) -> u32,
) {
    check(r32, r64, (D, &S[..r32.len()]), make, model);
}

/// Checks an instruction with a 64-bit result.
pub fn check64(
    r32: &[Lanes32],
    r64: &[Lanes64],
    make: impl Fn(R64) -> Alu,
    model: impl Fn(usize) -> u64,
) {
    check(r32, r64, (E, &T[..r64.len()]), make, model);
}

/// Checks an instruction with a destination apart from the operands, and with each operand as destination.
fn check<R: Register<Value: LowerHex + PartialEq>>(
    r32: &[Lanes32],
    r64: &[Lanes64],
    (apart, operands): (R, &[R]),
    make: impl Fn(R) -> Alu,
    model: impl Fn(usize) -> R::Value,
) {
    let expected: [R::Value; LANES] = std::array::from_fn(model);
    for isa in isas() {
        for mask in MASKS {
            for d in [apart].iter().chain(operands) {
                let mut regs = registers(r32, r64);
                let before = *d.row(&regs);
                let alu = make(*d);
                isa.execute(&alu, &mut regs, mask, &WINDOWS);
                for lane in 0..LANES {
                    let wanted = if is_active(mask, lane) { expected[lane] } else { before[lane] };
                    let got = d.row(&regs)[lane];
                    let a = r32.iter().map(|row| row[lane]).collect::<Vec<_>>();
                    let b = r64.iter().map(|row| row[lane]).collect::<Vec<_>>();
                    assert!(
                        got == wanted,
                        "{alu:?} in {isa:?}, mask {mask:#x}, lane {lane}: {a:#x?} {b:#x?} gave \
                         {got:#x}, not {wanted:#x}"
                    );
                }
            }
        }
    }
}

/// Checks an instruction that writes the predicate [`P`].
pub fn check_pred(r32: &[Lanes32], r64: &[Lanes64], alu: Alu, model: impl Fn(usize) -> bool) {
    let expected = (0..LANES).fold(0, |bits, lane| bits | u32::from(model(lane)) << lane);
    for isa in isas() {
        for mask in MASKS {
            for before in [0, !0, 0x1234_5678] {
                let mut regs = registers(r32, r64);
                regs.set_pred(P, before, !0);
                isa.execute(&alu, &mut regs, mask, &WINDOWS);
                let wanted = (expected & mask) | (before & !mask);
                let got = regs.pred(P);
                assert!(
                    got == wanted,
                    "{alu:?} in {isa:?}, mask {mask:#x}: {r32:#x?} {r64:#x?} gave {got:#x}, not \
                     {wanted:#x}"
                );
            }
        }
    }
}

/// All combinations of `N` of these values, in rows: the columns are the combinations.
pub fn combinations<const N: usize, T: Copy + Default>(values: &[T]) -> Vec<[[T; LANES]; N]> {
    let count = values.len().pow(N as u32);
    let combination = |index: usize, operand: usize| {
        values[index / values.len().pow(operand as u32) % values.len()]
    };
    (0..count.div_ceil(LANES))
        .map(|batch| {
            std::array::from_fn(|operand| {
                std::array::from_fn(|lane| combination((batch * LANES + lane) % count, operand))
            })
        })
        .collect()
}

/// Integers where something happens.
#[rustfmt::skip]
pub const INTEGERS: &[u32] = &[
    0, 1, 2, 3, 7, 8, 15, 16, 23, 24, 31, 32, 33, 63, 64, 65, 127, 128, 255, 256, 0x7fff, 0x8000,
    0xffff, 0x10000, 0x007f_ffff, 0x0080_0000, 0x00ff_ffff, 0x0100_0000, 0x7fff_fffe, 0x7fff_ffff,
    0x8000_0000, 0x8000_0001, 0xaaaa_5555, 0xffff_8000, 0xffff_7fff, 0xffff_fffe, 0xffff_ffff,
];

/// `f32` bits where something happens.
#[rustfmt::skip]
pub const FLOATS: &[u32] = &[
    0x0000_0000, 0x8000_0000, 0x0000_0001, 0x8000_0001, 0x0000_0002, 0x007f_ffff, 0x807f_ffff,
    0x0080_0000, 0x8080_0000, 0x0080_0001, 0x3380_0000, 0x3f00_0000, 0x3f7f_ffff, 0x3f80_0000,
    0x3f80_0001, 0xbf80_0000, 0x4000_0000, 0x4040_0000, 0x4b00_0001, 0x4b80_0001, 0x4f00_0000,
    0xcf00_0000, 0x4f80_0000, 0x5f00_0000, 0x7f7f_ffff, 0xff7f_ffff, 0x7f80_0000, 0xff80_0000,
    0x7fc0_0000, 0xffc0_0001, 0x7f80_0001, 0x7fff_ffff, 0x4049_0fdb, 0xc2f6_e979,
];

/// `f64` bits where something happens.
#[rustfmt::skip]
pub const DOUBLES: &[u64] = &[
    0, 1 << 63, 1, 0x8000_0000_0000_0001, 0x000f_ffff_ffff_ffff, 0x0010_0000_0000_0000,
    0x8010_0000_0000_0001, 0x3ca0_0000_0000_0000, 0x3fe0_0000_0000_0000, 0x3fef_ffff_ffff_ffff,
    0x3ff0_0000_0000_0000, 0x3ff0_0000_0000_0001, 0xbff0_0000_0000_0000, 0x4008_0000_0000_0000,
    0x41df_ffff_ffc0_0000, 0xc1e0_0000_0000_0000, 0x41ef_ffff_ffe0_0000, 0x43e0_0000_0000_0000,
    0xc3e0_0000_0000_0000, 0x43f0_0000_0000_0000, 0x47ef_ffff_e000_0000, 0x47ef_ffff_f000_0000,
    0x7fef_ffff_ffff_ffff, 0xffef_ffff_ffff_ffff, 0x7ff0_0000_0000_0000, 0xfff0_0000_0000_0000,
    0x7ff8_0000_0000_0000, 0xfff8_0000_0000_0123, 0x7ff0_0000_0000_0001, 0x7fff_ffff_ffff_ffff,
    0x3810_0000_0000_0000, 0x36a0_0000_0000_0000, 0x3e60_0000_0000_0000, 0x4076_8421_0842_1084,
];

impl Random {
    /// Random bits, or, as often, one of `values`, or one of them with low bits changed.
    pub fn near(&mut self, values: &[u64], bits: u32) -> u64 {
        let ones = !0 >> (64 - bits);
        let value = values[self.next() as usize % values.len()];
        match self.next() % 4 {
            0 => value,
            1 => (value ^ (self.next() % 8)) & ones,
            _ => self.next() & ones,
        }
    }

    /// A row of 32-bit values.
    pub fn row32(&mut self, values: &[u32]) -> Lanes32 {
        let values = values.iter().map(|&x| x.into()).collect::<Vec<_>>();
        std::array::from_fn(|_| self.near(&values, 32) as u32)
    }

    /// A row of 64-bit values.
    pub fn row64(&mut self, values: &[u64]) -> Lanes64 {
        std::array::from_fn(|_| self.near(values, 64))
    }
}

/// Rows of all combinations of `values`, and `random` times random ones.
pub fn rows32<const N: usize>(values: &[u32], random: u64) -> Vec<[Lanes32; N]> {
    let mut rows = combinations::<N, u32>(values);
    rows.extend((0..random).map(|seed| {
        let mut random = Random(seed);
        std::array::from_fn(|_| random.row32(values))
    }));
    rows
}

/// Rows of all combinations of `values`, and `random` times random ones.
pub fn rows64<const N: usize>(values: &[u64], random: u64) -> Vec<[Lanes64; N]> {
    let mut rows = combinations::<N, u64>(values);
    rows.extend((0..random).map(|seed| {
        let mut random = Random(seed);
        std::array::from_fn(|_| random.row64(values))
    }));
    rows
}

/// `cvt`, whose operand is `S[0]` or `T[0]` and whose destination is `d`.
pub fn source(is_wide: bool) -> Src {
    if is_wide { Src::R64(T[0]) } else { Src::R32(S[0]) }
}
