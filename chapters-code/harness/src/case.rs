//! One problem to solve: its size, its element type, its operator and its input.

use std::fmt;

use crate::{Dtype, Shape};

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
}

impl Op {
    /// All operators, in the order in which they are listed.
    pub const ALL: [Self; 6] = [
        Self::Sum,
        Self::Max,
        Self::Min,
        Self::Product,
        Self::And,
        Self::Or,
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
        }
    }
}

impl fmt::Display for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
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
        }
    }
}

impl fmt::Display for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
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
}

impl Case {
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
