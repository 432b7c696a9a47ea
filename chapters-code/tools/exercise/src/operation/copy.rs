//! Elements moved from where they lie: from an offset, from every so manieth place, by rows of a table.

use chapter_7_coalescing::reference;
use harness::{Dtype, Element, Shape, with_element};
use serde::Deserialize;

use super::{
    Array, Case, Finding, Instance, Observation, Output, Reference,
    compare::numbers,
    dimensions,
    moved::{Sources, distinct},
    shapes, vector_sizes,
};
use crate::{course::Range, diagnosis::Diagnosis};

/// `out[i] = in[i * stride + offset]`. Dimensions: `n`, `stride`, which is 1 if a question does
/// not choose another, and `offset`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Copy {
    /// The elements' type.
    #[serde(deserialize_with = "crate::course::named")]
    dtype: Dtype,
    /// The largest stride that a question asks for.
    #[serde(default = "one")]
    reach: u64,
    /// The largest offset that a question asks for.
    #[serde(default)]
    slack: u64,
    /// How the offset follows from n; 0 if that is not said.
    offset: Option<Offset>,
    /// What a thread moves at once, to recognise mistakes: 1, or the elements of a pack.
    #[serde(default = "one")]
    pack: u64,
}

fn one() -> u64 {
    1
}

/// The offset is n / `per` % `below`, and some multiple of `below` more, so that all remainders meet all
/// sizes, and none of them is all there is.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Offset {
    per: u64,
    below: u64,
}

impl Reference for Copy {
    fn sizes(&self) -> Vec<Shape> {
        match self.offset {
            None => vector_sizes(),
            // Every offset meets a tail.
            Some(Offset { per, below }) => {
                let small = (0..below).map(|offset| offset * per + offset % 5);
                let sizes = small.chain([1, 2, 1023, 1024, 1543, 4099, (1 << 20) + 7]);
                sizes.map(|n| Shape::Vector { n }).collect()
            }
        }
    }

    /// Among the few elements of a warp or two, the last ones are a large part.
    fn can_diagnose(&self, shape: Shape) -> bool {
        shape.elements() > 64 * self.pack
    }

    fn instance(&self, case: &Case) -> Instance {
        with_element!(self.dtype, T => self.of::<T>(case))
    }

    fn explain(&self, instance: &Instance, seen: &Observation<'_>) -> Option<Finding> {
        let input = numbers(self.dtype, &instance.inputs[0].bytes);
        let offset = instance.dimensions["offset"];
        let said = |finding: Finding| Finding {
            because: format!("{} (here the offset is {offset})", finding.because),
            ..finding
        };
        self.is_of_a_lane(seen)
            .or_else(|| is_from_beside(seen, &input, offset as usize))
            .or_else(|| self.is_of_the_tail(seen))
            .map(said)
    }
}

impl Copy {
    fn of<T: Element>(&self, case: &Case) -> Instance {
        let n = case.shape.elements();
        let offset = self.offset.map_or(0, |rule| {
            let more = harness::inputs::bits(case.seed, n) % 5;
            n / rule.per % rule.below + rule.below * more
        });
        let input: Vec<T> = distinct(case.seed, n * self.reach + offset + self.slack);
        let out = &input[offset as usize..][..n as usize];
        Instance {
            dimensions: dimensions([("n", n), ("offset", offset), ("stride", 1)]),
            outputs: vec![Output::equal("out", out)],
            inputs: vec![Array::of("in", &input)],
        }
    }

    /// Wrong in one lane of every warp, each of which has a pack.
    fn is_of_a_lane(&self, seen: &Observation<'_>) -> Option<Finding> {
        let lane = |index: usize| index as u64 / self.pack % 32;
        let first = lane(seen.first().index);
        let all = seen.wrong.iter().all(|wrong| lane(wrong.index) == first);
        let warp = |index: usize| index as u64 / (32 * self.pack);
        let last = seen.wrong.last().map(|wrong| warp(wrong.index));
        let several = last.is_some_and(|last| last > warp(seen.first().index));
        let because = format!("all wrong elements are those of lane {first}");
        (all && several).then(|| Finding::new(Diagnosis::Lane, because))?
    }

    /// Wrong only near the end, where packs are not whole.
    fn is_of_the_tail(&self, seen: &Observation<'_>) -> Option<Finding> {
        let n = seen.values.len() as u64;
        let begin = n.saturating_sub(3 * self.pack);
        let all = seen.wrong.iter().all(|wrong| wrong.index as u64 >= begin);
        let first = seen.first().index;
        let because = format!("all is right up to the last few elements, from {first} on");
        (all && begin > 0).then(|| Finding::new(Diagnosis::Tail, because))?
    }
}

/// Whether every wrong element comes from the same distance beside where it should.
fn is_from_beside(seen: &Observation<'_>, input: &[f64], offset: usize) -> Option<Finding> {
    let sources = Sources::of(input);
    let distance = |index: usize, got| {
        let at = sources.place(got)? as i64;
        Some(at - (index + offset) as i64)
    };
    let first = distance(seen.first().index, seen.first().got)?;
    let all = seen.wrong.iter().all(|w| distance(w.index, w.got) == Some(first));
    let (places, side) = (first.abs(), if first > 0 { "behind" } else { "before" });
    let because = format!("every wrong element is the one {places} places {side} the right one");
    all.then(|| Finding::new(Diagnosis::Displaced, because))?
}

/// `out[i] = table[indices[i]]`, where an element is a row of `width` floats. Dimensions: `n`, the
/// rows of the output, and `width`. The table has as many rows, at least one.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GatherRows {
    /// Elements of a row.
    width: u64,
}

impl Reference for GatherRows {
    fn elements_of_one(&self) -> u64 {
        self.width
    }

    /// Around half a warp and a block, of rows of some 16 elements.
    fn sizes(&self) -> Vec<Shape> {
        shapes("0 1 2 3 15 16 17 31 33 63 65 257 500 65537")
    }

    fn random_sizes(&self) -> Range {
        "1..900".parse().expect("it is a range")
    }

    fn instance(&self, case: &Case) -> Instance {
        let n = case.shape.elements();
        let rows = n.max(1);
        let table: Vec<f32> = distinct(case.seed, rows * self.width);
        let index = |i| (harness::inputs::bits(case.seed, i) % rows) as u32;
        let indices: Vec<u32> = (0..n).map(index).collect();
        let of_rows: Vec<&[f32]> = table.chunks_exact(self.width as usize).collect();
        let out = reference::gather(&of_rows, &indices).concat();
        let (width, elements) = (self.width, n * self.width);
        Instance {
            dimensions: dimensions([("n", n), ("width", width), ("elements", elements)]),
            outputs: vec![Output::equal("out", &out)],
            inputs: vec![Array::of("table", &table), Array::of("indices", &indices)],
        }
    }

    fn explain(&self, instance: &Instance, seen: &Observation<'_>) -> Option<Finding> {
        let table = numbers(Dtype::F32, &instance.inputs[0].bytes);
        let indices = numbers(Dtype::U32, &instance.inputs[1].bytes);
        let width = self.width as usize;
        let of = |row: Option<f64>, col: usize| {
            let row = row? as usize;
            table.get(row * width + col).copied()
        };
        let unscaled = "a row's number is taken for that of an element: row r begins at element r times the row's length";
        let in_order = "the rows are in the table's order: the indices were not asked";
        let by_element = "the index was taken by the place of the element, not of its row";
        let beside = "these rows are those of the next index";
        let before = "these rows are those of the index before";
        let turned = "the rows are the right ones, their elements the other way round";
        let place = |at: usize| format!("row {} and column {}", at / width, at % width);
        let elsewhere = || {
            let sources = Sources::of(&table);
            let first = seen.first();
            let (is, wanted) = (sources.place(first.got)?, sources.place(first.expected)?);
            let (index, is, wanted) = (first.index, place(is), place(wanted));
            let because = format!("out[{index}] is from {is} of the table, not from {wanted}");
            Finding::new(Diagnosis::Displaced, because)
        };
        seen.first_of(&[
            (Diagnosis::Unchanged, in_order, &|i| table.get(i).copied()),
            (Diagnosis::Displaced, unscaled, &|i| {
                table.get(*indices.get(i / width)? as usize + i % width).copied()
            }),
            (Diagnosis::Displaced, by_element, &|i| {
                of(indices.get(i % indices.len()).copied(), i % width)
            }),
            (Diagnosis::Displaced, beside, &|i| of(indices.get(i / width + 1).copied(), i % width)),
            (Diagnosis::Displaced, before, &|i| {
                let row = (i / width).checked_sub(1)?;
                of(indices.get(row).copied(), i % width)
            }),
            (Diagnosis::TileOrder, turned, &|i| {
                of(indices.get(i / width).copied(), width - 1 - i % width)
            }),
        ])
        .or_else(elsewhere)
    }
}
