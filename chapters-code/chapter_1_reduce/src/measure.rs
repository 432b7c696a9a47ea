//! What measuring needs: other inputs in the same memory, and libraries that do the same work.

use std::{
    cell::OnceCell,
    ffi::{c_int, c_void},
    hash::Hash,
};

use harness::{
    Case, Element, Error, Measured,
    baselines::{Baselines, Call, Segments, Ways, address, dtype_code, op_code},
    inputs, operation, verify,
};

use crate::{
    problem::{Axis, Depth, MatrixReduction, Reduction},
    reference::Aggregate,
};

operation! {
    Reduce = baseline_reduce(op: c_int, dtype: c_int; from: *const c_void, to: *mut c_void, n: usize)
}

impl<T: Element> Measured for Reduction<T> {
    fn refill(&mut self, case: &Case) -> Result<(), Error> {
        self.input.refill(inputs::generate(case))?;
        self.reference = Aggregate::on_all_cores(case.op, self.input.host());
        self.case = *case;
        Ok(())
    }

    /// The reduction of the input, if the library has the operator.
    fn baseline(&self, _promise: &Depth, library: &Baselines) -> Ways<Self> {
        let (Some(op), Some(reduce)) = (op_code(self.case.op), Reduce::of(library)) else {
            return Ok(Vec::new());
        };
        let (dtype, n) = (dtype_code(self.case.dtype), self.case.elements() as usize);
        let call = Call {
            operation: "reduce",
            what: self.case.to_string(),
            output_bytes: size_of::<T::Acc>(),
            // SAFETY: device addresses of n elements and one result; nothing is touched.
            scratch_bytes: Box::new(move |way, p: &Self, to| unsafe {
                (reduce.scratch_bytes)(way, op, dtype, address(&p.device, &p.input), to, n)
            }),
            // SAFETY: as above, with the scratch that was asked for.
            run: Box::new(move |way, p, to, s| unsafe {
                let from = address(&p.device, &p.input);
                (reduce.run)(way, op, dtype, s.address, s.bytes, from, to, n, s.stream)
            }),
        };
        // Any order of additions is within the bound of the deepest.
        let expected = self.expect(&Depth::of(self.n));
        library.ways(self, call, |computed| verify::compare(computed, [expected]))
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

    /// The reduction of all rows, as segments of the same length.
    fn baseline(&self, axis: &Axis, library: &Baselines) -> Ways<Self> {
        if matches!(axis, Axis::Columns { .. }) {
            return Ok(Vec::new());
        }
        let rows = Segments::new(self.rows as usize, self.cols as usize, false);
        let arrays = move |p: &Self| (address(&p.device, &p.input), rows);
        let judge = |computed: &[u8]| {
            // Any order of additions is within the bound of the deepest.
            let expected = self.row_reference().iter().map(|row| row.expect(self.cols, 0.0));
            verify::compare::<f32>(computed, expected)
        };
        library.segmented_reduce(self, format!("{} of rows", self.case), arrays, judge)
    }
}
