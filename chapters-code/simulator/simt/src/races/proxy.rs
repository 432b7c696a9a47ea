//! mbarriers, bulk copies, and visibility between the proxies.
//!
//! **Detects**
//!
//! - races with bulk copies: a thread, including the one that started the copy, reads what the copy
//!   writes, or writes what it reads or writes, before it is known to be complete; or a copy starts
//!   while other threads may still access its source or destination;
//! - copies from memory that ordinary stores have written, copies onto memory that ordinary loads
//!   have read or ordinary stores have written, and copies that count on an mbarrier just
//!   initialised, without a fence between the proxies;
//! - mbarriers that are initialised again without having been invalidated, or overwritten;
//! - blocks that end while their copies are pending.
//!
//! (Instructions on an address without an mbarrier, and counts out of range, end a launch: see
//! `exec::mbarrier`.)
//!
//! | earlier access | ordered before | by |
//! | --- | --- | --- |
//! | what a thread did before it arrived at an mbarrier | what a thread does after it has found that phase complete | arrival and wait, unless `.relaxed` |
//! | a copy to shared memory | the same | the wait alone, for copies that were complete when the phase completed |
//! | what a copy to device memory reads | what its thread does after `wait_group.read` | the wait |
//! | what it writes | what its thread does after `wait_group` | the wait |
//! | an ordinary write | a copy that reads or writes there | what orders it before the thread that starts the copy, with a `fence.proxy.async` by one of the threads in between |
//! | an ordinary read | a copy that writes there | the same |
//! | `mbarrier.init` | a copy that counts there | the same, or `fence.mbarrier_init` by the thread that initialised |
//!
//! Lanes of a warp are distinguished. What one lane has learned at an mbarrier, the others know
//! after a `__syncwarp`. What the others did before that is released when one lane arrives.
//!
//! mbarrier objects are memory too: initialising and invalidating are ordinary writes, and all
//! other instructions are indivisible accesses.
//!
//! **Can miss:** which of the state spaces a `fence.proxy.async` is for
//! (`fence_for_another_space`); accesses to the destination of a `cp.async` before the mbarrier at
//! which it arrives completes, because `cp.async.mbarrier.arrive` treats the thread's earlier
//! copies as complete (`arrival_after_copies_not_waited_for`); copies beyond 16,382 mbarriers and
//! threads with bulk groups in a block, which count as one (`very_many_mbarriers`).

use std::sync::Arc;

use ptx::ir::ProxyFence;
use rustc_hash::FxHashMap;

use super::clock::Clocks;
use super::event::MOST_AGENTS;
use super::thread_clocks::{VectorClock, raise};
use super::{Event, Finding};
use crate::access::{AccessKind, AccessSpace, Strength};
use crate::proxy::{At, Bulk, Completion, Direction};

/// A finding other than a race.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ProxyFinding {
    /// A copy from memory that an ordinary access has written, or onto memory that it has read or
    /// written, without a fence between the proxies. `at` is an address, or an offset in shared
    /// memory.
    Unfenced { earlier: Event, copy: Event, space: AccessSpace, at: u64 },
    /// A copy that counts on an mbarrier whose initialisation the async proxy may not see.
    UnfencedInit { init: Event, copy: Event, mbarrier: u32 },
    /// An mbarrier that is initialised again.
    Reinitialised { init: Event, mbarrier: u32 },
    /// An mbarrier that a store has overwritten.
    Overwritten { write: Event, mbarrier: u32 },
    /// A copy that no thread has waited for when the block ended.
    Abandoned { copy: Event, loads: bool },
}

impl ProxyFinding {
    /// Returns a key that is equal for findings with the same cause.
    pub fn key(&self) -> (u32, u32) {
        match self {
            Self::Unfenced { earlier, copy, .. } => (earlier.pc, copy.pc),
            Self::UnfencedInit { init, copy, .. } => (init.pc, copy.pc),
            Self::Reinitialised { init, .. } => (init.pc, u32::MAX - 2),
            Self::Overwritten { write, .. } => (write.pc, u32::MAX - 3),
            Self::Abandoned { copy, .. } => (copy.pc, u32::MAX - 4),
        }
    }
}

/// The state of one mbarrier.
#[derive(Default)]
struct Object {
    agent: u32,
    /// The number of copies that count on it, and the pending ones, with their numbers in the
    /// block.
    started: u32,
    under_way: Vec<(u32, u32)>,
    /// The joined clocks of the threads that have arrived and of the completed copies, so far.
    current: VectorClock,
    /// The joined clocks when the last phase was complete.
    completed: Arc<VectorClock>,
    init: Event,
    /// The latest copy that counts on it.
    latest: Event,
    /// Whether its initialisation is visible to copies.
    is_fenced: bool,
}

/// The agents of a thread with bulk groups.
#[derive(Clone, Copy)]
struct Groups {
    reads: u32,
    writes: u32,
    /// The source access of its latest copy.
    latest: Event,
}

/// The detector for one block at a time.
#[derive(Default)]
pub(super) struct ProxyRaces {
    objects: FxHashMap<u32, Object>,
    /// The agents by warp and lane.
    groups: FxHashMap<(u32, u32), Groups>,
    agents: u32,
}

/// Returns an agent of its own for every object, as long as there are enough.
fn next(agents: &mut u32) -> u32 {
    let agent = *agents;
    *agents = (agent + 1).min(MOST_AGENTS - 1);
    agent
}

/// The two accesses of a copy.
pub(super) struct Accesses {
    /// The access to shared memory.
    pub shared: Event,
    /// The access to device memory.
    pub global: Event,
}

impl ProxyRaces {
    pub fn start_block(&mut self) {
        self.objects.clear();
        self.groups.clear();
        self.agents = 0;
    }

    /// Notes that this access initialises an mbarrier.
    pub fn initialised(&mut self, mbarrier: u32, init: Event) {
        let agents = &mut self.agents;
        let object = self
            .objects
            .entry(mbarrier)
            .or_insert_with(|| Object { agent: next(agents), ..Object::default() });
        (object.init, object.is_fenced) = (init, false);
    }

    /// Notes that a thread arrives.
    pub fn arrived(
        &mut self,
        mbarrier: u32,
        at: At,
        clocks: Option<&mut Clocks>,
        completion: Completion,
    ) {
        if let Some(object) = self.objects.get_mut(&mbarrier) {
            if let Some(clocks) = clocks {
                clocks.add_known(at.warp, at.lane, &mut object.current);
            }
            object.turn(completion);
        }
    }

    /// Returns the clock that a thread joins when it finds a phase complete.
    pub fn completed(&self, mbarrier: u32) -> Option<&Arc<VectorClock>> {
        self.objects.get(&mbarrier).map(|object| &object.completed)
    }

    /// Notes a thread's fence: the mbarriers that it has initialised are visible to copies.
    pub fn fenced(&mut self, thread: u32) {
        for object in self.objects.values_mut() {
            object.is_fenced |= object.init.is_some() && object.init.thread() == thread;
        }
    }

    /// Notes that a copy starts. Returns its accesses.
    pub fn started(&mut self, bulk: &Bulk) -> Option<Accesses> {
        let event = |kind| Event::new(bulk.pc, 1, bulk.warp, kind, Strength::Weak).by(bulk.lane, 0);
        let (load, store) = (event(AccessKind::Load), event(AccessKind::Store));
        match bulk.direction {
            Direction::Load { mbarrier } => {
                let object = self.objects.get_mut(&mbarrier)?;
                object.started += 1;
                let number = object.started;
                object.under_way.push((bulk.id, number));
                object.latest = store.by_agent(object.agent, number);
                Some(Accesses {
                    shared: object.latest,
                    global: load.by_agent(object.agent, number),
                })
            }
            Direction::Store { group } => {
                let agents = &mut self.agents;
                let thread = (bulk.warp, bulk.lane);
                let own = self.groups.entry(thread).or_insert_with(|| Groups {
                    reads: next(agents),
                    writes: next(agents),
                    latest: load,
                });
                own.latest = load.by_agent(own.reads, group);
                Some(Accesses { shared: own.latest, global: store.by_agent(own.writes, group) })
            }
        }
    }

    /// Returns the initialisation of the mbarrier that a copy counts on, if the copy may not see
    /// it.
    pub fn unfenced_init(&self, clocks: &Clocks, mbarrier: u32, copy: Event) -> Option<Finding> {
        let object = self.objects.get(&mbarrier).filter(|o| !o.is_fenced)?;
        let init = object.init;
        let unseen = init.is_some() && clocks.lacks_fence(&init, &copy);
        unseen.then_some(Finding::Proxy(ProxyFinding::UnfencedInit { init, copy, mbarrier }))
    }

    /// Notes that a copy is complete.
    pub fn loaded(&mut self, bulk: &Bulk, completion: Completion) {
        let Direction::Load { mbarrier } = bulk.direction else {
            return;
        };
        if let Some(object) = self.objects.get_mut(&mbarrier) {
            object.under_way.retain(|(id, _)| *id != bulk.id);
            let numbers = object.under_way.iter().map(|(_, number)| *number);
            // Only copies up to the first pending one are known to be complete.
            let done = numbers.min().unwrap_or(object.started + 1) - 1;
            raise(&mut object.current.agents, object.agent as usize, done);
            object.turn(completion);
        }
    }

    /// Returns a race of an access to an mbarrier with the initialisation, if nothing orders them.
    pub fn init_race(&self, clocks: &Clocks, mbarrier: u32, access: Event) -> Option<Finding> {
        let first = self.objects.get(&mbarrier)?.init.with_all_bytes();
        let second = access.with_all_bytes();
        let races = first.is_some() && clocks.conflict(&first, &second);
        races.then_some(Finding::Shared { first, second, offset: mbarrier })
    }

    /// Reports copies that no thread has waited for when all threads of the block have exited.
    pub fn ended(&self, clocks: &Clocks, found: &mut dyn FnMut(ProxyFinding)) {
        let loads = self.objects.values().map(|object| (object.latest, true));
        let stores = self.groups.values().map(|own| (own.latest, false));
        let mut left: Vec<_> = loads
            .chain(stores)
            .filter(|(copy, _)| copy.is_some() && !clocks.thread_clocks.any_knows(copy))
            .collect();
        left.sort_by_key(|(copy, _)| (copy.pc, copy.thread()));
        for (copy, loads) in left {
            found(ProxyFinding::Abandoned { copy, loads });
        }
    }

    /// Notes that a thread waits for its groups up to this one.
    pub fn waited(&self, clocks: &mut Clocks, at: At, group: u32, written: bool) {
        let Some(own) = self.groups.get(&(at.warp, at.lane)) else {
            return;
        };
        clocks.settle(at.warp, 1 << at.lane);
        clocks.thread_clocks.change(32 * at.warp + at.lane, |known| {
            raise(&mut known.agents, own.reads as usize, group);
            if written {
                raise(&mut known.agents, own.writes as usize, group);
            }
        });
    }
}

impl Object {
    fn turn(&mut self, completion: Completion) {
        if completion == Completion::Phase {
            self.completed = Arc::new(self.current.clone());
        }
    }
}

/// Updates a thread's clock at a fence between the proxies.
pub(super) fn fence(clocks: &mut Clocks, fence: ProxyFence, warp: u32, lane: u32) {
    if fence == ProxyFence::MbarrierInit {
        return;
    }
    let known = clocks.known(warp, lane);
    clocks.thread_clocks.change(32 * warp + lane, |own| {
        for (thread, epoch) in known.threads.iter().enumerate() {
            raise(&mut own.fenced, thread, *epoch);
        }
    });
}
