//! A memory access of a warp, as observers and detectors see it.

pub(crate) use simt_report::{AccessKind, AccessSpace};

use crate::banks::atomic::Form;
use crate::pattern::{Addresses, Pattern};
use crate::registers::LaneMask;

/// The strength of an access for race detection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Strength {
    /// A plain access, which PTX calls weak.
    #[default]
    Weak,
    /// A `volatile` access.
    Volatile,
    /// An access that is `relaxed` or stronger, or atomic, with the scope of the device or the
    /// system.
    Strong,
    /// A strong access with the scope of the block (`.cta`).
    StrongInBlock,
}

/// One memory instruction of a warp.
pub(crate) struct Access<'a> {
    pub kind: AccessKind,
    pub space: AccessSpace,
    pub strength: Strength,
    /// Whether it uses the read-only path, for which the program promises that no thread writes.
    pub read_only: bool,
    /// Bytes that each lane touches.
    pub bytes: u32,
    /// Device addresses, or offsets in shared memory.
    pub addresses: Addresses<'a>,
    pub mask: LaneMask,
    pub pattern: Pattern,
    /// The form of an atomic.
    pub form: Form,
    pub warp: u32,
    pub pc: u32,
}
