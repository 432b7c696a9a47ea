//! Decoupled look-back at three moments: the status words of the tiles, and what a looking warp sees of them.
//!
//! A status word has the tag in its upper half and the value of a tile in its lower half, as in `tagged.cuh`. The words
//! at a moment are those that all blocks have stored before it.

use simt_report::{AccessKind, Event, LaunchReport, Place, TracedAccess};
use svg::node::Node;
use svg::node::element::Group;

use crate::lanes;
use crate::shapes::{Frame, Picture, rectangle, text};
use crate::status;

const LEFT: f64 = 58.0;
const PITCH: f64 = 47.0;
const CELL: [f64; 2] = [44.0, 38.0];
const ROW: f64 = 17.0;
/// Tiles that are drawn at most.
const MOST: usize = 12;

/// The file of the functions that store and load status words.
const FILE: &str = "tagged.cuh";

const AGGREGATE: u64 = 1;
const PREFIX: u64 = 2;

/// One load of status words by a warp.
struct Look {
    event: usize,
    block: u64,
    /// The tile that lane 31 looks at.
    last: i64,
    /// What each lane has; a prefix of nothing if no tile is.
    seen: [u64; 32],
}

impl Look {
    fn mask(&self, has: impl Fn(u64) -> bool) -> u32 {
        lanes(u32::MAX)
            .filter(|&lane| has(self.seen[lane as usize] >> 32))
            .fold(0, |m, l| m | 1 << l)
    }

    fn known(&self) -> u32 {
        self.mask(|tag| tag != 0)
    }

    fn nearest(&self) -> u32 {
        self.mask(|tag| tag == PREFIX)
    }

    /// The lanes from the nearest prefix on.
    fn needed(&self) -> u32 {
        match self.nearest() {
            0 => u32::MAX,
            nearest => u32::MAX << (31 - nearest.leading_zeros()),
        }
    }

    fn missing(&self) -> u32 {
        self.needed() & !self.known()
    }
}

/// The stores to the status words, with their events, and the looks at the words.
struct History {
    stores: Vec<(usize, usize, u64)>,
    looks: Vec<Look>,
}

fn history(events: &[Event]) -> History {
    let mut history = History { stores: Vec::new(), looks: Vec::new() };
    let all = events.iter().enumerate();
    let all = all.filter_map(|(index, event)| Some((index, status::access(event, &[FILE])?)));
    let all: Vec<(usize, (&Place, &TracedAccess))> = all.collect();
    // Tile 0 publishes, so the lowest address that is stored to is its word.
    let stores = all.iter().filter(|(_, (_, access))| status::is_store(access));
    let base = stores.flat_map(|(_, (_, access))| &access.addresses).min().copied().unwrap_or(0);
    for (event, (place, access)) in all {
        let words = status::words(access).map(|(lane, address, bits)| {
            (lane, (address.saturating_sub(base) / status::WORD) as usize, bits)
        });
        let block = place.block;
        match access.access {
            AccessKind::Load => {
                let (mut last, mut seen) = (0, [PREFIX << 32; 32]);
                for (lane, tile, word) in words {
                    last = tile as i64 + 31 - i64::from(lane);
                    seen[lane as usize] = word;
                }
                history.looks.push(Look { event, block, last, seen });
            }
            AccessKind::Store => {
                history.stores.extend(words.map(|(_, tile, word)| (event, tile, word)));
            }
            AccessKind::Atomic => {}
        }
    }
    history
}

impl History {
    /// The status words of the first `tiles` tiles after an event.
    fn words(&self, tiles: usize, event: usize) -> Vec<u64> {
        let mut words = vec![0; tiles];
        for &(_, tile, word) in self.stores.iter().take_while(|(at, ..)| *at <= event) {
            if let Some(own) = words.get_mut(tile) {
                *own = word;
            }
        }
        words
    }

    /// The first and the last look of each block that looks.
    fn spans(&self) -> Vec<(&Look, &Look)> {
        let mut spans: Vec<(&Look, &Look)> = Vec::new();
        for look in &self.looks {
            match spans.iter_mut().find(|(first, _)| first.block == look.block) {
                Some((_, last)) => *last = look,
                None => spans.push((look, look)),
            }
        }
        spans
    }
}

/// Draws the look-back for one tile: the first look, the look that ends it, and the words after the tile has published
/// its prefix. If no tile is named, it is one that looks more than once and adds up the most tiles.
///
/// # Errors
/// If no tile looks back, the named one does not, or there are more tiles than a picture has room for.
pub fn draw(
    launch: &LaunchReport,
    tile: Option<usize>,
    format: &dyn Fn(u64) -> String,
) -> Result<Picture, String> {
    let events = launch.trace.as_ref().map_or(&[][..], |trace| &trace.events);
    let history = history(events);
    let own = |first: &Look| (first.last + 1) as usize;
    let spans = history.spans().into_iter();
    let wanted = spans.filter(|(first, _)| tile.is_none_or(|tile| own(first) == tile));
    let rank = |&(first, last): &(&Look, &Look)| (first.missing() != 0, last.needed().count_ones());
    let (first, last) = wanted.max_by_key(rank).ok_or_else(|| match tile {
        Some(tile) => format!("tile={tile}: no warp looks back from there"),
        None => "no warp looks back at status words".to_owned(),
    })?;
    let tile = own(first);
    let count = tile + 1;
    if count > MOST {
        return Err(format!("tile={tile}: at most {MOST} tiles are drawn"));
    }
    let published = history
        .stores
        .iter()
        .find(|&&(event, of, word)| event > last.event && of == tile && word >> 32 == PREFIX);
    let &(published, ..) = published.ok_or("the tile publishes no prefix")?;
    let looks = [(Some(first), first.event), (Some(last), last.event), (None, published)];
    let mut picture = Picture {
        title: format!("Look-back in {}: the status words of {count} tiles.", launch.kernel),
        class: "look-back",
        frames: Vec::new(),
        said: Vec::new(),
        has_steps: true,
    };
    for (look, event) in looks {
        let words = history.words(count, event);
        picture.frames.push(drawn(&words, look, format));
        picture.said.push(in_words(&words, look, format));
    }
    Ok(picture)
}

/// Draws the status words as they are after the event `until`, and what the warp that looks at an event from `event` on
/// sees. None if no warp looks back, or there are more tiles than a picture has room for.
pub fn at(
    launch: &LaunchReport,
    [event, until]: [usize; 2],
    format: &dyn Fn(u64) -> String,
) -> Option<Picture> {
    let history = history(launch.trace.as_ref().map_or(&[][..], |trace| &trace.events));
    let has = |tag| history.stores.iter().any(|&(.., word)| word >> 32 == tag);
    // Other kernels have other tags.
    let is_look_back = history.stores.iter().all(|&(.., word)| word >> 32 <= PREFIX);
    if !(is_look_back && has(AGGREGATE) && has(PREFIX)) {
        return None;
    }
    let all = history.stores.iter().map(|&(_, tile, _)| tile + 1).max()?;
    let look = history.looks.iter().find(|look| (event..=until).contains(&look.event));
    let count = look.map_or(all, |look| (look.last + 2).max(1) as usize);
    if count > MOST {
        return None;
    }
    let words = history.words(count, until);
    let said = match look {
        Some(_) => in_words(&words, look, format),
        None => format!("The status words hold: {}.", held(&words, format)),
    };
    Some(Picture {
        title: format!("The status words of {count} tiles."),
        class: "look-back",
        frames: vec![drawn(&words, look, format)],
        said: vec![said],
        has_steps: false,
    })
}

fn tag(word: u64) -> &'static str {
    match word >> 32 {
        0 => "·",
        AGGREGATE => "A",
        PREFIX => "P",
        _ => "?",
    }
}

fn value(word: u64, format: &dyn Fn(u64) -> String) -> String {
    if word >> 32 == 0 { String::new() } else { format(word & u64::from(u32::MAX)) }
}

fn drawn(words: &[u64], look: Option<&Look>, format: &dyn Fn(u64) -> String) -> Frame {
    let mut drawing = Group::new();
    let own = words.len() - 1;
    let middle = |tile: usize| LEFT + PITCH * tile as f64 + PITCH / 2.0;
    drawing.append(text("end small", [LEFT - 4.0, 14.0], "tile"));
    for (tile, &word) in words.iter().enumerate() {
        let class = match word >> 32 {
            0 => "cell dead",
            PREFIX => "cell written",
            _ => "cell",
        };
        let bold = if tile == own { "step" } else { "small" };
        drawing.append(text(bold, [middle(tile), 14.0], tile.to_string()));
        drawing.append(rectangle(class, [middle(tile) - CELL[0] / 2.0, 20.0], CELL));
        drawing.append(text("step", [middle(tile), 35.0], tag(word)));
        drawing.append(text("small", [middle(tile), 51.0], value(word, format)));
    }
    if let Some(look) = look {
        let lane_of = |tile: usize| 31 + tile as i64 - look.last;
        let masks =
            [("known", look.known()), ("nearest", look.nearest()), ("needed", look.needed())];
        let mut y = 58.0 + ROW;
        drawing.append(text("end small", [LEFT - 4.0, y], "lane"));
        for tile in 0..own {
            drawing.append(text("small", [middle(tile), y], lane_of(tile).to_string()));
        }
        for (name, mask) in masks {
            y += ROW;
            drawing.append(text("end small", [LEFT - 4.0, y], name));
            for tile in 0..own {
                let Ok(lane @ 0..32) = u32::try_from(lane_of(tile)) else { continue };
                let bit = mask >> lane & 1;
                let is_missing = look.missing() >> lane & 1 == 1;
                let class = if is_missing && name != "nearest" { "step lost" } else { "" };
                drawing.append(text(class, [middle(tile), y], bit.to_string()));
            }
        }
    }
    Frame {
        drawing,
        width: LEFT + PITCH * words.len() as f64 + 2.0,
        height: 60.0 + if look.is_some() { 4.4 * ROW } else { 0.0 },
    }
}

/// What each status word holds.
fn held(words: &[u64], format: &dyn Fn(u64) -> String) -> String {
    let named = words.iter().enumerate().map(|(tile, &word)| match word >> 32 {
        0 => format!("tile {tile} nothing"),
        AGGREGATE => format!("tile {tile} the aggregate {}", value(word, format)),
        _ => format!("tile {tile} the prefix {}", value(word, format)),
    });
    named.collect::<Vec<_>>().join(", ")
}

fn in_words(words: &[u64], look: Option<&Look>, format: &dyn Fn(u64) -> String) -> String {
    let (own, held) = (words.len() - 1, held(words, format));
    let Some(look) = look else {
        return format!("Tile {own} has published its prefix. The status words hold: {held}.");
    };
    let tiles = |mask: u32| {
        let of = |lane: u32| look.last - 31 + i64::from(lane);
        let real = lanes(mask).map(of).filter(|&tile| tile >= 0);
        real.map(|tile| tile.to_string()).collect::<Vec<_>>().join(", ")
    };
    let outcome = match look.missing() {
        0 => format!("All needed tiles are known: {}. The look-back ends.", tiles(look.needed())),
        missing => format!(
            "Of the needed tiles {} these are missing: {}. The warp looks again.",
            tiles(look.needed()),
            tiles(missing)
        ),
    };
    format!("The warp of tile {own} looks. The status words hold: {held}. {outcome}")
}

#[cfg(test)]
mod tests {
    use simt_report::{AccessSpace, Trace};

    use super::*;

    #[test]
    fn the_lab_sees_the_words_after_an_event() {
        let event = |block, access, addresses: Vec<u64>, words: Vec<u64>| {
            let access = TracedAccess {
                access,
                space: AccessSpace::Global,
                bytes: 8,
                array: String::new(),
                base: 0,
                allocation_bytes: 0,
                lanes: u32::MAX << (32 - addresses.len()),
                addresses,
                values: words.into_iter().map(|word| vec![word]).collect(),
                cost: 1,
            };
            Event::Access { place: Place { block, warp: 0, line: "tagged.cuh:9".into() }, access }
        };
        let (store, load) = (AccessKind::Store, AccessKind::Load);
        let (aggregate, prefix) = (AGGREGATE << 32 | 5, PREFIX << 32 | 9);
        let events = vec![
            event(0, store, vec![64], vec![prefix]),
            event(1, store, vec![72], vec![aggregate]),
            event(2, load, vec![64, 72], vec![prefix, aggregate]),
        ];
        let trace = Some(Trace { events, ..Trace::default() });
        let launch = LaunchReport { trace, ..LaunchReport::default() };
        let format = |bits: u64| bits.to_string();
        let said = |events| at(&launch, events, &format).map(|picture| picture.said[0].clone());
        let first = "The status words hold: tile 0 the prefix 9, tile 1 nothing.";
        assert_eq!(said([0, 0]).as_deref(), Some(first));
        let look = said([2, 2]).expect("a look");
        assert!(
            look.starts_with("The warp of tile 2 looks.")
                && look.contains("tile 1 the aggregate 5")
        );
        assert!(look.ends_with("All needed tiles are known: 0, 1. The look-back ends."), "{look}");
        assert!(at(&LaunchReport::default(), [0, 0], &format).is_none());
    }
}
