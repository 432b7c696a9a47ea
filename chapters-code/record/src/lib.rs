//! What is recorded on a GPU so that the simulator can be held against it: every kernel once, in a
//! fixed order, for a profiler to count; and the results of every instruction.

pub mod counts;
pub mod instructions;
pub mod launches;
pub mod ncu;
pub mod probes;
mod rungs;

pub use rungs::chapters;
