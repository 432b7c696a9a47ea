//! One run of a rung on the simulator with every warp's steps kept, for figures that are drawn from
//! what a kernel did; and how a rung would be launched, for the line below its listing.

use std::sync::{Mutex, PoisonError};

use cudarc::driver::LaunchConfig;
use harness::{Case, Device, Error, Outcome, Rung, simulator::Report};

use crate::{Chapter, plan};

/// A run that was traced.
#[derive(Clone, Debug)]
pub struct Traced {
    /// The rung.
    pub rung: Rung,
    /// What it ran on.
    pub case: Case,
    /// Its launches, each with its trace.
    pub report: Report,
}

/// Runs a rung once, with a trace, in blocks of `block` threads where `block` is given. A broken rung runs on
/// the operator, type and input that bring out its fault.
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
    let (rung, case) = resolved(chapter, kernel, case, block)?;
    let simulator = device.simulator().ok_or_else(|| {
        Error::Usage("only the simulator traces\n  remedy: use `--device sim`".into())
    })?;
    let mut problem = chapter.problem(device, &case)?;
    // The simulator's options and reports are the whole process's.
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let alone = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    simulator.set(c"trace", 1);
    let outcome = problem.run_rung(rung.name, None, &[]);
    simulator.set(c"trace", 0);
    drop(alone);
    let Outcome { verdict, report, .. } = outcome?;
    let fail = |cause: String| {
        Err(Error::Trace { kernel: rung.name.into(), case: chapter.title(&case), cause })
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

/// The rung of this name, and the case that it runs on where `case` is asked for, in blocks of `block` threads where
/// `block` is given.
fn resolved(
    chapter: &dyn Chapter,
    kernel: &str,
    case: &Case,
    block: Option<u32>,
) -> Result<(Rung, Case), Error> {
    let rung = plan::rung(chapter, kernel)?;
    let case = Case { shape: case.shape, block, ..chapter.case_for(&rung, case) };
    if let Some(refusal) = rung.refusal(&case) {
        return Err(Error::Usage(plan::reason(&rung, &refusal, &case)));
    }
    Ok((rung, case))
}

/// How a rung's kernel is launched: blocks, threads of a block, bytes of dynamic shared memory. The rung is
/// prepared and not run.
///
/// # Errors
/// Where there is no such rung, or none for the case.
pub fn config(
    device: &Device,
    chapter: &dyn Chapter,
    kernel: &str,
    case: &Case,
    block: Option<u32>,
) -> Result<LaunchConfig, Error> {
    let (rung, case) = resolved(chapter, kernel, case, block)?;
    chapter.problem(device, &case)?.config(rung.name)
}
