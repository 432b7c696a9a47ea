//! The banks of shared memory: how many passes over them (*wavefronts*) a warp's access takes.
//!
//! The rules come from about 1,200 one-warp probes on an H200, counted with Nsight Compute (the
//! kernels `shared_probe.cu` of `validate`). The test `counters` of `validate` makes the same launches
//! here and compares: the rules reproduce the hardware's count for every probe. Below, a *unit* is
//! what one lane accesses (4 bytes for narrower accesses). The 32 banks of 4 bytes are grouped into
//! 32, 16 or 8 banks that are as wide as a unit, so that a pass serves one unit in each.
//!
//! - A warp is served in **groups**: 32 lanes for units of 4 bytes, two halves for 8 bytes, four
//!   quarters for 16 bytes.
//! - A **load** of 8 or 16 bytes serves two neighbouring groups (0 and 1, 2 and 3) together if the
//!   active partner of every active lane loads from the same address. Partners are lane and lane ^
//!   1 throughout the warp, or lane and lane ^ 2 throughout. A store never combines groups.
//! - A group takes as many wavefronts as the largest number of **distinct units in one bank**.
//! - **Conflicts** are the wavefronts beyond one per group.
//!
//! For atomics see [`atomic`].

pub(crate) mod atomic;

use crate::counters::lanes;
use crate::pattern::{Addresses, Pattern};
use crate::registers::{LaneMask, lane_word64};

/// The number of passes over the banks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Passes {
    pub wavefronts: u64,
    /// The wavefronts that conflicts add.
    pub conflicts: u64,
}

/// Returns the passes of a load of `bytes` bytes per lane.
#[inline(always)]
pub(crate) fn load(
    pattern: Pattern,
    addresses: Addresses<'_>,
    mask: LaneMask,
    bytes: u32,
) -> Passes {
    match pattern {
        Pattern::Affine { step, .. } if affine(step, bytes) => in_groups(
            mask,
            bytes,
            || step == 0 || !has_partners(mask, 1) || !has_partners(mask, 2),
            |group| evenly_spaced(step, group, bytes),
        ),
        _ => {
            let addresses = &addresses.all();
            in_groups(
                mask,
                bytes,
                || partners_agree(addresses, mask, 1) || partners_agree(addresses, mask, 2),
                |group| scattered(addresses, group, bytes),
            )
        }
    }
}

/// Returns the passes of a store of `bytes` bytes per lane.
#[inline(always)]
pub(crate) fn store(
    pattern: Pattern,
    addresses: Addresses<'_>,
    mask: LaneMask,
    bytes: u32,
) -> Passes {
    match pattern {
        Pattern::Affine { step, .. } if affine(step, bytes) => {
            in_groups(mask, bytes, || false, |group| evenly_spaced(step, group, bytes))
        }
        _ => {
            let addresses = &addresses.all();
            in_groups(mask, bytes, || false, |group| scattered(addresses, group, bytes))
        }
    }
}

/// Whether a step goes from one unit to another and never between bytes of one unit.
#[inline(always)]
fn affine(step: i64, bytes: u32) -> bool {
    step & i64::from(bytes.max(4) - 1) == 0
}

/// Sums the passes of the groups of lanes that are served together.
#[inline(always)]
fn in_groups(
    mask: LaneMask,
    bytes: u32,
    together: impl Fn() -> bool,
    wavefronts: impl Fn(LaneMask) -> u64,
) -> Passes {
    let one = |group| {
        let wavefronts = wavefronts(group);
        Passes { wavefronts, conflicts: wavefronts - 1 }
    };
    if bytes <= 4 {
        return one(mask);
    }
    let mut all = Passes::default();
    let mut add = |group| {
        if group != 0 {
            let passes = one(group);
            all.wavefronts += passes.wavefronts;
            all.conflicts += passes.conflicts;
        }
    };
    let lanes = 1 << (7 - bytes.trailing_zeros() + u32::from(together()));
    let first = u32::MAX >> (32 - lanes);
    for start in (0..32).step_by(lanes as usize) {
        add(mask & first << start);
    }
    all
}

/// Whether two lanes of the mask are partners, `distance` (1 or 2) apart.
#[inline(always)]
fn has_partners(mask: LaneMask, distance: u32) -> bool {
    mask & mask >> distance & lower_partners(distance) != 0
}

/// Whether all partners at this distance access the same address.
#[inline(always)]
fn partners_agree(addresses: &[u64; 32], mask: LaneMask, distance: u32) -> bool {
    let both = mask & mask >> distance & lower_partners(distance);
    lanes(both).all(|lane| {
        let lane = lane as usize & 31;
        addresses[lane] == addresses[lane ^ distance as usize]
    })
}

/// The lanes whose partner has the higher number.
const fn lower_partners(distance: u32) -> LaneMask {
    if distance == 1 { 0x5555_5555 } else { 0x3333_3333 }
}

/// Returns the most units in one bank, for lanes at equally spaced units. Banks repeat after a
/// number of lanes equal to the number of banks divided by the largest power of two in the step.
#[inline(always)]
fn evenly_spaced(step: i64, group: LaneMask, bytes: u32) -> u64 {
    if step == 0 {
        return 1;
    }
    // All values are powers of two and are kept as logarithms, which avoids a division here.
    let unit = bytes.max(4).trailing_zeros();
    let apart = (7 - unit).saturating_sub(step.trailing_zeros() - unit);
    u64::from((group.count_ones() + (1 << apart) - 1) >> apart)
}

/// Returns the most distinct units in one bank, for a group that is not empty. The units of one row
/// of all banks are in different banks.
#[inline(always)]
fn scattered(addresses: &[u64; 32], group: LaneMask, bytes: u32) -> u64 {
    let first = addresses[group.trailing_zeros() as usize & 31];
    let mut differing = 0;
    for (lane, address) in addresses.iter().enumerate() {
        differing |= (address ^ first) & lane_word64(group, lane);
    }
    if differing < 128 {
        return 1;
    }
    most_in_a_bank(addresses, group, bytes)
}

#[inline(never)]
fn most_in_a_bank(addresses: &[u64; 32], group: LaneMask, bytes: u32) -> u64 {
    let unit = bytes.max(4).trailing_zeros();
    let mut banks = Banks::new(128 >> unit);
    for lane in lanes(group) {
        banks.touch(addresses[lane as usize & 31] >> unit);
    }
    banks.longest
}

/// The distinct units touched so far, as one chain per bank.
struct Banks {
    /// The number of banks minus one.
    last: u64,
    units: [u64; 32],
    next: [u8; 32],
    head: [u8; 32],
    length: [u8; 32],
    used: u8,
    longest: u64,
}

const END: u8 = u8::MAX;

impl Banks {
    fn new(banks: u32) -> Self {
        let (units, next, head, length) = ([0; 32], [END; 32], [END; 32], [0; 32]);
        Self { last: u64::from(banks - 1), units, next, head, length, used: 0, longest: 0 }
    }

    /// Returns how many distinct units the unit's bank has now.
    fn touch(&mut self, unit: u64) -> u8 {
        let bank = (unit & self.last) as usize & 31;
        let mut entry = self.head[bank];
        while entry != END {
            if self.units[usize::from(entry)] == unit {
                return self.length[bank];
            }
            entry = self.next[usize::from(entry)];
        }
        self.units[usize::from(self.used)] = unit;
        self.next[usize::from(self.used)] = self.head[bank];
        self.head[bank] = self.used;
        self.used += 1;
        self.length[bank] += 1;
        self.longest = self.longest.max(u64::from(self.length[bank]));
        self.length[bank]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: LaneMask = LaneMask::MAX;

    /// Checks the wavefronts of a load and of a store.
    fn check(bytes: u32, mask: LaneMask, address: impl Fn(u64) -> u64, expected: [u64; 2]) {
        let addresses = std::array::from_fn(|lane| address(lane as u64));
        for pattern in [Pattern::of(&addresses, mask), Pattern::Scattered] {
            let addresses = Addresses::Lanes(&addresses);
            let loaded = load(pattern, addresses, mask, bytes).wavefronts;
            let stored = store(pattern, addresses, mask, bytes).wavefronts;
            assert_eq!([loaded, stored], expected, "{pattern:?}");
        }
    }

    #[test]
    fn narrow() {
        check(4, ALL, |l| 4 * l, [1, 1]);
        check(4, ALL, |l| 8 * l, [2, 2]);
        check(4, ALL, |l| 12 * l, [1, 1]);
        check(4, ALL, |l| 128 * l, [32, 32]);
        check(4, ALL, |l| 132 * l, [1, 1]);
        check(4, ALL, |_| 256, [1, 1]);
        check(4, ALL, |l| 4096 - 4 * l, [1, 1]);
        check(4, 0x0001_0001, |l| 8 * l, [2, 2]);
        check(4, 0x0000_00ff, |l| 64 * l, [4, 4]);
        check(1, ALL, |l| l, [1, 1]);
        check(2, ALL, |l| 2 * l, [1, 1]);
        check(2, ALL, |l| 2 + 6 * l, [2, 2]);
    }

    #[test]
    fn wide() {
        check(8, ALL, |l| 8 * l, [2, 2]);
        check(16, ALL, |l| 16 * l, [4, 4]);
        check(8, ALL, |l| 256 * l, [32, 32]);
        check(16, ALL, |l| 24 * l / 24 * 48, [4, 4]);
    }

    #[test]
    fn loads_merge_partners() {
        check(8, ALL, |_| 64, [1, 2]);
        check(16, ALL, |_| 64, [2, 4]);
        check(8, ALL, |l| l / 2 * 8, [1, 2]);
        check(8, ALL, |l| (l & !2) * 8, [2, 2]);
        check(8, ALL, |l| l % 2 * 256, [2, 4]);
        check(8, ALL, |l| l % 4 * 8, [2, 2]);
        check(16, ALL, |l| l / 2 * 16, [2, 4]);
        // Only half of the warp is active.
        check(8, ALL, |l| if l < 16 { 0 } else { l * 8 }, [2, 2]);
        // No lane has an active partner.
        check(8, 0x5555_5555, |l| l % 4 * 256, [2, 4]);
    }
}
