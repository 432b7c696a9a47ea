//! The same as `warp_specialized`, and then the count is copied to the host.

use harness::{Element, Launch, Prepared};

use super::warp_specialized;
use crate::{
    Rung,
    problem::{Compaction, Order, by_mask_only},
};

/// The rung `read_back`.
pub static RUNG: Rung = Rung::new(
    "read_back",
    "warp_specialized, and the count is copied to the host",
    warp_specialized::RUNG.ptx,
)
.refuses(by_mask_only);

// ANCHOR: read_back
/// The launch of `warp_specialized`, then a copy into page-locked memory, in the stream's order.
pub fn prepare<T: Element>(p: &Compaction<T>, rung: &Rung) -> Prepared<Compaction<T>> {
    let mut compact = warp_specialized::prepare(p, rung)?;
    let (kernel, config) = (compact.kernel.clone(), compact.config);
    Ok(Launch::new(kernel, config, Order::Selected, move |p: &mut Compaction<T>| {
        (compact.enqueue)(p)?;
        p.device.stream.memcpy_dtoh(&p.count.view(), &mut p.count_on_host)
    }))
}
// ANCHOR_END: read_back
