//! What the simulator reports of a launch: counters, races, faults, traces.
//!
//! The machine (`simt`) fills these types in, the driver (`simt-driver`) writes them as JSON, and programs
//! (through `harness`) read the same types from it. A fact that a program may ask for is a field or
//! an enum, never a text to search in.

mod counters;
mod fault;
mod launch;
mod link;
mod names;
mod race;
mod recording;
mod search;
mod trace;
mod version;
mod weak;

pub use counters::Counters;
pub use fault::{Fault, FaultDetail, FaultKind};
pub use launch::{LaunchReport, Report};
pub use link::Link;
pub use race::{Action, Missing, Race, RaceAccess, RaceKind, Space};
pub use recording::{Bytes, InGroup, Operation, RecordedAllocation, RecordedOperation, Recording};
pub use search::{BarrierOrder, WeakFailure, WeakMemory, WeakRun, try_seeds};
pub use trace::{
    AccessKind, AccessSpace, Event, Executed, InstructionClass, MbarrierUse, Place, Trace,
    TracedAccess, UsedMbarrier,
};
pub use version::{VERSION, Version};
pub use weak::{Cure, StaleRead, StaleReads};

#[cfg(test)]
mod tests;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
