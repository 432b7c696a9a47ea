//! Counts the sectors of device memory that a warp's access touches. [`crate::banks`] counts wavefronts.

use crate::pattern::{Addresses, Pattern};
use crate::registers::LaneMask;

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

/// Returns the lanes of an access in rounds: in each one, the next lane at every address. Atomics at one
/// address follow each other.
pub(crate) fn rounds(addresses: &[u64; 32], mask: LaneMask) -> impl Iterator<Item = LaneMask> + '_ {
    let mut rest = mask;
    std::iter::from_fn(move || {
        let mut round = 0;
        for lane in lanes(rest) {
            let is_there = |other: u32| addresses[other as usize] == addresses[lane as usize];
            if !lanes(round).any(is_there) {
                round |= 1 << lane;
            }
        }
        rest &= !round;
        (round != 0).then_some(round)
    })
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
    let low = if step < 0 { first.wrapping_sub(span) } else { first };
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
        assert_eq!(sectors(pattern, Addresses::Lanes(&addresses), mask, 4), expected);
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
