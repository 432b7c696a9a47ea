//! Rungs that divide elements and ends of segments together, so that no segments are bad ones.

use cudarc::driver::{CudaSlice, PushKernelArg};
use harness::{Error, kernel};

use crate::{
    Ready, Setup,
    input::{Layout, SparseLayout},
    kernel_of,
};

/// Threads of a block, and warps.
const THREADS: u32 = 256;
const WARPS: u64 = 8;
/// Blocks that a multiprocessor holds.
const RESIDENT: u32 = 4;
/// Elements and ends that a warp walks over, at the least.
const LEAST: u64 = 512;

/// What is left open by the blocks of a launch, and the first segment that ended in each.
struct Left {
    open: CudaSlice<u8>,
    first: CudaSlice<u8>,
    counter: CudaSlice<u8>,
    most: u64,
}

impl Left {
    fn new(s: &Setup<'_>) -> Result<Self, Error> {
        let most = u64::from(RESIDENT * s.device.properties.multiprocessors);
        let mut counter = s.scratch(4)?;
        let zeroed = s.stream().memset_zeros(&mut counter);
        zeroed.map_err(|error| Error::driver("zeroing a counter", error))?;
        Ok(Self {
            open: s.scratch(most * s.case.dtype.size() as u64)?,
            first: s.scratch(most * 4)?,
            counter,
            most,
        })
    }

    /// Blocks for a path of so many steps.
    fn blocks(&self, path: u64) -> u64 {
        path.div_ceil(WARPS * LEAST).clamp(1, self.most)
    }
}

/// The most rounded operations that an element passes through where there are no more than three
/// segments an element: a lane's over the part of a warp, a tile's scan, the joining of warps and of
/// blocks.
fn depth(n: u64, blocks: u64) -> u64 {
    let lanes = 32 * WARPS * blocks;
    (4 * n).div_ceil(lanes) + 64 + 8 * (1024 / 32)
}

pub(crate) fn reduce_balanced(s: &Setup<'_>) -> Result<Ready, Error> {
    let n = s.case.elements();
    let layout = Layout::new(n, s.case.dtype);
    let (kernel, mut left) = (kernel_of(s)?, Left::new(s)?);
    let (stream, function) = (s.stream(), kernel.clone());
    let blocks = left.blocks(n);
    let config = kernel::grid(blocks, THREADS);
    Ok(Ready::new(
        kernel,
        config,
        depth(n, blocks),
        move |input, out| {
            let (offsets, segments) = layout.offsets(input);
            if segments == 0 {
                return Ok(());
            }
            let config = kernel::grid(left.blocks(n + u64::from(segments)), THREADS);
            let elements = layout.elements(input);
            let mut launch = stream.launch_builder(&function);
            launch.arg(&elements).arg(out).arg(&n);
            launch.arg(&offsets).arg(&segments);
            launch
                .arg(&mut left.open)
                .arg(&mut left.first)
                .arg(&mut left.counter);
            // SAFETY: reduce_balanced.cu reads in[0 .. n] and offsets[0 ..= segments], and writes
            // out[0 .. segments], and open and first for each block; counter is 0, and is left so.
            unsafe { launch.launch(config)? };
            Ok(())
        },
    ))
}

pub(crate) fn multiply_balanced(s: &Setup<'_>) -> Result<Ready, Error> {
    let n = s.case.elements();
    let (kernel, mut left) = (kernel_of(s)?, Left::new(s)?);
    let (stream, function) = (s.stream(), kernel.clone());
    let blocks = left.blocks(n);
    let config = kernel::grid(blocks, THREADS);
    // The product of two elements is rounded too.
    Ok(Ready::new(
        kernel,
        config,
        depth(n, blocks) + 1,
        move |input, out| {
            let rows = (out.len() / 4) as u32;
            if rows == 0 {
                return Ok(());
            }
            let [values, columns, offsets, x] = SparseLayout::new(n, rows.into()).arrays(input);
            let config = kernel::grid(left.blocks(n + u64::from(rows)), THREADS);
            let mut launch = stream.launch_builder(&function);
            launch.arg(&values).arg(&columns).arg(&offsets).arg(&x);
            launch.arg(out).arg(&rows).arg(&n);
            launch
                .arg(&mut left.open)
                .arg(&mut left.first)
                .arg(&mut left.counter);
            // SAFETY: spmv_balanced.cu reads n values and columns, offsets[0 ..= rows] and x at the
            // columns, and writes y[0 .. rows], and open and first for each block; counter is 0, and is
            // left so.
            unsafe { launch.launch(config)? };
            Ok(())
        },
    ))
}
