//! From the command line's options to what runs on what, refused before anything runs.

use crate::{Case, Chapter, Device, Error, Options, TypeOptions, ladder::RungInfo, runner::Step};

/// The rungs that the options ask for, in the ladder's order.
pub(crate) fn select(chapter: &dyn Chapter, options: &Options) -> Result<Vec<RungInfo>, Error> {
    let known = chapter.rungs();
    for name in &options.kernel {
        if !known.iter().any(|rung| rung.name == name) {
            let names: Vec<_> = known.iter().map(|rung| rung.name).collect();
            return Err(Error::Usage(format!(
                "there is no kernel `{name}` in {}\n  remedy: use one of {}",
                chapter.name(),
                names.join(", ")
            )));
        }
    }
    let wanted = |rung: &RungInfo| match options.kernel.is_empty() {
        true => options.broken || !rung.is_broken(),
        false => {
            options.kernel.iter().any(|name| name == rung.name)
                || (options.broken && rung.is_broken())
        }
    };
    Ok(known.into_iter().filter(wanted).collect())
}

/// Every combination of the sizes, types, operators and inputs that are asked for.
pub(crate) fn cases(
    chapter: &dyn Chapter,
    options: &Options,
    types: &TypeOptions,
    device: &Device,
) -> Vec<Case> {
    let default = chapter.default_shapes(device);
    let shapes = if options.elements.is_empty() {
        &default
    } else {
        &options.elements
    };
    let mut cases = Vec::new();
    for &shape in shapes {
        for &dtype in &types.dtype {
            for &op in &types.op {
                for &input in &types.input {
                    cases.push(Case {
                        shape,
                        dtype,
                        op,
                        input,
                        seed: options.seed,
                    });
                }
            }
        }
    }
    cases
}

/// A case and what runs on it: one table.
pub(crate) struct Group {
    pub(crate) case: Case,
    pub(crate) steps: Vec<Step>,
    pub(crate) notes: Vec<String>,
}

/// Which rung runs on which case; refused where a case has no rung at all, or a rung that was asked
/// for by name no case.
pub(crate) fn plan(
    chapter: &dyn Chapter,
    options: &Options,
    rungs: &[RungInfo],
    cases: &[Case],
) -> Result<Vec<Group>, Error> {
    let mut groups = Vec::new();
    for &case in cases {
        let mut group = Group {
            case,
            steps: Vec::new(),
            notes: Vec::new(),
        };
        let mut refusals = Vec::new();
        for &rung in rungs {
            let case = chapter.case_for(rung.name, &case);
            let too_slow = options.kernel.is_empty() && case.elements() > rung.most_elements;
            match chapter.refusal(rung.name, &case) {
                Some(reason) => refusals.push(reason),
                None if too_slow => group.notes.push(format!(
                    "{} is left out above {} elements, where it takes long; `--kernel {}` runs it",
                    rung.name, rung.most_elements, rung.name
                )),
                None => group.steps.push(Step { rung, case }),
            }
        }
        if group.steps.is_empty() && group.notes.is_empty() {
            refusals.dedup();
            let reasons = refusals.join("\n  ");
            return Err(Error::Usage(format!(
                "no rung runs on {case}:\n  {reasons}"
            )));
        }
        if !options.kernel.is_empty() {
            group.notes.extend(refusals);
        }
        groups.push(group);
    }
    Ok(groups)
}

/// Refuses a case that does not fit, before anything runs, and says what would.
pub(crate) fn check_memory(
    chapter: &dyn Chapter,
    device: &Device,
    case: &Case,
) -> Result<(), Error> {
    let (needed, free) = (chapter.device_bytes(case), device.free_bytes()?);
    if needed <= free {
        return Ok(());
    }
    let per_element = needed as f64 / case.elements().max(1) as f64;
    let fits = (free as f64 / per_element) as u64;
    Err(Error::Memory {
        case: case.to_string(),
        needed,
        free,
        fits,
    })
}
