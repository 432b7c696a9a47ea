//! The exported functions, a file an area of the CUDA driver API. They check and convert; the
//! work is done by the modules beside this one. What each does is said in NVIDIA's *CUDA Driver
//! API* manual under its name, and here only where it differs.

#![allow(non_snake_case, clippy::too_many_arguments)]

mod context;
mod copy;
mod device;
mod error;
mod event;
mod extra;
mod function;
mod host;
mod launch;
mod library;
mod memory;
mod memset;
mod module;
mod occupancy;
mod pointer;
mod pool;
mod primary;
mod stream;
mod symbol;
mod unsupported;

use std::ffi::c_void;

/// The address of an exported function.
fn address(name: &str) -> Option<*const c_void> {
    let files = [
        context::address,
        copy::address,
        device::address,
        error::address,
        event::address,
        function::address,
        host::address,
        launch::address,
        library::address,
        memory::address,
        memset::address,
        module::address,
        occupancy::address,
        pointer::address,
        pool::address,
        primary::address,
        stream::address,
        symbol::address,
        unsupported::address,
    ];
    files.iter().find_map(|file| file(name))
}
