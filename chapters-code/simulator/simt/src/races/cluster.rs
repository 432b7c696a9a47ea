//! Data races in the shared memory of a cluster, and blocks that leave their cluster too early.
//!
//! **Detects** two accesses to the same byte of a block's shared memory by different threads of the
//! cluster, at least one of them a write, that nothing orders; and a block all of whose threads exit
//! although nothing orders an access to its shared memory, by another block, before the exit of one of
//! them. (An access *after* the exit always ends the launch.)
//!
//! **What orders accesses:** within a block see [`super::clock`]; between blocks of a cluster the barrier
//! of the cluster, and flags as between any two blocks, see [`super::sync`]. A thread's arrival is a fence,
//! unless it is `.relaxed`, and publishes what the thread knows of fences; accesses between arrival and
//! wait are not ordered. Each wait acquires what the arrivals of all threads have published.
//!
//! The history is that of [`super::global`], one per cluster. In a launch without clusters, or with
//! clusters of one block, [`super::shared`] is in charge.
//!
//! **Can miss:** what [`super::global`] can; lanes of one store that write different values to one
//! address of another block; asynchronous copies.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::clock::Clocks;
use super::global::GlobalHistory;
use super::release::{View, union};
use super::{Event, Finding};
use crate::access::{Access, AccessSpace};
use crate::init_mask::InitMask;
use crate::module::BLOCK_WINDOW;
use crate::pattern::Addresses;
use crate::registers::Lanes64;

/// The addresses of the history, which no device memory has: from here on, those of each block of the
/// launch.
const BASE: u64 = 1 << 62;

/// What the detectors know about the shared memory of a cluster.
pub(crate) struct ClusterMemory {
    history: GlobalHistory,
    /// The numbers of the blocks, in the order of their ranks.
    blocks: Vec<u64>,
    /// What is written in each block's shared memory.
    written: Vec<InitMask>,
    /// What threads have published when they arrived at the barrier of the cluster.
    arrived: Mutex<View>,
}

impl ClusterMemory {
    /// Creates the history of a cluster of these blocks.
    pub fn new(blocks: Vec<u64>, shared_bytes: u32) -> Self {
        let written = blocks.iter().map(|_| InitMask::uninitialised(shared_bytes.into()));
        let (history, written) = (GlobalHistory::new(), written.collect());
        Self { history, blocks, written, arrived: Mutex::default() }
    }

    /// Notes that a thread that knows this of fences arrives at the barrier.
    pub(super) fn arrive(&self, view: &View) {
        if let Some(view) = view {
            union(&mut self.arrivals(), view);
        }
    }

    /// Returns what the threads have published that have arrived.
    pub(super) fn arrived(&self) -> View {
        self.arrivals().clone()
    }

    fn arrivals(&self) -> MutexGuard<'_, View> {
        self.arrived.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the index of the block of a rank.
    pub fn owner(&self, rank: u32) -> Option<usize> {
        Some(rank as usize).filter(|rank| *rank < self.blocks.len())
    }

    /// Returns the index of a block.
    pub fn index_of(&self, block: u64) -> Option<usize> {
        self.blocks.iter().position(|other| *other == block)
    }

    /// Returns what is written in a block's shared memory.
    pub fn written(&self, index: usize) -> &InitMask {
        &self.written[index]
    }

    /// Returns the addresses in the history of an access to a block's shared memory.
    pub fn addresses(&self, index: usize, access: &Access<'_>) -> Lanes64 {
        let start = start(self.blocks[index]);
        access.addresses.all().map(|offset| start.wrapping_add(offset))
    }

    /// Notes an access by a thread of a block. Returns the last race that it is part of.
    pub(super) fn access(
        &self,
        clocks: &Clocks,
        block: u64,
        placed: &Access<'_>,
        event: Event,
    ) -> Option<Finding> {
        let found = self.history.of_block(block).access(clocks, placed, event)?;
        let Finding::Global { first, first_block, second, address, .. } = found else {
            return Some(found);
        };
        let (owner, offset) = place(address);
        Some(Finding::InCluster { first, first_block, second, owner, offset })
    }

    /// Returns an access by another block that nothing orders before the exit of a block's threads.
    pub(super) fn left(&self, clocks: &Clocks, block: u64) -> Option<Finding> {
        let start = start(block);
        let (event, by, address) =
            self.history.of_block(block).foreign(clocks, start..start + BLOCK_WINDOW)?;
        Some(Finding::EarlyExit { event, by, offset: place(address).1 })
    }
}

/// Returns the address in the history of a block's first byte.
fn start(block: u64) -> u64 {
    BASE + block * BLOCK_WINDOW
}

/// Returns the block and the offset of an address in the history.
fn place(address: u64) -> (u64, u32) {
    ((address - BASE) / BLOCK_WINDOW, (address % BLOCK_WINDOW) as u32)
}

/// Returns an access as one to these addresses of a memory that all blocks share.
pub(super) fn placed<'m>(access: &Access<'_>, addresses: &'m Lanes64) -> Access<'m> {
    let addresses = Addresses::Lanes(addresses);
    let pattern = addresses.pattern(access.mask);
    Access { space: AccessSpace::Global, addresses, pattern, ..*access }
}
