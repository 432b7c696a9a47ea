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
#[expect(missing_docs, reason = "the fields are operands and modifiers of PTX")]
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
#[expect(missing_docs, reason = "the fields are operands and modifiers of PTX")]
pub enum Vote {
    /// `vote.sync.all`: whether the predicate is true in all lanes.
    All {
        d: Pred,
        a: Pred,
        negated: bool,
        mask: R32,
    },
    /// `vote.sync.any`: whether the predicate is true in any lane.
    Any {
        d: Pred,
        a: Pred,
        negated: bool,
        mask: R32,
    },
    /// `vote.sync.uni`: whether the predicate is the same in all lanes.
    Uni {
        d: Pred,
        a: Pred,
        negated: bool,
        mask: R32,
    },
    /// `vote.sync.ballot`: the predicate of each lane as one bit.
    Ballot {
        d: R32,
        a: Pred,
        negated: bool,
        mask: R32,
    },
}

/// `shfl.sync`'s mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShflMode {
    /// `.up`: from a lane with a lower number.
    Up,
    /// `.down`: from a lane with a higher number.
    Down,
    /// `.bfly`: from the lane whose number is xored with the operand.
    Bfly,
    /// `.idx`: from the lane that the operand names.
    Idx,
}

/// `redux.sync`'s operation and type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReduxOp {
    /// `.add`, for both types.
    Add,
    /// `.min.u32`.
    MinU32,
    /// `.min.s32`.
    MinS32,
    /// `.max.u32`.
    MaxU32,
    /// `.max.s32`.
    MaxS32,
    /// `.and.b32`.
    And,
    /// `.or.b32`.
    Or,
    /// `.xor.b32`.
    Xor,
}
