//! The configuration of a launch.

use std::ops::Range;
use std::sync::Arc;

use simt_report::WeakMemory;

use crate::module::LoadedKernel;

/// What to launch.
#[derive(Clone, Copy)]
pub struct Launch<'a> {
    /// The kernel.
    pub kernel: &'a LoadedKernel,
    /// Blocks in x, y and z.
    pub grid: [u32; 3],
    /// Threads per block in x, y and z.
    pub block: [u32; 3],
    /// Blocks of a cluster in x, y and z; `None` for a launch that does not ask for clusters, whose
    /// blocks are in the clusters that the kernel declares, or on their own.
    pub cluster: Option<[u32; 3]>,
    /// Bytes of dynamic shared memory per block.
    pub dynamic_shared: u32,
    /// The parameters, laid out as the kernel's [`ptx::ir::Param`]s say.
    pub params: &'a [u8],
}

impl<'a> Launch<'a> {
    /// A launch that asks for no clusters, with no dynamic shared memory.
    pub fn new(
        kernel: &'a LoadedKernel,
        grid: [u32; 3],
        block: [u32; 3],
        params: &'a [u8],
    ) -> Self {
        Self { kernel, grid, block, cluster: None, dynamic_shared: 0, params }
    }
}

/// How to launch it. By default counters are on, no detector is, and blocks and warps run in order.
///
/// ```
/// let options = simt::Options::default().with(|options| options.races = true);
/// assert!(options.counters && options.races);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Options {
    /// The seed of the schedule: the order in which blocks start, and in which warps run; 0 is in order.
    pub seed: u64,
    /// Whether blocks start in order whatever the seed.
    pub starts_in_order: bool,
    /// Weak memory: whether, and how, loads may return older values than the newest. Results depend
    /// on it. It implies one host thread.
    pub weak_memory: Option<WeakMemory>,
    /// The seed by which `activemask` returns only a part of the lanes that execute it together, because
    /// nothing promises that they are together; 0 for all of them. Results depend on it.
    pub active_masks: u64,
    /// The seed by which lanes of a warp run ahead of the others from an access to memory on, because nothing
    /// promises that they are together; 0 for warps whose lanes part only where they branch. Results of code
    /// that relies on lockstep depend on it, and counters of all code.
    pub independent_lanes: u64,
    /// The seed by which one block of a launch stops somewhere while others execute a million instructions, as
    /// one that a GPU serves late. 0 for none. Results of code that gives up waiting depend on it.
    pub held_back: u64,
    /// Whether, in weak memory, each element of a vector access is an access of its own, in any order, as PTX says. If
    /// not, a vector access is one access.
    pub torn_vectors: bool,
    /// Whether the hardware's events are counted. On wasm32 they always are: a machine that never counts would make a
    /// module for a page larger.
    pub counters: bool,
    /// Whether data races are detected. Implies counting.
    pub races: bool,
    /// Whether loads through the read-only path (`ld.global.nc`) count for races, too: only another launch, a copy or a
    /// fill may write what they read.
    pub read_only_loads: bool,
    /// Whether each warp's actions are recorded in order. Implies counting and race detection, on
    /// one host thread.
    pub trace: bool,
    /// Whether a trace has what each instruction leaves in registers.
    pub trace_registers: bool,
    /// Parts of device memory that the kernel must not write, in the order of their addresses: a launch that looks for
    /// races is stopped at a store, an atomic or a bulk copy to one of them.
    pub write_protected: Arc<Vec<Range<u64>>>,
    /// Warp instructions after which the launch is stopped; 0 for no limit.
    pub instruction_limit: u64,
    /// Blocks that may be resident at a time; 0 for as many as an H200 holds. A cluster, and a cooperative launch,
    /// is always resident as a whole.
    pub resident_blocks: usize,
    /// Host threads; 0 for one per core.
    pub threads: usize,
    /// The address of the workspace for grid-wide barriers of cooperative groups, which the kernel
    /// reads from `%envreg1` and `%envreg2`; 0 if the launch is not cooperative.
    pub grid_workspace: u64,
}

impl Options {
    /// Returns the seed of the schedule, which with weak memory is that of it if none other is given.
    pub(crate) fn schedule_seed(&self) -> u64 {
        match &self.weak_memory {
            Some(weak) if self.seed == 0 => weak.seed,
            _ => self.seed,
        }
    }

    /// The same, but for what `change` sets.
    pub fn with(mut self, change: impl FnOnce(&mut Self)) -> Self {
        change(&mut self);
        self
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            seed: 0,
            starts_in_order: false,
            weak_memory: None,
            active_masks: 0,
            independent_lanes: 0,
            held_back: 0,
            torn_vectors: false,
            counters: true,
            races: false,
            read_only_loads: false,
            trace: false,
            trace_registers: false,
            write_protected: Arc::default(),
            instruction_limit: 0,
            resident_blocks: 0,
            threads: 0,
            grid_workspace: 0,
        }
    }
}
