//! How many requests a kernel makes and how many sectors they touch, by formula: nothing is run.
//!
//! The lanes of a warp take neighbouring results, so the bytes of lane l begin at a + l · d, with one a and
//! one d per request. The formulas use only a, d and the bytes of an access. Each rung's file says which
//! accesses its kernel makes.

use std::{
    iter::Sum,
    ops::{Add, Mul},
};

/// The bytes of a sector.
pub const SECTOR: u64 = 32;
/// The lanes of a warp.
pub const LANES: u64 = 32;

/// The requests of a launch and the sectors that they touch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// The memory instructions of all warps.
    pub requests: u64,
    /// The sectors of 32 bytes, each counted once per request.
    pub sectors: u64,
}

impl Add for Traffic {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { requests: self.requests + other.requests, sectors: self.sectors + other.sectors }
    }
}

impl Sum for Traffic {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::default(), Self::add)
    }
}

impl Mul<u64> for Traffic {
    type Output = Self;

    fn mul(self, times: u64) -> Self {
        Self { requests: self.requests * times, sectors: self.sectors * times }
    }
}

/// An access that lanes make together, lane l at `first` + l · `step`.
#[derive(Clone, Copy, Debug)]
pub struct Access {
    /// The address of lane 0's bytes, from the beginning of any sector.
    pub first: u64,
    /// The bytes from one lane's address to the next lane's.
    pub step: u64,
    /// The bytes of a lane, a power of two that divides `first` and `step`.
    pub bytes: u64,
}

impl Access {
    /// Words of 4 bytes side by side.
    pub const WORDS: Self = Self { first: 0, step: 4, bytes: 4 };

    /// Pairs of words, 8 bytes, side by side.
    pub const DOUBLE_WORDS: Self = Self { first: 0, step: 8, bytes: 8 };

    /// Packs of 16 bytes side by side.
    pub const PACKS: Self = Self { first: 0, step: 16, bytes: 16 };

    /// The same access, `first` bytes from the beginning of a sector.
    pub const fn at(self, first: u64) -> Self {
        Self { first, ..self }
    }

    // ANCHOR: sectors
    /// The sectors of a request by 1 to 32 lanes.
    ///
    /// Lanes that are a sector or more apart touch one sector each. Nearer lanes
    /// touch every sector between the first and the last.
    pub fn sectors(self, lanes: u64) -> u64 {
        if self.step >= SECTOR {
            return lanes;
        }
        let last = self.first + (lanes - 1) * self.step + self.bytes - 1;
        last / SECTOR - self.first / SECTOR + 1
    }

    /// The traffic where a number of threads make the access. The last warp may
    /// have fewer than 32 of them.
    ///
    /// A warp's first byte lies 32 steps behind that of the warp before, a multiple
    /// of a sector. So all whole warps touch equally many sectors.
    pub fn by_threads(self, threads: u64) -> Traffic {
        let rest = threads % LANES;
        let whole = Traffic { requests: 1, sectors: self.sectors(LANES) };
        let last = match rest {
            0 => Traffic::default(),
            lanes => Traffic { requests: 1, sectors: self.sectors(lanes) },
        };
        whole * (threads / LANES) + last
    }
    // ANCHOR_END: sectors
}

/// What a launch asks of the memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Prediction {
    /// The traffic of the loads.
    pub loads: Traffic,
    /// The traffic of the stores.
    pub stores: Traffic,
}

impl Prediction {
    /// The same traffic of loads and of stores.
    pub fn both(traffic: Traffic) -> Self {
        Self { loads: traffic, stores: traffic }
    }

    /// An update of particles that loads six fields and stores three, where `of(k)` is the traffic of field k.
    pub fn of_fields(of: impl Fn(u64) -> Traffic) -> Self {
        Self { loads: (0..6).map(&of).sum(), stores: (0..3).map(&of).sum() }
    }
}

/// The packs of the output that a shifted copy of `n` elements makes of whole packs of the input, as
/// `whole_packs` of shifted.cuh computes it.
pub fn whole_packs(n: u64, offset: u64) -> u64 {
    ((n + offset) / 4).saturating_sub(offset.div_ceil(4))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counts the sectors byte by byte.
    fn laid(access: Access, lanes: u64) -> u64 {
        let of_lane = |l: u64| (0..access.bytes).map(move |b| access.first + l * access.step + b);
        let sectors: std::collections::BTreeSet<u64> =
            (0..lanes).flat_map(of_lane).map(|byte| byte / SECTOR).collect();
        sectors.len() as u64
    }

    #[test]
    fn the_formula_is_the_definition() {
        for bytes in [1, 2, 4, 8, 16] {
            for first in (0..SECTOR).step_by(bytes as usize) {
                for step in (0..=600).step_by(bytes as usize).skip(1) {
                    let access = Access { first, step, bytes };
                    for lanes in 1..=LANES {
                        let sectors = laid(access, lanes);
                        assert_eq!(access.sectors(lanes), sectors, "{access:?} {lanes}");
                    }
                }
            }
        }
    }

    /// The rules of the page, for a whole warp and elements of 4 bytes.
    #[test]
    fn the_short_forms() {
        for offset in 0..=32 {
            let sectors = 4 + u64::from(offset % 8 != 0);
            assert_eq!(Access::WORDS.at(4 * offset).sectors(32), sectors);
        }
        for stride in 1..=64 {
            let access = Access { step: 4 * stride, ..Access::WORDS };
            assert_eq!(access.sectors(32), 32.min(4 * stride));
        }
    }
}
