//! Several devices: what they do together is a [`Task`], such as all-reduce.
//!
//! Here stands the table of rungs, by task. A rung is a file, `rungs/<name>.rs`, which launches the kernel in
//! `kernels/<name>.cu`; each rung is the one before with one idea changed. [`problem::devices`] holds the
//! devices, and its siblings hold the buffers and the judge of each task.

mod baseline;
pub mod broken;
pub mod chapter;
pub mod parameters;
pub mod problem;
pub mod task;

use harness::{Ladder, ladder};
pub use parameters::DeviceParameters;
use problem::AllReduce;
pub use task::Task;

/// The rungs, one file each.
pub mod rungs {
    // All-reduce.
    pub mod gather;
    pub mod ring;
    pub mod two_shot;
    pub mod flags;
    pub mod push;
    pub mod one_shot;
    pub mod low_latency;
    pub mod by_size;
}

/// The all-reduces.
pub fn all_reduces() -> Ladder<AllReduce> {
    use rungs::*;
    ladder![gather, ring, two_shot, flags, push, one_shot, low_latency, by_size]
}
