//! Which lanes are active, instruction by instruction: one band per warp, one row per lane.

use svg::node::Node;
use svg::node::element::{Group, path::Data};

use simt_report::{Event, InstructionClass};

use crate::lanes;
use crate::shapes::{Frame, Picture, path, rectangle, text};

const WIDTH: f64 = 640.0;
const LEFT: f64 = 62.0;
const LANE: f64 = 3.5;
const BAND: f64 = 32.0 * LANE;
const GAP: f64 = 22.0;
const TOP: f64 = 2.0;
/// The width of a digit of a small text.
const DIGIT: f64 = 7.0;
/// Warps that are drawn at most.
const MOST: usize = 8;

/// The instructions of a warp.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Band {
    /// The active lanes of each instruction, a bit per lane.
    pub active: Vec<u32>,
    /// The indices of the barriers among the instructions.
    pub barriers: Vec<usize>,
}

/// The instructions of each warp of a block, read off the block's events.
pub fn bands(events: &[&Event]) -> Vec<Band> {
    let mut bands: Vec<Band> = Vec::new();
    for event in events {
        let Event::Instruction { place, class, active } = event else {
            continue;
        };
        let warp = place.warp as usize;
        if bands.len() <= warp {
            bands.resize(warp + 1, Band::default());
        }
        let band = &mut bands[warp];
        if *class == InstructionClass::Barrier {
            band.barriers.push(band.active.len());
        }
        band.active.push(*active);
    }
    bands
}

/// Draws the warps of a block, as wide as `span` instructions if that is given.
///
/// # Errors
/// If there are more than 8 warps, or `span` is too short for a warp.
pub fn draw(bands: &[Band], span: Option<usize>, kernel: &str) -> Result<Picture, String> {
    if bands.len() > MOST {
        let count = bands.len();
        return Err(format!("a block of {count} warps: at most {MOST} are drawn"));
    }
    let longest = bands.iter().map(|band| band.active.len()).max().unwrap_or(0);
    let span = span.unwrap_or(longest);
    if span < longest {
        return Err(format!("span={span}: a warp issues {longest} instructions"));
    }
    let mut drawing = Group::new();
    for (warp, band) in bands.iter().enumerate() {
        drawing.append(draw_band(warp, band, WIDTH / span.max(1) as f64));
    }
    Ok(Picture {
        title: format!(
            "Active lanes over time in {kernel}: a column is an instruction of the warp."
        ),
        class: "timeline",
        frames: vec![Frame {
            drawing,
            width: LEFT + WIDTH + 4.0,
            height: TOP + (BAND + GAP) * bands.len() as f64,
        }],
        said: bands.iter().enumerate().map(|(warp, band)| in_words(warp, band)).collect(),
        has_steps: false,
    })
}

impl Band {
    fn share(&self) -> f64 {
        let active: u32 = self.active.iter().map(|mask| mask.count_ones()).sum();
        100.0 * f64::from(active) / (32 * self.active.len().max(1)) as f64
    }
}

fn draw_band(warp: usize, band: &Band, wide: f64) -> Group {
    let mut group = Group::new();
    let top = TOP + (BAND + GAP) * warp as f64;
    let length = wide * band.active.len() as f64;
    group.append(rectangle("ground", [LEFT, top], [length, BAND]));
    group.append(path("active", runs(band, top, wide)));
    let mut barriers = Data::new();
    let mut free_from = LEFT;
    for (number, &at) in band.barriers.iter().enumerate() {
        let x = LEFT + wide * (at as f64 + 0.5);
        barriers = barriers.move_to((x, top - 1.0)).line_to((x, top + BAND + 4.0));
        // A number that would touch the one before is left out.
        let number = (number + 1).to_string();
        let half = DIGIT * number.len() as f64 / 2.0;
        if x - half >= free_from {
            free_from = x + half + DIGIT / 2.0;
            group.append(text("small", [x, top + BAND + 14.0], number));
        }
    }
    group.append(path("barrier", barriers));
    group.append(text("end step", [LEFT - 8.0, top + 12.0], format!("warp {warp}")));
    let share = format!("{:.0} %", band.share());
    group.append(text("end", [LEFT - 8.0, top + 30.0], share));
    group.append(text("end small", [LEFT - 8.0, top + BAND], "lane 31"));
    group
}

/// For each lane, the stretches of instructions in which it is active.
fn runs(band: &Band, top: f64, wide: f64) -> Data {
    let mut data = Data::new();
    for lane in lanes(u32::MAX) {
        let y = top + LANE * f64::from(lane);
        let mut start = None;
        for at in 0..=band.active.len() {
            let is_active = band.active.get(at).is_some_and(|mask| mask >> lane & 1 == 1);
            match (start, is_active) {
                (None, true) => start = Some(at),
                (Some(from), false) => {
                    let length = short(wide * (at - from) as f64);
                    data = data
                        .move_to((short(LEFT + wide * from as f64), y))
                        .horizontal_line_by(length)
                        .vertical_line_by(LANE - 0.5)
                        .horizontal_line_by(-length)
                        .close();
                    start = None;
                }
                _ => {}
            }
        }
    }
    data
}

/// A hundredth of a pixel is enough, and keeps the page small.
fn short(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}

fn in_words(warp: usize, band: &Band) -> String {
    let mut parts = Vec::new();
    let mut from = 0;
    let ends = band.barriers.iter().map(|at| at + 1);
    for (number, end) in ends.chain([band.active.len()]).enumerate() {
        let phase = &band.active[from..end];
        from = end;
        let idle = phase.iter().filter(|mask| mask.count_ones() < 32).count();
        let fewest = phase.iter().map(|mask| mask.count_ones()).min().unwrap_or(0);
        let partly = match idle {
            0 => "all with 32 lanes".to_owned(),
            _ => format!("{idle} of them with fewer than 32 lanes, down to {fewest}"),
        };
        let until = match number < band.barriers.len() {
            true => format!("up to barrier {}", number + 1),
            false => "to the end".to_owned(),
        };
        parts.push(format!("{until}: {} instructions, {partly}", phase.len()));
    }
    format!("Warp {warp} uses {:.0} % of its lanes: {}.", band.share(), parts.join("; "))
}
