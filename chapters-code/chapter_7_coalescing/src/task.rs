//! What a case asks for: which accesses, and how many results they make.

use harness::{Parameter, Traffic, Value, shape::parse_count};

use crate::{Order, Records, patterns};

/// What a rung does with an array of n elements.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Task {
    /// Copy it.
    #[default]
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
    /// The loads of a thread, and the blocks of a multiprocessor, that a read has in flight; four each for other tasks.
    pub fn in_flight(self) -> (u32, u32) {
        match self {
            Self::BytesInFlight { loads, resident } => (loads, resident),
            _ => (4, 4),
        }
    }

    /// The records whose fields the elements are, if they are.
    pub fn records(self) -> Option<Records> {
        match self {
            Self::Pairs => Some(Records::Pairs),
            Self::Particles => Some(Records::Particles),
            _ => None,
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

impl harness::Task for Task {
    const PARAMETERS: &'static [Parameter<Self>] = &[
        Parameter::new(
            "offset",
            "Only shifted copies: by how many elements; several, comma separated",
            |task: &Self| match *task {
                Self::Offset(offset) => Some(offset.into()),
                _ => None,
            },
            |_, text| Ok(Self::Offset(count(text)?)),
        )
        .value_name("COUNT")
        .label(|task| match task {
            Self::Offset(offset) => Some(format!("offset {offset}")),
            _ => None,
        })
        .lab(&["1", "2", "8", "32"], ""),
        Parameter::new(
            "stride",
            "Only strided copies: every how many elements one is copied; several, comma separated",
            |task: &Self| match *task {
                Self::Stride(stride) => Some(stride.into()),
                _ => None,
            },
            |_, text| Ok(Self::Stride(count(text)?)),
        )
        .value_name("COUNT")
        .label(|task| match task {
            Self::Stride(stride) => Some(format!("stride {stride}")),
            _ => None,
        })
        .lab(&["1", "2", "8", "32"], ""),
        Parameter::new(
            "records",
            "Only records: sums of pairs, or updates of particles; both, comma separated",
            |task: &Self| task.records().map(Value::text),
            |_, text| Ok(patterns::records(text.parse()?)),
        )
        .option("layout")
        .value_name("LAYOUT")
        .named::<Records>()
        .label(|task| task.records().map(|records| records.to_string()))
        .lab(&["pairs", "particles"], ""),
        Parameter::new(
            "order",
            "Only permutations: ascending, random, sorted, or the length of the windows in which elements are \
             shuffled; several, comma separated",
            |task: &Self| match task {
                Self::Gather(order) => Some(Value::text(order)),
                _ => None,
            },
            |_, text| Ok(Self::Gather(text.parse()?)),
        )
        .option("index-order")
        .value_name("ORDER")
        .label(|task| match task {
            Self::Gather(Order::Within(window)) => Some(format!("shuffled within {window}")),
            Self::Gather(order) => Some(format!("{order} order")),
            _ => None,
        })
        .lab(&["ascending", "32", "random", "sorted"], ""),
        Parameter::new(
            "loads",
            "Only reads: packs of 16 bytes that a thread asks for at a time, 1, 2, 4 or 8; several, comma \
             separated [default: 4]",
            |task: &Self| match *task {
                Self::BytesInFlight { loads, .. } => Some(loads.into()),
                _ => None,
            },
            |task, text| Ok(patterns::reads(small(text)?, task.in_flight().1)),
        )
        .option("loads-per-thread")
        .value_name("COUNT")
        .label(|task| match task {
            Self::BytesInFlight { loads, .. } => Some(format!("{loads} loads per thread")),
            _ => None,
        })
        .lab(&["1", "2", "4", "8"], ""),
        Parameter::new(
            "resident",
            "Only reads: blocks that a multiprocessor holds at a time, 1 to 8; several, comma separated \
             [default: 4]",
            |task: &Self| match *task {
                Self::BytesInFlight { resident, .. } => Some(resident.into()),
                _ => None,
            },
            |task, text| Ok(patterns::reads(task.in_flight().0, small(text)?)),
        )
        .value_name("COUNT")
        .label(|task| match task {
            Self::BytesInFlight { resident, .. } => {
                Some(format!("{resident} blocks per multiprocessor"))
            }
            _ => None,
        })
        .lab(&["1", "2", "4", "8"], ""),
    ];
}

fn count(text: &str) -> Result<u64, String> {
    parse_count(text).map_err(|error| error.to_string())
}

fn small(text: &str) -> Result<u32, String> {
    text.parse().map_err(|_| "this is a whole number from 1 to 8; write for example 4".into())
}
