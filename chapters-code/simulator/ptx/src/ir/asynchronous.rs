//! Barriers in shared memory, bulk copies, and fences between proxies.

use super::{Address, Pred, R32, R64, Space};

/// An `mbarrier` instruction on one object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mbarrier {
    /// [`Space::Shared`], or [`Space::Generic`] for an address that has to lead there.
    pub space: Space,
    /// The object's address.
    pub addr: Address,
    /// What to do.
    pub op: MbarrierOp,
}

/// What is done to an mbarrier object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum MbarrierOp {
    /// `mbarrier.init`: `count` arrivals complete a phase.
    Init { count: R32 },
    /// `mbarrier.inval`: the memory is free for something else.
    Inval,
    /// `mbarrier.expect_tx`: so many bytes more are to come in this phase.
    ExpectTx { bytes: R32 },
    /// `mbarrier.complete_tx`: so many of them have come.
    CompleteTx { bytes: R32 },
    /// `mbarrier.arrive` and its siblings.
    Arrive(Arrive),
    /// `mbarrier.test_wait`, `mbarrier.try_wait`: whether a phase is complete.
    Wait {
        d: Pred,
        phase: Phase,
        semantics: Semantics,
    },
    /// `cp.async.mbarrier.arrive`: arrives once the thread's earlier `cp.async` are done. Without
    /// `.noinc` that arrival is one more than the object waits for otherwise.
    AfterCopies { is_expected: bool },
}

/// An arrival.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrive {
    /// Which of the instructions it is.
    pub kind: ArriveKind,
    /// Where the state before the arrival goes; `None` for `_`.
    pub state: Option<R64>,
    /// How many arrivals this is; `None` for 1.
    pub count: Option<R32>,
    /// `.expect_tx`: bytes to come in this phase, to be added first.
    pub expect: Option<R32>,
    /// Whether what comes before it is visible to those who wait.
    pub semantics: Semantics,
}

/// The kinds of arrival.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArriveKind {
    /// `mbarrier.arrive`.
    Arrive,
    /// `mbarrier.arrive.noComplete`: the program promises that it is not the last of the phase.
    NoComplete,
    /// `mbarrier.arrive_drop`: takes no part from the next phase on.
    Drop,
    /// Both.
    DropNoComplete,
}

/// Which phase is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// The one in which an arrival returned this state.
    State(R64),
    /// The current one or the one before it, whichever has this parity.
    Parity(R32),
}

/// Whether an `mbarrier` instruction orders other accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Semantics {
    /// `.release` of an arrival, `.acquire` of a wait; what there is where none is named.
    Orders,
    /// `.relaxed`.
    Relaxed,
}

/// The low bits of an mbarrier's state, as arrivals return it, that hold its pending count.
pub const PENDING_COUNT_BITS: u32 = 20;

/// `cp.async.bulk`, in one of its directions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BulkCopy {
    /// Where to: in shared memory for [`BulkDirection::Load`], else in device memory.
    pub dst: Address,
    /// Where from.
    pub src: Address,
    /// How many bytes.
    pub bytes: R32,
    /// Which way, and how its end is told.
    pub direction: BulkDirection,
}

/// Which way a bulk copy goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum BulkDirection {
    /// From global to shared memory. Its bytes are taken off an mbarrier's transaction count.
    Load { mbarrier: Address },
    /// From shared to global memory. It belongs to the thread's next bulk group.
    Store,
}

/// `cp.async.bulk.commit_group`, and waiting for such groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BulkWait {
    /// `cp.async.bulk.commit_group`.
    Commit,
    /// `cp.async.bulk.wait_group n`: at most `n` groups may be pending.
    Group(u32),
    /// `cp.async.bulk.wait_group.read n`: at most `n` groups may still have to read their sources.
    GroupRead(u32),
}

/// A fence between ordinary accesses and those of asynchronous copies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProxyFence {
    /// `fence.proxy.async`.
    All,
    /// `fence.proxy.async.shared::cta`.
    Shared,
    /// `fence.proxy.async.global`.
    Global,
    /// `fence.mbarrier_init`: for the mbarriers that the thread has initialised.
    MbarrierInit,
}
