//! Rows to columns.

use std::collections::BTreeSet;

use chapter_6_transpose::{layout::Layout, reference};
use harness::{Dtype, Element, Shape, inputs::bits, with_element};
use serde::Deserialize;

use super::{
    Array, Case, Finding, Initial, Instance, Observation, Output, Reference, Wrong,
    compare::{numbers, same, typed},
    dimensions,
    moved::{Sources, distinct},
    sectors_of_rows, shapes,
};
use crate::diagnosis::Diagnosis;

/// `out` is the transpose of the matrix `in`, both by rows; or `matrix` is to be its own transpose.
/// Dimensions: `rows` and `cols` of the input, `n`, which is `rows`, too, and the distances of rows,
/// `ld_in` and `ld_out`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Transpose {
    /// The elements' type.
    #[serde(deserialize_with = "crate::course::named")]
    dtype: Dtype,
    /// The side of the tiles that solutions use, to recognise their mistakes.
    #[serde(default = "usual_tile")]
    tile: usize,
    /// Whether a square matrix is transposed onto itself.
    #[serde(default)]
    in_place: bool,
    /// Elements between the rows of the input, usually: up to twice as many.
    #[serde(default)]
    gap_in: u64,
    /// The same for the output, where they must stay as they are.
    #[serde(default)]
    gap_out: u64,
}

fn usual_tile() -> usize {
    32
}

impl Reference for Transpose {
    /// Empty ones, single rows and columns, ragged edges on one side and on both, each shape both
    /// ways round.
    fn sizes(&self) -> Vec<Shape> {
        shapes(match self.in_place {
            true => "0x0 1x1 2x2 31x31 32x32 33x33 64x64 65x65 97x97 128x128 1025x1025",
            false => {
                "0x5 5x0 1x1 7x3 3x7 33x1 1x33 32x32 33x31 31x33 64x32 33x70 70x33 128x64 65x129
                 129x65 1025x1027"
            }
        })
    }

    fn accepts(&self, shape: Shape) -> bool {
        match shape {
            Shape::Matrix { rows, cols } => rows == cols || !self.in_place,
            Shape::Vector { .. } => false,
        }
    }

    /// Less than a tile, or one tile alone, is turned wrongly by many mistakes in the same way.
    fn can_diagnose(&self, shape: Shape) -> bool {
        let Shape::Matrix { rows, cols } = shape else {
            return false;
        };
        let tile = self.tile as u64;
        rows.min(cols) >= tile && rows.max(cols) > tile
    }

    /// Where all tiles are whole, one mistake is all that there is to see.
    fn tells_best(&self, shape: Shape) -> bool {
        let tile = self.tile as u64;
        let is_whole =
            |shape| matches!(shape, Shape::Matrix { rows, cols } if rows % tile + cols % tile == 0);
        self.can_diagnose(shape) && is_whole(shape) && shape.elements() >= 4 * tile * tile
    }

    /// Two elements that are put at one place of the tile, by threads of any warps.
    fn race_at_one_line(&self) -> Diagnosis {
        Diagnosis::WriteConflict
    }

    fn instance(&self, case: &Case) -> Instance {
        with_element!(self.dtype, T => self.of::<T>(case))
    }

    fn explain(&self, instance: &Instance, seen: &Observation<'_>) -> Option<Finding> {
        let before = match &seen.output.initial {
            Initial::Bytes(bytes) => bytes,
            _ => &instance.inputs[0].bytes,
        };
        let side = |name: &str| instance.dimensions[name] as usize;
        let suspect = Suspect {
            input: numbers(self.dtype, before),
            rows: side("rows"),
            cols: side("cols"),
            ld_in: side("ld_in"),
            ld_out: side("ld_out"),
            tile: self.tile,
        };
        let in_place = || self.in_place.then(|| suspect.in_place(seen)).flatten();
        if suspect.is_ambiguous(seen) {
            return None;
        }
        suspect
            .is_in_a_gap(seen)
            .or_else(|| suspect.is_the_last_line(seen))
            .or_else(|| suspect.is_ragged(seen))
            .or_else(in_place)
            .or_else(|| suspect.is_by_another_index(seen))
            .or_else(|| suspect.has_the_wrong_width(seen))
            .or_else(|| suspect.lacks_tiles(seen))
            .or_else(|| suspect.is_permuted(seen))
    }
}

impl Transpose {
    fn of<T: Element>(&self, case: &Case) -> Instance {
        let Shape::Matrix { rows, cols } = case.shape else {
            return Instance::default();
        };
        // No kernel can know a gap: it may be larger than usual, or none.
        let gap = |usual: u64, side: u64| bits(case.seed ^ rows, side) % (2 * usual + 1);
        let (ld_in, ld_out) = (cols + gap(self.gap_in, cols), rows + gap(self.gap_out, !cols));
        let input: Vec<T> = distinct(case.seed, rows * ld_in);
        let layout = Layout { rows, cols, ld_in, ld_out, batch: 1 };
        // What lies in a gap stays as it was: the elements there are those of the poison, a word of 4 bytes.
        let before = [super::poison(case).to_le_bytes(); 2].concat();
        let poison: Vec<T> = typed(&before);
        let gaps = (0..cols * ld_out).map(|at| poison[at as usize % poison.len()]);
        let mut turned: Vec<T> = gaps.collect();
        reference::transpose(&layout, &input, &mut turned);
        let name = if self.in_place { "matrix" } else { "out" };
        let mut out = Output::equal(name, &turned);
        (out.row_length, out.row_used) = (Some(ld_out as usize), rows as usize);
        let array = Array::of("in", &input);
        let inputs = match self.in_place {
            true => {
                out.initial = Initial::Bytes(array.bytes);
                Vec::new()
            }
            false => vec![array],
        };
        Instance {
            dimensions: dimensions([
                ("rows", rows),
                ("cols", cols),
                ("n", rows),
                ("elements", rows * cols),
                ("ld_in", ld_in),
                ("ld_out", ld_out),
                ("tiles", rows.div_ceil(32) * cols.div_ceil(32)),
                ("in_sectors", sectors_of_rows(rows, cols, ld_in, size_of::<T>() as u64)),
                ("out_sectors", sectors_of_rows(cols, rows, ld_out, size_of::<T>() as u64)),
            ]),
            inputs,
            outputs: vec![out],
        }
    }
}

/// A matrix, and how a mistaken kernel would have turned it.
struct Suspect {
    input: Vec<f64>,
    rows: usize,
    cols: usize,
    ld_in: usize,
    ld_out: usize,
    tile: usize,
}

/// A mistake: the row and the column of the input that stand in a row and a column of the output.
type Mistake = fn(&Suspect, usize, usize) -> (usize, usize);

impl Suspect {
    /// Row and column of the output.
    fn place(&self, index: usize) -> (usize, usize) {
        (index / self.ld_out, index % self.ld_out)
    }

    fn at(&self, row: usize, col: usize) -> Option<f64> {
        let inside = row < self.rows && col < self.cols;
        inside.then(|| self.input[row * self.ld_in + col])
    }

    fn is_by_another_index(&self, seen: &Observation<'_>) -> Option<Finding> {
        let stays = "the output is the input, element by element";
        let corner = "each tile is turned in itself, but stays where it was: the tile of the input at (row, column) belongs to (column, row)";
        let unturned = "each tile is where it belongs, but is not turned in itself";
        let zeroth = "every tile of the output is the first one";
        let reversed =
            "the columns of the input are the rows of the output, but in the opposite order";
        let piecewise = "each block turned its own rows, and put them side by side: that is right for one block";
        let mistakes: [(Diagnosis, &str, Mistake); 6] = [
            (Diagnosis::Unchanged, stays, |of, a, b| {
                let at = a * of.ld_out + b;
                (at / of.ld_in, at % of.ld_in)
            }),
            (Diagnosis::Transposed, corner, |of, a, b| {
                let t = of.tile;
                (a / t * t + b % t, b / t * t + a % t)
            }),
            (Diagnosis::Transposed, unturned, |of, a, b| {
                let t = of.tile;
                (b / t * t + a % t, a / t * t + b % t)
            }),
            (Diagnosis::BlockOffset, zeroth, |of, a, b| (b % of.tile, a % of.tile)),
            (Diagnosis::Order, reversed, |of, a, b| (b, of.cols - 1 - a)),
            (Diagnosis::OneBlock, piecewise, |of, a, b| {
                let at = a * of.ld_out + b;
                let first = at / (of.tile * of.cols) * of.tile;
                let count = of.tile.min(of.rows.saturating_sub(first)).max(1);
                let within = at - first * of.cols;
                (first + within % count, within / count)
            }),
        ];
        let poisoned = matches!(seen.output.initial, Initial::Poison(_));
        let given = |wrong: &Wrong, mistake: &Mistake| {
            let (a, b) = self.place(wrong.index);
            let (row, col) = mistake(self, a, b);
            self.at(row, col)
        };
        // What a mistake puts elsewhere is missing here, and what it takes from outside the matrix is
        // what cannot be predicted. But some must be what the mistake gives.
        let fits = |(_, _, mistake): &(Diagnosis, &str, Mistake)| {
            let mut told = 0;
            let all = seen.wrong.iter().all(|wrong| {
                let is_told = given(wrong, mistake);
                let is_written = !(poisoned && wrong.is_untouched);
                told += usize::from(is_written && is_told.is_some());
                !is_written || is_told.is_none_or(|value| same(value, wrong.got))
            });
            all && told * 4 >= seen.wrong.len()
        };
        let (diagnosis, because, _) = mistakes.into_iter().find(fits)?;
        Finding::new(diagnosis, because)
    }

    /// Elements between the output's rows were written.
    fn is_in_a_gap(&self, seen: &Observation<'_>) -> Option<Finding> {
        let in_a_gap = |index| self.place(index).1 >= self.rows;
        let all = seen.wrong.iter().all(|wrong| in_a_gap(wrong.index));
        let (a, b) = self.place(seen.first().index);
        let because =
            format!("place {b} of row {a} is in the gap behind its {} elements", self.rows);
        all.then(|| Finding::new(Diagnosis::GapWritten, because))?
    }

    /// Rows of one side taken to be another distance apart: such as those of the other side.
    fn has_the_wrong_width(&self, seen: &Observation<'_>) -> Option<Finding> {
        let tile = self.tile.to_string();
        let lengths = [
            ("rows", self.rows),
            ("cols", self.cols),
            (tile.as_str(), self.tile),
            ("ld_in", self.ld_in),
            ("ld_out", self.ld_out),
        ];
        let has_gaps = self.ld_in > self.cols || self.ld_out > self.rows;
        let lengths = &lengths[..if has_gaps { 5 } else { 3 }];
        let (side, right, taken) = lengths.iter().find_map(|&(taken, length)| {
            if length != self.ld_out && self.is_stored_with(length, seen) {
                Some(("output", if has_gaps { "ld_out" } else { "rows" }, taken))
            } else if length != self.ld_in && self.is_loaded_with(length, seen) {
                Some(("input", if has_gaps { "ld_in" } else { "cols" }, taken))
            } else {
                None
            }
        })?;
        let when = match has_gaps {
            true => "the same only where there are no gaps, or in a square",
            false => "the same only for squares",
        };
        let because = format!(
            "the {side}'s rows begin `{right}` elements after one another; here it is `{taken}`, {when}"
        );
        Finding::new(Diagnosis::RowLength, because)
    }

    /// Whether every wrong element is one that would be stored there, or none was.
    fn is_stored_with(&self, length: usize, seen: &Observation<'_>) -> bool {
        let is_one = |index: usize, got| {
            let cols = (0..self.cols).take_while(|col| col * length <= index);
            let mut sources = cols.map(|col| (index - col * length, col));
            sources.any(|(row, col)| self.at(row, col).is_some_and(|value| same(value, got)))
        };
        let is = |wrong: &Wrong| wrong.is_untouched || is_one(wrong.index, wrong.got);
        seen.wrong.iter().any(|wrong| !wrong.is_untouched) && seen.wrong.iter().all(is)
    }

    fn is_loaded_with(&self, length: usize, seen: &Observation<'_>) -> bool {
        seen.all_are(|index| {
            let (a, b) = self.place(index);
            self.input.get(b * length + a).copied()
        })
    }

    /// A square of one tile that was copied: as likely by a kernel that moves tiles but does not turn
    /// them as by one that moves nothing. Larger ones will tell.
    fn is_ambiguous(&self, seen: &Observation<'_>) -> bool {
        let copied = |index| {
            let (a, b) = self.place(index);
            self.at(a, b)
        };
        self.rows == self.cols && self.rows <= self.tile && seen.all_are(copied)
    }

    /// Only the last row of the output, or the last column, is not written.
    fn is_the_last_line(&self, seen: &Observation<'_>) -> Option<Finding> {
        let places = || seen.wrong.iter().map(|wrong| self.place(wrong.index));
        let untouched = seen.wrong.iter().all(|wrong| wrong.is_untouched);
        // A line that has a tile for itself may be missing because the tile is.
        let is_with_others = |side: usize| side % self.tile != 1;
        let last_row = is_with_others(self.cols) && places().all(|(a, _)| a + 1 == self.cols);
        let last_col = is_with_others(self.rows) && places().all(|(_, b)| b + 1 == self.rows);
        let line = match (last_row, last_col) {
            (true, _) => "row",
            (_, true) => "column",
            _ => return None,
        };
        let because = format!("only the last {line} of the output is not written");
        untouched.then(|| Finding::new(Diagnosis::NeverWritten, because))?
    }

    /// Wrong only where a tile reaches over the edge, and in all such tiles of an edge.
    fn is_ragged(&self, seen: &Observation<'_>) -> Option<Finding> {
        let t = self.tile;
        let (rows, cols) = (self.rows / t, self.cols / t);
        let tiles = self.wrong_tiles(seen);
        let at_the_edge = tiles.iter().all(|&(a, b)| a >= cols || b >= rows);
        let right = cols * t < self.cols && (0..rows).all(|b| tiles.contains(&(cols, b)));
        let lower = rows * t < self.rows && (0..cols).all(|a| tiles.contains(&(a, rows)));
        let because = "the whole tiles are right; wrong elements are only in the tiles at the edge";
        (rows * cols > 0 && at_the_edge && (right || lower))
            .then(|| Finding::new(Diagnosis::Tail, because))?
    }

    /// Row and column of each tile of the output that has wrong elements.
    fn wrong_tiles(&self, seen: &Observation<'_>) -> BTreeSet<(usize, usize)> {
        let tile = |wrong: &Wrong| {
            let (a, b) = self.place(wrong.index);
            (a / self.tile, b / self.tile)
        };
        seen.wrong.iter().map(tile).collect()
    }

    /// Whole tiles are not written.
    fn lacks_tiles(&self, seen: &Observation<'_>) -> Option<Finding> {
        let t = self.tile;
        let in_a_tile = |&(a, b): &(usize, usize)| {
            t.min(self.cols - a * t) * t.min(self.rows.saturating_sub(b * t))
        };
        let tiles = self.wrong_tiles(seen);
        let elements: usize = tiles.iter().map(in_a_tile).sum();
        let untouched = seen.wrong.iter().all(|wrong| wrong.is_untouched);
        let of = self.rows.div_ceil(t) * self.cols.div_ceil(t);
        // Of tiles at the edge alone one cannot say whether it is the edge that they lack.
        let has_whole = self.rows >= t && self.cols >= t;
        let because = format!("{} of {of} tiles of the output are not written", tiles.len());
        (untouched && has_whole && elements == seen.wrong.len())
            .then(|| Finding::new(Diagnosis::NeverWritten, because))?
    }

    /// The right tile's elements, in another order.
    fn is_permuted(&self, seen: &Observation<'_>) -> Option<Finding> {
        let sources = Sources::of(&self.input);
        let in_its_tile = |index, got| {
            let ((a, b), t) = (self.place(index), self.tile);
            let place = sources.place(got);
            place.is_some_and(|at| (at / self.ld_in / t, at % self.ld_in / t) == (b / t, a / t))
        };
        let is_known = |wrong: &&Wrong| sources.place(wrong.got).is_some();
        let known = || seen.wrong.iter().filter(is_known);
        let most = 2 * known().count() >= seen.wrong.len();
        let all = || most && known().all(|w| in_its_tile(w.index, w.got));
        let because = || {
            let told = |value| {
                let at = sources.place(value)?;
                Some(format!("row {}, column {}", at / self.ld_in, at % self.ld_in))
            };
            let first = known().next()?;
            let (a, b) = self.place(first.index);
            Some(format!(
                "row {a}, column {b} of the output has the element from {} of the input, not from {}: the same tile, another place in it",
                told(first.got)?,
                told(first.expected)?
            ))
        };
        // Elements of one byte are not all different.
        (seen.output.dtype.size() > 1 && all())
            .then(|| Finding::new(Diagnosis::TileOrder, because()?))?
    }

    /// What only a transpose in place can do wrong.
    fn in_place(&self, seen: &Observation<'_>) -> Option<Finding> {
        let unchanged = seen.wrong.iter().all(|wrong| wrong.is_untouched);
        let mut above = seen.wrong.iter().map(|wrong| {
            let (a, b) = self.place(wrong.index);
            a < b
        });
        let first = above.next()?;
        let one_side = above.all(|is| is == first);
        if unchanged && one_side {
            let side = if first { "above" } else { "below" };
            let because = format!(
                "the elements {side} the diagonal are what they were, though not right there"
            );
            return Finding::new(Diagnosis::PartOnly, because);
        }
        let sources = Sources::of(&self.input);
        let mut places: Vec<usize> = seen.values.iter().filter_map(|&v| sources.place(v)).collect();
        let of = places.len();
        places.sort_unstable();
        places.dedup();
        let because = format!(
            "{} elements are lost, and others are there twice: they were overwritten before anybody had them",
            of - places.len()
        );
        (places.len() < of && of == seen.values.len())
            .then(|| Finding::new(Diagnosis::LostElement, because))?
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_squares_are_turned_in_place() {
        let transpose = |in_place: &str| -> Transpose {
            toml::from_str(&format!("dtype = \"f32\"\n{in_place}")).expect("it is one")
        };
        let rectangle = Shape::Matrix { rows: 3, cols: 5 };
        assert!(transpose("").accepts(rectangle));
        assert!(!transpose("in_place = true").accepts(rectangle));
        assert!(!transpose("").accepts(Shape::Vector { n: 9 }));
    }
}
