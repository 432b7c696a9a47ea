//! What is recorded on a GPU so that the simulator can be held against it: every kernel once, in a
//! fixed order, for a profiler to count; the results of every instruction; and replays of every kernel in
//! a graph.

pub mod counts;
pub mod instructions;
pub mod launches;
pub mod ncu;
pub mod probes;
pub mod replays;
mod rungs;

pub use rungs::chapters;
