//! Counters that model the hardware's.
//!
//! *Exact* counters equal those of a GPU of compute capability 9.0 for the same launch, as Nsight
//! Compute reads them. The test `counters` of `record` compares about 2,200 launches with those of
//! an H200. *PTX-level* counters count PTX instructions. The assembler may predicate, unroll, merge
//! and replace instructions, so the counts of the machine code differ. If it merges or drops equal
//! memory accesses with nothing in between, even exact counters differ.
//!
//! - a **request** is a warp instruction with at least one active lane;
//! - its **sectors** are the distinct 32-byte blocks of device memory that its lanes touch;
//! - for shared memory's **wavefronts** and **bank conflicts** see [`crate::banks`].
//!
//! `cp.async` counts as a load from global memory and a store to shared memory; a GPU has separate
//! counters for it. Bulk copies (`cp.async.bulk`) and `mbarrier` instructions count as warp
//! instructions only: on a GPU the data of a bulk copy does not pass through the units that count
//! requests, sectors and wavefronts.

use std::ops::AddAssign;

use crate::pattern::{Addresses, Pattern};
use crate::registers::LaneMask;

/// Sums over the warps of a launch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Counters {
    /// Warp loads from global memory. Exact.
    pub global_load_requests: u64,
    /// Sectors of the global loads. Exact.
    pub global_load_sectors: u64,
    /// Warp stores to global memory. Exact.
    pub global_store_requests: u64,
    /// Sectors of the global stores. Exact.
    pub global_store_sectors: u64,
    /// Warp loads from shared memory. Exact, except for the loads of atomics that become a loop.
    pub shared_load_requests: u64,
    /// Wavefronts of the shared loads. Exact, with the same exception.
    pub shared_load_wavefronts: u64,
    /// Warp stores to shared memory. Exact.
    pub shared_store_requests: u64,
    /// Wavefronts of the shared stores. Exact.
    pub shared_store_wavefronts: u64,
    /// Wavefronts of shared loads and stores that bank conflicts add. Exact, except for the loads
    /// of atomics that become a loop.
    pub shared_bank_conflicts: u64,
    /// Wavefronts of atomics on shared memory. PTX-level: exact if an atomic becomes one
    /// instruction, and otherwise for a warp that no other warp disturbs.
    pub shared_atomic_wavefronts: u64,
    /// Warp atomics and reductions on global memory. Exact.
    pub global_atomic_requests: u64,
    /// Warp instructions. PTX-level.
    pub warp_instructions: u64,
    /// Active lanes, summed over warp instructions. PTX-level.
    pub thread_instructions: u64,
    /// Branches at which the active lanes of a warp diverged. PTX-level.
    pub divergent_branches: u64,
    /// Barriers, counted once per warp. PTX-level.
    pub barriers: u64,
}

impl AddAssign for Counters {
    fn add_assign(&mut self, other: Self) {
        self.global_load_requests += other.global_load_requests;
        self.global_load_sectors += other.global_load_sectors;
        self.global_store_requests += other.global_store_requests;
        self.global_store_sectors += other.global_store_sectors;
        self.shared_load_requests += other.shared_load_requests;
        self.shared_load_wavefronts += other.shared_load_wavefronts;
        self.shared_store_requests += other.shared_store_requests;
        self.shared_store_wavefronts += other.shared_store_wavefronts;
        self.shared_bank_conflicts += other.shared_bank_conflicts;
        self.shared_atomic_wavefronts += other.shared_atomic_wavefronts;
        self.global_atomic_requests += other.global_atomic_requests;
        self.warp_instructions += other.warp_instructions;
        self.thread_instructions += other.thread_instructions;
        self.divergent_branches += other.divergent_branches;
        self.barriers += other.barriers;
    }
}

/// Counts the distinct 32-byte sectors that the active lanes touch, each with `bytes` bytes.
#[inline(always)]
pub(crate) fn sectors(
    pattern: Pattern,
    addresses: Addresses<'_>,
    mask: LaneMask,
    bytes: u32,
) -> u64 {
    match pattern {
        Pattern::Affine { first, step, count } => affine_sectors(first, step, count, bytes),
        Pattern::Scattered => distinct(addresses.all().map(|a| a >> 5), mask),
    }
}

/// Counts sectors as [`sectors`] does, for equally spaced, aligned accesses that each lie within
/// one sector.
#[inline(always)]
fn affine_sectors(first: u64, step: i64, count: u32, bytes: u32) -> u64 {
    let (count, stride) = (u64::from(count), step.unsigned_abs());
    if stride >= 32 {
        return count;
    }
    let span = (count - 1) * stride;
    let low = if step < 0 {
        first.wrapping_sub(span)
    } else {
        first
    };
    ((low.wrapping_add(span + u64::from(bytes) - 1)) >> 5).wrapping_sub(low >> 5) + 1
}

/// Counts the distinct values among the active lanes.
fn distinct(values: [u64; 32], mask: LaneMask) -> u64 {
    let mut seen = [0; 32];
    let mut count = 0;
    for (lane, value) in values.into_iter().enumerate() {
        if mask >> lane & 1 == 0 || seen[..count].contains(&value) {
            continue;
        }
        seen[count] = value;
        count += 1;
    }
    count as u64
}

/// Iterates over the active lanes in order.
#[inline(always)]
pub(crate) fn lanes(mut mask: LaneMask) -> impl Iterator<Item = u32> + Clone {
    std::iter::from_fn(move || {
        let lane = mask.trailing_zeros();
        mask &= mask.wrapping_sub(1);
        (lane < 32).then_some(lane)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: LaneMask = LaneMask::MAX;

    fn check(mask: LaneMask, address: impl Fn(u64) -> u64, expected: u64) {
        let addresses = std::array::from_fn(|lane| address(lane as u64));
        let pattern = Pattern::of(&addresses, mask);
        assert_eq!(
            sectors(pattern, Addresses::Lanes(&addresses), mask, 4),
            expected
        );
        let scattered = sectors(Pattern::Scattered, Addresses::Lanes(&addresses), mask, 4);
        assert_eq!(scattered, expected, "the general rule");
    }

    #[test]
    fn strides() {
        check(ALL, |l| 4 * l, 4);
        check(ALL, |l| 4 + 4 * l, 5);
        check(ALL, |l| 8 * l, 8);
        check(ALL, |l| 12 * l, 12);
        check(ALL, |l| 128 * l, 32);
        check(ALL, |_| 256, 1);
        check(ALL, |l| 4096 - 4 * l, 5);
    }

    #[test]
    fn masks() {
        check(0x5555_5555, |l| 4 * l, 4);
        check(0x0000_0001, |l| 4 * l, 1);
        check(0x0001_0001, |l| 4 * l, 2);
        check(0x0000_00ff, |l| 64 * l, 8);
    }
}
