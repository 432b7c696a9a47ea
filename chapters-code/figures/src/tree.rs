//! A tree of values: its stages, and a picture of them.
//!
//! The picture has a row of places per stage, and arrows from what is read to what is written.

use std::collections::BTreeMap;

use svg::node::Node;
use svg::node::element::{Group, path::Data};

use crate::shapes::{Frame, Picture, path, rectangle, step_group, text};

/// From place to place.
const PITCH: f64 = 25.0;
/// A place's size.
const CELL: [f64; 2] = [22.0, 28.0];
/// From row to row.
const ROW: f64 = 62.0;
/// Room for the rows' numbers.
const LEFT: f64 = 18.0;
/// Room for the places' numbers.
const TOP: f64 = 16.0;

/// Where the values of a tree are held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Storage {
    /// In words of shared memory, by the threads of a block.
    Shared,
    /// In registers, by the lanes of a warp with shuffles.
    Registers,
}

/// A value at a place: a word of the shared array, or a lane's register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Held {
    /// The index of the word or of the lane.
    pub place: usize,
    /// The bits of the value.
    pub bits: u64,
}

/// A thread stores the aggregate of some values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Move {
    /// The thread in the block, or the lane.
    pub thread: u32,
    /// The values. None for a value from global memory and for an identity, and one for a copy.
    pub from: Vec<Held>,
    /// The result.
    pub to: Held,
}

impl Move {
    /// The thread of that number puts a value there that comes from elsewhere.
    pub fn fill(place: usize, bits: u64) -> Self {
        Self { thread: place as u32, from: Vec::new(), to: Held { place, bits } }
    }
}

/// What happens between two barriers, or in a shuffle.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stage {
    /// What the threads store.
    pub moves: Vec<Move>,
    /// What every place holds afterwards, if that is known.
    pub held: BTreeMap<usize, u64>,
    /// Places that are read in this stage, also if the value is not used.
    pub read: Vec<usize>,
}

/// The stages, of which the first fills the places.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tree {
    /// All of them, in order.
    pub stages: Vec<Stage>,
}

impl Tree {
    /// How many places there are.
    pub fn width(&self) -> usize {
        let last = |stage: &Stage| stage.held.keys().last().map_or(0, |&place| place + 1);
        self.stages.iter().map(last).max().unwrap_or(0)
    }

    /// The end of this tree in its first places: from where the first place needs no other any more.
    /// What comes into them from the other places is left out.
    ///
    /// # Errors
    /// If the tree has fewer places.
    pub fn of_first(mut self, places: usize) -> Result<Self, String> {
        if places == 0 || places > self.width() {
            let width = self.width();
            return Err(format!("places={places}: the tree has {width} places"));
        }
        let outside = |step: &Move| step.from.iter().any(|held| held.place >= places);
        let comes_in = |stage: &Stage| {
            let mut moves = stage.moves.iter();
            moves.any(|step| step.to.place == 0 && outside(step))
        };
        let start = self.stages.iter().rposition(comes_in).unwrap_or(0);
        self.stages.drain(..start);
        for stage in &mut self.stages {
            stage.held.retain(|&place, _| place < places);
            stage.read.retain(|&place| place < places);
            stage.moves.retain(|step| step.to.place < places && !outside(step));
        }
        let first = &mut self.stages[0];
        let held = first.held.iter();
        first.moves = held.map(|(&place, &bits)| Move::fill(place, bits)).collect();
        Ok(self)
    }

    /// The same with buffers that take turns laid over each other: a place's number is that in its buffer.
    ///
    /// # Errors
    /// If the tree has no such buffers, or a step fills only a part of one.
    pub fn laid_over(mut self, buffers: usize) -> Result<Self, String> {
        let size = self.width().checked_div(buffers).unwrap_or(0);
        if size == 0 {
            return Err(format!("buffers={buffers}: the tree has {} places", self.width()));
        }
        for stage in &mut self.stages {
            let mut held = BTreeMap::new();
            for step in &mut stage.moves {
                step.to.place %= size;
                step.from.iter_mut().for_each(|from| from.place %= size);
                held.insert(step.to.place, step.to.bits);
            }
            if !held.is_empty() && held.len() < size {
                let filled = held.len();
                return Err(format!("buffers={buffers}: a step fills {filled} of {size} places"));
            }
            stage.held = held;
            stage.read.iter_mut().for_each(|place| *place %= size);
        }
        Ok(self)
    }

    /// The stages in which something moves: all but a last one in which the result is only read.
    pub fn steps(&self) -> &[Stage] {
        match &self.stages[..] {
            [steps @ .., last] if last.moves.is_empty() => steps,
            all => all,
        }
    }

    /// Whether what `place` holds after stage `number` is still read.
    pub fn is_live(&self, number: usize, place: usize) -> bool {
        for stage in &self.stages[number + 1..] {
            if stage.read.contains(&place) {
                return true;
            }
            if stage.moves.iter().any(|step| step.to.place == place) {
                return false;
            }
        }
        false
    }
}

/// The words for a tree's places and threads.
#[derive(Clone, Copy)]
struct Names {
    place: &'static str,
    worker: &'static str,
    /// What a worker's number begins with; none where it is the place's.
    mark: Option<&'static str>,
    where_: &'static str,
}

const SHARED: Names =
    Names { place: "word", worker: "thread", mark: Some("t"), where_: "in shared memory" };
const REGISTERS: Names =
    Names { place: "lane", worker: "lane", mark: None, where_: "in registers, by shuffles" };

impl Storage {
    fn names(self) -> Names {
        match self {
            Self::Shared => SHARED,
            Self::Registers => REGISTERS,
        }
    }
}

/// A value's bits as text.
type Format<'a> = &'a dyn Fn(u64) -> String;

/// Draws the tree of a kernel: a row of places per stage, and arrows from what is read to what is
/// written. `format` writes the bits of a value.
pub fn draw(tree: &Tree, storage: Storage, kernel: &str, format: Format<'_>) -> Picture {
    let names = storage.names();
    let rows = tree.steps();
    let mut drawing = Group::new();
    let mut said = Vec::new();
    for place in 0..tree.width() {
        let [x, _] = above(place, 0);
        drawing.append(text("small", [x, TOP - 5.0], place.to_string()));
    }
    for (number, stage) in rows.iter().enumerate() {
        let mut group = step_group(number + 1);
        if number > 0 {
            arrows(&mut group, stage, number);
        }
        row(&mut group, tree, number, format, names);
        drawing.append(group);
        said.push(in_words(stage, number, format, names));
    }
    let title = format!(
        "The tree that {kernel} folds {}: {} values in {} steps.",
        names.where_,
        tree.stages[0].held.len(),
        rows.len() - 1
    );
    let frame = Frame {
        drawing,
        width: LEFT + PITCH * tree.width() as f64,
        height: TOP + ROW * (rows.len() - 1) as f64 + CELL[1] + 2.0,
    };
    Picture { title, class: "tree", frames: vec![frame], said, has_steps: true }
}

/// The middle of a place's upper edge.
fn above(place: usize, row: usize) -> [f64; 2] {
    [LEFT + PITCH * place as f64 + CELL[0] / 2.0, TOP + ROW * row as f64]
}

fn arrows(group: &mut Group, stage: &Stage, number: usize) {
    let mut own = Data::new();
    let mut other = Data::new();
    let mut heads = Data::new();
    for step in &stage.moves {
        let [x, y] = above(step.to.place, number);
        for from in &step.from {
            let [start, top] = above(from.place, number - 1);
            let line = if from.place == step.to.place { &mut own } else { &mut other };
            let drawn = std::mem::take(line).move_to((start, top + CELL[1]));
            *line = drawn.line_to((x, y - 4.0));
        }
        if !step.from.is_empty() {
            heads = heads
                .move_to((x - 3.5, y - 6.0))
                .line_to((x, y))
                .line_to((x + 3.5, y - 6.0))
                .close();
        }
    }
    group.append(path("arrow own", own));
    group.append(path("arrow", other));
    group.append(path("head", heads));
}

fn row(group: &mut Group, tree: &Tree, number: usize, format: Format<'_>, names: Names) {
    let stage = &tree.stages[number];
    let is_last = number > 0 && number + 1 == tree.steps().len();
    let [_, y] = above(0, number);
    let label = text("step", [LEFT / 2.0 - 2.0, y + 18.0], number.to_string());
    group.append(label);
    for (&place, &bits) in &stage.held {
        let corner = above(place, number);
        let is_here = |step: &&Move| number > 0 && step.to.place == place;
        let written = stage.moves.iter().find(is_here);
        // A value that no step reads again is dead, unless it is the result.
        let is_live = tree.is_live(number, place) || (is_last && written.is_some());
        if !is_live {
            cell(group, "cell dead", corner);
            continue;
        }
        let class = written.map_or("cell", |_| "cell written");
        cell(group, class, corner);
        let by = names.mark.zip(written);
        let by = by.map(|(mark, step)| format!("{mark}{}", step.thread));
        content(group, corner, format(bits), by);
    }
}

fn cell(group: &mut Group, class: &str, [x, y]: [f64; 2]) {
    group.append(rectangle(class, [x - CELL[0] / 2.0, y], CELL));
}

/// A cell's value, and below it who wrote it.
fn content(group: &mut Group, [x, y]: [f64; 2], value: String, by: Option<String>) {
    let class = match value.chars().count() {
        0..=2 => "value",
        _ => "small",
    };
    let raised = by.as_ref().map_or(18.0, |_| 13.0);
    group.append(text(class, [x, y + raised], value));
    if let Some(by) = by {
        group.append(text("by", [x, y + 24.0], by));
    }
}

/// What a stage does, in words.
fn in_words(stage: &Stage, number: usize, format: Format<'_>, names: Names) -> String {
    let value = format;
    if number == 0 {
        let all: Vec<_> = stage.held.values().map(|&bits| value(bits)).collect();
        return format!("Before the first step the {}s hold {}.", names.place, all.join(", "));
    }
    let one = |step: &Move| {
        let mut read = step.from.clone();
        read.sort_by_key(|held| held.place);
        let from: Vec<_> = read.iter().map(|held| held.place.to_string()).collect();
        let values: Vec<_> = read.iter().map(|held| value(held.bits)).collect();
        let who = format!("{} {}", names.worker, step.thread);
        let result = value(step.to.bits);
        match &from[..] {
            [] => return format!("{who} puts {result} in {} {}", names.place, step.to.place),
            [from] => {
                let place = names.place;
                return format!(
                    "{who} copies {result} from {place} {from} to {place} {}",
                    step.to.place
                );
            }
            _ => {}
        }
        format!(
            "{who} folds {}s {} into {} {}: {} give {result}",
            names.place,
            from.join(" and "),
            names.place,
            step.to.place,
            values.join(" and "),
        )
    };
    let all: Vec<_> = stage.moves.iter().map(one).collect();
    format!("Step {number}: {}.", all.join("; "))
}
