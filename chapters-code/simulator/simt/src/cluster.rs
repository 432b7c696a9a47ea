//! Runs the blocks of a cluster: they are resident together and run in turn on one host thread, so that
//! each may access the shared memory of the others.
//!
//! A block of a launch without clusters is a cluster of its own.

use std::sync::Arc;

use simt_report::Fault;

use crate::block::{Block, Progress, deadlock};
use crate::grid::Grid;
use crate::observe::Observer;
use crate::races::ClusterMemory;

/// A resident cluster. When it is done, it is reused for the next one.
pub(crate) struct Cluster<O> {
    /// The blocks in the order of their ranks, also those that have finished.
    pub blocks: Vec<Block<O>>,
    /// While a block runs, the others.
    peers: Peers<O>,
}

/// The other blocks of the cluster of a block that runs.
pub(crate) struct Peers<O> {
    /// The rank of the block that runs.
    own_rank: u32,
    /// The others, in the order of their ranks.
    blocks: Vec<Block<O>>,
}

impl<O> Peers<O> {
    /// Returns the rank of the block that runs.
    pub fn own_rank(&self) -> u32 {
        self.own_rank
    }

    /// Returns the block of this rank, if there is one and it is not the one that runs.
    pub fn get(&mut self, rank: u32) -> Option<&mut Block<O>> {
        let behind = u32::from(rank > self.own_rank);
        (rank != self.own_rank).then(|| self.blocks.get_mut((rank - behind) as usize)).flatten()
    }

    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut Block<O>> {
        self.blocks.iter_mut()
    }
}

impl<'a, O: Observer<'a>> Cluster<O> {
    /// Allocates a cluster for this grid.
    pub fn new(grid: &'a Grid<'a>) -> Self {
        let blocks = (0..grid.blocks_per_cluster()).map(|_| Block::new(grid));
        Self { blocks: blocks.collect(), peers: Peers { own_rank: 0, blocks: Vec::new() } }
    }

    /// Starts the cluster with this number.
    pub fn start(&mut self, grid: &Grid<'_>, number: u64) {
        for (rank, block) in (0..).zip(&mut self.blocks) {
            block.start(grid, grid.block_of(number, rank), rank);
        }
        if O::CHECKS && self.blocks.len() > 1 {
            let first = grid.first_block();
            let numbers = self.blocks.iter().map(|block| first + block.index).collect();
            let memory = Arc::new(ClusterMemory::new(numbers, grid.shared_bytes()));
            self.blocks.iter_mut().for_each(|block| block.observer.join_cluster(&memory));
        }
    }

    /// Returns the number of the first block.
    pub fn first_block(&self) -> u64 {
        self.blocks[0].index
    }

    /// Returns the blocks that have not finished.
    pub fn running(&self) -> impl Iterator<Item = &Block<O>> {
        self.blocks.iter().filter(|block| !block.is_finished())
    }

    /// Runs each block until it is done, waits for the others, or has had some time slices. A fault
    /// comes with the number of its block.
    pub fn run(&mut self, grid: &'a Grid<'a>) -> Result<Progress, (u64, Fault)> {
        if let [only] = &mut self.blocks[..] {
            return only.run(grid, &mut self.peers).map_err(|fault| (only.index, fault));
        }
        let mut progress = Progress::Done;
        let mut can_continue = false;
        for rank in 0..self.blocks.len() {
            if self.blocks[rank].is_finished() {
                continue;
            }
            match self.run_block(grid, rank)? {
                Progress::Done => can_continue = true,
                Progress::Unfinished => (progress, can_continue) = (Progress::Unfinished, true),
                Progress::Waiting => progress = Progress::Unfinished,
            }
        }
        if !can_continue {
            return Err((self.first_block(), self.deadlock(grid)));
        }
        Ok(progress)
    }

    /// Runs the block of a rank while the others are its peers.
    fn run_block(&mut self, grid: &'a Grid<'a>, rank: usize) -> Result<Progress, (u64, Fault)> {
        let mut block = self.blocks.remove(rank);
        self.peers.own_rank = rank as u32;
        std::mem::swap(&mut self.blocks, &mut self.peers.blocks);
        let ran = block.run(grid, &mut self.peers);
        std::mem::swap(&mut self.blocks, &mut self.peers.blocks);
        let index = block.index;
        self.blocks.insert(rank, block);
        ran.map_err(|fault| (index, fault))
    }

    /// If every thread of the cluster is blocked: the group's change counter when the last one blocked.
    pub fn stuck_since(&self) -> Option<u64> {
        let mut all = self.running().map(Block::stuck_since);
        let since = all.next()??;
        all.all(|other| other == Some(since)).then_some(since)
    }

    /// Reports that every thread of the cluster waits for another.
    fn deadlock(&self, grid: &Grid<'_>) -> Fault {
        let waits = self.running().flat_map(|block| block.named_waits(grid)).collect();
        deadlock(grid, "", "every thread of a cluster waits for another", waits)
    }
}
