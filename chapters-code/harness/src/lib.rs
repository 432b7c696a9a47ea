//! What every chapter needs on the host: open a device, make buffers, run one rung, time it, verify its result.
//!
//! A rung itself is plain cudarc, in a file of its chapter. [`mod@rung`] launches one and gets its verdict:
//! start there. [`buffer`] reads the result back, [`verify`] compares it, and [`bound`] says how far it may be off.

pub mod baselines;
pub mod bound;
pub mod buffer;
pub mod case;
pub mod ceiling;
pub mod device;
pub mod driver;
pub mod dtype;
pub mod error;
pub mod graph;
pub mod inputs;
pub mod kernel;
mod names;
pub mod nccl;
pub mod parameters;
pub mod rung;
pub mod shape;
pub mod simulator;
pub mod timing;
pub mod verify;
pub mod weak;

pub use buffer::{InputArray, Memory, Output};
pub use case::{Case, Input, Kind, Op};
pub use device::Device;
pub use driver::DeviceChoice;
pub use dtype::{Dtype, Element};
pub use embed::lz4;
pub use error::Error;
pub use kernel::PtxText;
pub use parameters::{ChapterParameters, Parameters};
pub use rung::{
    AnyProblem, Ladder, Launch, MOST_OF_ONE_THREAD, Outcome, Posed, Prepare, Prepared, Problem,
    Refusal, Rung, Traffic,
};
pub use shape::Shape;
