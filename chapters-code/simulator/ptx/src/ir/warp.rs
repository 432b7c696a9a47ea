//! Barriers and warp-wide operations.

use super::{Pred, R32};

/// A block barrier.
#[derive(Clone, Copy, Debug)]
pub struct Bar {
    /// The operation.
    pub kind: BarKind,
    /// The number of the barrier, below 16.
    pub id: R32,
    /// The number of participating threads; `None` for all of the block.
    pub threads: Option<R32>,
    /// Whether all threads of a warp execute the same instruction, as for `bar` and
    /// `barrier.aligned`.
    pub aligned: bool,
    /// The statement of the source, including the calls that led there. Copies that the compiler
    /// makes of one statement have one number. `None` without line information.
    pub origin: Option<u32>,
}

/// The operation of a [`Bar`]. `d` is the destination, `a` the operand, and `negated` asks for
/// `!a`.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub enum BarKind {
    /// Waits.
    Sync,
    /// Arrives without waiting.
    Arrive,
    /// Waits and counts the threads whose predicate (xor `negated`) is true.
    RedPopc { d: R32, a: Pred, negated: bool },
    /// Waits; true if all predicates are.
    RedAnd { d: Pred, a: Pred, negated: bool },
    /// Waits; true if any predicate is.
    RedOr { d: Pred, a: Pred, negated: bool },
}

/// `vote.sync`.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub enum Vote {
    All {
        d: Pred,
        a: Pred,
        negated: bool,
        mask: R32,
    },
    Any {
        d: Pred,
        a: Pred,
        negated: bool,
        mask: R32,
    },
    Uni {
        d: Pred,
        a: Pred,
        negated: bool,
        mask: R32,
    },
    Ballot {
        d: R32,
        a: Pred,
        negated: bool,
        mask: R32,
    },
}

/// `shfl.sync`'s mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum ShflMode {
    Up,
    Down,
    Bfly,
    Idx,
}

/// `redux.sync`'s operation and type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum ReduxOp {
    Add,
    MinU32,
    MinS32,
    MaxU32,
    MaxS32,
    And,
    Or,
    Xor,
}
