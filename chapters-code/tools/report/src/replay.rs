//! A rung in a CUDA graph: captured once, then replayed on other inputs in the same memory.

use harness::{Case, Device, Error, verify::Verdict};

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
