//! From the command line's options to what runs on what, refused before anything runs.

use strsim::levenshtein;

use crate::{AnyCase, AnyChapter, AnyRung, Options, TypeOptions, runner::Step, terminal};
use harness::{Case, Device, Dtype, Error, Op, Refusal, Shape, task::Columns};

/// The rungs that the options ask for, in the ladder's order.
pub(crate) fn select(chapter: &dyn AnyChapter, options: &Options) -> Result<Vec<AnyRung>, Error> {
    for name in &options.kernel {
        rung(chapter, name)?;
    }
    let known = chapter.rungs();
    let named = |rung: &AnyRung| options.kernel.iter().any(|name| name == rung.name);
    // A command that names a broken rung means that one, not all.
    let also_broken = options.broken && !known.iter().any(|rung| rung.is_broken() && named(rung));
    let wanted = |rung: &AnyRung| match rung.is_broken() {
        true => also_broken || named(rung),
        false => options.kernel.is_empty() || named(rung),
    };
    Ok(known.into_iter().filter(wanted).collect())
}

/// The rung of this name.
pub(crate) fn rung(chapter: &dyn AnyChapter, name: &str) -> Result<AnyRung, Error> {
    let known = chapter.rungs();
    let found = known.iter().copied().find(|rung| rung.name == name);
    found.ok_or_else(|| unknown(chapter, name, &known))
}

fn unknown(chapter: &dyn AnyChapter, name: &str, known: &[AnyRung]) -> Error {
    let names = || known.iter().map(|rung| rung.name);
    let nearest = names().min_by_key(|known| levenshtein(name, known));
    // With more than a third of the letters wrong it is another word.
    let meant = nearest.filter(|known| 3 * levenshtein(name, known) <= known.len());
    let meant = meant.map_or(String::new(), |known| format!("; did you mean `{known}`?"));
    let all = format!("  remedy: use one of {}", names().collect::<Vec<_>>().join(", "));
    let all = terminal::wrap(&all, terminal::width(), 4);
    Error::Usage(format!(
        "there is no kernel `{name}` in {}{meant}\n  {}",
        chapter.name(),
        all.trim_end()
    ))
}

/// Every combination of the sizes, types, operators, inputs and tasks that are asked for, each
/// once.
pub(crate) fn cases(
    shapes: &[Shape],
    types: &TypeOptions,
    tasks: &[Columns],
    seed: u64,
) -> Vec<AnyCase> {
    let first = Case { seed, ..AnyCase::vector(0, Dtype::F32, Op::Sum) };
    let cases = vary(vec![first], shapes, |case, shape| Case { shape, ..case });
    let cases = vary(cases, &types.dtype, |case, dtype| Case { dtype, ..case });
    let cases = vary(cases, &types.op, |case, op| Case { op, ..case });
    let cases = vary(cases, &types.input, |case, input| Case { input, ..case });
    vary(cases, tasks, |case, task| Case { task, ..case })
}

/// Every case with each of the values in its turn.
fn vary<T: Clone>(
    cases: Vec<AnyCase>,
    values: &[T],
    set: impl Fn(AnyCase, T) -> AnyCase,
) -> Vec<AnyCase> {
    let mut varied = Vec::new();
    for case in cases {
        for case in values.iter().map(|value| set(case.clone(), value.clone())) {
            if !varied.contains(&case) {
                varied.push(case);
            }
        }
    }
    varied
}

/// A case and what runs on it: one table.
pub(crate) struct Group {
    pub(crate) case: AnyCase,
    pub(crate) steps: Vec<Step>,
    pub(crate) notes: Vec<String>,
}

/// Which rung runs on which case. Refused where a case has no rung at all; of the default sizes,
/// those with no rung are left out, as long as there is another.
pub(crate) fn plan(
    chapter: &dyn AnyChapter,
    options: &Options,
    rungs: &[AnyRung],
    cases: &[AnyCase],
    device: &Device,
) -> Result<Vec<Group>, Error> {
    let (groups, empty): (Vec<_>, Vec<_>) = cases
        .iter()
        .map(|case| group(chapter, options, rungs, case, device))
        .partition(|group| !group.steps.is_empty() || !group.notes.is_empty());
    let stands_in = |case: &AnyCase, other: &AnyCase| {
        options.elements.is_empty() && Case { shape: case.shape, ..other.clone() } == *case
    };
    for Group { case, .. } in &empty {
        if !groups.iter().any(|group| stands_in(case, &group.case)) {
            return Err(nothing_runs(chapter, options, rungs, case));
        }
    }
    Ok(groups)
}

fn group(
    chapter: &dyn AnyChapter,
    options: &Options,
    rungs: &[AnyRung],
    case: &AnyCase,
    device: &Device,
) -> Group {
    let (major, minor) = device.properties.compute_capability;
    let (mut steps, mut notes) = (Vec::new(), Vec::new());
    let (mut refused, mut left_out) = (Vec::new(), Vec::new());
    let by_name = !options.kernel.is_empty();
    for &rung in rungs {
        let (case, target) = (chapter.case_for(rung.name, case), rung.target());
        match chapter.refusal(rung.name, &case) {
            Some(refusal @ Refusal::LeftOut(_)) => left_out.push(reason(&rung, &refusal, &case)),
            Some(refusal) => refused.push(reason(&rung, &refusal, &case)),
            None if rung.is_endless && !device.is_simulated() => notes.push(format!(
                "{} is left out: it would never end on a GPU; `--device sim` runs it",
                rung.name
            )),
            None if !by_name && target > (10 * major + minor) as u32 => notes.push(format!(
                "{} is left out: it needs compute capability {}.{}, and this device has \
                 {major}.{minor}",
                rung.name,
                target / 10,
                target % 10,
            )),
            None if !by_name && case.elements() > rung.max_elements => notes.push(format!(
                "{} is left out above {} elements, where it takes long; `--kernel {}` runs it",
                rung.name, rung.max_elements, rung.name
            )),
            None => steps.push(Step { rung, case }),
        }
    }
    if !steps.is_empty() {
        notes.extend(left_out);
    }
    // A command that names a rung and a size asks for both: say why the one does not go with the other.
    if by_name && !options.elements.is_empty() && !steps.is_empty() {
        notes.extend(refused);
    }
    Group { case: case.clone(), steps, notes }
}

/// Why a rung does not run on a case, and what does.
pub(crate) fn reason(rung: &AnyRung, refusal: &Refusal, case: &AnyCase) -> String {
    let name = rung.name;
    match refusal {
        Refusal::NoKernel => format!("{name} has no {} of {}", case.op, case.dtype),
        Refusal::Unsuited(why) | Refusal::LeftOut(why) => format!("{name} {why}"),
    }
}

/// Why a case has no rung, and what has one.
fn nothing_runs(
    chapter: &dyn AnyChapter,
    options: &Options,
    rungs: &[AnyRung],
    case: &AnyCase,
) -> Error {
    let names: Vec<_> = rungs.iter().map(|rung| rung.name).collect();
    let (who, [has, runs]) = match &names[..] {
        [one] => (one.to_string(), ["does not have", "does not run"]),
        _ if options.kernel.is_empty() => ("no rung".into(), ["has", "runs"]),
        several => (format!("none of {}", several.join(", ")), ["has", "runs"]),
    };
    let (op, dtype) = (case.op, case.dtype);
    let refusal = |rung: &AnyRung| chapter.refusal(rung.name, case);
    let lacks_kernel = |rung: &AnyRung| refusal(rung) == Some(Refusal::NoKernel);
    if rungs.iter().any(lacks_kernel)
        && let Some(there) = made_for(chapter, rungs, case)
    {
        let what = format!("{who} {has} this operator and type: {op} of {dtype}");
        return Error::usage(what, there);
    }
    let mut reasons: Vec<_> =
        rungs.iter().filter_map(|rung| Some(reason(rung, &refusal(rung)?, case))).collect();
    reasons.truncate(3);
    let (title, reasons) = (chapter.title(case), reasons.join("\n          "));
    Error::usage(format!("{who} {runs} on {title}"), reasons)
}

/// For which types the rungs have a case's operator, and which operators its type; none if the
/// fault lies elsewhere.
fn made_for(chapter: &dyn AnyChapter, rungs: &[AnyRung], case: &AnyCase) -> Option<String> {
    let runs = |case: AnyCase| rungs.iter().any(|rung| chapter.refusal(rung.name, &case).is_none());
    let (op, dtype) = (case.op, case.dtype);
    let dtypes = Dtype::ALL.into_iter();
    let dtypes = join(dtypes.filter(|&dtype| runs(Case { dtype, ..case.clone() })));
    let ops = Op::ALL.into_iter();
    let ops = join(ops.filter(|&op| runs(Case { op, ..case.clone() })));
    let mut there = Vec::new();
    if !dtypes.is_empty() {
        there.push(format!("{op} is there for {dtypes}"));
    }
    if !ops.is_empty() {
        there.push(format!("{dtype} has {ops}"));
    }
    (!there.is_empty()).then(|| there.join("; "))
}

fn join<T: ToString>(names: impl Iterator<Item = T>) -> String {
    let names: Vec<_> = names.map(|name| name.to_string()).collect();
    names.join(", ")
}

/// Refuses a case that does not fit, before anything runs, and says what would.
pub(crate) fn check_memory(
    chapter: &dyn AnyChapter,
    device: &Device,
    case: &AnyCase,
) -> Result<(), Error> {
    let (needed, free) = (chapter.bytes_on(device, case), device.free_bytes()?);
    if needed <= free {
        return Ok(());
    }
    let bytes = |n| {
        let shape = Shape::Vector { n };
        chapter.bytes_on(device, &Case { shape, ..case.clone() })
    };
    let fits = most_that_fit(bytes, free, case.elements());
    Err(Error::Memory { case: chapter.title(case), needed, free, fits })
}

/// How many elements, fewer than `too_many`, take no more than `free` bytes. More elements take no fewer
/// bytes.
fn most_that_fit(bytes: impl Fn(u64) -> u64, free: u64, mut too_many: u64) -> u64 {
    let mut fit = 0;
    while too_many > fit + 1 {
        let middle = fit + (too_many - fit) / 2;
        match bytes(middle) <= free {
            true => fit = middle,
            false => too_many = middle,
        }
    }
    fit
}

#[cfg(test)]
mod tests {
    use super::most_that_fit;

    #[test]
    fn what_would_fit_does_and_one_more_does_not() {
        for (each, fixed) in [(1, 0), (4, 64), (9, 1 << 26)] {
            let bytes = |n| fixed + each * n;
            let fit = most_that_fit(bytes, 1 << 30, 1 << 40);
            assert!(bytes(fit) <= 1 << 30 && bytes(fit + 1) > 1 << 30, "{fit}");
        }
        assert_eq!(most_that_fit(|n| n + 10, 5, 100), 0); // not even nothing
    }
}
