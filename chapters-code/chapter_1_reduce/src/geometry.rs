//! How a rung's kernel is launched: how many blocks, what each folds, and how deep its tree is.

use cudarc::driver::LaunchConfig;
use harness::{Case, Device, Dtype, kernel};

// The tree of a block of 256, one element or a pair a thread, in dynamic shared memory or not; then
// grids that stride over their input, by elements or by packs of 16 bytes.
pub(crate) const TREE: Geometry = Geometry {
    threads: 256,
    share: Share::Elements(1),
    shared: Shared::Dynamic,
};
pub(crate) const TREE_OF_PAIRS: Geometry = Geometry {
    share: Share::Elements(2),
    ..TREE
};
pub(crate) const UNROLLED: Geometry = Geometry {
    shared: Shared::Static,
    ..TREE_OF_PAIRS
};
pub(crate) const GRID: Geometry = Geometry {
    threads: 256,
    share: Share::Grid,
    shared: Shared::Static,
};
pub(crate) const GRID_WITH_TREE: Geometry = Geometry {
    shared: Shared::Dynamic,
    ..GRID
};
pub(crate) const GRID_OF_PACKS: Geometry = Geometry {
    share: Share::GridOfPacks(1),
    ..GRID
};
pub(crate) const GRID_OF_TILES: Geometry = Geometry {
    threads: 512,
    share: Share::GridOfPacks(4),
    ..GRID
};

/// How a rung's kernel is launched.
#[derive(Clone, Copy, Debug)]
pub struct Geometry {
    /// Threads of a block.
    pub threads: u32,
    /// What a block folds.
    pub share: Share,
    /// Where its shared memory comes from.
    pub shared: Shared,
}

/// How the elements are shared out.
#[derive(Clone, Copy, Debug)]
pub enum Share {
    /// So many elements a thread: the grid grows with n.
    Elements(u32),
    /// As many blocks as the device holds; they stride over the elements.
    Grid,
    /// The same, over packs of 16 bytes, so many a thread at a time.
    GridOfPacks(u32),
}

/// Where a block's shared memory comes from.
#[derive(Clone, Copy, Debug)]
pub enum Shared {
    /// The kernel declares it.
    Static,
    /// The launch gives it one value of the accumulator's type a thread.
    Dynamic,
}

/// One launch of several.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pass {
    /// Elements that it reads.
    pub n: u64,
    /// Blocks, each of which writes one value.
    pub blocks: u64,
    /// The most rounded operations that an element passes through.
    pub depth: u64,
}

impl Geometry {
    /// The same with blocks of so many threads, where the kernel takes their number from the launch
    /// and its contract allows it: powers of two for the trees, and whole warps for shuffles.
    pub fn with_threads(self, threads: u32) -> Option<Self> {
        let fits = match (self.shared, self.share) {
            (Shared::Dynamic, _) => threads.is_power_of_two(),
            (Shared::Static, Share::Grid) => threads > 0 && threads.is_multiple_of(32),
            (Shared::Static, Share::Elements(_) | Share::GridOfPacks(_)) => false,
        };
        (fits && threads <= 1024).then_some(Self { threads, ..self })
    }

    /// The launch that folds `n` elements.
    pub fn pass(&self, device: &Device, n: u64, dtype: Dtype) -> Pass {
        let threads = u64::from(self.threads);
        let pack = 16 / dtype.size() as u64;
        let resident = u64::from(device.resident_blocks(self.threads));
        let (blocks, own_depth) = match self.share {
            Share::Elements(each) => (n.div_ceil(threads * u64::from(each)), u64::from(each)),
            Share::Grid => {
                let blocks = n.div_ceil(threads).clamp(1, resident);
                (blocks, n.div_ceil(blocks * threads))
            }
            Share::GridOfPacks(each) => {
                let each = u64::from(each);
                let tiles = n.div_ceil(pack).div_ceil(threads * each);
                let blocks = tiles.clamp(1, resident);
                // Its packs one after another, and the head and the tail of the array; a pack is a
                // small tree.
                (
                    blocks,
                    tiles.div_ceil(blocks) * each + 2 + u64::from(pack.ilog2()),
                )
            }
        };
        // The block's tree: log2 of its threads, or two rounds of shuffles, five steps each.
        let tree = match self.share {
            Share::Elements(_) => u64::from(self.threads.next_power_of_two().ilog2()),
            Share::Grid | Share::GridOfPacks(_) => 10,
        };
        Pass {
            n,
            blocks: blocks.max(1),
            depth: own_depth + tree,
        }
    }

    /// The launches that leave one value of a case.
    pub(crate) fn passes(&self, device: &Device, case: &Case) -> Vec<Pass> {
        let mut passes = vec![self.pass(device, case.elements(), case.dtype)];
        while let Some(Pass { blocks, .. }) = passes.last().copied().filter(|pass| pass.blocks > 1)
        {
            passes.push(self.pass(device, blocks, case.dtype.accumulator()));
        }
        passes
    }

    /// The launch configuration for so many blocks.
    pub fn config(&self, blocks: u64, dtype: Dtype) -> LaunchConfig {
        let bytes_a_thread = match self.shared {
            Shared::Static => 0,
            Shared::Dynamic => dtype.accumulator().size() as u32,
        };
        LaunchConfig {
            shared_mem_bytes: bytes_a_thread * self.threads,
            ..kernel::grid(blocks, self.threads)
        }
    }
}
