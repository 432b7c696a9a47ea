//! A warp's access to shared memory: lanes above, the 32 banks below, and a row for each wavefront.
//!
//! Lanes that want different words of a bank are served one after another; lanes that want the same
//! word, together. Which goes first is not specified: here it is the lower lane.

use svg::node::Node;
use svg::node::element::{Group, path::Data};

use crate::shapes::{Frame, Picture, path, rectangle, text};
use crate::{Access, lanes};

const BANKS: usize = 32;
const PITCH: f64 = 21.0;
const CELL: [f64; 2] = [19.0, 19.0];
const LEFT: f64 = 40.0;
/// From the lanes' row to the banks' numbers.
const FALL: f64 = 64.0;
const ROW: f64 = 22.0;
/// Colours for wavefronts, one after another.
const COLOURS: usize = 8;

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
        frames.push(frame(access, &queues));
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

fn longest(queues: &Queues) -> usize {
    queues.iter().map(Vec::len).max().unwrap_or(0)
}

fn column(index: usize) -> f64 {
    LEFT + PITCH * index as f64
}

fn colour(wavefront: usize) -> String {
    format!("w{}", wavefront % COLOURS + 1)
}

fn frame(access: &Access<'_>, queues: &Queues) -> Frame {
    let mut drawing = Group::new();
    let wavefronts = longest(queues);
    drawing.append(text("end small", [LEFT - 6.0, 15.0], "lane"));
    drawing.append(text("end small", [LEFT - 6.0, FALL + 14.0], "bank"));
    for lane in 0..BANKS {
        if access.lanes >> lane & 1 == 0 {
            drawing.append(rectangle("cell dead", [column(lane), 1.0], CELL));
        }
        let middle = column(lane) + CELL[0] / 2.0;
        drawing.append(text("small", [middle, FALL + 14.0], lane.to_string()));
    }
    for wavefront in 0..wavefronts {
        drawing.append(row(queues, wavefront));
    }
    Frame { drawing, width: column(BANKS), height: FALL + 20.0 + ROW * wavefronts as f64 }
}

/// The lanes of a wavefront, their ways to the banks, and what each bank serves.
fn row(queues: &Queues, wavefront: usize) -> Group {
    let mut group = Group::new();
    let colour = colour(wavefront);
    let y = FALL + 20.0 + ROW * wavefront as f64;
    let mut ways = Data::new();
    for (bank, queue) in queues.iter().enumerate() {
        let x = column(bank);
        let Some(served) = queue.get(wavefront) else {
            group.append(rectangle("cell empty", [x, y], CELL));
            continue;
        };
        let middle = CELL[0] / 2.0;
        for &lane in &served.lanes {
            let from = column(lane as usize);
            ways = ways.move_to((from + middle, 1.0 + CELL[1])).line_to((x + middle, FALL + 4.0));
            group.append(rectangle(&format!("cell {colour}"), [from, 1.0], CELL));
            group.append(text("small", [from + middle, 14.5], lane.to_string()));
        }
        let label = match served.lanes[..] {
            [lane] => lane.to_string(),
            ref several => format!("×{}", several.len()),
        };
        group.append(rectangle(&format!("cell {colour}"), [x, y], CELL));
        group.append(text("small", [x + middle, y + 13.5], label));
    }
    group.append(path(&format!("way {colour}"), ways));
    group.append(text("end step", [LEFT - 6.0, y + 14.0], (wavefront + 1).to_string()));
    group
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

    #[test]
    fn a_picture_that_disagrees_with_the_machine_is_refused() {
        let error = strided(2, 4, 1).expect_err("it has two wavefronts");
        assert!(error.contains("2 wavefronts") && error.contains("counts 1"), "{error}");
        let error = strided(1, 8, 2).expect_err("it is too wide");
        assert!(error.contains("not 8"), "{error}");
    }
}
