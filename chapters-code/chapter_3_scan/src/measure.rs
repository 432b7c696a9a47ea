//! What measuring needs: other inputs in the same memory, and libraries that do the same work.

use harness::{
    Element, Error, Measured,
    baselines::{Baselines, LibraryRun},
    inputs,
};

use crate::{Case, baseline, problem::PrefixScan, reference::Reference};

impl<T: Element> Measured for PrefixScan<T> {
    fn refill(&mut self, case: &Case) -> Result<(), Error> {
        self.input.refill(inputs::generate(case))?;
        self.reference = Reference::new(case, self.input.host());
        self.case = *case;
        Ok(())
    }

    fn baseline(&self, _depth: &u64, library: &Baselines) -> Result<Vec<LibraryRun<Self>>, Error> {
        let judge = |results: &[T]| {
            // Any order of additions is within the bound of the deepest.
            self.reference.judge(self.n, self.input.host(), results)
        };
        baseline::scan(self, judge, library)
    }
}
