//! Who folds what into what: the stages of a tree, read off a trace.
//!
//! In shared memory a thread's loads are what its next store depends on, and, if they do not explain
//! it, what the thread stored last in the same place, which it still has in a register, or what else it
//! has read since the barrier; between two barriers lies one stage. In registers a shuffle is a stage: a lane folds what it reads with what it has. Both
//! are checked against the values: if the result is not the fold of what went into it, the
//! kernel does something that this picture would not show, and there is none.

use std::collections::{BTreeMap, HashMap};

use figures::lanes;
use figures::tree::{Held, Move, Stage, Tree};
use simt_report::{AccessKind, AccessSpace, Event, TracedAccess};

use crate::fold::Fold;

/// Shuffles of a warp among which a chain is looked for.
const MOST_SHUFFLES: usize = 256;

/// A tree, and when it grows.
#[derive(Debug)]
pub struct Grown {
    /// The tree.
    pub tree: Tree,
    /// For each stage the index of the event, among those that were given, at which it is complete.
    pub ends: Vec<usize>,
}

/// What the threads of a block have in registers of what they did in shared memory.
#[derive(Default)]
struct Threads {
    /// What each has read since its last store.
    pending: HashMap<u32, Vec<Held>>,
    /// What each has read since the last barrier, a place once.
    read: HashMap<u32, Vec<Held>>,
    /// What each stored last.
    stored: HashMap<u32, Held>,
}

impl Threads {
    /// `thread` has read `held`.
    fn loads(&mut self, thread: u32, held: Held) {
        self.pending.entry(thread).or_default().push(held);
        let read = self.read.entry(thread).or_default();
        read.retain(|earlier| earlier.place != held.place);
        read.push(held);
    }

    /// What `thread` folded to store `held`: the first of what may explain it that does, or else what it
    /// has read since its last store.
    fn folded(&mut self, fold: Fold<'_>, thread: u32, held: Held) -> Vec<Held> {
        let pending = self.pending.remove(&thread).unwrap_or_default();
        let stored = self.stored.insert(thread, held);
        let own = stored.filter(|stored| stored.place == held.place);
        let with_own = own.into_iter().chain(pending.iter().copied()).collect();
        let read = self.read.get(&thread).cloned().unwrap_or_default();
        let same = read.iter().rfind(|read| read.bits == held.bits);
        let copied = same.into_iter().copied().collect();
        let explains = |from: &Vec<Held>| is_fold(fold, from, held);
        [pending.clone(), with_own, read, copied].into_iter().find(explains).unwrap_or(pending)
    }
}

fn is_fold(fold: Fold<'_>, from: &[Held], to: Held) -> bool {
    let bits: Vec<u64> = from.iter().map(|held| held.bits).collect();
    fold.is_fold(&bits, to.bits)
}

/// The tree that a block folds in its shared memory.
///
/// # Errors
/// If the block folds nothing there, or something that a tree would not show.
pub fn in_shared(events: &[&Event], fold: Fold<'_>) -> Result<Grown, String> {
    let mut tree = Tree::default();
    let mut ends = Vec::new();
    let mut stage = Stage::default();
    let mut threads = Threads::default();
    for (index, event) in events.iter().enumerate() {
        match event {
            Event::Access { place, access } if access.space == AccessSpace::Shared => {
                for (lane, held) in held(access)? {
                    let thread = place.warp * 32 + lane;
                    if access.access == AccessKind::Load {
                        threads.loads(thread, held);
                        stage.read.push(held.place);
                        continue;
                    }
                    let mut from = threads.folded(fold, thread, held);
                    match fold.is_identity(held.bits) {
                        true if !is_fold(fold, &from, held) => from.clear(),
                        _ => check(fold, thread, &from, held)?,
                    }
                    stage.read.extend(from.iter().map(|held| held.place));
                    stage.held.insert(held.place, held.bits);
                    stage.moves.push(Move { thread, from, to: held });
                }
            }
            // The result may go out from a register, without being read again.
            Event::Access { place, access } if access.access == AccessKind::Store => {
                for (lane, result) in held(access)? {
                    let stored = threads.stored.get(&(place.warp * 32 + lane));
                    let own = stored.filter(|stored| stored.bits == result.bits);
                    stage.read.extend(own.map(|stored| stored.place));
                }
            }
            Event::BarrierPassed { .. } | Event::WarpSynchronised { .. } => {
                close(&mut tree, &mut stage);
                ends.resize(tree.stages.len(), index);
                threads.read.clear();
            }
            Event::Instruction { .. }
            | Event::Access { .. }
            | Event::Shuffle { .. }
            | Event::Mbarrier { .. } => {}
        }
    }
    // What is read in the end, on its way to the output, has no stage of its own.
    if !stage.moves.is_empty() || !stage.read.is_empty() {
        tree.stages.push(stage);
        carry(&mut tree);
        ends.push(events.len() - 1);
    }
    let folds = |step: &Move| !step.from.is_empty();
    match tree.stages.iter().any(|stage| stage.moves.iter().any(folds)) {
        true => Ok(Grown { tree, ends }),
        false => Err("the block folds nothing in shared memory".to_owned()),
    }
}

/// Ends a stage, unless nothing has been stored in it.
fn close(tree: &mut Tree, stage: &mut Stage) {
    if !stage.moves.is_empty() {
        tree.stages.push(std::mem::take(stage));
        carry(tree);
    }
}

/// What the last stage did not touch is as before.
fn carry(tree: &mut Tree) {
    if let [.., before, last] = &mut tree.stages[..] {
        for (&place, &bits) in &before.held {
            last.held.entry(place).or_insert(bits);
        }
    }
}

fn check(fold: Fold<'_>, thread: u32, from: &[Held], to: Held) -> Result<(), String> {
    if from.is_empty() || is_fold(fold, from, to) {
        return Ok(());
    }
    let read: Vec<_> = from.iter().map(|held| fold.text(held.bits)).collect();
    Err(format!(
        "thread {thread} puts {} in place {}, which is not the {} of what it has read, {}: the \
         tree would not show where the rest comes from",
        fold.text(to.bits),
        to.place,
        fold.op,
        read.join(" and "),
    ))
}

/// The words of a shared array that an access touches, by lane.
fn held(access: &TracedAccess) -> Result<Vec<(u32, Held)>, String> {
    let mut all = Vec::new();
    let elements = lanes(access.lanes).zip(&access.addresses).zip(&access.values);
    for ((lane, address), values) in elements {
        let &[bits] = &values[..] else {
            return Err("a tree has one value an access, and this kernel has several".to_owned());
        };
        let place = (address.saturating_sub(access.base) / u64::from(access.bytes)) as usize;
        all.push((lane, Held { place, bits }));
    }
    Ok(all)
}

/// A shuffle of all lanes of a warp.
struct Shuffle<'a> {
    /// The index of the event.
    at: usize,
    /// For each lane the one that it reads from, which is itself if there is none.
    sources: &'a [u32],
    values: &'a [u32],
}

/// The tree that a warp folds in its registers: by all shuffles up to the first thing that it stores, or else by the
/// longest chain among them in which each exchanges what the one before it has folded, as one scan of several has.
///
/// # Errors
/// If the warp folds nothing there but identities, or something that a tree would not show.
pub fn in_registers(events: &[&Event], warp: u32, fold: Fold<'_>) -> Result<Grown, String> {
    let mut shuffles = Vec::new();
    let mut result = None;
    for (at, event) in events.iter().enumerate() {
        match event {
            Event::Shuffle { place, sources, values, .. } if place.warp == warp => {
                shuffles.push(Shuffle { at, sources, values });
            }
            Event::Access { place, access }
                if place.warp == warp
                    && access.access == AccessKind::Store
                    && !shuffles.is_empty() =>
            {
                result = held(access)?.first().copied();
                break;
            }
            _ => {}
        }
    }
    let (lane, Held { bits, .. }) =
        result.ok_or_else(|| format!("warp {warp} folds nothing by shuffles"))?;
    if shuffles.iter().any(|shuffle| shuffle.sources.len() != 32) {
        return Err("a shuffle lacks lanes, and the tree would lack branches".to_owned());
    }
    let is_identity =
        |shuffle: &Shuffle<'_>| shuffle.values.iter().all(|&bits| fold.is_identity(bits.into()));
    if shuffles.iter().all(is_identity) {
        return Err(format!("warp {warp} has no data"));
    }
    let last = BTreeMap::from([(lane as usize, bits)]);
    let all: Vec<&Shuffle<'_>> = shuffles.iter().collect();
    grown(&all, last, lane as usize, fold).or_else(|error| {
        let chain = longest_chain(&shuffles, fold).ok_or(error)?;
        let (last, before) = chain.split_last().ok_or("there is no chain")?;
        grown(before, by_lane(last), widest(before), fold)
    })
}

/// The tree of shuffles that leads to what a lane has after them.
fn grown(
    shuffles: &[&Shuffle<'_>],
    last: BTreeMap<usize, u64>,
    lane: usize,
    fold: Fold<'_>,
) -> Result<Grown, String> {
    let mut tree = Tree::default();
    for shuffle in shuffles {
        tree.stages.push(Stage { held: by_lane(shuffle), ..Stage::default() });
    }
    tree.stages.push(Stage { held: last, ..Stage::default() });
    let mut wanted = vec![lane];
    for number in (1..tree.stages.len()).rev() {
        let before = tree.stages[number - 1].held.clone();
        let sources = shuffles[number - 1].sources;
        wanted = fold_stage(&mut tree.stages[number], &before, sources, &wanted);
    }
    let first = &mut tree.stages[0];
    first.moves = first.held.iter().map(|(&place, &bits)| Move::fill(place, bits)).collect();
    for step in tree.stages.iter().flat_map(|stage| &stage.moves) {
        check(fold, step.thread, &step.from, step.to)?;
    }
    // A shuffle completes the stage behind it; the first finds one that is there.
    let mut ends: Vec<usize> = shuffles.iter().map(|shuffle| shuffle.at).collect();
    ends.insert(0, ends[0]);
    Ok(Grown { tree, ends })
}

/// What each lane gives to a shuffle.
fn by_lane(shuffle: &Shuffle<'_>) -> BTreeMap<usize, u64> {
    shuffle.values.iter().map(|&bits| u64::from(bits)).enumerate().collect()
}

/// The longest list of shuffles, of at least three, in which each exchanges what the one before it has folded, and of
/// which the first has data. The last one shows only what it exchanges.
fn longest_chain<'s, 'a>(
    shuffles: &'s [Shuffle<'a>],
    fold: Fold<'_>,
) -> Option<Vec<&'s Shuffle<'a>>> {
    let mut longest = Vec::new();
    let mut begun = vec![false; shuffles.len().min(MOST_SHUFFLES)];
    for first in 0..begun.len() {
        let has_data = shuffles[first].values.iter().any(|&bits| !fold.is_identity(bits.into()));
        if begun[first] || !has_data {
            continue;
        }
        let mut chain = vec![first];
        let mut last = first;
        let follows = |last: usize, next: usize| {
            let [before, after] = [last, next].map(|number| &shuffles[number]);
            (0..32).all(|lane| is_folded(before, after, lane, fold))
        };
        while let Some(next) = (last + 1..begun.len()).find(|&next| follows(last, next)) {
            chain.push(next);
            begun[next] = true;
            last = next;
        }
        if chain.len() > longest.len() {
            longest = chain;
        }
    }
    (longest.len() > 2).then(|| longest.iter().map(|&number| &shuffles[number]).collect())
}

/// Whether a lane has, at a shuffle, the fold of what it had and read at an earlier one; without a lane to read from, what
/// it had.
fn is_folded(before: &Shuffle<'_>, after: &Shuffle<'_>, lane: usize, fold: Fold<'_>) -> bool {
    let source = before.sources[lane] as usize;
    let [own, read, now] = [before.values[lane], before.values[source], after.values[lane]];
    match source == lane {
        true => now == own,
        false => fold.is_fold(&[own.into(), read.into()], now.into()),
    }
}

/// The lane that has folded most after these shuffles, the first of several.
fn widest(shuffles: &[&Shuffle<'_>]) -> usize {
    let mut folded = [1u64; 32];
    for shuffle in shuffles {
        let before = folded;
        for (lane, &source) in shuffle.sources.iter().enumerate() {
            if source as usize != lane {
                folded[lane] = folded[lane].saturating_add(before[source as usize]);
            }
        }
    }
    let most = folded.iter().max().copied().unwrap_or_default();
    folded.iter().position(|&count| count == most).unwrap_or_default()
}

/// The moves of a shuffle that lead to the wanted lanes, and the lanes that these want.
fn fold_stage(
    stage: &mut Stage,
    before: &BTreeMap<usize, u64>,
    sources: &[u32],
    wanted: &[usize],
) -> Vec<usize> {
    let mut needed = Vec::new();
    for &lane in wanted {
        let source = sources[lane] as usize;
        let places = if source == lane { vec![lane] } else { vec![lane, source] };
        let from: Vec<Held> =
            places.into_iter().map(|place| Held { place, bits: before[&place] }).collect();
        needed.extend(from.iter().map(|held| held.place));
        let bits = stage.held[&lane];
        stage.moves.push(Move { thread: lane as u32, from, to: Held { place: lane, bits } });
    }
    needed.sort_unstable();
    needed.dedup();
    stage.read.clone_from(&needed);
    needed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_of_unknown_origin_is_refused() {
        let held = |place, number: u64| Held { place, bits: number };
        let mut threads = Threads::default();
        let fold = Fold { op: "sum", dtype: "u32" };
        assert!(threads.folded(fold, 0, held(0, 4)).is_empty());
        threads.loads(0, held(1, 5));
        let from = threads.folded(fold, 0, held(0, 9));
        assert_eq!(from, [held(0, 4), held(1, 5)], "what it stored, and what it read");
        threads.loads(0, held(1, 5));
        let from = threads.folded(fold, 0, held(0, 20));
        let refused = check(fold, 0, &from, held(0, 20)).expect_err("9 + 5 is not 20");
        assert!(refused.contains("would not show where"), "{refused}");
    }
}
