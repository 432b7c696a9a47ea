//! A library to compare with, behind the C interface of `chapters-code/tools/baselines/baselines.h`.

use std::{
    cell::RefCell,
    ffi::{CStr, CString, c_char, c_int, c_void},
    path::{Path, PathBuf},
    ptr::null,
    rc::Rc,
    sync::Arc,
};

use cudarc::driver::{CudaSlice, DevicePtr, DevicePtrMut, DriverError, sys::CUresult};
use libloading::Library;

use crate::{
    Device, Dtype, Error, Op, Problem,
    buffer::{self, Output},
    error::in_full,
    verify::Verdict,
};

/// `BASELINE_INTERFACE` of baselines.h.
const INTERFACE: i32 = 4;

/// `cudaErrorNotSupported`, with which a library says that it lacks a way after all.
const NOT_SUPPORTED: c_int = 801;

/// An open baseline library.
#[derive(Clone)]
pub struct Baselines {
    library: Arc<Library>,
    path: PathBuf,
    /// Who it is, such as `CUB`.
    pub name: String,
    /// Its version, such as `3.0.1`.
    pub version: String,
    /// What it was built with, such as `nvcc 13.0.88`; none if it does not say.
    pub built_with: Option<String>,
}

impl Baselines {
    /// Opens the library at `path`.
    ///
    /// # Errors
    /// [`Error::Baseline`] if it is not a library, or not one with this interface.
    pub fn open(path: &Path) -> Result<Self, Error> {
        let bad = |reason: String| Error::Baseline { path: path.to_path_buf(), reason };
        // A bare name would be looked for in the system's folders.
        let file = path.canonicalize().map_err(|error| bad(error.to_string()))?;
        // SAFETY: a baseline library's initialisers have no preconditions.
        let library = unsafe { Library::new(&file) }.map_err(|error| bad(in_full(&error)))?;
        // SAFETY: signatures as in baselines.h; the strings are static.
        let (interface, name, version, built_with) = unsafe {
            let text = |symbol: &[u8]| -> Result<String, libloading::Error> {
                let text = library.get::<extern "C" fn() -> *const c_char>(symbol)?();
                Ok(CStr::from_ptr(text).to_string_lossy().into_owned())
            };
            let interface = library
                .get::<extern "C" fn() -> i32>(b"baseline_interface")
                .map(|interface| interface());
            let built_with = text(b"baseline_built_with").ok();
            (interface, text(b"baseline_name"), text(b"baseline_version"), built_with)
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
        Ok(Self { library: Arc::new(library), path: path.to_path_buf(), name, version, built_with })
    }

    /// A function of the library; none if it lacks it, which is no error.
    ///
    /// # Safety
    /// `F` must be the function's type in baselines.h.
    pub unsafe fn function<F: Copy>(&self, name: &str) -> Option<F> {
        // SAFETY: the caller's promise.
        unsafe { self.library.get::<F>(name.as_bytes()) }.ok().map(|symbol| *symbol)
    }

    /// The name of a way in which the library does an operation, such as `DeviceReduce::Sum`; none if it has
    /// fewer ways.
    fn way(&self, operation: &str, way: c_int) -> Option<String> {
        type Name = unsafe extern "C" fn(*const c_char, c_int) -> *const c_char;
        // SAFETY: the type of baselines.h.
        let name = unsafe { self.function::<Name>("baseline_way") }?;
        let operation = CString::new(operation).ok()?;
        // SAFETY: `operation` ends in a zero; what is returned is null, or a static string.
        unsafe {
            let name = name(operation.as_ptr(), way);
            (!name.is_null()).then(|| CStr::from_ptr(name).to_string_lossy().into_owned())
        }
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

/// The address of an array in device memory, for a library.
pub fn address<T>(device: &Device, array: &CudaSlice<T>) -> *const c_void {
    array.device_ptr(&device.stream).0 as *const c_void
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

/// `struct BaselineSegments` of baselines.h: segments in each form in which a library may take them. Null stands for
/// a form that is not there.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Segments {
    /// A byte per element: neighbours in a segment have the same.
    pub keys: *const c_void,
    /// A bit per element, in words of 32 bits: 1 where a segment begins.
    pub bits: *const c_void,
    /// Where each segment begins, and the number of elements.
    pub offsets: *const c_void,
    /// The number of segments.
    pub segments: usize,
    /// The length of each segment, or 0 if they differ.
    pub length: usize,
    /// Not 0 if a segment may be empty.
    pub has_empty: c_int,
}

impl Segments {
    /// Segments of the same length, or, for 0, of several lengths; without the arrays.
    pub fn new(segments: usize, length: usize, has_empty: bool) -> Self {
        let (keys, bits, offsets) = (null(), null(), null());
        Self { keys, bits, offsets, segments, length, has_empty: c_int::from(has_empty) }
    }
}

/// Defines a type that holds the two functions of an operation of baselines.h, by the parameters that both have. The first
/// parameter of both is the number of the way. The function that enqueues the operation has the scratch at the `;`, and
/// the stream at the end.
#[macro_export]
macro_rules! operation {
    ($type:ident = $function:ident($($before:ident: $B:ty),*; $($after:ident: $A:ty),*)) => {
        #[derive(Clone, Copy)]
        struct $type {
            scratch_bytes: unsafe extern "C" fn(c_int, $($B,)* $($A),*) -> usize,
            run: unsafe extern "C" fn(c_int, $($B,)* *mut c_void, usize, $($A,)* *mut c_void) -> c_int,
        }

        impl $type {
            /// The functions of a library; none if it lacks the operation.
            fn of(library: &$crate::baselines::Baselines) -> Option<Self> {
                let name = stringify!($function);
                // SAFETY: the types of baselines.h.
                let functions = unsafe { (library.function(&format!("{name}_scratch")), library.function(name)) };
                Some(Self { scratch_bytes: functions.0?, run: functions.1? })
            }
        }
    };
}

operation! {
    Reduce = baseline_segmented_reduce(op: c_int, dtype: c_int; from: *const c_void, segments: *const Segments,
        to: *mut c_void, n: usize)
}

impl Baselines {
    /// The reduction of each segment of a problem's elements, in each of the library's ways, verified; empty where
    /// the library lacks it. `arrays` gives the address of the elements, and the segments; errors call the
    /// operation `what`.
    ///
    /// # Errors
    /// As [`Baselines::ways`].
    pub fn segmented_reduce<P: Problem + 'static>(
        &self,
        problem: &P,
        what: String,
        arrays: impl Fn(&P) -> (*const c_void, Segments) + 'static,
        judge: impl Fn(&[u8]) -> Verdict,
    ) -> Ways<P> {
        let case = problem.case();
        let (Some(op), Some(reduce)) = (op_code(case.op), Reduce::of(self)) else {
            return Ok(Vec::new());
        };
        let (dtype, n) = (dtype_code(case.dtype), case.elements() as usize);
        let output_bytes = case.dtype.size() * arrays(problem).1.segments;
        let arrays = Rc::new(arrays);
        let same_arrays = arrays.clone();
        let call = Call {
            operation: "segmented_reduce",
            what,
            output_bytes,
            // SAFETY: device addresses of n elements and of one result per segment; nothing is touched.
            scratch_bytes: Box::new(move |way, p: &P, to| unsafe {
                let (from, segments) = arrays(p);
                (reduce.scratch_bytes)(way, op, dtype, from, &segments, to, n)
            }),
            // SAFETY: as above, with the scratch that was asked for.
            run: Box::new(move |way, p, to, s| unsafe {
                let (from, segments) = same_arrays(p);
                (reduce.run)(way, op, dtype, s.address, s.bytes, from, &segments, to, n, s.stream)
            }),
        };
        self.ways(problem, call, judge)
    }
}

/// The ways in which a library does the work of the problem `P`, or the error that stood in the way; no way if the library
/// lacks the work.
pub type Ways<P> = Result<Vec<LibraryRun<P>>, Error>;

type ScratchBytes<P> = Box<dyn Fn(c_int, &P, *mut c_void) -> usize>;
type Run<P> = Box<dyn Fn(c_int, &P, *mut c_void, Scratch) -> c_int>;
type Enqueue<P> = Box<dyn FnMut(&P) -> Result<(), DriverError>>;

/// A library's operation on a problem: its two functions in baselines.h. Both get the number of the way, the
/// problem, and the address of the output.
pub struct Call<P> {
    /// The name in baselines.h, such as `reduce`.
    pub operation: &'static str,
    /// What errors call it, such as `sum of 1023 f32`.
    pub what: String,
    /// Bytes that it writes.
    pub output_bytes: usize,
    /// Asks for the bytes of scratch; `usize::MAX` if the library cannot do the operation in that way.
    pub scratch_bytes: ScratchBytes<P>,
    /// Enqueues it; a `cudaError_t`.
    pub run: Run<P>,
}

/// One way in which a library does a problem's work.
pub struct LibraryRun<P> {
    /// The library, such as `CUB`.
    pub library: String,
    /// Its version.
    pub version: String,
    /// What the library calls it, such as `DeviceReduce::Sum`.
    pub name: String,
    /// Enqueues one complete operation on the problem's stream; [`CUresult::CUDA_ERROR_UNKNOWN`] where the library
    /// reports an error.
    pub enqueue: Enqueue<P>,
}

impl<P> LibraryRun<P> {
    /// A call of a library that the program itself loads. `enqueue` enqueues one complete operation.
    pub fn new(
        library: impl Into<String>,
        version: impl Into<String>,
        name: impl Into<String>,
        enqueue: impl FnMut(&P) -> Result<(), DriverError> + 'static,
    ) -> Self {
        let (library, version, name) = (library.into(), version.into(), name.into());
        Self { library, version, name, enqueue: Box::new(enqueue) }
    }
}

impl Baselines {
    /// Runs an operation once in each way that the library has for it, and judges what each writes.
    ///
    /// # Errors
    /// [`Error::Baseline`] if the library fails or a result is wrong, [`Error::Driver`] if memory is not to
    /// be had.
    pub fn ways<P: Problem + 'static>(
        &self,
        problem: &P,
        call: Call<P>,
        judge: impl Fn(&[u8]) -> Verdict,
    ) -> Ways<P> {
        let device = problem.device();
        let output = Rc::new(RefCell::new(Output::<u8>::new(device, call.output_bytes)?));
        let call = Rc::new(call);
        let mut ways = Vec::new();
        for (way, name) in (0..).map_while(|way| Some((way, self.way(call.operation, way)?))) {
            let Some(mut prepared) = self.prepare(problem, &call, &output, way, name)? else {
                continue;
            };
            output.borrow_mut().poison()?;
            match (prepared.enqueue)(problem) {
                Err(DriverError(CUresult::CUDA_ERROR_NOT_SUPPORTED)) => continue,
                launched => {
                    launched.map_err(|error| device.explain("the baseline's operation", error))?
                }
            }
            let computed = output.borrow().download()?;
            let computed = computed.map_err(|_| self.error("it wrote beside its output"))?;
            if let Some(failure) = judge(&computed).failures.first() {
                let Call { what, .. } = &*call;
                let message =
                    format!("its {what} by {} is wrong: {}", prepared.name, failure.message);
                return Err(self.error(message));
            }
            ways.push(prepared);
        }
        Ok(ways)
    }

    fn prepare<P: Problem + 'static>(
        &self,
        problem: &P,
        call: &Rc<Call<P>>,
        output: &Rc<RefCell<Output<u8>>>,
        way: c_int,
        name: String,
    ) -> Result<Option<LibraryRun<P>>, Error> {
        let device = problem.device();
        let stream = &device.stream;
        let to = output.borrow_mut().view_mut().device_ptr_mut(stream).0 as *mut c_void;
        let bytes = (call.scratch_bytes)(way, problem, to);
        if bytes == usize::MAX {
            return Ok(None);
        }
        let mut memory = buffer::scratch::<u8>(device, bytes as u64)?;
        let scratch = Scratch {
            address: memory.device_ptr_mut(stream).0 as *mut c_void,
            bytes,
            stream: stream.cu_stream() as *mut c_void,
        };
        let (call, output) = (call.clone(), output.clone());
        let enqueue = move |problem: &P| {
            let _keep_alive = (&output, &memory);
            match (call.run)(way, problem, to, scratch) {
                0 => Ok(()),
                NOT_SUPPORTED => Err(DriverError(CUresult::CUDA_ERROR_NOT_SUPPORTED)),
                _ => Err(DriverError(CUresult::CUDA_ERROR_UNKNOWN)),
            }
        };
        Ok(Some(LibraryRun::new(&self.name, &self.version, name, enqueue)))
    }
}
