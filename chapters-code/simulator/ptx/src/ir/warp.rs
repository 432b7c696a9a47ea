//! Barriers and warp-wide operations.

use super::{Pred, R32, Src};

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

/// An operation that the lanes of `mask` execute together.
#[derive(Clone, Copy, Debug)]
pub struct Collective {
    /// The register with the participating lanes.
    pub mask: R32,
    /// The operation.
    pub op: CollectiveOp,
}

/// The operation of a [`Collective`].
#[derive(Clone, Copy, Debug)]
#[expect(missing_docs, reason = "the fields are operands and modifiers of PTX")]
pub enum CollectiveOp {
    /// `bar.warp.sync`: waits for the lanes.
    Sync,
    /// `shfl.sync`.
    Shfl(Shuffle),
    /// `vote.sync`.
    Vote(Vote),
    /// `match.any.sync`. `a` is an R64 for `.b64`.
    MatchAny { d: R32, a: Src },
    /// `match.all.sync`: `pred` is set when all lanes agree.
    MatchAll { d: R32, pred: Option<Pred>, a: Src },
    /// `redux.sync`.
    Redux { op: ReduxOp, d: R32, a: R32 },
    /// `elect.sync`: `pred` is set in the elected lane, `d` holds its lane number.
    Elect { d: Option<R32>, pred: Pred },
}

/// `shfl.sync`.
#[derive(Clone, Copy, Debug)]
pub struct Shuffle {
    /// Which lane each lane reads.
    pub mode: ShflMode,
    /// The destination.
    pub d: R32,
    /// The predicate that is true in lanes whose source lane is in range.
    pub pred: Option<Pred>,
    /// The value.
    pub a: R32,
    /// The distance, or the source lane.
    pub b: R32,
    /// The clamp value and the segment mask.
    pub c: R32,
}

/// `vote.sync`.
#[derive(Clone, Copy, Debug)]
#[expect(missing_docs, reason = "the fields are operands and modifiers of PTX")]
pub enum Vote {
    /// `vote.sync.all`: whether the predicate is true in all lanes.
    All { d: Pred, a: Pred, negated: bool },
    /// `vote.sync.any`: whether the predicate is true in any lane.
    Any { d: Pred, a: Pred, negated: bool },
    /// `vote.sync.uni`: whether the predicate is the same in all lanes.
    Uni { d: Pred, a: Pred, negated: bool },
    /// `vote.sync.ballot`: the predicate of each lane as one bit.
    Ballot { d: R32, a: Pred, negated: bool },
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
