//! The same reduction by a peer library, through `peer_reduce` of peers.h.

use std::ffi::{c_int, c_void};

use cudarc::driver::{CudaSlice, DevicePtr, DevicePtrMut, DriverError, sys::CUresult};
use harness::{
    Case, Device, Dtype, Element, Error, Op,
    buffer::{self, Guarded},
    peers::{PeerRun, Peers},
    verify::{self, Exact},
};

type Scratch = unsafe extern "C" fn(c_int, c_int, *const c_void, *mut c_void, usize) -> usize;
type Reduce = unsafe extern "C" fn(
    c_int,
    c_int,
    *mut c_void,
    usize,
    *const c_void,
    *mut c_void,
    usize,
    *mut c_void,
) -> c_int;

/// `enum PeerOp`.
fn op_code(op: Op) -> Option<c_int> {
    match op {
        Op::Sum => Some(0),
        Op::Max => Some(1),
        Op::Min => Some(2),
        Op::Product | Op::And | Op::Or | Op::Affine => None,
    }
}

/// `enum PeerDtype`, which has the order of [`Dtype::ALL`].
fn dtype_code(dtype: Dtype) -> c_int {
    Dtype::ALL
        .iter()
        .position(|&other| other == dtype)
        .unwrap_or(0) as c_int
}

/// The peer's reduction of `input`, run once and verified; none where the peer lacks it.
pub(crate) fn reduce<'a, A: Element>(
    device: &'a Device,
    case: &Case,
    input: &'a CudaSlice<u8>,
    expected: Vec<Exact<A>>,
    peers: &'a Peers,
) -> Result<Option<PeerRun<'a>>, Error> {
    // SAFETY: the types of peers.h.
    let functions = unsafe {
        (
            peers.function::<Scratch>("peer_reduce_scratch"),
            peers.function::<Reduce>("peer_reduce"),
        )
    };
    let (Some(op), (Some(scratch_bytes), Some(run))) = (op_code(case.op), functions) else {
        return Ok(None);
    };
    let (dtype, n) = (dtype_code(case.dtype), case.elements() as usize);
    let mut out = Guarded::new(device, size_of::<A>())?;
    out.poison()?;
    let in_address = input.device_ptr(&device.stream).0 as *const c_void;
    let out_address = out.view_mut().device_ptr_mut(&device.stream).0 as *mut c_void;
    // SAFETY: device addresses of n elements and one result; nothing is touched.
    let bytes = unsafe { scratch_bytes(op, dtype, in_address, out_address, n) };
    if bytes == usize::MAX {
        return Ok(None);
    }
    let mut scratch = buffer::allocate(device, bytes)?;
    let scratch_address = scratch.device_ptr_mut(&device.stream).0 as *mut c_void;
    let stream = device.stream.cu_stream() as *mut c_void;
    let launch = move || {
        // SAFETY: as above, with the scratch that was asked for; input, output and scratch live as
        // long as the closure that owns or borrows them.
        let status = unsafe {
            run(
                op,
                dtype,
                scratch_address,
                bytes,
                in_address,
                out_address,
                n,
                stream,
            )
        };
        let _keep_alive = &scratch;
        if status == 0 {
            Ok(())
        } else {
            Err(DriverError(CUresult::CUDA_ERROR_UNKNOWN))
        }
    };

    launch().map_err(|error| device.explain("the peer's reduction", error))?;
    let computed = out
        .download()?
        .map_err(|_| peers.error("it wrote beside its output"))?;
    let verdict = verify::compare(&computed, expected);
    if let Some(failure) = verdict.failures.first() {
        return Err(peers.error(format!("its {case} is wrong: {}", failure.message)));
    }
    Ok(Some(Box::new(move || {
        let _keep_alive = &out;
        launch()
    })))
}
