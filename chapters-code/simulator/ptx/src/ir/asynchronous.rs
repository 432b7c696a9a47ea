//! Barriers in shared memory, bulk copies, and fences between proxies.

use super::{Address, Pred, R32, R64, Space};

/// An `mbarrier` instruction on one object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mbarrier {
    /// [`Space::Shared`], or [`Space::Generic`] for an address that must be in shared memory.
    pub space: Space,
    /// The object's address.
    pub addr: Address,
    /// The operation.
    pub op: MbarrierOp,
}

/// The operation on an mbarrier object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the fields are operands and modifiers of PTX")]
pub enum MbarrierOp {
    /// `mbarrier.init`: `count` arrivals complete a phase.
    Init { count: R32 },
    /// `mbarrier.inval`: frees the memory for another use.
    Inval,
    /// `mbarrier.expect_tx`: announces bytes of this phase.
    ExpectTx { bytes: R32 },
    /// `mbarrier.complete_tx`: counts announced bytes as copied.
    CompleteTx { bytes: R32 },
    /// `mbarrier.arrive` and its siblings.
    Arrive(Arrive),
    /// `mbarrier.test_wait`, `mbarrier.try_wait`: tests whether a phase is complete.
    Wait { d: Pred, phase: Phase, semantics: Semantics },
    /// `cp.async.mbarrier.arrive`: arrives once the thread's earlier `cp.async` are done. Without
    /// `.noinc` the object expects that arrival in addition to its others.
    AfterCopies { is_expected: bool },
}

/// An arrival.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrive {
    /// The instruction.
    pub kind: ArriveKind,
    /// The destination of the state before the arrival; `None` for `_`.
    pub state: Option<R64>,
    /// The number of arrivals; `None` for 1.
    pub count: Option<R32>,
    /// `.expect_tx`: bytes of this phase that are announced first.
    pub expect: Option<R32>,
    /// Whether earlier accesses become visible to waiting threads.
    pub semantics: Semantics,
}

/// The kinds of arrival.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArriveKind {
    /// `mbarrier.arrive`.
    Arrive,
    /// `mbarrier.arrive.noComplete`: the program promises that it is not the last of the phase.
    NoComplete,
    /// `mbarrier.arrive_drop`: does not participate from the next phase on.
    Drop,
    /// `mbarrier.arrive_drop.noComplete`.
    DropNoComplete,
}

/// The phase that a test asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// The phase in which an arrival returned this state.
    State(R64),
    /// The current or the preceding phase, whichever has this parity.
    Parity(R32),
}

/// Whether an `mbarrier` instruction orders other accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Semantics {
    /// `.release` of an arrival, `.acquire` of a wait; the default.
    Orders,
    /// `.relaxed`.
    Relaxed,
}

/// The low bits of an mbarrier's state, as arrivals return it, that hold its pending count.
pub const PENDING_COUNT_BITS: u32 = 20;

/// `cp.async.bulk`, in one of its directions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BulkCopy {
    /// The destination: in shared memory for [`BulkDirection::Load`], else in device memory.
    pub dst: Address,
    /// The source.
    pub src: Address,
    /// The number of bytes.
    pub bytes: R32,
    /// The direction, and how the end is signalled.
    pub direction: BulkDirection,
}

/// The direction of a bulk copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the fields are operands and modifiers of PTX")]
pub enum BulkDirection {
    /// From global to shared memory. Its bytes are subtracted from an mbarrier's transaction count.
    Load { mbarrier: Address },
    /// From shared to global memory. It belongs to the thread's next bulk group.
    Store,
}

/// `cp.async.bulk.commit_group`, and waits for bulk groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BulkWait {
    /// `cp.async.bulk.commit_group`.
    Commit,
    /// `cp.async.bulk.wait_group n`: at most `n` groups may be pending.
    Group(u32),
    /// `cp.async.bulk.wait_group.read n`: at most `n` groups may still have to read their sources.
    GroupRead(u32),
}

/// A fence between ordinary accesses and those of the async proxy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProxyFence {
    /// `fence.proxy.async`.
    All,
    /// `fence.proxy.async.shared::cta`.
    Shared,
    /// `fence.proxy.async.global`.
    Global,
    /// `fence.mbarrier_init`, for the mbarriers that the thread has initialised.
    MbarrierInit,
}
