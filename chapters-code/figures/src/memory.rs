//! Shared memory at one moment: a cell per word with its value and the thread that wrote it, a column per bank.

use svg::node::Node;
use svg::node::element::{Group, Title};

use crate::shapes::{Frame, Picture, element, rectangle, text};

const BANKS: usize = 32;
const PITCH: f64 = 27.0;
const CELL: [f64; 2] = [25.0, 27.0];
const LEFT: f64 = 44.0;
const TOP: f64 = 20.0;
const ROW: f64 = 30.0;
/// Letters of a value that a cell has room for.
const LETTERS: usize = 5;
/// Rows that are drawn at most.
const MOST: usize = 16;

/// What the current instruction does with a word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Touched {
    /// Nothing.
    #[default]
    No,
    /// A lane reads it.
    Read,
    /// A lane writes it.
    Written,
}

/// A word.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Word {
    /// The value; empty if nothing has written the word.
    pub value: String,
    /// The element of a shared array that begins here, such as `tile[5]`; empty if none is known.
    pub name: String,
    /// The thread of the block that wrote the value.
    pub writer: Option<u32>,
    /// What the current instruction does.
    pub touched: Touched,
}

/// Draws the words of a block's shared memory, from offset 0. Of many, the rows around the touched ones are drawn.
pub fn draw(words: &[Word], kernel: &str) -> Picture {
    let rows: Vec<&[Word]> = words.chunks(BANKS).collect();
    let is_touched = |row: &&[Word]| row.iter().any(|word| word.touched != Touched::No);
    let first = rows.iter().position(is_touched).unwrap_or(0);
    let start = match rows.len() > MOST {
        true => first.saturating_sub(1).min(rows.len() - MOST),
        false => 0,
    };
    let shown = &rows[start..rows.len().min(start + MOST)];
    let mut drawing = Group::new();
    drawing.append(text("end small", [LEFT - 6.0, 13.0], "bank"));
    for bank in 0..BANKS {
        drawing.append(text("small", [middle(bank), 13.0], bank.to_string()));
    }
    for (index, row) in shown.iter().enumerate() {
        drawing.append(draw_row(row, (start + index) * BANKS, TOP + ROW * index as f64));
    }
    let mut said = vec![in_words(words)];
    if shown.len() < rows.len() {
        let last = (start + shown.len()) * BANKS - 1;
        said.push(format!("Drawn are words {} to {last} of {}.", start * BANKS, words.len()));
    }
    Picture {
        title: format!("Shared memory of a block of {kernel}: a column is a bank."),
        class: "memory",
        frames: vec![Frame {
            drawing,
            width: LEFT + PITCH * BANKS as f64,
            height: TOP + ROW * shown.len() as f64 + 2.0,
        }],
        said,
        has_steps: false,
    }
}

fn middle(bank: usize) -> f64 {
    LEFT + PITCH * bank as f64 + CELL[0] / 2.0
}

fn draw_row(row: &[Word], first: usize, y: f64) -> Group {
    let mut group = Group::new();
    group.append(text("end small", [LEFT - 6.0, y + 17.0], first.to_string()));
    for (bank, word) in row.iter().enumerate() {
        let class = match (word.touched, word.value.is_empty()) {
            (Touched::Written, _) => "cell written",
            (Touched::Read, _) => "cell read",
            (Touched::No, true) => "cell empty",
            (Touched::No, false) => "cell",
        };
        let mut cell = element("g", "", []);
        cell.append(Title::new(describe(first + bank, word)));
        cell.append(rectangle(class, [LEFT + PITCH * bank as f64, y], CELL));
        let value = match word.value.chars().count() > LETTERS {
            true => "…".to_owned(),
            false => word.value.clone(),
        };
        cell.append(text("small", [middle(bank), y + 12.0], value));
        if let Some(thread) = word.writer {
            cell.append(text("by", [middle(bank), y + 23.0], format!("t{thread}")));
        }
        group.append(cell);
    }
    group
}

fn describe(index: usize, word: &Word) -> String {
    let Word { value, name, writer, .. } = word;
    let name = if name.is_empty() { String::new() } else { format!(", {name}") };
    match writer {
        _ if value.is_empty() => format!("word {index}{name}: not written"),
        None => format!("word {index}{name}: {value}"),
        Some(thread) => format!("word {index}{name}: {value}, written by thread {thread}"),
    }
}

fn in_words(words: &[Word]) -> String {
    let touched = |touched| words.iter().filter(|word| word.touched == touched).count();
    let written = words.iter().filter(|word| !word.value.is_empty()).count();
    format!(
        "{written} of {} words have been written; the instruction reads {} and writes {}. Below each value stands the \
         thread that wrote it.",
        words.len(),
        touched(Touched::Read),
        touched(Touched::Written)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_touched_rows_are_drawn() {
        let mut words = vec![Word::default(); 100 * BANKS];
        let (value, touched) = ("7".into(), Touched::Written);
        words[70 * BANKS] = Word { value, writer: Some(3), touched, ..Word::default() };
        words[70 * BANKS + 1].name = "tile[5]".into();
        let picture = draw(&words, "k");
        assert_eq!(
            picture.said[0],
            "1 of 3200 words have been written; the instruction reads 0 and writes 1. Below each value stands the thread \
             that wrote it."
        );
        assert_eq!(picture.said[1], "Drawn are words 2208 to 2719 of 3200.");
        let drawn = picture.frames[0].drawing.to_string();
        assert!(drawn.contains("word 2240: 7, written by thread 3"), "{drawn}");
        assert!(drawn.contains("word 2241, tile[5]: not written"), "{drawn}");
        assert_eq!(draw(&words[..40], "k").said.len(), 1);
    }
}
