//! A warp's access to global memory: the lines of 128 bytes that it touches, in their sectors of 32
//! bytes, and which lane wants which word.

use std::collections::BTreeMap;

use simt_report::AccessKind;
use svg::node::Node;
use svg::node::element::Group;

use crate::number::thousands;
use crate::shapes::{Frame, Picture, rectangle, rectangles, text};
use crate::{Access, lanes};

const WORDS_A_SECTOR: u64 = 8;
const WORDS_A_LINE: u64 = 32;
const PITCH: f64 = 20.0;
const CELL: [f64; 2] = [18.0, 18.0];
/// Between sectors.
const GAP: f64 = 5.0;
const LEFT: f64 = 52.0;
const TOP: f64 = 20.0;
const ROW: f64 = 24.0;
/// The largest number of lines that are drawn. A remark stands for the others.
const MOST: usize = 10;
const SHOWN: usize = 8;

/// The words that lanes want, by their address in words.
type Words = BTreeMap<u64, u32>;

/// Draws one picture per access of a kernel.
///
/// # Errors
/// If a lane accesses fewer than 4 bytes, or where the picture would have another number of sectors
/// than the machine counts.
pub fn draw(accesses: &[Access<'_>], kernel: &str) -> Result<Picture, String> {
    let mut frames = Vec::new();
    let mut said = Vec::new();
    for access in accesses {
        let words = words(access)?;
        frames.push(frame(access, &words));
        said.push(in_words(access));
    }
    Ok(Picture {
        title: format!("Lanes and sectors of global memory in {kernel}."),
        class: "sectors",
        frames,
        said,
        has_steps: accesses.len() > 1,
    })
}

fn words(access: &Access<'_>) -> Result<Words, String> {
    if access.bytes < 4 {
        let bytes = access.bytes;
        return Err(format!("sectors are drawn in words of 4 bytes, and a lane accesses {bytes}"));
    }
    let mut words = Words::new();
    for (lane, address) in lanes(access.lanes).zip(access.addresses) {
        let first = address / 4;
        for word in first..first + u64::from(access.bytes / 4) {
            words.entry(word).or_insert(lane);
        }
    }
    let mut sectors: Vec<_> = words.keys().map(|word| word / WORDS_A_SECTOR).collect();
    sectors.dedup();
    match sectors.len() as u64 == access.cost {
        true => Ok(words),
        false => Err(format!(
            "the picture would have {} sectors, and the machine counts {}",
            sectors.len(),
            access.cost
        )),
    }
}

fn frame(access: &Access<'_>, words: &Words) -> Frame {
    let mut drawing = Group::new();
    drawing.append(text("end small", [LEFT - 8.0, 12.0], "byte"));
    for sector in 0..4 {
        let x = LEFT + (PITCH * 8.0 + GAP) * f64::from(sector);
        let label = format!("sector {}", sector + 1);
        drawing.append(text("small", [x + PITCH * 4.0, 12.0], label));
    }
    let mut lines: Vec<u64> = words.keys().map(|word| word / WORDS_A_LINE).collect();
    lines.dedup();
    let shown = if lines.len() > MOST { SHOWN } else { lines.len() };
    for (index, &line) in lines[..shown].iter().enumerate() {
        drawing.append(line_of(access, words, line, TOP + ROW * index as f64));
    }
    let mut height = TOP + ROW * shown as f64;
    if shown < lines.len() {
        let more = format!("… and {} more lines of 128 bytes", lines.len() - shown);
        drawing.append(text("start", [LEFT, height + 12.0], more));
        height += 20.0;
    }
    Frame { drawing, width: LEFT + PITCH * WORDS_A_LINE as f64 + 3.0 * GAP, height }
}

/// A line of 128 bytes: what is wanted, what a load brings along, what stays where it is. (A store sends its own bytes
/// only.)
fn line_of(access: &Access<'_>, words: &Words, line: u64, y: f64) -> Group {
    let mut group = Group::new();
    let first = line * WORDS_A_LINE;
    let offset = (first * 4).saturating_sub(access.base);
    group.append(text("end small", [LEFT - 8.0, y + 13.0], offset.to_string()));
    for sector in 0..4 {
        let start = first + sector * WORDS_A_SECTOR;
        let is_touched = words.range(start..start + WORDS_A_SECTOR).next().is_some();
        let comes = is_touched && access.verb != AccessKind::Store.verb();
        let x = |word: u64| LEFT + PITCH * (word - first) as f64 + GAP * sector as f64;
        let middle = |word: u64| [x(word) + CELL[0] / 2.0, y + 13.0];
        let (wanted, others): (Vec<u64>, Vec<u64>) =
            (start..start + WORDS_A_SECTOR).partition(|word| words.contains_key(word));
        let class = if comes { "cell waste" } else { "cell empty" };
        group.append(rectangles(class, others.iter().map(|&word| [x(word), y]), CELL));
        for &word in others.iter().filter(|_| comes) {
            group.append(text("small lost", middle(word), "×"));
        }
        for word in wanted {
            group.append(rectangle("cell written", [x(word), y], CELL));
            group.append(text("small", middle(word), words[&word].to_string()));
        }
    }
    group
}

fn in_words(access: &Access<'_>) -> String {
    let Access { verb, line, .. } = access;
    let active = u64::from(access.lanes.count_ones());
    let wanted = active * u64::from(access.bytes);
    let moved = 32 * access.cost;
    format!(
        "{line}: {active} lanes {verb} {wanted} bytes, in {} sectors of 32 bytes, together {}: \
         {:.1}\u{a0}% of them are of use.",
        access.cost,
        thousands(moved),
        100.0 * wanted as f64 / moved as f64
    )
}
