//! What measuring needs: other inputs in the same memory, and libraries that do the same work.

use harness::{
    Element, Error, Measured,
    baselines::{Baselines, LibraryRun},
};

use crate::{
    Case, baseline,
    problem::{Destination, Matrices, expected, generate},
};

impl<T: Element> Measured for Matrices<T> {
    fn verdict_depends_on_memory_only(destination: &Destination) -> bool {
        *destination == Destination::Output // in place, every second launch undoes the first
    }

    fn refill(&mut self, case: &Case) -> Result<(), Error> {
        self.input.refill(generate(case, &self.layout))?;
        self.expected = expected(&self.layout, self.input.host());
        self.case = *case;
        Ok(())
    }

    fn baseline(
        &self,
        _destination: &Destination,
        library: &Baselines,
    ) -> Result<Vec<LibraryRun<Self>>, Error> {
        baseline::transpose(self, library)
    }
}
