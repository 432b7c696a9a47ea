//! A ring of stages over time: what each stage holds, and what each role does, from event to event.
//!
//! The axis has the order of execution, not a clock: a column is an event at which something in the picture changes. Of
//! warps that do the same, the first one is drawn.

use simt_report::{AccessKind, AccessSpace, Event, InstructionClass, LaunchReport, MbarrierUse};
use svg::node::Node;
use svg::node::element::Group;

use crate::ring::{Declared, Ring, capitalised, numbers};
use crate::shapes::{Frame, Picture, rectangle, step_group, text};

const WIDTH: f64 = 366.0;
const LEFT: f64 = 66.0;
const BAR: f64 = 20.0;
const ROW: f64 = 26.0;
/// A column's width, at least and at most.
const PITCH: [f64; 2] = [6.0, 14.0];
/// Width of a character of a label.
const LETTER: f64 = 6.2;
/// The loads of published aggregates are in this file.
const STATUS: &str = "tagged.cuh:";

/// What a bar shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum What<'a> {
    /// The stage waits for the bytes of the copy of a tile.
    Copy(usize),
    /// The stage has the tile.
    Holds(usize),
    /// Nothing: the stage is empty, or the warp has exited.
    Nothing,
    /// The warp waits at an mbarrier of this name and stage.
    Waits(&'a str, Option<usize>),
    /// The warp looks again and again for the aggregates that blocks publish.
    Looks,
    /// The warp computes.
    Works,
    /// The warp stores results.
    Stores,
}

impl What<'_> {
    fn class(self) -> &'static str {
        match self {
            Self::Copy(_) => "cell w1",
            Self::Holds(_) => "cell w3",
            Self::Nothing | Self::Waits(..) | Self::Looks => "cell waste",
            Self::Works => "cell",
            Self::Stores => "cell w2",
        }
    }

    /// What stands in the bar where there is room.
    fn label(self) -> String {
        match self {
            Self::Copy(tile) | Self::Holds(tile) => tile.to_string(),
            Self::Waits(name, stage) => {
                stage.map_or_else(|| name.to_owned(), |stage| format!("{name} {stage}"))
            }
            Self::Looks => "aggr.".to_owned(),
            Self::Stores => "st".to_owned(),
            Self::Nothing | Self::Works => String::new(),
        }
    }

    fn in_words(self) -> Option<String> {
        Some(match self {
            Self::Copy(tile) => format!("tile {tile} is being copied"),
            Self::Holds(tile) => format!("tile {tile} is there"),
            Self::Nothing => "empty".to_owned(),
            Self::Waits(name, Some(stage)) => format!("waits for `{name}` of stage {stage}"),
            Self::Waits(name, None) => format!("waits for `{name}`"),
            Self::Looks => "waits for published aggregates".to_owned(),
            Self::Stores => "stores".to_owned(),
            Self::Works => return None,
        })
    }
}

/// A row of the chart: its name, and what begins at which event.
struct Row<'a> {
    name: String,
    is_role: bool,
    begins: Vec<(usize, What<'a>)>,
}

impl<'a> Row<'a> {
    fn begin(&mut self, event: usize, what: What<'a>) {
        // What begins at the same event is known better now.
        if self.begins.last().is_some_and(|(last, _)| *last == event) {
            self.begins.pop();
        }
        if self.begins.last().is_none_or(|(_, last)| *last != what) {
            self.begins.push((event, what));
        }
    }
}

/// Draws the stages and the roles of a block over time. `names` name the roles, in the order of their first warps.
///
/// # Errors
/// If the block has no ring, or another number of roles.
pub fn draw(
    launch: &LaunchReport,
    block: u64,
    declared: &[Declared],
    names: &[&str],
) -> Result<Picture, String> {
    let ring = Ring::of(launch, block, declared, names)?;
    let stages = stages(&ring);
    let roles = roles(launch, block, &ring);
    let mut columns: Vec<usize> = Vec::new();
    for row in stages.iter().chain(&roles) {
        columns.extend(row.begins.iter().map(|(event, _)| event));
    }
    columns.sort_unstable();
    columns.dedup();
    let chart = Chart {
        pitch: ((WIDTH - LEFT) / (columns.len() + 1) as f64).clamp(PITCH[0], PITCH[1]),
        steps: steps(&stages, &columns),
        columns,
    };
    let mut groups: Vec<Group> = (1..=chart.steps.len()).map(step_group).collect();
    let mut said = vec![Vec::new(); groups.len()];
    let mut drawing = Group::new();
    let mut y = 16.0;
    for (title, rows) in [("stages", &stages), ("roles", &roles)] {
        drawing.append(text("start step", [2.0, y - 4.0], title));
        for row in rows {
            drawing.append(text("end small", [LEFT - 4.0, y + 14.0], row.name.as_str()));
            chart.bars(row, y, &mut groups, &mut said);
            y += ROW;
        }
        y += 18.0;
    }
    groups.into_iter().for_each(|group| drawing.append(group));
    let right = LEFT + chart.pitch * (chart.columns.len() + 1) as f64;
    drawing.append(text("end small", [right, y - 10.0], "order of execution →"));
    let alike =
        ring.roles.iter().filter(|role| role.warps.len() > 1).map(|role| {
            format!("{} ({}) is drawn by its first warp", role.name, numbers(&role.warps))
        });
    let mut said: Vec<String> = said.into_iter().map(|said| said.join("; ") + ".").collect();
    if let Some(first) = said.first_mut() {
        let alike: Vec<_> = alike.collect();
        *first = format!("{}. {first}", capitalised(&alike.join("; ")));
    }
    Ok(Picture {
        title: format!("The stages and the roles of {} over time.", launch.kernel),
        class: "banks roles",
        frames: vec![Frame { drawing, width: right + 2.0, height: y - 4.0 }],
        said,
        has_steps: true,
    })
}

/// Where the bars stand.
struct Chart {
    /// The events that begin a column.
    columns: Vec<usize>,
    pitch: f64,
    /// The event with which each step begins: the start of a copy.
    steps: Vec<usize>,
}

impl Chart {
    fn bars(&self, row: &Row<'_>, y: f64, groups: &mut [Group], said: &mut [Vec<String>]) {
        let ends = row.begins.iter().skip(1).map(|(event, _)| self.column(*event));
        let ends = ends.chain([self.columns.len() + 1]);
        for (&(event, what), end) in row.begins.iter().zip(ends) {
            let step = self.steps.partition_point(|&start| start <= event).saturating_sub(1);
            let from = self.column(event);
            let (x, width) = (LEFT + self.pitch * from as f64, self.pitch * (end - from) as f64);
            if let Some(words) = what.in_words() {
                let words =
                    if row.is_role && what == What::Nothing { "has exited" } else { &words };
                said[step].push(format!("{}: {words}", row.name));
            }
            if what == What::Nothing {
                continue;
            }
            groups[step].append(rectangle(what.class(), [x + 0.5, y], [width - 1.0, BAR]));
            let label = what.label();
            if label.chars().count() as f64 * LETTER < width {
                groups[step].append(text("small", [x + width / 2.0, y + 14.0], label));
            }
        }
    }

    fn column(&self, event: usize) -> usize {
        self.columns.partition_point(|&column| column < event)
    }
}

/// The events that begin the steps: the starts of copies.
fn steps(stages: &[Row<'_>], columns: &[usize]) -> Vec<usize> {
    let starts = stages.iter().flat_map(|row| &row.begins);
    let starts = starts.filter(|(_, what)| matches!(what, What::Copy(_)));
    let mut starts: Vec<usize> = starts.map(|&(event, _)| event).collect();
    starts.sort_unstable();
    if let (Some(first), Some(&column)) = (starts.first_mut(), columns.first()) {
        *first = column;
    }
    starts
}

fn stages<'a>(ring: &Ring<'a>) -> Vec<Row<'a>> {
    let row = |stage| Row { name: format!("stage {stage}"), is_role: false, begins: Vec::new() };
    let mut rows: Vec<Row<'_>> = (0..ring.stages).map(row).collect();
    let mut tiles = 0;
    for &(event, _, of, used) in &ring.uses {
        let Some(row) = of.stage.and_then(|stage| rows.get_mut(stage)) else { continue };
        match (used.does, row.begins.last()) {
            (MbarrierUse::StartCopy, _) => {
                row.begin(event, What::Copy(tiles));
                tiles += 1;
            }
            (MbarrierUse::EndCopy, Some(&(_, What::Copy(tile)))) if used.completes => {
                row.begin(event, What::Holds(tile));
            }
            (_, Some((_, What::Holds(_)))) if used.completes && of.name == ring.empties => {
                row.begin(event, What::Nothing);
            }
            _ => {}
        }
    }
    rows
}

fn roles<'a>(launch: &LaunchReport, block: u64, ring: &Ring<'a>) -> Vec<Row<'a>> {
    let mut rows = Vec::new();
    for role in &ring.roles {
        let warp = role.warps[0];
        let mut row = Row { name: role.name.clone(), is_role: true, begins: Vec::new() };
        let mut uses = ring.uses.iter().filter(|(_, of, ..)| *of == warp).peekable();
        let mut looked = None;
        for (event, it) in launch.trace.iter().flat_map(|trace| &trace.events).enumerate() {
            while let Some(&&(_, _, of, used)) = uses.peek().filter(|(at, ..)| *at <= event) {
                uses.next();
                looked = None;
                match used.does {
                    MbarrierUse::Wait => row.begin(event, What::Waits(&of.name, of.stage)),
                    MbarrierUse::Initialise | MbarrierUse::EndCopy => {}
                    MbarrierUse::Arrive | MbarrierUse::Pass | MbarrierUse::StartCopy => {
                        row.begin(event, What::Works);
                    }
                }
            }
            if let Event::Instruction { place, class: InstructionClass::Exit, .. } = it
                && (place.block, place.warp) == (block, warp)
            {
                row.begin(event, What::Nothing);
            }
            let Event::Access { place, access } = it else { continue };
            if (place.block, place.warp) != (block, warp) || access.space != AccessSpace::Global {
                continue;
            }
            let is_status = place.line.contains(STATUS);
            match access.access {
                // One look is no wait.
                AccessKind::Load if is_status => match looked.replace(event) {
                    Some(first) => row.begin(first, What::Looks),
                    None => row.begin(event, What::Works),
                },
                // A lane alone stores no results, but that the launch has begun.
                AccessKind::Store if !is_status && access.lanes.count_ones() > 1 => {
                    looked = None;
                    row.begin(event, What::Stores);
                }
                _ => {}
            }
        }
        rows.push(row);
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ring::{declared, tests::launch};

    const SOURCE: &str = "Mbarrier full[2];\nMbarrier empty[2];\n";

    #[test]
    fn bars_follow_the_events() {
        let picture = draw(&launch(), 0, &declared(SOURCE), &["readers", "copier"]).expect("drawn");
        let drawn = picture.frames[0].drawing.to_string();
        assert_eq!(drawn.matches("cell w1").count(), 3, "a copy per tile");
        assert_eq!(drawn.matches("cell w3").count(), 3);
        assert_eq!(drawn.matches("cell waste").count(), 3, "a wait of the readers per tile");
        assert_eq!(picture.said.len(), 3, "a step per tile");
        assert!(
            picture.said[0]
                .starts_with("Readers (warps 0 to 1) is drawn by its first warp. stage 0"),
            "{}",
            picture.said[0]
        );
        assert!(picture.said[2].contains("readers: waits for `full` of stage 0"));
        assert!(picture.frames[0].width <= WIDTH);
    }
}
