//! The registers of one warp.
//!
//! A register is a row of 32 lanes. An instruction is therefore a loop of fixed length over rows,
//! which the compiler vectorises. Values narrower than 32 bits are stored in 32-bit registers. A
//! predicate register has one bit per lane.

use ptx::ir::{Kernel, Pred, R32, R64, Src};

/// Lanes of a warp.
pub const LANES: usize = 32;

/// One bit per lane, lane 0 lowest.
pub type LaneMask = u32;

/// All lanes.
pub const ALL_LANES: LaneMask = !0;

/// One 32-bit value per lane.
pub type Lanes32 = [u32; LANES];

/// One 64-bit value per lane.
pub type Lanes64 = [u64; LANES];

/// A row, aligned to a cache line, so that no vector load straddles two lines.
#[derive(Clone, Copy, PartialEq)]
#[repr(align(64))]
struct Row32(Lanes32);

#[derive(Clone, Copy, PartialEq)]
#[repr(align(64))]
struct Row64(Lanes64);

/// The number of a register of 32 or 64 bits.
pub trait Register: Copy {
    /// The value of a lane.
    type Value: Copy + Default;

    /// Returns the register's row.
    fn row(self, registers: &Registers) -> &[Self::Value; LANES];

    /// Returns the register's row for writing.
    fn row_mut(self, registers: &mut Registers) -> &mut [Self::Value; LANES];

    /// Sets the lanes of `mask` in the register.
    fn write(self, registers: &mut Registers, mask: LaneMask, values: &[Self::Value; LANES]);
}

impl Register for R32 {
    type Value = u32;

    #[inline(always)]
    fn row(self, registers: &Registers) -> &Lanes32 {
        registers.r32(self)
    }

    #[inline(always)]
    fn row_mut(self, registers: &mut Registers) -> &mut Lanes32 {
        registers.r32_mut(self)
    }

    #[inline(always)]
    fn write(self, registers: &mut Registers, mask: LaneMask, values: &Lanes32) {
        registers.write32(self, mask, values);
    }
}

impl Register for R64 {
    type Value = u64;

    #[inline(always)]
    fn row(self, registers: &Registers) -> &Lanes64 {
        registers.r64(self)
    }

    #[inline(always)]
    fn row_mut(self, registers: &mut Registers) -> &mut Lanes64 {
        registers.r64_mut(self)
    }

    #[inline(always)]
    fn write(self, registers: &mut Registers, mask: LaneMask, values: &Lanes64) {
        registers.write64(self, mask, values);
    }
}

/// The three register files of a warp.
///
/// The accessors take the register numbers of a [`Kernel`]. They panic on a number beyond the sizes
/// that the kernel declares, which decoding never produces.
#[derive(Clone, PartialEq)]
pub struct Registers {
    r32: Vec<Row32>,
    r64: Vec<Row64>,
    predicates: Vec<LaneMask>,
}

impl Registers {
    /// Creates zeroed registers, as many as `kernel` uses. The caller fills in constants and
    /// special registers.
    pub fn new(kernel: &Kernel) -> Self {
        Self::with_sizes(kernel.registers32, kernel.registers64, kernel.predicates)
    }

    /// Creates zeroed registers with these sizes of the three files.
    pub fn with_sizes(r32: u16, r64: u16, predicates: u16) -> Self {
        Self {
            r32: vec![Row32([0; LANES]); r32.into()],
            r64: vec![Row64([0; LANES]); r64.into()],
            predicates: vec![0; predicates.into()],
        }
    }

    /// Returns a 32-bit register.
    #[inline(always)]
    pub fn r32(&self, r: R32) -> &Lanes32 {
        match self.r32.get(r.0 as usize) {
            Some(row) => &row.0,
            None => undeclared(),
        }
    }

    /// Returns a 32-bit register for writing.
    #[inline(always)]
    pub fn r32_mut(&mut self, r: R32) -> &mut Lanes32 {
        match self.r32.get_mut(r.0 as usize) {
            Some(row) => &mut row.0,
            None => undeclared(),
        }
    }

    /// Returns a 64-bit register.
    #[inline(always)]
    pub fn r64(&self, r: R64) -> &Lanes64 {
        match self.r64.get(r.0 as usize) {
            Some(row) => &row.0,
            None => undeclared(),
        }
    }

    /// Returns a 64-bit register for writing.
    #[inline(always)]
    pub fn r64_mut(&mut self, r: R64) -> &mut Lanes64 {
        match self.r64.get_mut(r.0 as usize) {
            Some(row) => &mut row.0,
            None => undeclared(),
        }
    }

    /// Returns one lane's value in a register of either width.
    #[inline(always)]
    pub fn bits(&self, s: Src, lane: u32) -> u64 {
        match s {
            Src::R32(r) => self.r32(r)[lane as usize].into(),
            Src::R64(r) => self.r64(r)[lane as usize],
        }
    }

    /// Returns a predicate register.
    #[inline(always)]
    pub fn pred(&self, p: Pred) -> LaneMask {
        match self.predicates.get(p.0 as usize) {
            Some(&bits) => bits,
            None => undeclared(),
        }
    }

    /// Sets the lanes of `mask` in a predicate register to their bits in `bits`.
    #[inline(always)]
    pub fn set_pred(&mut self, p: Pred, bits: LaneMask, mask: LaneMask) {
        match self.predicates.get_mut(p.0 as usize) {
            Some(old) => *old = (*old & !mask) | (bits & mask),
            None => undeclared(),
        }
    }

    /// Sets the lanes of `mask` in a 32-bit register.
    #[inline(always)]
    pub fn write32(&mut self, d: R32, mask: LaneMask, values: &Lanes32) {
        blend32(self.r32_mut(d), mask, values);
    }

    /// Sets the lanes of `mask` in a 64-bit register.
    #[inline(always)]
    pub fn write64(&mut self, d: R64, mask: LaneMask, values: &Lanes64) {
        blend64(self.r64_mut(d), mask, values);
    }
}

/// Copies the lanes of `mask` from `values` to `row`.
#[inline(always)]
pub(crate) fn blend32(row: &mut Lanes32, mask: LaneMask, values: &Lanes32) {
    if mask == ALL_LANES {
        *row = *values;
        return;
    }
    let halves = halves(mask);
    for lane in 0..LANES {
        let select = lane_word(halves[lane / 16], lane % 16);
        row[lane] = (row[lane] & !select) | (values[lane] & select);
    }
}

/// Copies the lanes of `mask` from `values` to `row`.
#[inline(always)]
pub(crate) fn blend64(row: &mut Lanes64, mask: LaneMask, values: &Lanes64) {
    if mask == ALL_LANES {
        *row = *values;
        return;
    }
    let halves = halves(mask);
    for lane in 0..LANES {
        let select = lane_word64(halves[lane / 16], lane % 16);
        row[lane] = (row[lane] & !select) | (values[lane] & select);
    }
}

/// Returns the bits of lanes 0 to 15 and of lanes 16 to 31. `black_box` keeps LLVM from testing
/// lane 31 as a sign bit, which blocks vectorisation.
#[inline(always)]
fn halves(mask: LaneMask) -> [LaneMask; 2] {
    [mask & 0xffff, std::hint::black_box(mask >> 16)]
}

/// Returns the number of lanes. The mask is full in most calls.
#[inline(always)]
pub(crate) fn count(mask: LaneMask) -> u32 {
    if mask == ALL_LANES { LANES as u32 } else { mask.count_ones() }
}

/// Returns all ones if `mask` has the lane, else zero.
#[inline(always)]
pub(crate) fn lane_word(mask: LaneMask, lane: usize) -> u32 {
    ((mask >> lane) & 1).wrapping_neg()
}

/// Returns all ones if `mask` has the lane, else zero.
#[inline(always)]
pub(crate) fn lane_word64(mask: LaneMask, lane: usize) -> u64 {
    ((u64::from(mask) >> lane) & 1).wrapping_neg()
}

/// This function is out of line because the accessors are inlined hundreds of times.
#[cold]
#[inline(never)]
fn undeclared() -> ! {
    panic!("a decoded kernel uses a register that it does not declare")
}
