//! What can end a launch early, and how it is reported.

use std::fmt;

/// The kind of a [`Fault`]; the driver turns it into a CUDA error code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FaultKind {
    /// An access outside every allocation, or outside shared, local, constant or parameter memory.
    IllegalAddress,
    /// An address that is not a multiple of the access's size.
    MisalignedAddress,
    /// `trap`.
    Trap,
    /// A failed `assert`.
    Assert,
    /// Every thread waits for an event that cannot occur.
    Deadlock,
    /// More instructions were executed than `Options::instruction_limit` allows.
    InstructionLimit,
    /// An instruction used in a way that PTX leaves undefined, such as a shuffle of lanes that are
    /// at different shuffles.
    IllegalInstruction,
    /// More arrivals at an mbarrier than its phase takes. An H200 reports an unspecified launch
    /// failure.
    Overflow,
    /// A launch that the device cannot run, such as one with too large a block or grid.
    InvalidLaunch,
    /// A kernel that needs a PTX feature which the parser does not support.
    Unsupported,
    /// A launch that needs more shared memory or registers than the device has.
    OutOfResources,
}

impl FaultKind {
    /// Whether the launch was refused before anything ran.
    pub fn is_refusal(self) -> bool {
        matches!(
            self,
            Self::InvalidLaunch | Self::Unsupported | Self::OutOfResources
        )
    }
}

/// Why a launch ended early.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Fault {
    /// The kind of fault.
    pub kind: FaultKind,
    /// The full message: kernel, source line, block, thread, cause.
    pub message: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Fault {}

/// A fault as the executing warp knows it. The block adds the location.
#[derive(Clone, Debug)]
pub(crate) struct Trap {
    pub kind: FaultKind,
    /// The faulting lane; `None` for the whole warp.
    pub lane: Option<u32>,
    pub cause: String,
}

impl Trap {
    pub fn new(kind: FaultKind, lane: Option<u32>, cause: impl Into<String>) -> Box<Self> {
        Box::new(Self {
            kind,
            lane,
            cause: cause.into(),
        })
    }
}

/// The result of executing one instruction. The fault is boxed because faults are rare and results
/// are returned often.
pub(crate) type Step<T = ()> = Result<T, Box<Trap>>;
