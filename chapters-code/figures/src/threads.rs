//! From the grid to one lane: which block, which warp and which lane computes an element.

use svg::node::Node;
use svg::node::element::Group;

use crate::number::thousands;
use crate::shapes::{Frame, Picture, element, path, rectangle, text};

const WIDTH: f64 = 366.0;
const LANES: u64 = 32;
const BOX: f64 = 30.0;
const ROW: f64 = 98.0;
/// Boxes of a row that have room for their numbers.
const ROOM: u64 = 8;

/// A launch over `n` elements, one thread per element.
#[derive(Clone, Copy, Debug)]
pub struct Launch {
    /// The elements.
    pub n: u64,
    /// The threads of a block, a multiple of 32.
    pub block: u64,
    /// The element whose thread is shown.
    pub element: u64,
}

/// Draws the blocks of the grid, the warps of one block, and the lanes of one warp.
///
/// # Errors
/// If the grid or a block has more than 8 parts, or the element does not exist.
pub fn draw(launch: &Launch) -> Result<Picture, String> {
    let Launch { n, block, element } = *launch;
    if block == 0 || !block.is_multiple_of(LANES) || block / LANES > ROOM {
        return Err(format!("block={block}: a block of 1 to {ROOM} whole warps is drawn"));
    }
    let blocks = n.div_ceil(block);
    if element >= n || blocks > ROOM {
        return Err(format!("element={element} of n={n}: at most {ROOM} blocks are drawn"));
    }
    let (own, thread) = (element / block, element % block);
    let (warp, lane) = (thread / LANES, thread % LANES);
    let mut drawing = Group::new();
    let grid = format!("grid: {blocks} blocks");
    row(&mut drawing, 0.0, &grid, blocks, own, "block");
    let of_block = format!("block {own}: {} warps", block / LANES);
    row(&mut drawing, ROW, &of_block, block / LANES, warp, "warp");
    let of_warp = format!("warp {warp} of block {own}: {LANES} lanes");
    row(&mut drawing, 2.0 * ROW, &of_warp, LANES, lane, "");
    let index =
        format!("lane {lane} is thread {thread}: i = {own} · {block} + {thread} = {element}");
    let at = middle(LANES, lane);
    drawing.append(path("arrow", format!("M{at} {}L{at} {}", 2.0 * ROW + 54.0, 2.0 * ROW + 68.0)));
    drawing.append(text("", [WIDTH / 2.0, 2.0 * ROW + 84.0], index));
    Ok(Picture {
        title: "From the grid to one lane.".to_owned(),
        class: "threads",
        frames: vec![Frame { drawing, width: WIDTH, height: 2.0 * ROW + 92.0 }],
        said: vec![format!(
            "A launch over {} elements has {blocks} blocks of {block} threads. A block has {} warps of {LANES} lanes. \
             Lane {lane} of warp {warp} is thread {thread} of its block. In block {own} it computes element {own} · \
             {block} + {thread} = {element}. The last {} threads of the grid have no element.",
            thousands(n),
            block / LANES,
            blocks * block - n,
        )],
        has_steps: false,
    })
}

/// Where part `index` of `parts` has its middle.
fn middle(parts: u64, index: u64) -> f64 {
    let pitch = (WIDTH - 12.0) / parts as f64;
    6.0 + pitch * (index as f64 + 0.5)
}

/// A row of `parts` boxes below their name. Lines lead from the chosen one to the row below.
fn row(drawing: &mut Group, y: f64, name: &str, parts: u64, chosen: u64, kind: &str) {
    drawing.append(text("start step", [6.0, y + 16.0], name));
    let pitch = (WIDTH - 12.0) / parts as f64;
    let gap = if parts > ROOM { 2.0 } else { 6.0 };
    let top = y + 24.0;
    for index in 0..parts {
        let x = middle(parts, index) - (pitch - gap) / 2.0;
        let class = if index == chosen { "cell written" } else { "cell" };
        drawing.append(rectangle(class, [x, top], [pitch - gap, BOX]));
        if parts <= ROOM {
            let label = if parts <= 4 { format!("{kind} {index}") } else { index.to_string() };
            drawing.append(text("", [middle(parts, index), top + 20.0], label));
        }
    }
    if !kind.is_empty() {
        let (left, right) =
            (middle(parts, chosen) - pitch / 2.0, middle(parts, chosen) + pitch / 2.0);
        // The name of the row below stands between the ends of the lines and its boxes.
        let (from, to, end) = (top + BOX + 2.0, y + ROW, y + ROW + 24.0);
        let edge = WIDTH - 2.0;
        let mut lines = element("path", "funnel", []);
        lines.assign("d", format!("M{left} {from}L2 {to}V{end}M{right} {from}L{edge} {to}V{end}"));
        drawing.append(lines);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lane_has_its_element() {
        let picture = draw(&Launch { n: 1000, block: 256, element: 600 }).expect("it is drawn");
        let said = &picture.said[0];
        assert!(said.contains("Lane 24 of warp 2 is thread 88"), "{said}");
        assert!(said.contains("2 · 256 + 88 = 600") && said.contains("last 24 threads"), "{said}");
    }

    #[test]
    fn what_has_no_room_is_refused() {
        for (n, block, element) in
            [(1000, 256, 1000), (1000, 100, 1), (10_000, 256, 1), (9, 1024, 1)]
        {
            assert!(draw(&Launch { n, block, element }).is_err(), "{n} {block} {element}");
        }
    }
}
