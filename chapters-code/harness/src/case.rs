//! One problem to solve: its size, its element type, its operator and its input.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{By, Conversion, Density, Dtype, Matrix, Order, Pattern, Records, Segments, Shape};

/// An associative operator with an identity, as `--op` and the kernels' names spell it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, clap::ValueEnum)]
#[value(rename_all = "lower")]
pub enum Op {
    /// a + b, identity 0.
    Sum,
    /// The larger, identity the type's lowest value.
    Max,
    /// The smaller, identity the type's highest value.
    Min,
    /// a · b, identity 1.
    #[value(alias = "mul")]
    Product,
    /// Bitwise and, identity all ones; integers only.
    And,
    /// Bitwise or, identity 0; integers only.
    Or,
    /// Composition of maps x ↦ a·x + b, first the left one: associative, but not commutative.
    /// Of 64-bit elements whose high word is a and whose low word is b, both modulo 2^32; the
    /// identity is a = 1, b = 0.
    Affine,
}

impl Op {
    /// All operators, in the order in which they are listed.
    pub const ALL: [Self; 7] = [
        Self::Sum,
        Self::Max,
        Self::Min,
        Self::Product,
        Self::And,
        Self::Or,
        Self::Affine,
    ];

    /// The name in kernels, on the command line and in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sum => "sum",
            Self::Max => "max",
            Self::Min => "min",
            Self::Product => "product",
            Self::And => "and",
            Self::Or => "or",
            Self::Affine => "affine",
        }
    }
}

impl fmt::Display for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The composition of two affine maps x ↦ a·x + b, each packed as [`Op::Affine`] says: `first` is
/// applied first.
pub fn compose(first: u64, then: u64) -> u64 {
    let [(a1, b1), (a2, b2)] = [first, then].map(|map| ((map >> 32) as u32, map as u32));
    let (a, b) = (a1.wrapping_mul(a2), a2.wrapping_mul(b1).wrapping_add(b2));
    u64::from(a) << 32 | u64::from(b)
}

/// How the elements are distributed, as `--input` spells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, clap::ValueEnum)]
#[value(rename_all = "lower")]
pub enum Input {
    /// Distinct, signed, never zero: floats in (−1, 1), integers over their whole range.
    Uniform,
    /// One value again and again, 0.1 or 12345: errors of a long chain add up in one direction.
    Constant,
    /// Floats of ±1e4 that cancel around small ones: the order of the additions shows.
    Cancelling,
    /// Distinct and all negative: floats in (−1, 0), integers below zero.
    Negative,
    /// Floats too small to be normal, which an atomic add in global memory may flush to zero.
    Denormal,
    /// Small whole numbers that can be followed by hand: 3 1 7 0 4 1 6 3, then digits at random.
    Digits,
    /// The bell curve: floats of mean 0 and deviation 1, integers of mean 0 and deviation 2^20.
    Gaussian,
    /// Rank k with a probability proportional to 1/k, up to 65536: few values are most elements.
    Zipf,
    /// As uniform, in ascending order.
    Sorted,
}

impl Input {
    /// The name on the command line and in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Uniform => "uniform",
            Self::Constant => "constant",
            Self::Cancelling => "cancelling",
            Self::Negative => "negative",
            Self::Denormal => "denormal",
            Self::Digits => "digits",
            Self::Gaussian => "gaussian",
            Self::Zipf => "zipf",
            Self::Sorted => "sorted",
        }
    }
}

impl fmt::Display for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Whether a scan's result at i takes in element i, as `--kind` spells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, clap::ValueEnum, Serialize, Deserialize)]
#[value(rename_all = "lower")]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// It does: `y[i] = x[0] ⊕ … ⊕ x[i]`.
    Inclusive,
    /// It does not: `y[i] = x[0] ⊕ … ⊕ x[i − 1]`, and `y[0]` is the identity.
    Exclusive,
}

impl Kind {
    /// The name in kernels, on the command line and in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Inclusive => "inclusive",
            Self::Exclusive => "exclusive",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// What the problems of some chapters have besides size, type, operator and input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Parameters {
    /// Bins of a histogram.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bins: Option<u32>,
    /// Keys that a histogram's input is drawn from, where they are not as many as its bins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keys: Option<u32>,
    /// Copies of a histogram that a block keeps, where they are not the rung's own number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub copies: Option<u32>,
    /// The kind of a scan.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<Kind>,
    /// What says which elements a compaction keeps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<By>,
    /// The part of the elements that a compaction keeps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub density: Option<Density>,
    /// Where the elements lie that a compaction keeps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mask: Option<Pattern>,
    /// The segments of what is scanned or reduced segment by segment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub segments: Option<Segments>,
    /// What the segments are turned into, where they are not scanned or reduced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub convert: Option<Conversion>,
    /// The sparse matrix that is multiplied.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub matrix: Option<Matrix>,
    /// Matrices one behind the other, where there are several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub batch: Option<u64>,
    /// The leading dimension of a matrix: elements from the start of a row to that of the next, where
    /// they are more than its columns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ld: Option<u64>,
    /// Elements by which a copy is shifted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offset: Option<u64>,
    /// Elements from one that is copied to the next.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stride: Option<u64>,
    /// What the elements are the fields of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub records: Option<Records>,
    /// The order in which elements are gathered or scattered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order: Option<Order>,
    /// Loads that a thread has under way at a time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loads: Option<u32>,
    /// Blocks that a multiprocessor holds at a time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resident: Option<u32>,
}

impl Parameters {
    /// Those of a histogram of so many bins.
    pub fn of_bins(bins: u32) -> Self {
        Self {
            bins: Some(bins),
            ..Self::default()
        }
    }

    /// Those of a scan of this kind.
    pub fn of_kind(kind: Kind) -> Self {
        Self {
            kind: Some(kind),
            ..Self::default()
        }
    }

    /// Those of a compaction.
    pub fn of_selection(by: By, density: Density, mask: Pattern) -> Self {
        Self {
            by: Some(by),
            density: Some(density),
            mask: Some(mask),
            ..Self::default()
        }
    }
}

impl Parameters {
    /// Where the elements lie that chapter 7 goes to, and how many it asks for at a time.
    fn fmt_access(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(offset) = self.offset {
            write!(f, ", offset {offset}")?;
        }
        if let Some(stride) = self.stride {
            write!(f, ", stride {stride}")?;
        }
        if let Some(records) = self.records {
            write!(f, ", {records}")?;
        }
        match self.order {
            Some(Order::Within(window)) => write!(f, ", shuffled within {window}")?,
            Some(order) => write!(f, ", {order} order")?,
            None => {}
        }
        if let Some(loads) = self.loads {
            write!(f, ", {loads} loads a thread")?;
        }
        if let Some(resident) = self.resident {
            write!(f, ", {resident} blocks a multiprocessor")?;
        }
        Ok(())
    }
}

impl fmt::Display for Parameters {
    /// What there is, each with a comma before it: `, 256 bins`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(bins) = self.bins {
            write!(f, ", {bins} bins")?;
        }
        if let Some(keys) = self.keys {
            write!(f, ", {keys} keys")?;
        }
        if let Some(copies) = self.copies {
            write!(f, ", {copies} copies")?;
        }
        if let Some(kind) = self.kind {
            write!(f, ", {kind}")?;
        }
        if let Some(density) = self.density {
            write!(f, ", {density} kept")?;
        }
        if let Some(by) = self.by {
            write!(f, " by {by}")?;
        }
        if let Some(mask) = self.mask {
            write!(f, ", {mask}")?;
        }
        match self.segments {
            Some(Segments::Of(length)) => write!(f, ", segments of {length}")?,
            Some(segments) => write!(f, ", {segments} segments")?,
            None => {}
        }
        if let Some(convert) = self.convert {
            write!(f, ", {convert}")?;
        }
        if let Some(matrix) = self.matrix {
            write!(f, ", {matrix} matrix")?;
        }
        if let Some(batch) = self.batch.filter(|&batch| batch != 1) {
            write!(f, ", {batch} matrices")?;
        }
        if let Some(ld) = self.ld {
            write!(f, ", leading dimension {ld}")?;
        }
        self.fmt_access(f)
    }
}

/// One problem: what a rung is run on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Case {
    /// Its size.
    pub shape: Shape,
    /// The type of its elements.
    pub dtype: Dtype,
    /// The operator, where a chapter has one; otherwise [`Op::Sum`].
    pub op: Op,
    /// How its elements are distributed.
    pub input: Input,
    /// What the elements are drawn from.
    pub seed: u64,
    /// What else the chapter's problems have.
    pub parameters: Parameters,
    /// Threads per block, where the rungs are to run with another number than their own.
    pub block: Option<u32>,
}

impl Case {
    /// A vector of uniform elements from seed 1, without parameters.
    pub fn vector(n: u64, dtype: Dtype, op: Op) -> Self {
        Self {
            shape: Shape::Vector { n },
            dtype,
            op,
            input: Input::Uniform,
            seed: 1,
            parameters: Parameters::default(),
            block: None,
        }
    }

    /// The kind of a scan: inclusive, where the case does not say.
    pub fn kind(&self) -> Kind {
        self.parameters.kind.unwrap_or(Kind::Inclusive)
    }

    /// Elements of the input.
    pub fn elements(&self) -> u64 {
        self.shape.elements()
    }

    /// Bytes of the input.
    pub fn input_bytes(&self) -> u64 {
        self.elements() * self.dtype.size() as u64
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            shape, dtype, op, ..
        } = self;
        write!(f, "{op} of {shape} {dtype}")?;
        if self.input != Input::Uniform {
            write!(f, ", {} input", self.input)?;
        }
        Ok(())
    }
}
