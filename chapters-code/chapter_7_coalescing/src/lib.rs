//! Coalescing: what the memory makes of a warp's request.
//!
//! Here stands the table of rungs, each with the function that launches its kernel, `kernels/<name>.cu`, and says by a
//! formula what the launch asks of the memory. Rungs that are launched alike share a file. [`problem`] holds the
//! buffers and the judge, [`traffic`] has the formulas, and [`mod@reference`] the expected results.

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

use harness::Ladder;
pub use parameters::{Order, Records};

use crate::problem::Accesses;
pub use crate::task::Task;

/// A case of this chapter.
pub type Case = harness::Case<Task>;

/// A rung of this chapter.
pub type Rung = harness::Rung<Task>;

/// The rungs, those that are launched alike in one file.
pub mod rungs {
    pub mod copies;
    pub mod shifts;
    pub mod strides;
    pub mod pairs;
    pub mod updates;
    pub mod permutations;
    pub mod bytes_in_flight;
}

/// Copies of a whole array, copies that are shifted by an offset, copies of one element per stride, sums of pairs,
/// updates of particles, gathers and scatters, and reads.
pub fn rungs() -> Ladder<Accesses> {
    use rungs::*;
    vec![
        (copies::SCALAR, copies::scalar),
        (copies::VEC2, copies::vec2),
        (copies::PACKS, copies::packs),
        (copies::FOUR_PACKS, copies::four_packs),
        (copies::BULK, copies::bulk),
        (shifts::OFFSET_LOADS, shifts::offset_loads),
        (shifts::OFFSET_STORES, shifts::offset_stores),
        (shifts::FOUR_LOADS, shifts::four_loads),
        (shifts::TWO_PACKS, shifts::two_packs),
        (shifts::SHUFFLED, shifts::shuffled),
        (strides::STRIDED_LOADS, strides::strided_loads),
        (strides::STRIDED_STORES, strides::strided_stores),
        (pairs::TWO_LOADS, pairs::two_loads),
        (pairs::PAST_L1, pairs::two_loads),
        (pairs::READ_ONLY, pairs::two_loads),
        (pairs::ONE_LOAD, pairs::one_load),
        (updates::AOS, updates::aos),
        (updates::AOS_PACKS, updates::aos_packs),
        (updates::AOS_STAGED, updates::aos_staged),
        (updates::SOA, updates::soa),
        (updates::SOA_PACKS, updates::soa_packs),
        (updates::AOSOA, updates::aosoa),
        (permutations::GATHER, permutations::gather),
        (permutations::GATHER_READ_ONLY, permutations::gather),
        (permutations::GATHER_FOUR, permutations::gather_four),
        (permutations::SCATTER, permutations::scatter),
        (bytes_in_flight::RUNG, bytes_in_flight::prepare),
    ]
}
