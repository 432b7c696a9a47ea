//! A rung in a CUDA graph: captured once, then replayed on other inputs in the same memory.

use harness::{
    Case, Device, Error,
    verify::{Checker, Failure, Verdict},
};

use crate::Chapter;

/// Captures a launch of a rung on the first case, and replays it on the inputs of the others. Gives the verdict
/// of each replay. The cases differ only in the values of their inputs.
///
/// # Errors
/// [`Error::Driver`] where a launch cannot be captured or replayed, and those of [`Chapter::problem`].
pub fn replays(
    chapter: &dyn Chapter,
    device: &Device,
    rung: &str,
    cases: &[Case],
) -> Result<Vec<Verdict>, Error> {
    let device = device.with_own_stream()?;
    let Some((first, others)) = cases.split_first() else {
        return Ok(Vec::new());
    };
    chapter.problem(&device, first)?.replays(rung, others)
}

/// What is wrong with the replays of a rung, on a case with other seeds. (The first replay is the first run of what was
/// captured, so there is a second one.)
///
/// # Errors
/// As [`replays`].
pub fn failure(
    chapter: &dyn Chapter,
    device: &Device,
    rung: &str,
    case: &Case,
) -> Result<Option<Failure>, Error> {
    let cases = [0, 1, 2].map(|more| Case { seed: case.seed.wrapping_add(more), ..*case });
    let verdicts = replays(chapter, device, rung, &cases)?;
    let first = verdicts.into_iter().flat_map(|verdict| verdict.failures).next();
    Ok(first.map(|failure| Failure { by: Checker::Replay, ..failure }))
}
