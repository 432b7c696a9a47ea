//! A rung in a CUDA graph: captured once, then replayed on other inputs in the same memory.

use harness::{
    Case, Device, Error,
    verify::{Checker, Failure},
};

use crate::{AnyCase, AnyChapter};

/// What is wrong with the replays of a rung, on a case with other seeds. (The first replay is the first run of what was
/// captured, so there is a second one.)
///
/// # Errors
/// As [`AnyChapter::replays`].
pub(crate) fn failure(
    chapter: &dyn AnyChapter,
    device: &Device,
    rung: &str,
    case: &AnyCase,
) -> Result<Option<Failure>, Error> {
    let cases = [0, 1, 2].map(|more| Case { seed: case.seed.wrapping_add(more), ..case.clone() });
    let verdicts = chapter.replays(device, rung, &cases)?;
    let first = verdicts.into_iter().flat_map(|verdict| verdict.failures).next();
    Ok(first.map(|failure| Failure { by: Checker::Replay, ..failure }))
}
