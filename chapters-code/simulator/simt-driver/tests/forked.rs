//! A forked child cannot use the driver.
#![cfg(unix)]

use std::ffi::c_int;
use std::time::{Duration, Instant};

use crate::common::{context_in_own_process, kernel, launch, one_block};
use cudarc::driver::sys::{self, CUresult};

unsafe extern "C" {
    fn fork() -> c_int;
    fn _exit(status: c_int) -> !;
    fn kill(process: c_int, signal: c_int) -> c_int;
    fn waitpid(process: c_int, status: *mut c_int, options: c_int) -> c_int;
}

const NO_HANG: c_int = 1;
const SIGKILL: c_int = 9;

/// 0 if all calls of a child are refused, or the number of the first that is not.
fn in_child(function: sys::CUfunction, stream: sys::CUstream) -> c_int {
    let null = std::ptr::null_mut;
    // SAFETY: all are refused before they look at what they are given.
    let codes = unsafe {
        [
            sys::cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, null(), null()),
            sys::cuMemAlloc_v2(&mut 0, 64),
            sys::cuStreamSynchronize(stream),
            sys::cuCtxSynchronize(),
            sys::cuInit(0),
        ]
    };
    let wrong = codes.iter().position(|&c| c != CUresult::CUDA_ERROR_NOT_INITIALIZED);
    wrong.map_or(0, |index| index as c_int + 1)
}

#[test]
fn a_forked_child_is_refused() {
    let Some(context) = context_in_own_process("forked::a_forked_child_is_refused", &[]) else {
        return;
    };
    let stream = context.default_stream();
    let count = kernel(&context, "count");
    let launch = || {
        launch!(stream, count, one_block(1)).unwrap();
        stream.synchronize().unwrap();
    };
    launch();
    // SAFETY: cudarc has found its functions, so that the child only calls the driver, and exits.
    let child = unsafe {
        match fork() {
            0 => _exit(in_child(count.cu_function(), stream.cu_stream())),
            child => child,
        }
    };
    assert!(child > 0);
    let (mut status, limit) = (0, Instant::now() + Duration::from_secs(20));
    // SAFETY: the child is ours, and the status valid for writing.
    while unsafe { waitpid(child, &mut status, NO_HANG) } == 0 {
        if Instant::now() > limit {
            // SAFETY: the child is ours.
            unsafe { kill(child, SIGKILL) };
            panic!("the child hangs");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(status, 0, "a call was not refused: its number is in the second byte");
    // The parent goes on.
    launch();
}
