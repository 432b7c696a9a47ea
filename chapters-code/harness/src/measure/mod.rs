//! Running and timing the rungs of a problem, beside what the hardware allows and what libraries need.

pub mod baselines;
pub mod ceiling;
pub mod graph;
pub mod suite;
pub mod timing;
pub mod weak;
