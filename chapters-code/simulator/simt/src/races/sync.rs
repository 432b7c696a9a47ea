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
//! A plain write of a flag publishes nothing, and a plain read acquires nothing; a strong write
//! before the fence publishes nothing either. As in CUDA's own examples, the reader needs no fence.
//!
//! **Can miss:** which lane of a warp executes what (`lane_fences_for_another`); which warp of a
//! block has released what, because an acquired block counts with everything that it had released
//! when the flag was written (`another_warp_raises_flag`); a fence that the reader lacks
//! (`reader_unfenced`); a fence between accesses that are all volatile, relaxed or atomic
//! (`volatile_sums_unfenced`; [`crate::weak`] shows it, and `reader_unfenced`).

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ptx::ir::Scope;

use super::thread_clocks::raise;
use crate::access::{Access, AccessKind, AccessSpace, Strength};
use crate::counters::lanes;

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
}

/// What is published at an address.
struct Published {
    acquired: Arc<HashMap<u64, u32>>,
    /// The block that wrote last, and whether that write had the scope of the block.
    block: u64,
    in_block: bool,
}

impl Published {
    /// Whether a strong access by a thread of a block acquires it; `in_block` means that the access
    /// has the scope of the block.
    fn is_for(&self, block: u64, in_block: bool) -> bool {
        self.block == block || !(self.in_block || in_block)
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

    /// Adds a release by a warp of a block: for each warp, the last epoch that it includes. Returns
    /// the number of the block's releases.
    fn add(&self, block: u64, scope: Scope, before: &[(u32, u32)]) -> u32 {
        let mut blocks = lock(&self.blocks, block);
        let releases = blocks.entry(block).or_default();
        let mut next = releases.last().cloned().unwrap_or_else(|| Release {
            to_block: vec![0; before.len()],
            to_device: vec![0; before.len()],
        });
        for &(warp, epoch) in before {
            raise(&mut next.to_block, warp as usize, epoch);
            if scope != Scope::Block {
                raise(&mut next.to_device, warp as usize, epoch);
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
        let (block, warp) = from;
        let Some(count) = acquired.as_ref().and_then(|a| a.get(&block)) else {
            return false;
        };
        let blocks = lock(&self.blocks, block);
        let release = blocks.get(&block).and_then(|all| all.get(*count as usize - 1));
        release.is_some_and(|release| {
            let up_to = match scope {
                Scope::Block => &release.to_block,
                Scope::Device | Scope::System => &release.to_device,
            };
            up_to.get(warp as usize).is_some_and(|up_to| *up_to >= epoch)
        })
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
}

impl<'a> Flags<'a> {
    pub fn new(releases: &'a Releases) -> Self {
        Self { releases, block: 0, count: 0, shared: HashMap::new() }
    }

    pub fn start_block(&mut self, block: u64) {
        self.block = block;
        self.count = 0;
        self.shared.clear();
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
        for lane in lanes(access.mask) {
            let address = access.addresses.of(lane);
            if is_shared {
                publish_at(&mut self.shared, address, &own, access, self.block);
            } else {
                self.releases.has_published.store(true, Ordering::Relaxed);
                let mut published = lock(&self.releases.published, address / 4);
                publish_at(&mut published, address, &own, access, self.block);
            }
        }
    }

    /// Adds what these blocks have released so far.
    pub fn acquire_all(&self, blocks: &[u64], acquired: &mut Acquired) {
        let counts = blocks.iter().map(|&block| (block, self.releases.count(block)));
        let released = counts.filter(|(_, count)| *count > 0).collect();
        union(acquired, &Arc::new(released));
    }

    /// Notes that a strong access has read, and adds what it acquires.
    pub fn acquire(&self, access: &Access<'_>, acquired: &mut Acquired) {
        let has_any = match access.space {
            AccessSpace::Shared => !self.shared.is_empty(),
            AccessSpace::Global => self.releases.has_published.load(Ordering::Relaxed),
        };
        let learn = |published: &PublishedByAddress, address| {
            let there: &Published = published.get(&address)?;
            let is_for = there.is_for(self.block, is_of_block_scope(access));
            is_for.then(|| there.acquired.clone())
        };
        for lane in lanes(if has_any { access.mask } else { 0 }) {
            let address = access.addresses.of(lane);
            let there = match access.space {
                AccessSpace::Shared => learn(&self.shared, address),
                AccessSpace::Global => learn(&lock(&self.releases.published, address / 4), address),
            };
            if let Some(there) = there {
                union(acquired, &there);
            }
        }
    }
}

fn is_of_block_scope(access: &Access<'_>) -> bool {
    access.strength == Strength::StrongInBlock
}

/// Notes a strong write by a thread of a block. An atomic also adds what it reads and acquires
/// there.
fn publish_at(
    published: &mut PublishedByAddress,
    address: u64,
    own: &Acquired,
    access: &Access<'_>,
    block: u64,
) {
    let in_block = is_of_block_scope(access);
    let mut all = own.clone();
    if access.kind == AccessKind::Atomic
        && let Some(there) = published.get(&address)
        && there.is_for(block, in_block)
    {
        union(&mut all, &there.acquired);
    }
    match all {
        Some(acquired) => {
            let new = Published { acquired, block, in_block };
            published.insert(address, new);
        }
        None => {
            published.remove(&address);
        }
    }
}

/// Adds what another thread has acquired.
pub(crate) fn union(acquired: &mut Acquired, more: &Arc<HashMap<u64, u32>>) {
    let Some(own) = acquired else {
        *acquired = Some(more.clone());
        return;
    };
    let adds = |(block, count): (&u64, &u32)| own.get(block).is_none_or(|own| own < count);
    if Arc::ptr_eq(own, more) || !more.iter().any(adds) {
        return;
    }
    let own = Arc::make_mut(own);
    for (&block, &count) in more.iter() {
        let known = own.entry(block).or_default();
        *known = count.max(*known);
    }
}
