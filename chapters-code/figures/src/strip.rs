//! The blocks of a launch at one moment: a cell per block, which has begun or not, waits for its turn, or has ended.

use svg::node::Node;
use svg::node::element::{Group, Title};

use crate::shapes::{Frame, Picture, element, rectangle, text};

const PITCH: f64 = 27.0;
const CELL: [f64; 2] = [25.0, 20.0];
const ROW: f64 = 24.0;
const PER_ROW: usize = 32;
/// Blocks that are drawn at most.
const MOST: usize = 8 * PER_ROW;

/// How far a block is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Progress {
    /// The block has not begun.
    #[default]
    Waiting,
    /// The block is resident, and another one has its turn.
    Resident,
    /// The block executes the current instruction.
    Current,
    /// All threads of the block have exited.
    Ended,
}

impl Progress {
    fn class(self) -> &'static str {
        match self {
            Self::Waiting => "cell empty",
            Self::Resident => "cell read",
            Self::Current => "cell written",
            Self::Ended => "cell",
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Waiting => "has not begun",
            Self::Resident => "is resident",
            Self::Current => "executes this instruction",
            Self::Ended => "has ended",
        }
    }
}

/// Draws the blocks of a launch, in the order of their numbers.
pub fn draw(blocks: &[Progress], kernel: &str) -> Picture {
    let shown = &blocks[..blocks.len().min(MOST)];
    let mut drawing = Group::new();
    for (number, block) in shown.iter().enumerate() {
        let (column, row) = ((number % PER_ROW) as f64, (number / PER_ROW) as f64);
        let [x, y] = [PITCH * column + 1.0, ROW * row + 1.0];
        let mut cell = element("g", "", []);
        cell.append(Title::new(format!("block {number} {}", block.name())));
        cell.append(rectangle(block.class(), [x, y], CELL));
        cell.append(text("small", [x + CELL[0] / 2.0, y + 14.0], number.to_string()));
        drawing.append(cell);
    }
    let mut said = vec![in_words(blocks)];
    if shown.len() < blocks.len() {
        said.push(format!("Drawn are the first {MOST} blocks of {}.", blocks.len()));
    }
    Picture {
        title: format!("The blocks of {kernel}."),
        class: "strip",
        frames: vec![Frame {
            drawing,
            width: PITCH * shown.len().min(PER_ROW) as f64,
            height: ROW * shown.len().div_ceil(PER_ROW) as f64,
        }],
        said,
        has_steps: false,
    }
}

fn in_words(blocks: &[Progress]) -> String {
    let count = |wanted| blocks.iter().filter(|&&block| block == wanted).count();
    let current = blocks.iter().position(|&block| block == Progress::Current);
    let current =
        current.map_or(String::new(), |block| format!("Block {block} executes this instruction. "));
    format!(
        "{current}{} blocks have ended, {} more are resident, and {} have not begun.",
        count(Progress::Ended),
        count(Progress::Resident),
        count(Progress::Waiting)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_block_is_a_cell() {
        let mut blocks = vec![Progress::Waiting; 300];
        blocks[..3].copy_from_slice(&[Progress::Ended, Progress::Resident, Progress::Current]);
        let picture = draw(&blocks, "k");
        let drawn = picture.frames[0].drawing.to_string();
        assert!(drawn.contains("block 2 executes this instruction"), "{drawn}");
        assert_eq!(drawn.matches("<rect").count(), MOST);
        assert_eq!(
            picture.said[0],
            "Block 2 executes this instruction. 1 blocks have ended, 1 more are resident, and 297 have not begun."
        );
        assert_eq!((picture.said.len(), draw(&blocks[..4], "k").said.len()), (2, 1));
    }
}
