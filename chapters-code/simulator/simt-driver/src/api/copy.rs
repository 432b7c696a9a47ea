//! Copies. All are done when the call returns, unless the stream is capturing.

use crate::capture;
use crate::context;
use crate::entry::api;
use crate::error::Result;
use crate::operation::{Operation, complete, submit};
use crate::stream;
use crate::transfer::{Place, Transfer};
use crate::types::{CUcontext, CUdeviceptr, CUstream, CudaMemcpy2D, HostBytes, In};

api! {
    /// To the device.
    per_thread(cuMemcpyHtoD_v2_ptds) fn cuMemcpyHtoD_v2(target: CUdeviceptr, source: HostBytes, bytes: usize) {
        complete(&copy(Place::Device(target), Place::host(source), bytes))
    }

    /// To the device.
    per_thread(cuMemcpyHtoDAsync_v2_ptsz) fn cuMemcpyHtoDAsync_v2(
        target: CUdeviceptr,
        source: HostBytes,
        bytes: usize,
        stream: CUstream,
    ) {
        submit(stream, copy(Place::Device(target), Place::host(source), bytes))
    }

    /// From the device.
    per_thread(cuMemcpyDtoH_v2_ptds) fn cuMemcpyDtoH_v2(target: HostBytes, source: CUdeviceptr, bytes: usize) {
        complete(&copy(Place::host(target), Place::Device(source), bytes))
    }

    /// From the device. Waits, so that the host does not read what a faulted kernel left.
    per_thread(cuMemcpyDtoHAsync_v2_ptsz) fn cuMemcpyDtoHAsync_v2(
        target: HostBytes,
        source: CUdeviceptr,
        bytes: usize,
        stream: CUstream,
    ) {
        submit(stream, copy(Place::host(target), Place::Device(source), bytes))
    }

    /// Within the device, or from one device to another.
    per_thread(cuMemcpyDtoD_v2_ptds) fn cuMemcpyDtoD_v2(target: CUdeviceptr, source: CUdeviceptr, bytes: usize) {
        complete(&copy(Place::Device(target), Place::Device(source), bytes))
    }

    /// Within the device, or from one device to another.
    per_thread(cuMemcpyDtoDAsync_v2_ptsz) fn cuMemcpyDtoDAsync_v2(
        target: CUdeviceptr,
        source: CUdeviceptr,
        bytes: usize,
        stream: CUstream,
    ) {
        submit(stream, copy(Place::Device(target), Place::Device(source), bytes))
    }

    /// Between addresses of any kind.
    per_thread(cuMemcpy_ptds) fn cuMemcpy(target: CUdeviceptr, source: CUdeviceptr, bytes: usize) {
        complete(&copy(Place::Any(target), Place::Any(source), bytes))
    }

    /// Between addresses of any kind.
    per_thread(cuMemcpyAsync_ptsz) fn cuMemcpyAsync(target: CUdeviceptr, source: CUdeviceptr, bytes: usize, stream: CUstream) {
        submit(stream, copy(Place::Any(target), Place::Any(source), bytes))
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
        complete(&copy(Place::Device(target), Place::Device(source), bytes))
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
        submit(stream, copy(Place::Device(target), Place::Device(source), bytes))
    }

    /// A rectangle.
    per_thread(cuMemcpy2D_v2_ptds) fn cuMemcpy2D_v2(job: In<CudaMemcpy2D>) {
        complete(&rectangle(&job)?)
    }

    /// A rectangle.
    per_thread(cuMemcpy2DUnaligned_v2_ptds) fn cuMemcpy2DUnaligned_v2(job: In<CudaMemcpy2D>) {
        complete(&rectangle(&job)?)
    }

    /// A rectangle.
    per_thread(cuMemcpy2DAsync_v2_ptsz) fn cuMemcpy2DAsync_v2(job: In<CudaMemcpy2D>, stream: CUstream) {
        submit(stream, rectangle(&job)?)
    }
}

fn copy(target: Place, source: Place, bytes: usize) -> Operation {
    Operation::Copy(Transfer::new(target, source, bytes))
}

fn rectangle(job: &In<CudaMemcpy2D>) -> Result<Operation> {
    Transfer::layers(&job.get()?.into()).map(Operation::Copy)
}

fn check_peers(target: CUcontext, source: CUcontext) -> Result {
    context::of(target)?;
    context::of(source)?.enqueue()
}
