//! A tree as a picture: a row of places a stage, and arrows from what is read to what is written.

use harness::Dtype;
use harness::trace::{Event, Traced};
use svg::node::Node;
use svg::node::element::{Group, path::Data};

use super::arguments::Arguments;
use super::picture::{Frame, Picture, path, rectangle, step_group, text};
use super::tree::{self, Move, Stage, Tree};
use super::value;

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

/// What the places of a tree are.
#[derive(Clone, Copy)]
struct Names {
    place: &'static str,
    worker: &'static str,
    /// What a worker's number begins with; none where it is the place's.
    mark: Option<&'static str>,
    where_: &'static str,
}

const SHARED: Names = Names {
    place: "word",
    worker: "thread",
    mark: Some("t"),
    where_: "in shared memory",
};
const REGISTERS: Names = Names {
    place: "lane",
    worker: "lane",
    mark: None,
    where_: "in registers, by shuffles",
};

/// Which tree is drawn, and how much of it.
pub(super) struct Wanted {
    of: Option<String>,
    places: Option<usize>,
    buffers: Option<usize>,
}

impl Wanted {
    /// Takes the keys `of`, `places` and `buffers`.
    pub(super) fn take(arguments: &mut Arguments) -> Result<Self, String> {
        Ok(Self {
            of: arguments.take("of"),
            places: arguments.number("places")?,
            buffers: arguments.number("buffers")?,
        })
    }
}

/// The tree of a block's shared memory, or of a warp's registers.
pub(super) fn draw(
    events: &[&Event],
    traced: &Traced,
    warp: u32,
    wanted: &Wanted,
) -> Result<Picture, String> {
    let (op, dtype) = (traced.case.op, traced.case.dtype.accumulator());
    let (tree, names) = match wanted.of.as_deref().unwrap_or("shared") {
        "shared" => (tree::in_shared(events, op, dtype)?, SHARED),
        "registers" => (tree::in_registers(events, warp, op, dtype)?, REGISTERS),
        other => return Err(format!("of={other}: a tree is of shared or of registers")),
    };
    let tree = match wanted.buffers {
        Some(buffers) => tree.laid_over(buffers)?,
        None => tree,
    };
    let tree = match wanted.places {
        Some(places) => tree.of_first(places)?,
        None => tree,
    };
    Ok(picture(&tree, dtype, names, traced.rung.name))
}

fn picture(tree: &Tree, dtype: Dtype, names: Names, kernel: &str) -> Picture {
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
        row(&mut group, tree, number, dtype, names);
        drawing.append(group);
        said.push(in_words(stage, number, dtype, names));
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
    Picture {
        title,
        class: "tree",
        frames: vec![frame],
        said,
        has_steps: true,
    }
}

/// The middle of a place's upper edge.
fn above(place: usize, row: usize) -> [f64; 2] {
    [
        LEFT + PITCH * place as f64 + CELL[0] / 2.0,
        TOP + ROW * row as f64,
    ]
}

fn arrows(group: &mut Group, stage: &Stage, number: usize) {
    let mut own = Data::new();
    let mut other = Data::new();
    let mut heads = Data::new();
    for step in &stage.moves {
        let [x, y] = above(step.to.place, number);
        for from in &step.from {
            let [start, top] = above(from.place, number - 1);
            let line = if from.place == step.to.place {
                &mut own
            } else {
                &mut other
            };
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

fn row(group: &mut Group, tree: &Tree, number: usize, dtype: Dtype, names: Names) {
    let stage = &tree.stages[number];
    let is_last = number > 0 && number + 1 == tree.steps().len();
    let [_, y] = above(0, number);
    let label = text("step", [LEFT / 2.0 - 2.0, y + 18.0], number.to_string());
    group.append(label);
    for (&place, &bits) in &stage.held {
        let corner = above(place, number);
        let is_here = |step: &&Move| number > 0 && step.to.place == place;
        let written = stage.moves.iter().find(is_here);
        // A value that nobody reads again is of use only where it is the result.
        let is_live = tree.is_live(number, place) || (is_last && written.is_some());
        if !is_live {
            cell(group, "cell dead", corner);
            continue;
        }
        let class = written.map_or("cell", |_| "cell written");
        cell(group, class, corner);
        let by = names.mark.zip(written);
        let by = by.map(|(mark, step)| format!("{mark}{}", step.thread));
        content(group, corner, value::text(dtype, bits), by);
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
fn in_words(stage: &Stage, number: usize, dtype: Dtype, names: Names) -> String {
    let value = |bits: u64| value::text(dtype, bits);
    if number == 0 {
        let all: Vec<_> = stage.held.values().map(|&bits| value(bits)).collect();
        return format!(
            "Before the first step the {}s hold {}.",
            names.place,
            all.join(", ")
        );
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
