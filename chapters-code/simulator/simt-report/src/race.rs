//! What the detectors find: two sides, and what is missing between them.

use serde::{Deserialize, Serialize};

use crate::{AccessKind, AccessSpace, names::names};

names! {
    /// What is wrong. The first eight are accesses that nothing orders, in the order of this execution.
    RaceKind {
        /// A read, then a write.
        ReadWrite = "read_write",
        /// A write, then a read.
        WriteRead = "write_read",
        /// Two writes.
        WriteWrite = "write_write",
        /// A read, then an atomic.
        ReadAtomic = "read_atomic",
        /// An atomic, then a read.
        AtomicRead = "atomic_read",
        /// A write, then an atomic.
        WriteAtomic = "write_atomic",
        /// An atomic, then a write.
        AtomicWrite = "atomic_write",
        /// Two atomics, with too small a scope.
        AtomicAtomic = "atomic_atomic",
        /// An access to memory that a pending asynchronous copy writes, or a write to what it reads.
        PendingCopy = "pending_copy",
        /// A bulk copy that starts while another thread may still access its source or destination.
        EarlyCopy = "early_copy",
        /// A bulk copy that no thread waits for.
        AbandonedCopy = "abandoned_copy",
        /// A bulk copy that need not see what ordinary accesses did.
        MissingProxyFence = "missing_proxy_fence",
        /// An mbarrier that is initialised again.
        MbarrierReinitialised = "mbarrier_reinitialised",
        /// An mbarrier that a store overwrites.
        MbarrierOverwritten = "mbarrier_overwritten",
        /// A read of memory that nothing has written.
        UninitialisedRead = "uninitialised_read",
        /// A shuffle from a lane that does not participate.
        ShuffleSource = "shuffle_source",
        /// A block that exits while another block of its cluster may still access its shared memory.
        EarlyExit = "early_exit",
        /// A barrier that not all threads reach.
        DivergentBarrier = "divergent_barrier",
        /// A barrier for a wrong number of threads.
        BarrierThreads = "barrier_threads",
        /// A barrier past which some threads go to the end of the kernel, although they do not follow the
        /// others in the block. This is a note.
        LeftBarrier = "left_barrier",
    }
}

impl RaceKind {
    /// Whether it is only a note: it may be meant.
    pub fn is_note(self) -> bool {
        self == Self::LeftBarrier
    }

    /// Returns the kind of two accesses that nothing orders. (Two reads need no order.)
    pub fn unordered(first: AccessKind, second: AccessKind) -> Self {
        use AccessKind::{Atomic, Load, Store};
        match (first, second) {
            (Load, Load | Store) => Self::ReadWrite,
            (Load, Atomic) => Self::ReadAtomic,
            (Store, Load) => Self::WriteRead,
            (Store, Store) => Self::WriteWrite,
            (Store, Atomic) => Self::WriteAtomic,
            (Atomic, Load) => Self::AtomicRead,
            (Atomic, Store) => Self::AtomicWrite,
            (Atomic, Atomic) => Self::AtomicAtomic,
        }
    }
}

names! {
    /// A memory or, where a barrier or a shuffle is wrong, the threads that it is for.
    Space {
        /// Global memory.
        Global = "global",
        /// The shared memory of a block.
        Shared = "shared",
        /// The local memory of a thread.
        Local = "local",
        /// The lanes of a warp.
        Warp = "warp",
        /// The threads of a block.
        Block = "block",
    }
}

impl From<AccessSpace> for Space {
    fn from(space: AccessSpace) -> Self {
        match space {
            AccessSpace::Global => Self::Global,
            AccessSpace::Shared => Self::Shared,
        }
    }
}

names! {
    /// What a thread does on its side of a [`Race`].
    Action {
        /// It reads.
        Read = "read",
        /// It writes.
        Write = "write",
        /// It reads and writes in one step.
        Atomic = "atomic",
        /// It has started an asynchronous copy.
        Copy = "copy",
        /// It does not participate in a shuffle.
        Absent = "absent",
        /// It waits at a barrier.
        Wait = "wait",
        /// It skips a barrier by a branch.
        Branch = "branch",
    }
}

impl From<AccessKind> for Action {
    fn from(kind: AccessKind) -> Self {
        match kind {
            AccessKind::Load => Self::Read,
            AccessKind::Store => Self::Write,
            AccessKind::Atomic => Self::Atomic,
        }
    }
}

names! {
    /// What is missing if there is a [`Race`].
    Missing {
        /// A barrier of the block.
        Syncthreads = "__syncthreads",
        /// A barrier of the warp.
        Syncwarp = "__syncwarp",
        /// A barrier of the cluster, between two of its blocks.
        ClusterSync = "cluster.sync",
        /// A fence of the device, between two blocks.
        Threadfence = "__threadfence",
        /// A fence of the system, between two devices.
        ThreadfenceSystem = "__threadfence_system",
        /// A scope that includes the other block.
        DeviceScope = "the scope of the device",
        /// A scope that includes the other device.
        SystemScope = "the scope of the system",
        /// An order of two launches that run at the same time on one device.
        LaunchOrder = "an event between the streams",
        /// A wait for asynchronous copies.
        CopyWait = "cp.async.wait_group",
        /// A wait for the writes of bulk copies.
        BulkWait = "cp.async.bulk.wait_group",
        /// A wait for the reads of bulk copies.
        BulkReadWait = "cp.async.bulk.wait_group.read",
        /// A wait at an mbarrier.
        MbarrierWait = "a wait at the copy's mbarrier",
        /// A barrier before a bulk copy, of either kind.
        BarrierBeforeCopy = "a barrier, or an arrival and a wait",
        /// A fence between ordinary accesses and bulk copies.
        ProxyFence = "fence.proxy.async",
        /// A fence between the initialisation of an mbarrier and bulk copies.
        MbarrierInitFence = "fence.mbarrier_init",
        /// The end of an mbarrier's life.
        MbarrierInval = "mbarrier.inval",
        /// A write to the memory that is read.
        Write = "a write before it",
        /// A lane that a shuffle reads from.
        SourceLane = "participation of the source lane",
        /// A condition that leads all threads of a block to a barrier.
        BlockCondition = "a condition that is the same for the whole block",
        /// A mask without the lanes that never arrive.
        ArrivingMask = "a mask of the lanes that arrive",
        /// One barrier for all lanes.
        WarpBarrier = "a barrier that the whole warp reaches",
        /// One barrier for all threads.
        BlockBarrier = "a barrier that the whole block reaches",
        /// A number of threads that a barrier can count.
        BarrierThreads = "one number of threads, a multiple of 32",
    }
}

impl Missing {
    /// Whether it is a function of CUDA, which would stand between the two sides.
    pub fn is_function(self) -> bool {
        matches!(
            self,
            Self::Syncthreads
                | Self::Syncwarp
                | Self::Threadfence
                | Self::ThreadfenceSystem
                | Self::ClusterSync
        )
    }
}

/// One of the two sides of a [`Race`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RaceAccess {
    /// `file.cu:12`.
    pub line: String,
    /// The number of the device, if the two accesses are of different launches.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device: Option<u32>,
    /// The block's coordinates.
    pub block: [u32; 3],
    /// The warp's number in the block.
    pub warp: u32,
    /// The lane's number in the warp.
    pub lane: u32,
    /// What the thread does there.
    pub access: Action,
}

/// Two accesses that nothing orders, or another mistake of threads that should work together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Race {
    /// What is wrong.
    pub kind: RaceKind,
    /// The memory, or the threads.
    pub space: Space,
    /// The array, by its name in the PTX, or the allocation; empty if it is about no memory.
    pub array: String,
    /// Byte offset within the array.
    pub offset: u64,
    /// The device address, or the offset in the block's shared memory; 0 if it is about no memory.
    #[serde(default)]
    pub address: u64,
    /// Bytes of an element that the second access touches; 0 if it is about no memory.
    #[serde(default)]
    pub bytes: u32,
    /// The earlier access in this execution.
    pub first: RaceAccess,
    /// The later one.
    pub second: RaceAccess,
    /// What would order them.
    pub missing: Missing,
    /// Whether both are of one update in several instructions, such as `x += 1`, by which two threads update one value.
    /// An order of the two is not enough then: an atomic operation is missing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_update: bool,
    /// All of this as a sentence or two.
    pub message: String,
}
