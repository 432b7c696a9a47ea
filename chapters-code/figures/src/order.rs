//! Two warps over time: their accesses to words that both touch, and what orders these accesses, from top to bottom.
//!
//! Time is the order of this execution. An arrow leads from what writes a word to what reads the value in the other warp.

use std::collections::{BTreeMap, BTreeSet};

use simt_report::{AccessKind, AccessSpace, Event, InstructionClass, LaunchReport, TracedAccess};
use svg::node::Node;
use svg::node::element::Group;

use crate::shapes::{Frame, Picture, path, rectangle, step_group, text};

const WIDTH: f64 = 366.0;
const COLUMN: f64 = 166.0;
const TOP: f64 = 22.0;
const ROW: f64 = 46.0;
const HEIGHT: f64 = 36.0;
/// Things that are drawn at most.
const MOST: usize = 14;
/// Characters of a line of source that have room.
const LETTERS: usize = 26;

/// A warp of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Warp {
    /// The block's number in the grid.
    pub block: u64,
    /// The warp's number in the block.
    pub warp: u32,
}

/// A word of memory; of shared memory, that of one block.
type Place = (Option<u64>, u64);

/// Something that a warp does.
struct Item {
    column: usize,
    verb: String,
    line: String,
    class: &'static str,
    words: BTreeSet<Place>,
    writes: bool,
    reads: bool,
    /// How often it is done without anything in between.
    times: usize,
}

/// Draws two warps over time. `only`, if given, selects the accesses of interest. `quote` gives the text of a line of source.
///
/// # Errors
/// If the two have no word in common that one of them writes, or do too much for a picture.
pub fn draw(
    launch: &LaunchReport,
    warps: [Warp; 2],
    only: Option<&dyn Fn(&TracedAccess) -> bool>,
    quote: &dyn Fn(&str) -> String,
) -> Result<Picture, String> {
    let items = items(launch, warps, only, quote);
    if !items.iter().any(|item| !item.words.is_empty()) {
        return Err("the two warps have no word in common that one of them writes".to_owned());
    }
    if items.len() > MOST {
        return Err(format!(
            "the two warps do {} things there: at most {MOST} are drawn",
            items.len()
        ));
    }
    let name = |warp: Warp| format!("block {}, warp {}", warp.block, warp.warp);
    let mut drawing = Group::new();
    let mut said = Vec::new();
    for (column, warp) in warps.into_iter().enumerate() {
        drawing.append(text("step", [middle(column), 14.0], name(warp)));
    }
    let mut written: BTreeMap<Place, (usize, usize)> = BTreeMap::new();
    for (row, item) in items.iter().enumerate() {
        let mut group = step_group(row + 1);
        let y = TOP + ROW * row as f64;
        let x = middle(item.column);
        group.append(rectangle(item.class, [x - COLUMN / 2.0, y], [COLUMN, HEIGHT]));
        let times = if item.times > 1 { format!(" ({} times)", item.times) } else { String::new() };
        group.append(text("step", [x, y + 14.0], format!("{}{times}", item.verb)));
        let short: String = item.line.chars().take(LETTERS).collect();
        let dots = if short.len() < item.line.len() { "…" } else { "" };
        group.append(text("small", [x, y + 29.0], format!("{short}{dots}")));
        let source = item.words.iter().filter(|_| item.reads).filter_map(|word| written.get(word));
        let source = source.filter(|(column, _)| *column != item.column).map(|(_, row)| row).max();
        let mut from = String::new();
        if let Some(&row) = source {
            // In the gap between the columns.
            let edge = |column: usize| middle(column) + [COLUMN / 2.0, -COLUMN / 2.0][column];
            let [start, end] = [TOP + ROW * row as f64 + HEIGHT / 2.0, y + HEIGHT / 2.0];
            let (left, right) = (edge(1 - item.column), edge(item.column));
            let side = if item.column == 1 { -6.0 } else { 6.0 };
            group.append(path("arrow", format!("M{left} {start}L{right} {end}")));
            group.append(path("head", format!("M{right} {end}l{side} -6v7z")));
            from = format!(" It reads what {} has written.", name(warps[1 - item.column]));
        }
        if item.writes {
            written.extend(item.words.iter().map(|&word| (word, (item.column, row))));
        }
        let line = if item.line.is_empty() { String::new() } else { format!(": `{}`", item.line) };
        said.push(format!(
            "{} {}{times}{line}.{from}",
            crate::ring::capitalised(&name(warps[item.column])),
            item.verb
        ));
        drawing.append(group);
    }
    Ok(Picture {
        title: format!("Two warps of {} over time.", launch.kernel),
        class: "order",
        frames: vec![Frame { drawing, width: WIDTH, height: TOP + ROW * items.len() as f64 }],
        said,
        has_steps: true,
    })
}

fn middle(column: usize) -> f64 {
    [COLUMN / 2.0 + 2.0, WIDTH - COLUMN / 2.0 - 2.0][column]
}

/// The words that an access touches, if they are of interest.
fn words(block: u64, access: &TracedAccess) -> impl Iterator<Item = Place> + '_ {
    let of = (access.space == AccessSpace::Shared).then_some(block);
    access.addresses.iter().map(move |address| (of, address / 4))
}

/// What the two warps do at their common words, and the fences and barriers next to that.
fn items(
    launch: &LaunchReport,
    warps: [Warp; 2],
    only: Option<&dyn Fn(&TracedAccess) -> bool>,
    quote: &dyn Fn(&str) -> String,
) -> Vec<Item> {
    let events = || launch.trace.iter().flat_map(|trace| &trace.events);
    let column_of = |block, warp| warps.iter().position(|own| *own == Warp { block, warp });
    let is_wanted = |access: &TracedAccess| only.is_none_or(|only| only(access));
    let mut touched = [BTreeSet::new(), BTreeSet::new()];
    let mut written = BTreeSet::new();
    for event in events() {
        let Event::Access { place, access } = event else { continue };
        let Some(column) = column_of(place.block, place.warp).filter(|_| is_wanted(access)) else {
            continue;
        };
        touched[column].extend(words(place.block, access));
        if access.access != AccessKind::Load {
            written.extend(words(place.block, access));
        }
    }
    let is_common =
        |word: &Place| written.contains(word) && touched.iter().all(|of| of.contains(word));
    let mut items: Vec<Item> = Vec::new();
    let mut add = |column: usize,
                   verb: &str,
                   class,
                   line: String,
                   words: BTreeSet<Place>,
                   kind: Option<AccessKind>| {
        let last = items.iter_mut().rfind(|item| item.column == column);
        if let Some(last) = last.filter(|last| last.verb == verb && last.line == line) {
            last.times += 1;
            last.words.extend(words);
            return;
        }
        let (reads, writes) = (kind != Some(AccessKind::Store), kind != Some(AccessKind::Load));
        items.push(Item {
            column,
            verb: verb.to_owned(),
            line,
            class,
            words,
            writes,
            reads,
            times: 1,
        });
    };
    for event in events() {
        match event {
            Event::Access { place, access } if is_wanted(access) => {
                let Some(column) = column_of(place.block, place.warp) else { continue };
                let words: BTreeSet<_> = words(place.block, access).filter(is_common).collect();
                if !words.is_empty() {
                    let class =
                        if access.access == AccessKind::Load { "cell" } else { "cell written" };
                    let verb = format!("{}s", access.access.verb());
                    add(column, &verb, class, quote(&place.line), words, Some(access.access));
                }
            }
            Event::Instruction { place, class: InstructionClass::Fence, .. } => {
                if let Some(column) = column_of(place.block, place.warp) {
                    add(column, "fence", "cell fence", quote(&place.line), BTreeSet::new(), None);
                }
            }
            Event::BarrierPassed { block, warps: passed } => {
                for (column, own) in warps.iter().enumerate() {
                    if own.block == *block && passed.contains(&own.warp) {
                        add(
                            column,
                            "barrier of the block",
                            "cell fence",
                            String::new(),
                            BTreeSet::new(),
                            None,
                        );
                    }
                }
            }
            _ => {}
        }
    }
    // Of fences and barriers those between two accesses of the warp.
    let is_between = |index: usize, item: &Item| {
        let is_access = |other: &Item| other.column == item.column && !other.words.is_empty();
        items[..index].iter().any(is_access) && items[index..].iter().any(is_access)
    };
    let kept = items.iter().enumerate();
    let kept: Vec<bool> =
        kept.map(|(index, it)| !it.words.is_empty() || is_between(index, it)).collect();
    let mut kept = kept.into_iter();
    items.retain(|_| kept.next().unwrap_or(false));
    items
}

#[cfg(test)]
mod tests {
    use simt_report::{Place as At, Trace};

    use super::*;

    fn access(block: u64, access: AccessKind, address: u64, line: &str) -> Event {
        Event::Access {
            place: At { block, warp: 0, line: line.into() },
            access: TracedAccess {
                access,
                space: AccessSpace::Global,
                bytes: 4,
                array: String::new(),
                base: 0,
                allocation_bytes: 0,
                lanes: 1,
                addresses: vec![address],
                values: Vec::new(),
                cost: 1,
            },
        }
    }

    #[test]
    fn a_write_and_a_read_of_another_block_are_joined() {
        let fence = |block| Event::Instruction {
            place: At { block, warp: 0, line: "fence".into() },
            class: InstructionClass::Fence,
            active: 1,
        };
        let barrier = |block| Event::BarrierPassed { block, warps: vec![0] };
        let events = vec![
            barrier(0),
            barrier(0),
            fence(1),
            access(0, AccessKind::Store, 8, "own"),
            access(0, AccessKind::Load, 64, "not in common"),
            fence(0),
            access(0, AccessKind::Atomic, 16, "count"),
            access(1, AccessKind::Atomic, 16, "count"),
            barrier(1),
            access(1, AccessKind::Load, 8, "theirs"),
            access(1, AccessKind::Load, 8, "theirs"),
        ];
        let launch = LaunchReport {
            trace: Some(Trace { events, ..Trace::default() }),
            ..LaunchReport::default()
        };
        let warps = [0, 1].map(|block| Warp { block, warp: 0 });
        let picture = draw(&launch, warps, None, &|line| line.to_owned()).expect("drawn");
        assert_eq!(
            picture.said,
            [
                "Block 0, warp 0 writes: `own`.",
                "Block 0, warp 0 fence: `fence`.",
                "Block 0, warp 0 updates: `count`.",
                "Block 1, warp 0 updates: `count`. It reads what block 0, warp 0 has written.",
                "Block 1, warp 0 barrier of the block.",
                "Block 1, warp 0 reads (2 times): `theirs`. It reads what block 0, warp 0 has written.",
            ]
        );
        let drawn = picture.frames[0].drawing.to_string();
        assert_eq!(
            (drawn.matches("\"arrow\"").count(), drawn.matches("cell fence").count()),
            (2, 2)
        );
        let other = [0, 2].map(|block| Warp { block, warp: 0 });
        assert!(draw(&launch, other, None, &|line| line.to_owned()).is_err(), "nothing in common");
    }
}
