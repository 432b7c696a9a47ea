//! The patterns of access that run by default, and all that the book has a formula for.

use crate::{AccessParameters, Order, Records};

/// A copy that is shifted by `offset` elements.
pub fn offset(offset: u64) -> AccessParameters {
    AccessParameters { offset: Some(offset), ..Default::default() }
}

/// A copy of one element out of every `stride`.
pub fn stride(stride: u64) -> AccessParameters {
    AccessParameters { stride: Some(stride), ..Default::default() }
}

/// Sums of pairs, or updates of particles.
pub fn records(records: Records) -> AccessParameters {
    AccessParameters { records: Some(records), ..Default::default() }
}

/// A permutation.
pub fn order(order: Order) -> AccessParameters {
    AccessParameters { order: Some(order), ..Default::default() }
}

/// Reads where a thread has `loads` loads in flight and a multiprocessor holds `resident` blocks.
pub fn reads(loads: u32, resident: u32) -> AccessParameters {
    AccessParameters { loads: Some(loads), resident: Some(resident), ..Default::default() }
}

/// One of each task, as `cargo run --bin chapter_7` runs them. The last one is that of the broken rung that
/// stops the device.
pub fn usual() -> [AccessParameters; 7] {
    [
        AccessParameters::default(),
        stride(2),
        records(Records::Pairs),
        records(Records::Particles),
        order(Order::Within(1024)),
        reads(4, 4),
        offset(1),
    ]
}

/// Offsets of 0 to 32, strides of 1 to 64, both records, orders of each kind, and a few reads.
pub fn all() -> Vec<AccessParameters> {
    let orders = [
        Order::Ascending,
        Order::Within(8),
        Order::Within(32),
        Order::Within(1024),
        Order::Random,
        Order::Sorted,
    ];
    let mut all = vec![AccessParameters::default()];
    all.extend((1..=64).map(stride));
    all.extend([Records::Pairs, Records::Particles].map(records));
    all.extend(orders.map(order));
    all.extend([(1, 1), (2, 3), (4, 4), (8, 4)].map(|(loads, resident)| reads(loads, resident)));
    all.extend((0..=32).map(offset));
    all
}
