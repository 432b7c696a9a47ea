//! What a kernel's outputs must be: the chapters' sequential algorithms, and what their usual mistakes
//! look like.

mod all_reduce;
mod columns;
mod compact;
mod compare;
mod copy;
mod explain;
mod head_flags;
mod histogram;
mod moved;
mod operator;
mod particles;
mod reduce;
mod scan;
mod segmented;
mod segmented_reduce;
mod segments;
mod transpose;
mod values;
mod way;

use std::ops::Deref;

use harness::{Dtype, Element, Input, Op, Shape, verify::Accepted};
use serde::Deserialize;

pub use self::{
    compare::{Comparison, Wrong, same},
    explain::Finding,
};
use crate::{
    course::{Range, launch::Dimensions},
    diagnosis::Diagnosis,
};

/// An operation, as `[operation]` of an `exercise.toml` names it.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "name", rename_all = "snake_case")]
pub enum Operation {
    /// Elements folded to one, or to one a block.
    Reduce(reduce::Reduce),
    /// Keys counted by bin.
    Histogram(histogram::Histogram),
    /// Rows to columns.
    Transpose(transpose::Transpose),
    /// Elements from another place.
    Copy(copy::Copy),
    /// Rows of a table, by indices.
    GatherRows(copy::GatherRows),
    /// Sums of two neighbours.
    PairSums(columns::PairSums),
    /// Sums of the columns of a matrix.
    ColumnSums(columns::ColumnSums),
    /// Records moved by a step.
    Particles(particles::Particles),
    /// Each element folded with those before it.
    Scan(scan::Scan),
    /// What is kept, moved to the front.
    Compact(compact::Compact),
    /// Each segment scanned by itself.
    SegmentedScan(segmented::SegmentedScan),
    /// Each segment folded to one.
    SegmentedReduce(segmented_reduce::SegmentedReduce),
    /// A bit where each segment begins.
    HeadFlags(head_flags::HeadFlags),
    /// The sum of the arrays of two devices, on both.
    AllReduce(all_reduce::AllReduce),
}

impl Deref for Operation {
    type Target = dyn Reference;

    fn deref(&self) -> &Self::Target {
        match self {
            Self::Reduce(reduce) => reduce,
            Self::Histogram(histogram) => histogram,
            Self::Transpose(transpose) => transpose,
            Self::Copy(copy) => copy,
            Self::GatherRows(gather) => gather,
            Self::PairSums(pairs) => pairs,
            Self::ColumnSums(columns) => columns,
            Self::Particles(particles) => particles,
            Self::Scan(scan) => scan,
            Self::Compact(compact) => compact,
            Self::SegmentedScan(scan) => scan,
            Self::SegmentedReduce(reduce) => reduce,
            Self::HeadFlags(flags) => flags,
            Self::AllReduce(reduce) => reduce,
        }
    }
}

impl Operation {
    /// A problem of that size and what its results must be, with what the outputs hold before.
    pub fn problem(&self, case: &Case) -> Instance {
        let mut instance = self.instance(case);
        for output in &mut instance.outputs {
            if let Initial::Poison(word) = &mut output.initial {
                *word = poison(case);
            }
        }
        instance
    }
}

/// What an output holds before a run: a word, twice, that no kernel can know. As a float it is of a size at
/// which a sum of it and of a result shows both.
pub(crate) fn poison(case: &Case) -> u64 {
    let n = case.shape.elements();
    let random = harness::inputs::bits(case.seed ^ 0x706f_6973, n << 8 | case.input as u64);
    let exponent = 115 + (random >> 32) % 24;
    let word = random & 0x807f_ffff | exponent << 23;
    word << 32 | word
}

/// What is said of a submission whose only output holds these bytes.
#[cfg(test)]
fn diagnosed(reference: &dyn Reference, instance: &Instance, bytes: &[u8]) -> Option<Diagnosis> {
    let output = &instance.outputs[0];
    let comparison = output.compare(bytes);
    let Comparison { values, wrong, .. } = &comparison;
    let seen = Observation { output, values, wrong, threads: 256, covered: 256 };
    Some(reference.explain(instance, &seen)?.diagnosis)
}

/// A sequential algorithm.
pub trait Reference {
    /// The sizes to check where an exercise names none.
    fn sizes(&self) -> Vec<Shape> {
        vector_sizes()
    }

    /// Elements of the arrays, roughly, that are meant by one element of a size.
    fn elements_of_one(&self) -> u64 {
        1
    }

    /// Whether there is a problem of that size: a matrix where its own sizes are matrices, and a vector
    /// otherwise.
    fn accepts(&self, shape: Shape) -> bool {
        let is_matrix = |shape: &Shape| matches!(shape, Shape::Matrix { .. });
        self.sizes().iter().all(is_matrix) == is_matrix(&shape)
    }

    /// What it means that two threads of a block read and write one word at one line: in a tree, that
    /// a step begins before the one before has ended.
    fn race_at_one_line(&self) -> Diagnosis {
        Diagnosis::MissingBarrier
    }

    /// How many seeds each small size needs: more than one where a single input can hide that an
    /// element is not looked at.
    fn seeds(&self) -> u64 {
        1
    }

    /// How many the large sizes need.
    fn large_seeds(&self) -> u64 {
        1
    }

    /// The sizes of which each check draws some, where an exercise names none.
    fn random_sizes(&self) -> Range {
        let is_matrix = self.sizes().iter().all(|shape| matches!(shape, Shape::Matrix { .. }));
        let range = if is_matrix { "1..120x1..120" } else { "1..8000" };
        range.parse().expect("it is a range")
    }

    /// Whether wrong results of that size can tell mistakes apart. In small ones one mistake can look
    /// like another.
    fn can_diagnose(&self, _shape: Shape) -> bool {
        true
    }

    /// Whether they tell mistakes apart best.
    fn tells_best(&self, shape: Shape) -> bool {
        self.can_diagnose(shape)
    }

    /// A problem of that size and what its results must be.
    fn instance(&self, case: &Case) -> Instance;

    /// How inputs of a kind are called.
    fn input_name(&self, input: Input) -> String {
        format!("{} input", input.name())
    }

    /// Which mistake gives the wrong results that were seen, if one is known that does.
    fn explain(&self, _instance: &Instance, _seen: &Observation<'_>) -> Option<Finding> {
        None
    }
}

/// A problem to make.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Case {
    /// Its size.
    pub shape: Shape,
    /// How its elements are distributed.
    pub input: Input,
    /// Of the inputs.
    pub seed: u64,
}

/// A problem: what goes in, and what must come out.
#[derive(Clone, Debug, Default)]
pub struct Instance {
    /// Sizes by name.
    pub dimensions: Dimensions,
    /// Arrays that kernels only read.
    pub inputs: Vec<Array>,
    /// Arrays that they write.
    pub outputs: Vec<Output>,
}

/// An array that kernels only read.
#[derive(Clone, Debug)]
pub struct Array {
    /// Its name among the parameters.
    pub name: &'static str,
    /// Its elements.
    pub bytes: Vec<u8>,
    /// The number of the device.
    pub device: usize,
}

impl Array {
    /// An array of these elements.
    pub fn of<T: Element>(name: &'static str, elements: &[T]) -> Self {
        Self { name, bytes: bytemuck::cast_slice(elements).to_vec(), device: 0 }
    }

    /// Its elements, if they are of that type.
    pub fn elements<T: Element>(&self) -> Vec<T> {
        compare::typed(&self.bytes)
    }
}

/// An array that kernels write.
#[derive(Clone, Debug)]
pub struct Output {
    /// Its name among the parameters.
    pub name: &'static str,
    /// Its type.
    pub dtype: Dtype,
    /// Elements that it has room for; those behind the expected ones must stay as they are.
    pub capacity: usize,
    /// What it holds before.
    pub initial: Initial,
    /// What it must hold afterwards, element by element.
    pub expected: Vec<Expected>,
    /// Whether the order of the elements counts.
    pub ordering: Ordering,
    /// Of a matrix, how far apart its rows are.
    pub row_length: Option<usize>,
    /// Of a matrix with gaps, how many elements of a row are no gap.
    pub row_used: usize,
    /// The number of the device.
    pub device: usize,
}

impl Output {
    /// A poisoned output of as many elements as are expected, in their order.
    pub fn of<T: Element>(
        name: &'static str,
        expected: impl IntoIterator<Item = Accepted<T>>,
    ) -> Self {
        let bits = |accepted| match accepted {
            Accepted::Equal(element) => Accepted::Equal(bits_of(element)),
            Accepted::Within { value, bound } => Accepted::Within { value, bound },
        };
        let expected: Vec<Expected> = expected.into_iter().map(bits).collect();
        Self {
            name,
            dtype: T::DTYPE,
            capacity: expected.len(),
            initial: Initial::Poison(u64::from_le_bytes([harness::buffer::POISON; 8])),
            expected,
            ordering: Ordering::Kept,
            row_length: None,
            row_used: usize::MAX,
            device: 0,
        }
    }

    /// The same, where the elements must equal these.
    pub fn equal<T: Element>(name: &'static str, elements: &[T]) -> Self {
        Self::of(name, elements.iter().copied().map(Accepted::Equal))
    }
}

/// What an output holds before.
#[derive(Clone, Debug, PartialEq)]
pub enum Initial {
    /// A word, again and again, that is no plausible result.
    Poison(u64),
    /// Zeros.
    Zero,
    /// These, for what is done in place.
    Bytes(Vec<u8>),
}

/// Whether the order of an output's elements counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ordering {
    /// Each has its place.
    Kept,
    /// Any order will do.
    Free,
}

/// What an element must be, whatever its type: of one that must equal another, the other's bits.
pub type Expected = Accepted<u64>;

/// The bits of an element; of 16 bytes, the low ones.
fn bits_of<T: Element>(element: T) -> u64 {
    let bytes = bytemuck::bytes_of(&element).iter().rev();
    bytes.fold(0, |bits, &byte| bits << 8 | u64::from(byte))
}

/// An output as it was found, and what is wrong with it.
pub struct Observation<'s> {
    /// Which output.
    pub output: &'s Output,
    /// Its elements.
    pub values: &'s [f64],
    /// Those that are wrong; at least one.
    pub wrong: &'s [Wrong],
    /// Threads of a block of the last launch.
    pub threads: u64,
    /// Threads of the first launch, over all blocks.
    pub covered: u64,
}

/// Sizes that trip kernels: around a warp, a block of 256 and one of 1,024, three blocks and a bit,
/// and many blocks.
pub fn vector_sizes() -> Vec<Shape> {
    shapes("0 1 31 32 33 255 256 257 1023 1024 1025 1543 12345 2^20+3")
}

/// Sizes as they are typed.
fn shapes(list: &str) -> Vec<Shape> {
    let sizes = list.split_whitespace().map(str::parse);
    sizes.map(|size| size.expect("it is a size")).collect()
}

/// Sectors of 32 bytes that rows of a matrix touch, each 32 elements of a row by themselves. `distance` is that
/// of two rows, in elements.
fn sectors_of_rows(rows: u64, length: u64, distance: u64, element_bytes: u64) -> u64 {
    let of_row = |row: u64| -> u64 {
        let parts = (0..length).step_by(32);
        let of_part = |first: u64| {
            let begin = (row * distance + first) * element_bytes;
            let end = begin + (length - first).min(32) * element_bytes;
            end.div_ceil(32) - begin / 32
        };
        parts.map(of_part).sum()
    };
    (0..rows).map(of_row).sum()
}

/// Sizes by name.
fn dimensions<const N: usize>(named: [(&str, u64); N]) -> Dimensions {
    named.map(|(name, size)| (name.to_owned(), size)).into()
}

/// The inputs of an operator, as the chapters have them, with extremes anywhere among them: numbers that
/// a kernel may take for its own signs, such as the identity for "nothing yet".
pub(crate) fn elements<T: Element>(case: &Case, op: Op) -> Vec<T> {
    if (case.input, op) == (Input::Sorted, Op::Max) && !T::DTYPE.is_float() {
        return values::rising(case.seed, case.shape.elements());
    }
    let mut elements = harness::inputs::generate(&harness::Case {
        shape: case.shape,
        input: case.input,
        seed: case.seed,
        ..harness::Case::<()>::vector(0, T::DTYPE, op)
    });
    let every = if op == Op::Affine { 64 } else { 32 };
    let extremes = extremes(case, op, T::DTYPE);
    values::sprinkle(&mut elements, case.seed, every, &extremes);
    elements
}

/// Elements that stand out and leave the others to be seen: of a maximum not the largest, which would
/// hide them, and of negative numbers the least.
fn extremes<T: Element>(case: &Case, op: Op, dtype: Dtype) -> Vec<T> {
    let (least, most) = (f64::from(i32::MIN), f64::from(i32::MAX));
    let numbers: &[f64] = match (dtype, case.input, op) {
        (Dtype::I32, Input::Negative, _) => &[least, least + 1.0],
        (Dtype::I32, Input::Uniform, Op::Max) => &[least, least + 1.0, -1.0, 0.0, 1.0],
        (Dtype::I32, Input::Uniform, Op::Min) => &[most, most - 1.0, -1.0, 0.0, 1.0],
        (Dtype::I32, Input::Uniform, Op::Sum) => return values::outstanding(),
        (_, Input::Uniform, Op::Affine) => {
            return values::maps(case.seed).iter().map(|map| T::from_bits(*map as u64)).collect();
        }
        _ => &[],
    };
    numbers.iter().copied().map(T::from_f64).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sectors_are_those_that_32_elements_touch() {
        // Rows of 40 floats, each of which begins at a sector: 4 for 32 floats, and 1 for 8.
        assert_eq!(sectors_of_rows(3, 40, 40, 4), 15);
        // Rows of 33 floats: 32 of them touch a fifth sector where they do not begin at one.
        assert_eq!(sectors_of_rows(2, 33, 33, 4), 5 + 5 + 1);
        assert_eq!(sectors_of_rows(2, 32, 33, 1), 1 + 2);
        assert_eq!(sectors_of_rows(0, 5, 5, 4), 0);
    }

    #[test]
    fn poison_is_another_for_another_run() {
        let case = |n, seed| Case { shape: Shape::Vector { n }, input: Input::Uniform, seed };
        let words = [case(5, 1), case(6, 1), case(5, 2)].map(|case| poison(&case));
        assert!(words[0] != words[1] && words[0] != words[2]);
        assert!(words.iter().all(|word| f32::from_bits(*word as u32).abs() < 1e5));
    }
}
