//! How many blocks, and how much shared memory for each.

use cudarc::driver::{LaunchConfig, sys::CUdevice_attribute_enum::*};
use harness::{Device, Dtype, Error, kernel};

/// Shared memory that every device gives a block without being asked, in counters.
pub const EVERYWHERE: u32 = 48 * 1024 / 4;

/// Threads of a block of the rungs that load a key at a time.
pub const THREADS: u32 = 256;

/// Warps of such a block.
pub const WARPS: u32 = THREADS / 32;

/// Packs of a tile of `banked` and what follows, as in `tiles.cuh`.
const TILE: u64 = 2048;

/// Blocks that go over tiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TileBlocks {
    /// Threads of each.
    pub threads: u32,
    /// How many of them a multiprocessor has registers for.
    pub resident: u32,
}

impl TileBlocks {
    /// Of `ranges`: a block has a multiprocessor to itself.
    pub const ALONE: Self = Self {
        threads: 1024,
        resident: 1,
    };

    /// Of `banked`, by the type of the keys, as in `tiles.cuh`.
    pub fn of(dtype: Dtype) -> Self {
        let (threads, resident) = match dtype {
            Dtype::U8 | Dtype::F32 => (1024, 2),
            _ => (512, 3),
        };
        Self { threads, resident }
    }

    /// How many with so many counters each the device holds at once: as many as have room, but no
    /// more than have registers, or the others would wait for their turn.
    ///
    /// # Errors
    /// As [`SharedMemory::of`].
    pub fn on(&self, device: &Device, counters: u32) -> Result<u32, Error> {
        let by_registers = self.resident * device.properties.multiprocessors;
        Ok(resident(device, self.threads, counters)?.min(by_registers))
    }

    /// The logarithm of how many copies of so many counters fit all blocks that a multiprocessor has
    /// registers for or, where even one copy does not, one block: 5 at most, a copy a bank. None where
    /// a block has no room for a single one.
    pub fn log_copies(&self, shared: SharedMemory, counters: u32) -> Option<u32> {
        let room = u64::from(shared.counters(self.resident));
        let fits = |&log: &u32| u64::from(counters) << log <= room;
        let alone = (counters <= shared.counters(1)).then_some(0);
        (0..=5).rev().find(fits).or(alone)
    }
}

/// What the kernels declare themselves, besides what the launch gives them.
const STATIC_BYTES: u32 = 32;

/// A device's shared memory, in bytes.
#[derive(Clone, Copy, Debug)]
pub struct SharedMemory {
    /// Of a multiprocessor.
    pub of_multiprocessor: u32,
    /// Of a block that asks for it, at most.
    pub of_block: u32,
    /// What the system takes of each block's.
    pub reserved: u32,
}

impl SharedMemory {
    /// Asks a device.
    ///
    /// # Errors
    /// [`Error::Driver`] where the driver does not say.
    pub fn of(device: &Device) -> Result<Self, Error> {
        let get = |which| {
            device
                .context
                .attribute(which)
                .map(|value| value.max(0) as u32)
        };
        Ok(Self {
            of_multiprocessor: get(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR)?,
            of_block: get(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)?,
            reserved: get(CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK)?,
        })
    }

    /// Counters for each of so many blocks on one multiprocessor.
    pub fn counters(&self, blocks: u32) -> u32 {
        let each = (self.of_multiprocessor / blocks.max(1)).saturating_sub(self.reserved);
        each.min(self.of_block).saturating_sub(STATIC_BYTES) / 4
    }

    /// Blocks with so many counters that a multiprocessor holds at once.
    pub fn blocks(&self, counters: u32) -> u32 {
        let fits = |&blocks: &u32| self.counters(blocks) >= counters;
        (1..=32).rev().find(fits).unwrap_or(1)
    }
}

/// Blocks of so many threads, with so many counters each, that the device holds at once.
///
/// # Errors
/// As [`SharedMemory::of`].
pub fn resident(device: &Device, threads: u32, counters: u32) -> Result<u32, Error> {
    let shared = SharedMemory::of(device)?;
    let by_shared = device.properties.multiprocessors * shared.blocks(counters);
    Ok(device.resident_blocks(threads).min(by_shared))
}

/// A launch of blocks of [`THREADS`] with so many counters each: a thread for each of n keys, but no more
/// blocks than the device holds at once, nor than `most`.
///
/// # Errors
/// As [`SharedMemory::of`].
pub fn a_key_a_thread(
    device: &Device,
    n: u64,
    counters: u32,
    most: u32,
) -> Result<LaunchConfig, Error> {
    let most = resident(device, THREADS, counters)?.min(most);
    let blocks = n.div_ceil(u64::from(THREADS)).clamp(1, u64::from(most));
    Ok(config(blocks, THREADS, counters))
}

/// Tiles of so many bytes of keys.
pub fn tiles(bytes: u64) -> u64 {
    (bytes / 16).div_ceil(TILE)
}

/// A launch of blocks with so many counters each.
pub fn config(blocks: u64, threads: u32, counters: u32) -> LaunchConfig {
    LaunchConfig {
        shared_mem_bytes: 4 * counters,
        ..kernel::grid(blocks, threads)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const H200: SharedMemory = SharedMemory {
        of_multiprocessor: 233_472,
        of_block: 232_448,
        reserved: 1024,
    };

    #[test]
    fn copies_leave_room_for_all_blocks() {
        let copies = |dtype, counters| {
            let blocks = TileBlocks::of(dtype);
            blocks.log_copies(H200, counters).map(|log| 1 << log)
        };
        assert_eq!(copies(Dtype::U32, 257), Some(32));
        assert_eq!(copies(Dtype::U32, 599), Some(32));
        assert_eq!(copies(Dtype::U32, 600), Some(16));
        assert_eq!(copies(Dtype::F32, 600), Some(32));
        assert_eq!(copies(Dtype::U32, 2049), Some(8));
        assert_eq!(H200.counters(3), 19_192);
        assert_eq!(copies(Dtype::U32, 19_193), Some(1)); // two blocks
        assert_eq!(copies(Dtype::U32, 58_104), Some(1)); // one block has a multiprocessor to itself
        assert_eq!(copies(Dtype::U32, 58_105), None);
    }

    #[test]
    fn blocks_that_fit() {
        assert_eq!(H200.blocks(0), 32);
        assert_eq!(H200.blocks(EVERYWHERE), 4);
        assert_eq!(H200.blocks(58_104), 1);
    }
}
