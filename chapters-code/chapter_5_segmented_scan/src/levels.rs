//! Scans of several launches: blocks are scanned one by one, then the blocks' pairs in the same way,
//! level upon level, until one block is left.

use std::sync::Arc;

use chapter_3_scan::levels::Share;
use cudarc::driver::{
    CudaFunction, CudaSlice, CudaStream, CudaView, CudaViewMut, DriverError, LaunchConfig,
    PushKernelArg,
};
use harness::{Dtype, Error, Kind, kernel};

use crate::{Ready, Setup, input::Layout, kernel_of};

/// How a kernel that scans block by block is launched.
#[derive(Clone, Copy)]
pub struct Blocks {
    /// Threads of a block.
    threads: u32,
    /// What a block scans.
    share: Share,
    /// Pairs of dynamic shared memory for each thread.
    pairs: u32,
    /// How the first level's flags are given.
    flags: Flags,
    /// The most rounded operations that an element passes through in its block.
    depth: fn(Dtype) -> u64,
}

/// How head flags are given.
#[derive(Clone, Copy)]
enum Flags {
    /// A byte an element.
    Bytes,
    /// A bit an element.
    Bits,
}

impl Flags {
    /// Those of an input.
    fn of<'a>(self, layout: &Layout, input: &CudaView<'a, u8>) -> CudaView<'a, u8> {
        match self {
            Self::Bytes => layout.flags(input),
            Self::Bits => layout.bits(input),
        }
    }
}

pub(crate) const HILLIS_STEELE: Blocks = Blocks {
    threads: 256,
    share: Share::Elements(256),
    pairs: 2,
    flags: Flags::Bytes,
    depth: |_| 8,
};
/// Hillis and Steele's, where a pair of f32 and a flag takes eight bytes and not five.
pub(crate) const STRUCTS: Blocks = Blocks {
    pairs: 4,
    ..HILLIS_STEELE
};
pub(crate) const SHUFFLE: Blocks = Blocks {
    pairs: 0,
    depth: |_| 5 + 5 + 2,
    ..HILLIS_STEELE
};
pub(crate) const VECTORIZED: Blocks = Blocks {
    share: Share::Bytes(16_384),
    flags: Flags::Bits,
    depth: |dtype| share_depth(dtype, 4),
    ..SHUFFLE
};

/// The most rounded operations within a block of the kernels that include chunk.cuh: a pack, its warp,
/// the rows, the warps, and the pack again.
pub(crate) fn share_depth(dtype: Dtype, rows: u64) -> u64 {
    let pack = 16 / dtype.size() as u64;
    (pack - 1) + 5 + rows + 1 + 5 + 2 + pack
}

impl Blocks {
    /// The same in blocks of so many threads, where the kernel has no number of its own.
    fn with_threads(self, threads: u32) -> Self {
        match self.share {
            Share::Bytes(_) => self,
            Share::Elements(_) => Self {
                threads,
                share: Share::Elements(threads.into()),
                ..self
            },
        }
    }

    fn config(&self, blocks: u64, dtype: Dtype) -> LaunchConfig {
        LaunchConfig {
            shared_mem_bytes: self.pairs * self.threads * (dtype.size() as u32 + 1),
            ..kernel::grid(blocks, self.threads)
        }
    }
}

/// One level: what is scanned block by block, and what becomes of the blocks.
struct Level {
    /// Elements that are scanned: the input's, or the pairs of the level below.
    n: u64,
    /// Elements of a block.
    share: u64,
    config: LaunchConfig,
    /// Each block's pair,
    values: CudaSlice<u8>,
    heads: CudaSlice<u8>,
    /// how many of its elements what is open before it reaches,
    reached: CudaSlice<u8>,
    /// and the inclusive segmented scan of the pairs.
    scanned: CudaSlice<u8>,
}

/// The levels of a scan of `n` elements; the last has one block. Those above the first are shuffle's.
fn levels(s: &Setup<'_>, first: Blocks) -> Result<Vec<Level>, Error> {
    let (dtype, mut n) = (s.case.dtype, s.case.elements());
    let mut levels = Vec::new();
    loop {
        let blocks = if levels.is_empty() { first } else { SHUFFLE };
        let share = blocks.share.elements(dtype);
        let count = n.div_ceil(share).max(1);
        levels.push(Level {
            n,
            share,
            config: blocks.config(count, dtype),
            values: s.scratch(count * dtype.size() as u64)?,
            heads: s.scratch(count)?,
            reached: s.scratch(4 * count)?,
            scanned: s.scratch(count * dtype.size() as u64)?,
        });
        if count == 1 {
            return Ok(levels);
        }
        n = count;
    }
}

impl Level {
    /// Scans elements block by block as if nothing came before a block.
    fn scan(
        &mut self,
        stream: &Arc<CudaStream>,
        function: &CudaFunction,
        elements: &CudaView<'_, u8>,
        flags: &CudaView<'_, u8>,
        out: &mut CudaViewMut<'_, u8>,
    ) -> Result<(), DriverError> {
        let mut launch = stream.launch_builder(function);
        launch.arg(elements).arg(flags).arg(out).arg(&self.n);
        launch.arg(&mut self.values).arg(&mut self.heads);
        launch.arg(&mut self.reached);
        // SAFETY: every kernel here is `(const T* in, const F* flags, T* out, size_t n, T* values, u8*
        // heads, u32* open)`: it reads in[0 .. n] and their flags, in bytes or in words of 32 bits,
        // and writes out[0 .. n] and the other three for each block. All are that large, and the
        // grid, block and shared memory are those of its contract.
        unsafe { launch.launch(self.config)? };
        Ok(())
    }

    /// Puts what is open before each block before its elements, as far as it reaches.
    fn add_block_offsets(
        &self,
        stream: &Arc<CudaStream>,
        function: &CudaFunction,
        scanned: &CudaSlice<u8>,
        out: &mut CudaViewMut<'_, u8>,
    ) -> Result<(), DriverError> {
        const THREADS: u32 = 256;
        let blocks = self.n.div_ceil(u64::from(THREADS));
        let mut launch = stream.launch_builder(function);
        launch.arg(out).arg(&self.n).arg(scanned);
        launch.arg(&self.reached).arg(&self.share);
        // SAFETY: add_block_offsets.cu updates out[0 .. n] and reads scanned and open for each block of
        // `share` elements, a thread an element.
        unsafe { launch.launch(kernel::grid(blocks, THREADS))? };
        Ok(())
    }
}

/// The kernel that puts what is open before a block before its elements, by its file.
fn add_block_offsets_kernel(s: &Setup<'_>, name: &str, ptx: &str) -> Result<CudaFunction, Error> {
    let module = kernel::load_module(s.device, name, &[ptx])?;
    kernel::load_function(&module, &format!("{}_{}", s.case.op, s.case.dtype))
}

/// The kernel that scans pairs on the levels above the first: shuffle's, whose flags are bytes.
fn scan_of_pairs(s: &Setup<'_>) -> Result<CudaFunction, Error> {
    const SHUFFLE: &str = include_str!("../kernels/shuffle.ptx");
    let module = kernel::load_module(s.device, "shuffle", &[SHUFFLE])?;
    let (kind, op, dtype) = (Kind::Inclusive, s.case.op, s.case.dtype);
    kernel::load_function(&module, &format!("{kind}_{op}_{dtype}"))
}

/// Every block is scanned as if nothing came before it; the blocks' pairs are scanned, and what is open
/// before each block is put before the elements that it reaches.
pub(crate) fn scan_then_add(s: &Setup<'_>, blocks: Blocks) -> Result<Ready, Error> {
    const ADD_BLOCK_OFFSETS: &str = include_str!("../kernels/add_block_offsets.ptx");
    scan_then_add_by(s, blocks, "add_block_offsets", ADD_BLOCK_OFFSETS)
}

/// The same by another kernel in add_block_offsets.cu's place.
pub(crate) fn scan_then_add_by(
    s: &Setup<'_>,
    blocks: Blocks,
    name: &str,
    ptx: &str,
) -> Result<Ready, Error> {
    let wanted = s.block.map(|threads| blocks.with_threads(threads));
    let blocks = wanted.unwrap_or(blocks);
    let (kernel, above) = (kernel_of(s)?, scan_of_pairs(s)?);
    let add_block_offsets = add_block_offsets_kernel(s, name, ptx)?;
    let mut levels = levels(s, blocks)?;
    let higher = (levels.len() - 1) as u64 * ((SHUFFLE.depth)(s.case.dtype) + 1);
    let depth = (blocks.depth)(s.case.dtype) + 1 + higher;
    let layout = Layout::new(s.case.elements(), s.case.dtype);
    let (stream, first, config) = (s.stream(), kernel.clone(), levels[0].config);
    Ok(Ready::new(kernel, config, depth, move |input, out| {
        let flags = blocks.flags.of(&layout, input);
        levels[0].scan(&stream, &first, &layout.elements(input), &flags, out)?;
        scan_above(&mut levels, &stream, &above, &add_block_offsets)?;
        match &levels[..] {
            [_only] => Ok(()),
            levels => {
                levels[0].add_block_offsets(&stream, &add_block_offsets, &levels[0].scanned, out)
            }
        }
    }))
}

/// Scans the pairs of the first level's blocks.
fn scan_above(
    levels: &mut [Level],
    stream: &Arc<CudaStream>,
    scan: &CudaFunction,
    add_block_offsets: &CudaFunction,
) -> Result<(), DriverError> {
    for l in 1..levels.len() {
        let (below, level) = levels.split_at_mut(l);
        let below = &mut below[l - 1];
        let (values, heads) = (below.values.as_view(), below.heads.as_view());
        level[0].scan(
            stream,
            scan,
            &values,
            &heads,
            &mut below.scanned.as_view_mut(),
        )?;
    }
    for l in (1..levels.len() - 1).rev() {
        let (below, level) = levels.split_at_mut(l);
        let mut out = below[l - 1].scanned.as_view_mut();
        level[0].add_block_offsets(stream, add_block_offsets, &level[0].scanned, &mut out)?;
    }
    Ok(())
}

/// Scans the blocks, and puts their folds, as they are, before their successors by another kernel in
/// add_block_offsets.cu's place: what a broken rung does.
pub(crate) fn scan_then_add_folds(
    s: &Setup<'_>,
    blocks: Blocks,
    name: &str,
    ptx: &str,
) -> Result<Ready, Error> {
    let add_block_offsets = add_block_offsets_kernel(s, name, ptx)?;
    let mut level = levels(s, blocks)?.swap_remove(0);
    let kernel = kernel_of(s)?;
    let depth = (blocks.depth)(s.case.dtype) + 1;
    let layout = Layout::new(s.case.elements(), s.case.dtype);
    let (stream, scan, config) = (s.stream(), kernel.clone(), level.config);
    Ok(Ready::new(kernel, config, depth, move |input, out| {
        let flags = blocks.flags.of(&layout, input);
        level.scan(&stream, &scan, &layout.elements(input), &flags, out)?;
        level.add_block_offsets(&stream, &add_block_offsets, &level.values, out)
    }))
}
