//! What measuring needs: other inputs in the same memory, and libraries that do the same work.

use std::{
    ffi::{c_int, c_void},
    mem,
    rc::Rc,
    sync::Arc,
};

use harness::{
    Element, Error, Kind, Measured, Task as _,
    baselines::{Baselines, Call, Segments, Ways, address, dtype_code, op_code},
    buffer, inputs, operation,
};
use rayon::prelude::*;

use crate::{
    Case, Matrix,
    problem::{
        as_many,
        reduce::{Reduced, SegmentedReduce},
        scan::{SegmentedScan, padded},
        spmv::Product,
        to_flags::ToFlags,
        to_offsets::ToOffsets,
    },
    reference,
    segments::Offsets,
    sparse,
};

operation! {
    Scan = baseline_segmented_scan(exclusive: c_int, op: c_int, dtype: c_int; from: *const c_void,
        segments: *const Segments, to: *mut c_void, n: usize)
}

/// The number and length of the segments, as a library wants to know them, without the arrays.
fn segments(division: &Offsets) -> Segments {
    let offsets = division.as_slice();
    let mut lengths = offsets.windows(2).map(|ends| (ends[1] - ends[0]) as usize);
    let first = lengths.next().unwrap_or_default();
    let length = if lengths.all(|length| length == first) { first } else { 0 };
    Segments::new(division.count(), length, offsets.windows(2).any(|ends| ends[0] == ends[1]))
}

/// Keys that change at every head: bytes, the narrowest type of keys.
fn keys(division: &Offsets) -> Vec<u8> {
    const PART: usize = 1 << 20; // flags that one core turns into keys at a time
    let mut keys = division.flags();
    let heads = |flags: &[u8]| flags.iter().fold(0, |key, flag| key ^ flag);
    let heads: Vec<u8> = keys.par_chunks(PART).map(heads).collect();
    let before = heads.iter().scan(0, |key, head| Some(mem::replace(key, *key ^ head)));
    let before: Vec<u8> = before.collect();
    keys.par_chunks_mut(PART).zip(before).for_each(|(keys, mut last)| {
        for key in keys {
            last ^= *key;
            *key = last;
        }
    });
    keys
}

/// `struct BaselineSparse`, of device addresses.
#[repr(C)]
#[derive(Clone, Copy)]
struct Sparse {
    values: *const c_void,
    columns: *const c_void,
    offsets: *const c_void,
    x: *const c_void,
    rows: usize,
    cols: usize,
    entries: usize,
}

operation! {
    Multiply = baseline_multiply(dtype: c_int; matrix: *const Sparse, to: *mut c_void)
}

impl<T: Element> Measured for SegmentedReduce<T> {
    fn refill(&mut self, case: &Case) -> Result<(), Error> {
        let division = as_many(&self.division, Offsets::of_case(case)?)?;
        self.values.refill(inputs::generate(case))?;
        self.offsets.refill(division.as_slice().to_vec())?;
        (self.case, self.division) = (*case, division);
        Ok(())
    }

    fn baseline(&self, _promise: &Reduced, library: &Baselines) -> Ways<Self> {
        let keys = buffer::to_device(&self.device, &keys(&self.division))?;
        let known = segments(&self.division);
        let arrays = move |p: &Self| {
            let (keys, offsets) = (address(&p.device, &keys), address(&p.device, &p.offsets));
            (address(&p.device, &p.values), Segments { keys, offsets, ..known })
        };
        let what = format!("{}{}", self.case, self.case.task.label());
        // Any order of operations is within the bound of the deepest.
        library.segmented_reduce(self, what, arrays, |computed| {
            self.expected(self.n).judge_reduce(computed)
        })
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

    fn baseline(&self, _depth: &u64, library: &Baselines) -> Ways<Self> {
        let case = self.case;
        let (Some(op), Some(scan)) = (op_code(case.op), Scan::of(library)) else {
            return Ok(Vec::new());
        };
        let (dtype, n) = (dtype_code(case.dtype), self.n as usize);
        let exclusive = c_int::from(case.task.kind() == Kind::Exclusive);
        let keys = buffer::to_device(&self.device, &keys(&self.division))?;
        let known = segments(&self.division);
        let segments = Rc::new(move |p: &Self| Segments {
            keys: address(&p.device, &keys),
            bits: address(&p.device, &p.bits),
            offsets: address(&p.device, &p.offsets),
            ..known
        });
        let same_segments = segments.clone();
        let call = Call {
            operation: "segmented_scan",
            what: format!("{case}{}", case.task.label()),
            output_bytes: size_of::<T>() * n,
            // SAFETY: device addresses of n elements each; nothing is touched.
            scratch_bytes: Box::new(move |way, p: &Self, to| unsafe {
                let from = address(&p.device, &p.values);
                (scan.scratch_bytes)(way, exclusive, op, dtype, from, &segments(p), to, n)
            }),
            // SAFETY: as above, with the scratch that was asked for.
            run: Box::new(move |way, p, to, s| unsafe {
                let (from, segments) = (address(&p.device, &p.values), same_segments(p));
                let (address, bytes, stream) = (s.address, s.bytes, s.stream);
                (scan.run)(
                    way, exclusive, op, dtype, address, bytes, from, &segments, to, n, stream,
                )
            }),
        };
        // Any order of operations is within the bound of the deepest.
        let judge = |computed: &[u8]| self.expected(self.n).judge_scan(case.task.kind(), computed);
        library.ways(self, call, judge)
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

    fn baseline(&self, _depth: &u64, library: &Baselines) -> Ways<Self> {
        let Some(multiply) = Multiply::of(library) else {
            return Ok(Vec::new());
        };
        let case = self.case;
        let (dtype, rows, entries) = (dtype_code(case.dtype), self.rows as usize, self.n as usize);
        let matrix = move |p: &Self| Sparse {
            values: address(&p.device, &p.values),
            columns: address(&p.device, &p.columns),
            offsets: address(&p.device, &p.offsets),
            x: address(&p.device, &p.x),
            rows,
            cols: p.x.host().len(),
            entries,
        };
        let call = Call {
            operation: "multiply",
            what: format!("{case}{}", case.task.label()),
            output_bytes: 4 * rows,
            // SAFETY: device addresses of arrays that large; nothing is touched.
            scratch_bytes: Box::new(move |way, p: &Self, to| unsafe {
                (multiply.scratch_bytes)(way, dtype, &matrix(p), to)
            }),
            // SAFETY: as above, with the scratch that was asked for.
            run: Box::new(move |way, p, to, s| unsafe {
                (multiply.run)(way, dtype, s.address, s.bytes, &matrix(p), to, s.stream)
            }),
        };
        // Any order of additions is within the bound of the deepest.
        library.ways(self, call, |computed| {
            let deepest = entries as u64 + 1;
            reference::judge_product(&self.matrix, self.x.host(), deepest, computed)
        })
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Also where one core follows another.
    #[test]
    fn keys_change_at_every_head() {
        let lengths = [3, 0, 1 << 20, 1, 1, (1 << 20) - 4, 5];
        let division = Offsets::of_lengths(lengths).expect("they are few");
        let lengths = lengths.into_iter().filter(|&length| length > 0);
        let of_segment = |(s, length)| std::iter::repeat_n((s + 1) as u8 % 2, length as usize);
        let expected: Vec<u8> = lengths.enumerate().flat_map(of_segment).collect();
        assert!(keys(&division) == expected);
    }
}
