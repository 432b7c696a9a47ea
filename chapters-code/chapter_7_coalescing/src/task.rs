//! What a case asks for: which accesses, and how many results they make.

use harness::{Case, Order, Records};

use crate::{BYTES_IN_FLIGHT, COPIES, GATHERS, OFFSETS, PAIRS, PARTICLES, Rung, STRIDES, broken};

/// What the rungs of one table do with an array of n elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    /// Copy it.
    Copy,
    /// Copy it shifted by so many elements; as many fall off its end.
    Offset(u64),
    /// Copy the first of each so many elements, or to there.
    Stride(u64),
    /// Add up the elements of each pair.
    Pairs,
    /// Move each particle, of eight elements, by its velocity.
    Particles,
    /// Copy it in another order.
    Gather(Order),
    /// Read it.
    BytesInFlight {
        /// Packs that a thread asks for at a time.
        loads: u32,
        /// Blocks that a multiprocessor holds at a time.
        resident: u32,
    },
}

/// What a thread has under way where nobody says otherwise, and the blocks beside its own.
const LOADS: u32 = 4;
const RESIDENT: u32 = 4;

impl Task {
    /// What a case asks for.
    pub fn of(case: &Case) -> Self {
        let p = &case.parameters;
        match (p.offset, p.stride, p.records, p.order) {
            (Some(offset), ..) => Self::Offset(offset),
            (_, Some(stride), ..) => Self::Stride(stride),
            (.., Some(Records::Pairs), _) => Self::Pairs,
            (.., Some(Records::Particles), _) => Self::Particles,
            (.., Some(order)) => Self::Gather(order),
            _ if p.loads.is_some() || p.resident.is_some() => Self::BytesInFlight {
                loads: p.loads.unwrap_or(LOADS),
                resident: p.resident.unwrap_or(RESIDENT),
            },
            _ => Self::Copy,
        }
    }

    /// Whether it is what a rung does.
    pub fn is_of(self, rung: &str) -> bool {
        let is_there = |rungs: &[Rung]| rungs.iter().any(|r| r.name == rung);
        is_there(self.rungs()) || broken::task_of(rung).is_some_and(|task| task.has_table_of(self))
    }

    fn rungs(self) -> &'static [Rung] {
        match self {
            Self::Copy => COPIES,
            Self::Offset(_) => OFFSETS,
            Self::Stride(_) => STRIDES,
            Self::Pairs => PAIRS,
            Self::Particles => PARTICLES,
            Self::Gather(_) => GATHERS,
            Self::BytesInFlight { .. } => BYTES_IN_FLIGHT,
        }
    }

    fn has_table_of(self, other: Self) -> bool {
        std::mem::discriminant(&self) == std::mem::discriminant(&other)
    }

    /// What it is called in a title.
    pub fn verb(self) -> &'static str {
        match self {
            Self::Copy | Self::Offset(_) | Self::Stride(_) => "copy",
            Self::Pairs => "sums",
            Self::Particles => "update",
            Self::Gather(_) => "permutation",
            Self::BytesInFlight { .. } => "read",
        }
    }

    /// Of an array of `n` elements, how many a kernel is told to make or change: elements, sums,
    /// particles; packs, where it reads those.
    pub fn results(self, n: u64) -> u64 {
        match self {
            Self::Copy | Self::Gather(_) => n,
            Self::Offset(offset) => n.saturating_sub(offset),
            Self::Stride(stride) => n.div_ceil(stride.max(1)),
            Self::Pairs => n / Records::Pairs.fields(),
            Self::Particles => n / Records::Particles.fields(),
            Self::BytesInFlight { .. } => n / 4,
        }
    }

    /// Bytes that must be moved for each of those.
    pub fn bytes_a_result(self) -> u64 {
        match self {
            Self::Copy | Self::Offset(_) | Self::Stride(_) => 4 + 4,
            Self::Pairs => 8 + 4,
            // Place and velocity, and the place again.
            Self::Particles => 4 * (6 + 3),
            Self::Gather(_) => 4 + 4 + 4,
            Self::BytesInFlight { .. } => 16,
        }
    }
}
