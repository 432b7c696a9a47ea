//! Rungs that divide elements and ends of segments together, so that no segments are bad ones.

use cudarc::driver::{CudaSlice, PushKernelArg};
use harness::{Error, kernel};

use crate::{
    Ready, Setup,
    input::{Layout, SparseLayout},
    kernel_of, segments,
};

/// Threads of a block, and warps.
const THREADS: u32 = 256;
const WARPS: u64 = 8;
/// Blocks that a multiprocessor holds.
const RESIDENT: u32 = 4;
/// Elements and ends that a warp walks over, at the least.
const LEAST: u64 = 512;

/// What is left open by the blocks of a launch, and the first segment that ended in each.
struct CarryOut {
    open: CudaSlice<u8>,
    first: CudaSlice<u8>,
    counter: CudaSlice<u8>,
    most: u64,
}

impl CarryOut {
    fn new(s: &Setup<'_>) -> Result<Self, Error> {
        let most = u64::from(RESIDENT * s.device.properties.multiprocessors);
        Ok(Self {
            open: s.scratch(most * s.case.dtype.size() as u64)?,
            first: s.scratch(most * 4)?,
            counter: s.zeroed(4)?,
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

pub(crate) fn reduce_merge_path(s: &Setup<'_>) -> Result<Ready, Error> {
    let n = s.case.elements();
    let layout = Layout::new(n, s.case.dtype);
    let (kernel, mut carry_out) = (kernel_of(s)?, CarryOut::new(s)?);
    let (stream, function) = (s.stream(), kernel.clone());
    let blocks = carry_out.blocks(n);
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
            let config = kernel::grid(carry_out.blocks(n + u64::from(segments)), THREADS);
            let elements = layout.elements(input);
            let mut launch = stream.launch_builder(&function);
            launch.arg(&elements).arg(out).arg(&n);
            launch.arg(&offsets).arg(&segments);
            launch
                .arg(&mut carry_out.open)
                .arg(&mut carry_out.first)
                .arg(&mut carry_out.counter);
            // SAFETY: reduce_merge_path.cu reads in[0 .. n] and offsets[0 ..= segments], and writes
            // out[0 .. segments], and open and first for each block; counter is 0, and is left so.
            unsafe { launch.launch(config)? };
            Ok(())
        },
    ))
}

// ---- By length ------------------------------------------------------------------------------------

/// Bytes that segments have on average, at the least, for which a block each pays.
const LONG: u64 = 8 << 10;
/// Likewise for which a block of the most threads does: as many as it fetches at once.
const VERY_LONG: u64 = 64 << 10;
/// Threads of a block of reduce_long.cu for the one and for the other.
const LONG_THREADS: [u32; 2] = [256, 1024];
/// Threads that work on a segment in parts, a multiprocessor, if it has all elements.
const TOGETHER: u32 = 1024;
/// Bytes of a part, at the least.
const LEAST_PIECE: u64 = 256 << 10;
/// Elements of which parts are multiples: 16 bytes of any type.
const UNIT: u64 = 16;

/// The grid of reduce_long.cu: a block a part, as if all elements were one segment, and a block a segment.
#[derive(Clone, Copy)]
struct Cut {
    threads: u32,
    /// Elements of a part.
    piece: u32,
    pieces: u32,
}

impl Cut {
    fn new(s: &Setup<'_>, threads: u32) -> Self {
        let n = s.case.elements();
        let workers = s.device.properties.multiprocessors * (TOGETHER / threads);
        let least = LEAST_PIECE / s.case.dtype.size() as u64;
        let share = n.div_ceil(workers.into()).max(least);
        let piece = share.next_multiple_of(UNIT);
        Self {
            threads,
            // Offsets have 32 bits, so n fits in them.
            piece: piece as u32,
            pieces: n.div_ceil(piece).max(1) as u32,
        }
    }

    /// The most rounded operations of an element: those of a thread, and the joining of lanes, warps and
    /// parts.
    fn depth(&self) -> u64 {
        u64::from(self.piece / self.threads) + 64
    }
}

/// Where there are enough segments to keep the device busy and they are long on average, a block each, and
/// several for one that is longer than a part; otherwise as [`reduce_merge_path`].
pub(crate) fn reduce_by_length(s: &Setup<'_>) -> Result<Ready, Error> {
    const PTX: &str = include_str!("../kernels/reduce_long.ptx");
    let (n, size) = (s.case.elements(), s.case.dtype.size() as u64);
    let layout = Layout::new(n, s.case.dtype);
    let multiprocessors = u64::from(s.device.properties.multiprocessors);
    let module = kernel::load_module(s.device, "reduce_long", &[PTX])?;
    let function = kernel::load_function(&module, &crate::entry_name(&s.case))?;
    let cuts = LONG_THREADS.map(|threads| Cut::new(s, threads));
    let most = u64::from(cuts[0].pieces.max(cuts[1].pieces));
    let mut folds = s.scratch(2 * most * size)?;
    let mut arrived = s.zeroed(4 * most)?;
    let stream = s.stream();
    let mut ready = reduce_merge_path(s)?;
    ready.depth = ready.depth.max(cuts[0].depth()).max(cuts[1].depth());
    let cut_of = move |count: u64| {
        let have = |bytes| size * n >= bytes * count;
        let is_long = count >= multiprocessors && have(LONG);
        is_long.then(|| cuts[usize::from(have(VERY_LONG))])
    };
    let grid = |cut: Cut, count| kernel::grid(u64::from(cut.pieces) + count, cut.threads);
    let known = s
        .case
        .parameters
        .segments
        .and_then(|segments| segments::count(segments, n));
    if let Some((cut, count)) = known.and_then(|count| Some((cut_of(count)?, count))) {
        (ready.kernel, ready.config) = (function.clone(), grid(cut, count));
    }
    let mut merge_path = ready.launch;
    ready.launch = Box::new(move |input, out| {
        let (offsets, segments) = layout.offsets(input);
        let count = u64::from(segments);
        let Some(cut) = cut_of(count) else {
            return merge_path(input, out);
        };
        let config = grid(cut, count);
        let elements = layout.elements(input);
        let mut launch = stream.launch_builder(&function);
        launch.arg(&elements).arg(out).arg(&offsets).arg(&segments);
        launch.arg(&cut.piece).arg(&cut.pieces);
        launch.arg(&mut folds).arg(&mut arrived);
        // SAFETY: reduce_long.cu reads offsets[0 ..= segments] and the elements up to the last of them,
        // in packs of 16 bytes within segments, and writes a result for each; folds has two elements a
        // part; arrived has one, is 0, and is left so; the grid has a block a part and a segment.
        unsafe { launch.launch(config)? };
        Ok(())
    });
    Ok(ready)
}

pub(crate) fn multiply_merge_path(s: &Setup<'_>) -> Result<Ready, Error> {
    let n = s.case.elements();
    let (kernel, mut carry_out) = (kernel_of(s)?, CarryOut::new(s)?);
    let (stream, function) = (s.stream(), kernel.clone());
    let blocks = carry_out.blocks(n);
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
            let config = kernel::grid(carry_out.blocks(n + u64::from(rows)), THREADS);
            let mut launch = stream.launch_builder(&function);
            launch.arg(&values).arg(&columns).arg(&offsets).arg(&x);
            launch.arg(out).arg(&rows).arg(&n);
            launch
                .arg(&mut carry_out.open)
                .arg(&mut carry_out.first)
                .arg(&mut carry_out.counter);
            // SAFETY: spmv_merge_path.cu reads n values and columns, offsets[0 ..= rows] and x at the
            // columns, and writes y[0 .. rows], and open and first for each block; counter is 0, and is
            // left so.
            unsafe { launch.launch(config)? };
            Ok(())
        },
    ))
}
