//! Register-to-register instructions, executed for a whole warp at a time.
//!
//! [`Prepared::execute`] runs one instruction in the lanes of a mask. Each operation is a loop over
//! 32 lanes. The loop is compiled for the instructions that every CPU of the architecture has and,
//! on x86-64, for AVX2; the frequent operations are also compiled for AVX-512. [`Isa::detect`]
//! chooses once.
//!
//! A loop that skips lanes does not vectorise. The loops therefore compute all lanes, and a partial
//! mask only restricts which lanes are written. Full and partial masks have a compilation each, so
//! that a full mask costs nothing.
//!
//! Results are those of PTX ISA section 9.7 for compute capability 9.0, bit for bit, except for the
//! approximate functions (`approx`).

mod address;
mod approx;
mod bin32;
mod carry;
mod compare;
mod convert;
mod convert_lane;
mod double_lanes;
mod exact;
mod float;
mod float_lanes;
mod half;
mod half_lanes;
mod int;
mod isa;
mod lanes;
mod pack;
mod prepared;
mod select;
mod ter32;
mod un32;
mod wide;

pub use address::Windows;
pub(crate) use int::prmt;
#[cfg(target_arch = "x86_64")]
pub use isa::{Avx2, Avx512};
pub use isa::{Baseline, Isa};
pub(crate) use isa::{compiled, isa_of, multiversion};
pub use prepared::{Prepared, execute_all};

use crate::registers::{LaneMask, Registers};
use ptx::ir::Alu;

impl Isa {
    /// Executes `alu` in the lanes of `mask`. Callers that execute it often use [`Prepared`]
    /// instead.
    pub fn execute(self, alu: &Alu, regs: &mut Registers, mask: LaneMask, windows: &Windows) {
        Prepared::new(self, alu).execute(regs, mask, windows);
    }
}
