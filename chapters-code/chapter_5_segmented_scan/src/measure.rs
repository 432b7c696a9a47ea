//! What measuring needs: other inputs in the same memory, and libraries that do the same work.

use std::sync::Arc;

use harness::{
    Element, Error, Measured,
    baselines::{Baselines, LibraryRun},
    inputs,
};

use crate::{
    Case, Matrix, baseline,
    problem::{
        as_many,
        reduce::{Reduced, SegmentedReduce},
        scan::{SegmentedScan, padded},
        spmv::Product,
        to_flags::ToFlags,
        to_offsets::ToOffsets,
    },
    segments::Offsets,
    sparse,
};

impl<T: Element> Measured for SegmentedReduce<T> {
    fn refill(&mut self, case: &Case) -> Result<(), Error> {
        let division = as_many(&self.division, Offsets::of_case(case)?)?;
        self.values.refill(inputs::generate(case))?;
        self.offsets.refill(division.as_slice().to_vec())?;
        (self.case, self.division) = (*case, division);
        Ok(())
    }

    fn baseline(
        &self,
        _promise: &Reduced,
        library: &Baselines,
    ) -> Result<Vec<LibraryRun<Self>>, Error> {
        baseline::reduce(self, library)
    }
}

impl<T: Element> Measured for SegmentedScan<T> {
    fn refill(&mut self, case: &Case) -> Result<(), Error> {
        let division = as_many(&self.division, Offsets::of_case(case)?)?;
        self.values.refill(inputs::generate(case))?;
        self.flags.refill(division.flags())?;
        self.bits.refill(padded(division.bits()))?;
        self.offsets.refill(division.as_slice().to_vec())?;
        (self.case, self.division) = (*case, division);
        Ok(())
    }

    fn baseline(&self, _depth: &u64, library: &Baselines) -> Result<Vec<LibraryRun<Self>>, Error> {
        baseline::scan(self, library)
    }
}

impl Measured for Product {
    fn refill(&mut self, case: &Case) -> Result<(), Error> {
        // A matrix from a file is the same with every seed.
        if let Some(kind) = case.task.matrix().filter(|&kind| kind != Matrix::File) {
            let mut matrix = sparse::made(kind, case)?;
            matrix.rows = as_many(&self.matrix.rows, matrix.rows)?;
            self.matrix = Arc::new(matrix);
        }
        self.case = *case;
        self.values.refill(self.matrix.values.clone())?;
        self.columns.refill(self.matrix.columns.clone())?;
        self.offsets.refill(self.matrix.rows.as_slice().to_vec())?;
        self.x.refill(sparse::vector(&self.matrix, case))
    }

    fn baseline(&self, _depth: &u64, library: &Baselines) -> Result<Vec<LibraryRun<Self>>, Error> {
        baseline::multiply(self, library)
    }
}

impl Measured for ToFlags {
    fn refill(&mut self, case: &Case) -> Result<(), Error> {
        let division = as_many(&self.division, Offsets::of_case(case)?)?;
        (self.case, self.division) = (*case, division);
        self.offsets.refill(self.division.as_slice().to_vec())
    }
}

impl Measured for ToOffsets {
    fn refill(&mut self, case: &Case) -> Result<(), Error> {
        let division = as_many(&self.division, Offsets::of_case(case)?.without_empty())?;
        (self.case, self.division) = (*case, division);
        self.flags.refill(self.division.flags())?;
        self.bits.refill(padded(self.division.bits()))
    }
}
