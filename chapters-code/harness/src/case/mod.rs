//! One problem to solve: its size, its element type, its operator and its input.

pub mod dtype;
pub mod inputs;
mod names;
pub mod shape;
pub mod task;

use std::fmt;

use crate::{Dtype, Shape, names};

names! {
    /// An associative operator with an identity, as `--op` and the kernels' names spell it.
    pub enum Op {
        /// a + b, identity 0.
        Sum = "sum",
        /// The larger, identity the type's lowest value.
        Max = "max",
        /// The smaller, identity the type's highest value.
        Min = "min",
        /// a · b, identity 1.
        #[value(alias = "mul")]
        Product = "product",
        /// Bitwise and, identity all ones; integers only.
        And = "and",
        /// Bitwise or, identity 0; integers only.
        Or = "or",
        /// Composition of maps x ↦ a·x + b, first the left one: associative, but not commutative.
        /// Of 64-bit elements whose high word is a and whose low word is b, both modulo 2^32; the
        /// identity is a = 1, b = 0.
        Affine = "affine",
    }
}

/// The composition of two affine maps x ↦ a·x + b, each packed as [`Op::Affine`] says: `first` is
/// applied first.
pub fn compose(first: u64, then: u64) -> u64 {
    let [(a1, b1), (a2, b2)] = [first, then].map(|map| ((map >> 32) as u32, map as u32));
    let (a, b) = (a1.wrapping_mul(a2), a2.wrapping_mul(b1).wrapping_add(b2));
    u64::from(a) << 32 | u64::from(b)
}

names! {
    /// How the elements are distributed, as `--input` spells it.
    pub enum Input {
        /// Random, of both signs, never zero: floats in (−1, 1), integers over their whole range.
        Uniform = "uniform",
        /// One value again and again, 0.1 or 12345: errors of a long chain add up in one direction.
        Constant = "constant",
        /// Floats of ±1e4 that cancel around small ones: the order of the additions shows.
        Cancelling = "cancelling",
        /// Random and all negative: floats in (−1, 0), integers below zero.
        Negative = "negative",
        /// Floats too small to be normal, which an atomic add in global memory may flush to zero.
        Denormal = "denormal",
        /// Small whole numbers that can be followed by hand: 3 1 7 0 4 1 6 3, then digits at random.
        Digits = "digits",
        /// The bell curve: floats of mean 0 and deviation 1, integers of mean 0 and deviation 2^20.
        Gaussian = "gaussian",
        /// Rank k with a probability proportional to 1/k, up to 65536: few values are most elements.
        Zipf = "zipf",
        /// The values of [`Input::Uniform`] in ascending order.
        Sorted = "sorted",
    }
}

names! {
    /// Whether a scan's result at i takes in element i, as `--kind` spells it.
    pub enum Kind {
        /// It does: `y[i] = x[0] ⊕ … ⊕ x[i]`.
        Inclusive = "inclusive",
        /// It does not: `y[i] = x[0] ⊕ … ⊕ x[i − 1]`, and `y[0]` is the identity.
        Exclusive = "exclusive",
    }
}

/// One problem: what a rung is run on. `T` is the chapter's [`Task`](task::Task).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Case<T = ()> {
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
    /// What else the chapter's cases ask for.
    pub task: T,
    /// Threads per block, if the rungs are to run with another number than their own.
    pub block: Option<u32>,
}

impl<T: Default> Case<T> {
    /// A vector of uniform elements from seed 1, with the default task.
    pub fn vector(n: u64, dtype: Dtype, op: Op) -> Self {
        Self {
            shape: Shape::Vector { n },
            dtype,
            op,
            input: Input::Uniform,
            seed: 1,
            task: T::default(),
            block: None,
        }
    }
}

impl<T> Case<T> {
    /// The same case with this task.
    pub fn with<U>(&self, task: U) -> Case<U> {
        let Self { shape, dtype, op, input, seed, block, .. } = *self;
        Case { shape, dtype, op, input, seed, task, block }
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

impl<T> fmt::Display for Case<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { shape, dtype, op, .. } = self;
        write!(f, "{op} of {shape} {dtype}")?;
        if self.input != Input::Uniform {
            write!(f, ", {} input", self.input)?;
        }
        Ok(())
    }
}
