//! A library to compare with, behind the C interface of `chapters-code/tools/baselines/baselines.h`.

use std::{
    ffi::{CStr, c_char, c_int, c_void},
    path::{Path, PathBuf},
};

use cudarc::driver::{CudaSlice, DevicePtr, DevicePtrMut, DriverError, sys::CUresult};
use libloading::Library;

use crate::{
    Device, Dtype, Error, Op,
    buffer::{self, Output},
    error::in_full,
    verify::Verdict,
};

/// One complete operation of a baseline, enqueued on the device's stream; ready to be timed.
pub type BaselineRun<'a> = Box<dyn FnMut() -> Result<(), DriverError> + 'a>;

/// `BASELINE_INTERFACE` of baselines.h.
const INTERFACE: i32 = 1;

/// An open baseline library.
pub struct Baselines {
    library: Library,
    path: PathBuf,
    /// Who it is, such as `CUB`.
    pub name: String,
    /// Its version, such as `3.0.1`.
    pub version: String,
}

impl Baselines {
    /// Opens the library at `path`.
    ///
    /// # Errors
    /// [`Error::Baseline`] where it is not a library, or not one with this interface.
    pub fn open(path: &Path) -> Result<Self, Error> {
        let bad = |reason: String| Error::Baseline { path: path.to_path_buf(), reason };
        // A bare name would be looked for in the system's folders.
        let file = path.canonicalize().map_err(|error| bad(error.to_string()))?;
        // SAFETY: a baseline library's initialisers have no preconditions.
        let library = unsafe { Library::new(&file) }.map_err(|error| bad(in_full(&error)))?;
        // SAFETY: signatures as in baselines.h; the strings are static.
        let (interface, name, version) = unsafe {
            let text = |symbol: &[u8]| -> Result<String, libloading::Error> {
                let text = library.get::<extern "C" fn() -> *const c_char>(symbol)?();
                Ok(CStr::from_ptr(text).to_string_lossy().into_owned())
            };
            let interface = library
                .get::<extern "C" fn() -> i32>(b"baseline_interface")
                .map(|interface| interface());
            (interface, text(b"baseline_name"), text(b"baseline_version"))
        };
        let (Ok(interface), Ok(name), Ok(version)) = (interface, name, version) else {
            return Err(bad(
                "it is not a baseline library: baseline_interface, baseline_name or baseline_version \
                            is missing"
                    .into(),
            ));
        };
        if interface != INTERFACE {
            return Err(bad(format!("it has interface {interface}, wanted is {INTERFACE}")));
        }
        Ok(Self { library, path: path.to_path_buf(), name, version })
    }

    /// A function of the library; none where it lacks it, which is no error.
    ///
    /// # Safety
    /// `F` must be the function's type in baselines.h.
    pub unsafe fn function<F: Copy>(&self, name: &str) -> Option<F> {
        // SAFETY: the caller's promise.
        unsafe { self.library.get::<F>(name.as_bytes()) }.ok().map(|symbol| *symbol)
    }

    /// An error of one of its functions.
    pub fn error(&self, reason: impl Into<String>) -> Error {
        Error::Baseline { path: self.path.clone(), reason: reason.into() }
    }
}

/// `enum BaselineDtype`, which has the order of [`Dtype::ALL`].
pub fn dtype_code(dtype: Dtype) -> c_int {
    let position = Dtype::ALL.iter().position(|&other| other == dtype);
    position.unwrap_or(0) as c_int
}

/// `enum BaselineOp`; none for an operator that it lacks.
pub fn op_code(op: Op) -> Option<c_int> {
    match op {
        Op::Sum => Some(0),
        Op::Max => Some(1),
        Op::Min => Some(2),
        Op::Product | Op::And | Op::Or | Op::Affine => None,
    }
}

/// Addresses of an operation's input and output, in device memory.
#[derive(Clone, Copy, Debug)]
pub struct Addresses {
    /// The input.
    pub input: *const c_void,
    /// The output.
    pub output: *mut c_void,
}

/// Scratch of an operation, in device memory, and the stream that it is enqueued on.
#[derive(Clone, Copy, Debug)]
pub struct Scratch {
    /// Its address.
    pub address: *mut c_void,
    /// Its size.
    pub bytes: usize,
    /// A `CUstream`.
    pub stream: *mut c_void,
}

/// A baseline's operation: its two functions in baselines.h, with all arguments but memory bound.
pub struct Call<'a> {
    /// What errors call it, such as `sum of 1023 f32`.
    pub what: String,
    /// Bytes that it writes.
    pub output_bytes: usize,
    /// Asks for the bytes of scratch; `usize::MAX` where the library has no such operation.
    pub scratch_bytes: Box<dyn Fn(Addresses) -> usize + 'a>,
    /// Enqueues it; a `cudaError_t`.
    pub run: Box<dyn Fn(Addresses, Scratch) -> c_int + 'a>,
}

impl Baselines {
    /// Runs an operation once, judges what it wrote, and hands it over to be timed; none where the
    /// library lacks it.
    ///
    /// # Errors
    /// [`Error::Baseline`] where the library fails or its result is wrong, [`Error::Driver`] where
    /// memory is not to be had.
    pub fn prepare<'a, T>(
        &self,
        device: &'a Device,
        input: &'a CudaSlice<T>,
        call: Call<'a>,
        judge: impl FnOnce(&[u8]) -> Verdict,
    ) -> Result<Option<BaselineRun<'a>>, Error> {
        let mut out = Output::<u8>::new(device, call.output_bytes)?;
        out.poison()?;
        let addresses = Addresses {
            input: input.device_ptr(&device.stream).0 as *const c_void,
            output: out.view_mut().device_ptr_mut(&device.stream).0 as *mut c_void,
        };
        let bytes = (call.scratch_bytes)(addresses);
        if bytes == usize::MAX {
            return Ok(None);
        }
        let mut memory = buffer::scratch::<u8>(device, bytes as u64)?;
        let scratch = Scratch {
            address: memory.device_ptr_mut(&device.stream).0 as *mut c_void,
            bytes,
            stream: device.stream.cu_stream() as *mut c_void,
        };
        let what = call.what;
        let run = call.run;
        let launch = move || match run(addresses, scratch) {
            0 => Ok(()),
            _ => Err(DriverError(CUresult::CUDA_ERROR_UNKNOWN)),
        };
        launch().map_err(|error| device.explain("the baseline's operation", error))?;
        let computed = out.download()?.map_err(|_| self.error("it wrote beside its output"))?;
        if let Some(failure) = judge(&computed).failures.first() {
            return Err(self.error(format!("its {what} is wrong: {}", failure.message)));
        }
        Ok(Some(Box::new(move || {
            let _keep_alive = (&out, &memory);
            launch()
        })))
    }
}
