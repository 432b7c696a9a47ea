//! What limits reads with a given number of loads per thread, and of blocks per multiprocessor, in flight at a time.

use harness::Device;

/// The threads of a block.
pub const THREADS: u32 = 256;

/// The numbers of loads per thread for which there is a kernel.
pub const LOADS: [u32; 4] = [1, 2, 4, 8];
/// The most blocks that a multiprocessor holds: those of 2,048 threads.
pub const MOST_RESIDENT: u32 = 8;
/// The most loads of a thread, times blocks, for which a multiprocessor has registers.
pub const MOST_TOGETHER: u32 = 32;

/// The blocks of the grid: as many as the device holds at a time, `resident` per multiprocessor.
pub fn blocks(device: &Device, resident: u32) -> u32 {
    resident * device.properties.multiprocessors
}
