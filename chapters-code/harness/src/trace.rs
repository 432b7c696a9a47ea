//! One run of a rung on the simulator with every warp's steps kept, for figures that are drawn from
//! what a kernel did.

use std::sync::{Mutex, PoisonError};

use serde::Deserialize;

use crate::{
    Case, Chapter, Device, Error, RungInfo,
    ladder::{self, Once},
    plan,
    simulator::Report,
};

/// A run that was traced.
#[derive(Clone, Debug)]
pub struct Traced {
    /// The rung.
    pub rung: RungInfo,
    /// What it ran on.
    pub case: Case,
    /// Its launches, each with its trace.
    pub report: Report,
}

/// Runs a rung once, with a trace, on blocks of so many threads where that is asked for. A broken
/// rung runs on the operator, type and input that bring out its fault.
///
/// # Errors
/// Where there is no such rung, or none for the case; where the kernel is stopped, is wrong without
/// being declared so, or is declared wrong and was not caught; where it does too much for a trace.
pub fn run(
    device: &Device,
    chapter: &dyn Chapter,
    kernel: &str,
    case: &Case,
    block: Option<u32>,
) -> Result<Traced, Error> {
    let rung = plan::rung(chapter, kernel)?;
    let case = Case {
        shape: case.shape,
        block,
        ..chapter.case_for(rung.name, case)
    };
    if let Some(refusal) = chapter.refusal(rung.name, &case) {
        return Err(Error::Usage(plan::reason(rung.name, refusal, &case)));
    }
    let simulator = device.simulator().ok_or_else(|| {
        Error::Usage("only the simulator traces\n  remedy: use `--device sim`".into())
    })?;
    let mut problem = chapter.problem(device, &case)?;
    if let Some(threads) = block {
        problem.set_block(threads)?;
    }
    let mut operation = problem.operation(rung.name)?;
    // The simulator's options and reports are the whole process's.
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let alone = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    simulator.set(c"trace", 1);
    let once = ladder::once(device, &mut *operation);
    simulator.set(c"trace", 0);
    drop(alone);
    let Once {
        verdict, report, ..
    } = once?;
    let fail = |cause: String| {
        Err(Error::Trace {
            kernel: rung.name.into(),
            case: chapter.title(&case),
            cause,
        })
    };
    let mut failures = verdict.failures.iter();
    match failures.find(|failure| !rung.caught_by.contains(&failure.by)) {
        Some(failure) => return fail(failure.message.clone()),
        None if rung.is_broken() && verdict.failures.is_empty() => {
            return fail("it is declared broken, and nothing noticed".into());
        }
        None => {}
    }
    let dropped: u64 = report.traces().map(|trace| trace.dropped).sum();
    if dropped > 0 {
        let kept: usize = report.traces().map(|trace| trace.events.len()).sum();
        return fail(format!(
            "it does too much for a trace, which holds {kept} events and lacks {dropped}\n  remedy: a \
             smaller size"
        ));
    }
    Ok(Traced { rung, case, report })
}

/// What the warps of a launch did.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct Trace {
    /// In the order of execution.
    pub events: Vec<Event>,
    /// Events for which there was no room.
    pub dropped: u64,
}

/// Where something happened.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Place {
    /// The block's number in the grid.
    pub block: u64,
    /// The warp's number in the block.
    pub warp: u32,
    /// Source file and line, `file.cu:12`.
    pub line: String,
}

/// One thing that a warp did.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    /// An instruction was issued; what else it did follows.
    Instruction {
        /// The instruction.
        #[serde(flatten)]
        place: Place,
        /// Its kind: `arithmetic`, `branch`, `load`, `store`, …
        class: String,
        /// The lanes that execute it, lane 0 in the lowest bit.
        active: u32,
    },
    /// A load, store or atomic went to global or shared memory.
    Access {
        /// The instruction.
        #[serde(flatten)]
        place: Place,
        /// What went where.
        #[serde(flatten)]
        access: MemoryAccess,
    },
    /// Lanes read one another's registers.
    Shuffle {
        /// The instruction.
        #[serde(flatten)]
        place: Place,
        /// The lanes that take part.
        lanes: u32,
        /// For each of them, the lane that it reads; its own where the source is out of range.
        sources: Vec<u32>,
        /// For each of them, the bits that it had before.
        values: Vec<u32>,
    },
    /// A block's barrier let these warps pass.
    BarrierPassed {
        /// The block's number in the grid.
        block: u64,
        /// The warps.
        warps: Vec<u32>,
    },
    /// `__syncwarp` let these lanes pass.
    WarpSynchronised {
        /// The block's number in the grid.
        block: u64,
        /// The warp's number in the block.
        warp: u32,
        /// The lanes.
        lanes: u32,
    },
}

/// A memory instruction of a warp.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct MemoryAccess {
    /// `load`, `store` or `atomic`.
    pub access: String,
    /// `global` or `shared`.
    pub space: String,
    /// Bytes that each lane touches.
    pub bytes: u32,
    /// The shared array's name in the PTX; empty for global memory.
    pub array: String,
    /// The address at which that array, or the first lane's allocation, begins.
    pub base: u64,
    /// Bytes of that allocation; 0 for shared memory.
    pub allocation_bytes: u64,
    /// The lanes that access it.
    pub lanes: u32,
    /// For each of them, a device address, or an offset in the block's shared memory.
    pub addresses: Vec<u64>,
    /// For each of them, the bits of the elements that it loads or stores; empty for atomics.
    pub values: Vec<Vec<u64>>,
    /// Sectors of global memory, or wavefronts of shared memory, that the counters add for it.
    pub cost: u64,
}
