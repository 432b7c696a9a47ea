//! The C types of the API, as far as the implemented functions need them.
//!
//! Pointer arguments arrive wrapped: [`Out`], [`In`], [`HostBytes`], … have the layout of the
//! pointer, and can only come from a C caller. The caller of the C function promised that the
//! pointer is null or valid, as the CUDA manual demands; the wrappers check for null, and are the
//! one place where such pointers are followed.

mod graph;

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};

use crate::error::{CUresult, Result};
use crate::handles::Handle;

pub use graph::*;

/// A device's number.
pub type CUdevice = c_int;
/// An address in device memory.
pub type CUdeviceptr = u64;
/// Handle of a context.
pub type CUcontext = Handle;
/// Handle of a module. A library is the same here.
pub type CUmodule = Handle;
/// Handle of a kernel of a module.
pub type CUfunction = Handle;
/// Handle of a stream; 0, 1 and 2 are the default streams.
pub type CUstream = Handle;
/// Handle of an event.
pub type CUevent = Handle;
/// Handle of a graph.
pub type CUgraph = Handle;
/// Handle of a node of a graph.
pub type CUgraphNode = Handle;
/// Handle of an executable graph.
pub type CUgraphExec = Handle;
/// Handle of a memory pool.
pub type CUmemoryPool = Handle;

/// `blockSizeToDynamicSMemSize` of the occupancy functions.
pub type CUoccupancyB2DSize = Option<unsafe extern "C" fn(block_size: c_int) -> usize>;
/// A function for the host to run in the order of a stream.
pub type CUhostFn = Option<unsafe extern "C" fn(user_data: *mut c_void)>;
/// The older form of [`CUhostFn`].
pub type CUstreamCallback =
    Option<unsafe extern "C" fn(stream: CUstream, status: CUresult, user_data: *mut c_void)>;

/// Where a result goes.
#[repr(transparent)]
pub struct Out<T>(pub *mut T);

impl<T> Out<T> {
    /// Stores the result. Null is an invalid value.
    pub fn set(&self, value: T) -> Result {
        if self.0.is_null() {
            return Err(CUresult::INVALID_VALUE.because("the pointer for the result is null"));
        }
        // SAFETY: not null, so valid for a write, by the C caller's promise (module header).
        unsafe { self.0.write_unaligned(value) }
        Ok(())
    }

    /// Stores the result, if the caller wants it.
    pub fn set_if_wanted(&self, value: T) -> Result {
        if self.0.is_null() { Ok(()) } else { self.set(value) }
    }

    /// The place as untyped memory, of which a part is to be written.
    pub fn bytes(self) -> HostBytes {
        HostBytes(self.0.cast())
    }
}

/// Where an argument, or an array of them, is read from.
#[repr(transparent)]
pub struct In<T>(pub *const T);

impl<T: Copy> In<T> {
    /// The argument. Null is an invalid value.
    pub fn get(&self) -> Result<T> {
        self.at(0)
    }

    /// An element of the array.
    pub fn at(&self, index: usize) -> Result<T> {
        if self.0.is_null() {
            return Err(CUresult::INVALID_VALUE.because("a pointer argument is null"));
        }
        // SAFETY: not null, so valid for as many elements as the C caller has said that there are.
        Ok(unsafe { self.0.wrapping_add(index).read_unaligned() })
    }

    /// True if the caller gave nothing.
    pub fn is_null(&self) -> bool {
        self.0.is_null()
    }

    /// The address itself.
    pub fn address(&self) -> usize {
        self.0 as usize
    }
}

/// A string of the caller, ending in NUL.
#[repr(transparent)]
pub struct Text(*const c_char);

impl Text {
    /// The string's bytes. Null is an invalid value.
    pub fn bytes(&self) -> Result<&[u8]> {
        if self.0.is_null() {
            return Err(CUresult::INVALID_VALUE.because("a string argument is null"));
        }
        // SAFETY: not null, so a string that ends in NUL, by the C caller's promise.
        Ok(unsafe { CStr::from_ptr(self.0) }.to_bytes())
    }

    /// The string, with replacement characters if it is not UTF-8.
    pub fn get(&self) -> Result<String> {
        Ok(String::from_utf8_lossy(self.bytes()?).into_owned())
    }
}

/// Untyped memory of the host.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct HostBytes(pub *mut c_void);

impl HostBytes {
    /// `length` bytes to read.
    pub fn as_slice<'a>(self, length: usize) -> Result<&'a [u8]> {
        self.check(length)?;
        if length == 0 {
            return Ok(&[]);
        }
        // SAFETY: not null, so valid for `length` bytes during the call, by the C caller's promise.
        Ok(unsafe { std::slice::from_raw_parts(self.0.cast(), length) })
    }

    /// `length` bytes to write.
    pub fn as_slice_mut<'a>(self, length: usize) -> Result<&'a mut [u8]> {
        self.check(length)?;
        if length == 0 {
            return Ok(&mut []);
        }
        // SAFETY: as in `as_slice`; the caller also promises that nothing else uses the bytes meanwhile.
        Ok(unsafe { std::slice::from_raw_parts_mut(self.0.cast(), length) })
    }

    /// Writes a value of plain data.
    pub fn store<T: Copy>(self, value: T) -> Result {
        Out(self.0.cast::<T>()).set(value)
    }

    /// Reads a value of plain data.
    pub fn load<T: Copy>(self) -> Result<T> {
        In(self.0.cast_const().cast::<T>()).get()
    }

    /// The same memory, `bytes` further on.
    pub fn offset(self, bytes: usize) -> Self {
        Self(self.0.wrapping_byte_add(bytes))
    }

    fn check(self, length: usize) -> Result {
        if length > 0 && self.0.is_null() {
            return Err(CUresult::INVALID_VALUE.because("the pointer to host memory is null"));
        }
        if isize::try_from(length).is_err() {
            return Err(CUresult::INVALID_VALUE.because("a length of more than half the memory"));
        }
        Ok(())
    }
}

/// `CUuuid`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct CUuuid {
    /// The bytes.
    pub bytes: [u8; 16],
}

/// `CUmemLocation`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct CUmemLocation {
    /// 1 for a device.
    pub kind: c_int,
    /// The device's number.
    pub id: c_int,
}

/// `CUmemAccessDesc`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct CUmemAccessDesc {
    /// Who gets access.
    pub location: CUmemLocation,
    /// `CUmemAccess_flags`.
    pub flags: c_uint,
}

/// The part of `CUmemPoolProps` that matters here; the rest is reserved.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct CUmemPoolProps {
    /// 1 for pinned memory, the only kind.
    pub allocation_type: c_int,
    /// How handles are to be shared between processes; 0 for not at all.
    pub handle_types: c_int,
    /// Where the memory lies.
    pub location: CUmemLocation,
}

/// `CUdevprop`.
#[repr(C)]
#[derive(Clone, Copy)]
#[allow(missing_docs)]
pub struct CUdevprop {
    pub max_threads_per_block: c_int,
    pub max_threads_dim: [c_int; 3],
    pub max_grid_size: [c_int; 3],
    pub shared_mem_per_block: c_int,
    pub total_constant_memory: c_int,
    pub simd_width: c_int,
    pub mem_pitch: c_int,
    pub regs_per_block: c_int,
    pub clock_rate: c_int,
    pub texture_align: c_int,
}

/// One side of a `CUDA_MEMCPY2D`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Plane {
    /// Offset of the first byte in its row.
    pub x_in_bytes: usize,
    /// The first row.
    pub y: usize,
    /// `CUmemorytype`.
    pub memory_type: c_uint,
    /// The address, for host memory.
    pub host: HostBytes,
    /// The address, for device memory.
    pub device: CUdeviceptr,
    /// The array, which is not supported.
    pub array: Handle,
    /// Bytes from row to row.
    pub pitch: usize,
}

/// `CUDA_MEMCPY2D`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct CudaMemcpy2D {
    /// From where.
    pub source: Plane,
    /// To where.
    pub target: Plane,
    /// Bytes of a row that are copied.
    pub width_in_bytes: usize,
    /// Rows.
    pub height: usize,
}

/// `CUlaunchConfig`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct CUlaunchConfig {
    /// Blocks in each direction.
    pub grid: [c_uint; 3],
    /// Threads of a block in each direction.
    pub block: [c_uint; 3],
    /// Bytes of dynamic shared memory.
    pub shared_mem_bytes: c_uint,
    /// The stream.
    pub stream: CUstream,
    /// `numAttrs` attributes.
    pub attributes: *const CUlaunchAttribute,
    /// Their number.
    pub attribute_count: c_uint,
}

impl CUlaunchConfig {
    /// The value of the attribute with a number: of the last, if there are several.
    pub fn attribute(&self, id: c_uint) -> Result<Option<[c_uint; 16]>> {
        let mut found = None;
        for index in 0..self.attribute_count as usize {
            let attribute = In(self.attributes).at(index)?;
            found = if attribute.id == id { Some(attribute.value) } else { found };
        }
        Ok(found)
    }
}

/// `CUlaunchAttribute`: the value's meaning depends on the number.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct CUlaunchAttribute {
    /// `CUlaunchAttributeID`.
    pub id: c_uint,
    padding: [u8; 4],
    /// The value: 64 bytes, of which the first words are all that is needed here.
    pub value: [c_uint; 16],
}

const _: () = assert!(size_of::<usize>() == 8, "CUDA has no 32-bit hosts");
const _: () = assert!(size_of::<CudaMemcpy2D>() == 128 && size_of::<CUlaunchAttribute>() == 72);
const _: () = assert!(size_of::<CUlaunchConfig>() == 56);
