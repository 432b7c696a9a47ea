//! One run of a rung on the simulator with every warp's steps kept, for figures that are drawn from
//! what a kernel did; and how a rung would be launched, for the line below its listing.

use cudarc::driver::LaunchConfig;
use harness::simulator::{Counters, RecordedOperation, Recording, Report, Simulator};
use harness::verify::Checker;
use harness::{AnyProblem, Case, Device, Error, Input, Outcome, Shape};

use crate::{AnyCase, AnyChapter, AnyRung, plan};

/// A run that was traced.
#[derive(Clone, Debug)]
pub struct Traced {
    /// The rung.
    pub rung: AnyRung,
    /// What it ran on.
    pub case: AnyCase,
    /// Its launches, each with its trace.
    pub report: Report,
}

/// Runs a rung once, with a trace, in blocks of `block` threads where `block` is given. `schedule` is the seed
/// of the order in which warps and blocks run. A broken rung runs on the operator, type and input that bring out its fault.
///
/// # Errors
/// If there is no such rung, or none for the case; if the kernel is stopped, is wrong without
/// being declared so, or is declared wrong and was not caught; if it does too much for a trace.
pub fn run(
    device: &Device,
    chapter: &dyn AnyChapter,
    kernel: &str,
    case: &AnyCase,
    block: Option<u32>,
    schedule: u32,
) -> Result<Traced, Error> {
    let (rung, case) = resolved(chapter, kernel, case, block)?;
    let simulator = simulator(device)?;
    let session = simulator.session(|_| ())?;
    let mut problem = chapter.problem(device, &case)?;
    session.change(|options| {
        options.trace = true;
        options.seed = schedule.into();
        // A figure names blocks, and shows them as they start on an idle device.
        options.starts_in_order = true;
        options.quiet = true;
    })?;
    let outcome = problem.run_rung(rung.name, None, &[])?;
    drop(session);
    let fail = |cause: String| {
        Err(Error::Trace { kernel: rung.name.into(), case: chapter.title(&case), cause })
    };
    if let Some(cause) = unexpected(&rung, &outcome) {
        return fail(cause);
    }
    let report = outcome.report;
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

/// Runs a rung once, and returns what the simulator counted in all its launches and the bytes that the operation must move.
///
/// # Errors
/// If there is no such rung, or none for the case; if the kernel is stopped or is wrong without being declared so.
pub fn count(
    device: &Device,
    chapter: &dyn AnyChapter,
    kernel: &str,
    case: &AnyCase,
    block: Option<u32>,
) -> Result<(Counters, u64), Error> {
    let (rung, case) = resolved(chapter, kernel, case, block)?;
    let session = simulator(device)?.session(|options| {
        // The counters of blocks that wait for each other depend on how many threads run them.
        options.threads = 1;
        options.quiet = true;
    })?;
    let outcome = chapter.problem(device, &case)?.run_rung(rung.name, None, &[])?;
    drop(session);
    if let Some(cause) = unexpected(&rung, &outcome) {
        return Err(Error::Trace { kernel: rung.name.into(), case: chapter.title(&case), cause });
    }
    let mut counters = Counters::default();
    for launch in &outcome.report.launches {
        counters += launch.counters.unwrap_or_default();
    }
    Ok((counters, outcome.traffic.bytes()))
}

fn simulator(device: &Device) -> Result<&Simulator, Error> {
    let refused = || Error::usage("only the simulator traces", "use `--device sim`");
    device.simulator().ok_or_else(refused)
}

/// What is wrong with the outcome of a rung that the rung does not declare.
fn unexpected(rung: &AnyRung, outcome: &Outcome) -> Option<String> {
    let mut failures = outcome.verdict.failures.iter();
    // One launch cannot show what goes wrong when it is replayed.
    let is_noticeable = rung.caught_by.iter().any(|by| *by != Checker::Replay);
    match failures.find(|failure| !rung.caught_by.contains(&failure.by)) {
        Some(failure) => Some(failure.message.clone()),
        None if is_noticeable && outcome.verdict.failures.is_empty() => {
            Some("it is declared broken, and nothing noticed".into())
        }
        None => None,
    }
}

/// A run of which all is known that executes it again.
#[derive(Clone, Debug)]
pub struct Recorded {
    /// The rung.
    pub rung: AnyRung,
    /// What it ran on.
    pub case: AnyCase,
    /// What the run counted and found, without a trace.
    pub report: Report,
    /// What the simulator executed, from the preparation of the rung to the judge, who reads the results.
    pub recording: Recording,
    /// What the judge reads after a correct rung has run on the same problem; for a broken rung only.
    pub right: Vec<RecordedOperation>,
}

/// The cases that a rung can be recorded on where `case` is asked for: first the nearest to it. A broken rung need not
/// show its fault on them, except for the last, whose operator, type, size and input bring it out.
///
/// # Errors
/// If there is no such rung, or none for the case.
pub fn cases(
    chapter: &dyn AnyChapter,
    kernel: &str,
    case: &AnyCase,
) -> Result<Vec<AnyCase>, Error> {
    let rung = plan::rung(chapter, kernel)?;
    let adapted = chapter.case_for(rung.name, case);
    if let Some(refusal) = chapter.refusal(rung.name, &adapted) {
        return Err(Error::Usage(plan::reason(&rung, &refusal, &adapted)));
    }
    let shape = match (case.shape, adapted.shape) {
        (Shape::Vector { .. }, Shape::Vector { .. }) => case.shape,
        // A matrix may have parameters that go with its shape.
        _ => adapted.shape,
    };
    let input = if adapted.input == Input::Uniform { case.input } else { adapted.input };
    let near = Case { input, ..adapted.clone() };
    let mut cases = vec![Case { shape, ..near.clone() }, near, adapted];
    cases.dedup();
    cases.retain(|case| chapter.refusal(rung.name, case).is_none());
    Ok(cases)
}

/// Runs a rung once, on one thread of the host, and records what the simulator executes. Races are looked for where a
/// broken rung shows by them.
///
/// # Errors
/// If there is no such rung; if the kernel is stopped or is wrong without being declared so, or is declared wrong
/// and was not caught.
pub fn record(
    device: &Device,
    chapter: &dyn AnyChapter,
    kernel: &str,
    case: &AnyCase,
) -> Result<Recorded, Error> {
    let rung = plan::rung(chapter, kernel)?;
    let simulator = simulator(device)?;
    let _alone = simulator.session(|_| ())?;
    let mut problem = chapter.problem(device, case)?;
    let run = |problem: &mut dyn AnyProblem, rung: &AnyRung| {
        simulator.record()?;
        let session = simulator.session(|options| {
            options.races = rung.caught_by.contains(&Checker::Races);
            // The counters of blocks that wait for each other depend on how many threads run them.
            options.threads = 1;
            options.quiet = true;
        })?;
        let outcome = problem.run_rung(rung.name, None, &[]);
        drop(session);
        Ok::<_, Error>((outcome?, simulator.take_recording()?))
    };
    let mut right = Vec::new();
    if rung.is_broken() {
        let correct =
            |other: &AnyRung| !other.is_broken() && chapter.refusal(other.name, case).is_none();
        if let Some(other) = chapter.rungs().iter().find(|other| correct(other)) {
            let (outcome, recording) = run(&mut *problem, other)?;
            if outcome.verdict.is_correct() {
                right = recording.operations;
                right.retain(|operation| matches!(operation, RecordedOperation::Read { .. }));
            }
        }
    }
    let (outcome, recording) = run(&mut *problem, &rung)?;
    if let Some(cause) = unexpected(&rung, &outcome) {
        let (kernel, case) = (rung.name.into(), chapter.title(case));
        return Err(Error::Trace { kernel, case, cause });
    }
    Ok(Recorded { rung, case: case.clone(), report: outcome.report, recording, right })
}

/// The rung of this name, and the case that it runs on where `case` is asked for, in blocks of `block` threads where
/// `block` is given.
fn resolved(
    chapter: &dyn AnyChapter,
    kernel: &str,
    case: &AnyCase,
    block: Option<u32>,
) -> Result<(AnyRung, AnyCase), Error> {
    let rung = plan::rung(chapter, kernel)?;
    let case = Case { shape: case.shape, block, ..chapter.case_for(rung.name, case) };
    if let Some(refusal) = chapter.refusal(rung.name, &case) {
        return Err(Error::Usage(plan::reason(&rung, &refusal, &case)));
    }
    Ok((rung, case))
}

/// How a rung's kernel is launched: blocks, threads of a block, bytes of dynamic shared memory. The rung is
/// prepared and not run.
///
/// # Errors
/// If there is no such rung, or none for the case.
pub fn config(
    device: &Device,
    chapter: &dyn AnyChapter,
    kernel: &str,
    case: &AnyCase,
    block: Option<u32>,
) -> Result<LaunchConfig, Error> {
    let (rung, case) = resolved(chapter, kernel, case, block)?;
    let _alone = simulator(device)?.session(|_| ())?;
    chapter.problem(device, &case)?.config(rung.name)
}
