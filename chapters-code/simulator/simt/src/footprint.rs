//! What an operation of a stream has accessed in device memory, and where two such operations clash.
//!
//! Within a launch, and between the launches of a group, `races` checks each access as it happens. A copy or a fill
//! is no kernel, and launches that run one after another may still be unordered, as in two streams. For these a
//! [`Footprint`] keeps the last write and one read of each word. Two footprints clash where both access the same byte
//! and one of them writes. Whether anything orders the two operations is for the caller to know.
//!
//! - Two atomic, `volatile` or `relaxed` accesses do not clash.
//! - A launch that writes a flag after a fence *publishes* at the flag's address. Another one that accesses the flag
//!   in a strong way may know what came before: [`Footprint::passes_flag_to`].
//!
//! **Can miss:** all but the last of several accesses to the bytes of one word by threads that access single bytes.

use std::ops::Range;
use std::sync::Arc;

use simt_report::{Action, Missing, Race, RaceAccess, RaceKind, Space};

use crate::access::{AccessKind, Strength};
use crate::memory::Extent;
use crate::module::LoadedKernel;
use crate::races::{Event, GlobalHistory, Remembered};
use crate::shape::unravel;

/// Reads, or writes, that a footprint keeps run by run. Beyond that, neighbouring runs become one, and a report names
/// the first thread of it; and beyond twice that, runs with gaps between them are left out.
const MOST_RUNS: usize = 1 << 20;

/// Neighbouring bytes that are accessed in one way.
#[derive(Clone, Copy)]
struct Run {
    start: u64,
    bytes: u64,
    block: u64,
    event: Event,
    /// Each lane accesses `1 << shift` words.
    shift: u8,
}

/// What an operation has accessed in device memory.
#[derive(Clone)]
pub struct Footprint {
    reads: Runs,
    writes: Runs,
    /// The addresses of flags that were written after a fence, in order.
    published: Vec<u64>,
    whose: Whose,
}

/// Runs in the order of their addresses, which do not overlap.
#[derive(Clone, Default)]
struct Runs(Vec<Run>);

/// Whose accesses a footprint has.
#[derive(Clone)]
enum Whose {
    Launch(Blocks),
    Call(String),
}

/// The blocks of a launch in a history.
#[derive(Clone)]
pub(crate) struct Blocks {
    pub kernel: Arc<LoadedKernel>,
    pub grid: [u32; 3],
    /// The number of the first block.
    pub first_block: u64,
}

impl Blocks {
    fn numbers(&self) -> Range<u64> {
        let count: u64 = self.grid.iter().map(|extent| u64::from(*extent)).product();
        self.first_block..self.first_block + count
    }
}

/// One side of a clash.
struct Side<'a> {
    of: &'a Footprint,
    run: &'a Run,
}

impl Footprint {
    /// Creates the footprint of a copy or fill, which `call` names, from the ranges that it reads and writes.
    pub fn of_call(call: String, reads: &[Range<u64>], writes: &[Range<u64>]) -> Self {
        let runs = |ranges: &[Range<u64>], kind| {
            let event = Event::new(0, 1, 0, kind, Strength::Weak).with_all_bytes();
            let run = |range: &Range<u64>| Run {
                start: range.start,
                bytes: range.end.saturating_sub(range.start),
                block: 0,
                event,
                shift: 0,
            };
            Runs::new(ranges.iter().map(run).collect())
        };
        Self {
            reads: runs(reads, AccessKind::Load),
            writes: runs(writes, AccessKind::Store),
            published: Vec::new(),
            whose: Whose::Call(call),
        }
    }

    /// Creates the footprints of launches, whose blocks have numbers from `first_block` on in a history. The launches
    /// are in the order of these numbers.
    pub(crate) fn of_launches(history: &GlobalHistory, launches: Vec<Blocks>) -> Vec<Self> {
        let mut runs: Vec<[Vec<Run>; 2]> = launches.iter().map(|_| Default::default()).collect();
        history.each(|access: &Remembered| {
            let after = launches.partition_point(|launch| launch.first_block <= access.block);
            if let Some([reads, writes]) = after.checked_sub(1).and_then(|at| runs.get_mut(at)) {
                push(if access.event.is_load() { reads } else { writes }, Run::new(access));
            }
        });
        let runs = runs.into_iter().map(|all| all.map(Runs::new));
        let all = launches.into_iter().zip(runs);
        all.map(|(launch, [reads, writes])| {
            let published = history.published_by(&launch.numbers());
            Self { reads, writes, published, whose: Whose::Launch(launch) }
        })
        .collect()
    }

    /// Whether nothing was accessed.
    pub fn is_empty(&self) -> bool {
        self.reads.0.is_empty() && self.writes.0.is_empty()
    }

    /// Returns how much it keeps: some 40 bytes each.
    pub fn runs(&self) -> usize {
        self.reads.0.len() + self.writes.0.len()
    }

    /// Forgets the accesses to a range, whose memory is freed.
    pub fn forget(&mut self, range: &Range<u64>) {
        let is_apart = |run: &Run| run.start >= range.end || run.end() <= range.start;
        self.reads.0.retain(is_apart);
        self.writes.0.retain(is_apart);
        self.published.retain(|address| !range.contains(address));
    }

    /// Whether the other launch accesses a flag in a strong way that this one has written after a fence.
    pub fn passes_flag_to(&self, other: &Self) -> bool {
        let is_strong = |runs: &Runs, address| {
            runs.at(address).is_some_and(|run| run.event.is_strong_between_blocks())
        };
        let accesses =
            |address| is_strong(&other.reads, address) || is_strong(&other.writes, address);
        self.published.iter().any(|&address| accesses(address))
    }

    /// Returns the race of two operations that nothing orders, of which `self` came first, if there is one. `of`
    /// returns the allocation that contains an address, and `streams` name the streams.
    pub fn race(
        &self,
        later: &Self,
        of: impl Fn(u64) -> Option<Extent>,
        streams: [&str; 2],
    ) -> Option<Race> {
        let (first, second, address) = self.clash(later)?;
        let extent = of(address).unwrap_or(Extent::new(address, 0));
        let (array, offset) = (extent.to_string(), address - extent.base);
        let message = format!(
            "race of two operations that nothing orders: byte {offset} of {array}: {} in {}, then {} in {}: between \
             the streams an event is missing (cuEventRecord, cuStreamWaitEvent), or the host does not wait",
            first.words(address),
            streams[0],
            second.words(address),
            streams[1],
        );
        Some(Race {
            kind: RaceKind::unordered(first.run.event.kind(), second.run.event.kind()),
            space: Space::Global,
            array,
            offset,
            address,
            bytes: 0, // of a copy or fill
            first: first.access(address),
            second: second.access(address),
            missing: Missing::LaunchOrder,
            is_update: false,
            message,
        })
    }

    /// Returns the first byte at which two operations clash, and how both access it.
    fn clash<'a>(&'a self, later: &'a Self) -> Option<(Side<'a>, Side<'a>, u64)> {
        let pairs = [
            (&self.writes, &later.writes),
            (&self.writes, &later.reads),
            (&self.reads, &later.writes),
        ];
        let found = pairs.into_iter().filter_map(|(first, second)| first.clash(second));
        let (first, second, address) = found.min_by_key(|(.., address)| *address)?;
        Some((Side { of: self, run: first }, Side { of: later, run: second }, address))
    }
}

impl Runs {
    fn new(mut runs: Vec<Run>) -> Self {
        runs.retain(|run| run.bytes > 0);
        runs.sort_unstable_by_key(|run| run.start);
        runs.shrink_to_fit();
        Self(runs)
    }

    fn at(&self, address: u64) -> Option<&Run> {
        let after = self.0.partition_point(|run| run.start <= address);
        self.0.get(after.checked_sub(1)?).filter(|run| address < run.end())
    }

    /// Returns the first two runs that share bytes and are not both indivisible.
    fn clash<'a>(&'a self, other: &'a Self) -> Option<(&'a Run, &'a Run, u64)> {
        let (mut mine, mut others) = (self.0.iter().peekable(), other.0.iter().peekable());
        while let (Some(a), Some(b)) = (mine.peek(), others.peek()) {
            let address = a.start.max(b.start);
            if address < a.end().min(b.end()) && !a.event.both_strong_between_blocks(&b.event) {
                return Some((a, b, address));
            }
            if a.end() <= b.end() {
                mine.next()
            } else {
                others.next()
            };
        }
        None
    }
}

impl Run {
    /// Creates the run of one entry of a history.
    fn new(access: &Remembered) -> Self {
        let mask = access.event.byte_mask();
        // Part of a word is accessed by one thread, which accesses neighbouring bytes.
        let (skipped, bytes) = if access.words == 1 {
            (mask.trailing_zeros(), u64::from(mask.count_ones()))
        } else {
            (0, 4 * access.words)
        };
        Self {
            start: access.address + u64::from(skipped),
            bytes,
            block: access.block,
            event: access.event,
            shift: access.shift,
        }
    }

    fn end(&self) -> u64 {
        self.start + self.bytes
    }

    /// The lane that accesses an address.
    fn lane(&self, address: u64) -> u32 {
        let word = ((address - self.start) / 4) as u32;
        (self.event.lane() + (word >> self.shift)) & 31
    }

    /// Adds the next run if its words go on where this one ends, lane by lane.
    fn extend(&mut self, next: &Self) -> bool {
        let joins = self.end() == next.start
            && self.bytes.is_multiple_of(4)
            && next.bytes == 4
            && (self.shift, self.block) == (next.shift, next.block)
            && self.event.same_instruction(&next.event)
            && self.event.warp() == next.event.warp()
            && self.lane(next.start) == next.event.lane();
        self.bytes += if joins { next.bytes } else { 0 };
        joins
    }

    /// Adds the next run if it begins where this one ends and is of its kind, whichever threads access it.
    fn join(&mut self, next: &Self) -> bool {
        let joins = self.end() == next.start
            && self.event.kind() == next.event.kind()
            && self.event.is_strong_between_blocks() == next.event.is_strong_between_blocks();
        self.bytes += if joins { next.bytes } else { 0 };
        joins
    }
}

fn push(runs: &mut Vec<Run>, run: Run) {
    let count = runs.len();
    let joins = |last: &mut Run| last.extend(&run) || count >= MOST_RUNS && last.join(&run);
    if !runs.last_mut().is_some_and(joins) && count < 2 * MOST_RUNS {
        runs.push(run);
    }
}

impl Side<'_> {
    fn access(&self, address: u64) -> RaceAccess {
        let (event, access) = (&self.run.event, Action::from(self.run.event.kind()));
        match &self.of.whose {
            Whose::Call(call) => RaceAccess {
                line: call.clone(),
                device: None,
                block: [0; 3],
                warp: 0,
                lane: 0,
                access,
            },
            Whose::Launch(Blocks { kernel, grid, first_block }) => RaceAccess {
                line: kernel.source(event.pc),
                device: None,
                block: unravel(self.run.block - first_block, *grid),
                warp: event.warp(),
                lane: self.run.lane(address),
                access,
            },
        }
    }

    fn words(&self, address: u64) -> String {
        let RaceAccess { line, block: [x, y, z], warp, lane, access, .. } = self.access(address);
        match &self.of.whose {
            Whose::Call(call) => format!("{access} by {call}"),
            Whose::Launch(Blocks { kernel, .. }) => format!(
                "{access} by kernel `{}`, block ({x},{y},{z}), warp {warp}, lane {lane} at {line}",
                kernel.ir().name
            ),
        }
    }
}

#[cfg(test)]
#[expect(clippy::single_range_in_vec_init, reason = "a call has a list of ranges")]
mod tests {
    use super::*;

    fn call(reads: &[Range<u64>], writes: &[Range<u64>]) -> Footprint {
        Footprint::of_call("a call".into(), reads, writes)
    }

    #[test]
    fn ranges_clash_where_one_writes() {
        let clash = |a: &Footprint, b: &Footprint| a.clash(b).map(|(.., address)| address);
        let writer = call(&[], &[128..256, 512..640]);
        assert_eq!(clash(&writer, &call(&[], &[0..128, 256..512])), None);
        assert_eq!(clash(&writer, &call(&[0..128, 639..700], &[])), Some(639));
        assert_eq!(clash(&call(&[500..513], &[]), &writer), Some(512));
        assert_eq!(clash(&call(&[0..900], &[]), &call(&[0..900], &[])), None);
        assert_eq!(clash(&call(&[], &[0..0]), &call(&[], &[0..900])), None);
    }

    #[test]
    fn freed_memory_is_forgotten() {
        let mut writer = call(&[], &[128..256, 512..640]);
        writer.forget(&(500..700));
        assert!(writer.clash(&call(&[], &[512..640])).is_none());
        assert!(writer.clash(&call(&[], &[200..640])).is_some());
    }
}
