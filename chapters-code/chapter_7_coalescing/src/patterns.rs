//! The patterns of access that run by default, and all that the book has a formula for.

use crate::{Order, Records, Task};

/// Sums of pairs, or updates of particles.
pub fn records(records: Records) -> Task {
    match records {
        Records::Pairs => Task::Pairs,
        Records::Particles => Task::Particles,
    }
}

/// Reads in which a thread has `loads` loads in flight and a multiprocessor holds `resident` blocks.
pub fn reads(loads: u32, resident: u32) -> Task {
    Task::BytesInFlight { loads, resident }
}

/// One of each task, as `cargo run --bin chapter_7` runs them. The last one is that of the broken rung that
/// stops the device.
pub const USUAL: [Task; 7] = [
    Task::Copy,
    Task::Stride(2),
    Task::Pairs,
    Task::Particles,
    Task::Gather(Order::Within(1024)),
    Task::BytesInFlight { loads: 4, resident: 4 },
    Task::Offset(1),
];

/// Offsets of 0 to 32, strides of 1 to 64, both records, orders of each kind, and a few reads.
pub fn all() -> Vec<Task> {
    let orders = [
        Order::Ascending,
        Order::Within(8),
        Order::Within(32),
        Order::Within(1024),
        Order::Random,
        Order::Sorted,
    ];
    let mut all = vec![Task::Copy];
    all.extend((1..=64).map(Task::Stride));
    all.extend([Task::Pairs, Task::Particles]);
    all.extend(orders.map(Task::Gather));
    all.extend([(1, 1), (2, 3), (4, 4), (8, 4)].map(|(loads, resident)| reads(loads, resident)));
    all.extend((0..=32).map(Task::Offset));
    all
}
