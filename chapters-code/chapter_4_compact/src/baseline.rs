//! The same compaction by a baseline library, through `baseline_select` and `baseline_partition` of baselines.h.

use std::ffi::{c_int, c_void};

use harness::{
    By, Error,
    baselines::{Addresses, BaselineRun, Baselines, Call, Scratch, dtype_code},
    uploaded::Uploaded,
};

use crate::{
    chapter::Expected,
    layout::{HEADER, Layout},
};

/// Device addresses of what both functions get.
struct Places {
    data: *const c_void,
    /// Null where elements are compared with the pivot.
    mask: *const c_void,
    elements: *mut c_void,
    kept: *mut u64,
}

impl Places {
    fn of(layout: &Layout, at: Addresses) -> Self {
        Self {
            data: at.input,
            mask: match layout.by {
                By::Predicate => std::ptr::null(),
                _ => at.input.wrapping_byte_add(layout.mask_at()),
            },
            elements: at.output.wrapping_byte_add(HEADER),
            kept: at.output.cast(),
        }
    }
}

type SelectScratch = unsafe extern "C" fn(
    c_int,
    *const c_void,
    *const c_void,
    u64,
    *mut c_void,
    *mut u64,
    usize,
) -> usize;
type Select = unsafe extern "C" fn(
    c_int,
    *mut c_void,
    usize,
    *const c_void,
    *const c_void,
    u64,
    *mut c_void,
    *mut u64,
    usize,
    *mut c_void,
) -> c_int;

/// The baseline's compaction of a case's input, run once and verified; none where the baseline lacks it.
pub(crate) fn select<'a>(
    of: &'a Uploaded<u8>,
    expected: &Expected<'_>,
    baselines: &'a Baselines,
) -> Result<Option<BaselineRun<'a>>, Error> {
    // SAFETY: the types of baselines.h.
    let functions = unsafe {
        (
            baselines.function::<SelectScratch>("baseline_select_scratch"),
            baselines.function::<Select>("baseline_select"),
        )
    };
    let (Some(measure), Some(select)) = functions else {
        return Ok(None);
    };
    let (layout, dtype) = (Layout::of(&of.case), dtype_code(of.case.dtype));
    let (n, pivot) = (layout.n as usize, layout.pivot);
    let measure = move |p: Places| {
        // SAFETY: device addresses of n elements each, of a mask and of a number; nothing is touched.
        unsafe { measure(dtype, p.data, p.mask, pivot, p.elements, p.kept, n) }
    };
    #[rustfmt::skip] // the arguments are one line of baselines.h
    let run = move |p: Places, s: Scratch| {
        // SAFETY: as above, with the scratch that was asked for; all of it lives as long as the call.
        unsafe {
            select(dtype, s.address, s.bytes, p.data, p.mask, pivot, p.elements, p.kept, n, s.stream)
        }
    };
    prepare(of, expected, baselines, measure, run)
}

type PartitionScratch = unsafe extern "C" fn(
    c_int,
    *const c_void,
    *const c_void,
    *mut c_void,
    *mut u64,
    usize,
) -> usize;
type Partition = unsafe extern "C" fn(
    c_int,
    *mut c_void,
    usize,
    *const c_void,
    *const c_void,
    *mut c_void,
    *mut u64,
    usize,
    *mut c_void,
) -> c_int;

/// The baseline's partition, likewise; by a mask only.
pub(crate) fn partition<'a>(
    of: &'a Uploaded<u8>,
    expected: &Expected<'_>,
    baselines: &'a Baselines,
) -> Result<Option<BaselineRun<'a>>, Error> {
    // SAFETY: the types of baselines.h.
    let functions = unsafe {
        (
            baselines.function::<PartitionScratch>("baseline_partition_scratch"),
            baselines.function::<Partition>("baseline_partition"),
        )
    };
    let layout = Layout::of(&of.case);
    let (Some(measure), Some(partition), By::Mask) = (functions.0, functions.1, layout.by) else {
        return Ok(None);
    };
    let (dtype, n) = (dtype_code(of.case.dtype), layout.n as usize);
    let measure = move |p: Places| {
        // SAFETY: device addresses of n elements each, of a mask and of a number; nothing is touched.
        unsafe { measure(dtype, p.data, p.mask, p.elements, p.kept, n) }
    };
    #[rustfmt::skip] // the arguments are one line of baselines.h
    let run = move |p: Places, s: Scratch| {
        // SAFETY: as above, with the scratch that was asked for; all of it lives as long as the call.
        unsafe {
            partition(dtype, s.address, s.bytes, p.data, p.mask, p.elements, p.kept, n, s.stream)
        }
    };
    prepare(of, expected, baselines, measure, run)
}

fn prepare<'a>(
    of: &'a Uploaded<u8>,
    expected: &Expected<'_>,
    baselines: &'a Baselines,
    measure: impl Fn(Places) -> usize + 'a,
    run: impl Fn(Places, Scratch) -> c_int + 'a,
) -> Result<Option<BaselineRun<'a>>, Error> {
    let layout = Layout::of(&of.case);
    // It takes no bits, and no rows.
    if layout.by == By::Bits || layout.width != 1 {
        return Ok(None);
    }
    let call = Call {
        what: of.case.to_string(),
        output_bytes: layout.output_bytes(layout.n),
        scratch_bytes: Box::new(move |at| measure(Places::of(&layout, at))),
        run: Box::new(move |at, scratch| run(Places::of(&layout, at), scratch)),
    };
    baselines.prepare(&of.device, &of.input, call, |computed| {
        expected.judge(&of.host, computed)
    })
}
