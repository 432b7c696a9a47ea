//! Accesses by one lane, and for which threads they are strong: see [`super`].

use ptx::ir::{Order, Scope};
use simt_report::AccessKind;

/// A thread: its block, and its own number there.
pub(crate) type ThreadId = (BlockId, u32);
/// A block: the number of its device above that of the block among all of the launches.
pub(crate) type BlockId = u64;
/// The words of an access: the address and the value of each.
pub(crate) type Words = [(u64, u32)];

/// Bits of the number of a block. With those of 64 devices, and of an offset in shared memory, they are 63.
const BLOCK_BITS: u32 = 33;

/// Returns the name of a block, by its device and its number among all blocks of the launches.
pub(crate) fn block_on(device: u32, number: u64) -> BlockId {
    u64::from(device) << BLOCK_BITS | number
}

/// Returns the number of a block among all blocks of the launches.
pub(crate) fn number_of(block: BlockId) -> u64 {
    block & ((1 << BLOCK_BITS) - 1)
}

/// Returns the device of a block.
pub(super) fn device_of(block: BlockId) -> u64 {
    block >> BLOCK_BITS
}

/// The threads for which an access is strong, or to which a fence reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Reach {
    NoThread,
    Block,
    Device,
    System,
}

impl From<Scope> for Reach {
    fn from(scope: Scope) -> Self {
        match scope {
            Scope::Block => Self::Block,
            Scope::Device => Self::Device,
            Scope::System => Self::System,
        }
    }
}

impl Reach {
    /// The least that has the threads of both blocks.
    pub fn between(one: BlockId, other: BlockId) -> Self {
        match (one == other, device_of(one) == device_of(other)) {
            (true, _) => Self::Block,
            (false, true) => Self::Device,
            (false, false) => Self::System,
        }
    }
}

/// An access by one lane.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LaneAccess {
    pub thread: ThreadId,
    pub pc: u32,
    pub kind: AccessKind,
    /// Whether it uses the read-only path, which no fence reaches.
    pub is_read_only: bool,
    pub(super) reach: Reach,
    pub(super) acquires: bool,
    pub(super) releases: bool,
}

impl LaneAccess {
    pub fn new(thread: ThreadId, pc: u32, kind: AccessKind, order: Order) -> Self {
        let (reach, acquires, releases) = match order {
            Order::Weak => (Reach::NoThread, false, false),
            Order::Volatile => (Reach::System, false, false),
            Order::Relaxed(scope) => (scope.into(), false, false),
            Order::Acquire(scope) => (scope.into(), true, false),
            Order::Release(scope) => (scope.into(), false, true),
            Order::AcqRel(scope) => (scope.into(), true, true),
        };
        Self { thread, pc, kind, is_read_only: false, reach, acquires, releases }
    }

    pub fn is_strong(&self) -> bool {
        self.reach != Reach::NoThread
    }

    /// Whether both are strong, and the scope of each includes the other's thread.
    pub(super) fn is_morally_strong_with(&self, other: &Self) -> bool {
        self.reach.min(other.reach) >= Reach::between(self.thread.0, other.thread.0)
    }
}
