//! What the threads of a block, or the lanes of a warp, do together.

use super::{Pred, R32};

/// A block barrier.
#[derive(Clone, Copy, Debug)]
pub struct Bar {
    /// What it does.
    pub kind: BarKind,
    /// Which of the 16.
    pub id: R32,
    /// How many threads take part; `None` for all of the block.
    pub threads: Option<R32>,
    /// True for `bar` and `barrier.aligned`: all threads of a warp execute the same instruction.
    pub aligned: bool,
    /// Which statement of the source it comes from, the calls that led there included. Copies that the
    /// compiler makes of one statement have one number. `None` without line information.
    pub origin: Option<u32>,
}

/// What a [`Bar`] does. `d` is the destination, `a` the operand, and `negated` asks for `!a`.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub enum BarKind {
    /// Waits.
    Sync,
    /// Arrives without waiting.
    Arrive,
    /// Waits and counts the threads whose predicate (xor `negated`) is true.
    RedPopc { d: R32, a: Pred, negated: bool },
    /// Waits; true if all are.
    RedAnd { d: Pred, a: Pred, negated: bool },
    /// Waits; true if any is.
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
