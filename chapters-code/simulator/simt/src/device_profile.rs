//! What the simulated device is, and what a launch can take of it.

/// The constants of a device. Sizes of memory are in bytes.
#[derive(Clone, Copy, Debug)]
pub struct DeviceProfile {
    /// The device's name.
    pub name: &'static str,
    /// Compute capability, major and minor.
    pub compute_capability: (u32, u32),
    /// Multiprocessors.
    pub multiprocessors: u32,
    /// Blocks of a grid in x, y and z, at most.
    pub max_grid: [u32; 3],
    /// Threads of a block in x, y and z, at most.
    pub max_block: [u32; 3],
    /// Threads of a block in all, at most.
    pub max_block_threads: u32,
    /// Blocks of a cluster, at most.
    pub max_cluster: u32,
    /// Blocks of a cluster, at most, that every device with clusters allows.
    pub portable_cluster: u32,
    /// Threads resident on a multiprocessor.
    pub resident_threads: u32,
    /// Blocks resident on a multiprocessor.
    pub resident_blocks: u32,
    /// 32-bit registers of a multiprocessor.
    pub registers: u32,
    /// Shared memory of a multiprocessor.
    pub shared: u32,
    /// Shared memory that the system takes of each block.
    pub shared_reserved: u32,
    /// Shared memory of a block, without asking for more.
    pub shared_block: u32,
    /// Shared memory of a block, after asking (`MAX_DYNAMIC_SHARED_SIZE_BYTES`).
    pub shared_block_opt_in: u32,
    /// Local memory of a thread, at most.
    pub max_local: u32,
}

/// The simulated device: an H200.
pub const DEVICE: DeviceProfile = DeviceProfile {
    name: "SIMT simulator (H200 profile)",
    compute_capability: (9, 0),
    multiprocessors: 132,
    max_grid: [i32::MAX as u32, 65_535, 65_535],
    max_block: [1024, 1024, 64],
    max_block_threads: 1024,
    max_cluster: 16,
    portable_cluster: 8,
    resident_threads: 2048,
    resident_blocks: 32,
    registers: 65_536,
    shared: 233_472,
    shared_reserved: 1024,
    shared_block: 49_152,
    shared_block_opt_in: 232_448,
    max_local: 512 << 10,
};
