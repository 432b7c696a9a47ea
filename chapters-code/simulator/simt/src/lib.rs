//! A SIMT machine: it executes decoded PTX kernels as a GPU would, and models the hardware's
//! counters.
//!
//! A [`LoadedModule`] places a module's variables in a device's [`Memory`]. [`launch`] runs one of
//! its kernels to the end. It returns a [`LaunchReport`]: counters and findings, and the fault if there
//! was one.
//!
//! | module | responsibility |
//! | --- | --- |
//! | `config`, `launch`, `grid`, `workers` | check a launch, distribute its blocks over the cores |
//! | `group` | runs launches at the same time, on several devices |
//! | `facts` | what is known of such launches, and how they are related |
//! | `block`, `barrier`, `schedule` | run the warps of a block in turn |
//! | `cluster` | run the blocks of a cluster in turn |
//! | `stall`, `patience` | detect a launch that can never end, report one that runs for long |
//! | `converge` | divergence and reconvergence of a warp's lanes |
//! | `exec` | execute one warp: control flow, memory, warp-wide operations |
//! | `registers`, `alu` | the registers of a warp and their arithmetic |
//! | `memory`, `devices`, `module` | device memory, variables and constants |
//! | `racy` | accesses to bytes that several host threads access at once |
//! | `proxy` | mbarrier objects and pending bulk copies |
//! | `weak` | an execution mode in which loads may return older values |
//! | `init_mask` | which bytes of an allocation are initialised |
//! | `access`, `observe`, `counters`, `pattern`, `races`, `trace` | counters, race detection, traces |
//! | `footprint` | what whole operations have accessed, to compare those of several streams |
//! | `describe`, `fault` | findings and faults in words; the types of the report are in `simt_report` |
//!
//! The crate does not depend on CUDA's API, on files or on terminals (except for device-side
//! `printf`). It builds for `wasm32-unknown-unknown`.

mod access;
pub mod alu;
mod banks;
mod barrier;
mod block;
mod cluster;
#[cfg(test)]
mod concurrent;
mod config;
mod converge;
mod counters;
mod describe;
mod device_profile;
mod devices;
mod exec;
mod facts;
mod fault;
mod footprint;
mod grid;
mod group;
mod held;
mod init_mask;
mod launch;
mod memory;
mod module;
mod observe;
mod patience;
mod pattern;
mod proxy;
mod races;
mod racy;
pub mod registers;
mod schedule;
mod shape;
mod stall;
mod trace;
mod weak;
mod workers;

pub use config::{Launch, Options};
pub use device_profile::{DEVICE, DeviceProfile};
pub use devices::NoAccess;
pub use footprint::Footprint;
pub use group::{Feed, Job, launch_together};
pub use launch::{check, check_shape, launch, launch_in, launch_job};
pub use memory::{DEVICE_BASE, Extent, Memory, MemoryError, Snapshot};
pub use module::{
    LOCAL_WINDOW, LoadError, LoadedKernel, LoadedModule, SHARED_WINDOW, WINDOW_BYTES, source_name,
};
pub use patience::{LongRun, report_long_runs};
pub use simt_report::{BarrierOrder, Fault, FaultKind, LaunchReport, WeakMemory};
pub use trace::MOST_EVENTS;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
