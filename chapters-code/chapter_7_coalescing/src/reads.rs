//! What limits reads with a given number of loads per thread, and of blocks per multiprocessor, in flight at a time.

use harness::{Case, ChapterParameters, Device};

use crate::AccessParameters;

/// The threads of a block.
pub const THREADS: u32 = 256;

/// The numbers of loads per thread for which there is a kernel.
pub const LOADS: [u32; 4] = [1, 2, 4, 8];
/// The most blocks that a multiprocessor holds: those of 2,048 threads.
pub const MOST_RESIDENT: u32 = 8;
/// The most loads of a thread, times blocks, for which a multiprocessor has registers.
pub const MOST_TOGETHER: u32 = 32;

/// The loads of a thread, and the blocks of a multiprocessor, that a case has in flight; 4 of those that it leaves open.
pub fn in_flight(case: &Case) -> (u32, u32) {
    let AccessParameters { loads, resident, .. } = AccessParameters::of(case);
    (loads.unwrap_or(4), resident.unwrap_or(4))
}

/// The blocks of the grid: as many as the device holds at a time, `resident` per multiprocessor.
pub fn blocks(device: &Device, resident: u32) -> u32 {
    resident * device.properties.multiprocessors
}
