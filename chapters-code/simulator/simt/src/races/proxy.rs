//! mbarriers, bulk copies, and what is visible to them.
//!
//! **Detects**
//!
//! - races with bulk copies: reading what one writes, or writing what it reads or writes, before it
//!   is known to be done, by whichever thread, the one that started it included; and a copy that starts
//!   while other threads may still be at what it reads or writes;
//! - copies of what ordinary stores have written, copies onto what ordinary loads have read or ordinary
//!   stores have written, and copies that count on an mbarrier just initialised, with no fence between
//!   the proxies;
//! - mbarriers that are initialised again without having been invalidated, or written over;
//! - blocks that end while copies of theirs are under way.
//!
//! (Instructions on what is no mbarrier, and counts out of range, end a launch: see `exec::mbarrier`.)
//!
//! | earlier access | ordered before | by |
//! | --- | --- | --- |
//! | what a thread did before it arrived at an mbarrier | what a thread does that has found that phase complete | arrival and wait, unless `.relaxed` |
//! | a copy to shared memory | the same | the wait alone, for copies that were done when the phase completed |
//! | what a copy to device memory reads | what its thread does after `wait_group.read` | the wait |
//! | what it writes | what its thread does after `wait_group` | the wait |
//! | an ordinary write | a copy that reads or writes there | what orders it before the thread that starts the copy, with a `fence.proxy.async` by one of the threads in between |
//! | an ordinary read | a copy that writes there | the same |
//! | `mbarrier.init` | a copy that counts there | the same, or `fence.mbarrier_init` by the thread that initialised |
//!
//! Lanes of a warp are told apart: what one of them has learned at an mbarrier the others know after a
//! `__syncwarp`, and what the others did before it is released when one arrives.
//!
//! mbarrier objects are memory too: initialising and invalidating are ordinary writes, all other
//! instructions indivisible accesses.
//!
//! **Can miss:** which of the state spaces a `fence.proxy.async` is for (`fence_for_another_space`);
//! touching what a `cp.async` brings before the mbarrier at which it arrives says so, because
//! `cp.async.mbarrier.arrive` takes the thread's earlier copies as done
//! (`arrival_after_copies_not_waited_for`); copies beyond 16,382 mbarriers and threads with bulk groups
//! in a block, which count as one (`very_many_mbarriers`).

use std::collections::HashMap;
use std::sync::Arc;

use ptx::ir::ProxyFence;

use super::clock::Clocks;
use super::event::MOST_AGENTS;
use super::knowledge::{Knowledge, raise};
use super::{Event, Finding};
use crate::observe::{AccessKind, AccessSpace, Strength};
use crate::proxy::{At, Bulk, Completion, Direction};

/// What is wrong, races aside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ProxyFinding {
    /// A copy of what an ordinary access has written, or onto what it has read or written, with no fence
    /// between the proxies. `at` is an address, or an offset in shared memory.
    Unfenced {
        earlier: Event,
        copy: Event,
        space: AccessSpace,
        at: u64,
    },
    /// A copy that counts on an mbarrier which its proxy may not see initialised.
    UnfencedInit {
        init: Event,
        copy: Event,
        mbarrier: u32,
    },
    /// An mbarrier that is initialised again.
    Reinitialised { init: Event, mbarrier: u32 },
    /// An mbarrier that a store has written over.
    Overwritten { write: Event, mbarrier: u32 },
    /// A copy that nobody has waited for when the block ended.
    Abandoned { copy: Event, loads: bool },
}

impl ProxyFinding {
    /// Findings with the same key tell the same story.
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

/// What is known of one mbarrier.
#[derive(Default)]
struct Object {
    agent: u32,
    /// Copies that count on it, and the numbers of those under way, with their numbers in the block.
    started: u32,
    under_way: Vec<(u32, u32)>,
    /// What those know who have arrived, and the copies that are there, up to now.
    current: Knowledge,
    /// The same when the last phase was complete.
    completed: Arc<Knowledge>,
    init: Event,
    /// The latest copy that counts on it.
    latest: Event,
    /// True once its initialisation is visible to copies.
    is_fenced: bool,
}

/// The agents of a thread with bulk groups.
#[derive(Clone, Copy)]
struct Groups {
    reads: u32,
    writes: u32,
    /// What its latest copy reads.
    latest: Event,
}

/// The detector for one block at a time.
#[derive(Default)]
pub(super) struct ProxyRaces {
    objects: HashMap<u32, Object>,
    /// By warp and lane.
    groups: HashMap<(u32, u32), Groups>,
    agents: u32,
}

/// An agent of its own for everything, as long as there are enough.
fn next(agents: &mut u32) -> u32 {
    let agent = *agents;
    *agents = (agent + 1).min(MOST_AGENTS - 1);
    agent
}

/// The accesses of a copy.
pub(super) struct Accesses {
    /// In shared memory.
    pub shared: Event,
    /// In device memory.
    pub global: Event,
}

impl ProxyRaces {
    pub fn start_block(&mut self) {
        self.objects.clear();
        self.groups.clear();
        self.agents = 0;
    }

    /// An mbarrier is initialised by this access.
    pub fn initialised(&mut self, mbarrier: u32, init: Event) {
        let agents = &mut self.agents;
        let object = self.objects.entry(mbarrier).or_insert_with(|| Object {
            agent: next(agents),
            ..Object::default()
        });
        (object.init, object.is_fenced) = (init, false);
    }

    /// A thread arrives.
    pub fn arrived(&mut self, mbarrier: u32, known: Option<&Knowledge>, completion: Completion) {
        if let Some(object) = self.objects.get_mut(&mbarrier) {
            if let Some(known) = known {
                object.current.join(known);
            }
            object.turn(completion);
        }
    }

    /// What a thread learns that finds a phase complete.
    pub fn completed(&self, mbarrier: u32) -> Option<&Arc<Knowledge>> {
        self.objects.get(&mbarrier).map(|object| &object.completed)
    }

    /// A thread executes a fence: mbarriers that it has initialised are visible to copies.
    pub fn fenced(&mut self, thread: u32) {
        for object in self.objects.values_mut() {
            object.is_fenced |= object.init.is_some() && object.init.thread() == thread;
        }
    }

    /// A copy starts. Returns its accesses.
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
                Some(Accesses {
                    shared: own.latest,
                    global: store.by_agent(own.writes, group),
                })
            }
        }
    }

    /// The initialisation of an mbarrier that a copy counts on, if the copy may not see it.
    pub fn unfenced_init(
        &self,
        clocks: &Clocks<'_>,
        mbarrier: u32,
        copy: Event,
    ) -> Option<Finding> {
        let object = self.objects.get(&mbarrier).filter(|o| !o.is_fenced)?;
        let init = object.init;
        let unseen = init.is_some() && clocks.lacks_fence(&init, &copy);
        unseen.then_some(Finding::Proxy(ProxyFinding::UnfencedInit {
            init,
            copy,
            mbarrier,
        }))
    }

    /// A copy is there.
    pub fn loaded(&mut self, bulk: &Bulk, completion: Completion) {
        let Direction::Load { mbarrier } = bulk.direction else {
            return;
        };
        if let Some(object) = self.objects.get_mut(&mbarrier) {
            object.under_way.retain(|(id, _)| *id != bulk.id);
            let numbers = object.under_way.iter().map(|(_, number)| *number);
            // All up to here: one that is missing in between is not known to be there.
            let done = numbers.min().unwrap_or(object.started + 1) - 1;
            raise(&mut object.current.agents, object.agent as usize, done);
            object.turn(completion);
        }
    }

    /// An access to an mbarrier that nothing orders after its initialisation.
    pub fn init_race(&self, clocks: &Clocks<'_>, mbarrier: u32, access: Event) -> Option<Finding> {
        let first = self.objects.get(&mbarrier)?.init.with_all_bytes();
        let second = access.with_all_bytes();
        let races = first.is_some() && clocks.conflict(&first, &second);
        races.then_some(Finding::Shared {
            first,
            second,
            offset: mbarrier,
        })
    }

    /// All threads of the block have exited: tells of copies whose end nobody has waited for.
    pub fn ended(&self, clocks: &Clocks<'_>, found: &mut dyn FnMut(ProxyFinding)) {
        let loads = self.objects.values().map(|object| (object.latest, true));
        let stores = self.groups.values().map(|own| (own.latest, false));
        let mut left: Vec<_> = loads
            .chain(stores)
            .filter(|(copy, _)| copy.is_some() && !clocks.knowers.anybody_knows(copy))
            .collect();
        left.sort_by_key(|(copy, _)| (copy.pc, copy.thread()));
        for (copy, loads) in left {
            found(ProxyFinding::Abandoned { copy, loads });
        }
    }

    /// A thread waits for its groups up to this one.
    pub fn waited(&self, clocks: &mut Clocks<'_>, at: At, group: u32, written: bool) {
        let Some(own) = self.groups.get(&(at.warp, at.lane)) else {
            return;
        };
        clocks.knowers.change(32 * at.warp + at.lane, |known| {
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

/// What a fence between the proxies tells a thread.
pub(super) fn fence(clocks: &mut Clocks<'_>, fence: ProxyFence, warp: u32, lane: u32) {
    if fence == ProxyFence::MbarrierInit {
        return;
    }
    let known = clocks.known(warp, lane);
    clocks.knowers.change(32 * warp + lane, |own| {
        for (thread, interval) in known.threads.iter().enumerate() {
            raise(&mut own.fenced, thread, *interval);
        }
    });
}
