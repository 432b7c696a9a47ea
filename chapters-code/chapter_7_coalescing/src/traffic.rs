//! How many requests a kernel makes and how many sectors they touch, by formula: nothing is run.
//!
//! A warp's lanes take neighbouring results, so lane l's bytes begin at a + l · d, with one a and one d
//! for a request. All that the formulas know of a kernel is those two, and the bytes of an access.

use std::ops::{Add, Mul};

use harness::Case;

use crate::{Task, bytes_in_flight, indices, particles::FIELDS};

/// Bytes of a sector.
pub const SECTOR: u64 = 32;
/// Lanes of a warp.
pub const LANES: u64 = 32;

/// Requests, and the sectors that they touch, all taken together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Instructions of a warp.
    pub requests: u64,
    /// Sectors of 32 bytes, counted once a request.
    pub sectors: u64,
}

impl Add for Traffic {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            requests: self.requests + other.requests,
            sectors: self.sectors + other.sectors,
        }
    }
}

/// All of them together.
fn sum(of: impl Iterator<Item = Traffic>) -> Traffic {
    of.fold(Traffic::default(), Traffic::add)
}

impl Mul<u64> for Traffic {
    type Output = Self;

    fn mul(self, times: u64) -> Self {
        Self {
            requests: self.requests * times,
            sectors: self.sectors * times,
        }
    }
}

/// An access that lanes make together, lane l at `first` + l · `step`.
#[derive(Clone, Copy, Debug)]
pub struct Access {
    /// Where lane 0's bytes begin, from the beginning of any sector.
    pub first: u64,
    /// Bytes from one lane's to the next's.
    pub step: u64,
    /// Bytes of a lane, a power of two that divides `first` and `step`.
    pub bytes: u64,
}

impl Access {
    /// Words of 4 bytes side by side.
    pub const WORDS: Self = Self {
        first: 0,
        step: 4,
        bytes: 4,
    };

    /// Packs of 16 bytes side by side.
    pub const PACKS: Self = Self {
        first: 0,
        step: 16,
        bytes: 16,
    };

    /// The same, so many bytes later.
    pub const fn at(self, first: u64) -> Self {
        Self { first, ..self }
    }

    // ANCHOR: sectors
    /// Sectors of a request by so many lanes, 1 to 32.
    ///
    /// Lanes a sector or more apart have each a sector of their own. Nearer lanes
    /// leave no sector out between the first and the last.
    pub fn sectors(self, lanes: u64) -> u64 {
        if self.step >= SECTOR {
            return lanes;
        }
        let last = self.first + (lanes - 1) * self.step + self.bytes - 1;
        last / SECTOR - self.first / SECTOR + 1
    }

    /// What the access costs where so many threads make it: whole warps, and one
    /// that is not.
    ///
    /// A warp's first byte lies 32 steps behind that of the warp before, a multiple
    /// of a sector: all whole warps touch equally many.
    pub fn by_threads(self, threads: u64) -> Traffic {
        let rest = threads % LANES;
        let whole = Traffic {
            requests: 1,
            sectors: self.sectors(LANES),
        };
        let last = match rest {
            0 => Traffic::default(),
            lanes => Traffic {
                requests: 1,
                sectors: self.sectors(lanes),
            },
        };
        whole * (threads / LANES) + last
    }
    // ANCHOR_END: sectors
}

/// What a rung asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Prediction {
    /// Of loads.
    pub loads: Traffic,
    /// Of stores.
    pub stores: Traffic,
}

/// What a rung asks for on a case; `multiprocessors` of the device decide how many threads read. None for
/// a rung that is not in the tables of what is right.
pub fn predicted(rung: &str, case: &Case, multiprocessors: u64) -> Option<Prediction> {
    let n = case.elements();
    let results = Task::of(case).results(n);
    match Task::of(case) {
        Task::Copy => copied(rung, n),
        Task::Offset(offset) => shifted(rung, results, offset),
        Task::Stride(stride) => strided(rung, results, stride),
        Task::Pairs => added(rung, results),
        Task::Particles => moved(rung, results),
        Task::Gather(_) => permuted(rung, case),
        Task::BytesInFlight { resident, .. } => {
            let threads = u64::from(bytes_in_flight::THREADS * resident) * multiprocessors;
            Some(Prediction {
                loads: Access::PACKS.by_threads(results),
                stores: Access::WORDS.by_threads(threads),
            })
        }
    }
}

/// The same on both sides.
fn both(traffic: Traffic) -> Option<Prediction> {
    Some(Prediction {
        loads: traffic,
        stores: traffic,
    })
}

/// Accesses of `bytes` side by side, and the rest, fewer elements than an access has, one by one.
fn copied(rung: &str, n: u64) -> Option<Prediction> {
    let bytes = match rung {
        "scalar" => 4,
        "vec2" => 8,
        "packs" | "four_packs" => 16,
        // What a bulk copy moves passes through no load or store.
        "bulk" => return both(Access::WORDS.by_threads(n % 4)),
        _ => return None,
    };
    let wide = Access {
        first: 0,
        step: bytes,
        bytes,
    };
    both(wide.by_threads(n * 4 / bytes) + Access::WORDS.by_threads(n % (bytes / 4)))
}

fn shifted(rung: &str, n: u64, offset: u64) -> Option<Prediction> {
    let words = Access::WORDS;
    let shifted = words.at(4 * offset % SECTOR);
    let packs = match rung {
        "offset_loads" => {
            let (loads, stores) = (shifted.by_threads(n), words.by_threads(n));
            return Some(Prediction { loads, stores });
        }
        "offset_stores" => {
            let (loads, stores) = (words.by_threads(n), shifted.by_threads(n));
            return Some(Prediction { loads, stores });
        }
        "four_loads" => n / 4,
        "two_packs" | "shuffled" => whole_packs(n, offset),
        _ => return None,
    };
    // What is no pack goes one by one, behind the packs.
    let rest = n - 4 * packs;
    let behind = |from: u64| words.at(4 * (from + 4 * packs) % SECTOR).by_threads(rest);
    Some(Prediction {
        loads: packs_loaded(rung, packs, offset) + behind(offset),
        stores: Access::PACKS.by_threads(packs) + behind(0),
    })
}

/// The loads of so many packs that lie `offset` elements behind aligned ones.
fn packs_loaded(rung: &str, packs: u64, offset: u64) -> Traffic {
    let aligned = |pack: u64| Access::PACKS.at(16 * pack % SECTOR).by_threads(packs);
    let low = offset / 4;
    match rung {
        "four_loads" => sum((0..4).map(|k| {
            let kth = Access {
                first: 4 * (offset + k) % SECTOR,
                step: 16,
                bytes: 4,
            };
            kth.by_threads(packs)
        })),
        _ if offset.is_multiple_of(4) => aligned(low),
        "two_packs" => aligned(low) + aligned(low + 1),
        // The last lane of each warp loads one pack more.
        _ => {
            let one = Traffic {
                requests: 1,
                sectors: 1,
            };
            aligned(low) + one * packs.div_ceil(LANES)
        }
    }
}

/// `whole_packs` of shifted.cuh.
pub(crate) fn whole_packs(n: u64, offset: u64) -> u64 {
    ((n + offset) / 4).saturating_sub(offset.div_ceil(4))
}

fn strided(rung: &str, n: u64, stride: u64) -> Option<Prediction> {
    let words = Access::WORDS.by_threads(n);
    let apart = Access {
        first: 0,
        step: 4 * stride,
        bytes: 4,
    };
    let apart = apart.by_threads(n);
    match rung {
        "strided_loads" => Some(Prediction {
            loads: apart,
            stores: words,
        }),
        "strided_stores" => Some(Prediction {
            loads: words,
            stores: apart,
        }),
        _ => None,
    }
}

fn added(rung: &str, pairs: u64) -> Option<Prediction> {
    let of = |bytes, first| Access {
        first,
        step: 8,
        bytes,
    };
    let loads = match rung {
        "two_loads" | "past_l1" | "read_only" => {
            of(4, 0).by_threads(pairs) + of(4, 4).by_threads(pairs)
        }
        "one_load" => of(8, 0).by_threads(pairs),
        _ => return None,
    };
    Some(Prediction {
        loads,
        stores: Access::WORDS.by_threads(pairs),
    })
}

/// Six fields of a particle are loaded, and three stored.
fn moved(rung: &str, n: u64) -> Option<Prediction> {
    let record = |first, bytes| Access {
        first,
        step: 4 * FIELDS,
        bytes,
    };
    let fields = |of: &dyn Fn(u64) -> Traffic| Prediction {
        loads: sum((0..6).map(of)),
        stores: sum((0..3).map(of)),
    };
    match rung {
        "aos" => Some(fields(&|k| record(4 * k, 4).by_threads(n))),
        "aos_packs" => Some(Prediction {
            loads: record(0, 16).by_threads(n) + record(16, 16).by_threads(n),
            stores: record(0, 16).by_threads(n),
        }),
        "aos_staged" => both(Access::PACKS.by_threads(2 * n)),
        "soa_packs" if n.is_multiple_of(4) => Some(fields(&|k| {
            Access::PACKS.at(4 * k * n % SECTOR).by_threads(n / 4)
        })),
        "soa" | "soa_packs" => Some(fields(&|k| {
            Access::WORDS.at(4 * k * n % SECTOR).by_threads(n)
        })),
        // The last group is as wide as it has particles.
        "aosoa" => Some(fields(&|k| {
            let rest = n % LANES;
            let last = Access::WORDS.at(4 * k * rest % SECTOR).by_threads(rest);
            Access::WORDS.by_threads(n - rest) + last
        })),
        _ => None,
    }
}

/// The indices themselves are asked for in order; what they say decides the rest.
fn permuted(rung: &str, case: &Case) -> Option<Prediction> {
    let n = case.elements();
    let words = Access::WORDS.by_threads(n);
    let indices = indices::of(case);
    if rung == "gather_four" {
        let (packs, rest) = indices.split_at(indices.len() / 4 * 4);
        let side_by_side = Access::PACKS.by_threads(n / 4) + Access::WORDS.by_threads(n % 4);
        return Some(Prediction {
            loads: side_by_side + indices::traffic_of_several(packs, 4) + indices::traffic(rest),
            stores: side_by_side,
        });
    }
    let apart = indices::traffic(&indices);
    match rung {
        "gather" | "gather_read_only" => Some(Prediction {
            loads: words + apart,
            stores: words,
        }),
        "scatter" => Some(Prediction {
            loads: words + words,
            stores: apart,
        }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sectors, by laying every byte.
    fn laid(access: Access, lanes: u64) -> u64 {
        let of_lane = |l: u64| (0..access.bytes).map(move |b| access.first + l * access.step + b);
        let sectors: std::collections::BTreeSet<u64> = (0..lanes)
            .flat_map(of_lane)
            .map(|byte| byte / SECTOR)
            .collect();
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
            let access = Access {
                step: 4 * stride,
                ..Access::WORDS
            };
            assert_eq!(access.sectors(32), 32.min(4 * stride));
        }
    }
}
