//! The state that all blocks of a launch share.

use std::io::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crossbeam_utils::CachePadded;

use crate::alu::{Isa, Windows};
use crate::config::{Launch, Options};
use crate::describe;
use crate::exec::code::{self, Program};
use crate::facts::{Facts, Group, Neighbours};
use crate::memory::Snapshot;
use crate::module::{BLOCK_WINDOW, LOCAL_WINDOW, LoadedKernel, SHARED_WINDOW, WINDOW_BYTES};
use crate::patience::Patience;
use crate::registers::LaneMask;
use crate::schedule;
use crate::stall::WorkerProgress;
use crate::weak::{self, Of, Stores};
use crate::workers;

/// A running launch.
pub(crate) struct Grid<'a> {
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
    pub params: &'a [u8],
    pub memory: Snapshot,
    pub windows: Windows,
    pub isa: Isa,
    /// The kernel's instructions.
    pub program: Program<'a>,
    pub options: &'a Options,
    /// The number of the launch in this process: `%gridid`.
    pub id: u64,
    /// The turn of the next cluster to start.
    pub next: CachePadded<AtomicU64>,
    /// Set when a block has faulted. The other blocks stop at the end of their time slices.
    pub stop: AtomicBool,
    /// Instructions executed so far, if they are limited.
    pub executed: AtomicU64,
    /// The largest number of host threads that run the launch.
    pub workers: usize,
    /// Events traced so far.
    pub traced: AtomicU64,
    pub patience: Patience,
    pub worker_progress: WorkerProgress,
    /// What it shares with launches that run at the same time.
    pub group: &'a Group,
    /// What these know of it, if there may be any.
    pub facts: Option<Arc<Facts>>,
    /// The stores that loads may return, if memory is weak.
    pub weak: Option<Stores<'a>>,
}

impl<'a> Grid<'a> {
    pub fn new(
        launch: &Launch<'a>,
        options: &'a Options,
        memory: Snapshot,
        group: &'a Group,
        facts: Option<Arc<Facts>>,
    ) -> Self {
        static LAUNCHES: AtomicU64 = AtomicU64::new(1);
        let blocks: u64 = launch.grid.iter().map(|b| u64::from(*b)).product();
        let named = launch.cluster.or(launch.kernel.ir().clusters.required);
        let cluster = named.unwrap_or([1; 3]);
        let clusters = blocks / u64::from(cluster.iter().product::<u32>());
        let isa = Isa::detect();
        Self {
            kernel: launch.kernel,
            blocks: launch.grid,
            threads: launch.block,
            cluster,
            has_clusters: named.is_some(),
            dynamic_shared: launch.dynamic_shared,
            params: launch.params,
            memory,
            windows: Windows {
                shared_base: SHARED_WINDOW,
                shared_bytes: BLOCK_WINDOW,
                cluster_bytes: WINDOW_BYTES,
                local_base: LOCAL_WINDOW,
                local_bytes: WINDOW_BYTES,
                constants: launch.kernel.constant_memory().to_vec(),
            },
            isa,
            program: code::prepare(launch.kernel, isa, launch.params, options),
            options,
            id: LAUNCHES.fetch_add(1, Ordering::Relaxed),
            next: CachePadded::new(AtomicU64::new(0)),
            stop: AtomicBool::new(false),
            executed: AtomicU64::new(0),
            workers: worker_count(options, clusters),
            traced: AtomicU64::new(0),
            patience: Patience::new(),
            worker_progress: WorkerProgress::default(),
            group,
            weak: options.weak_memory.as_ref().map(|weak| {
                let follows = |block| match (&facts, group.launch_of(block)) {
                    (Some(own), Some(other)) => own.follows(other.number),
                    _ => false,
                };
                let launch = Of {
                    kernel: &launch.kernel.ir().name,
                    threads_per_block: launch.block.iter().product(),
                    shared: &group.weak,
                    follows: &follows,
                };
                Stores::new(weak, &launch)
            }),
            facts,
        }
    }

    /// Returns the seed of the schedule.
    pub fn seed(&self) -> u64 {
        self.options.schedule_seed()
    }

    /// Returns the number of the cluster that starts at this turn.
    pub fn cluster_at(&self, turn: u64) -> u64 {
        let seed = if self.options.starts_in_order { 0 } else { self.seed() };
        schedule::start(seed, turn, self.cluster_count())
    }

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
    pub fn threads_of(&self, warp: u32) -> std::ops::Range<u32> {
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

    /// Names a block and, if there are several, its device.
    pub fn block_name(&self, index: u64) -> String {
        let block = describe::name(self.block_index(index));
        match &self.memory.devices {
            Some(devices) => format!("device {}, {block}", devices.own),
            None => block,
        }
    }

    /// Prints the output of a device-side `printf`.
    pub fn print(&self, text: &str) {
        // The kernel has no way to learn that standard output is closed.
        let _ = std::io::stdout().lock().write_all(text.as_bytes());
    }
}

/// Returns the number of host threads for a launch of `clusters` clusters.
fn worker_count(options: &Options, clusters: u64) -> usize {
    let wanted = match options.threads {
        // WebAssembly has no threads here, and its main thread must not block.
        _ if cfg!(target_arch = "wasm32") => 1,
        // A trace lists events in the order of execution.
        _ if options.trace || options.weak_memory.is_some() => 1,
        0 => workers::all(),
        // The number of cores is not queried, because that would start the thread pool.
        1 => 1,
        threads => threads.min(workers::most()),
    };
    wanted.min(usize::try_from(clusters).unwrap_or(wanted)).max(1)
}

/// Returns the coordinates of the `linear`-th element of a box; x varies fastest.
pub(crate) fn unravel(linear: u64, extent: [u32; 3]) -> [u32; 3] {
    let (x, y) = (u64::from(extent[0].max(1)), u64::from(extent[1].max(1)));
    [(linear % x) as u32, (linear / x % y) as u32, (linear / x / y) as u32]
}
