//! The chapter as the report runs it: which rungs there are, in how much memory.

use harness::{AnySuite, Case, Device, Dtype, Error, Op, Rung, Suite, rung::rungs};
use report::{Chapter, Planned, Scope, planned::vector};

use crate::{problem::Vectors, vectors};

/// Chapter 0.
#[derive(Clone, Copy, Debug, Default)]
pub struct Setup;

impl Chapter for Setup {
    type Task = ();

    fn name(&self) -> &'static str {
        "chapter_0_setup"
    }

    fn summary(&self) -> &'static str {
        "Chapter 0, setup: the first kernel, and the ceilings of this device"
    }

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

    fn problem(&self, device: &Device, case: &Case) -> Result<Box<dyn AnySuite<()>>, Error> {
        Ok(Suite::boxed(Vectors::new(device, case)?, vectors()))
    }

    /// Its rungs are not replayed.
    fn replay_cases(&self) -> Vec<Case> {
        Vec::new()
    }

    fn recorded(&self, scope: Scope) -> Vec<Planned<()>> {
        let sums = scope.sizes().into_iter().map(|n| vector(n, Dtype::F32, Op::Sum));
        sums.map(Planned::all).collect()
    }
}
