//! The trace of a launch: what each warp did, in order.

use serde::{Deserialize, Serialize};

use crate::names::names;

names! {
    /// The kind of a memory access.
    #[derive(Default)]
    AccessKind {
        /// A load.
        #[default]
        Load = "load",
        /// A store.
        Store = "store",
        /// An atomic, or a reduction.
        Atomic = "atomic",
    }
}

impl AccessKind {
    /// The verb for threads that do it.
    pub fn verb(self) -> &'static str {
        match self {
            Self::Load => "read",
            Self::Store => "write",
            Self::Atomic => "update",
        }
    }
}

names! {
    /// The memory that an access goes to.
    AccessSpace {
        /// Global memory.
        Global = "global",
        /// The shared memory of a block.
        Shared = "shared",
    }
}

names! {
    /// The class of an instruction.
    InstructionClass {
        /// It computes in registers.
        Arithmetic = "arithmetic",
        /// It loads.
        Load = "load",
        /// It stores.
        Store = "store",
        /// It updates memory atomically.
        Atomic = "atomic",
        /// It starts asynchronous copies, or waits for them.
        AsyncCopy = "async_copy",
        /// It branches.
        Branch = "branch",
        /// It ends the thread or the launch.
        Exit = "exit",
        /// It waits for other threads, or lets them pass: a barrier, `__syncwarp`, an mbarrier.
        Barrier = "barrier",
        /// It orders memory accesses.
        Fence = "fence",
        /// It exchanges values within a warp.
        Warp = "warp",
        /// It does something else.
        Other = "other",
    }
}

names! {
    /// What lanes do with an mbarrier, or what a bulk copy does.
    MbarrierUse {
        /// They make it.
        Initialise = "initialise",
        /// They arrive at it.
        Arrive = "arrive",
        /// They find the phase that they test incomplete.
        Wait = "wait",
        /// They find it complete.
        Pass = "pass",
        /// They start a bulk copy that will count its bytes on it.
        StartCopy = "start_copy",
        /// The copy that they started ends, and its bytes are counted.
        EndCopy = "end_copy",
    }
}

/// What the warps of a launch did.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trace {
    /// The events in the order of execution.
    pub events: Vec<Event>,
    /// The number of later events, which are not stored because there is no room.
    pub dropped: u64,
    /// What the instructions left in registers, in the order of their events, if that was asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub executed: Vec<Executed>,
}

/// An instruction, and what it left in the registers that it writes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Executed {
    /// The index of the instruction's event.
    pub event: u64,
    /// The instruction's line in the PTX text, from 1.
    pub ptx_line: u32,
    /// For each register that it writes, in the order in which PTX names them, the bits in each lane that executes it.
    pub written: Vec<Vec<u64>>,
}

/// Where something happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// The block's number in the grid.
    pub block: u64,
    /// The warp's number in the block.
    pub warp: u32,
    /// `file.cu:12`.
    pub line: String,
}

/// One thing that a warp did. In a set of lanes, lane 0 is the lowest bit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    /// An instruction was issued. Its other effects follow as separate events.
    Instruction {
        /// The instruction.
        #[serde(flatten)]
        place: Place,
        /// The instruction's class.
        class: InstructionClass,
        /// The lanes that execute it.
        active: u32,
    },
    /// A load, store or atomic went to global or shared memory.
    Access {
        /// The instruction.
        #[serde(flatten)]
        place: Place,
        /// The access.
        #[serde(flatten)]
        access: TracedAccess,
    },
    /// Lanes read one another's registers.
    Shuffle {
        /// The instruction.
        #[serde(flatten)]
        place: Place,
        /// The lanes that participate.
        lanes: u32,
        /// For each of them, the source lane; its own number if the source is out of range.
        sources: Vec<u32>,
        /// For each of them, the bits of its value before the shuffle.
        values: Vec<u32>,
    },
    /// Lanes used an mbarrier.
    Mbarrier {
        /// The instruction.
        #[serde(flatten)]
        place: Place,
        /// How they used it.
        #[serde(flatten)]
        used: UsedMbarrier,
    },
    /// A block's barrier let these warps pass.
    BarrierPassed {
        /// The block's number in the grid.
        block: u64,
        /// The warps.
        warps: Vec<u32>,
    },
    /// `__syncwarp` let these lanes pass.
    WarpSynchronised {
        /// The block's number in the grid.
        block: u64,
        /// The warp's number in the block.
        warp: u32,
        /// The lanes.
        lanes: u32,
    },
}

impl Event {
    /// Returns the number of the block in the grid.
    pub fn block(&self) -> u64 {
        match self {
            Self::Instruction { place, .. }
            | Self::Access { place, .. }
            | Self::Shuffle { place, .. }
            | Self::Mbarrier { place, .. } => place.block,
            Self::BarrierPassed { block, .. } | Self::WarpSynchronised { block, .. } => *block,
        }
    }
}

/// A memory instruction of a warp.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TracedAccess {
    /// What it does.
    pub access: AccessKind,
    /// The memory that it goes to.
    pub space: AccessSpace,
    /// Bytes that each lane touches.
    pub bytes: u32,
    /// The shared array's name in the PTX; empty for global memory.
    pub array: String,
    /// The address at which that array, or the first lane's allocation, begins.
    pub base: u64,
    /// Bytes of that allocation; 0 for shared memory.
    pub allocation_bytes: u64,
    /// The lanes that access it.
    pub lanes: u32,
    /// For each of them, a device address, or an offset in the block's shared memory.
    pub addresses: Vec<u64>,
    /// For each of them, the bits of the elements that it loads or stores; empty for atomics.
    pub values: Vec<Vec<u64>>,
    /// The cost that the counters add: sectors of global memory, or wavefronts of shared memory.
    pub cost: u64,
}

/// How lanes of a warp used an mbarrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UsedMbarrier {
    /// The mbarrier's offset in the block's shared memory.
    pub mbarrier: u32,
    /// What they did.
    pub does: MbarrierUse,
    /// The lanes, one after another.
    pub lanes: u32,
    /// Whether one of them completed the phase, after which the next one began.
    pub completes: bool,
    /// The bytes of a copy; 0 for what is none.
    pub bytes: u32,
}
