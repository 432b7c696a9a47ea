//! Every kernel once, in a fixed order: so that what a profiler counts on a GPU can be laid beside
//! what the simulator counts.

pub mod counts;
pub mod launches;
pub mod ncu;
pub mod probes;
mod rungs;

pub use rungs::chapters;
