//! The CUDA driver API on top of the SIMT machine.
//!
//! Built as a shared library that answers to the name of NVIDIA's: a program that opens `libcuda`
//! by name after this one has been loaded gets this one. It runs PTX on the CPU and says of its
//! device what an H200 says (see `profile.rs`).
//!
//! - The functions exported are those of driver 580 (CUDA 13.0): `tests/h100_symbols.txt`. Those that are not
//!   implemented return `CUDA_ERROR_NOT_SUPPORTED`, and name themselves on standard error, once.
//! - **Order.** Work runs within the call that queues it, so that streams are idle. Only functions of
//!   the host, and what follows them in their streams, run on threads of their own (`pending.rs`). A
//!   device does one thing at a time, however many threads ask.
//! - **Several devices.** Each reaches each, as over NVLink. Once a context has access to another's memory,
//!   work runs when the host waits, and kernels of all devices at the same time (`together.rs`).
//! - **Graphs.** What a stream runs is a value (`operation.rs`). A stream that is captured
//!   (`capture.rs`) keeps it as a node of a graph (`graph.rs`), which runs node by node.
//! - A kernel that needs what the simulator lacks is refused when it is launched, with
//!   `CUDA_ERROR_NOT_SUPPORTED`: its module is PTX, so it loads, and the other kernels run.
//! - **Errors** are the codes that NVIDIA's driver gives, with the cause on standard error. A
//!   kernel that faults poisons its context: its own launch succeeds, the next call that waits for
//!   it fails, and from then on every call does, until the context is destroyed.
//! - **Handles** are looked up, never followed: a null, foreign or outdated one is an error.
//! - Nothing unwinds into C. A defect of the library's own is `CUDA_ERROR_UNKNOWN`.
//!
//! Beyond the CUDA API there are `simtSetOption`, `simtSetName`, `simtTakeReport`, `simtTakeRecording` and
//! `simtNoteReport`, in `api/extra.rs`.
//!
//! Unless work is deferred, a launch returns when its kernel is done, so one that spins for ever blocks `cuLaunchKernel`.
//! Threads that all wait for each other are found out, and an instruction limit ends the rest. No
//! signal is caught here: Ctrl-C ends the process at once.
//!
//! After a fault a GPU is lost to the whole process, new contexts included; here only to the
//! context in which the kernel ran, so that one process can test many faults.
//!
//! # Memory of the host
//!
//! Device memory is taken from the host as it is touched. All else is small: a program needs no more
//! than twice what it allocates, and 200 MB. Looking for races adds half a byte for each byte of device
//! memory that a launch touches, as long as it runs, and where warps do not touch whole rows 4 more if
//! it is read, and 4 if it is written (`tests/host_memory.rs`). What launches, copies and fills have touched is kept until
//! the host waits for them, in at most 40 MB and that of the last launch (`order.rs`). Blocks that wait for each other, as at a barrier of the whole grid, are
//! held all at once, each with the registers, shared and local memory that its PTX declares; that
//! comes on top.
//!
//! # The environment
//!
//! Read once. A value that is not a number of 0 or more is said on standard error and passed over, and so is a name
//! that resembles one of these.
//!
//! | variable | default | what it sets |
//! | --- | --- | --- |
//! | `SIMT_STRICT` | 0 | 1 makes what is reported an error, and a status of the process: see `strict.rs`. It turns the race check on, too, unless `SIMT_RACES` is 0 |
//! | `SIMT_DEVICES` | 1 | the number of devices, at most 64, all linked with each other; with 0, there is none |
//! | `SIMT_SEED` | 0 | the order in which blocks start, and in which warps and blocks take turns; 0 is in order |
//! | `SIMT_RESIDENT_BLOCKS` | 0 | blocks that are resident at a time; 0 is as many as an H200 holds |
//! | `SIMT_THREADS` | 0 | threads of the host that execute blocks; 0 is one a core |
//! | `SIMT_RACES` | 0 | 1 looks for races, and says them on standard error too |
//! | `SIMT_WEAK_MEMORY` | 0 | a seed for weak memory, in which a load may return an older value than the newest (`simt/src/weak.rs`); 0 turns it off. Loads that may miss a store are said on standard error |
//! | `SIMT_PTX_BARRIERS` | 0 | with weak memory, 1 makes barriers order no more than PTX promises |
//! | `SIMT_ACTIVE_MASKS` | 0 | a seed by which `activemask` returns only a part of the lanes that execute it together; 0 returns all |
//! | `SIMT_INDEPENDENT_LANES` | 0 | a seed by which lanes of a warp run ahead of the others from an access to memory on (`simt/src/exec/independent.rs`); 0 turns it off |
//! | `SIMT_INSTRUCTION_LIMIT` | 0 | warp instructions after which a launch is ended; 0 is never |
//!
//! `simtSetOption` sets them anew, and what has no variable: its table is in `api/extra.rs`.

mod allocation;
mod api;
mod capture;
mod context;
mod entry;
mod error;
mod error_codes;
mod fork;
mod function;
mod graph;
mod handles;
mod host;
mod jit;
mod launch;
mod module;
mod occupancy;
mod operation;
mod options;
mod order;
mod pending;
mod pool;
mod profile;
mod recording;
mod report;
mod state;
mod stream;
mod strict;
mod together;
mod transfer;
mod types;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
