//! What is run, in which order: chapter by chapter, and last what is run once and not timed.

use harness::{task::Columns, verify::Checker};
use record::rungs_for;
use recording::Skipped;
use report::{AnyChapter, AnyRung, Planned, Scope, runner::Step};

use crate::file;

/// The steps of one case.
pub(crate) struct Part {
    /// Whose rungs they are.
    pub(crate) chapter: &'static dyn AnyChapter,
    /// The case, in words.
    pub(crate) name: String,
    /// What is run.
    pub(crate) steps: Vec<Step>,
    /// Rungs that are left out, because they take too long there.
    pub(crate) skipped: Vec<Skipped>,
    /// Whether it is timed; broken kernels are only run.
    pub(crate) is_timed: bool,
}

/// Everything that is to be run, of one device or of several.
pub(crate) fn parts(scope: Scope, is_of_several: bool) -> Vec<Part> {
    let (mut parts, mut once) = (Vec::new(), Vec::new());
    for &chapter in chapters::ALL {
        let planned = chapter.recorded(scope).into_iter();
        for planned in planned.filter(|planned| planned.is_of_several == is_of_several) {
            let part = part(chapter, planned);
            // What is not timed takes long, and comes last.
            if part.is_timed { parts.push(part) } else { once.push(part) }
        }
    }
    parts.append(&mut once);
    parts
}

/// The steps that are planned for a case.
fn part(chapter: &'static dyn AnyChapter, planned: Planned<Columns>) -> Part {
    let Planned { case, rungs, is_timed, .. } = planned;
    let (mut steps, mut skipped) = (Vec::new(), Vec::new());
    for rung in rungs_for(chapter, &case) {
        if !rungs.is_empty() && !rungs.contains(&rung.name) {
            continue;
        }
        if case.elements() <= rung.max_elements {
            steps.push(Step { rung, case: case.clone() });
        } else if is_timed {
            skipped.push(file::too_large_for_rung(rung.name, &case));
        }
    }
    Part { name: chapter.title(&case), chapter, steps, skipped, is_timed }
}

/// The broken kernels of every chapter of one device: to be run last, and last of all those that stop the device, which
/// then takes no more work. On the simulator these are left out, and there are fewer elements: a chain of thousands of
/// blocks that wait for one another takes billions of instructions.
pub(crate) fn broken_parts(scope: Scope) -> Vec<Part> {
    let is_trial = scope == Scope::Trial;
    let n = if is_trial { 1 << 16 } else { 1 << 20 };
    let mut parts = Vec::new();
    parts.extend(chapters::ALL.iter().map(|chapter| broken(*chapter, n, |rung| !stops(rung))));
    if !is_trial {
        parts.extend(chapters::ALL.iter().map(|chapter| broken(*chapter, n, stops)));
    }
    parts.retain(|part| !part.steps.is_empty());
    parts
}

/// Whether a rung may stop the device: nothing but a fault, or a guard zone, shows what is wrong with it.
fn stops(rung: &AnyRung) -> bool {
    rung.caught_by.contains(&Checker::Fault) && !rung.caught_by.contains(&Checker::Races)
}

/// The broken rungs of one device that `is_wanted` picks, each on what brings out its fault; not those that would never
/// end.
fn broken(chapter: &'static dyn AnyChapter, n: u64, is_wanted: impl Fn(&AnyRung) -> bool) -> Part {
    let cases = chapter.broken_cases(n);
    // Each on the first case that it is for.
    let step = |rung: AnyRung| {
        let mut own = cases.iter().map(|case| chapter.case_for(rung.name, case));
        let case = own.find(|case| {
            chapter.devices(case) == 1 && chapter.refusal(rung.name, case).is_none()
        })?;
        Some(Step { rung, case })
    };
    let rungs = chapter.rungs().into_iter();
    let broken = rungs.filter(|rung| rung.is_broken() && !rung.is_endless && is_wanted(rung));
    let steps = broken.filter_map(step).collect();
    Part { name: "broken".into(), steps, skipped: Vec::new(), is_timed: false, chapter }
}
