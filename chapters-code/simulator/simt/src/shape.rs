//! What of a launch its observers see, and those who describe what they found.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use crate::alu::Isa;
use crate::config::Options;
use crate::facts::{Facts, Group, Neighbours};
use crate::memory::Snapshot;
use crate::module::LoadedKernel;
use crate::registers::LaneMask;
use crate::weak;

/// The kernel, its blocks and threads, and the memory of a launch: what stays as it is while it runs.
pub(crate) struct LaunchShape<'a> {
    pub kernel: &'a LoadedKernel,
    /// Blocks in x, y and z.
    pub blocks: [u32; 3],
    /// Threads of a block in x, y and z.
    pub threads: [u32; 3],
    /// Blocks of a cluster in x, y and z.
    pub cluster: [u32; 3],
    /// Whether the launch or the kernel names the shape of a cluster.
    pub has_clusters: bool,
    pub dynamic_shared: u32,
    pub memory: Snapshot,
    pub isa: Isa,
    pub options: &'a Options,
    /// What it shares with launches that run at the same time.
    pub group: &'a Group,
    /// What these know of it, if there may be any.
    pub facts: Option<Arc<Facts>>,
    /// Events traced so far.
    pub traced: AtomicU64,
}

impl<'a> LaunchShape<'a> {
    pub fn block_count(&self) -> u64 {
        self.blocks.iter().map(|b| u64::from(*b)).product()
    }

    pub fn blocks_per_cluster(&self) -> u32 {
        self.cluster.iter().product()
    }

    pub fn cluster_count(&self) -> u64 {
        self.block_count() / u64::from(self.blocks_per_cluster())
    }

    /// Returns the clusters in x, y and z.
    pub fn clusters(&self) -> [u32; 3] {
        std::array::from_fn(|axis| self.blocks[axis] / self.cluster[axis])
    }

    /// Returns the number of the block of this rank in a cluster.
    pub fn block_of(&self, cluster: u64, rank: u32) -> u64 {
        if !self.has_clusters {
            return cluster;
        }
        let (first, own) = (unravel(cluster, self.clusters()), unravel(rank.into(), self.cluster));
        let [x, y, z] =
            [0, 1, 2].map(|axis| u64::from(first[axis] * self.cluster[axis] + own[axis]));
        x + u64::from(self.blocks[0]) * (y + u64::from(self.blocks[1]) * z)
    }

    pub fn threads_per_block(&self) -> u32 {
        self.threads.iter().product()
    }

    pub fn warps_per_block(&self) -> u32 {
        self.threads_per_block().div_ceil(32)
    }

    /// Returns the lanes of a warp: fewer than 32 in the last warp if the block size is no multiple
    /// of 32.
    pub fn lanes_of(&self, warp: u32) -> LaneMask {
        let threads = (self.threads_per_block() - 32 * warp).min(32);
        LaneMask::MAX >> (32 - threads)
    }

    /// Returns the numbers of a warp's threads in their block.
    pub fn threads_of(&self, warp: u32) -> Range<u32> {
        32 * warp..(32 * warp + 32).min(self.threads_per_block())
    }

    pub fn shared_bytes(&self) -> u32 {
        self.kernel.shared_bytes(self.dynamic_shared)
    }

    /// Returns the coordinates of a block.
    pub fn block_index(&self, linear: u64) -> [u32; 3] {
        unravel(linear, self.blocks)
    }

    /// Returns the coordinates of a thread in its block.
    pub fn thread_index(&self, warp: u32, lane: u32) -> [u32; 3] {
        unravel(u64::from(warp * 32 + lane), self.threads)
    }

    /// Returns the number of the first block in the group.
    pub fn first_block(&self) -> u64 {
        self.facts.as_ref().map_or(0, |facts| facts.first_block)
    }

    /// Returns a block of this launch, as weak memory names it.
    pub fn weak_block(&self, index: u64) -> u64 {
        let device = self.facts.as_ref().map_or(0, |facts| facts.device);
        weak::block_on(device, self.first_block() + index)
    }

    /// Returns the coordinates of a block of this number in the group.
    pub fn index_in_group(&self, block: u64) -> [u32; 3] {
        self.block_index(block - self.first_block())
    }

    /// Returns the launch among those that run at the same time, if there may be any.
    pub fn neighbours(&self) -> Option<Neighbours<'a>> {
        let own = self.facts.clone()?;
        Some(Neighbours { group: self.group, own })
    }
}

/// Returns the coordinates of the `linear`-th element of a box; x varies fastest.
pub(crate) fn unravel(linear: u64, extent: [u32; 3]) -> [u32; 3] {
    let (x, y) = (u64::from(extent[0].max(1)), u64::from(extent[1].max(1)));
    [(linear % x) as u32, (linear / x % y) as u32, (linear / x / y) as u32]
}
