//! What the rungs of each task solve: the devices, the buffers on them, the expected result, and the judge.

use harness::Memory;

pub(crate) mod collective;
pub(crate) mod compact;
mod devices;
pub(crate) mod histogram;
pub(crate) mod scan;
mod spread;
pub(crate) mod sum;

pub use collective::{Collective, matrix};
pub use compact::{Layout, SpreadCompact};
pub use devices::{Addresses, Devices, MAX_DEVICES, Shared};
pub use histogram::{SpreadHistogram, histograms_only};
pub use scan::SpreadScan;
pub use spread::Spread;
pub use sum::{SpreadSum, add};

pub use crate::Task;

/// What lies on the devices, one array on each.
fn memory<M: Memory>(arrays: &mut [M]) -> impl Iterator<Item = &mut dyn Memory> {
    arrays.iter_mut().map(|array| array as _)
}
