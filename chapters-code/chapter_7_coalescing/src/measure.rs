//! What measuring needs: other inputs in the same memory, and libraries that do the same work.

use std::hash::Hash;

use harness::{
    Error, Measured,
    baselines::{Baselines, LibraryRun},
    inputs,
};

use crate::{
    Case, baseline, indices,
    problem::{Accesses, Promise, Results},
};

impl Measured for Accesses {
    fn verdict_depends_on_memory_only(promise: &Promise) -> bool {
        !matches!(promise.result, Results::Moved(_)) // every launch moves the particles on
    }

    fn refill(&mut self, case: &Case) -> Result<(), Error> {
        self.case = *case;
        self.input.refill(inputs::generate(case))?;
        self.indices.refill(indices::of(case))
    }

    fn baseline_key(promise: &Promise) -> impl Hash {
        match promise.result {
            Results::Spread => 1,
            Results::InPlace => 2,
            _ => 0, // of a task without offset or stride, all rungs have the same results
        }
    }

    fn baseline(
        &self,
        promise: &Promise,
        library: &Baselines,
    ) -> Result<Vec<LibraryRun<Self>>, Error> {
        baseline::copy(self, promise.result, &self.expected(promise.result, 1), library)
    }
}
