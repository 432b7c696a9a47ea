//! Rungs that give each segment, or row, to one thread, warp or block.

use std::sync::Arc;

use cudarc::driver::{CudaFunction, CudaStream, LaunchConfig, PushKernelArg};
use harness::{Error, kernel};

use crate::{
    Ready, Setup,
    input::{Layout, SparseLayout},
    kernel_of,
};

/// Threads of a block.
const THREADS: u32 = 256;

/// What a segment is given to.
#[derive(Clone, Copy)]
enum Worker {
    Thread,
    Warp,
    Block,
}

impl Worker {
    fn threads(self) -> u32 {
        match self {
            Self::Thread => 1,
            Self::Warp => 32,
            Self::Block => THREADS,
        }
    }

    /// A grid of as many workers as segments, in blocks of so many threads.
    fn grid(self, segments: u32, block: u32) -> LaunchConfig {
        let threads = u64::from(segments) * u64::from(self.threads());
        kernel::grid(threads.div_ceil(block.into()), block)
    }

    /// Threads of a block; threads that work alone may be as many as are wanted.
    fn block(self, wanted: Option<u32>) -> u32 {
        match self {
            Self::Thread => wanted.unwrap_or(THREADS),
            Self::Warp | Self::Block => THREADS,
        }
    }

    /// The most rounded operations that an element of a segment of so many passes through: a thread's
    /// own, then a warp's and a block's.
    fn depth(self, longest: u64) -> u64 {
        let chain = longest.div_ceil(self.threads().into());
        match self {
            Self::Thread => chain,
            Self::Warp => chain + 5,
            // A block that scans goes on from what it carries.
            Self::Block => 3 * chain + 5 + 5,
        }
    }
}

// ---- Scans and reductions -------------------------------------------------------------------------

pub(crate) fn thread_per_segment(s: &Setup<'_>) -> Result<Ready, Error> {
    over_segments(s, Worker::Thread)
}

pub(crate) fn warp_per_segment(s: &Setup<'_>) -> Result<Ready, Error> {
    over_segments(s, Worker::Warp)
}

pub(crate) fn block_per_segment(s: &Setup<'_>) -> Result<Ready, Error> {
    over_segments(s, Worker::Block)
}

fn over_segments(s: &Setup<'_>, worker: Worker) -> Result<Ready, Error> {
    let n = s.case.elements();
    let layout = Layout::new(n, s.case.dtype);
    let (kernel, block) = (kernel_of(s)?, worker.block(s.block));
    let (stream, function) = (s.stream(), kernel.clone());
    Ok(Ready::new(
        kernel,
        worker.grid(1, block),
        worker.depth(n),
        move |input, out| {
            let (offsets, segments) = layout.offsets(input);
            if segments == 0 {
                return Ok(());
            }
            let elements = layout.elements(input);
            let mut launch = stream.launch_builder(&function);
            launch.arg(&elements).arg(out).arg(&offsets).arg(&segments);
            // SAFETY: every kernel here is `(const T* in, T* out, const u32* offsets, u32 segments)`: it
            // reads offsets[0 ..= segments], and the elements up to the last of them; it writes a result
            // for each element, or for each segment. All are that large; the grid has a worker a segment.
            unsafe { launch.launch(worker.grid(segments, block))? };
            Ok(())
        },
    ))
}

// ---- Sparse matrices ------------------------------------------------------------------------------

pub(crate) fn multiply_thread_per_row(s: &Setup<'_>) -> Result<Ready, Error> {
    over_rows(s, Worker::Thread)
}

pub(crate) fn multiply_warp_per_row(s: &Setup<'_>) -> Result<Ready, Error> {
    over_rows(s, Worker::Warp)
}

fn over_rows(s: &Setup<'_>, worker: Worker) -> Result<Ready, Error> {
    let n = s.case.elements();
    let (kernel, block) = (kernel_of(s)?, worker.block(s.block));
    let (stream, function): (Arc<CudaStream>, CudaFunction) = (s.stream(), kernel.clone());
    // The product of two elements is rounded too.
    let depth = worker.depth(n) + 1;
    Ok(Ready::new(
        kernel,
        worker.grid(1, block),
        depth,
        move |input, out| {
            let rows = (out.len() / 4) as u32;
            if rows == 0 {
                return Ok(());
            }
            let [values, columns, offsets, x] = SparseLayout::new(n, rows.into()).arrays(input);
            let mut launch = stream.launch_builder(&function);
            launch.arg(&values).arg(&columns).arg(&offsets).arg(&x);
            launch.arg(out).arg(&rows);
            // SAFETY: both kernels are `(const f32* values, const u32* columns, const u32* offsets, const
            // f32* x, f32* y, u32 rows)`: they read offsets[0 ..= rows], the entries up to the last of
            // them and x at their columns, and write y[0 .. rows]; the grid has a worker a row.
            unsafe { launch.launch(worker.grid(rows, block))? };
            Ok(())
        },
    ))
}
