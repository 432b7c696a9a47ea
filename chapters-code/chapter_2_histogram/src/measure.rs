//! What measuring needs: other inputs in the same memory, and libraries that do the same work.

use harness::{
    Error, Measured,
    baselines::{Baselines, LibraryRun},
};

use crate::{
    Case, baseline, inputs,
    problem::Counting,
    reference::{Key, histogram_on_all_cores},
};

impl<K: Key> Measured for Counting<K> {
    fn refill(&mut self, case: &Case) -> Result<(), Error> {
        self.keys.refill(inputs::keys(case, &self.bins))?;
        self.reference = histogram_on_all_cores(self.keys.host(), &self.bins);
        self.case = *case;
        Ok(())
    }

    fn baseline(&self, _promise: &(), library: &Baselines) -> Result<Vec<LibraryRun<Self>>, Error> {
        baseline::histogram(self, &self.reference, library)
    }
}
