//! Several threads of the host at once: launches take turns, and a module is not unloaded under a
//! kernel.

use std::ffi::{CString, c_void};
use std::sync::{Arc, Barrier};
use std::time::Duration;

use crate::common::{self, PTX, code, context, launch, module, one_block};
use cudarc::driver::sys::{CUfunction, CUmodule, CUresult};
use cudarc::driver::{CudaContext, result};

/// A module as C has it: it may be unloaded while others use it.
#[derive(Clone, Copy)]
struct Raw {
    module: CUmodule,
    slow: CUfunction,
}

// SAFETY: handles are numbers, which the driver looks up.
unsafe impl Send for Raw {}
// SAFETY: as above.
unsafe impl Sync for Raw {}

impl Raw {
    fn load() -> Self {
        let text = CString::new(PTX).unwrap();
        // SAFETY: the image is a string that lives until the call returns.
        unsafe {
            let module = result::module::load_data(text.as_ptr().cast()).unwrap();
            let slow = result::module::get_function(module, c"slow".to_owned()).unwrap();
            Self { module, slow }
        }
    }

    /// Launches the kernel that counts down from n.
    fn launch(&self, context: &Arc<CudaContext>, mut n: u32) -> CUresult {
        context.bind_to_thread().unwrap();
        let (one, stream) = ((1, 1, 1), context.default_stream().cu_stream());
        let mut arguments = [(&raw mut n).cast::<c_void>()];
        // SAFETY: the argument is that of the kernel.
        code(unsafe { result::launch_kernel(self.slow, one, one, 0, stream, &mut arguments) })
    }

    fn unload(&self, context: &Arc<CudaContext>) -> CUresult {
        context.bind_to_thread().unwrap();
        // SAFETY: whoever launches its kernel afterwards is refused.
        code(unsafe { result::module::unload(self.module) })
    }
}

#[test]
fn launches_take_turns() {
    let context = context();
    let module = module(&context);
    let stream = context.default_stream();
    let start = Barrier::new(4);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let count = module.load_function("count").unwrap();
                start.wait();
                for _ in 0..25 {
                    launch!(stream, count, one_block(1)).unwrap();
                }
            });
        }
    });
    let counter = module.get_global("counter", &stream).unwrap();
    assert_eq!(stream.clone_dtoh(&counter).unwrap(), 107u32.to_le_bytes());
}

#[test]
fn unloading_waits_for_what_is_queued() {
    let context = context();
    let raw = Raw::load();
    assert_eq!(raw.launch(&context, 1000), CUresult::CUDA_SUCCESS);
    assert_eq!(raw.unload(&context), CUresult::CUDA_SUCCESS);
    assert_eq!(code(context.synchronize()), CUresult::CUDA_SUCCESS);
    let gone = CUresult::CUDA_ERROR_INVALID_HANDLE;
    assert_eq!(raw.launch(&context, 1), gone);
}

/// A kernel whose module goes while it waits behind another one runs before, or not at all: it
/// never runs without the module's variables.
#[test]
fn unloading_under_a_waiting_kernel() {
    let context = context();
    let first = Raw::load();
    for round in 0..40 {
        let second = Raw::load();
        let launched = std::thread::scope(|scope| {
            scope.spawn(|| assert_eq!(first.launch(&context, 50_000), CUresult::CUDA_SUCCESS));
            std::thread::sleep(Duration::from_micros(200));
            let launched = scope.spawn(|| second.launch(&context, 1));
            std::thread::sleep(Duration::from_micros(50 * round));
            assert_eq!(second.unload(&context), CUresult::CUDA_SUCCESS);
            launched.join().unwrap()
        });
        let gone = CUresult::CUDA_ERROR_INVALID_HANDLE;
        assert!(matches!(launched, CUresult::CUDA_SUCCESS) || launched == gone, "{launched:?}");
        assert_eq!(code(context.synchronize()), CUresult::CUDA_SUCCESS, "round {round}");
    }
}

#[test]
fn an_error_is_seen_by_every_thread_of_the_context() {
    let context = context();
    let poke = common::kernel(&context, "poke");
    let stream = context.default_stream();
    // The address is wrong, on purpose.
    launch!(stream, poke, one_block(1), &0u64).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let illegal = CUresult::CUDA_ERROR_ILLEGAL_ADDRESS;
                context.bind_to_thread().unwrap();
                assert_eq!(code(result::ctx::synchronize()), illegal);
            });
        }
    });
}
