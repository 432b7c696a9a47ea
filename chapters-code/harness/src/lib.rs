//! What the chapters share on the host's side: open a device, load a kernel, time it, verify its
//! result, report. The chapters themselves are plain cudarc; nothing here stands in front of it.
//!
//! To follow one rung from device to verdict, read [`device`], [`kernel`], [`ladder`] and
//! [`verify`], in that order.

pub mod access;
pub mod baselines;
pub mod bound;
pub mod buffer;
pub mod case;
pub mod ceiling;
pub mod cli;
pub mod device;
pub mod driver;
pub mod dtype;
pub mod error;
pub mod inputs;
pub mod json;
pub mod kernel;
pub mod ladder;
pub(crate) mod plan;
pub mod plot;
pub mod progress;
pub mod recorded;
pub mod replay;
pub mod row;
pub mod run;
pub mod rung;
pub mod runner;
pub mod segments;
pub mod selection;
pub mod shape;
pub mod simulator;
pub mod table;
pub mod terminal;
pub mod testing;
pub mod timing;
pub mod trace;
pub mod typed;
pub mod uploaded;
pub mod verify;

pub use access::{Order, Records};
pub use buffer::Output;
pub use case::{Case, Input, Kind, Op, Parameters};
pub use cli::{Options, TypeOptions};
pub use device::Device;
pub use driver::DeviceChoice;
pub use dtype::{Dtype, Element};
pub use error::Error;
pub use ladder::{Chapter, Operation, Problem, Refusal, Run, RungInfo, run_rung};
pub use row::Row;
pub use run::{main, run, run_all};
pub use rung::MOST_OF_ONE_THREAD;
pub use segments::{Conversion, Matrix, Segments};
pub use selection::{By, Density, Pattern};
pub use shape::Shape;
pub use typed::{Ladder, Launch, Posed, Rung};
