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
}

/// Defines what there is for a width of registers: its rows, their accessors, and writing the lanes of a mask.
macro_rules! width {
    (
        $bits:literal $register:ident($value:ty): $lanes:ident $row:ident,
        $get:ident $get_mut:ident $write:ident $blend:ident $lane_word:ident
    ) => {
        /// A row, aligned to a cache line, so that no vector load straddles two lines.
        #[derive(Clone, Copy, PartialEq)]
        #[repr(align(64))]
        struct $row($lanes);

        impl Registers {
            #[doc = concat!("Returns a ", $bits, "-bit register.")]
            #[inline(always)]
            pub fn $get(&self, r: $register) -> &$lanes {
                match self.$get.get(r.0 as usize) {
                    Some(row) => &row.0,
                    None => undeclared(),
                }
            }

            #[doc = concat!("Returns a ", $bits, "-bit register for writing.")]
            #[inline(always)]
            pub fn $get_mut(&mut self, r: $register) -> &mut $lanes {
                match self.$get.get_mut(r.0 as usize) {
                    Some(row) => &mut row.0,
                    None => undeclared(),
                }
            }

            #[doc = concat!("Sets the lanes of `mask` in a ", $bits, "-bit register.")]
            #[inline(always)]
            pub fn $write(&mut self, d: $register, mask: LaneMask, values: &$lanes) {
                $blend(self.$get_mut(d), mask, values);
            }
        }

        impl Register for $register {
            type Value = $value;

            #[inline(always)]
            fn row(self, registers: &Registers) -> &$lanes {
                registers.$get(self)
            }

            #[inline(always)]
            fn row_mut(self, registers: &mut Registers) -> &mut $lanes {
                registers.$get_mut(self)
            }

            #[inline(always)]
            fn write(self, registers: &mut Registers, mask: LaneMask, values: &$lanes) {
                registers.$write(self, mask, values);
            }
        }

        /// Copies the lanes of `mask` from `values` to `row`.
        #[inline(always)]
        pub(crate) fn $blend(row: &mut $lanes, mask: LaneMask, values: &$lanes) {
            if mask == ALL_LANES {
                *row = *values;
                return;
            }
            let halves = halves(mask);
            for lane in 0..LANES {
                let select = $lane_word(halves[lane / 16], lane % 16);
                row[lane] = (row[lane] & !select) | (values[lane] & select);
            }
        }

        /// Returns all ones if `mask` has the lane, else zero.
        #[inline(always)]
        pub(crate) fn $lane_word(mask: LaneMask, lane: usize) -> $value {
            ((<$value>::from(mask) >> lane) & 1).wrapping_neg()
        }
    };
}

width! { "32" R32(u32): Lanes32 Row32, r32 r32_mut write32 blend32 lane_word }
width! { "64" R64(u64): Lanes64 Row64, r64 r64_mut write64 blend64 lane_word64 }

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

/// This function is out of line because the accessors are inlined hundreds of times.
#[cold]
#[inline(never)]
fn undeclared() -> ! {
    panic!("a decoded kernel uses a register that it does not declare")
}
