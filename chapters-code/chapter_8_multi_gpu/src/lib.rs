//! All-reduce: every device gets the sum of the arrays of all devices.
//!
//! Here stands the table of rungs. A rung is a file, `rungs/<name>.rs`, which launches the kernel in
//! `kernels/<name>.cu`; each rung is the one before with one idea changed. [`problem`] holds the devices,
//! the buffers and the judge.

mod baseline;
pub mod broken;
pub mod chapter;
pub mod parameters;
pub mod problem;

use harness::{Ladder, ladder};
pub use parameters::DeviceParameters;
use problem::AllReduce;

/// The rungs.
pub mod rungs {
    pub mod gather;
    pub mod ring;
    pub mod two_shot;
    pub mod flags;
    pub mod push;
    pub mod one_shot;
    pub mod low_latency;
    pub mod by_size;
}

/// The rungs in order.
pub fn rungs() -> Ladder<AllReduce> {
    use rungs::*;
    ladder![gather, ring, two_shot, flags, push, one_shot, low_latency, by_size]
}
