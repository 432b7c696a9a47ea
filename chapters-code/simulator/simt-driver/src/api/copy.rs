//! Copies. All are done when the call returns, unless the stream is capturing. A copy to the host waits in a stream, too,
//! so that the host does not read what a faulted kernel left.

use crate::capture;
use crate::context;
use crate::entry::operations;
use crate::error::Result;
use crate::operation::{Operation, complete, submit};
use crate::stream;
use crate::transfer::{Place, Transfer};
use crate::types::{CUcontext, CUdeviceptr, CUstream, CudaMemcpy2D, HostBytes, In};

operations! {
    /// To the device.
    fn cuMemcpyHtoD_v2/cuMemcpyHtoD_v2_ptds, cuMemcpyHtoDAsync_v2/cuMemcpyHtoDAsync_v2_ptsz
        (target: CUdeviceptr, source: HostBytes, bytes: usize)
        => copy(Place::Device(target), Place::host(source), bytes);
    /// From the device.
    fn cuMemcpyDtoH_v2/cuMemcpyDtoH_v2_ptds, cuMemcpyDtoHAsync_v2/cuMemcpyDtoHAsync_v2_ptsz
        (target: HostBytes, source: CUdeviceptr, bytes: usize)
        => copy(Place::host(target), Place::Device(source), bytes);
    /// Within the device, or from one device to another.
    fn cuMemcpyDtoD_v2/cuMemcpyDtoD_v2_ptds, cuMemcpyDtoDAsync_v2/cuMemcpyDtoDAsync_v2_ptsz
        (target: CUdeviceptr, source: CUdeviceptr, bytes: usize)
        => copy(Place::Device(target), Place::Device(source), bytes);
    /// Between addresses of any kind.
    fn cuMemcpy/cuMemcpy_ptds, cuMemcpyAsync/cuMemcpyAsync_ptsz
        (target: CUdeviceptr, source: CUdeviceptr, bytes: usize)
        => copy(Place::Any(target), Place::Any(source), bytes);
    /// A rectangle.
    fn cuMemcpy2D_v2/cuMemcpy2D_v2_ptds, cuMemcpy2DAsync_v2/cuMemcpy2DAsync_v2_ptsz
        (job: In<CudaMemcpy2D>) => rectangle(&job);
    also {
        /// A rectangle.
        per_thread(cuMemcpy2DUnaligned_v2_ptds) fn cuMemcpy2DUnaligned_v2(job: In<CudaMemcpy2D>) {
            complete(&rectangle(&job)?)
        }

        /// From one context to another.
        per_thread(cuMemcpyPeer_ptds) fn cuMemcpyPeer(
            target: CUdeviceptr,
            target_context: CUcontext,
            source: CUdeviceptr,
            source_context: CUcontext,
            bytes: usize,
        ) {
            check_peers(target_context, source_context)?;
            complete(&copy(Place::Device(target), Place::Device(source), bytes)?)
        }

        /// From one context to another; cannot be captured.
        per_thread(cuMemcpyPeerAsync_ptsz) fn cuMemcpyPeerAsync(
            target: CUdeviceptr,
            target_context: CUcontext,
            source: CUdeviceptr,
            source_context: CUcontext,
            bytes: usize,
            stream: CUstream,
        ) {
            capture::not_capturing(stream, &*stream::queueing(stream)?)?;
            check_peers(target_context, source_context)?;
            submit(stream, copy(Place::Device(target), Place::Device(source), bytes)?)
        }
    }
}

fn copy(target: Place, source: Place, bytes: usize) -> Result<Operation> {
    Ok(Operation::Copy(Transfer::new(target, source, bytes)))
}

fn rectangle(job: &In<CudaMemcpy2D>) -> Result<Operation> {
    Transfer::layers(&job.get()?.into()).map(Operation::Copy)
}

fn check_peers(target: CUcontext, source: CUcontext) -> Result {
    context::of(target)?;
    context::of(source)?.enqueue()
}
