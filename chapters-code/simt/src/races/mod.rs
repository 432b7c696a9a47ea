//! Finds what nothing orders: data races, and shuffles from lanes that take no part.
//!
//! [`shared`] watches the shared memory of one block, [`global`] the device memory of a launch;
//! what orders the threads of a block is the business of [`clock`]. Each says in its header what it
//! detects, what orders what for it, and what it can miss.

mod barriers;
mod clock;
mod event;
mod global;
mod shared;
mod sweep;

pub(crate) use barriers::{Passing, Waiter};
pub(crate) use event::Event;
pub(crate) use global::GlobalHistory;

use crate::counters::lanes;
use crate::grid::Grid;
use crate::observe::{Access, AccessSpace};
use crate::registers::LaneMask;
use barriers::Barriers;
use clock::Clocks;
use global::GlobalRaces;
use shared::SharedRaces;

/// How many different findings a block keeps.
const LIMIT: usize = 16;

/// What was found, before names are put to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Finding {
    /// Two unordered accesses to the byte at `offset` of a block's shared memory.
    Shared {
        first: Event,
        second: Event,
        offset: u32,
    },
    /// Two unordered accesses to device memory; the first by a thread of block `first_block`.
    Global {
        first: Event,
        first_block: u64,
        second: Event,
        address: u64,
    },
    /// A shuffle that reads from a lane that takes no part in it.
    AbsentSource {
        warp: u32,
        pc: u32,
        lane: u32,
        source: u32,
    },
    /// A barrier that some wait at and others have gone round by a branch.
    MissedBarrier {
        waiter: Waiter,
        /// Those who went round; `pc` is where they are, or that of the barrier if they have exited.
        absent: Waiter,
        branch: u32,
    },
    /// Lanes of one warp that wait at two barriers with one number.
    SplitBarrier { waiter: Waiter, other: Waiter },
    /// A barrier for a number of threads that is no multiple of 32, or that others name otherwise.
    BarrierThreads {
        waiter: Waiter,
        threads: u32,
        disagrees: bool,
    },
}

impl Finding {
    /// Findings with the same key tell the same story.
    fn key(&self) -> (u32, u32) {
        match self {
            Self::Shared { first, second, .. } | Self::Global { first, second, .. } => {
                (first.pc, second.pc)
            }
            Self::AbsentSource { pc, .. } => (*pc, u32::MAX),
            Self::MissedBarrier { waiter, branch, .. } => (waiter.pc, *branch),
            Self::SplitBarrier { waiter, other } => (waiter.pc, other.pc),
            Self::BarrierThreads { waiter, .. } => (waiter.pc, u32::MAX),
        }
    }
}

/// The different findings of a block, at most [`LIMIT`].
pub(crate) type Findings = Vec<Finding>;

/// All detectors of one block at a time.
pub(crate) struct Races<'a> {
    clocks: Clocks,
    shared: SharedRaces,
    global: GlobalRaces<'a>,
    barriers: Barriers<'a>,
    findings: Findings,
}

impl<'a> Races<'a> {
    pub fn new(grid: &'a Grid<'a>) -> Self {
        let shared = SharedRaces::default();
        let global = GlobalRaces::new(&grid.history);
        Self {
            clocks: Clocks::default(),
            shared,
            global,
            barriers: Barriers::new(&grid.kernel.ir().code),
            findings: Vec::new(),
        }
    }

    pub fn start_block(&mut self, block: u64, warps: u32, shared_bytes: u32) {
        self.clocks.start_block(warps);
        self.shared.start_block(shared_bytes);
        self.global.start_block(block);
        self.barriers.start_block(warps);
    }

    pub fn barrier_passed(&mut self, passing: &Passing) {
        self.clocks.barrier_passed(passing.warps);
        let findings = &mut self.findings;
        self.barriers
            .passed(passing, &mut |finding| add(findings, finding));
    }

    pub fn barrier_counts(&mut self, waiter: Waiter, threads: u32, disagrees: bool) {
        if disagrees || !threads.is_multiple_of(32) {
            self.add(Finding::BarrierThreads {
                waiter,
                threads,
                disagrees,
            });
        }
    }

    #[inline(always)]
    pub fn branched(&mut self, warp: u32, pc: u32, taken: LaneMask, others: LaneMask) {
        self.barriers.branched(warp, pc, taken, others);
    }

    pub fn warp_synchronised(&mut self, warp: u32, lanes: LaneMask) {
        self.clocks.warp_synchronised(warp, lanes);
    }

    /// A fence, or a release, by a warp.
    pub fn fence(&mut self, warp: u32) {
        self.global.release(&self.clocks, warp);
        self.clocks.advance(warp);
    }

    pub fn absent_source(&mut self, warp: u32, pc: u32, lane: u32, source: u32) {
        self.add(Finding::AbsentSource {
            warp,
            pc,
            lane,
            source,
        });
    }

    pub fn take(&mut self) -> Findings {
        std::mem::take(&mut self.findings)
    }

    pub fn access(&mut self, access: &Access<'_>) {
        let interval = self.clocks.interval(access.warp);
        let Access {
            pc,
            warp,
            kind,
            strength,
            ..
        } = *access;
        let event = Event::new(pc, interval, warp, kind, strength);
        let found = match access.space {
            AccessSpace::Shared => self.shared.access(&self.clocks, access, event),
            AccessSpace::Global => self.global.access(&mut self.clocks, access, event),
        };
        if let Some(finding) = found {
            self.add(finding);
        }
    }

    fn add(&mut self, finding: Finding) {
        add(&mut self.findings, finding);
    }
}

#[cold]
fn add(findings: &mut Findings, finding: Finding) {
    let known = findings.iter().any(|f| f.key() == finding.key());
    if !known && findings.len() < LIMIT {
        findings.push(finding);
    }
}

/// Calls `touch` with each 4-byte word that each lane touches: its address, and what was done.
#[inline(always)]
fn each_word(access: &Access<'_>, event: Event, mut touch: impl FnMut(u64, Event)) {
    let (words, part) = match access.bytes {
        bytes @ 0..4 => (1, (1 << bytes) - 1),
        bytes => (u64::from(bytes / 4), 0xf),
    };
    for lane in lanes(access.mask) {
        let address = access.addresses[lane as usize & 31];
        let within = if part == 0xf { 0 } else { address & 3 };
        let event = event.by(lane, part << within);
        // Called in one place, lest it be called and not inlined.
        for word in 0..words {
            touch(address + 4 * word, event);
        }
    }
}
