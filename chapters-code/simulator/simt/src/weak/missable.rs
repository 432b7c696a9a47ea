//! Plain loads that may miss a store, whether or not they do: see [`super`].

use rustc_hash::FxHashMap;
use simt_report::Cure;

use super::access::BlockId;
use super::thread::{Published, Released, merge};
use super::{Block, LaneAccess, Stale, State, Stores, ThreadId, Words, cure, lock, stamps};

/// A plain load that may miss a store, and whether only by PTX's model of barriers, or in another order of fences.
pub(crate) struct Missable {
    pub load: Stale,
    pub only_in_ptx: bool,
}

impl Stores<'_> {
    /// Returns the plain loads so far that may miss a store.
    pub fn take_missable(&self) -> Vec<Missable> {
        let take = |stores: &Self| std::mem::take(&mut lock(&stores.found).missable);
        let here = take(self);
        let is_known = |load: &Stale| here.iter().any(|known| known.is_like(load));
        let in_ptx: Vec<_> = self.in_ptx.iter().flat_map(|stores| take(stores)).collect();
        let in_ptx = in_ptx.into_iter().filter(|load| !is_known(load));
        let in_ptx: Vec<_> = in_ptx.map(|load| Missable { load, only_in_ptx: true }).collect();
        let here = here.into_iter().map(|load| Missable { load, only_in_ptx: false });
        here.chain(in_ptx).collect()
    }

    /// Adds to what each of these threads has released, and has seen, what the others have.
    pub(super) fn share_fences(
        &self,
        blocks: &mut FxHashMap<BlockId, Block>,
        threads: impl Iterator<Item = ThreadId> + Clone,
    ) {
        let (mut released, mut seen) =
            (Released::default(), FxHashMap::<u64, Published>::default());
        for thread in threads.clone() {
            let thread = self.thread(blocks, thread);
            released.add(&thread.released);
            for (word, published) in &thread.seen {
                merge(seen.entry(*word).or_default(), published);
            }
        }
        for thread in threads {
            let thread = self.thread(blocks, thread);
            thread.released.clone_from(&released);
            thread.seen.clone_from(&seen);
        }
    }

    /// Notes a load of words that were touched, which has returned the stores up to this stamp.
    pub(super) fn load_as(&self, by: &LaneAccess, words: &Words, at: u32) {
        let state = &mut *self.lock();
        let thread = self.thread(&mut state.blocks, by.thread);
        if let [oldest, _, ..] = stamps(&state.words, words, thread, by)[..]
            && !by.is_strong()
        {
            note_missable(&mut lock(&self.found).missable, state, by, words, oldest);
        }
        let thread = self.thread(&mut state.blocks, by.thread);
        for (word, _) in words {
            let history = state.words.get(word);
            let read = history.and_then(|all| all.iter().rev().find(|store| store.stamp <= at));
            read.into_iter().for_each(|read| thread.observe(by, *word, read));
        }
    }
}

impl Stale {
    /// Whether both are of the same two instructions.
    fn is_like(&self, other: &Self) -> bool {
        let pcs = |stale: &Self| (stale.load.pc, stale.store.map(|store| store.pc));
        pcs(self) == pcs(other)
    }
}

/// Notes a load that may return the store of this stamp or a later one.
pub(super) fn note_missable(
    known: &mut Vec<Stale>,
    state: &State,
    by: &LaneAccess,
    words: &Words,
    oldest: u32,
) {
    let newest = words.iter().filter_map(|(word, _)| {
        let newest = state.words.get(word)?.back()?;
        (newest.stamp > oldest).then_some((*word, newest))
    });
    for (word, newest) in newest {
        let missable = Stale { number: 0, load: *by, word, store: newest.by, cure: Cure::Flag };
        if known.iter().any(|known| known.is_like(&missable)) {
            continue;
        }
        let cure = cure(&state.blocks, by, newest);
        known.push(Stale { cure, ..missable });
    }
}
