//! What fences have covered: the values that flags carry from thread to thread.

use std::sync::Arc;

use ptx::ir::Scope;
use rustc_hash::FxHashMap;

use super::Event;
use super::thread_clocks::join;
use crate::counters::lanes;
use crate::registers::LaneMask;

/// Lanes of a warp.
const LANES: usize = 32;

/// A map that is shared until it is changed; `None` for an empty one.
pub(crate) type Shared<V> = Option<Arc<FxHashMap<u64, V>>>;

/// What a [`View`] points to.
pub(crate) type Known = FxHashMap<u64, Arc<Release>>;

/// What a thread knows of fences: for each block, what those fences have covered that happen before the
/// thread's present. The keys have the bits that [`super::sync`] describes.
pub(crate) type View = Shared<Arc<Release>>;

/// A value that grows as more is known.
pub(crate) trait Join: Clone + Default {
    /// Whether it has all of `other`.
    fn includes(&self, other: &Self) -> bool;
    fn join(&mut self, other: &Self);
}

impl Join for u32 {
    fn includes(&self, other: &Self) -> bool {
        self >= other
    }

    fn join(&mut self, other: &Self) {
        *self = *other.max(self);
    }
}

impl Join for Arc<Release> {
    fn includes(&self, other: &Self) -> bool {
        Self::ptr_eq(self, other) || self.includes_all(other)
    }

    fn join(&mut self, other: &Self) {
        if self.includes(other) {
            return;
        }
        if other.includes_all(self) {
            self.clone_from(other);
        } else {
            Self::make_mut(self).join(other);
        }
    }
}

/// Adds what another thread knows. Returns whether there is anything new.
pub(crate) fn union<V: Join>(known: &mut Shared<V>, more: &Arc<FxHashMap<u64, V>>) -> bool {
    let Some(own) = known else {
        *known = Some(more.clone());
        return true;
    };
    if Arc::ptr_eq(own, more) || !adds(more, own) {
        return false;
    }
    // The smaller map is added to the larger one.
    let before;
    let smaller = if own.len() < more.len() {
        before = std::mem::replace(own, more.clone());
        if !adds(&before, own) {
            return true; // the larger map has all of it, and stays shared
        }
        &before
    } else {
        more
    };
    let own = Arc::make_mut(own);
    for (&key, value) in smaller.iter() {
        own.entry(key).or_default().join(value);
    }
    true
}

/// Whether a map has anything that another one has not.
fn adds<V: Join>(more: &FxHashMap<u64, V>, known: &FxHashMap<u64, V>) -> bool {
    more.iter().any(|(key, value)| known.get(key).is_none_or(|known| !known.includes(value)))
}

/// For each thread, and each agent, of a block: the last epoch that is included.
#[derive(Clone, Debug, Default)]
pub(super) struct Epochs {
    warps: Vec<WarpEpochs>,
    pub agents: Vec<u32>,
}

/// One epoch for all lanes of a warp, or one for each.
#[derive(Clone, Debug)]
enum WarpEpochs {
    All(u32),
    Lanes(Box<[u32; LANES]>),
}

impl WarpEpochs {
    fn of(&self, lane: usize) -> u32 {
        match self {
            Self::All(epoch) => *epoch,
            Self::Lanes(epochs) => epochs[lane],
        }
    }

    /// Returns the epoch that is included for every lane.
    fn least(&self) -> u32 {
        match self {
            Self::All(epoch) => *epoch,
            Self::Lanes(epochs) => epochs.iter().copied().fold(u32::MAX, u32::min),
        }
    }

    fn from_fn(epoch: impl Fn(usize) -> u32) -> Self {
        let epochs: [u32; LANES] = std::array::from_fn(epoch);
        if epochs.iter().all(|epoch| *epoch == epochs[0]) {
            Self::All(epochs[0])
        } else {
            Self::Lanes(Box::new(epochs))
        }
    }

    fn includes(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::All(own), Self::All(other)) => own >= other,
            _ => (0..LANES).all(|lane| self.of(lane) >= other.of(lane)),
        }
    }

    fn join(&mut self, other: &Self) {
        *self = match (&*self, other) {
            (Self::All(own), Self::All(other)) => Self::All(*own.max(other)),
            (own, other) => Self::from_fn(|lane| own.of(lane).max(other.of(lane))),
        };
    }
}

impl Epochs {
    /// Creates a clock with these epochs, which all lanes of each warp share.
    pub fn of_warps(epochs: impl Iterator<Item = u32>) -> Self {
        Self { warps: epochs.map(WarpEpochs::All).collect(), agents: Vec::new() }
    }

    /// Includes the epochs up to this one of lanes of a warp.
    pub fn raise(&mut self, warp: u32, mask: LaneMask, epoch: u32) {
        let Some(own) = self.warps.get_mut(warp as usize) else { return };
        let added = |lane: usize| if mask >> lane & 1 == 1 { epoch } else { 0 };
        own.join(&WarpEpochs::from_fn(added));
    }

    /// Includes epochs by thread number, and agents.
    pub fn add(&mut self, threads: &[u32], agents: &[u32]) {
        for (warp, epochs) in (0..).zip(threads.chunks(LANES)) {
            let lane = |lane: usize| epochs.get(lane).copied().unwrap_or(0);
            let more = WarpEpochs::from_fn(lane);
            if let Some(own) = self.warps.get_mut(warp as usize) {
                own.join(&more);
            }
        }
        join(&mut self.agents, agents);
    }

    fn includes(&self, other: &Self) -> bool {
        let known = |index: usize| self.agents.get(index).copied().unwrap_or(0);
        self.warps.len() >= other.warps.len()
            && self.warps.iter().zip(&other.warps).all(|(own, other)| own.includes(other))
            && other.agents.iter().enumerate().all(|(index, epoch)| known(index) >= *epoch)
    }

    fn join(&mut self, other: &Self) {
        for (own, other) in self.warps.iter_mut().zip(&other.warps) {
            own.join(other);
        }
        let more = other.warps.iter().skip(self.warps.len());
        self.warps.extend(more.cloned());
        join(&mut self.agents, &other.agents);
    }

    /// Whether an access is included or, of the access of a whole warp, the part of every lane.
    fn has(&self, event: &Event, extent: Extent) -> bool {
        if let Some(agent) = event.agent() {
            return self.agents.get(agent as usize).is_some_and(|up_to| *up_to >= event.number());
        }
        let of_warp = |warp: &WarpEpochs| match extent {
            Extent::Lane => warp.of(event.lane() as usize),
            Extent::Warp => warp.least(),
        };
        self.warps.get(event.warp() as usize).is_some_and(|warp| of_warp(warp) >= event.epoch)
    }

    fn is_empty(&self) -> bool {
        self.warps.iter().all(|warp| WarpEpochs::All(0).includes(warp))
            && self.agents.iter().all(|epoch| *epoch == 0)
    }
}

/// Whether an event stands for itself, or for the accesses of all lanes of its warp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Extent {
    Lane,
    Warp,
}

/// For whom a release holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reach {
    Block,
    Device,
    System,
    /// For the device, if all threads of the block had met just before the release.
    DeviceOfAll,
}

impl From<Scope> for Reach {
    fn from(scope: Scope) -> Self {
        match scope {
            Scope::Block => Self::Block,
            Scope::Device => Self::Device,
            Scope::System => Self::System,
        }
    }
}

/// What fences of one block have covered, by [`Reach`].
#[derive(Clone, Debug, Default)]
pub(crate) struct Release([Option<Arc<Epochs>>; 4]);

impl Release {
    /// Creates what a fence covers. `all` is what it would if all threads of the block had met before.
    pub(super) fn new(covered: Epochs, all: Epochs, scope: Scope) -> Self {
        let covered = Arc::new(covered);
        let up_to = |reach: Scope| (reach as u8 <= scope as u8).then(|| covered.clone());
        let all = (scope != Scope::Block).then(|| Arc::new(all));
        Self([up_to(Scope::Block), up_to(Scope::Device), up_to(Scope::System), all])
    }

    /// Whether an access is covered or, of the access of a whole warp, the part of every lane.
    pub(super) fn covers(&self, event: &Event, reach: Reach, extent: Extent) -> bool {
        self.0[reach as usize].as_ref().is_some_and(|epochs| epochs.has(event, extent))
    }

    /// Whether anything is covered.
    pub(super) fn is_some(&self, reach: Reach) -> bool {
        self.0[reach as usize].as_ref().is_some_and(|epochs| !epochs.is_empty())
    }

    fn includes_all(&self, other: &Self) -> bool {
        self.0.iter().zip(&other.0).all(|pair| match pair {
            (_, None) => true,
            (None, Some(_)) => false,
            (Some(own), Some(other)) => Arc::ptr_eq(own, other) || own.includes(other),
        })
    }

    fn join(&mut self, other: &Self) {
        // The reaches of one fence share a clock, and go on sharing it.
        let mut last: Option<[Arc<Epochs>; 3]> = None;
        for (own, more) in self.0.iter_mut().zip(&other.0) {
            let Some(more) = more else { continue };
            let Some(before) = own else {
                *own = Some(more.clone());
                continue;
            };
            let same = |[known, added, _]: &&[Arc<Epochs>; 3]| {
                Arc::ptr_eq(before, known) && Arc::ptr_eq(more, added)
            };
            let joined = match last.as_ref().filter(same) {
                Some([_, _, joined]) => joined.clone(),
                None => joined(before, more),
            };
            last = Some([before.clone(), more.clone(), joined.clone()]);
            *own = Some(joined);
        }
    }
}

fn joined(one: &Arc<Epochs>, other: &Arc<Epochs>) -> Arc<Epochs> {
    if Arc::ptr_eq(one, other) || one.includes(other) {
        return one.clone();
    }
    if other.includes(one) {
        return other.clone();
    }
    let mut joined = Epochs::clone(one);
    joined.join(other);
    Arc::new(joined)
}

/// A fence, or a release, by lanes of a warp.
#[derive(Clone, Debug)]
pub(super) struct Fence {
    pub lanes: LaneMask,
    pub scope: Scope,
    /// The epoch of the warp that it ended.
    pub epoch: u32,
}

/// What the lanes of a warp know of fences.
#[derive(Clone, Default)]
pub(super) struct Views {
    /// What all lanes know.
    pub all: View,
    /// What each lane knows, if that is more.
    lanes: Option<Box<[View; LANES]>>,
    /// The lanes' own fences that are not in the views yet. Nothing that a lane knew has changed since.
    fences: Vec<Fence>,
}

impl Views {
    /// Creates the views of lanes that all know the same.
    pub fn all(all: View) -> Self {
        Self { all, lanes: None, fences: Vec::new() }
    }

    /// Notes a fence. A later one covers all that an earlier one of the same lanes has.
    pub fn fence(&mut self, fence: Fence) {
        for earlier in self.fences.iter_mut().filter(|f| f.scope as u8 <= fence.scope as u8) {
            earlier.lanes &= !fence.lanes;
        }
        self.fences.retain(|earlier| earlier.lanes != 0);
        self.fences.push(fence);
    }

    /// Returns the fences of these lanes that are not in the views.
    pub fn fences(&self, mask: LaneMask) -> impl Iterator<Item = Fence> {
        let of_lanes = move |fence: &Fence| Fence { lanes: fence.lanes & mask, ..*fence };
        self.fences.iter().map(of_lanes).filter(|fence| fence.lanes != 0)
    }

    /// Removes the fences of these lanes, which are in the views now.
    pub fn forget_fences(&mut self, mask: LaneMask) {
        self.fences.iter_mut().for_each(|fence| fence.lanes &= !mask);
        self.fences.retain(|fence| fence.lanes != 0);
    }

    /// Returns what a lane knows.
    pub fn of(&self, lane: u32) -> &View {
        let own = self.lanes.as_ref().map(|lanes| &lanes[lane as usize]);
        own.filter(|own| own.is_some()).unwrap_or(&self.all)
    }

    /// Returns what any lane knows that all do not know together, and what all know.
    pub fn each(&self) -> impl Iterator<Item = &View> {
        let lanes = self.lanes.iter().flat_map(|lanes| lanes.iter());
        lanes.filter(|own| own.is_some()).chain([&self.all])
    }

    /// Adds what lanes learn.
    pub fn learn(&mut self, mask: LaneMask, more: &Arc<Known>) -> bool {
        if mask == LaneMask::MAX && self.lanes.is_none() {
            return union(&mut self.all, more);
        }
        let mut is_new = false;
        // Lanes that know and learn the same share the result.
        let mut last: [View; 2] = [None, None];
        for lane in lanes(mask) {
            let before = self.of(lane).clone();
            if !is_same(&before, &last[0]) || last[1].is_none() {
                let mut after = before.clone();
                if !union(&mut after, more) {
                    continue;
                }
                last = [before, after];
            }
            is_new = true;
            self.lanes.get_or_insert_default()[lane as usize].clone_from(&last[1]);
        }
        is_new
    }

    /// Sets what each of these lanes knows, after they have met.
    pub fn meet(&mut self, mask: LaneMask, joined: View) {
        self.forget_fences(mask);
        if mask == LaneMask::MAX {
            (self.all, self.lanes) = (joined, None);
        } else if joined.is_some() {
            let own = self.lanes.get_or_insert_default();
            lanes(mask).for_each(|lane| own[lane as usize].clone_from(&joined));
        }
    }

    /// Adds what these lanes know to a view.
    pub fn add_to(&self, mask: LaneMask, joined: &mut View) {
        if let Some(all) = &self.all {
            union(joined, all);
        }
        let own = lanes(if self.lanes.is_some() { mask } else { 0 });
        for known in own.filter_map(|lane| self.of(lane).as_ref()) {
            union(joined, known);
        }
    }
}

fn is_same(one: &View, other: &View) -> bool {
    match (one, other) {
        (None, None) => true,
        (Some(one), Some(other)) => Arc::ptr_eq(one, other),
        _ => false,
    }
}
