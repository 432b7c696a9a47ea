//! How many blocks of a kernel fit on a multiprocessor, as the hardware allocates: registers by
//! the warp, shared memory by the block.
//!
//! Source: *CUDA C++ Programming Guide*, "Compute Capabilities", and the occupancy calculator of
//! Nsight Compute, for compute capability 9.0.

use simt::DEVICE;

use crate::profile;

/// Registers are handed to a warp in units of this many.
const REGISTER_UNIT: u32 = 256;
/// Shared memory is handed to a block in units of this many bytes.
const SHARED_UNIT: u32 = 128;
/// A multiprocessor's registers are split evenly among this many schedulers.
pub const SCHEDULERS: u32 = 4;

/// What a block needs.
#[derive(Clone, Copy, Debug)]
pub struct Block {
    /// Threads.
    pub threads: u32,
    /// Registers a thread.
    pub registers: u32,
    /// Bytes of shared memory, static and dynamic.
    pub shared: u32,
}

impl Block {
    /// Blocks resident on a multiprocessor; 0 if not even one fits.
    pub fn per_multiprocessor(self) -> u32 {
        if self.threads == 0 || self.threads > DEVICE.max_block_threads {
            return 0;
        }
        let warps = self.threads.div_ceil(profile::WARP);
        let by_warps = DEVICE.resident_threads / profile::WARP / warps;
        let limits = [DEVICE.resident_blocks, by_warps, self.by_registers(warps)];
        limits.into_iter().fold(self.by_shared(), u32::min)
    }

    fn by_registers(self, warps: u32) -> u32 {
        if self.registers == 0 {
            return DEVICE.resident_blocks;
        }
        let a_warp = (self.registers * profile::WARP).next_multiple_of(REGISTER_UNIT);
        let warps_a_scheduler = DEVICE.registers / SCHEDULERS / a_warp;
        warps_a_scheduler * SCHEDULERS / warps
    }

    fn by_shared(self) -> u32 {
        if self.shared > DEVICE.shared_block_opt_in {
            return 0;
        }
        DEVICE.shared / (self.shared + DEVICE.shared_reserved).next_multiple_of(SHARED_UNIT)
    }
}

/// Clusters of `size` blocks that the device holds, if a multiprocessor holds `each` of the blocks.
///
/// The multiprocessors of a cluster belong to one group of the chip. A group has up to 18 of them, and
/// some are left over. The numbers for 1, 2, 4, 8 and 16 blocks are those that the driver of an H100
/// named for blocks of 256 to 1,024 threads with up to 227 KiB; chips of one model differ a little. Other
/// sizes get the number of the next one.
pub fn active_clusters(size: u32, each: u32) -> u32 {
    match size {
        0 | 1 => DEVICE.multiprocessors * each,
        2 => DEVICE.multiprocessors / 2 * each,
        3 | 4 => 31 * each - each % 2,
        5..=8 => 15 * each,
        9..=16 => 7 * each,
        _ => 0,
    }
}

/// Bytes of dynamic shared memory that each of `blocks` blocks on one multiprocessor can have
/// beside `fixed` static ones.
pub fn dynamic_shared(blocks: u32, fixed: u32) -> u32 {
    let each = DEVICE.shared / blocks.max(1) / SHARED_UNIT * SHARED_UNIT;
    let usable = each.saturating_sub(DEVICE.shared_reserved).min(DEVICE.shared_block_opt_in);
    usable.saturating_sub(fixed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(threads: u32, registers: u32, shared: u32, expected: u32) {
        assert_eq!(Block { threads, registers, shared }.per_multiprocessor(), expected);
    }

    #[test]
    fn blocks_on_a_multiprocessor() {
        check(256, 32, 0, 8);
        check(32, 16, 0, 32);
        check(1024, 32, 0, 2);
        check(1024, 64, 0, 1);
        check(1024, 65, 0, 0);
        check(256, 40, 0, 6);
        check(256, 255, 0, 1);
        check(33, 32, 0, 32);
        check(256, 32, 232_448, 1);
        check(256, 32, 232_449, 0);
        check(256, 32, 115_712, 2);
        check(256, 32, 115_713, 1);
        check(1025, 32, 0, 0);
        check(0, 32, 0, 0);
    }

    #[test]
    fn shared_memory_left_for_each_block() {
        assert_eq!(dynamic_shared(1, 0), 232_448);
        assert_eq!(dynamic_shared(2, 0), 115_712);
        assert_eq!(dynamic_shared(2, 712), 115_000);
        assert_eq!(dynamic_shared(32, 100_000), 0);
    }
}
