//! A SIMT machine: executes decoded PTX kernels as a GPU would, and counts what it would count.
//!
//! A [`LoadedModule`] places a module's variables in a device's [`Memory`]; [`launch`] runs one of
//! its kernels to the end and returns what was counted and found, and the fault if there was one.
//!
//! How the work is divided:
//!
//! | module | does |
//! | --- | --- |
//! | `launch`, `grid`, `workers` | check a launch, spread its blocks over the cores |
//! | `block`, `barrier`, `schedule` | run the warps of a block in turn |
//! | `stall` | tells a launch that can never end |
//! | `converge` | how lanes of a warp part and meet again |
//! | `exec` | one warp: control flow, memory, what lanes do together |
//! | `registers`, `alu` | the registers of a warp and the arithmetic on them |
//! | `memory`, `module` | device memory, variables and constants |
//! | `racy` | accesses to bytes that several host threads access at once |
//! | `proxy` | mbarrier objects, and bulk copies under way |
//! | `written` | which of its bytes somebody has written |
//! | `observe`, `counters`, `pattern`, `races`, `trace` | what is counted, found and kept |
//! | `report`, `describe`, `fault` | how it is told |
//!
//! The crate knows nothing of CUDA's API, of files or of terminals (device-side `printf` aside),
//! and builds for `wasm32-unknown-unknown`.

pub mod alu;
mod banks;
mod barrier;
mod block;
#[cfg(test)]
mod concurrent;
mod converge;
mod counters;
mod describe;
mod exec;
mod fault;
mod grid;
mod launch;
mod memory;
mod module;
mod observe;
mod pattern;
mod proxy;
mod races;
mod racy;
pub mod registers;
mod report;
mod schedule;
mod stall;
mod trace;
mod workers;
mod written;

pub use counters::Counters;
pub use fault::{Fault, FaultKind};
pub use launch::{Launch, MAX_SHARED, MAX_THREADS, MULTIPROCESSORS, Options, Outcome, launch};
pub use memory::{DEVICE_BASE, Memory, MemoryError};
pub use module::{
    LOCAL_WINDOW, LoadError, LoadedKernel, LoadedModule, SHARED_WINDOW, WINDOW_BYTES,
};
pub use report::{Race, RaceAccess, Report};
pub use trace::{Event, MOST_EVENTS, Place, Trace, TracedAccess};
