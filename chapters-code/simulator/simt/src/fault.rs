//! What can end a launch early, as the executing warp knows it.

use simt_report::Space;
pub(crate) use simt_report::{FaultDetail, FaultKind};

/// A fault without its location, which the block adds.
#[derive(Clone, Debug)]
pub(crate) struct Trap {
    pub kind: FaultKind,
    /// The faulting lane; `None` for the whole warp.
    pub lane: Option<u32>,
    /// The memory of an illegal or misaligned access, where the cause names it.
    pub space: Option<Space>,
    pub detail: Option<FaultDetail>,
    pub cause: String,
}

impl Trap {
    pub fn new(kind: FaultKind, lane: Option<u32>, cause: impl Into<String>) -> Box<Self> {
        Box::new(Self { kind, lane, space: None, detail: None, cause: cause.into() })
    }

    /// The same fault, of an access to this memory.
    pub fn within(mut self: Box<Self>, space: Option<Space>) -> Box<Self> {
        self.space = space;
        self
    }

    /// The same fault, with what else is known of it.
    pub fn detailed(mut self: Box<Self>, detail: impl Into<Option<FaultDetail>>) -> Box<Self> {
        self.detail = detail.into();
        self
    }
}

/// The result of executing one instruction. The fault is boxed because faults are rare and results
/// are returned often.
pub(crate) type Step<T = ()> = Result<T, Box<Trap>>;
