//! Kernels as NVRTC compiles them, against the same computations in Rust: mathematical functions
//! and operators, calls and control flow, memory spaces, atomics, the device runtime.

mod atomics;
mod collectives;
mod control;
mod functions;
mod int128;
mod memory;
mod pipeline;
mod runtime;
