//! What can end a launch early, as the executing warp knows it.

pub(crate) use simt_report::FaultKind;
use simt_report::Space;

/// A fault without its location, which the block adds.
#[derive(Clone, Debug)]
pub(crate) struct Trap {
    pub kind: FaultKind,
    /// The faulting lane; `None` for the whole warp.
    pub lane: Option<u32>,
    /// The memory of an illegal or misaligned access, where the cause names it.
    pub space: Option<Space>,
    pub cause: String,
}

impl Trap {
    pub fn new(kind: FaultKind, lane: Option<u32>, cause: impl Into<String>) -> Box<Self> {
        Box::new(Self { kind, lane, space: None, cause: cause.into() })
    }

    /// The same fault, of an access to this memory.
    pub fn within(mut self: Box<Self>, space: Option<Space>) -> Box<Self> {
        self.space = space;
        self
    }
}

/// The result of executing one instruction. The fault is boxed because faults are rare and results
/// are returned often.
pub(crate) type Step<T = ()> = Result<T, Box<Trap>>;
