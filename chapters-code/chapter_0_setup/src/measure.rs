//! What measuring needs: other inputs in the same memory, and libraries that do the same work.

use harness::{Case, Error, Measured};

use crate::problem::{Vectors, generate};

impl Measured for Vectors {
    fn refill(&mut self, case: &Case) -> Result<(), Error> {
        let [a, b] = generate(case);
        self.case = *case;
        self.a.refill(a)?;
        self.b.refill(b)
    }
}
