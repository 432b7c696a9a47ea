//! Scans of several launches: blocks are scanned one by one, then the blocks' folds in the same way,
//! level upon level, until one block is left.

use cudarc::driver::{CudaFunction, CudaSlice, LaunchConfig, PushKernelArg};
use harness::{Dtype, Error, Kind, buffer, kernel, with_element};

use crate::{Ready, Setup, kind, reference, scan_kernel};

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

/// The most rounded operations within a block of the kernels that include share.cuh: a pack, its warp,
/// four rows, the warps, and the pack again.
pub(crate) fn share_depth(dtype: Dtype) -> u64 {
    let pack = 16 / dtype.size() as u64;
    (pack - 1) + 5 + 4 + 1 + 5 + 2 + pack
}

impl Blocks {
    fn elements(&self, dtype: Dtype) -> u64 {
        match self.share {
            Share::Elements(elements) => elements,
            Share::Bytes(bytes) => bytes / dtype.size() as u64,
        }
    }

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
            grid_dim: (blocks as u32, 1, 1),
            block_dim: (self.threads, 1, 1),
            shared_mem_bytes: self.shared * dtype.size() as u32,
        }
    }
}

/// One level: what is scanned block by block, and what becomes of the blocks.
struct Level {
    /// Elements that are scanned: the input's, or the folds of the level below.
    n: u64,
    config: LaunchConfig,
    /// A fold for each block.
    folds: CudaSlice<u8>,
    /// What comes before each block: the exclusive scan of `folds`.
    before: CudaSlice<u8>,
}

/// The levels of a scan of `n` elements; the last has one block.
fn levels(s: &Setup<'_>, blocks: Blocks) -> Result<Vec<Level>, Error> {
    let (dtype, mut n) = (s.case.dtype, s.case.elements());
    let mut levels = Vec::new();
    loop {
        let count = n.div_ceil(blocks.elements(dtype)).max(1);
        let bytes = count * dtype.size() as u64;
        levels.push(Level {
            n,
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

/// Every block is scanned as if nothing came before it; the blocks' folds are scanned, and put before
/// the elements of their successors.
pub(crate) fn scan_then_propagate(s: &Setup<'_>, blocks: Blocks) -> Result<Ready, Error> {
    const PROPAGATE: &str = include_str!("../kernels/propagate.ptx");
    let propagate = propagation(s, "propagate", PROPAGATE)?;
    let blocks = s
        .block
        .map_or(blocks, |threads| blocks.with_threads(threads));
    let mut levels = levels(s, blocks)?;
    let (first, again) = (scan_kernel(s, kind(s))?, scan_kernel(s, Kind::Exclusive)?);
    let (dtype, stream) = (s.case.dtype, s.stream());
    let share = blocks.elements(dtype);
    // A block's, on each level, and the propagation to each but the last.
    let depth = levels.len() as u64 * ((blocks.depth)(dtype) + 1);
    let (kernel, config) = (first.clone(), levels[0].config);
    Ok(Ready::new(kernel, config, depth, move |input, out| {
        for l in 0..levels.len() {
            let (below, from_here) = levels.split_at_mut(l);
            let Level {
                n, config, folds, ..
            } = &mut from_here[0];
            let mut launch = stream.launch_builder(if l == 0 { &first } else { &again });
            match below.last_mut() {
                None => launch.arg(input).arg(&mut *out),
                Some(below) => launch.arg(&below.folds).arg(&mut below.before),
            };
            launch.arg(&*n).arg(folds);
            // SAFETY: every kernel here is `(const T* in, T* out, size_t n, T* sums)`: it reads
            // in[0 .. n], writes out[0 .. n] and a fold for each block. All are that large, and the
            // grid, block and shared memory are those of its contract.
            unsafe { launch.launch(*config)? };
        }
        for l in (0..levels.len() - 1).rev() {
            let (below, from_here) = levels.split_at_mut(l);
            let Level { n, before, .. } = &from_here[0];
            let mut launch = stream.launch_builder(&propagate);
            match below.last_mut() {
                None => launch.arg(&mut *out),
                Some(below) => launch.arg(&mut below.before),
            };
            launch.arg(n).arg(before).arg(&share);
            // SAFETY: propagate.cu updates out[0 .. n] and reads before[0 .. n / share].
            unsafe { launch.launch(one_thread_each(*n))? };
        }
        Ok(())
    }))
}

/// Blocks are only folded at first; with what comes before each known, they are scanned once.
pub(crate) fn reduce_then_scan(s: &Setup<'_>, blocks: Blocks) -> Result<Ready, Error> {
    let mut levels = levels(s, blocks)?;
    let reduce = s.entry(&format!("reduce_{}_{}", s.case.op, s.case.dtype))?;
    let (first, again) = (scan_kernel(s, kind(s))?, scan_kernel(s, Kind::Exclusive)?);
    let stream = s.stream();
    // Before the only block of the last level comes nothing.
    if let Some(last) = levels.last_mut() {
        last.before = identity(s)?;
    }
    let depth = levels.len() as u64 * ((blocks.depth)(s.case.dtype) + 1);
    let (kernel, config) = (first.clone(), levels[0].config);
    Ok(Ready::new(kernel, config, depth, move |input, out| {
        for l in 0..levels.len() - 1 {
            let (below, from_here) = levels.split_at_mut(l);
            let Level {
                n, config, folds, ..
            } = &mut from_here[0];
            let mut launch = stream.launch_builder(&reduce);
            match below.last() {
                None => launch.arg(input),
                Some(below) => launch.arg(&below.folds),
            };
            launch.arg(&*n).arg(folds);
            // SAFETY: reads in[0 .. n], writes a fold for each block.
            unsafe { launch.launch(*config)? };
        }
        for l in (0..levels.len()).rev() {
            let (below, from_here) = levels.split_at_mut(l);
            let Level {
                n, config, before, ..
            } = &from_here[0];
            let mut launch = stream.launch_builder(if l == 0 { &first } else { &again });
            match below.last_mut() {
                None => launch.arg(input).arg(&mut *out),
                Some(below) => launch.arg(&below.folds).arg(&mut below.before),
            };
            launch.arg(n).arg(before);
            // SAFETY: reads in[0 .. n] and before[b] for each block b, writes out[0 .. n].
            unsafe { launch.launch(*config)? };
        }
        Ok(())
    }))
}

/// The entry point for the case's operator and type.
fn propagation(s: &Setup<'_>, name: &str, ptx: &str) -> Result<CudaFunction, Error> {
    let module = kernel::load_module(s.device, name, &[ptx])?;
    kernel::load_function(&module, &format!("{}_{}", s.case.op, s.case.dtype))
}

// ---- Broken -------------------------------------------------------------------------------------

/// Scans every block, and does nothing about what comes before it.
pub(crate) fn blocks_alone(s: &Setup<'_>, blocks: Blocks) -> Result<Ready, Error> {
    let Level {
        n,
        config,
        mut folds,
        ..
    } = levels(s, blocks)?.swap_remove(0);
    let kernel = scan_kernel(s, kind(s))?;
    let (stream, function) = (s.stream(), kernel.clone());
    let depth = (blocks.depth)(s.case.dtype);
    Ok(Ready::new(kernel, config, depth, move |input, out| {
        let mut launch = stream.launch_builder(&function);
        launch.arg(input).arg(out).arg(&n).arg(&mut folds);
        // SAFETY: as in scan_then_propagate.
        unsafe { launch.launch(config)? };
        Ok(())
    }))
}

/// Scans every block, and puts the fold of the block before it before each element.
pub(crate) fn previous_block_only(s: &Setup<'_>, blocks: Blocks) -> Result<Ready, Error> {
    const PROPAGATE: &str = include_str!("../kernels/broken/previous_block_only.ptx");
    let propagate = propagation(s, "previous_block_only", PROPAGATE)?;
    let Level {
        n,
        config,
        mut folds,
        ..
    } = levels(s, blocks)?.swap_remove(0);
    let kernel = scan_kernel(s, kind(s))?;
    let (stream, function) = (s.stream(), kernel.clone());
    let (share, depth) = (
        blocks.elements(s.case.dtype),
        (blocks.depth)(s.case.dtype) + 1,
    );
    Ok(Ready::new(kernel, config, depth, move |input, out| {
        let mut launch = stream.launch_builder(&function);
        launch.arg(input).arg(&mut *out).arg(&n).arg(&mut folds);
        // SAFETY: as in scan_then_propagate.
        unsafe { launch.launch(config)? };
        let mut launch = stream.launch_builder(&propagate);
        launch.arg(out).arg(&n).arg(&folds).arg(&share);
        // SAFETY: updates out[0 .. n] and reads a fold for each block but the last.
        unsafe { launch.launch(one_thread_each(n))? };
        Ok(())
    }))
}

/// A thread for each of so many elements.
fn one_thread_each(n: u64) -> LaunchConfig {
    const THREADS: u32 = 256;
    LaunchConfig {
        grid_dim: (n.div_ceil(u64::from(THREADS)) as u32, 1, 1),
        block_dim: (THREADS, 1, 1),
        shared_mem_bytes: 0,
    }
}

/// The operator's identity, on the device.
fn identity(s: &Setup<'_>) -> Result<CudaSlice<u8>, Error> {
    with_element!(s.case.dtype, T => {
        buffer::upload(s.device, &[reference::identity::<T>(s.case.op)])
    })
}
