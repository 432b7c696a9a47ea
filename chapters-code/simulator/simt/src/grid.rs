//! The state that all blocks of a launch share.

use std::io::Write as _;
use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crossbeam_utils::CachePadded;

use crate::alu::{Isa, Windows};
use crate::config::{Launch, Options};
use crate::describe;
use crate::exec::code::{self, Program};
use crate::facts::{Facts, Group};
use crate::memory::Snapshot;
use crate::module::{BLOCK_WINDOW, LOCAL_WINDOW, SHARED_WINDOW, WINDOW_BYTES};
use crate::patience::Patience;
use crate::schedule;
use crate::shape::LaunchShape;
use crate::stall::WorkerProgress;
use crate::weak::{Of, Stores};
use crate::workers;

/// A running launch.
pub(crate) struct Grid<'a> {
    pub shape: LaunchShape<'a>,
    pub params: &'a [u8],
    pub windows: Windows,
    /// The kernel's instructions.
    pub program: Program<'a>,
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
    pub patience: Patience,
    pub worker_progress: WorkerProgress,
    /// The stores that loads may return, if memory is weak.
    pub weak: Option<Stores<'a>>,
}

impl<'a> Deref for Grid<'a> {
    type Target = LaunchShape<'a>;

    #[inline(always)]
    fn deref(&self) -> &LaunchShape<'a> {
        &self.shape
    }
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
        let weak = options.weak_memory.as_ref().map(|weak| {
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
        });
        Self {
            params: launch.params,
            windows: Windows {
                shared_base: SHARED_WINDOW,
                shared_bytes: BLOCK_WINDOW,
                cluster_bytes: WINDOW_BYTES,
                local_base: LOCAL_WINDOW,
                local_bytes: WINDOW_BYTES,
                constants: launch.kernel.constant_memory().to_vec(),
            },
            program: code::prepare(launch.kernel, isa, launch.params, options),
            id: LAUNCHES.fetch_add(1, Ordering::Relaxed),
            next: CachePadded::new(AtomicU64::new(0)),
            stop: AtomicBool::new(false),
            executed: AtomicU64::new(0),
            workers: worker_count(options, clusters),
            patience: Patience::new(),
            worker_progress: WorkerProgress::default(),
            weak,
            shape: LaunchShape {
                kernel: launch.kernel,
                blocks: launch.grid,
                threads: launch.block,
                cluster,
                has_clusters: named.is_some(),
                dynamic_shared: launch.dynamic_shared,
                memory,
                isa,
                options,
                group,
                facts,
                traced: AtomicU64::new(0),
            },
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
