//! The rungs of all chapters with the cases that they are launched on, and replays of every rung in a
//! graph.

pub mod replays;
pub mod rungs;

pub use rungs::chapters;
