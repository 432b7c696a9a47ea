//! What measuring needs: other inputs in the same memory, and libraries that do the same work.

use std::ffi::{c_int, c_void};

use harness::{
    Element, Error, Measured,
    baselines::{Baselines, Call, Ways, address, dtype_code},
    operation, verify,
};

use crate::{
    Case,
    problem::{Destination, Layout, Matrices, expected, generate},
};

/// `struct BaselineMatrices` of baselines.h.
#[repr(C)]
#[derive(Clone, Copy)]
struct Of {
    rows: usize,
    cols: usize,
    ld_in: usize,
    ld_out: usize,
    batch: usize,
}

operation! {
    Transpose = baseline_transpose(dtype: c_int; from: *const c_void, to: *mut c_void, of: *const Of)
}

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

    fn baseline(&self, _destination: &Destination, library: &Baselines) -> Ways<Self> {
        let Some(transpose) = Transpose::of(library) else { return Ok(Vec::new()) };
        if self.layout.elements() == 0 {
            return Ok(Vec::new());
        }
        let dtype = dtype_code(T::DTYPE);
        let Layout { rows, cols, ld_in, ld_out, batch } = self.layout;
        let [rows, cols, ld_in, ld_out, batch] =
            [rows, cols, ld_in, ld_out, batch].map(|n| n as usize);
        let of = Of { rows, cols, ld_in, ld_out, batch };
        let call = Call {
            operation: "transpose",
            what: format!("transpose of {} {}", self.case.shape, T::DTYPE),
            output_bytes: size_of_val(&self.expected[..]),
            // SAFETY: it looks at its arguments only.
            scratch_bytes: Box::new(move |way, p: &Self, to| unsafe {
                (transpose.scratch_bytes)(way, dtype, address(&p.device, &p.input), to, &of)
            }),
            // SAFETY: the input has `batch` matrices of `rows` rows, ld_in elements apart, and the output as many of `cols`,
            // ld_out apart; both are of the dtype, and the scratch has the bytes asked for; all are in the current context.
            run: Box::new(move |way, p, to, s| unsafe {
                let from = address(&p.device, &p.input);
                (transpose.run)(way, dtype, s.address, s.bytes, from, to, &of, s.stream)
            }),
        };
        library.ways(self, call, |computed| verify::compare_equal(computed, &self.expected))
    }
}
