//! The CUDA driver that the process has loaded, and the kernels.

use std::{
    ffi::{CStr, CString, c_int, c_void},
    ptr::null_mut,
};

use cudarc::{
    driver::{
        DriverError,
        result::{self, stream::StreamKind},
        sys::{self, CUcontext, CUdeviceptr, CUmodule, CUstream},
    },
    nccl::sys::ncclResult_t::{ncclSystemError, ncclUnhandledCudaError},
};

use crate::entry::{Failure, Result};

/// The largest number of ranks: `MOST` of nccl.cu.
pub const MOST: usize = 64;

/// Bytes of a slot: `SLOT` of nccl.cu.
const SLOT: usize = 32768;

/// Bytes of a rank's memory: [`Control`], and behind it its slots, three per rank.
pub fn memory_bytes(ranks: usize) -> usize {
    size_of::<Control>() + 3 * ranks * SLOT
}

/// `Control` of nccl.cu, as it is before the first call.
#[repr(C, align(256))]
#[derive(Clone, Copy)]
pub struct Control {
    /// The rank.
    pub rank: i32,
    /// The number of ranks.
    pub ranks: i32,
    /// An epoch, and two counters per peer.
    pub counters: [u32; 1 + 2 * MOST],
    /// This memory of each rank.
    pub of: [CUdeviceptr; MOST],
    /// What peers tell.
    pub told: [u32; 3 * MOST],
}

/// What a launch needs of a kernel's text, which ends in NUL.
const PTX: &CStr = match CStr::from_bytes_with_nul(
    concat!(include_str!("../kernels/nccl.ptx"), "\0").as_bytes(),
) {
    Ok(text) => text,
    Err(_) => panic!("PTX is text"),
};

const THREADS: u32 = 256;

/// What a call of the driver returns, as a result of ours.
pub fn checked<T>(result: std::result::Result<T, DriverError>, doing: &str) -> Result<T> {
    result.map_err(|DriverError(code)| Failure {
        code: ncclUnhandledCudaError,
        cause: format!("{doing}: {code:?}"),
    })
}

/// Makes sure that the process has the simulated driver.
pub fn find() -> Result {
    // SAFETY: libcuda's initialisers have no preconditions; `culib` is called if it is present.
    let is_simulator = unsafe {
        sys::is_culib_present() && sys::culib().get::<*const c_void>(b"simtSetOption").is_ok()
    };
    if is_simulator {
        return Ok(());
    }
    let cause = "libcuda is not the simulator. For GPUs there is NVIDIA's NCCL";
    Err(Failure { code: ncclSystemError, cause: cause.into() })
}

/// Notes a report, which strict mode counts. `answered`: a call returns an error for it.
pub fn note_report(answered: bool) {
    // SAFETY: libcuda's initialisers have no preconditions; the simulator's function has this type.
    unsafe {
        if sys::is_culib_present()
            && let Ok(note) = sys::culib().get::<unsafe extern "C" fn(c_int)>(b"simtNoteReport")
        {
            note(c_int::from(answered));
        }
    }
}

/// A context that is current as long as this value lives.
pub struct Inside(());

impl Inside {
    /// Makes a context current.
    pub fn new(context: CUcontext) -> Result<Self> {
        // SAFETY: the driver looks handles up; that of a lost context is an error.
        checked(unsafe { sys::cuCtxPushCurrent_v2(context) }.result(), "entering a context")?;
        Ok(Self(()))
    }
}

impl Drop for Inside {
    fn drop(&mut self) {
        let mut context = null_mut();
        // SAFETY: it was pushed by `new`.
        unsafe { sys::cuCtxPopCurrent_v2(&mut context) };
    }
}

/// Loads the kernels into the current context.
pub fn load() -> Result<CUmodule> {
    // SAFETY: PTX that ends in NUL.
    checked(unsafe { result::module::load_data(PTX.as_ptr().cast()) }, "loading the kernels")
}

/// Launches a kernel in a stream of the current context, with one structure behind the rank's own memory.
pub fn launch<T>(
    module: CUmodule,
    name: &str,
    grid: (u32, u32, u32),
    mut own: CUdeviceptr,
    argument: &mut T,
    stream: CUstream,
) -> Result {
    let name = CString::new(name).unwrap_or_default();
    let mut arguments = [(&raw mut own).cast(), (&raw mut *argument).cast()];
    // SAFETY: the kernels of nccl.cu take these two arguments. The driver copies them.
    let launched = unsafe {
        result::module::get_function(module, name).and_then(|kernel| {
            result::launch_kernel(kernel, grid, (THREADS, 1, 1), 0, stream, &mut arguments)
        })
    };
    checked(launched, "launching a kernel")
}

/// Writes a value to memory of the current context. It waits for nothing that other streams have queued.
pub fn write<T>(address: CUdeviceptr, value: T) -> Result {
    let written = result::stream::create(StreamKind::NonBlocking).and_then(|stream| {
        // SAFETY: the memory is large enough, and the value lives until the stream is idle.
        let written = unsafe {
            result::memcpy_htod_async(address, &[value], stream)
                .and_then(|()| result::stream::synchronize(stream))
        };
        // SAFETY: the stream was made above.
        written.and(unsafe { result::stream::destroy(stream) })
    });
    checked(written, "writing to device memory")
}

/// Lets kernels of the current context access the memory of another one.
pub fn enable_access_to(context: CUcontext) -> Result {
    // SAFETY: the driver looks handles up.
    match unsafe { sys::cuCtxEnablePeerAccess(context, 0) }.result() {
        Err(DriverError(sys::CUresult::CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED)) => Ok(()),
        enabled => checked(enabled, "enabling access to another device's memory"),
    }
}

/// The number of bytes from an address to the end of its allocation; none where it is no device memory.
pub fn bytes_from(address: CUdeviceptr) -> Option<usize> {
    let (mut base, mut bytes) = (0, 0);
    // SAFETY: the pointers are to live variables.
    let found = unsafe { sys::cuMemGetAddressRange_v2(&mut base, &mut bytes, address) };
    found.result().ok().map(|()| bytes - (address - base) as usize)
}

/// The device that an address belongs to.
pub fn device_of(address: CUdeviceptr) -> Result<i32> {
    let mut device = 0;
    let attribute = sys::CUpointer_attribute::CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL;
    // SAFETY: the attribute is an `int`, which is written to a live variable.
    let found = unsafe { sys::cuPointerGetAttribute((&raw mut device).cast(), attribute, address) };
    checked(found.result().map(|()| device), "asking for the device of an address")
}

/// The context that a stream belongs to, which is the current one for a default stream.
pub fn context_of(stream: CUstream) -> Result<CUcontext> {
    let mut context = null_mut();
    // SAFETY: the pointer is to a live variable, and the driver looks handles up.
    let found = unsafe { sys::cuStreamGetCtx(stream, &mut context) };
    checked(found.result().map(|()| context), "asking for the context of the stream")
}
