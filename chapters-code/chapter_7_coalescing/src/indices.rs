//! The indices by which elements are gathered and scattered.

use harness::inputs;
use rayon::prelude::*;

use crate::{
    Case, Order, Task,
    traffic::{LANES, SECTOR, Traffic},
};

/// The most elements that an index of 32 bits reaches.
pub const MOST: u64 = 1 << 32;

/// The indices of a case, one per element; none if it is of another task.
pub fn of(case: &Case) -> Vec<u32> {
    let (n, seed) = (case.elements(), case.seed);
    match case.task {
        Task::Gather(Order::Within(window)) => shuffled(n, window, seed),
        Task::Gather(Order::Random) => random(n, seed),
        Task::Gather(Order::Sorted) => {
            let mut indices = random(n, seed);
            indices.par_sort_unstable();
            indices
        }
        Task::Gather(Order::Ascending) => (0..n).into_par_iter().map(|i| i as u32).collect(),
        _ => Vec::new(),
    }
}

/// Any element each time.
fn random(n: u64, seed: u64) -> Vec<u32> {
    let draw = |i| below(inputs::bits(seed.wrapping_add(1), i), n) as u32;
    (0..n).into_par_iter().map(draw).collect()
}

/// A number below `n`, each as likely as the others to within 2^−32.
fn below(bits: u64, n: u64) -> u64 {
    ((u128::from(bits) * u128::from(n)) >> 64) as u64
}

/// Each element once, windows in order (Fisher and Yates 1938, in each).
fn shuffled(n: u64, window: u64, seed: u64) -> Vec<u32> {
    let mut indices: Vec<u32> = (0..n).into_par_iter().map(|i| i as u32).collect();
    let windows = indices.par_chunks_mut(window as usize).enumerate();
    windows.for_each(|(w, indices)| {
        for last in (1..indices.len()).rev() {
            let i = w as u64 * window + last as u64;
            let bits = inputs::bits(seed.wrapping_add(2), i);
            indices.swap(last, below(bits, last as u64 + 1) as usize);
        }
    });
    indices
}

/// What warps touch whose lanes ask for the elements of 4 bytes that `each` indices in a row name, one after
/// the other: in their k-th request for the k-th of those.
pub fn traffic_of_several(indices: &[u32], each: usize) -> Traffic {
    let kth = |k: usize| -> Vec<u32> { indices.iter().skip(k).step_by(each).copied().collect() };
    (0..each).map(|k| traffic(&kth(k))).sum()
}

/// What warps touch that ask for these elements of 4 bytes, each lane for one.
pub fn traffic(indices: &[u32]) -> Traffic {
    let sectors = |lanes: &[u32]| {
        let mut sectors: Vec<u32> = lanes.iter().map(|i| i / (SECTOR as u32 / 4)).collect();
        sectors.sort_unstable();
        sectors.dedup();
        sectors.len() as u64
    };
    Traffic {
        requests: (indices.len() as u64).div_ceil(LANES),
        sectors: indices.par_chunks(LANES as usize).map(sectors).sum(),
    }
}

#[cfg(test)]
mod tests {
    use harness::{Dtype, Op};

    use super::*;

    const N: u64 = 1 << 18;

    fn ordered(n: u64, order: Order) -> Vec<u32> {
        of(&Case::vector(n, Dtype::F32, Op::Sum).with(Task::Gather(order)))
    }

    #[test]
    fn shuffling_keeps_each_window() {
        for (n, window) in [(1000, 32), (1000, 7), (1000, 1000), (1000, 5000), (0, 3)] {
            let shuffled = ordered(n, Order::Within(window));
            let mut sorted = shuffled.clone();
            for indices in sorted.chunks_mut(window as usize) {
                indices.sort_unstable();
            }
            assert_eq!(sorted, ordered(n, Order::Ascending), "{n} {window}");
            assert_eq!(shuffled == sorted, n == 0, "{n} {window}: nothing moved");
        }
    }

    #[test]
    fn sorted_is_random_in_order() {
        let mut random = ordered(N, Order::Random);
        assert!(random.iter().all(|&i| u64::from(i) < N));
        random.sort_unstable();
        assert_eq!(random, ordered(N, Order::Sorted));
    }

    /// Sectors a request lie within six deviations of the page's formula. Those of a warp are 1 to 32, so
    /// their deviation is at most 31/2, and that of the mean of W warps at most 31/(2 sqrt W).
    #[track_caller]
    fn check_mean(order: Order, formula: f64) {
        let Traffic { requests, sectors } = traffic(&ordered(N, order));
        let mean = sectors as f64 / requests as f64;
        let bound = 6.0 * 15.5 / (requests as f64).sqrt();
        assert!((mean - formula).abs() < bound, "{order}: {mean}, {formula}");
    }

    #[test]
    fn the_formulas_of_the_page() {
        check_mean(Order::Ascending, 4.0);
        check_mean(Order::Within(32), 4.0);
        // Each of the 128 sectors is missed by the 32 draws out of 1,024 with a probability that is a
        // product of 32 factors.
        let missed: f64 = (0..32).map(|k| (1016.0 - k as f64) / (1024.0 - k as f64)).product();
        let within = 128.0 * (1.0 - missed);
        assert_eq!(format!("{within:.1}"), "28.8");
        check_mean(Order::Within(1024), within);
        let sectors = N as f64 / 8.0;
        check_mean(Order::Random, sectors * (1.0 - (1.0 - 1.0 / sectors).powi(32)));
        // 8 draws a sector on average; a warp ends in the middle of a sector's draws.
        let drawn = 1.0 - f64::exp(-8.0);
        let sorted = 4.0 * drawn + (1.0 - drawn / 8.0);
        assert_eq!(format!("{sorted:.2}"), "4.87");
        check_mean(Order::Sorted, sorted);
    }
}
