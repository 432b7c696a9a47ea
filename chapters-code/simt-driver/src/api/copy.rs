//! Copies. All are done when the call returns.

use crate::context::{self, Context};
use crate::entry::api;
use crate::error::Result;
use crate::stream;
use crate::transfer::{Place, copy, copy_2d};
use crate::types::{CUcontext, CUdeviceptr, CUstream, CudaMemcpy2D, HostBytes, In};

api! {
    /// To the device.
    fn cuMemcpyHtoD_v2(target: CUdeviceptr, source: HostBytes, bytes: usize) {
        let context = context::synchronized()?;
        copy(Place::device(&context, target)?, Place::Host(source), bytes)
    }

    /// To the device.
    fn cuMemcpyHtoDAsync_v2(
        target: CUdeviceptr,
        source: HostBytes,
        bytes: usize,
        stream: CUstream,
    ) {
        let context = stream::queueing(stream)?;
        copy(Place::device(&context, target)?, Place::Host(source), bytes)
    }

    /// From the device.
    fn cuMemcpyDtoH_v2(target: HostBytes, source: CUdeviceptr, bytes: usize) {
        let context = context::synchronized()?;
        copy(Place::Host(target), Place::device(&context, source)?, bytes)
    }

    /// From the device. Waits, so that the host does not read what a faulted kernel left.
    fn cuMemcpyDtoHAsync_v2(
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
    fn cuMemcpyDtoD_v2(target: CUdeviceptr, source: CUdeviceptr, bytes: usize) {
        let context = context::synchronized()?;
        copy(Place::device(&context, target)?, Place::device(&context, source)?, bytes)
    }

    /// Within the device, or from one device to another.
    fn cuMemcpyDtoDAsync_v2(
        target: CUdeviceptr,
        source: CUdeviceptr,
        bytes: usize,
        stream: CUstream,
    ) {
        let context = stream::queueing(stream)?;
        copy(Place::device(&context, target)?, Place::device(&context, source)?, bytes)
    }

    /// Between addresses of any kind.
    fn cuMemcpy(target: CUdeviceptr, source: CUdeviceptr, bytes: usize) {
        copy_any(&*context::synchronized()?, target, source, bytes)
    }

    /// Between addresses of any kind.
    fn cuMemcpyAsync(target: CUdeviceptr, source: CUdeviceptr, bytes: usize, stream: CUstream) {
        copy_any(&*stream::queueing(stream)?, target, source, bytes)
    }

    /// From one context to another.
    fn cuMemcpyPeer(
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
    fn cuMemcpyPeerAsync(
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
    fn cuMemcpy2D_v2(job: In<CudaMemcpy2D>) {
        copy_2d(&*context::synchronized()?, &job.get()?)
    }

    /// A rectangle.
    fn cuMemcpy2DUnaligned_v2(job: In<CudaMemcpy2D>) {
        copy_2d(&*context::synchronized()?, &job.get()?)
    }

    /// A rectangle.
    fn cuMemcpy2DAsync_v2(job: In<CudaMemcpy2D>, stream: CUstream) {
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
