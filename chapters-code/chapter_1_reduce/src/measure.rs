//! What measuring needs: other inputs in the same memory, and libraries that do the same work.

use std::{cell::OnceCell, hash::Hash};

use harness::{
    Case, Element, Error, Measured,
    baselines::{Baselines, LibraryRun},
    inputs,
};

use crate::{
    baseline,
    problem::{Axis, Depth, MatrixReduction, Reduction},
    reference::Aggregate,
};

impl<T: Element> Measured for Reduction<T> {
    fn refill(&mut self, case: &Case) -> Result<(), Error> {
        self.input.refill(inputs::generate(case))?;
        self.reference = Aggregate::on_all_cores(case.op, self.input.host());
        self.case = *case;
        Ok(())
    }

    fn baseline(
        &self,
        _promise: &Depth,
        library: &Baselines,
    ) -> Result<Vec<LibraryRun<Self>>, Error> {
        // Any order of additions is within the bound of the deepest.
        let expected = self.expect(&Depth::of(self.n));
        baseline::reduce(self, expected, library)
    }
}

impl Measured for MatrixReduction {
    fn refill(&mut self, case: &Case) -> Result<(), Error> {
        self.case = *case;
        (self.row_reference, self.column_reference) = (OnceCell::new(), OnceCell::new());
        self.input.refill(inputs::generate(case))
    }

    fn baseline_key(axis: &Axis) -> impl Hash {
        u32::from(matches!(axis, Axis::Columns { .. }))
    }

    fn baseline(&self, axis: &Axis, library: &Baselines) -> Result<Vec<LibraryRun<Self>>, Error> {
        match axis {
            Axis::Columns { .. } => Ok(Vec::new()),
            Axis::Rows { .. } => {
                // Any order of additions is within the bound of the deepest.
                let expect = |row: &Aggregate<f32>| row.expect(self.cols, 0.0);
                let expected = self.row_reference().iter().map(expect);
                baseline::reduce_rows(self, &expected.collect::<Vec<_>>(), library)
            }
        }
    }
}
