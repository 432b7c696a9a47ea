//! What a case asks for: which accesses, and how many results they make.

use crate::{AccessParameters, Order, Records, reads};
use harness::{Case, ChapterParameters, Traffic};

/// What a rung does with an array of n elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    /// Copy it.
    Copy,
    /// Copy it shifted by a number of elements. As many at one end are not copied.
    Offset(u64),
    /// Copy one element per stride, or to one element per stride.
    Stride(u64),
    /// Add the elements of each pair.
    Pairs,
    /// Move each particle, of eight elements, by its velocity.
    Particles,
    /// Copy it in another order.
    Gather(Order),
    /// Read it.
    BytesInFlight {
        /// The packs that a thread loads at a time.
        loads: u32,
        /// The blocks that a multiprocessor holds at a time.
        resident: u32,
    },
}

impl Task {
    /// What a case asks for.
    pub fn of(case: &Case) -> Self {
        let p = AccessParameters::of(case);
        match (p.offset, p.stride, p.records, p.order) {
            (Some(offset), ..) => Self::Offset(offset),
            (_, Some(stride), ..) => Self::Stride(stride),
            (.., Some(Records::Pairs), _) => Self::Pairs,
            (.., Some(Records::Particles), _) => Self::Particles,
            (.., Some(order)) => Self::Gather(order),
            _ if p.loads.is_some() || p.resident.is_some() => {
                let (loads, resident) = reads::in_flight(case);
                Self::BytesInFlight { loads, resident }
            }
            _ => Self::Copy,
        }
    }

    /// Whether another task is of the same kind, whatever its offset, stride, order or loads.
    pub fn is_like(self, other: Self) -> bool {
        std::mem::discriminant(&self) == std::mem::discriminant(&other)
    }

    /// The word for the task in a title.
    pub fn verb(self) -> &'static str {
        match self {
            Self::Copy | Self::Offset(_) | Self::Stride(_) => "copy",
            Self::Pairs => "sums",
            Self::Particles => "update",
            Self::Gather(_) => "permutation",
            Self::BytesInFlight { .. } => "read",
        }
    }

    /// The number of results that a kernel makes of `n` elements: elements, sums, particles, or the packs
    /// that it reads.
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

    /// The bytes that a product must move, by its number of results.
    pub fn traffic(self, results: u64) -> Traffic {
        let (read, written) = match self {
            Self::Copy | Self::Offset(_) | Self::Stride(_) => (4, 4),
            Self::Pairs => (8, 4),
            // Position and velocity are loaded, and the position is stored.
            Self::Particles => (4 * 6, 4 * 3),
            Self::Gather(_) => (4 + 4, 4),
            Self::BytesInFlight { .. } => (16, 0),
        };
        Traffic { read: read * results, written: written * results }
    }
}
