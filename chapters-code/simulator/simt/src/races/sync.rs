//! Synchronisation by flags: fences, and the atomic or volatile accesses that carry them from
//! thread to thread, in global and in shared memory.
//!
//! A fence **releases** what the warp's block has done before, as far as it happens before the
//! fence. A strong write (volatile, relaxed, atomic) to a word then **publishes** there what its
//! block has released so far, and what its warp has acquired from others. A strong read of that
//! word by another thread **acquires** it:
//!
//! | earlier access | | later access |
//! | --- | --- | --- |
//! | data; fence; strong write to a flag | → | strong read of that flag; data |
//! | the same, then an atomic on the flag by a third block | → | strong read of that flag; data |
//! | the same, with a barrier of either block between data and fence, or flag and data | → | the same |
//!
//! A fence for the block (`__threadfence_block`) orders the threads of its block and no others. The same
//! holds for strong writes and reads with the scope of the block (`.cta`, as in `atomicAdd_block`).
//! Between devices (see [`crate::group`]) only fences, writes and reads with the scope of the system
//! order, and volatile accesses have that scope. What a block has acquired from another on its device,
//! it may release to a third device. A launch begins with what those that it follows have acquired, and what it
//! releases includes all that they have done.
//! A plain write of a flag publishes nothing, and a plain read acquires nothing; a strong write
//! before the fence publishes nothing either. As in CUDA's own examples, the reader needs no fence.
//!
//! **Can miss:** which lane of a warp executes what (`lane_fences_for_another`); which warp of a
//! block has released what, because an acquired block counts with everything that it had released
//! when the flag was written (`another_warp_raises_flag`); a fence that the reader lacks
//! (`reader_unfenced`); a fence between accesses that are all volatile, relaxed or atomic
//! (`volatile_sums_unfenced`; [`crate::weak`] shows it, and `reader_unfenced`).

use std::collections::HashMap;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ptx::ir::Scope;

use super::Fenced;
use super::thread_clocks::raise;
use crate::access::{Access, AccessKind, AccessSpace, Strength};
use crate::counters::lanes;
use crate::group::{Neighbours, Relation};

/// Releases that are distinguished per block.
const MOST_RELEASES: usize = 4096;
/// Parts of the state, each with its own lock.
const SHARDS: usize = 64;

/// For each block from which something was acquired, the number of its releases.
pub(crate) type Acquired = Option<Arc<HashMap<u64, u32>>>;

/// For each actor of a block (warps and, from 32 on, agents), the last epoch whose accesses are
/// released.
#[derive(Clone)]
struct Release {
    to_block: Vec<u32>,
    to_device: Vec<u32>,
    to_system: Vec<u32>,
}

/// The bit of a block's number, in [`Acquired`], of what its releases at the scope of the system order: a
/// thread of another device has acquired it.
const BY_SYSTEM: u64 = 1 << 63;
/// The bit of what would be acquired if the scope of a flag included both devices.
const TOO_NARROW: u64 = 1 << 62;

/// Returns the block of a key of [`Acquired`], and the key's bits.
fn block_of(key: u64) -> (u64, u64) {
    let bits = match key {
        _ if key & TOO_NARROW != 0 => TOO_NARROW,
        _ => key & BY_SYSTEM,
    };
    (key & !(BY_SYSTEM | TOO_NARROW), bits)
}

/// Returns what a launch has acquired when it begins: what those that it follows have, without what `is_known`
/// says of the launches of the blocks.
pub(crate) fn inherited(acquired: &Acquired, is_known: impl Fn(u64) -> bool) -> Acquired {
    let kept = acquired.iter().flat_map(|all| all.iter()).filter(|&(&key, _)| {
        let (block, bits) = block_of(key);
        bits != TOO_NARROW && !is_known(block)
    });
    let kept: HashMap<u64, u32> = kept.map(|(&key, &count)| (key, count)).collect();
    (!kept.is_empty()).then(|| Arc::new(kept))
}

/// Returns the blocks from which something was acquired.
pub(crate) fn blocks(acquired: &Acquired) -> impl Iterator<Item = u64> {
    acquired.iter().flat_map(|all| all.keys()).map(|&key| block_of(key).0)
}

/// Returns what a thread of another device acquires from a block that has published this.
fn across(acquired: &HashMap<u64, u32>, writer: u64, is_wide: bool) -> Arc<HashMap<u64, u32>> {
    let key = |block| match is_wide {
        true if block == writer => block | BY_SYSTEM,
        true => block,
        false => block | TOO_NARROW,
    };
    let mut there: HashMap<u64, u32> = HashMap::with_capacity(acquired.len());
    for (&block, &count) in acquired {
        let known = there.entry(key(block)).or_default();
        *known = count.max(*known);
    }
    Arc::new(there)
}

/// What is published at an address.
struct Published {
    acquired: Arc<HashMap<u64, u32>>,
    /// The block that wrote last, and the scope of that write.
    block: u64,
    scope: Scope,
}

impl Published {
    /// Returns what a strong access of this scope, by a thread of a block, acquires.
    fn to(
        &self,
        block: u64,
        scope: Scope,
        neighbours: Option<&Neighbours<'_>>,
    ) -> Option<Arc<HashMap<u64, u32>>> {
        if self.block != block && [self.scope, scope].contains(&Scope::Block) {
            return None;
        }
        let relation = neighbours.map(|all| all.relation(self.block));
        if relation == Some(Relation::OtherDevice) {
            let is_wide = [self.scope, scope] == [Scope::System; 2];
            return Some(across(&self.acquired, self.block, is_wide));
        }
        Some(self.acquired.clone())
    }
}

/// The published releases by address.
type PublishedByAddress = HashMap<u64, Published>;

/// The synchronisation state that the blocks of a launch share.
pub(super) struct Releases {
    blocks: Vec<Mutex<HashMap<u64, Vec<Release>>>>,
    /// What is published in device memory, by address.
    published: Vec<Mutex<PublishedByAddress>>,
    has_published: AtomicBool,
}

fn shards<T: Default>() -> Vec<Mutex<T>> {
    std::iter::repeat_with(Mutex::default).take(SHARDS).collect()
}

fn lock<T>(shards: &[Mutex<T>], number: u64) -> MutexGuard<'_, T> {
    let shard = &shards[number as usize % SHARDS];
    shard.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Releases {
    pub fn new() -> Self {
        Self { blocks: shards(), published: shards(), has_published: AtomicBool::new(false) }
    }

    /// Returns the addresses at which blocks of this range have published last, in order.
    pub fn published_by(&self, blocks: &Range<u64>) -> Vec<u64> {
        let own = |(address, published): (&u64, &Published)| {
            blocks.contains(&published.block).then_some(*address)
        };
        let shards = (0..SHARDS as u64).map(|shard| lock(&self.published, shard));
        let mut all: Vec<u64> =
            shards.flat_map(|shard| shard.iter().filter_map(own).collect::<Vec<_>>()).collect();
        all.sort_unstable();
        all
    }

    /// Adds a release by a warp of a block: for each warp, the last epoch that it includes. Returns
    /// the number of the block's releases.
    fn add(&self, block: u64, scope: Scope, before: &[(u32, u32)]) -> u32 {
        let mut blocks = lock(&self.blocks, block);
        let releases = blocks.entry(block).or_default();
        let mut next = releases.last().cloned().unwrap_or_else(|| Release {
            to_block: vec![0; before.len()],
            to_device: vec![0; before.len()],
            to_system: vec![0; before.len()],
        });
        for &(warp, epoch) in before {
            raise(&mut next.to_block, warp as usize, epoch);
            if scope != Scope::Block {
                raise(&mut next.to_device, warp as usize, epoch);
            }
            if scope == Scope::System {
                raise(&mut next.to_system, warp as usize, epoch);
            }
        }
        if releases.len() == MOST_RELEASES {
            releases.pop();
        }
        releases.push(next);
        releases.len() as u32
    }

    /// Returns the number of a block's releases.
    fn count(&self, block: u64) -> u32 {
        lock(&self.blocks, block).get(&block).map_or(0, |all| all.len() as u32)
    }

    /// Whether an access by a warp of block `from` in this epoch happens before the present of a
    /// thread that has acquired this, for releases at this scope.
    pub fn orders(&self, from: (u64, u32), epoch: u32, scope: Scope, acquired: &Acquired) -> bool {
        let Some(acquired) = acquired else {
            return false;
        };
        match scope {
            Scope::Block => self.includes(acquired, from, 0, epoch, |release| &release.to_block),
            Scope::Device | Scope::System => {
                self.includes(acquired, from, 0, epoch, |release| &release.to_device)
                    || self.includes(acquired, from, BY_SYSTEM, epoch, |release| &release.to_system)
            }
        }
    }

    /// Whether the releases of a block that a thread has acquired, with these bits, include an epoch of a
    /// warp.
    fn includes(
        &self,
        acquired: &HashMap<u64, u32>,
        (block, warp): (u64, u32),
        bits: u64,
        epoch: u32,
        scope: impl Fn(&Release) -> &Vec<u32>,
    ) -> bool {
        let Some(count) = acquired.get(&(block | bits)) else {
            return false;
        };
        let blocks = lock(&self.blocks, block);
        let release = blocks.get(&block).and_then(|all| all.get(*count as usize - 1));
        release.is_some_and(|release| {
            scope(release).get(warp as usize).is_some_and(|up_to| *up_to >= epoch)
        })
    }

    /// Whether a thread that has acquired this knows that a launch has ended: one that follows it has released
    /// something since.
    pub fn knows_end_of(
        &self,
        block: u64,
        acquired: &Acquired,
        neighbours: &Neighbours<'_>,
    ) -> bool {
        let has_released = |block, count: u32, bits| {
            let blocks = lock(&self.blocks, block);
            let release = blocks.get(&block).and_then(|all| all.get(count as usize - 1));
            release.is_some_and(|release| {
                let wide = if bits == BY_SYSTEM { &release.to_system } else { &release.to_device };
                wide.iter().any(|epoch| *epoch > 0)
            })
        };
        acquired.iter().flat_map(|all| all.iter()).any(|(&key, &count)| {
            let (of, bits) = block_of(key);
            bits != TOO_NARROW
                && neighbours.group.follows(of, block)
                && has_released(of, count, bits)
        })
    }

    /// Returns which scope of fences and flags would order an access on another device, if it were on the
    /// same one.
    pub fn narrow(&self, from: (u64, u32), epoch: u32, acquired: &Acquired) -> Fenced {
        let Some(acquired) = acquired else {
            return Fenced::No;
        };
        let wide = [0, BY_SYSTEM];
        let narrow = wide.map(|bits| bits | TOO_NARROW);
        let any = |bits: [u64; 2], scope: fn(&Release) -> &Vec<u32>| {
            bits.into_iter().any(|bits| self.includes(acquired, from, bits, epoch, scope))
        };
        if any(wide, |release| &release.to_device) {
            Fenced::OnDevice
        } else if any(narrow, |release| &release.to_system) {
            Fenced::ByFlagOnDevice
        } else if any(narrow, |release| &release.to_device) {
            Fenced::OnDevice
        } else if any(wide, |release| &release.to_block) || any(narrow, |release| &release.to_block)
        {
            Fenced::InBlock
        } else {
            Fenced::No
        }
    }
}

/// The synchronisation state of one block.
pub(super) struct Flags<'a> {
    releases: &'a Releases,
    block: u64,
    /// The number of releases of the block.
    count: u32,
    /// What is published in shared memory, by offset.
    shared: PublishedByAddress,
    /// The launch among those that may run at the same time.
    neighbours: Option<Neighbours<'a>>,
}

impl<'a> Flags<'a> {
    pub fn new(releases: &'a Releases, neighbours: Option<Neighbours<'a>>) -> Self {
        Self { releases, block: 0, count: 0, shared: HashMap::new(), neighbours }
    }

    pub fn start_block(&mut self, block: u64) {
        self.block = block;
        self.count = 0;
        self.shared.clear();
    }

    /// Returns what the launch has acquired when it begins.
    pub fn inherited(&self) -> &Acquired {
        self.neighbours.as_ref().map_or(&None, |neighbours| &neighbours.own.inherited)
    }

    /// Notes that a warp executes a fence.
    pub fn release(&mut self, scope: Scope, before: &[(u32, u32)]) {
        self.count = self.releases.add(self.block, scope, before);
    }

    /// Notes that a strong access is about to write.
    pub fn publish(&mut self, access: &Access<'_>, acquired: &Acquired) {
        let has_some = self.count > 0 || acquired.is_some();
        let is_shared = access.space == AccessSpace::Shared;
        let has_any = if is_shared {
            !self.shared.is_empty()
        } else {
            self.releases.has_published.load(Ordering::Relaxed)
        };
        if !has_some && !has_any {
            return;
        }
        let mut own = acquired.clone();
        if self.count > 0 {
            union(&mut own, &Arc::new(HashMap::from([(self.block, self.count)])));
        }
        let neighbours = self.neighbours.as_ref();
        let by = (self.block, self.scope(access), neighbours);
        for lane in lanes(access.mask) {
            let address = access.addresses.of(lane);
            if is_shared {
                publish_at(&mut self.shared, address, &own, access.kind, by);
            } else {
                self.releases.has_published.store(true, Ordering::Relaxed);
                let mut published = lock(&self.releases.published, address / 4);
                publish_at(&mut published, address, &own, access.kind, by);
            }
        }
    }

    /// Adds what these blocks have released so far.
    pub fn acquire_all(&self, blocks: &[u64], acquired: &mut Acquired) {
        let counts = blocks.iter().map(|&block| (block, self.releases.count(block)));
        let released = counts.filter(|(_, count)| *count > 0).collect();
        union(acquired, &Arc::new(released));
    }

    /// Returns the scope of a strong access. Between devices matters whether it is the system's.
    fn scope(&self, access: &Access<'_>) -> Scope {
        match (access.strength, &self.neighbours) {
            (Strength::StrongInBlock, _) => Scope::Block,
            (Strength::Volatile, _) => Scope::System,
            (_, Some(all)) if all.own.is_of_system_scope(access.pc) => Scope::System,
            _ => Scope::Device,
        }
    }

    /// Notes that a strong access has read, and adds what it acquires. The launches that follow this one will know it.
    pub fn acquire(&self, access: &Access<'_>, acquired: &mut Acquired) {
        let has_any = match access.space {
            AccessSpace::Shared => !self.shared.is_empty(),
            AccessSpace::Global => self.releases.has_published.load(Ordering::Relaxed),
        };
        let learn = |published: &PublishedByAddress, address| {
            let there: &Published = published.get(&address)?;
            there.to(self.block, self.scope(access), self.neighbours.as_ref())
        };
        for lane in lanes(if has_any { access.mask } else { 0 }) {
            let address = access.addresses.of(lane);
            let there = match access.space {
                AccessSpace::Shared => learn(&self.shared, address),
                AccessSpace::Global => learn(&lock(&self.releases.published, address / 4), address),
            };
            if let Some(there) = there
                && union(acquired, &there)
                && let Some(neighbours) = &self.neighbours
            {
                neighbours.own.note_acquired(&there);
            }
        }
    }
}

/// Notes a strong write by a thread of a block, with this scope. An atomic also adds what it reads and
/// acquires there.
fn publish_at(
    published: &mut PublishedByAddress,
    address: u64,
    own: &Acquired,
    kind: AccessKind,
    (block, scope, neighbours): (u64, Scope, Option<&Neighbours<'_>>),
) {
    let mut all = own.clone();
    if kind == AccessKind::Atomic
        && let Some(there) = published.get(&address)
        && let Some(acquired) = there.to(block, scope, neighbours)
    {
        union(&mut all, &acquired);
    }
    match all {
        Some(acquired) => {
            let new = Published { acquired, block, scope };
            published.insert(address, new);
        }
        None => {
            published.remove(&address);
        }
    }
}

/// Adds what another thread has acquired. Returns whether there is anything new.
pub(crate) fn union(acquired: &mut Acquired, more: &Arc<HashMap<u64, u32>>) -> bool {
    let Some(own) = acquired else {
        *acquired = Some(more.clone());
        return true;
    };
    let adds = |(block, count): (&u64, &u32)| own.get(block).is_none_or(|own| own < count);
    if Arc::ptr_eq(own, more) || !more.iter().any(adds) {
        return false;
    }
    let own = Arc::make_mut(own);
    for (&block, &count) in more.iter() {
        let known = own.entry(block).or_default();
        *known = count.max(*known);
    }
    true
}
