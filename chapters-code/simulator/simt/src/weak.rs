//! Weak memory: an execution mode in which a load may return an older value than the newest.
//!
//! Without this mode every store is visible at once to all threads, so that a missing fence between
//! volatile, relaxed or atomic accesses never changes a result. With it, each word that a launch stores
//! has a history of its last stores, and a load returns one of them, as a seed decides. The mode is no
//! observer: results depend on it, so it has an option of its own, [`crate::WeakMemory`].
//!
//! The model is PTX's memory model, as a machine with views. A **view** holds, for each other thread,
//! up to which of its stores they happen before the present, and for each word that was read from an
//! unordered store, that store. A **strong** access is volatile, relaxed or stronger, or atomic.
//!
//! | event | effect |
//! | --- | --- |
//! | load | returns any store in the history that is not older than one in the thread's view or its own, and the view then has that store |
//! | strong load of a strong store, each in the scope of the other | what the store has published is *seen*: not yet in the view |
//! | fence, or acquire at the word | what is seen, there or anywhere, joins the view, as far as the scope reaches |
//! | fence, or release | the view, with the thread's own stores, is *released*: its later strong stores publish it |
//! | `fence.sc`, `membar` | the view also joins those of all earlier such fences, as far as the scope reaches |
//! | atomic | reads the newest store, and publishes also what that store has published; after a plain store, or where the scope of one excludes the other, it reads as a load does |
//! | `bar.sync`, `__syncwarp`, cluster barrier, mbarrier | joins the views of the threads |
//! | plain store | publishes nothing |
//! | load through the read-only path (`__ldg`) | returns any store in the history |
//!
//! PTX does not promise that a barrier also acquires what its threads have seen, but the Programming
//! Guide's last block rests on that. [`crate::BarrierOrder`] chooses.
//!
//! An access is atomic per lane, up to 16 bytes. PTX promises that for a scalar; that the two or four elements of
//! a vector access come together is an assumption. Without it ([`crate::Options::torn_vectors`]) they are
//! accesses of their own, in an order that a seed draws.
//!
//! After [`PATIENCE`] stale reads in a row a thread reads the newest store, so that loops that wait
//! end. One host thread runs the launch. Which loads are stale depends on the seed, the kernel's name,
//! the thread and the number of its load, and not on what other threads do, so that a run can be
//! repeated with some of its stale reads only. [`StaleReads::smallest`] finds which of them matter.
//!
//! Launches that run at the same time ([`crate::group`]), on one device or on several, share their
//! histories. Between devices an access or a fence needs the scope of the system. A launch that follows
//! others begins as if each of their threads, and then each of its own, had executed a fence of that scope:
//! PTX does not say so, but kernels that one stream orders rest on it. A barrier acquires nothing of another
//! device.
//!
//! A plain load that may return one of several stores is part of a data race, whichever it returns: every
//! store of another thread happens before it in a program without one. With [`WeakMemory::reports`] such
//! loads are findings. A second machine then follows the first with barriers that order no more than PTX
//! promises, and without the order in which `fence.sc` were executed, which may differ in another execution. A
//! fence there also acquires what threads have seen that its thread has met since, and releases for threads
//! that it meets later, as PTX promises for `fence.sc`. It finds loads that the first machine does not.
//!
//! The model follows Lustig, Sahasrabuddhe and Giroux 2019 for PTX, Kang et al. 2017 for views, and
//! Lidbury and Donaldson 2017, as Miri does, for the bounded history.
//!
//! **Not modelled,** each with a program in `tests/weak/missed.rs` that shows it: stale values in shared
//! memory (`shared_memory`); loads that run ahead of the program's order (`load_buffering`); stores
//! that become visible in another order than that of the execution, where no load can tell
//! (`two_writes_each`); asynchronous copies, which read the newest values (`asynchronous_copy`); loads
//! of one word that may go back in time because scopes exclude each other (`coherence_across_scopes`).
//! Values out of thin air do not occur (`thin_air`). A store that the mode does not see, such as one by
//! a bulk copy, ends the history of its word.

mod access;
mod missable;
mod thread;

use std::collections::{BTreeSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ptx::ir::{Fence, FenceStrength};
use rustc_hash::FxHashMap;
#[cfg(doc)]
use simt_report::StaleReads;
use simt_report::{AccessKind, BarrierOrder, Cure, WeakMemory};

use access::{BlockId, Reach, device_of};
pub(crate) use access::{LaneAccess, ThreadId, Words, block_on, number_of};
pub(crate) use missable::Missable;
use missable::note_missable;
use thread::{Thread, View, is_same, join, key, merge, raise, stamp_in};

use crate::schedule::mix;

/// Stores that are remembered per word.
const HISTORY: usize = 8;
/// Stale reads of a thread in a row, after which it reads the newest store.
const PATIENCE: u32 = 16;
/// In the address of a word, the bit of shared memory. Below it are the block and the offset.
pub(crate) const SHARED: u64 = 1 << 63;

/// A store to one word.
#[derive(Clone)]
struct Store {
    /// The number of the store in the launch; 0 for what was there before.
    stamp: u32,
    value: u32,
    /// The store; `None` if the mode has not seen it.
    by: Option<LaneAccess>,
    published: thread::Published,
}

impl Store {
    /// Whether it happens before the present of a thread with this view.
    fn is_in(&self, view: &View, thread: ThreadId) -> bool {
        let is_known =
            |by: LaneAccess| by.thread == thread || stamp_in(view, key(by.thread)) >= self.stamp;
        self.by.is_none_or(is_known)
    }
}

/// What the threads of a block know.
struct Block {
    threads: Vec<Thread>,
    /// What its sequentially consistent fences have ordered.
    sequential: View,
}

/// A load that has returned an older store than the newest.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stale {
    /// The number by which it can be chosen again.
    pub number: u64,
    pub load: LaneAccess,
    /// The word whose newest store it has missed, and that store.
    pub word: u64,
    pub store: Option<LaneAccess>,
    pub cure: Cure,
}

/// The weak memory of a launch.
pub(crate) struct Stores<'a> {
    options: &'a WeakMemory,
    barriers: BarrierOrder,
    /// A number for the seed and the kernel.
    seed: u64,
    threads_per_block: usize,
    /// Whether sequentially consistent fences order threads in the order of this execution.
    has_order_of_fences: bool,
    state: Histories,
    /// What its threads know from the beginning, from launches that it follows.
    inherited: View,
    found: Mutex<Found>,
    /// What the same stores and loads are by PTX's model of barriers, and in any order of fences, if loads that
    /// may miss a store are reported. Its loads return what those here do.
    in_ptx: Option<Box<Stores<'a>>>,
}

/// What launches that run at the same time share: first what this execution orders, then what PTX's model does.
pub(crate) type Shared = [Histories; 2];
type Histories = Arc<Mutex<State>>;

#[derive(Default)]
pub(crate) struct State {
    /// The stamp of the last store.
    stamp: u32,
    words: FxHashMap<u64, VecDeque<Store>>,
    blocks: FxHashMap<BlockId, Block>,
    /// What sequentially consistent fences of a device have ordered, and those of the system.
    of_devices: FxHashMap<u64, View>,
    of_system: View,
    /// What was released at mbarriers, by address.
    mbarriers: FxHashMap<u64, View>,
}

/// What was found of a launch.
#[derive(Default)]
struct Found {
    stale: Vec<Stale>,
    /// Plain loads that may miss a store, one for each pair of instructions.
    missable: Vec<Stale>,
    /// Reads of what another thread has stored, with nothing that orders the two.
    unordered: u64,
    /// For each atomic that was executed, whether its result is used.
    used: FxHashMap<u32, bool>,
}

/// A launch, as its weak memory needs it.
pub(crate) struct Of<'a> {
    pub kernel: &'a str,
    pub threads_per_block: u32,
    pub shared: &'a Shared,
    /// Whether it follows the launch of a block of this number, which has ended.
    pub follows: &'a dyn Fn(u64) -> bool,
}

impl<'a> Stores<'a> {
    pub fn new(options: &'a WeakMemory, launch: &Of<'_>) -> Self {
        let seed =
            launch.kernel.bytes().fold(options.seed, |seed, byte| mix(seed ^ u64::from(byte)));
        let new = |barriers, has_order_of_fences, state: &Histories, in_ptx| Self {
            options,
            barriers,
            seed,
            threads_per_block: launch.threads_per_block as usize,
            has_order_of_fences,
            inherited: inherited(&lock(state).blocks, launch.follows),
            state: state.clone(),
            found: Mutex::default(),
            in_ptx,
        };
        let [here, in_ptx] = launch.shared;
        let in_ptx = || Box::new(new(BarrierOrder::AsInPtx, false, in_ptx, None));
        new(options.barriers, true, here, options.reports.then(in_ptx))
    }

    /// Has the machine that follows this one, if there is one, do the same.
    fn in_ptx(&self, follow: impl FnOnce(&Self)) {
        if let Some(in_ptx) = &self.in_ptx {
            follow(in_ptx);
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    fn block<'s>(
        &self,
        blocks: &'s mut FxHashMap<BlockId, Block>,
        block: BlockId,
    ) -> &'s mut Block {
        blocks.entry(block).or_insert_with(|| Block {
            threads: vec![Thread::after(&self.inherited); self.threads_per_block],
            sequential: None,
        })
    }

    fn thread<'s>(
        &self,
        blocks: &'s mut FxHashMap<BlockId, Block>,
        (block, number): ThreadId,
    ) -> &'s mut Thread {
        &mut self.block(blocks, block).threads[number as usize]
    }

    /// Returns the stale reads so far, in order, and the number of reads of what another thread has
    /// stored, with nothing that orders the two.
    pub fn take_stale(&self) -> (Vec<Stale>, u64) {
        let mut found = lock(&self.found);
        (std::mem::take(&mut found.stale), found.unordered)
    }

    /// Whether the result of the atomic at `pc` is used, as `find` finds out once.
    pub fn is_used(&self, pc: u32, find: impl FnOnce() -> bool) -> bool {
        *lock(&self.found).used.entry(pc).or_insert_with(find)
    }

    /// Counts a load or an atomic of words that were touched, if it reads what another thread has stored
    /// in device memory, with nothing that orders the two.
    pub fn count_unordered(&self, by: &LaneAccess, words: &Words) {
        let state = &mut *self.lock();
        let view = &self.thread(&mut state.blocks, by.thread).view;
        let is_unordered = |(word, _): &(u64, u32)| {
            let newest = state.words.get(word).and_then(VecDeque::back);
            word & SHARED == 0 && newest.is_some_and(|newest| !newest.is_in(view, by.thread))
        };
        lock(&self.found).unordered += u64::from(words.iter().any(is_unordered));
    }

    /// Whether any of these words has a history.
    pub fn has_history(&self, words: &Words) -> bool {
        let state = self.lock();
        words.iter().any(|(word, _)| state.words.contains_key(word))
    }

    /// Notes what these words hold before an access.
    pub fn touch(&self, words: &Words) {
        self.in_ptx(|in_ptx| in_ptx.touch(words));
        let state = &mut *self.lock();
        for &(word, value) in words {
            let history = state.words.entry(word).or_default();
            if history.back().is_none_or(|newest| newest.value != value) {
                let stamp = if history.is_empty() { 0 } else { state.stamp + 1 };
                state.stamp = state.stamp.max(stamp);
                history.clear();
                history.push_back(Store { stamp, value, by: None, published: Vec::new() });
            }
        }
    }

    /// Whether this access of a vector, whose elements are accesses of their own, begins with the last element. A seed
    /// decides.
    pub fn goes_backwards(&self, by: &LaneAccess) -> bool {
        let state = &mut *self.lock();
        let thread = self.thread(&mut state.blocks, by.thread);
        let number = u64::from(thread.loads) << 32 | u64::from(thread.stored);
        mix(self.seed ^ mix(by.thread.0 ^ mix(number ^ u64::from(by.thread.1)))) >> 20 & 1 == 1
    }

    /// Executes a load of words that were touched. Returns their values if they are not the newest.
    pub fn load(&self, by: &LaneAccess, words: &Words) -> Option<Vec<u32>> {
        let state = &mut *self.lock();
        let thread = self.thread(&mut state.blocks, by.thread);
        thread.loads += 1;
        let number = mix(by.thread.0 ^ mix(u64::from(by.thread.1) << 32 | u64::from(thread.loads)));
        let number = mix(self.seed ^ number);
        let stamps = stamps(&state.words, words, thread, by);
        let (&newest, older) = stamps.split_last()?;
        if self.options.reports && !older.is_empty() && !by.is_strong() {
            note_missable(&mut lock(&self.found).missable, state, by, words, older[0]);
        }
        let thread = self.thread(&mut state.blocks, by.thread);
        let is_chosen =
            self.options.only.as_ref().map_or(number & 1 == 1, |only| only.contains(&number));
        let is_stale = is_chosen && !older.is_empty() && thread.stale < PATIENCE;
        thread.stale = if is_stale { thread.stale + 1 } else { 0 };
        let at = if is_stale { older[(number >> 8) as usize % older.len()] } else { newest };
        self.in_ptx(|in_ptx| in_ptx.load_as(by, words, at));
        let mut values = Vec::with_capacity(words.len());
        let mut missed = None;
        for (word, _) in words {
            let history = state.words.get(word)?;
            let read = history.iter().rev().find(|store| store.stamp <= at)?;
            values.push(read.value);
            missed = missed.or(history.back().filter(|last| last.stamp > at).map(|s| (*word, s)));
            thread.observe(by, *word, read);
        }
        if is_stale {
            let (word, newest) = missed?;
            let cure = cure(&state.blocks, by, newest);
            lock(&self.found).stale.push(Stale { number, load: *by, word, store: newest.by, cure });
        }
        is_stale.then_some(values)
    }

    /// Executes the load of an atomic. Returns the values if they are not the newest, because the
    /// newest store is a plain one that nothing orders before, or the scope of one excludes the other.
    pub fn load_of_atomic(&self, by: &LaneAccess, words: &Words) -> Option<Vec<u32>> {
        let excludes = |(word, _): &(u64, u32)| {
            let state = self.lock();
            let newest = state.words.get(word).and_then(VecDeque::back).and_then(|store| store.by);
            newest.is_some_and(|store| !store.is_morally_strong_with(by))
        };
        if words.iter().any(excludes) { self.load(by, words) } else { None }
    }

    /// Notes a store, or an atomic that has read the newest stores to words that were touched. The
    /// words hold these values afterwards.
    pub fn store(&self, by: &LaneAccess, words: &Words) {
        self.in_ptx(|in_ptx| in_ptx.store(by, words));
        let state = &mut *self.lock();
        let thread = self.thread(&mut state.blocks, by.thread);
        state.stamp += 1;
        for &(word, value) in words {
            let Some(history) = state.words.get_mut(&word) else { continue };
            let mut published = thread.publish(by, history);
            if by.kind == AccessKind::Atomic
                && let Some(old) = history.back()
                && old.by.is_some_and(|old| old.is_morally_strong_with(by))
            {
                merge(&mut published, &old.published);
            }
            history.push_back(Store { stamp: state.stamp, value, by: Some(*by), published });
            if history.len() > if word & SHARED == 0 { HISTORY } else { 1 } {
                history.pop_front();
            }
        }
        thread.stored = state.stamp;
    }

    /// Notes that an atomic has read the newest stores to words that were touched.
    pub fn observe(&self, by: &LaneAccess, words: &Words) {
        self.in_ptx(|in_ptx| in_ptx.observe(by, words));
        let state = &mut *self.lock();
        let thread = self.thread(&mut state.blocks, by.thread);
        for (word, _) in words {
            if let Some(newest) = state.words.get(word).and_then(VecDeque::back) {
                thread.observe(by, *word, newest);
            }
        }
    }

    /// Notes a fence by a thread. Returns whether other blocks run before the thread continues, which is
    /// random: `fence.sc` orders two threads in the order in which they execute it.
    pub fn fence(&self, (block, number): ThreadId, fence: Fence) -> bool {
        self.in_ptx(|in_ptx| _ = in_ptx.fence((block, number), fence));
        let State { blocks, of_devices, of_system, stamp, .. } = &mut *self.lock();
        let reach = Reach::from(fence.scope);
        let own = self.block(blocks, block);
        let thread = &mut own.threads[number as usize];
        let seen = std::mem::take(&mut thread.seen);
        thread.acquire(block, reach, seen.values());
        if reach < Reach::System {
            thread.seen = seen;
        }
        thread.released((block, number));
        if fence.strength == FenceStrength::Sc && self.has_order_of_fences {
            let of_device = of_devices.entry(device_of(block)).or_default();
            let mut orders = [&mut own.sequential, of_device, of_system];
            let orders = &mut orders[..reach as usize];
            orders.iter().for_each(|order| join(&mut thread.view, order));
            orders.iter_mut().for_each(|order| order.clone_from(&thread.view));
        }
        thread.released.up_to(reach).fill(thread.view.clone());
        mix(self.seed ^ mix(block ^ mix((*stamp).into()))) & 1 == 1
    }

    /// Notes that threads pass a barrier of the block or the cluster.
    pub fn barrier(&self, threads: impl Iterator<Item = ThreadId> + Clone) {
        self.in_ptx(|in_ptx| in_ptx.barrier(threads.clone()));
        self.meet(threads, self.barriers == BarrierOrder::AsOnGpus);
    }

    /// Notes that lanes of a warp, whose first thread this is, pass `__syncwarp`.
    pub fn synchronise(&self, (block, first): ThreadId, lanes: impl Iterator<Item = u32> + Clone) {
        self.in_ptx(|in_ptx| in_ptx.synchronise((block, first), lanes.clone()));
        self.meet(lanes.map(|lane| (block, first + lane)), false);
    }

    fn meet(&self, threads: impl Iterator<Item = ThreadId> + Clone, acquires: bool) {
        let state = &mut *self.lock();
        if !self.has_order_of_fences {
            self.share_fences(&mut state.blocks, threads.clone());
        }
        let (mut all, mut last) = (None, None);
        for (block, number) in threads.clone() {
            let thread = self.thread(&mut state.blocks, (block, number));
            if acquires {
                let seen = std::mem::take(&mut thread.seen);
                thread.acquire(block, Reach::Device, seen.values());
            }
            // Since their last barrier most threads share one view.
            if !is_same(&thread.view, &last) {
                join(&mut all, &thread.view);
                last.clone_from(&thread.view);
            }
            raise(&mut all, key((block, number)), thread.stored);
        }
        for thread in threads {
            self.thread(&mut state.blocks, thread).view.clone_from(&all);
        }
    }

    /// Notes that a thread arrives at the mbarrier at an address.
    pub fn arrive(&self, thread: ThreadId, mbarrier: u64) {
        self.in_ptx(|in_ptx| in_ptx.arrive(thread, mbarrier));
        let state = &mut *self.lock();
        let view = self.thread(&mut state.blocks, thread).released(thread);
        join(state.mbarriers.entry(mbarrier).or_default(), view);
    }

    /// Notes that a thread finds a phase of the mbarrier at an address complete.
    pub fn wait(&self, thread: ThreadId, mbarrier: u64) {
        self.in_ptx(|in_ptx| in_ptx.wait(thread, mbarrier));
        let state = &mut *self.lock();
        let view = &mut self.thread(&mut state.blocks, thread).view;
        join(view, state.mbarriers.entry(mbarrier).or_default());
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns what a launch begins with that follows those of some blocks.
fn inherited(blocks: &FxHashMap<BlockId, Block>, follows: &dyn Fn(u64) -> bool) -> View {
    let mut all = None;
    for (&id, block) in blocks.iter().filter(|(id, _)| follows(number_of(**id))) {
        let threads = (0..).zip(&block.threads);
        threads.for_each(|(number, thread)| join(&mut all, &thread.at_end((id, number))));
    }
    all
}

/// Returns the stamps between which a load of these words may choose, oldest first: all words are read
/// as they were at one moment.
fn stamps(
    histories: &FxHashMap<u64, VecDeque<Store>>,
    words: &Words,
    thread: &Thread,
    by: &LaneAccess,
) -> Vec<u32> {
    let histories = || words.iter().filter_map(|(word, _)| Some((word, histories.get(word)?)));
    let oldest = |(word, history): (&u64, &VecDeque<Store>)| {
        if by.is_read_only {
            return history.front().map_or(0, |store| store.stamp);
        }
        let is_known = |store: &&Store| store.is_in(&thread.view, by.thread);
        let last = history.iter().rfind(is_known).or(history.front());
        last.map_or(0, |store| store.stamp).max(stamp_in(&thread.view, *word))
    };
    let oldest = histories().map(oldest).max().unwrap_or(0);
    let all = histories().flat_map(|(_, history)| history).map(|store| store.stamp);
    let stamps: BTreeSet<u32> = all.filter(|stamp| *stamp > oldest).chain([oldest]).collect();
    stamps.into_iter().collect()
}

/// Returns what would have ordered a store before a load that has missed it.
fn cure(blocks: &FxHashMap<BlockId, Block>, load: &LaneAccess, newest: &Store) -> Cure {
    let Some(store) = &newest.by else { return Cure::Flag };
    if load.is_read_only {
        return Cure::ReadOnlyPath;
    }
    let needed = Reach::between(load.thread.0, store.thread.0);
    let on_one = needed < Reach::System;
    if store.is_strong() && !store.is_morally_strong_with(load) {
        return if on_one { Cure::Scope } else { Cure::SystemScope };
    }
    let holds = |view: &View| stamp_in(view, key(store.thread)) >= newest.stamp;
    let threads = |block| blocks.get(&block).into_iter().flat_map(|block: &Block| &block.threads);
    let has_seen = |thread: &Thread| {
        let mut published = thread.seen.values().flatten();
        published
            .any(|(origin, released)| holds(released.at(Reach::between(*origin, load.thread.0))))
    };
    if threads(load.thread.0).any(has_seen) {
        return if on_one { Cure::ReaderFence } else { Cure::SystemReaderFence };
    }
    let has_released = threads(store.thread.0).any(|thread| holds(thread.released.at(needed)));
    let has_narrowly = threads(store.thread.0).any(|thread| thread.released.any(holds));
    match (has_released, has_narrowly) {
        (true, _) => Cure::Flag,
        (false, _) if !on_one => Cure::SystemFence,
        (false, true) => Cure::FenceScope,
        (false, false) => Cure::WriterFence,
    }
}
