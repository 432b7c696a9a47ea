//! What can end a launch early, and how it is told.

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
    /// Every thread waits for what cannot come.
    Deadlock,
    /// More instructions than `Options::instruction_limit`.
    InstructionLimit,
    /// An instruction used in a way that PTX leaves undefined, such as a shuffle of lanes that are
    /// at different shuffles.
    IllegalInstruction,
    /// An mbarrier at which more arrive than its phase takes: an H200 calls it an unspecified failure.
    Overflow,
    /// A launch that the device cannot run: block too large, no such grid.
    InvalidLaunch,
    /// A kernel that needs what the parser does not know.
    Unsupported,
    /// A launch that wants more shared memory or registers than there are.
    OutOfResources,
}

impl FaultKind {
    /// True for a launch that was refused: nothing ran.
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
    /// What kind of fault.
    pub kind: FaultKind,
    /// The whole story: kernel, source line, block, thread, cause.
    pub message: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Fault {}

/// A fault as the executing warp knows it: the place is added by its block.
#[derive(Clone, Debug)]
pub(crate) struct Trap {
    pub kind: FaultKind,
    /// The lane at fault; `None` for the whole warp.
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

/// The result of executing one instruction. Boxed: faults are rare, and results are returned often.
pub(crate) type Step<T = ()> = Result<T, Box<Trap>>;
