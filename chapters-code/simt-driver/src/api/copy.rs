//! Copies. All are done when the call returns.

use crate::context::{self, Context};
use crate::entry::api;
use crate::error::Result;
use crate::stream;
use crate::transfer::{Place, copy, copy_2d};
use crate::types::{CUcontext, CUdeviceptr, CUstream, CudaMemcpy2D, HostBytes, In};

api! {
    /// To the device.
    per_thread(cuMemcpyHtoD_v2_ptds) fn cuMemcpyHtoD_v2(target: CUdeviceptr, source: HostBytes, bytes: usize) {
        let context = context::synchronized()?;
        copy(Place::device(&context, target)?, Place::Host(source), bytes)
    }

    /// To the device.
    per_thread(cuMemcpyHtoDAsync_v2_ptsz) fn cuMemcpyHtoDAsync_v2(
        target: CUdeviceptr,
        source: HostBytes,
        bytes: usize,
        stream: CUstream,
    ) {
        let context = stream::queueing(stream)?;
        copy(Place::device(&context, target)?, Place::Host(source), bytes)
    }

    /// From the device.
    per_thread(cuMemcpyDtoH_v2_ptds) fn cuMemcpyDtoH_v2(target: HostBytes, source: CUdeviceptr, bytes: usize) {
        let context = context::synchronized()?;
        copy(Place::Host(target), Place::device(&context, source)?, bytes)
    }

    /// From the device. Waits, so that the host does not read what a faulted kernel left.
    per_thread(cuMemcpyDtoHAsync_v2_ptsz) fn cuMemcpyDtoHAsync_v2(
        target: HostBytes,
        source: CUdeviceptr,
        bytes: usize,
        stream: CUstream,
    ) {
        let context = stream::context_of(stream)?;
        context.synchronize()?;
        copy(Place::Host(target), Place::device(&context, source)?, bytes)
    }

    /// Within the device, or from one device to another.
    per_thread(cuMemcpyDtoD_v2_ptds) fn cuMemcpyDtoD_v2(target: CUdeviceptr, source: CUdeviceptr, bytes: usize) {
        let context = context::synchronized()?;
        copy(Place::device(&context, target)?, Place::device(&context, source)?, bytes)
    }

    /// Within the device, or from one device to another.
    per_thread(cuMemcpyDtoDAsync_v2_ptsz) fn cuMemcpyDtoDAsync_v2(
        target: CUdeviceptr,
        source: CUdeviceptr,
        bytes: usize,
        stream: CUstream,
    ) {
        let context = stream::queueing(stream)?;
        copy(Place::device(&context, target)?, Place::device(&context, source)?, bytes)
    }

    /// Between addresses of any kind.
    per_thread(cuMemcpy_ptds) fn cuMemcpy(target: CUdeviceptr, source: CUdeviceptr, bytes: usize) {
        copy_any(&*context::synchronized()?, target, source, bytes)
    }

    /// Between addresses of any kind.
    per_thread(cuMemcpyAsync_ptsz) fn cuMemcpyAsync(target: CUdeviceptr, source: CUdeviceptr, bytes: usize, stream: CUstream) {
        copy_any(&*stream::queueing(stream)?, target, source, bytes)
    }

    /// From one context to another.
    per_thread(cuMemcpyPeer_ptds) fn cuMemcpyPeer(
        target: CUdeviceptr,
        target_context: CUcontext,
        source: CUdeviceptr,
        source_context: CUcontext,
        bytes: usize,
    ) {
        context::synchronized()?;
        copy_peer((target, target_context), (source, source_context), bytes)
    }

    /// From one context to another.
    per_thread(cuMemcpyPeerAsync_ptsz) fn cuMemcpyPeerAsync(
        target: CUdeviceptr,
        target_context: CUcontext,
        source: CUdeviceptr,
        source_context: CUcontext,
        bytes: usize,
        stream: CUstream,
    ) {
        stream::queueing(stream)?;
        copy_peer((target, target_context), (source, source_context), bytes)
    }

    /// A rectangle.
    per_thread(cuMemcpy2D_v2_ptds) fn cuMemcpy2D_v2(job: In<CudaMemcpy2D>) {
        copy_2d(&*context::synchronized()?, &job.get()?)
    }

    /// A rectangle.
    per_thread(cuMemcpy2DUnaligned_v2_ptds) fn cuMemcpy2DUnaligned_v2(job: In<CudaMemcpy2D>) {
        copy_2d(&*context::synchronized()?, &job.get()?)
    }

    /// A rectangle.
    per_thread(cuMemcpy2DAsync_v2_ptsz) fn cuMemcpy2DAsync_v2(job: In<CudaMemcpy2D>, stream: CUstream) {
        copy_2d(&*stream::queueing(stream)?, &job.get()?)
    }
}

fn copy_any(context: &Context, target: CUdeviceptr, source: CUdeviceptr, bytes: usize) -> Result {
    copy(
        Place::any(context, target)?,
        Place::any(context, source)?,
        bytes,
    )
}

fn copy_peer(
    (target, target_context): (CUdeviceptr, CUcontext),
    (source, source_context): (CUdeviceptr, CUcontext),
    bytes: usize,
) -> Result {
    let source_context = context::of(source_context)?;
    source_context.enqueue()?;
    let target = Place::device(&*context::of(target_context)?, target)?;
    copy(target, Place::device(&source_context, source)?, bytes)
}
