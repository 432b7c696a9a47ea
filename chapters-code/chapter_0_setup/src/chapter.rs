//! The chapter as the report runs it: which rungs there are, in how much memory.

use harness::{Case, Device, Dtype, Op, Posed, Rung, Suite, rung::rungs};
use report::{Chapter, Planned, Scope};

use crate::{problem::Vectors, vectors};

/// Chapter 0.
#[derive(Clone, Copy, Debug, Default)]
pub struct Setup;

impl Chapter for Setup {
    type Task = ();
    const NAME: &'static str = "chapter_0_setup";
    const SUMMARY: &'static str =
        "Chapter 0, setup: the first kernel, and the ceilings of this device";
    const HAS_TYPES: bool = false;

    fn rungs(&self) -> Vec<Rung> {
        rungs(&vectors())
    }

    fn title(&self, case: &Case) -> String {
        format!("vectors of {} {}", case.shape, case.dtype)
    }

    fn device_bytes(&self, case: &Case) -> u64 {
        // Three vectors, and room for the driver.
        3 * case.input_bytes() + (64 << 20)
    }

    fn problem(&self, device: &Device, case: &Case) -> Posed<()> {
        Ok(Suite::boxed(Vectors::new(device, case)?, vectors()))
    }

    /// Its rungs are not replayed.
    fn replay_cases(&self) -> Vec<Case> {
        Vec::new()
    }

    fn recorded(&self, scope: Scope) -> Vec<Planned<()>> {
        let sums = scope.sizes().into_iter().map(|n| Case::vector(n, Dtype::F32, Op::Sum));
        sums.map(Planned::all).collect()
    }
}
