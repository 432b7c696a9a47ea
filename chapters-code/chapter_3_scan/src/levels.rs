//! Scans of several launches: blocks are scanned one by one, then the blocks' folds in the same way,
//! level upon level, until one block is left.

use std::sync::Arc;

use cudarc::driver::{
    CudaFunction, CudaSlice, CudaStream, CudaView, CudaViewMut, DriverError, LaunchConfig,
    PushKernelArg,
};
use harness::{Dtype, Error, Kind, buffer, kernel, with_element};

use crate::{Ready, Setup, reference, scan_kernel};

/// How a kernel that scans block by block is launched.
#[derive(Clone, Copy, Debug)]
pub struct Blocks {
    /// Threads of a block.
    pub threads: u32,
    /// What a block scans.
    pub share: Share,
    /// Dynamic shared memory of a block, in elements.
    pub shared: u32,
    /// The most rounded operations that an element passes through in its block.
    pub depth: fn(Dtype) -> u64,
}

/// What a block scans.
#[derive(Clone, Copy, Debug)]
pub enum Share {
    /// So many elements.
    Elements(u64),
    /// So many bytes of elements.
    Bytes(u64),
}

impl Share {
    /// How many elements of a type that is.
    pub fn elements(self, dtype: Dtype) -> u64 {
        match self {
            Self::Elements(elements) => elements,
            Self::Bytes(bytes) => bytes / dtype.size() as u64,
        }
    }
}

pub(crate) const HILLIS_STEELE: Blocks = Blocks {
    threads: 256,
    share: Share::Elements(256),
    shared: 2 * 256,
    depth: |_| 8,
};
pub(crate) const BLELLOCH: Blocks = Blocks {
    threads: 256,
    share: Share::Elements(512),
    shared: 512,
    depth: |_| 9 + 9 + 1,
};
pub(crate) const BLELLOCH_PADDED: Blocks = Blocks {
    shared: 512 + 512 / 32,
    ..BLELLOCH
};
pub(crate) const SHUFFLE: Blocks = Blocks {
    threads: 256,
    share: Share::Elements(256),
    shared: 0,
    depth: |_| 5 + 5 + 2,
};
pub(crate) const VECTORIZED: Blocks = Blocks {
    threads: 256,
    share: Share::Bytes(16_384),
    shared: 0,
    depth: share_depth,
};

/// The most rounded operations within a block of the kernels that include chunk.cuh: a pack, its warp,
/// four rows, the warps, and the pack again.
pub(crate) fn share_depth(dtype: Dtype) -> u64 {
    let pack = 16 / dtype.size() as u64;
    (pack - 1) + 5 + 4 + 1 + 5 + 2 + pack
}

impl Blocks {
    /// The same in blocks of so many threads, where the kernel has no number of its own.
    fn with_threads(self, threads: u32) -> Self {
        match self.share {
            Share::Bytes(_) => self,
            Share::Elements(elements) => Self {
                threads,
                share: Share::Elements(elements * u64::from(threads) / u64::from(self.threads)),
                shared: (self.shared * threads).div_ceil(self.threads),
                ..self
            },
        }
    }

    pub(crate) fn config(&self, blocks: u64, dtype: Dtype) -> LaunchConfig {
        LaunchConfig {
            shared_mem_bytes: self.shared * dtype.size() as u32,
            ..kernel::grid(blocks, self.threads)
        }
    }
}

/// One level: what is scanned block by block, and what becomes of the blocks.
pub(crate) struct Level {
    /// Elements that are scanned: the input's, or the folds of the level below.
    n: u64,
    /// Elements of a block.
    share: u64,
    pub(crate) config: LaunchConfig,
    /// A fold for each block.
    pub(crate) folds: CudaSlice<u8>,
    /// What comes before each block: the exclusive scan of `folds`.
    before: CudaSlice<u8>,
}

/// The levels of a scan of `n` elements; the last has one block.
pub(crate) fn levels(s: &Setup<'_>, blocks: Blocks) -> Result<Vec<Level>, Error> {
    let (dtype, mut n) = (s.case.dtype, s.case.elements());
    let share = blocks.share.elements(dtype);
    let mut levels = Vec::new();
    loop {
        let count = n.div_ceil(share).max(1);
        let bytes = count * dtype.size() as u64;
        levels.push(Level {
            n,
            share,
            config: blocks.config(count, dtype),
            folds: s.scratch(bytes)?,
            before: s.scratch(bytes)?,
        });
        if count == 1 {
            return Ok(levels);
        }
        n = count;
    }
}

// ---- Scan, then add -------------------------------------------------------------------------

impl Level {
    /// Scans elements block by block as if nothing came before a block, and folds the blocks.
    pub(crate) fn scan(
        &mut self,
        stream: &Arc<CudaStream>,
        function: &CudaFunction,
        elements: &CudaView<'_, u8>,
        out: &mut CudaViewMut<'_, u8>,
    ) -> Result<(), DriverError> {
        let mut launch = stream.launch_builder(function);
        launch.arg(elements).arg(out);
        launch.arg(&self.n).arg(&mut self.folds);
        // SAFETY: every kernel here is `(const T* in, T* out, size_t n, T* sums)`: it reads
        // in[0 .. n], writes out[0 .. n] and a fold for each block. All are that large, and the
        // grid, block and shared memory are those of its contract.
        unsafe { launch.launch(self.config)? };
        Ok(())
    }

    /// Puts `before[b]` before each element of block b.
    pub(crate) fn add_block_offsets(
        &self,
        stream: &Arc<CudaStream>,
        function: &CudaFunction,
        before: &CudaSlice<u8>,
        out: &mut CudaViewMut<'_, u8>,
    ) -> Result<(), DriverError> {
        const THREADS: u32 = 256;
        let blocks = self.n.div_ceil(u64::from(THREADS));
        let mut launch = stream.launch_builder(function);
        launch.arg(out).arg(&self.n).arg(before).arg(&self.share);
        // SAFETY: add_block_offsets.cu updates out[0 .. n] and reads before[0 .. n / share], a thread an
        // element.
        unsafe { launch.launch(kernel::grid(blocks, THREADS))? };
        Ok(())
    }
}

/// Every block is scanned as if nothing came before it; the blocks' folds are scanned, and put before
/// the elements of their successors.
pub(crate) fn scan_then_add(s: &Setup<'_>, blocks: Blocks) -> Result<Ready, Error> {
    const ADD_BLOCK_OFFSETS: &str = include_str!("../kernels/add_block_offsets.ptx");
    let add_block_offsets = add_block_offsets_kernel(s, "add_block_offsets", ADD_BLOCK_OFFSETS)?;
    let wanted = s.block.map(|threads| blocks.with_threads(threads));
    let blocks = wanted.unwrap_or(blocks);
    let mut levels = levels(s, blocks)?;
    let kernel = scan_kernel(s, s.case.kind())?;
    let again = scan_kernel(s, Kind::Exclusive)?;
    // A block's, on each level, and the addition of offsets to each but the last.
    let depth = levels.len() as u64 * ((blocks.depth)(s.case.dtype) + 1);
    let (stream, first, config) = (s.stream(), kernel.clone(), levels[0].config);
    Ok(Ready::new(kernel, config, depth, move |input, out| {
        levels[0].scan(&stream, &first, input, out)?;
        for l in 1..levels.len() {
            let (below, level) = levels.split_at_mut(l);
            let Level { folds, before, .. } = &mut below[l - 1];
            level[0].scan(&stream, &again, &folds.as_view(), &mut before.as_view_mut())?;
        }
        for l in (1..levels.len() - 1).rev() {
            let (below, level) = levels.split_at_mut(l);
            let mut out = below[l - 1].before.as_view_mut();
            level[0].add_block_offsets(&stream, &add_block_offsets, &level[0].before, &mut out)?;
        }
        match &levels[..] {
            [_only] => Ok(()),
            levels => {
                levels[0].add_block_offsets(&stream, &add_block_offsets, &levels[0].before, out)
            }
        }
    }))
}

/// The entry point for the case's operator and type.
pub(crate) fn add_block_offsets_kernel(
    s: &Setup<'_>,
    name: &str,
    ptx: &str,
) -> Result<CudaFunction, Error> {
    let module = kernel::load_module(s.device, name, &[ptx])?;
    kernel::load_function(&module, &format!("{}_{}", s.case.op, s.case.dtype))
}

// ---- Reduce, then scan ----------------------------------------------------------------------------

impl Level {
    /// Folds elements block by block.
    fn reduce(
        &mut self,
        stream: &Arc<CudaStream>,
        function: &CudaFunction,
        elements: &CudaView<'_, u8>,
    ) -> Result<(), DriverError> {
        let mut launch = stream.launch_builder(function);
        launch.arg(elements).arg(&self.n).arg(&mut self.folds);
        // SAFETY: reads in[0 .. n], writes a fold for each block.
        unsafe { launch.launch(self.config)? };
        Ok(())
    }

    /// Scans elements block by block, where what comes before each block is known.
    fn scan_after(
        &self,
        stream: &Arc<CudaStream>,
        function: &CudaFunction,
        elements: &CudaView<'_, u8>,
        out: &mut CudaViewMut<'_, u8>,
    ) -> Result<(), DriverError> {
        let mut launch = stream.launch_builder(function);
        launch.arg(elements).arg(out);
        launch.arg(&self.n).arg(&self.before);
        // SAFETY: reads in[0 .. n] and before[b] for each block b, writes out[0 .. n].
        unsafe { launch.launch(self.config)? };
        Ok(())
    }
}

/// Blocks are only folded at first; with what comes before each known, they are scanned once.
pub(crate) fn reduce_then_scan(s: &Setup<'_>, blocks: Blocks) -> Result<Ready, Error> {
    let mut levels = levels(s, blocks)?;
    let reduce = s.entry(&format!("reduce_{}_{}", s.case.op, s.case.dtype))?;
    let kernel = scan_kernel(s, s.case.kind())?;
    let again = scan_kernel(s, Kind::Exclusive)?;
    // Before the only block of the last level comes nothing.
    if let Some(last) = levels.last_mut() {
        last.before = identity(s)?;
    }
    let depth = levels.len() as u64 * ((blocks.depth)(s.case.dtype) + 1);
    let (stream, first, config) = (s.stream(), kernel.clone(), levels[0].config);
    Ok(Ready::new(kernel, config, depth, move |input, out| {
        for l in 0..levels.len() - 1 {
            let (below, level) = levels.split_at_mut(l);
            let elements = match below.last() {
                None => input.slice(..),
                Some(below) => below.folds.as_view(),
            };
            level[0].reduce(&stream, &reduce, &elements)?;
        }
        for l in (1..levels.len()).rev() {
            let (below, level) = levels.split_at_mut(l);
            let Level { folds, before, .. } = &mut below[l - 1];
            level[0].scan_after(&stream, &again, &folds.as_view(), &mut before.as_view_mut())?;
        }
        levels[0].scan_after(&stream, &first, input, out)
    }))
}

/// The operator's identity, on the device.
fn identity(s: &Setup<'_>) -> Result<CudaSlice<u8>, Error> {
    with_element!(s.case.dtype, T => {
        buffer::upload(s.device, &[reference::identity::<T>(s.case.op)])
    })
}
