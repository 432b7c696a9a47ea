//! The tiles that blocks pass values along, at one moment: what each tile's status word holds, which block has the tile,
//! and for which tiles it waits.
//!
//! All is read off the trace. Status words are those that kernels store and load by the functions of `tagged.cuh` and
//! `words.cuh`: a tag in the upper half, and a value or half of one in the lower. A block has the tiles whose words it
//! stores at any time. It waits while the last that a warp of it has accessed are words that nothing has stored yet.

use std::collections::BTreeMap;

use simt_report::{AccessKind, Event, LaunchReport, Place, TracedAccess};
use svg::node::Node;
use svg::node::element::{Element, Group, Title};

use crate::shapes::{Frame, Picture, element, rectangle, text};
use crate::status::{self, WORD};

const LEFT: f64 = 56.0;
const PITCH: f64 = 62.0;
const CELL: [f64; 2] = [58.0, 36.0];
const ROW: f64 = 92.0;
const PER_ROW: usize = 12;
/// Tiles that are drawn at most.
const MOST: usize = 2 * PER_ROW;
/// Tiles of which the state is kept at most.
const MOST_TILES: u64 = 1 << 16;
/// The files of the functions that store and load status words.
const FILES: [&str; 2] = ["tagged.cuh", "words.cuh"];

/// What the tag of a status word says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tag {
    /// The tag.
    pub tag: u64,
    /// What it says, such as `aggregate`.
    pub name: String,
}

impl Tag {
    /// The name of the tag behind which nothing is needed.
    pub const PREFIX: &str = "prefix";
    /// The name of the tag of a tile alone.
    pub const AGGREGATE: &str = "aggregate";
}

/// How values are shown: bits and their bytes as text.
pub type Format<'a> = &'a dyn Fn(u64, u32) -> String;

fn of_status(event: &Event) -> Option<(&Place, &TracedAccess)> {
    status::access(event, &FILES)
}

/// Whether an event is a load of status words.
pub fn is_look(event: &Event) -> bool {
    of_status(event).is_some_and(|(_, access)| access.access == AccessKind::Load)
}

/// The words of an access: address and bits.
fn words(access: &TracedAccess) -> impl Iterator<Item = (u64, u64)> {
    status::words(access).map(|(_, address, bits)| (address, bits))
}

/// Where the status words lie.
struct Layout {
    base: u64,
    /// Words of a tile.
    per_tile: u64,
    /// Tiles whose words are stored.
    count: usize,
}

impl Layout {
    /// The layout by the stores of a whole launch; none if it has none, or too many.
    fn of(events: &[Event]) -> Option<Self> {
        let stores = events.iter().filter_map(of_status);
        let stores = stores.filter(|(_, access)| status::is_store(access));
        let addresses: Vec<u64> =
            stores.flat_map(|(_, access)| words(access)).map(|(address, _)| address).collect();
        let base = addresses.iter().copied().min()?;
        let last = addresses.iter().copied().max()?;
        let per_tile = if has_pairs(events) { 2 } else { 1 };
        let count = (last - base) / (WORD * per_tile) + 1;
        // The words of several devices lie far apart.
        (count <= MOST_TILES).then_some(Self { base, per_tile, count: count as usize })
    }

    /// The tile of an address, and the number of the word.
    fn tile(&self, address: u64) -> Option<(usize, u64)> {
        let word = address.checked_sub(self.base)? / WORD;
        let tile = usize::try_from(word / self.per_tile).ok()?;
        (tile < self.count).then_some((tile, word % self.per_tile))
    }
}

/// Whether each value is stored as two words, as one of 64 bits is: a warp then stores each second word right behind the
/// first, with the same tag. Between the words of two tiles it accesses other memory.
fn has_pairs(events: &[Event]) -> bool {
    let mut open: BTreeMap<(u64, u32), Vec<(u64, u64)>> = BTreeMap::new();
    let (mut has_pairs, mut is_alone) = (false, false);
    for event in events {
        let Event::Access { place, access } = event else { continue };
        let is_store = of_status(event).is_some() && status::is_store(access);
        let stored: Vec<(u64, u64)> = if is_store { words(access).collect() } else { Vec::new() };
        let warp = (place.block, place.warp);
        match open.remove(&warp) {
            Some(first) => {
                let is_second = |(one, other): (&(u64, u64), &(u64, u64))| {
                    other.0 == one.0 + WORD && other.1 >> 32 == one.1 >> 32
                };
                let is_pair =
                    first.len() == stored.len() && first.iter().zip(&stored).all(is_second);
                has_pairs |= is_pair;
                is_alone |= !is_pair;
            }
            None if is_store => _ = open.insert(warp, stored),
            None => {}
        }
    }
    has_pairs && !is_alone && open.is_empty()
}

/// A tile at a moment.
#[derive(Clone, Debug, Default)]
struct Tile {
    /// The words that have been stored, by their numbers.
    words: BTreeMap<u64, u64>,
    /// The block that stores them at some time.
    block: Option<u64>,
}

impl Tile {
    /// What the tag says, and the value; none if nothing has been stored.
    fn content(&self, tags: &[Tag], bytes: u32, format: Format<'_>) -> Option<(String, String)> {
        let first = *self.words.get(&0)?;
        let name = tags.iter().find(|known| known.tag == first >> 32);
        let low = |word: &u64| word & u64::from(u32::MAX);
        let bits = low(&first) | self.words.get(&1).map_or(0, |second| low(second) << 32);
        let name = name.map_or("published", |known| &known.name);
        Some((name.to_owned(), format(bits, bytes)))
    }

    fn has(&self, tags: &[Tag], name: &str) -> bool {
        let tag = self.words.get(&0).map(|word| word >> 32);
        tags.iter().any(|known| Some(known.tag) == tag && known.name == name)
    }
}

/// All tiles at a moment, and for which ones each warp waits, by block and warp.
struct State {
    tiles: Vec<Tile>,
    waiting: BTreeMap<(u64, u32), Vec<usize>>,
}

impl State {
    fn of(events: &[Event], layout: &Layout, until: usize, tags: &[Tag]) -> Self {
        let tiles = vec![Tile::default(); layout.count];
        let mut state = Self { tiles, waiting: BTreeMap::new() };
        for (index, event) in events.iter().enumerate() {
            let Event::Access { place, .. } = event else { continue };
            match of_status(event) {
                Some((place, access)) if access.access == AccessKind::Store => {
                    for (address, bits) in words(access) {
                        let Some((tile, word)) = layout.tile(address) else { continue };
                        state.tiles[tile].block = Some(place.block);
                        if index <= until {
                            state.tiles[tile].words.insert(word, bits);
                        }
                    }
                }
                Some((place, access)) if index <= until => state.look(layout, place, access, tags),
                Some(_) => {}
                None if index <= until => _ = state.waiting.remove(&(place.block, place.warp)),
                None => {}
            }
        }
        state
    }

    /// Notes what a warp that loads status words misses: what is not stored, from the last prefix on.
    fn look(&mut self, layout: &Layout, place: &Place, access: &TracedAccess, tags: &[Tag]) {
        let tiles = words(access).filter_map(|(address, _)| layout.tile(address));
        let mut seen: Vec<usize> = tiles.map(|(tile, _)| tile).collect();
        seen.sort_unstable();
        seen.dedup();
        let prefix = seen.iter().rposition(|&tile| self.tiles[tile].has(tags, Tag::PREFIX));
        let mut missing = seen.split_off(prefix.unwrap_or(0));
        missing.retain(|&tile| self.tiles[tile].words.is_empty());
        let warp = (place.block, place.warp);
        match missing.is_empty() {
            true => _ = self.waiting.remove(&warp),
            false => _ = self.waiting.insert(warp, missing),
        }
    }

    /// The tiles for which warps of a block wait. One that has been published since a warp looked is none.
    fn missed_by(&self, block: u64) -> Vec<usize> {
        let own = self.waiting.iter().filter(|((of, _), _)| *of == block);
        let missed = own.flat_map(|(_, tiles)| tiles).copied();
        let mut missed: Vec<usize> =
            missed.filter(|&tile| self.tiles[tile].words.is_empty()).collect();
        missed.sort_unstable();
        missed.dedup();
        missed
    }
}

/// Draws the tiles as they are after the event `until`, of many those around the tiles of `block`; none if blocks pass
/// nothing along, or there is one tile.
pub fn at(
    launch: &LaunchReport,
    block: u64,
    until: usize,
    tags: &[Tag],
    format: Format<'_>,
) -> Option<Picture> {
    let events = &launch.trace.as_ref()?.events;
    let layout = Layout::of(events)?;
    if layout.count < 2 {
        return None;
    }
    let state = State::of(events, &layout, until, tags);
    let own = state.tiles.iter().position(|tile| tile.block == Some(block)).unwrap_or(0);
    let start = own.saturating_sub(MOST / 2).min(state.tiles.len().saturating_sub(MOST));
    let shown = start..state.tiles.len().min(start + MOST);
    let bytes = 4 * layout.per_tile as u32;
    let mut drawing = Group::new();
    let mut said = Vec::new();
    for (index, tile) in shown.clone().enumerate() {
        let corner = [LEFT + PITCH * (index % PER_ROW) as f64, ROW * (index / PER_ROW) as f64];
        if index % PER_ROW == 0 {
            for (label, below) in
                [("tile", 14.0), ("status", 42.0), ("block", 70.0), ("waits for", 84.0)]
            {
                drawing.append(text("end small", [LEFT - 6.0, corner[1] + below], label));
            }
        }
        let content = state.tiles[tile].content(tags, bytes, format);
        said.push(in_words(&state, tile, content.as_ref()));
        drawing.append(drawn(&state, tile, content, corner, block));
    }
    let count = shown.len();
    Some(Picture {
        title: format!("The tiles of {}: what their blocks have published.", launch.kernel),
        class: "tiles",
        frames: vec![Frame {
            drawing,
            width: LEFT + PITCH * count.min(PER_ROW) as f64,
            height: ROW * count.div_ceil(PER_ROW) as f64,
        }],
        said,
        has_steps: false,
    })
}

fn drawn(
    state: &State,
    number: usize,
    content: Option<(String, String)>,
    [x, y]: [f64; 2],
    block: u64,
) -> Element {
    let tile = &state.tiles[number];
    let middle = x + CELL[0] / 2.0;
    let (name, value) = content.unwrap_or_default();
    let class = match &name[..] {
        "" => "cell dead",
        Tag::AGGREGATE => "cell",
        _ => "cell written",
    };
    let is_own = tile.block == Some(block);
    let mut group = element("g", if is_own { "own" } else { "" }, []);
    group.append(Title::new(in_words(state, number, None)));
    group.append(text(
        if is_own { "step" } else { "small" },
        [middle, y + 14.0],
        number.to_string(),
    ));
    group.append(rectangle(class, [x, y + 20.0], CELL));
    group.append(text("small", [middle, y + 35.0], name));
    group.append(text("small", [middle, y + 50.0], value));
    let Some(of) = tile.block else { return group };
    group.append(text(if is_own { "step" } else { "small" }, [middle, y + 70.0], of.to_string()));
    group.append(text("small", [middle, y + 84.0], short(&state.missed_by(of))));
    group
}

/// Numbers of tiles as a cell has room for them.
fn short(tiles: &[usize]) -> String {
    match tiles {
        [] => String::new(),
        [one] => one.to_string(),
        [one, other] => format!("{one}, {other}"),
        [first, .., last] => format!("{first} … {last}"),
    }
}

fn in_words(state: &State, number: usize, content: Option<&(String, String)>) -> String {
    let tile = &state.tiles[number];
    let holds = match content {
        Some((name, value)) => format!(" Its status is {name}, {value}."),
        None if tile.words.is_empty() => " Nothing is published for it.".into(),
        None => String::new(),
    };
    let Some(block) = tile.block else { return format!("Tile {number}.{holds}") };
    let missed = state.missed_by(block);
    let waits = match missed.is_empty() {
        true => String::new(),
        false => {
            let numbers: Vec<String> = missed.iter().map(usize::to_string).collect();
            format!(" The block waits for tiles: {}.", numbers.join(", "))
        }
    };
    format!("Tile {number} is that of block {block}.{holds}{waits}")
}

#[cfg(test)]
mod tests {
    use simt_report::{AccessSpace, Trace};

    use super::*;

    fn event(block: u64, access: AccessKind, addresses: &[u64], bits: &[u64]) -> Event {
        let access = TracedAccess {
            access,
            space: AccessSpace::Global,
            bytes: 8,
            array: String::new(),
            base: 0,
            allocation_bytes: 0,
            lanes: u32::MAX >> (32 - addresses.len()),
            addresses: addresses.to_vec(),
            values: bits.iter().map(|&bits| vec![bits]).collect(),
            cost: 1,
        };
        Event::Access { place: Place { block, warp: 0, line: "tagged.cuh:9".into() }, access }
    }

    fn said(events: &[Event], until: usize) -> Option<Vec<String>> {
        let trace = Some(Trace { events: events.to_vec(), ..Trace::default() });
        let launch = LaunchReport { kernel: "k".into(), trace, ..LaunchReport::default() };
        let tags = [(1, Tag::AGGREGATE), (2, Tag::PREFIX)];
        let tags = tags.map(|(tag, name)| Tag { tag, name: name.into() });
        at(&launch, 1, until, &tags, &|bits, bytes| format!("{bits} of {bytes} bytes"))
            .map(|picture| picture.said)
    }

    #[test]
    fn tiles_are_published_and_waited_for() {
        let (store, load) = (AccessKind::Store, AccessKind::Load);
        let [aggregate, prefix] = [1 << 32 | 5, 2 << 32 | 9];
        let events = [
            event(1, store, &[72], &[aggregate]),
            event(2, load, &[64, 72], &[0, aggregate]),
            event(0, store, &[64], &[prefix]),
            event(1, load, &[64], &[prefix]),
            event(1, store, &[72], &[prefix]),
            event(2, store, &[80], &[prefix]),
        ];
        let at = |until| said(&events, until).expect("there are tiles");
        assert_eq!(
            at(1),
            [
                "Tile 0 is that of block 0. Nothing is published for it.",
                "Tile 1 is that of block 1. Its status is aggregate, 5 of 4 bytes.",
                "Tile 2 is that of block 2. Nothing is published for it. The block waits for tiles: 0.",
            ]
        );
        assert_eq!(at(4)[1], "Tile 1 is that of block 1. Its status is prefix, 9 of 4 bytes.");
        assert!(at(5).iter().all(|said| !said.contains("waits")), "{:?}", at(5));
        assert_eq!(said(&events[..1], 0), None, "one tile");
        assert_eq!(said(&[], 0), None);
    }

    #[test]
    fn a_block_may_have_many_tiles() {
        let store = AccessKind::Store;
        for tiles in [3, 4] {
            let of_tile = |tile: u64| {
                let Event::Access { place, access } = event(0, AccessKind::Load, &[4096], &[1])
                else {
                    unreachable!()
                };
                let place = Place { line: "k.cu:3".into(), ..place };
                let word = 2 << 32 | tile;
                [Event::Access { place, access }, event(0, store, &[64 + 8 * tile], &[word])]
            };
            let events: Vec<Event> = (0..tiles).flat_map(of_tile).collect();
            let said = said(&events, events.len()).expect("there are tiles");
            assert_eq!(said.len() as u64, tiles);
            assert!(said[1].ends_with("prefix, 1 of 4 bytes."), "{said:?}");
        }
    }

    #[test]
    fn words_of_several_devices_are_not_drawn() {
        let store = AccessKind::Store;
        let [first, second] = [1 << 40, 2 << 40];
        let events =
            [event(0, store, &[first], &[1 << 32]), event(1, store, &[second], &[1 << 32])];
        assert_eq!(said(&events, 2), None);
    }

    #[test]
    fn a_long_value_takes_two_words() {
        let store = AccessKind::Store;
        let events = [
            event(0, store, &[64], &[2 << 32 | 7]),
            event(0, store, &[72], &[2 << 32 | 1]),
            event(1, store, &[80], &[1 << 32 | 3]),
            event(1, store, &[88], &[1 << 32]),
        ];
        let said = said(&events, 3).expect("there are tiles");
        assert_eq!(
            said[0],
            "Tile 0 is that of block 0. Its status is prefix, 4294967303 of 8 bytes."
        );
        assert!(said[1].ends_with("aggregate, 3 of 8 bytes."), "{said:?}");
    }
}
