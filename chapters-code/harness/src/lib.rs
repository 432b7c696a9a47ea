//! What every chapter needs on the host: open a device, make buffers, run one rung, time it, verify its result.
//!
//! A rung itself is plain cudarc, in a file of its chapter. [`mod@rung`] says what a rung and its problem are;
//! [`suite`] launches one and gets its verdict.
//!
//! | folder | holds | uses |
//! | --- | --- | --- |
//! | `case` | what is asked for: size, type, operator, input | |
//! | `judge` | how far a result may be off, and what differs | `case` |
//! | `device` | the open device, its kernels and buffers, and the simulator's extra functions | `case`, `judge` |
//! | `rung.rs` | a rung, its launch and its problem | the folders above |
//! | `measure` | rungs run, timed and compared with libraries | all of them |

pub mod case;
mod device;
pub mod error;
mod judge;
mod measure;
pub mod rung;

pub use case::{
    Case, Input, Kind, Op, dtype,
    dtype::{Dtype, Element},
    inputs, shape,
    shape::Shape,
    task,
    task::{Parameter, Task, Value},
};
pub use device::{
    Device, Properties, buffer,
    buffer::{InputArray, Memory, Output},
    driver,
    driver::DeviceChoice,
    host_available_bytes, kernel,
    kernel::PtxText,
    nccl,
};
pub use embed::lz4;
pub use error::Error;
pub use judge::{bound, verify};
pub use measure::{
    baselines, ceiling, graph, suite,
    suite::{AnyProblem, Measured, Outcome, Posed, Suite},
    timing, weak,
};
pub use rung::{
    Ladder, Launch, Prepare, Prepared, Problem, Refusal, Rung, SINGLE_THREAD_MAX, Traffic,
};
pub use simt_client as simulator;
