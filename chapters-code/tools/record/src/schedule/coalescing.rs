//! What is run of chapter 7: copies over the sizes, and each pattern at a size of its own.

use chapter_7_coalescing::{
    AccessParameters, Order, Records,
    chapter::Coalescing,
    patterns,
    reads::MOST_TOGETHER,
    rungs::{bulk, four_packs, packs, scalar},
};
use harness::{Dtype, Op, Rung};
use report::{Chapter, runner::Step};

use super::{Part, Scope, only, part, sizes, vector};

/// The buffers of shifts and permutations, and those of strides and reads, of which less is moved.
const LARGE: u64 = 1 << 26;
const LARGER: u64 = 1 << 27;

static COPIES: [&Rung; 4] = [&scalar::RUNG, &packs::RUNG, &four_packs::RUNG, &bulk::RUNG];

pub(super) fn parts(scope: Scope) -> Vec<Part> {
    let of = |n, parameters: AccessParameters| {
        let mut case = vector(n, Dtype::F32, Op::Sum);
        case.parameters = parameters.into();
        part(Box::new(Coalescing), case)
    };
    let none = AccessParameters::default();
    let copies = sizes(scope).into_iter().map(|n| of(n, none));
    let mut parts: Vec<Part> = copies.collect();
    if scope != Scope::Full {
        let n = sizes(scope)[0];
        parts.extend(patterns::usual().into_iter().skip(1).map(|p| of(n, p)));
        return parts;
    }
    for records in [Records::Pairs, Records::Particles] {
        let records = Some(records);
        parts.push(of(1 << 28, AccessParameters { records, ..none }));
    }
    for offset in (0..=9).chain([12, 16, 20, 24, 31, 32]) {
        let offset = Some(offset);
        parts.push(of(LARGE, AccessParameters { offset, ..none }));
    }
    for stride in (1..=10).chain([12, 16, 20, 24, 32, 33, 48, 64]) {
        let stride = Some(stride);
        parts.push(of(LARGER, AccessParameters { stride, ..none }));
    }
    for order in orders() {
        let order = Some(order);
        parts.push(of(LARGE, AccessParameters { order, ..none }));
    }
    for (loads, resident) in reads() {
        let (loads, resident) = (Some(loads), Some(resident));
        let reads = AccessParameters { loads, resident, ..none };
        parts.push(of(LARGER, reads));
    }
    // More bytes than 32 bits count: run once.
    parts.push(Part { is_timed: false, ..only(of((1 << 30) + 3, none), &COPIES) });
    parts
}

/// Windows of a sector, a warp, what an L1 holds, what an L2 holds, and more.
fn orders() -> Vec<Order> {
    let windows = [3, 5, 8, 10, 14, 18, 22].map(|bits| Order::Within(1 << bits));
    let mut orders = vec![Order::Ascending, Order::Random, Order::Sorted];
    orders.extend(windows);
    orders
}

/// Loads of a thread, and blocks of a multiprocessor: from 4 KiB under way to 128.
fn reads() -> Vec<(u32, u32)> {
    let of_loads = |loads| {
        let resident = [1, 2, 3, 4, 6, 8].into_iter();
        let fit = resident.filter(move |resident| loads * resident <= MOST_TOGETHER);
        fit.map(move |resident| (loads, resident))
    };
    [1, 2, 4, 8].into_iter().flat_map(of_loads).collect()
}

/// The broken rungs, each on what brings out its fault.
pub(super) fn broken(n: u64) -> Part {
    let mut steps = Vec::new();
    for parameters in patterns::usual() {
        let mut asked = vector(n, Dtype::F32, Op::Sum);
        asked.parameters = parameters.into();
        for rung in Coalescing.rungs().into_iter().filter(|rung| rung.is_broken()) {
            let case = Coalescing.case_for(&rung, &asked);
            if rung.refusal(&case).is_none() {
                steps.push(Step { rung, case });
            }
        }
    }
    Part {
        chapter: Box::new(Coalescing),
        name: "broken".into(),
        steps,
        skipped: Vec::new(),
        is_timed: false,
    }
}
