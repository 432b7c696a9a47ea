//! A warp's access to shared memory: lanes above, the 32 banks below, and a row for each wavefront.
//!
//! Lanes that want different words of a bank are served one after another; lanes that want the same
//! word, together. Which goes first is not specified: here it is the lower lane.

use std::ops::Range;

use svg::node::Node;
use svg::node::element::{Element, Group, path::Data};

use crate::shapes::{Frame, Picture, path, rectangle, rectangles, text};
use crate::{Access, lanes};

const BANKS: usize = 32;
/// From the lanes' row to the banks' numbers.
const FALL: f64 = 64.0;
const ROW: f64 = 22.0;
/// From an upper edge of a cell to the text in it.
const BASE: f64 = 13.5;
/// Colours for wavefronts, one after another.
const COLOURS: usize = 8;

/// The columns of a drawing.
#[derive(Clone, Copy)]
struct Columns {
    /// Columns in a row: the others begin a row of their own.
    in_a_row: usize,
    pitch: f64,
    /// The left edge of the first column.
    left: f64,
    cell: [f64; 2],
}

const WIDE: Columns = Columns { in_a_row: BANKS, pitch: 21.0, left: 40.0, cell: [19.0, 19.0] };
/// For a phone: two rows of 16 lanes, and two of 16 banks.
const NARROW: Columns = Columns { in_a_row: 16, pitch: 20.0, left: 34.0, cell: [18.0, 19.0] };

impl Columns {
    /// The left edge of a lane or of a bank.
    fn x(self, index: usize) -> f64 {
        self.left + self.pitch * (index % self.in_a_row) as f64
    }

    fn middle(self, index: usize) -> f64 {
        self.x(index) + self.cell[0] / 2.0
    }

    fn width(self) -> f64 {
        self.left + self.pitch * self.in_a_row as f64
    }

    /// Lanes, or banks, row by row.
    fn rows(self) -> impl Iterator<Item = Range<usize>> {
        (0..BANKS).step_by(self.in_a_row).map(move |first| first..first + self.in_a_row)
    }
}

/// A word that is served, and the lanes that want it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Served {
    word: u64,
    lanes: Vec<u32>,
}

/// For each bank, what it serves, a word a wavefront.
type Queues = Vec<Vec<Served>>;

/// Draws one picture per access of a kernel.
///
/// # Errors
/// If an access is wider than 4 bytes, or where the picture would have another number of wavefronts
/// than the machine counts.
pub fn draw(accesses: &[Access<'_>], kernel: &str) -> Result<Picture, String> {
    let mut frames = Vec::new();
    let mut said = Vec::new();
    for access in accesses {
        let queues = queues(access)?;
        frames.extend([wide(access, &queues), narrow(access, &queues)]);
        said.push(in_words(access, &queues));
    }
    Ok(Picture {
        title: format!("Lanes and banks of shared memory in {kernel}."),
        class: "banks",
        frames,
        said,
        has_steps: accesses.len() > 1,
    })
}

fn queues(access: &Access<'_>) -> Result<Queues, String> {
    if access.bytes > 4 {
        let bytes = access.bytes;
        return Err(format!("banks are drawn for accesses of 4 bytes, not {bytes}"));
    }
    let mut queues = vec![Vec::<Served>::new(); BANKS];
    for (lane, address) in lanes(access.lanes).zip(access.addresses) {
        let word = address / 4;
        let queue = &mut queues[word as usize % BANKS];
        match queue.iter_mut().find(|served| served.word == word) {
            Some(served) => served.lanes.push(lane),
            None => queue.push(Served { word, lanes: vec![lane] }),
        }
    }
    let longest = longest(&queues);
    match longest as u64 == access.cost {
        true => Ok(queues),
        false => Err(format!(
            "the picture would have {longest} wavefronts, and the machine counts {}",
            access.cost
        )),
    }
}

fn longest(queues: &[Vec<Served>]) -> usize {
    queues.iter().map(Vec::len).max().unwrap_or(0)
}

fn colour(wavefront: usize) -> String {
    format!("w{}", wavefront % COLOURS + 1)
}

/// All lanes in one row, and their ways to the banks.
fn wide(access: &Access<'_>, queues: &Queues) -> Frame {
    let mut drawing = Group::new();
    let wavefronts = longest(queues);
    drawing.append(lane_row(access, queues, WIDE, 0..BANKS, 1.0));
    drawing.append(numbers(WIDE, 0..BANKS, FALL + 14.0));
    for wavefront in 0..wavefronts {
        let y = FALL + 20.0 + ROW * wavefront as f64;
        drawing.append(bank_row(queues, WIDE, 0..BANKS, (wavefront, y)));
        drawing.append(ways(queues, wavefront));
    }
    Frame { drawing, width: WIDE.width(), height: FALL + 20.0 + ROW * wavefronts as f64 }
}

/// The lanes in two rows, then the banks in two. Colours and numbers say which lane goes where.
fn narrow(access: &Access<'_>, queues: &Queues) -> Frame {
    let mut drawing = Group::new();
    let mut y = 1.0;
    for row in NARROW.rows() {
        drawing.append(lane_row(access, queues, NARROW, row, y));
        y += ROW;
    }
    for row in NARROW.rows() {
        y += ROW;
        drawing.append(numbers(NARROW, row.clone(), y - 6.0));
        for wavefront in 0..longest(&queues[row.clone()]).max(1) {
            drawing.append(bank_row(queues, NARROW, row.clone(), (wavefront, y)));
            y += ROW;
        }
    }
    Frame { drawing, width: NARROW.width(), height: y }
}

/// What stands at the left of a row.
fn label(columns: Columns, class: &str, base: f64, label: &str) -> Element {
    text(class, [columns.left - 6.0, base], label)
}

/// The numbers of banks, above what these serve.
fn numbers(columns: Columns, banks: Range<usize>, base: f64) -> Group {
    let mut group = Group::new();
    group.append(label(columns, "end small", base, "bank"));
    for bank in banks {
        group.append(text("small", [columns.middle(bank), base], bank.to_string()));
    }
    group
}

/// Lanes, in the colours of their wavefronts.
fn lane_row(
    access: &Access<'_>,
    queues: &Queues,
    columns: Columns,
    row: Range<usize>,
    y: f64,
) -> Group {
    let mut group = Group::new();
    group.append(label(columns, "end small", y + BASE, "lane"));
    let idle = row.clone().filter(|lane| access.lanes >> lane & 1 == 0);
    group.append(rectangles("cell dead", idle.map(|lane| [columns.x(lane), y]), columns.cell));
    for (wavefront, served) in queues.iter().flat_map(|queue| queue.iter().enumerate()) {
        for lane in served.lanes.iter().map(|&lane| lane as usize).filter(|l| row.contains(l)) {
            let class = format!("cell {}", colour(wavefront));
            group.append(rectangle(&class, [columns.x(lane), y], columns.cell));
            group.append(text("small", [columns.middle(lane), y + BASE], lane.to_string()));
        }
    }
    group
}

/// What each of these banks serves in a wavefront.
fn bank_row(
    queues: &Queues,
    columns: Columns,
    row: Range<usize>,
    (wavefront, y): (usize, f64),
) -> Group {
    let mut group = Group::new();
    let class = format!("cell {}", colour(wavefront));
    let idle = row.clone().filter(|&bank| queues[bank].len() <= wavefront);
    group.append(rectangles("cell empty", idle.map(|bank| [columns.x(bank), y]), columns.cell));
    for bank in row {
        let Some(served) = queues[bank].get(wavefront) else { continue };
        let lanes = match served.lanes[..] {
            [lane] => lane.to_string(),
            ref several => format!("×{}", several.len()),
        };
        group.append(rectangle(&class, [columns.x(bank), y], columns.cell));
        group.append(text("small", [columns.middle(bank), y + BASE], lanes));
    }
    group.append(label(columns, "end step", y + 14.0, &(wavefront + 1).to_string()));
    group
}

/// The ways of a wavefront's lanes to their banks.
fn ways(queues: &Queues, wavefront: usize) -> Element {
    let mut ways = Data::new();
    for (bank, served) in queues.iter().enumerate() {
        for &lane in served.get(wavefront).into_iter().flat_map(|served| &served.lanes) {
            let (from, to) = (WIDE.middle(lane as usize), WIDE.middle(bank));
            ways = ways.move_to((from, 1.0 + WIDE.cell[1])).line_to((to, FALL + 4.0));
        }
    }
    path(&format!("way {}", colour(wavefront)), ways)
}

fn in_words(access: &Access<'_>, queues: &Queues) -> String {
    let active = access.lanes.count_ones();
    let words: usize = queues.iter().map(Vec::len).sum();
    let banks = queues.iter().filter(|queue| !queue.is_empty()).count();
    let wavefronts = longest(queues);
    let Access { verb, line, .. } = access;
    let plural = |count: usize, what: &str| match count {
        1 => format!("1 {what}"),
        _ => format!("{count} {what}s"),
    };
    format!(
        "{line}: {} {verb} {} in {}, in {}.",
        plural(active as usize, "lane"),
        plural(words, "word"),
        plural(banks, "bank"),
        plural(wavefronts, "wavefront"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lane i loads the word at i times the stride; the machine counts `cost` wavefronts.
    fn strided(stride: u64, bytes: u32, cost: u64) -> Result<Picture, String> {
        let addresses: Vec<u64> = (0..32).map(|lane| 4 * stride * lane).collect();
        let access = Access {
            lanes: u32::MAX,
            addresses: &addresses,
            base: 0,
            bytes,
            cost,
            verb: "read",
            line: "`s[i]` (k.cu:1)".into(),
        };
        draw(&[access], "k")
    }

    #[test]
    fn a_stride_has_as_many_wavefronts_as_lanes_in_a_bank() {
        for (stride, cost) in [(1, 1), (2, 2), (32, 32), (33, 1), (0, 1)] {
            let picture = strided(stride, 4, cost).expect("it agrees with the machine");
            let wavefronts = format!("in {cost} wavefront");
            assert!(picture.said[0].contains(&wavefronts), "{:?}", picture.said);
        }
    }

    /// The second drawing of an access is for a phone, with all lanes and all that the banks serve.
    #[test]
    fn a_narrow_drawing_has_every_lane_in_two_rows() {
        let picture = strided(2, 4, 2).expect("it agrees with the machine");
        let [wide, narrow] = &picture.frames[..] else {
            panic!("{} drawings", picture.frames.len())
        };
        let counts = |frame: &Frame| {
            let drawn = frame.drawing.to_string();
            ["class=\"cell w1\"", "class=\"cell w2\""].map(|cell| drawn.matches(cell).count())
        };
        assert_eq!(counts(wide), [32, 32], "16 lanes and 16 words in each wavefront");
        assert_eq!(counts(narrow), counts(wide));
        assert!(narrow.width <= 356.0 && wide.width > 700.0);
        let ends = narrow.drawing.to_string().matches(">lane<").count();
        assert_eq!(ends, 2, "two rows of lanes");
    }

    #[test]
    fn a_picture_that_disagrees_with_the_machine_is_refused() {
        let error = strided(2, 4, 1).expect_err("it has two wavefronts");
        assert!(error.contains("2 wavefronts") && error.contains("counts 1"), "{error}");
        let error = strided(1, 8, 2).expect_err("it is too wide");
        assert!(error.contains("not 8"), "{error}");
    }
}
