//! What measuring needs: other inputs in the same memory, and libraries that do the same work.

use std::ffi::{c_int, c_void};

use harness::{
    Element, Error, Kind, Measured,
    baselines::{Baselines, Call, Ways, address, dtype_code, op_code},
    inputs, operation,
};

use crate::{Case, problem::PrefixScan, reference::Reference};

operation! {
    Scan = baseline_scan(exclusive: c_int, op: c_int, dtype: c_int; from: *const c_void, to: *mut c_void, n: usize)
}

impl<T: Element> Measured for PrefixScan<T> {
    fn refill(&mut self, case: &Case) -> Result<(), Error> {
        self.input.refill(inputs::generate(case))?;
        self.reference = Reference::new(case, self.input.host());
        self.case = *case;
        Ok(())
    }

    /// The scan of the input, if the library has the operator.
    fn baseline(&self, _depth: &u64, library: &Baselines) -> Ways<Self> {
        let case = self.case;
        let (Some(op), Some(scan)) = (op_code(case.op), Scan::of(library)) else {
            return Ok(Vec::new());
        };
        let exclusive = c_int::from(case.task.kind == Kind::Exclusive);
        let (dtype, n) = (dtype_code(case.dtype), case.elements() as usize);
        let call = Call {
            operation: "scan",
            what: case.to_string(),
            output_bytes: case.input_bytes() as usize,
            // SAFETY: device addresses of n elements each; nothing is touched.
            scratch_bytes: Box::new(move |way, p: &Self, to| unsafe {
                (scan.scratch_bytes)(way, exclusive, op, dtype, address(&p.device, &p.input), to, n)
            }),
            // SAFETY: as above, with the scratch that was asked for.
            run: Box::new(move |way, p, to, s| unsafe {
                let from = address(&p.device, &p.input);
                (scan.run)(way, exclusive, op, dtype, s.address, s.bytes, from, to, n, s.stream)
            }),
        };
        library.ways(self, call, |computed| {
            // Any order of additions is within the bound of the deepest.
            self.reference.judge(self.n, self.input.host(), bytemuck::cast_slice(computed))
        })
    }
}
