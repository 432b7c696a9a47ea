//! Coalescing: what the memory makes of a warp's request.
//!
//! Here stands the table of rungs. A rung is a file, `rungs/<name>.rs`, which launches the kernel in
//! `kernels/<name>.cu` and says by a formula what the launch asks of the memory. [`problem`] holds the
//! buffers and the judge, [`traffic`] has the formulas, and [`mod@reference`] the expected results.

mod baseline;
pub mod broken;
pub mod chapter;
pub mod indices;
mod measure;
pub mod parameters;
pub mod particles;
pub mod patterns;
pub mod problem;
pub mod reads;
mod recorded;
pub mod reference;
pub mod task;
pub mod traffic;

use harness::{Ladder, ladder};
pub use parameters::{Order, Records};

use crate::problem::Accesses;
pub use crate::task::Task;

/// A case of this chapter.
pub type Case = harness::Case<Task>;

/// A rung of this chapter.
pub type Rung = harness::Rung<Task>;

/// The rungs.
pub mod rungs {
    pub mod scalar;
    pub mod vec2;
    pub mod packs;
    pub mod four_packs;
    pub mod bulk;

    pub mod offset_loads;
    pub mod offset_stores;
    pub mod four_loads;
    pub mod two_packs;
    pub mod shuffled;

    pub mod strided_loads;
    pub mod strided_stores;

    pub mod two_loads;
    pub mod past_l1;
    pub mod read_only;
    pub mod one_load;

    pub mod aos;
    pub mod aos_packs;
    pub mod aos_staged;
    pub mod soa;
    pub mod soa_packs;
    pub mod aosoa;

    pub mod gather;
    pub mod gather_read_only;
    pub mod gather_four;
    pub mod scatter;

    pub mod bytes_in_flight;
}

use rungs::*;

/// Copies of a whole array, copies that are shifted by an offset, copies of one element per stride, sums of pairs,
/// updates of particles, gathers and scatters, and reads.
pub fn rungs() -> Ladder<Accesses> {
    ladder![
        scalar,
        vec2,
        packs,
        four_packs,
        bulk,
        offset_loads,
        offset_stores,
        four_loads,
        two_packs,
        shuffled,
        strided_loads,
        strided_stores,
        two_loads,
        past_l1,
        read_only,
        one_load,
        aos,
        aos_packs,
        aos_staged,
        soa,
        soa_packs,
        aosoa,
        gather,
        gather_read_only,
        gather_four,
        scatter,
        bytes_in_flight,
    ]
}
