//! The CUDA driver API on top of the SIMT machine.
//!
//! Built as a shared library that answers to the name of NVIDIA's: a program that opens `libcuda`
//! by name after this one has been loaded gets this one. It runs PTX on the CPU and says of its
//! device what an H200 says (see `profile.rs`).
//!
//! - Every function that cudarc binds is exported. Those that are not implemented return
//!   `CUDA_ERROR_NOT_SUPPORTED`, and say their name on standard error, once.
//! - **Order.** Work runs within the call that queues it, so every stream is always idle. A device
//!   does one thing at a time, however many threads ask.
//! - **Errors** are the codes that NVIDIA's driver gives, with the cause on standard error. A
//!   kernel that faults poisons its context: its own launch succeeds, the next call that waits for
//!   it fails, and from then on every call does, until the context is destroyed.
//! - **Handles** are looked up, never followed: a null, foreign or outdated one is an error.
//! - Nothing unwinds into C. A defect of the library's own is `CUDA_ERROR_UNKNOWN`.
//!
//! Beyond the CUDA API there are `simtSetOption` and `simtTakeReport`, in `api/extra.rs`.
//!
//! The environment, read once: `SIMT_DEVICES` (number of devices), `SIMT_SEED`, `SIMT_THREADS`, and
//! `SIMT_RACES` (0 or 1; races are then said on standard error).

mod allocation;
mod api;
mod context;
mod entry;
mod error;
mod error_codes;
mod function;
mod handles;
mod host;
mod jit;
mod launch;
mod module;
mod occupancy;
mod options;
mod pool;
mod profile;
mod report;
mod state;
mod stream;
mod transfer;
mod types;
