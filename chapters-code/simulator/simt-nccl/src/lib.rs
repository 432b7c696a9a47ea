//! NCCL's C interface on top of the simulated driver.
//!
//! Built as a shared library that answers to the name of NVIDIA's: a program that opens `libnccl.so` by name after this
//! one has been loaded gets this one. It launches kernels (`kernels/nccl.cu`) through the CUDA driver that the process
//! has loaded, which must be `simt-driver`.
//!
//! - The functions exported are those of NCCL 2.28. Those that are not implemented return `ncclInvalidUsage`, and name
//!   themselves on standard error.
//! - **Ranks** are devices of one process, one rank per device, at most 64. Each may have a thread of the host.
//! - **Order.** A call enqueues kernels in the stream that it is given, and returns. The kernels wait for each other on
//!   the devices. Those of one communicator run one after another, whatever their streams.
//! - **Sends end when their data has been received.** NCCL may end a short one before. So programs that only work
//!   because NCCL keeps data deadlock here.
//! - **A rank that never comes.** The driver reports the deadlock when the host waits. `ncclCommGetAsyncError`,
//!   `ncclCommDestroy` and `ncclCommAbort` then name the rank and the call on standard error. `ncclCommInitRank` gives
//!   up after half a minute.
//! - **Calls that do not match** are errors of the later one, which names both: counts, types, operators, roots, and the
//!   order of collectives.
//! - **Errors** are NCCL's codes, with the cause on standard error and in `ncclGetLastError`.
//! - Nothing unwinds into C. A defect of the library's own is `ncclInternalError`.

mod api;
mod driver;
mod entry;
mod group;
mod ledger;
mod types;
mod windows;
mod world;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
