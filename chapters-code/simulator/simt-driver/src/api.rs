//! The exported functions, a file an area of the CUDA driver API. They check and convert; the
//! work is done by the modules beside this one. What each does is said in NVIDIA's *CUDA Driver
//! API* manual under its name, and here only where it differs.

#![allow(non_snake_case, clippy::too_many_arguments)]

mod capture;
mod context;
mod copy;
mod device;
mod error;
mod event;
mod extra;
mod function;
mod graph;
mod graph_exec;
mod host;
mod launch;
mod library;
mod memory;
mod memset;
mod module;
mod occupancy;
mod other;
mod pointer;
mod pool;
mod primary;
mod stream;
mod symbol;
mod unsupported;

use std::ffi::c_void;

use crate::entry::Export;

/// The exported functions of the CUDA API, file by file.
const FILES: &[&[Export]] = &[
    capture::FUNCTIONS,
    context::FUNCTIONS,
    copy::FUNCTIONS,
    device::FUNCTIONS,
    error::FUNCTIONS,
    event::FUNCTIONS,
    function::FUNCTIONS,
    graph::FUNCTIONS,
    graph_exec::FUNCTIONS,
    host::FUNCTIONS,
    launch::FUNCTIONS,
    library::FUNCTIONS,
    memory::FUNCTIONS,
    memset::FUNCTIONS,
    module::FUNCTIONS,
    occupancy::FUNCTIONS,
    other::FUNCTIONS,
    pointer::FUNCTIONS,
    pool::FUNCTIONS,
    primary::FUNCTIONS,
    stream::FUNCTIONS,
    symbol::FUNCTIONS,
    unsupported::FUNCTIONS,
];

/// The names of all of them.
#[cfg(test)]
fn names() -> impl Iterator<Item = &'static str> {
    FILES.iter().flat_map(|file| file.iter()).map(|&(name, _)| name)
}

/// The address of an exported function.
fn address(name: &str) -> Option<*const c_void> {
    let mut functions = FILES.iter().flat_map(|file| file.iter());
    functions.find(|&&(known, _)| known == name).map(|&(_, address)| address)
}
