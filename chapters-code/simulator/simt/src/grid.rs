//! What all blocks of a launch share.

use std::io::Write as _;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering, fence};
use std::sync::{Mutex, OnceLock};

use crate::alu::{Isa, Windows};
use crate::exec::code::{self, Steps};
use crate::launch::{Launch, Options};
use crate::memory::Snapshot;
use crate::module::{LOCAL_WINDOW, LoadedKernel, SHARED_WINDOW, WINDOW_BYTES};
use crate::races::GlobalHistory;
use crate::registers::LaneMask;
use crate::stall::Stall;
use crate::workers;

/// In cache lines of its own: to write it does not take away from other cores what lies beside it.
#[repr(align(128))]
pub(crate) struct Apart<T>(pub T);

/// A launch at work.
pub(crate) struct Grid<'a> {
    pub kernel: &'a LoadedKernel,
    /// Blocks in x, y and z.
    pub blocks: [u32; 3],
    /// Threads of a block in x, y and z.
    pub threads: [u32; 3],
    pub dynamic_shared: u32,
    pub params: &'a [u8],
    pub table: Snapshot,
    pub windows: Windows,
    pub isa: Isa,
    /// The kernel's instructions.
    pub steps: Steps<'a>,
    pub options: &'a Options,
    /// Which launch of the process this is: `%gridid`.
    pub id: u64,
    /// The next block to start.
    pub next: Apart<AtomicU64>,
    /// Set when a block has faulted: the others stop at the end of their time slices.
    pub stop: AtomicBool,
    /// What has been done to device memory, if races are looked for.
    pub history: OnceLock<GlobalHistory>,
    /// Instructions executed so far, if they are limited.
    pub executed: AtomicU64,
    /// Host threads that run it, at most.
    pub workers: usize,
    /// Set once a block has not been done in its first turn.
    pub is_watched: AtomicBool,
    /// Since then, turns of blocks in which something was changed that others may be waiting for.
    pub changes: AtomicU64,
    /// Events traced so far.
    pub traced: AtomicU64,
    pub stall: Stall,
    /// Held from when an atomic on device memory is noted until it is done, if races are looked for: what
    /// is noted last is to be what took effect last.
    pub atomics: Mutex<()>,
}

impl<'a> Grid<'a> {
    pub fn new(launch: &Launch<'a>, options: &'a Options, table: Snapshot) -> Self {
        static LAUNCHES: AtomicU64 = AtomicU64::new(1);
        let blocks = launch.grid.iter().map(|b| u64::from(*b)).product();
        let isa = Isa::detect();
        Self {
            kernel: launch.kernel,
            blocks: launch.grid,
            threads: launch.block,
            dynamic_shared: launch.dynamic_shared,
            params: launch.params,
            table,
            windows: Windows {
                shared_base: SHARED_WINDOW,
                shared_bytes: WINDOW_BYTES,
                local_base: LOCAL_WINDOW,
                local_bytes: WINDOW_BYTES,
                constants: launch.kernel.constant_memory().to_vec(),
            },
            isa,
            steps: code::prepare(launch.kernel, isa, launch.params),
            options,
            id: LAUNCHES.fetch_add(1, Ordering::Relaxed),
            next: Apart(AtomicU64::new(0)),
            stop: AtomicBool::new(false),
            history: OnceLock::new(),
            executed: AtomicU64::new(0),
            workers: worker_count(options, blocks),
            is_watched: AtomicBool::new(false),
            changes: AtomicU64::new(0),
            traced: AtomicU64::new(0),
            stall: Stall::default(),
            atomics: Mutex::new(()),
        }
    }

    pub fn block_count(&self) -> u64 {
        self.blocks.iter().map(|b| u64::from(*b)).product()
    }

    pub fn threads_per_block(&self) -> u32 {
        self.threads.iter().product()
    }

    pub fn warps_per_block(&self) -> u32 {
        self.threads_per_block().div_ceil(32)
    }

    /// The lanes that a warp has: fewer than 32 in the last one, if the block is no multiple of that.
    pub fn lanes_of(&self, warp: u32) -> LaneMask {
        let threads = (self.threads_per_block() - 32 * warp).min(32);
        LaneMask::MAX >> (32 - threads)
    }

    pub fn shared_bytes(&self) -> u32 {
        self.kernel.shared_bytes(self.dynamic_shared)
    }

    /// The coordinates of a block.
    pub fn block_index(&self, linear: u64) -> [u32; 3] {
        unravel(linear, self.blocks)
    }

    /// The coordinates of a thread in its block.
    pub fn thread_index(&self, warp: u32, lane: u32) -> [u32; 3] {
        unravel(u64::from(warp * 32 + lane), self.threads)
    }

    /// A block has not been done in its first turn. It may be waiting for others, who are to tell of
    /// changes from now on.
    pub fn watch(&self) {
        if !self.is_watched.load(Ordering::Relaxed) {
            self.is_watched.store(true, Ordering::Relaxed);
            fence(Ordering::SeqCst);
        }
    }

    /// Something has been changed that others may be waiting for.
    pub fn note_change(&self) {
        // Either the flag is seen here, or those who watch from then on see what was changed.
        fence(Ordering::SeqCst);
        if self.is_watched.load(Ordering::Relaxed) {
            self.changes.fetch_add(1, Ordering::Release);
        }
    }

    /// Device-side `printf`.
    pub fn print(&self, text: &str) {
        // Nobody can be told that standard output is closed.
        let _ = std::io::stdout().lock().write_all(text.as_bytes());
    }
}

/// Host threads for a launch of so many blocks.
fn worker_count(options: &Options, blocks: u64) -> usize {
    let wanted = match options.threads {
        // There are no threads in WebAssembly, and the one that there is must not wait for others.
        _ if cfg!(target_arch = "wasm32") => 1,
        // The order of events is that of execution.
        _ if options.trace => 1,
        0 => workers::all(),
        // Nobody asks how many there could be, which would start them.
        1 => 1,
        threads => threads.min(workers::most()),
    };
    wanted.min(usize::try_from(blocks).unwrap_or(wanted)).max(1)
}

/// Coordinates of the `linear`-th element of a box, x fastest.
fn unravel(linear: u64, extent: [u32; 3]) -> [u32; 3] {
    let (x, y) = (u64::from(extent[0].max(1)), u64::from(extent[1].max(1)));
    [
        (linear % x) as u32,
        (linear / x % y) as u32,
        (linear / x / y) as u32,
    ]
}
