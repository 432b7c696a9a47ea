//! CUDA graphs: a launch is captured once, and replayed.
//!
//! A replay launches the captured kernels with the arguments of the capture. A rung that needs another
//! argument in every launch, or memory that the host prepares, would be silently wrong there.

use cudarc::driver::{
    CudaGraph, DriverError,
    sys::{CUgraphInstantiate_flags, CUresult, CUstreamCaptureMode},
};

use crate::{Device, Error};

/// Captures what `enqueue` enqueues on the device's stream, which must not be the default stream
/// ([`Device::with_own_stream`]).
///
/// # Errors
/// [`Error::Driver`] if the work cannot be captured.
pub fn capture(
    device: &Device,
    mut enqueue: impl FnMut() -> Result<(), DriverError>,
) -> Result<CudaGraph, Error> {
    let stream = &device.stream;
    let mut capture = || {
        stream.begin_capture(CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL)?;
        let enqueued = enqueue();
        // Also where the work failed: the stream takes no other work before.
        let graph = stream.end_capture(CUgraphInstantiate_flags(0));
        enqueued?;
        graph?.ok_or(DriverError(CUresult::CUDA_ERROR_STREAM_CAPTURE_INVALIDATED))
    };
    capture().map_err(|error| device.explain("capturing a launch in a graph", error))
}
