//! What a recorded run has of this chapter: copies over the sizes, and each pattern at a size of its own.

use harness::{Dtype, Op};
use report::{Planned, Scope};

use crate::{Case, Order, Task, patterns, reads::MOST_TOGETHER, rungs::copies};

/// The buffers of shifts and permutations, and those of strides and reads, of which less is moved.
const LARGE: u64 = 1 << 26;
const LARGER: u64 = 1 << 27;

pub(crate) fn planned(scope: Scope) -> Vec<Planned<Task>> {
    let of = |n, task: Task| Planned::all(Case::vector(n, Dtype::F32, Op::Sum).with(task));
    let mut all: Vec<_> = scope.sizes().into_iter().map(|n| of(n, Task::Copy)).collect();
    if scope != Scope::Full {
        let n = scope.sizes()[0];
        all.extend(patterns::USUAL.into_iter().skip(1).map(|task| of(n, task)));
        return all;
    }
    all.extend([Task::Pairs, Task::Particles].map(|task| of(1 << 28, task)));
    let offsets = (0..=9).chain([12, 16, 20, 24, 31, 32]);
    all.extend(offsets.map(|offset| of(LARGE, Task::Offset(offset))));
    let strides = (1..=10).chain([12, 16, 20, 24, 32, 33, 48, 64]);
    all.extend(strides.map(|stride| of(LARGER, Task::Stride(stride))));
    all.extend(orders().into_iter().map(|order| of(LARGE, Task::Gather(order))));
    all.extend(reads().into_iter().map(|task| of(LARGER, task)));
    // More bytes than 32 bits count.
    let copies = [&copies::SCALAR, &copies::PACKS, &copies::FOUR_PACKS, &copies::BULK];
    all.push(of((1 << 30) + 3, Task::Copy).only(&copies).once());
    all
}

/// Windows of a sector, a warp, what an L1 holds, what an L2 holds, and more.
fn orders() -> Vec<Order> {
    let windows = [3, 5, 8, 10, 14, 18, 22].map(|bits| Order::Within(1 << bits));
    let mut orders = vec![Order::Ascending, Order::Random, Order::Sorted];
    orders.extend(windows);
    orders
}

/// Loads of a thread, and blocks of a multiprocessor: from 4 KiB under way to 128.
fn reads() -> Vec<Task> {
    let of_loads = |loads| {
        let resident = [1, 2, 3, 4, 6, 8].into_iter();
        let fit = resident.filter(move |resident| loads * resident <= MOST_TOGETHER);
        fit.map(move |resident| patterns::reads(loads, resident))
    };
    [1, 2, 4, 8].into_iter().flat_map(of_loads).collect()
}
