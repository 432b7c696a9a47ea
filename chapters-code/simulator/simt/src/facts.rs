//! What the launches of a group share, what is known of each, and how they are related.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, RwLock};

use ptx::ir::{Op, Order, Scope};

use crate::footprint::{Blocks, Footprint};
use crate::held::Meanwhile;
use crate::module::LoadedKernel;
use crate::races::{GlobalHistory, Known, View, blocks, inherited, union};
use crate::weak;

/// What the launches of a group share.
#[derive(Default)]
pub(crate) struct Group {
    /// Set once a block has not finished in its first turn.
    pub tracks_changes: AtomicBool,
    /// Turns of blocks, since `tracks_changes` was set, that changed something on which others may
    /// wait.
    pub changes: AtomicU64,
    /// The accesses to device memory so far, if races are checked.
    pub history: OnceLock<GlobalHistory>,
    /// With race checking on, serialises recording and executing global atomics, so that both have
    /// one order.
    pub atomics: Mutex<()>,
    /// The stores so far, if memory is weak.
    pub weak: weak::Shared,
    /// What the others execute while a block is held back.
    pub meanwhile: Meanwhile,
    /// The launches so far, if several may run at the same time.
    launches: RwLock<Vec<Arc<Facts>>>,
}

impl Group {
    /// Turns change tracking on, because a block has not finished in its first turn and may be
    /// waiting for others.
    pub fn track_changes(&self) {
        if !self.tracks_changes.load(Ordering::Relaxed) {
            self.tracks_changes.store(true, Ordering::Relaxed);
            std::sync::atomic::fence(Ordering::SeqCst);
        }
    }

    /// Notes a change of something on which others may wait.
    pub fn note_change(&self) {
        // Either this thread sees the flag, or the watching threads see the change.
        std::sync::atomic::fence(Ordering::SeqCst);
        if self.tracks_changes.load(Ordering::Relaxed) {
            self.changes.fetch_add(1, Ordering::Release);
        }
    }

    /// Gives a launch its number, and its blocks theirs. `after` has the numbers of those that it follows.
    pub fn add(
        &self,
        kernel: &Arc<LoadedKernel>,
        blocks: [u32; 3],
        device: u32,
        after: &[usize],
    ) -> Arc<Facts> {
        let mut launches = self.launches.write().unwrap_or_else(PoisonError::into_inner);
        let mut before = Numbers::default();
        let mut acquired = None;
        for &number in after {
            before.insert(number);
            if let Some(facts) = launches.get(number) {
                before.add(&facts.before);
                if let Some(more) = &*facts.acquired() {
                    union(&mut acquired, more);
                }
            }
        }
        let acquired = inherit(&launches, &before, &acquired);
        let facts = Arc::new(Facts {
            number: launches.len(),
            first_block: launches.last().map_or(0, |last| last.first_block + last.block_count()),
            blocks,
            device,
            kernel: kernel.clone(),
            before,
            acquired: Mutex::new(acquired.clone()),
            inherited: acquired,
        });
        launches.push(facts.clone());
        facts
    }

    /// Returns what each launch has accessed, by its number, and the numbers of those whose flags it has seen. Empty
    /// if races were not checked.
    pub fn footprints(&self) -> Vec<(Footprint, Vec<usize>)> {
        let launches = self.launches.read().unwrap_or_else(PoisonError::into_inner);
        let Some(history) = self.history.get() else { return Vec::new() };
        let footprints =
            Footprint::of_launches(history, launches.iter().map(|l| l.blocks()).collect());
        let seen = launches.iter().map(|facts| {
            let of = |block| launch_of(&launches, block).map(|other| other.number);
            blocks(&facts.acquired())
                .filter_map(of)
                .filter(|other| *other != facts.number)
                .collect()
        });
        footprints.into_iter().zip(seen).collect()
    }

    /// Returns the launch to which a block of this number belongs.
    pub fn launch_of(&self, block: u64) -> Option<Arc<Facts>> {
        let launches = self.launches.read().unwrap_or_else(PoisonError::into_inner);
        launch_of(&launches, block).cloned()
    }

    /// Whether the launch of a block follows that of an earlier one.
    pub fn follows(&self, block: u64, earlier: u64) -> bool {
        let launches = self.launches.read().unwrap_or_else(PoisonError::into_inner);
        match (launch_of(&launches, block), launch_of(&launches, earlier)) {
            (Some(later), Some(earlier)) => later.before.contains(earlier.number),
            _ => false,
        }
    }
}

fn launch_of(launches: &[Arc<Facts>], block: u64) -> Option<&Arc<Facts>> {
    let after = launches.partition_point(|facts| facts.first_block <= block);
    launches.get(after.checked_sub(1)?)
}

/// Returns what a launch that comes after those of `before` begins with. What is left out is of launches that have ended
/// before all that is left.
fn inherit(launches: &[Arc<Facts>], before: &Numbers, acquired: &View) -> View {
    let mut ended = Numbers::default();
    ended.add(before);
    for facts in blocks(acquired).filter_map(|block| launch_of(launches, block)) {
        ended.add(&facts.before);
    }
    inherited(acquired, |block| {
        launch_of(launches, block).is_none_or(|facts| ended.contains(facts.number))
    })
}

/// What is known of a launch of a group, also after its end.
pub(crate) struct Facts {
    pub number: usize,
    /// The number of its first block in the group.
    pub first_block: u64,
    blocks: [u32; 3],
    /// The number of its device.
    pub device: u32,
    kernel: Arc<LoadedKernel>,
    /// The launches that it follows.
    before: Numbers,
    /// What its blocks have acquired from other launches when they begin.
    pub inherited: View,
    /// The same, with what they have acquired since.
    acquired: Mutex<View>,
}

/// Numbers of launches, one bit each.
#[derive(Default)]
struct Numbers(Vec<u64>);

impl Numbers {
    fn insert(&mut self, number: usize) {
        if self.0.len() <= number / 64 {
            self.0.resize(number / 64 + 1, 0);
        }
        self.0[number / 64] |= 1 << (number % 64);
    }

    fn add(&mut self, others: &Self) {
        if self.0.len() < others.0.len() {
            self.0.resize(others.0.len(), 0);
        }
        for (own, other) in self.0.iter_mut().zip(&others.0) {
            *own |= other;
        }
    }

    fn contains(&self, number: usize) -> bool {
        self.0.get(number / 64).is_some_and(|bits| bits >> (number % 64) & 1 == 1)
    }
}

impl Facts {
    fn acquired(&self) -> MutexGuard<'_, View> {
        self.acquired.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes what a thread has acquired.
    pub fn note_acquired(&self, more: &Arc<Known>) {
        union(&mut self.acquired(), more);
    }

    fn blocks(&self) -> Blocks {
        let (kernel, grid) = (self.kernel.clone(), self.blocks);
        Blocks { kernel, grid, first_block: self.first_block }
    }

    fn block_count(&self) -> u64 {
        self.blocks.iter().map(|n| u64::from(*n)).product()
    }

    /// Returns the coordinates of a block of this number in the group.
    pub fn block_index(&self, block: u64) -> [u32; 3] {
        crate::shape::unravel(block - self.first_block, self.blocks)
    }

    /// Returns the kernel.
    pub fn loaded(&self) -> &LoadedKernel {
        &self.kernel
    }

    /// Returns the kernel's name.
    pub fn kernel(&self) -> &str {
        &self.kernel.ir().name
    }

    /// Returns the source line of an instruction.
    pub fn line(&self, pc: u32) -> String {
        self.kernel.source(pc)
    }

    /// Whether it follows a launch.
    pub fn follows(&self, number: usize) -> bool {
        self.before.contains(number)
    }

    /// Whether an instruction accesses memory with the scope of the system. A `volatile` access does.
    pub fn is_of_system_scope(&self, pc: u32) -> bool {
        let order = match self.kernel.ir().code.get(pc as usize).map(|instruction| &instruction.op)
        {
            Some(Op::Ld(load)) => load.order,
            Some(Op::St(store)) => store.order,
            Some(Op::Atom(atom)) => atom.order,
            _ => return false,
        };
        match order {
            Order::Weak => false,
            Order::Volatile => true,
            Order::Relaxed(scope)
            | Order::Acquire(scope)
            | Order::Release(scope)
            | Order::AcqRel(scope) => scope == Scope::System,
        }
    }
}

/// How the launch of a block is related to that of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Relation {
    Same,
    /// Everything that the other launch did happens before.
    Follows,
    /// It may run at the same time on the same device.
    SameDevice,
    /// It may run at the same time on another device.
    OtherDevice,
}

/// A launch of a group among the others.
#[derive(Clone)]
pub(crate) struct Neighbours<'a> {
    pub group: &'a Group,
    pub own: Arc<Facts>,
}

impl Neighbours<'_> {
    /// Returns how this launch is related to that of a block.
    pub fn relation(&self, block: u64) -> Relation {
        match self.group.launch_of(block) {
            Some(other) if other.number == self.own.number => Relation::Same,
            Some(other) if self.own.before.contains(other.number) => Relation::Follows,
            Some(other) if other.device != self.own.device => Relation::OtherDevice,
            _ => Relation::SameDevice,
        }
    }

    /// Whether this launch follows that of a block.
    pub fn follows(&self, block: u64) -> bool {
        self.relation(block) == Relation::Follows
    }

    /// Whether an instruction of the launch of a block has the scope of the system.
    pub fn is_of_system_scope(&self, block: u64, pc: u32) -> bool {
        self.group.launch_of(block).is_some_and(|facts| facts.is_of_system_scope(pc))
    }
}
