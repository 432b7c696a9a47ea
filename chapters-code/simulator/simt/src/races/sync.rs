//! Synchronisation by flags: fences, and the atomic or volatile accesses that carry them from
//! thread to thread, in global and in shared memory.
//!
//! A fence **covers** what happens before it: its thread's own accesses, and those of others that
//! barriers, `__syncwarp`, mbarriers or flags order before it. A strong write (volatile, relaxed,
//! atomic) to a word then **publishes** there what is covered by the fences that happen before the
//! write. A strong read of that word by another thread **acquires** it:
//!
//! | earlier access | | later access |
//! | --- | --- | --- |
//! | data; fence; strong write to a flag | → | strong read of that flag; data |
//! | the same, then an atomic on the flag by a third block | → | strong read of that flag; data |
//! | the same by several threads, with a barrier or a `__syncwarp` of both between data and fence, or fence and flag | → | the same, with one between flag and data |
//!
//! A fence for the block (`__threadfence_block`) orders the threads of its block and no others. The same
//! holds for strong writes and reads with the scope of the block (`.cta`, as in `atomicAdd_block`).
//! Between devices (see [`crate::group`]) only fences, writes and reads with the scope of the system
//! order, and volatile accesses have that scope. What a thread has acquired from another on its device,
//! it may release to a third device. A launch begins with what those that it follows have acquired, and what it
//! releases includes all that they have done.
//! A plain write of a flag publishes nothing, and a plain read acquires nothing; a strong write
//! before the fence publishes nothing either. As in CUDA's own examples, the reader needs no fence.
//!
//! A [`View`] is what a thread knows of fences. It takes a map entry of 16 bytes for each block that the
//! thread knows of, and a release, which those that know it share: 16 bytes per warp of the block, and 128
//! more for each warp whose lanes differ. [`Views`] keeps one view per warp, and one per lane after lanes
//! have learned different things, until they meet.
//!
//! **Can miss:** a fence that the reader lacks
//! (`reader_unfenced`), also where it hands on what it has acquired (`handed_on_unfenced`); a release of one word
//! after which another word is written, because a release counts as a fence (`released_by_another_word`); a fence
//! between accesses that are all volatile, relaxed or atomic (`volatile_sums_unfenced`; [`crate::weak`] shows
//! it, and `reader_unfenced`, and the others).

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ptx::ir::Scope;
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::clock::Clocks;
#[cfg(doc)]
use super::release::Views;
use super::release::{Extent, Join as _, Known, Reach, View, union};
use super::{Event, Fenced};
use crate::access::{Access, AccessKind, AccessSpace, Strength};
use crate::counters::lanes;
use crate::facts::{Neighbours, Relation};

/// Parts of the state, each with its own lock.
const SHARDS: usize = 64;

/// The bit of a block's number, in [`View`], of what its releases at the scope of the system order: a
/// thread of another device has acquired it.
const BY_SYSTEM: u64 = 1 << 63;
/// The bit of what would be acquired if the scope of a flag included both devices.
const TOO_NARROW: u64 = 1 << 62;

/// Returns the block of a key of [`View`], and the key's bits.
fn block_of(key: u64) -> (u64, u64) {
    let bits = match key {
        _ if key & TOO_NARROW != 0 => TOO_NARROW,
        _ => key & BY_SYSTEM,
    };
    (key & !(BY_SYSTEM | TOO_NARROW), bits)
}

/// Returns what a launch has acquired when it begins: what those that it follows have, without what `is_known`
/// says of the launches of the blocks.
pub(crate) fn inherited(acquired: &View, is_known: impl Fn(u64) -> bool) -> View {
    let kept = acquired.iter().flat_map(|all| all.iter()).filter(|&(&key, _)| {
        let (block, bits) = block_of(key);
        bits != TOO_NARROW && !is_known(block)
    });
    let kept: Known = kept.map(|(&key, release)| (key, release.clone())).collect();
    (!kept.is_empty()).then(|| Arc::new(kept))
}

/// Returns the blocks from which something was acquired.
pub(crate) fn blocks(acquired: &View) -> impl Iterator<Item = u64> {
    acquired.iter().flat_map(|all| all.keys()).map(|&key| block_of(key).0)
}

/// Returns what a thread of another device acquires from a block that has published this.
fn across(acquired: &Known, writer: u64, is_wide: bool) -> Arc<Known> {
    let key = |block| match is_wide {
        true if block == writer => block | BY_SYSTEM,
        true => block,
        false => block | TOO_NARROW,
    };
    let mut there = Known::with_capacity_and_hasher(acquired.len(), FxBuildHasher);
    for (&block, release) in acquired {
        there.entry(key(block)).or_default().join(release);
    }
    Arc::new(there)
}

/// Whether flags order an access by a thread of a block before the present of one that knows this; `extent` says
/// whether the access stands for those of a whole warp.
pub(super) fn orders(view: &View, block: u64, event: &Event, reach: Reach, extent: Extent) -> bool {
    match reach {
        Reach::Block | Reach::DeviceOfAll => knows(view, block, event, reach, extent),
        Reach::Device | Reach::System => {
            knows(view, block, event, Reach::Device, extent)
                || knows(view, block | BY_SYSTEM, event, Reach::System, extent)
        }
    }
}

fn knows(view: &View, key: u64, event: &Event, reach: Reach, extent: Extent) -> bool {
    let release = view.as_ref().and_then(|known| known.get(&key));
    release.is_some_and(|release| release.covers(event, reach, extent))
}

/// Whether a thread that knows this knows that a launch has ended: one that follows it has released something
/// since.
pub(super) fn knows_end_of(view: &View, block: u64, neighbours: &Neighbours<'_>) -> bool {
    view.iter().flat_map(|known| known.iter()).any(|(&key, release)| {
        let (of, bits) = block_of(key);
        let reach = if bits == BY_SYSTEM { Reach::System } else { Reach::Device };
        bits != TOO_NARROW && neighbours.group.follows(of, block) && release.is_some(reach)
    })
}

/// Returns which scope of fences and flags would order an access on another device, if it were on the
/// same one.
pub(super) fn narrow(view: &View, block: u64, event: &Event) -> Fenced {
    let wide = [0, BY_SYSTEM];
    let narrow = wide.map(|bits| bits | TOO_NARROW);
    let any = |bits: [u64; 2], reach| {
        bits.into_iter().any(|bits| knows(view, block | bits, event, reach, Extent::Lane))
    };
    if any(wide, Reach::Device) {
        Fenced::OnDevice
    } else if any(narrow, Reach::System) {
        Fenced::ByFlagOnDevice
    } else if any(narrow, Reach::Device) {
        Fenced::OnDevice
    } else if any(wide, Reach::Block) || any(narrow, Reach::Block) {
        Fenced::InBlock
    } else {
        Fenced::No
    }
}

/// What is published at an address.
struct Published {
    known: Arc<Known>,
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
    ) -> Option<Arc<Known>> {
        if self.block != block && [self.scope, scope].contains(&Scope::Block) {
            return None;
        }
        let relation = neighbours.map(|all| all.relation(self.block));
        if relation == Some(Relation::OtherDevice) {
            let is_wide = [self.scope, scope] == [Scope::System; 2];
            return Some(across(&self.known, self.block, is_wide));
        }
        Some(self.known.clone())
    }
}

/// What is published, by address.
type PublishedByAddress = FxHashMap<u64, Published>;

/// What is published in device memory, by address. The blocks of a launch share it.
pub(super) struct Publications {
    by_address: Vec<Mutex<PublishedByAddress>>,
    is_some: AtomicBool,
}

impl Publications {
    pub fn new() -> Self {
        let by_address = std::iter::repeat_with(Mutex::default).take(SHARDS).collect();
        Self { by_address, is_some: AtomicBool::new(false) }
    }

    /// Returns the addresses at which blocks of this range have published last, in order.
    pub fn published_by(&self, blocks: &Range<u64>) -> Vec<u64> {
        let mut all = Vec::new();
        for shard in &self.by_address {
            let shard = shard.lock().unwrap_or_else(PoisonError::into_inner);
            let own = shard.iter().filter(|(_, published)| blocks.contains(&published.block));
            all.extend(own.map(|(&address, _)| address));
        }
        all.sort_unstable();
        all
    }

    fn lock(&self, address: u64) -> MutexGuard<'_, PublishedByAddress> {
        let shard = &self.by_address[(address / 4) as usize % SHARDS];
        shard.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The synchronisation state of one block.
pub(super) struct Flags<'a> {
    publications: &'a Publications,
    block: u64,
    /// What is published in shared memory, by offset.
    shared: PublishedByAddress,
    /// The launch among those that may run at the same time.
    neighbours: Option<Neighbours<'a>>,
}

impl<'a> Flags<'a> {
    pub fn new(publications: &'a Publications, neighbours: Option<Neighbours<'a>>) -> Self {
        Self { publications, block: 0, shared: FxHashMap::default(), neighbours }
    }

    pub fn start_block(&mut self, block: u64) {
        self.block = block;
        self.shared.clear();
    }

    /// Returns what the launch has acquired when it begins.
    pub fn inherited(&self) -> &View {
        self.neighbours.as_ref().map_or(&None, |neighbours| &neighbours.own.inherited)
    }

    /// Whether anything is published in a memory.
    fn has_any(&self, space: AccessSpace) -> bool {
        match space {
            AccessSpace::Shared => !self.shared.is_empty(),
            AccessSpace::Global => self.publications.is_some.load(Ordering::Relaxed),
        }
    }

    /// Notes that a strong access is about to write.
    pub fn publish(&mut self, access: &Access<'_>, clocks: &mut Clocks) {
        if !clocks.has_views() && !self.has_any(access.space) {
            return;
        }
        clocks.settle(access.warp, access.mask);
        let neighbours = self.neighbours.as_ref();
        let by = (self.block, self.scope(access), neighbours);
        for lane in lanes(access.mask) {
            let address = access.addresses.of(lane);
            let own = clocks.view(access.warp, lane);
            match access.space {
                AccessSpace::Shared => {
                    publish_at(&mut self.shared, address, own, access.kind, by);
                }
                AccessSpace::Global => {
                    let mut published = self.publications.lock(address);
                    publish_at(&mut published, address, own, access.kind, by);
                    if own.is_some() {
                        self.publications.is_some.store(true, Ordering::Relaxed);
                    }
                }
            }
        }
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

    /// Notes that a strong access has read, and adds what each lane acquires. The launches that follow this one
    /// will know it.
    pub fn acquire(&self, access: &Access<'_>, clocks: &mut Clocks) {
        if !self.has_any(access.space) {
            return;
        }
        let scope = self.scope(access);
        let learn = |published: &PublishedByAddress, address| {
            published.get(&address)?.to(self.block, scope, self.neighbours.as_ref())
        };
        let mut learned: Option<(u32, Arc<Known>)> = None;
        for lane in lanes(access.mask) {
            let address = access.addresses.of(lane);
            let there = match access.space {
                AccessSpace::Shared => learn(&self.shared, address),
                AccessSpace::Global => learn(&self.publications.lock(address), address),
            };
            let Some(there) = there else { continue };
            match &mut learned {
                Some((mask, same)) if Arc::ptr_eq(same, &there) => *mask |= 1 << lane,
                _ => {
                    let before = learned.replace((1 << lane, there));
                    self.learn(access.warp, before, clocks);
                }
            }
        }
        self.learn(access.warp, learned, clocks);
    }

    /// Adds what lanes acquire.
    fn learn(&self, warp: u32, learned: Option<(u32, Arc<Known>)>, clocks: &mut Clocks) {
        if let Some((mask, there)) = learned
            && clocks.learn_of_fences(warp, mask, &there)
            && let Some(neighbours) = &self.neighbours
        {
            neighbours.own.note_acquired(&there);
        }
    }
}

/// Notes a strong write by a thread of a block, with this scope. An atomic also adds what it reads and
/// acquires there.
fn publish_at(
    published: &mut PublishedByAddress,
    address: u64,
    own: &View,
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
        Some(known) => {
            published.insert(address, Published { known, block, scope });
        }
        None => {
            published.remove(&address);
        }
    }
}
