//! The rungs of all chapters with the cases that they are launched on, results that must be equal bit by
//! bit, and replays of every rung in a graph.

pub mod checksums;
pub mod replays;
pub mod rungs;

pub use rungs::chapters;
