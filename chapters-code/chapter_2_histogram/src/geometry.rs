//! How many blocks a launch has, and how much shared memory each of them gets.

use cudarc::driver::sys::CUdevice_attribute_enum::*;
use harness::{Device, Dtype, Error};

use crate::{Case, bins::Bins, reference::reachable};

/// The shared memory that every device gives a block by default, in counters.
pub const EVERYWHERE: u32 = 48 * 1024 / 4;

/// The number of threads per block in the rungs that load one key at a time.
pub const THREADS: u32 = 256;

/// The number of warps in a block of [`THREADS`] threads.
pub const WARPS: u32 = THREADS / 32;

/// The number of 16-byte packs in a tile, as in `tiles.cuh`.
const TILE: u64 = 2048;

/// Blocks of the kernels that walk over tiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TileBlocks {
    /// The number of threads per block.
    pub threads: u32,
    /// The number of blocks that a multiprocessor has registers for.
    pub resident: u32,
}

impl TileBlocks {
    /// The blocks of `ranges`, each of which has a multiprocessor to itself.
    pub const ALONE: Self = Self { threads: 1024, resident: 1 };

    /// The blocks of `banked` for a type of keys, as in `tiles.cuh`.
    pub fn of(dtype: Dtype) -> Self {
        let (threads, resident) = match dtype {
            Dtype::U8 | Dtype::F32 => (1024, 2),
            _ => (512, 3),
        };
        Self { threads, resident }
    }

    /// The number of blocks with `counters` counters each that the device holds at once, by shared memory
    /// and by registers. Any further block would wait until another one ends.
    ///
    /// # Errors
    /// As [`SharedMemory::of`].
    pub fn on(&self, device: &Device, counters: u32) -> Result<u32, Error> {
        let by_registers = self.resident * device.properties.multiprocessors;
        Ok(resident(device, self.threads, counters)?.min(by_registers))
    }

    /// The logarithm of the largest number of copies of `counters` counters that fits every block that a
    /// multiprocessor has registers for; at most 5, which is one copy per bank. It is 0 if one copy fits
    /// only a block that is alone, and none if no copy fits.
    pub fn log_copies(&self, shared: SharedMemory, counters: u32) -> Option<u32> {
        let room = u64::from(shared.counters(self.resident));
        let fits = |&log: &u32| u64::from(counters) << log <= room;
        let alone = (counters <= shared.counters(1)).then_some(0);
        (0..=5).rev().find(fits).or(alone)
    }
}

/// The shared memory that the kernels declare themselves, in bytes.
const STATIC_BYTES: u32 = 32;

/// The shared memory of a device, in bytes.
#[derive(Clone, Copy, Debug)]
pub struct SharedMemory {
    /// The shared memory of a multiprocessor.
    pub of_multiprocessor: u32,
    /// The largest amount that a block can ask for.
    pub of_block: u32,
    /// The amount that the system reserves in every block.
    pub reserved: u32,
}

impl SharedMemory {
    /// Asks the driver for the shared memory of a device.
    ///
    /// # Errors
    /// [`Error::Driver`] if the driver gives no answer.
    pub fn of(device: &Device) -> Result<Self, Error> {
        let get = |which| device.context.attribute(which).map(|value| value.max(0) as u32);
        Ok(Self {
            of_multiprocessor: get(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR)?,
            of_block: get(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)?,
            reserved: get(CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK)?,
        })
    }

    /// The counters that each of `blocks` blocks on one multiprocessor has room for.
    pub fn counters(&self, blocks: u32) -> u32 {
        let each = (self.of_multiprocessor / blocks.max(1)).saturating_sub(self.reserved);
        each.min(self.of_block).saturating_sub(STATIC_BYTES) / 4
    }

    /// The number of blocks with `counters` counters each that a multiprocessor holds at once.
    pub fn blocks(&self, counters: u32) -> u32 {
        let fits = |&blocks: &u32| self.counters(blocks) >= counters;
        (1..=32).rev().find(fits).unwrap_or(1)
    }
}

/// The number of blocks of `threads` threads with `counters` counters each that the device holds at once.
///
/// # Errors
/// As [`SharedMemory::of`].
pub fn resident(device: &Device, threads: u32, counters: u32) -> Result<u32, Error> {
    let shared = SharedMemory::of(device)?;
    let by_shared = device.properties.multiprocessors * shared.blocks(counters);
    Ok(device.resident_blocks(threads).min(by_shared))
}

/// The number of blocks of [`THREADS`] threads with `counters` counters each: one thread per key, but at most
/// as many blocks as the device holds at once.
///
/// # Errors
/// As [`SharedMemory::of`].
pub fn thread_per_key(device: &Device, n: u64, counters: u32) -> Result<u32, Error> {
    let most = resident(device, THREADS, counters)?;
    Ok(n.div_ceil(u64::from(THREADS)).clamp(1, u64::from(most)) as u32)
}

/// The number of tiles that `bytes` bytes of keys have.
pub fn tiles(bytes: u64) -> u64 {
    (bytes / 16).div_ceil(TILE)
}

/// How many copies of a histogram the blocks of `banked` have, and the launch that follows.
#[derive(Clone, Copy, Debug)]
pub struct Copies {
    /// The logarithm of the number of copies per block.
    pub log: u32,
    /// The number of blocks: one per tile, but at most as many as the device holds at once.
    pub blocks: u32,
    /// The number of threads per block.
    pub threads: u32,
    /// The dynamic shared memory per block, in bytes.
    pub bytes: u32,
}

impl Copies {
    /// The largest number of copies that fits, up to the number that the case asks for; none if a block
    /// has no room for a single copy.
    ///
    /// # Errors
    /// As [`SharedMemory::of`].
    pub fn of(device: &Device, case: &Case, bins: &Bins) -> Result<Option<Self>, Error> {
        let counters = reachable(case.dtype, bins);
        let blocks = TileBlocks::of(case.dtype);
        let Some(most) = blocks.log_copies(SharedMemory::of(device)?, counters) else {
            return Ok(None);
        };
        let wanted = case.task.copies.map(u32::ilog2);
        let log = wanted.unwrap_or(most).min(most);
        let resident = blocks.on(device, counters << log)?;
        Ok(Some(Self {
            log,
            blocks: tiles(case.input_bytes()).clamp(1, u64::from(resident)) as u32,
            threads: blocks.threads,
            bytes: 4 * (counters << log),
        }))
    }

    /// The error for a device whose blocks have no room for a single copy.
    pub fn no_room() -> Error {
        Error::Usage(
            "the counters of these bins do not fit in a block of this device\n  remedy: give --bins, up to 12000"
                .into(),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const H200: SharedMemory =
        SharedMemory { of_multiprocessor: 233_472, of_block: 232_448, reserved: 1024 };

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
