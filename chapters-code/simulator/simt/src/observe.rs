//! Observers of a block's execution. They only observe: no result depends on them.
//!
//! The interpreter is compiled once for each observer, so that a launch without one costs nothing.

use std::sync::Arc;

use ptx::ir::{CollectiveOp, CpAsyncWait, Op, Scope};
use simt_report::{Counters, Event, Executed, Link};

use crate::access::{Access, AccessKind, AccessSpace};
use crate::banks;
use crate::barrier::{Passing, Waiter};
use crate::counters::{self, lanes};
use crate::devices::Devices;
use crate::proxy::ProxyEvent;
use crate::races::{ClusterMemory, Findings, Races};
use crate::registers::{self, LaneMask, Lanes32, Registers};
use crate::shape::LaunchShape;

/// Defines [`Observer`] from the events that observers see, and the pair of two observers, which both see each event, the
/// first one first.
macro_rules! observer {
    ($(
        $(#[$meta:meta])*
        fn $event:ident($($argument:ident: $ty:ty),*);
    )*) => {
        /// Observes one block. Every method is called at most once per warp instruction, and does nothing if an observer
        /// does not define it.
        #[allow(unused_variables)]
        pub(crate) trait Observer<'a>: Send {
            /// Whether the observer checks for mistakes. If not, the methods for checks are never called.
            const CHECKS: bool = false;
            /// Whether the observer traces every instruction and the values that accesses move.
            const TRACES: bool = false;
            fn new(grid: &'a LaunchShape<'_>) -> Self;
            $(
                $(#[$meta])*
                fn $event(&mut self, $($argument: $ty),*) {}
            )*
            /// Whether registers of a warp hold undefined values.
            #[inline(always)]
            fn has_undefined(&self, warp: u32) -> bool {
                false
            }
            /// Returns the observations of the block.
            fn finish(&mut self) -> Observed {
                Observed::default()
            }
        }

        impl<'a, A: Observer<'a>, B: Observer<'a>> Observer<'a> for (A, B) {
            const CHECKS: bool = A::CHECKS || B::CHECKS;
            const TRACES: bool = A::TRACES || B::TRACES;

            fn new(grid: &'a LaunchShape<'_>) -> Self {
                (A::new(grid), B::new(grid))
            }

            $(
                $(#[$meta])*
                fn $event(&mut self, $($argument: $ty),*) {
                    self.0.$event($($argument),*);
                    self.1.$event($($argument),*);
                }
            )*

            #[inline(always)]
            fn has_undefined(&self, warp: u32) -> bool {
                self.0.has_undefined(warp) || self.1.has_undefined(warp)
            }

            fn finish(&mut self) -> Observed {
                let (mut all, more) = (self.0.finish(), self.1.finish());
                all.totals.add(more.totals);
                all.findings.extend(more.findings);
                all
            }
        }
    };
}

observer! {
    /// A block starts.
    fn start_block(block: u64, warps: u32, shared_bytes: u32);
    /// The lanes of a warp execute `count` instructions.
    #[inline(always)]
    fn instructions(warp: u32, count: u32, lanes: LaneMask);
    /// A guard was false in these lanes. May be called before or after `instructions`.
    #[inline(always)]
    fn guarded(lanes: LaneMask);
    /// The active lanes are about to execute an instruction. The registers are those before it. Only called for
    /// tracing observers.
    fn instruction(warp: u32, pc: u32, active: LaneMask, registers: &Registers);
    /// A load or store is done: the registers hold the moved values. Only called for tracing observers.
    fn moved(op: &Op, registers: &Registers, active: LaneMask);
    /// Lanes shuffle: which lane each reads, and the values before. Only called for tracing observers.
    fn shuffled(warp: u32, pc: u32, mask: LaneMask, sources: &Lanes32, values: &Lanes32);
    /// A branch diverges.
    fn divergence();
    /// A warp arrives at a barrier.
    fn barrier();
    /// A barrier lets threads pass. Only called for checking observers.
    fn barrier_passed(passing: &Passing);
    /// A `bar.warp.sync` for the lanes `members` lets lanes pass although some of its lanes have exited or wait at other
    /// instructions. Only called for checking observers.
    fn warp_passed(waiters: &[Waiter], members: LaneMask);
    /// Threads arrive at a barrier that states a number of threads; earlier arrivals may have stated another number. Only
    /// called for checking observers.
    fn barrier_counts(waiter: Waiter, threads: u32, disagrees: bool);
    /// A warp executes a conditional branch: the lanes that take it, and the others.
    #[inline(always)]
    fn branched(warp: u32, pc: u32, taken: LaneMask, others: LaneMask);
    /// `bar.warp.sync` lets these lanes pass.
    fn warp_synchronised(warp: u32, lanes: LaneMask);
    /// Lanes of a warp execute a fence, or a releasing access.
    fn fence(warp: u32, lanes: LaneMask, scope: Scope);
    /// A strong load, or an atomic, has read. Only called for checking observers.
    fn has_read(access: &Access<'_>);
    /// Two lanes of the following store write different values to one address. Only called for checking observers.
    fn writes_differ(access: &Access<'_>, lanes: [u32; 2]);
    /// A load or store in local memory, where each lane accesses its own, by a warp at an instruction.
    fn local(kind: AccessKind, addresses: &[u64; 32], bytes: u32, mask: LaneMask, at: (u32, u32));
    /// The store seen last is an asynchronous copy, which has only started.
    fn copy_started(access: &Access<'_>);
    /// Lanes of a warp commit asynchronous copies, or wait for them.
    fn copies_waited(warp: u32, wait: CpAsyncWait, active: LaneMask);
    /// An event of mbarriers or bulk copies. Only called for checking observers.
    fn proxy(event: &ProxyEvent);
    /// A load, store or atomic in global or shared memory.
    #[inline(always)]
    fn access(access: &Access<'_>);
    /// The same in the shared memory of another block of the cluster, of this rank.
    fn access_in_cluster(access: &Access<'_>, rank: u32);
    /// The block joins a cluster, right after it started. Only called for checking observers.
    fn join_cluster(cluster: &Arc<ClusterMemory>);
    /// Lanes of a warp arrive at the barrier of the cluster. Only called for checking observers.
    fn arrived_in_cluster(warp: u32, lanes: LaneMask, releases: bool);
    /// Lanes of a warp pass the barrier of the cluster. Only called for checking observers.
    fn cluster_barrier_passed(warp: u32, lanes: LaneMask);
    /// All threads of a block of a cluster have exited. Only called for checking observers.
    fn left_cluster();
    /// Lanes of a warp have exchanged values at an instruction, some of them undefined. `sources` has the lane that each
    /// reads in a shuffle. Only called for checking observers.
    fn exchanged(at: (u32, u32), op: &CollectiveOp, active: LaneMask, sources: Option<&Lanes32>);
    /// A warp with undefined values is about to execute an instruction: which lanes are there, and which of them execute
    /// it. Only called for checking observers.
    fn follow(at: (u32, u32), lanes: (LaneMask, LaneMask), registers: &Registers);
}

/// The observations of one block.
#[derive(Default)]
pub(crate) struct Observed {
    pub totals: Totals,
    pub findings: Findings,
}

/// What observers have counted and traced.
#[derive(Default)]
pub(crate) struct Totals {
    pub counters: Counters,
    /// Instructions of the warp that executed most.
    pub longest_warp: u64,
    /// What went over the links to other devices.
    pub links: Vec<Link>,
    /// Traced events, each with its number in the launch.
    pub events: Vec<(u64, Event)>,
    pub executed: Vec<Executed>,
}

impl Totals {
    pub fn add(&mut self, more: Self) {
        self.counters += more.counters;
        self.longest_warp = self.longest_warp.max(more.longest_warp);
        more.links.into_iter().for_each(|link| link.add_to(&mut self.links));
        self.events.extend(more.events);
        self.executed.extend(more.executed);
    }
}

/// Observes nothing.
pub(crate) struct NoObserver;

impl<'a> Observer<'a> for NoObserver {
    fn new(_: &'a LaunchShape<'_>) -> Self {
        Self
    }
}

/// Warps of the largest block.
const MAX_WARPS: usize = 32;

/// Counts the hardware's events.
#[derive(Default)]
pub(crate) struct Counting {
    counters: Counters,
    /// Instructions of each warp of the block.
    by_warp: [u64; MAX_WARPS],
    /// What goes over the links to other devices, if there are any.
    links: Option<Box<Links>>,
}

/// Counts what goes over the links to other devices.
struct Links {
    devices: Arc<Devices>,
    found: Vec<Link>,
}

impl Links {
    #[inline(never)]
    fn access(&mut self, access: &Access<'_>) {
        let own = self.devices.own;
        let mut rest = access.mask;
        while let Some(first) = lanes(rest).next() {
            let device = self.devices.of(access.addresses.of(first));
            let is_there = |lane: &u32| self.devices.of(access.addresses.of(*lane)) == device;
            let part = lanes(rest).filter(is_there).fold(0, |mask, lane| mask | 1 << lane);
            rest &= !part;
            if device == own {
                continue;
            }
            let pattern = access.addresses.pattern(part);
            let bytes = 32 * counters::sectors(pattern, access.addresses, part, access.bytes);
            let mut link = Link { from: own, to: device, ..Link::default() };
            match access.kind {
                AccessKind::Load => link.read_bytes = bytes,
                AccessKind::Store => link.written_bytes = bytes,
                AccessKind::Atomic => link.atomic_bytes = bytes,
            }
            link.add_to(&mut self.found);
        }
    }
}

impl Counting {
    #[inline(always)]
    fn shared(&mut self, access: &Access<'_>) {
        let (pattern, addresses) = (access.pattern, access.addresses);
        let (mask, bytes) = (access.mask, access.bytes);
        let c = &mut self.counters;
        match access.kind {
            AccessKind::Load => {
                let passes = banks::load(pattern, addresses, mask, bytes);
                c.shared_load_requests += 1;
                c.shared_load_wavefronts += passes.wavefronts;
                c.shared_bank_conflicts += passes.conflicts;
            }
            AccessKind::Store => {
                let passes = banks::store(pattern, addresses, mask, bytes);
                c.shared_store_requests += 1;
                c.shared_store_wavefronts += passes.wavefronts;
                c.shared_bank_conflicts += passes.conflicts;
            }
            AccessKind::Atomic => {
                let served = banks::atomic::serve(access.form, &addresses.all(), mask, bytes);
                c.shared_atomic_wavefronts += served.wavefronts;
                c.shared_load_requests += served.load_requests;
                c.shared_load_wavefronts += served.loads.wavefronts;
                c.shared_bank_conflicts += served.loads.conflicts;
            }
        }
    }

    #[inline(always)]
    fn global(&mut self, access: &Access<'_>) {
        let count =
            || counters::sectors(access.pattern, access.addresses, access.mask, access.bytes);
        let c = &mut self.counters;
        match access.kind {
            AccessKind::Load => {
                c.global_load_requests += 1;
                c.global_load_sectors += count();
            }
            AccessKind::Store => {
                c.global_store_requests += 1;
                c.global_store_sectors += count();
            }
            AccessKind::Atomic => c.global_atomic_requests += 1,
        }
        if let Some(links) = &mut self.links {
            links.access(access);
        }
    }
}

impl<'a> Observer<'a> for Counting {
    fn access_in_cluster(&mut self, access: &Access<'_>, _: u32) {
        let count = |mask| {
            let pattern = access.addresses.pattern(mask);
            counters::sectors(pattern, access.addresses, mask, access.bytes)
        };
        self.counters.dshared_requests += 1;
        self.counters.dshared_sectors += match access.kind {
            AccessKind::Load | AccessKind::Store => count(access.mask),
            AccessKind::Atomic => {
                counters::rounds(&access.addresses.all(), access.mask).map(count).sum()
            }
        };
    }

    fn new(grid: &'a LaunchShape<'_>) -> Self {
        let links = |devices: &Arc<Devices>| {
            Box::new(Links { devices: devices.clone(), found: Vec::new() })
        };
        Self { links: grid.memory.devices.as_ref().map(links), ..Self::default() }
    }

    #[inline(always)]
    fn instructions(&mut self, warp: u32, count: u32, lanes: LaneMask) {
        self.counters.warp_instructions += u64::from(count);
        self.by_warp[warp as usize % MAX_WARPS] += u64::from(count);
        let threads = u64::from(count * registers::count(lanes));
        // `guarded` may have been called first.
        self.counters.thread_instructions = self.counters.thread_instructions.wrapping_add(threads);
    }

    #[inline(always)]
    fn guarded(&mut self, lanes: LaneMask) {
        self.counters.thread_instructions =
            self.counters.thread_instructions.wrapping_sub(lanes.count_ones().into());
    }

    fn divergence(&mut self) {
        self.counters.divergent_branches += 1;
    }

    fn barrier(&mut self) {
        self.counters.barriers += 1;
    }

    #[inline(always)]
    fn access(&mut self, access: &Access<'_>) {
        match access.space {
            AccessSpace::Shared => self.shared(access),
            AccessSpace::Global => self.global(access),
        }
    }

    fn finish(&mut self) -> Observed {
        let counters = std::mem::take(&mut self.counters);
        let by_warp = std::mem::take(&mut self.by_warp);
        let longest_warp = by_warp.into_iter().max().unwrap_or(0);
        let links = self.links.as_mut().map_or_else(Vec::new, |l| std::mem::take(&mut l.found));
        let totals = Totals { counters, longest_warp, links, ..Totals::default() };
        Observed { totals, ..Observed::default() }
    }
}

/// Counts, and detects races.
pub(crate) type Checking<'a> = (Counting, Races<'a>);
