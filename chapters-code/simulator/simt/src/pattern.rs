//! The pattern of a warp's addresses. It is found once per access and used by the copy itself and
//! by the counters.

use std::hint::black_box;
use std::ops::BitOr;

use crate::registers::{LaneMask, Lanes32, Lanes64, lane_word, lane_word64};

/// The addresses of the active lanes of one warp instruction.
#[derive(Clone, Copy, Debug)]
pub enum Addresses<'a> {
    /// Elements of `bytes` bytes, contiguous by lane. `origin` is lane 0's address even if lane 0
    /// is inactive.
    Row {
        /// A multiple of `bytes`.
        origin: u64,
        /// A power of two.
        bytes: u32,
    },
    /// Arbitrary addresses.
    Lanes(&'a Lanes64),
}

impl Addresses<'_> {
    /// Returns the address of a lane.
    #[inline(always)]
    pub fn of(&self, lane: u32) -> u64 {
        match *self {
            Self::Row { origin, bytes } => origin.wrapping_add(u64::from(bytes * lane)),
            Self::Lanes(all) => all[lane as usize & 31],
        }
    }

    /// Returns the addresses of all lanes. Those of inactive lanes have no meaning.
    #[inline(always)]
    pub fn all(&self) -> Lanes64 {
        match *self {
            Self::Row { .. } => std::array::from_fn(|lane| self.of(lane as u32)),
            Self::Lanes(all) => *all,
        }
    }

    /// Returns the pattern in the lanes of `mask`, which must not be empty.
    #[inline(always)]
    pub fn pattern(&self, mask: LaneMask) -> Pattern {
        match *self {
            Self::Row { origin, bytes } => Pattern::of_row(origin, mask, bytes),
            Self::Lanes(all) => Pattern::of(all, mask),
        }
    }
}

/// The pattern of the active lanes' addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// The address of the k-th of `count` active lanes is `first + k * step`.
    Affine {
        /// Address of the first active lane.
        first: u64,
        /// Bytes from one active lane to the next; 0 if all lanes have the same address.
        step: i64,
        /// Number of active lanes, at least one.
        count: u32,
    },
    /// Any other pattern.
    Scattered,
}

/// Returns the address of lane 0's element if the elements of the active lanes, of `bytes` bytes
/// each, are contiguous by lane. Lane 0 may be inactive.
#[inline(always)]
pub fn row(addresses: &[u64; 32], mask: LaneMask, bytes: u32) -> Option<u64> {
    match bytes {
        4 => row_of::<4>(addresses, mask),
        8 => row_of::<8>(addresses, mask),
        16 => row_of::<16>(addresses, mask),
        _ => row_of_any(addresses, mask, bytes),
    }
}

#[inline(always)]
fn row_of<const BYTES: u32>(addresses: &[u64; 32], mask: LaneMask) -> Option<u64> {
    row_of_any(addresses, mask, BYTES)
}

#[inline(always)]
fn row_of_any(addresses: &[u64; 32], mask: LaneMask, bytes: u32) -> Option<u64> {
    let first_lane = mask.trailing_zeros() & 31;
    let before = u64::from(bytes) * u64::from(first_lane);
    let origin = elsewhere(addresses)[first_lane as usize].wrapping_sub(before);
    let difference =
        |lane: usize| addresses[lane] ^ origin.wrapping_add(u64::from(bytes) * lane as u64);
    let differs = if mask == LaneMask::MAX {
        is_any_set(difference)
    } else {
        (0..32).fold(0, |all, lane| all | difference(lane) & lane_word64(mask, lane)) != 0
    };
    (!differs).then_some(origin)
}

/// Returns the same array, hidden from the compiler. The compiler would otherwise omit the
/// comparison of the first lane with itself, and its vectors would start at the second lane. They
/// would then straddle vectors that the CPU is still writing.
#[inline(always)]
fn elsewhere<T>(row: &[T; 32]) -> &[T; 32] {
    black_box(row)
}

/// Whether any bit of any lane is set. All lanes are combined in one vector; a test for zero that
/// the compiler understands becomes one test per lane.
#[inline(always)]
#[allow(clippy::needless_range_loop)] // An iterator's loop is peeled, and its vectors split.
fn is_any_set<T: Copy + Default + PartialEq + BitOr<Output = T>>(
    lane: impl Fn(usize) -> T,
) -> bool {
    let mut all = [T::default(); 8];
    for first in [0, 8, 16, 24] {
        for i in 0..8 {
            all[i] = all[i] | lane(first + i);
        }
    }
    let any = black_box(all).into_iter().reduce(BitOr::bitor);
    any != Some(T::default())
}

/// Computes [`row`] for 32-bit addresses. It may miss a row at the very end of the address space.
#[inline(always)]
pub fn row32(addresses: &Lanes32, mask: LaneMask, bytes: u32) -> Option<u64> {
    match bytes {
        4 => row32_of(addresses, mask, 4),
        8 => row32_of(addresses, mask, 8),
        16 => row32_of(addresses, mask, 16),
        _ => row32_of(addresses, mask, bytes),
    }
}

#[inline(always)]
fn row32_of(addresses: &Lanes32, mask: LaneMask, bytes: u32) -> Option<u64> {
    let first_lane = mask.trailing_zeros() & 31;
    let first = elsewhere(addresses)[first_lane as usize];
    let origin = first.wrapping_sub(bytes * first_lane);
    let difference =
        |lane: usize| addresses[lane] ^ origin.wrapping_add(bytes.wrapping_mul(lane as u32));
    let differs = if mask == LaneMask::MAX {
        is_any_set(difference)
    } else {
        (0..32).fold(0, |all, lane| all | difference(lane) & lane_word(mask, lane)) != 0
    };
    let wraps = first > u32::MAX - 32 * bytes;
    let before = u64::from(bytes * first_lane);
    (!differs && !wraps).then_some(u64::from(first).wrapping_sub(before))
}

/// For each spacing g from 1 to 31: every g-th lane, starting with lane 0.
const EVERY: [LaneMask; 32] = {
    let mut table = [1; 32];
    let mut g = 1;
    while g < 32 {
        let mut lane = 0;
        while lane < 32 {
            table[g] |= 1 << lane;
            lane += g;
        }
        g += 1;
    }
    table
};

/// Whether the active lanes are every `spacing`-th lane from `first` to `last`.
#[inline(always)]
fn evenly_spaced(mask: LaneMask, first: u32, last: u32, spacing: u32) -> bool {
    (EVERY[spacing as usize & 31] << first) & (u32::MAX >> (31 - last)) == mask
}

impl Pattern {
    /// Returns the pattern of a [`row`].
    #[inline(always)]
    pub fn of_row(origin: u64, mask: LaneMask, bytes: u32) -> Self {
        let bytes = u64::from(bytes);
        let first_lane = mask.trailing_zeros() & 31;
        let first = origin.wrapping_add(bytes * u64::from(first_lane));
        let rest = mask & mask.wrapping_sub(1);
        if rest == 0 {
            let (step, count) = (0, 1);
            return Self::Affine { first, step, count };
        }
        let spacing = (rest.trailing_zeros() & 31) - first_lane;
        if !evenly_spaced(mask, first_lane, 31 - mask.leading_zeros(), spacing) {
            return Self::Scattered;
        }
        let step = (bytes * u64::from(spacing)) as i64;
        let count = mask.count_ones();
        Self::Affine { first, step, count }
    }

    /// Finds the pattern of `addresses` in the lanes of `mask`, which must not be empty.
    #[inline(always)]
    pub fn of(addresses: &[u64; 32], mask: LaneMask) -> Self {
        let first_lane = mask.trailing_zeros() & 31;
        let first = addresses[first_lane as usize];
        let rest = mask & mask.wrapping_sub(1);
        if rest == 0 {
            return Self::Affine { first, step: 0, count: 1 };
        }
        let second_lane = rest.trailing_zeros() & 31;
        let spacing = second_lane - first_lane;
        let last_lane = 31 - mask.leading_zeros();
        let step = addresses[second_lane as usize].wrapping_sub(first) as i64;
        let even = evenly_spaced(mask, first_lane, last_lane, spacing);
        let per_lane = if spacing == 1 { step } else { step / i64::from(spacing) };
        if !even || per_lane * i64::from(spacing) != step {
            return Self::Scattered;
        }
        if is_affine(addresses, mask, first_lane, per_lane) {
            Self::Affine { first, step, count: mask.count_ones() }
        } else {
            Self::Scattered
        }
    }
}

/// Whether every active lane's address is `per_lane` bytes per lane from the first lane's.
#[inline(always)]
fn is_affine(addresses: &[u64; 32], mask: LaneMask, first_lane: u32, per_lane: i64) -> bool {
    let origin = addresses[first_lane as usize]
        .wrapping_sub((per_lane as u64).wrapping_mul(u64::from(first_lane)));
    let mut difference = 0;
    if mask == LaneMask::MAX {
        let mut expected = origin;
        for &address in addresses {
            difference |= address ^ expected;
            expected = expected.wrapping_add(per_lane as u64);
        }
    } else {
        let mut expected = origin;
        for (lane, &address) in addresses.iter().enumerate() {
            let active = u64::from(mask >> lane & 1).wrapping_neg();
            difference |= (address ^ expected) & active;
            expected = expected.wrapping_add(per_lane as u64);
        }
    }
    difference == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(mask: LaneMask, address: impl Fn(u64) -> u64, expected: Pattern) {
        let mut addresses = [0xdead_beef; 32];
        for lane in (0..32).filter(|lane| mask >> lane & 1 == 1) {
            addresses[lane as usize] = address(lane);
        }
        assert_eq!(Pattern::of(&addresses, mask), expected, "mask {mask:#x}");
    }

    #[test]
    fn finds_affine_patterns() {
        let affine = |first, step, count| Pattern::Affine { first, step, count };
        check(u32::MAX, |l| 1000 + 4 * l, affine(1000, 4, 32));
        check(u32::MAX, |l| 1000 - 8 * l, affine(1000, -8, 32));
        check(u32::MAX, |_| 64, affine(64, 0, 32));
        check(0x8000_0000, |_| 64, affine(64, 0, 1));
        check(0x0000_ff00, |l| 4 * l, affine(32, 4, 8));
        check(0x5555_5555, |l| 4 * l, affine(0, 8, 16));
        check(0x1111_1110, |l| 4 * l, affine(16, 16, 7));
        check(0x8000_0001, |l| 4 * l, affine(0, 124, 2));
    }

    #[test]
    fn rejects_the_rest() {
        check(u32::MAX, |l| l * l, Pattern::Scattered);
        check(u32::MAX, |l| 4 * (l ^ 1), Pattern::Scattered);
        check(0x0000_000b, |l| 4 * l, Pattern::Scattered);
        check(u32::MAX, |l| if l == 31 { 0 } else { 4 * l }, Pattern::Scattered);
    }
}
