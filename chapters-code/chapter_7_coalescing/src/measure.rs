//! What measuring needs: other inputs in the same memory, and libraries that do the same work.

use std::{
    ffi::{c_int, c_void},
    hash::Hash,
};

use harness::{
    Error, Measured,
    baselines::{Baselines, Call, Ways, address},
    inputs, verify,
};

use crate::{
    Case, indices,
    problem::{Accesses, Promise, Results},
};

/// What the name of a call has if its results are spread.
const SPREAD: &str = ", offset or stride of the output";

/// `struct BaselineCopy` of baselines.h.
#[repr(C)]
#[derive(Clone, Copy)]
struct Places {
    first_in: usize,
    stride_in: usize,
    first_out: usize,
    stride_out: usize,
    adds_pairs: c_int,
}

type ScratchBytes = unsafe extern "C" fn(c_int, *const Places, usize) -> usize;
type Copy = unsafe extern "C" fn(
    c_int,
    *mut c_void,
    usize,
    *const Places,
    *const c_void,
    *mut c_void,
    usize,
    *mut c_void,
) -> c_int;

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

    /// The copy with the same result; none for all that are no copies from array to array.
    fn baseline(&self, promise: &Promise, library: &Baselines) -> Ways<Self> {
        // SAFETY: the types of baselines.h.
        let functions = unsafe {
            (
                library.function::<ScratchBytes>("baseline_copy_scratch"),
                library.function::<Copy>("baseline_copy"),
            )
        };
        let (Some(scratch_bytes), Some(copy)) = functions else {
            return Ok(Vec::new());
        };
        let (first, stride, n) = (self.offset as usize, self.stride as usize, self.n as usize);
        let dense = Places {
            first_in: first,
            stride_in: stride,
            first_out: 0,
            stride_out: 1,
            adds_pairs: 0,
        };
        let places = match promise.result {
            Results::Dense => dense,
            Results::Spread => {
                let (first_out, stride_out) = (first, stride);
                Places { first_in: 0, stride_in: 1, first_out, stride_out, adds_pairs: 0 }
            }
            Results::PairSums => Places { adds_pairs: 1, ..dense },
            _ => return Ok(Vec::new()),
        };
        let expected = self.expected(promise.result, 1);
        let call = Call {
            operation: "copy",
            what: self.case.to_string(),
            output_bytes: size_of_val(&expected[..]),
            // SAFETY: it looks at its arguments only.
            scratch_bytes: Box::new(move |way, _, _| unsafe { scratch_bytes(way, &places, n) }),
            // SAFETY: the input holds every element that the places name, and the output, as long as `expected`, every
            // result; both are in the current context.
            run: Box::new(move |way, p: &Self, to, s| unsafe {
                let from = address(&p.device, &p.input);
                copy(way, s.address, s.bytes, &places, from, to, n, s.stream)
            }),
        };
        let mut ways =
            library.ways(self, call, |computed| verify::compare_equal(computed, &expected))?;
        if promise.result == Results::Spread {
            // Loads and stores with the same offset are different work.
            ways.iter_mut().for_each(|way| way.name += SPREAD);
        }
        Ok(ways)
    }
}
