//! What the warps of a launch did, step by step, as the simulator reports it.

use serde::Deserialize;

/// What the warps of a launch did.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct Trace {
    /// In the order of execution.
    pub events: Vec<Event>,
    /// Events for which there was no room.
    pub dropped: u64,
}

/// Where something happened.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Place {
    /// The block's number in the grid.
    pub block: u64,
    /// The warp's number in the block.
    pub warp: u32,
    /// Source file and line, `file.cu:12`.
    pub line: String,
}

/// One thing that a warp did.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    /// An instruction was issued; what else it did follows.
    Instruction {
        /// The instruction.
        #[serde(flatten)]
        place: Place,
        /// Its kind: `arithmetic`, `branch`, `load`, `store`, …
        class: String,
        /// The lanes that execute it, lane 0 in the lowest bit.
        active: u32,
    },
    /// A load, store or atomic went to global or shared memory.
    Access {
        /// The instruction.
        #[serde(flatten)]
        place: Place,
        /// What went where.
        #[serde(flatten)]
        access: MemoryAccess,
    },
    /// Lanes read one another's registers.
    Shuffle {
        /// The instruction.
        #[serde(flatten)]
        place: Place,
        /// The lanes that take part.
        lanes: u32,
        /// For each of them, the lane that it reads; its own where the source is out of range.
        sources: Vec<u32>,
        /// For each of them, the bits that it had before.
        values: Vec<u32>,
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

/// A memory instruction of a warp.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct MemoryAccess {
    /// `load`, `store` or `atomic`.
    pub access: String,
    /// `global` or `shared`.
    pub space: String,
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
    /// Sectors of global memory, or wavefronts of shared memory, that the counters add for it.
    pub cost: u64,
}
