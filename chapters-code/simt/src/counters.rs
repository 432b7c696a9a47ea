//! What the hardware would count.
//!
//! *Exact* counters equal the hardware's for the same accesses: requests, sectors, shared-memory
//! wavefronts and conflicts. *PTX-level* counters count PTX instructions; the assembler may
//! predicate, unroll and merge, so the machine code's own counts differ.
//!
//! Rules, after Nsight Compute's metrics on compute capability 9.0:
//! - a **request** is a warp instruction with at least one active lane;
//! - its **sectors** are the distinct 32-byte blocks of device memory that its lanes touch;
//! - its shared-memory **wavefronts** are the largest number of distinct 4-byte words that it
//!   touches in one of the 32 banks, taken over groups of 32 lanes for accesses of up to 4 bytes,
//!   of 16 lanes for 8 bytes and of 8 lanes for 16 bytes, and summed over the groups;
//! - **bank conflicts** are the wavefronts beyond one a group.

use std::ops::AddAssign;

use crate::pattern::Pattern;
use crate::registers::LaneMask;

/// Sums over the warps of a launch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Counters {
    /// Warp loads from global memory. Exact.
    pub global_load_requests: u64,
    /// Sectors of them. Exact.
    pub global_load_sectors: u64,
    /// Warp stores to global memory. Exact.
    pub global_store_requests: u64,
    /// Sectors of them. Exact.
    pub global_store_sectors: u64,
    /// Warp loads from shared memory. Exact.
    pub shared_load_requests: u64,
    /// Wavefronts of them. Exact for accesses of up to 4 bytes.
    pub shared_load_wavefronts: u64,
    /// Warp stores to shared memory. Exact.
    pub shared_store_requests: u64,
    /// Wavefronts of them. Exact for accesses of up to 4 bytes.
    pub shared_store_wavefronts: u64,
    /// Wavefronts of shared loads and stores beyond those without conflicts.
    pub shared_bank_conflicts: u64,
    /// Wavefronts of atomics on shared memory: the longest queue at one bank, where lanes at one
    /// address queue too. PTX-level: newer hardware merges some.
    pub shared_atomic_wavefronts: u64,
    /// Warp atomics and reductions on global memory. Exact.
    pub global_atomic_requests: u64,
    /// Warp instructions. PTX-level.
    pub warp_instructions: u64,
    /// Active lanes, summed over warp instructions. PTX-level.
    pub thread_instructions: u64,
    /// Branches at which the active lanes of a warp parted. PTX-level.
    pub divergent_branches: u64,
    /// Barriers, once a warp.
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

/// Distinct 32-byte sectors that the active lanes touch, each with `bytes` bytes.
#[inline(always)]
pub(crate) fn sectors(pattern: Pattern, addresses: &[u64; 32], mask: LaneMask, bytes: u32) -> u64 {
    match pattern {
        Pattern::Affine { first, step, count } => affine_sectors(first, step, count, bytes),
        Pattern::Scattered => distinct(addresses.map(|a| a >> 5), mask),
    }
}

/// As [`sectors`], for equally spaced, aligned accesses: each lies within one sector.
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

/// Number of distinct values among the active lanes.
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

/// Wavefronts of a shared-memory load or store, and how many of them conflicts add.
#[inline(always)]
pub(crate) fn wavefronts(
    pattern: Pattern,
    addresses: &[u64; 32],
    mask: LaneMask,
    bytes: u32,
) -> (u64, u64) {
    if bytes <= 4 {
        let n = match pattern {
            Pattern::Affine { first, step, count } if step % 4 == 0 && first % 4 == 0 => {
                affine_wavefronts(step, count)
            }
            _ => group_wavefronts(addresses, mask, 1),
        };
        return (n, n - 1);
    }
    let lanes = 128 / bytes;
    let words = bytes / 4;
    let mut total = (0, 0);
    for group in 0..32 / lanes {
        let part = mask & (((1u64 << lanes) - 1) << (group * lanes)) as u32;
        if part != 0 {
            let n = group_wavefronts(addresses, part, words);
            total.0 += n;
            total.1 += n - 1;
        }
    }
    total
}

/// Words at multiples of `step / 4`: banks repeat every `32 / gcd` lanes.
#[inline(always)]
fn affine_wavefronts(step: i64, count: u32) -> u64 {
    if step == 0 {
        return 1;
    }
    let shared_factor = ((step / 4).unsigned_abs().trailing_zeros()).min(5);
    u64::from(count.div_ceil(32 >> shared_factor))
}

/// The largest number of distinct words in one bank, each lane touching `words` words in a row.
fn group_wavefronts(addresses: &[u64; 32], mask: LaneMask, words: u32) -> u64 {
    let mut banks = Banks::default();
    for lane in lanes(mask) {
        let first = addresses[lane as usize] >> 2;
        for word in first..first + u64::from(words) {
            banks.touch(word);
        }
    }
    banks.longest
}

/// The distinct words touched so far, as a chain a bank.
struct Banks {
    words: [u64; 64],
    next: [u8; 64],
    head: [u8; 32],
    length: [u8; 32],
    used: u8,
    longest: u64,
}

const END: u8 = u8::MAX;

impl Default for Banks {
    fn default() -> Self {
        let (words, next, head, length) = ([0; 64], [END; 64], [END; 32], [0; 32]);
        Self {
            words,
            next,
            head,
            length,
            used: 0,
            longest: 0,
        }
    }
}

impl Banks {
    fn touch(&mut self, word: u64) {
        let bank = (word & 31) as usize;
        let mut entry = self.head[bank];
        while entry != END {
            if self.words[usize::from(entry)] == word {
                return;
            }
            entry = self.next[usize::from(entry)];
        }
        self.words[usize::from(self.used)] = word;
        self.next[usize::from(self.used)] = self.head[bank];
        self.head[bank] = self.used;
        self.used += 1;
        self.length[bank] += 1;
        self.longest = self.longest.max(u64::from(self.length[bank]));
    }
}

/// Wavefronts of a shared atomic: the longest queue at a bank, equal addresses queueing too.
#[inline(always)]
pub(crate) fn atomic_wavefronts(addresses: &[u64; 32], mask: LaneMask) -> u64 {
    let mut queues = [0u8; 32];
    for lane in lanes(mask) {
        // All queues at once, so that equal banks do not wait for one another here too.
        let bank = (addresses[lane as usize & 31] >> 2) as u8 & 31;
        for (number, queue) in queues.iter_mut().enumerate() {
            *queue += u8::from(number as u8 == bank);
        }
    }
    u64::from(queues.into_iter().max().unwrap_or(0))
}

/// The active lanes, in order.
#[inline(always)]
pub(crate) fn lanes(mut mask: LaneMask) -> impl Iterator<Item = u32> {
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

    fn check(
        bytes: u32,
        mask: LaneMask,
        address: impl Fn(u64) -> u64,
        sector_count: u64,
        wavefront_count: u64,
    ) {
        let addresses = std::array::from_fn(|lane| address(lane as u64));
        let pattern = Pattern::of(&addresses, mask);
        assert_eq!(
            sectors(pattern, &addresses, mask, bytes),
            sector_count,
            "sectors"
        );
        let scattered = sectors(Pattern::Scattered, &addresses, mask, bytes);
        assert_eq!(scattered, sector_count, "sectors, the general rule");
        assert_eq!(
            wavefronts(pattern, &addresses, mask, bytes).0,
            wavefront_count,
            "wavefronts"
        );
        let scattered = wavefronts(Pattern::Scattered, &addresses, mask, bytes).0;
        assert_eq!(scattered, wavefront_count, "wavefronts, the general rule");
    }

    #[test]
    fn strides() {
        check(4, ALL, |l| 4 * l, 4, 1);
        check(4, ALL, |l| 4 + 4 * l, 5, 1);
        check(4, ALL, |l| 8 * l, 8, 2);
        check(4, ALL, |l| 12 * l, 12, 1);
        check(4, ALL, |l| 128 * l, 32, 32);
        check(4, ALL, |l| 132 * l, 32, 1);
        check(4, ALL, |_| 256, 1, 1);
        check(4, ALL, |l| 4096 - 4 * l, 5, 1);
        check(1, ALL, |l| l, 1, 1);
        check(2, ALL, |l| 2 * l, 2, 1);
    }

    #[test]
    fn masks() {
        check(4, 0x5555_5555, |l| 4 * l, 4, 1);
        check(4, 0x0000_0001, |l| 4 * l, 1, 1);
        check(4, 0x0001_0001, |l| 4 * l, 2, 1);
        check(4, 0x0001_0001, |l| 8 * l, 2, 2);
        check(4, 0x0000_00ff, |l| 64 * l, 8, 4);
    }

    #[test]
    fn wide() {
        check(8, ALL, |l| 8 * l, 8, 2);
        check(16, ALL, |l| 16 * l, 16, 4);
        check(8, ALL, |l| 256 * l, 32, 32);
    }

    #[test]
    fn atomics_queue() {
        let same = [64; 32];
        assert_eq!(atomic_wavefronts(&same, ALL), 32);
        let different = std::array::from_fn(|lane| 4 * lane as u64);
        assert_eq!(atomic_wavefronts(&different, ALL), 1);
    }
}
