//! Compares the simulator with recordings of a GPU, and makes those recordings.
//!
//! [`instructions`] runs every PTX instruction and records the bits of its results. [`launches`] launches
//! every rung and the [`probes`] of memory, so that Nsight Compute ([`ncu`]) counts them, and [`counts`]
//! compares its counts with the simulator's.

pub mod counts;
pub mod instructions;
pub mod launches;
pub mod ncu;
pub mod probes;
