//! The same by a baseline library, through `baseline_segmented_scan`, `baseline_segmented_reduce` and `baseline_multiply` of
//! baselines.h.

use std::{
    ffi::{c_int, c_uint, c_void},
    time::{Duration, Instant},
};

use cudarc::driver::{CudaSlice, DevicePtr};
use harness::{
    Case, Device, Element, Error, Kind,
    baselines::{BaselineRun, Baselines, Call, dtype_code, op_code},
    buffer,
    verify::{self, Verdict},
};

use crate::{
    Task,
    chapter::{Divided, Sparse},
    input::{Layout, SparseLayout},
    reference::{self, Expected},
};

type ScanScratch = unsafe extern "C" fn(
    c_int,
    c_int,
    c_int,
    c_int,
    *const c_void,
    *const c_void,
    *mut c_void,
    usize,
) -> usize;
type Scan = unsafe extern "C" fn(
    c_int,
    c_int,
    c_int,
    c_int,
    *mut c_void,
    usize,
    *const c_void,
    *const c_void,
    *mut c_void,
    usize,
    *mut c_void,
) -> c_int;
type ReduceScratch =
    unsafe extern "C" fn(c_int, c_int, *const c_void, *const c_uint, *mut c_void, usize) -> usize;
type Reduce = unsafe extern "C" fn(
    c_int,
    c_int,
    *mut c_void,
    usize,
    *const c_void,
    *const c_uint,
    *mut c_void,
    usize,
    *mut c_void,
) -> c_int;

/// The baseline's segmented scan or reduction of a case's input, run once and verified; none where the baseline
/// lacks it. Of a scan, the faster of its ways here and now.
pub(crate) fn segmented<'a, T: Element>(
    of: &'a Divided<T>,
    baselines: &'a Baselines,
) -> Result<Option<BaselineRun<'a>>, Error> {
    match Task::of(&of.uploaded.case) {
        Task::Scan(kind) => {
            let keys = buffer::upload(&of.uploaded.device, &keys(&of.offsets.flags()))?;
            let by_keys = scan(of, baselines, kind, Way::Keys(keys))?;
            let by_bits = scan(of, baselines, kind, Way::Bits)?;
            match (by_keys, by_bits) {
                (Some(keys), Some(bits)) => faster(&of.uploaded.device, keys, bits).map(Some),
                (one, other) => Ok(one.or(other)),
            }
        }
        Task::Reduce => reduce(of, baselines),
        Task::Convert(_) | Task::Multiply => Ok(None),
    }
}

/// Keys of the narrowest type that serves: bytes that change at every head.
fn keys(flags: &[u8]) -> Vec<u8> {
    let mut key = 0;
    let next = |&flag: &u8| {
        key ^= flag;
        key
    };
    flags.iter().map(next).collect()
}

/// How the baseline is told of segments: `enum BaselineSegments`.
enum Way {
    Keys(CudaSlice<u8>),
    Bits,
}

fn scan<'a, T: Element>(
    of: &'a Divided<T>,
    baselines: &'a Baselines,
    kind: Kind,
    way: Way,
) -> Result<Option<BaselineRun<'a>>, Error> {
    // SAFETY: the types of baselines.h.
    let functions = unsafe {
        (
            baselines.function::<ScanScratch>("baseline_segmented_scan_scratch"),
            baselines.function::<Scan>("baseline_segmented_scan"),
        )
    };
    let (case, device) = (of.uploaded.case, &of.uploaded.device);
    let (Some(op), (Some(scratch_bytes), Some(scan))) = (op_code(case.op), functions) else {
        return Ok(None);
    };
    let (dtype, n) = (dtype_code(case.dtype), of.elements.len());
    let bits = Layout::new(n as u64, case.dtype).bits(&of.uploaded.input.as_view());
    let (by, segments) = match &way {
        Way::Keys(keys) => (0, keys.device_ptr(&device.stream).0),
        Way::Bits => (1, bits.device_ptr(&device.stream).0),
    };
    let segments = segments as *const c_void;
    let exclusive = c_int::from(kind == Kind::Exclusive);
    let call = Call {
        what: format!("{case}{}", case.parameters),
        output_bytes: size_of::<T>() * n,
        // SAFETY: device addresses of n elements each; nothing is touched.
        scratch_bytes: Box::new(move |at| unsafe {
            scratch_bytes(by, exclusive, op, dtype, at.input, segments, at.output, n)
        }),
        // SAFETY: as above, with the scratch that was asked for; all of it lives as long as the call,
        // for which it keeps the keys.
        run: Box::new(move |at, scratch| unsafe {
            let _keep_alive = &way;
            let (address, bytes, stream) = (scratch.address, scratch.bytes, scratch.stream);
            let (input, output) = (at.input, at.output);
            scan(
                by, exclusive, op, dtype, address, bytes, input, segments, output, n, stream,
            )
        }),
    };
    // Any order of operations is within the bound of the deepest.
    let judge = |computed: &[u8]| any_order(of, &case).judge_scan(computed);
    baselines.prepare(device, &of.uploaded.input, call, judge)
}

fn reduce<'a, T: Element>(
    of: &'a Divided<T>,
    baselines: &'a Baselines,
) -> Result<Option<BaselineRun<'a>>, Error> {
    // SAFETY: the types of baselines.h.
    let functions = unsafe {
        (
            baselines.function::<ReduceScratch>("baseline_segmented_reduce_scratch"),
            baselines.function::<Reduce>("baseline_segmented_reduce"),
        )
    };
    let (case, device) = (of.uploaded.case, &of.uploaded.device);
    let (Some(op), (Some(scratch_bytes), Some(reduce))) = (op_code(case.op), functions) else {
        return Ok(None);
    };
    let (dtype, segments) = (dtype_code(case.dtype), of.offsets.count());
    let layout = Layout::new(case.elements(), case.dtype);
    let (offsets, _) = layout.offsets(&of.uploaded.input.as_view());
    let offsets = offsets.device_ptr(&device.stream).0 as *const c_uint;
    let call = Call {
        what: format!("{case}{}", case.parameters),
        output_bytes: size_of::<T>() * segments,
        // SAFETY: device addresses of the elements, the offsets and a result a segment; nothing is
        // touched.
        scratch_bytes: Box::new(move |at| unsafe {
            scratch_bytes(op, dtype, at.input, offsets, at.output, segments)
        }),
        // SAFETY: as above, with the scratch that was asked for; all of it lives as long as the call.
        run: Box::new(move |at, scratch| unsafe {
            let (address, bytes, stream) = (scratch.address, scratch.bytes, scratch.stream);
            reduce(
                op, dtype, address, bytes, at.input, offsets, at.output, segments, stream,
            )
        }),
    };
    let judge = |computed: &[u8]| -> Verdict { any_order(of, &case).judge_reduce(computed) };
    baselines.prepare(device, &of.uploaded.input, call, judge)
}

/// Whatever the order of operations.
fn any_order<'a, T: Element>(of: &'a Divided<T>, case: &'a Case) -> Expected<'a, T> {
    Expected::new(case, case.elements(), &of.elements, &of.offsets)
}

/// The one that takes less time.
fn faster<'a>(
    device: &Device,
    mut a: BaselineRun<'a>,
    mut b: BaselineRun<'a>,
) -> Result<BaselineRun<'a>, Error> {
    let (time_a, time_b) = (time(device, &mut a)?, time(device, &mut b)?);
    Ok(if time_a <= time_b { a } else { b })
}

/// The shortest of a few runs, with what the host adds.
fn time(device: &Device, run: &mut BaselineRun<'_>) -> Result<Duration, Error> {
    let mut shortest = Duration::MAX;
    for _ in 0..5 {
        let start = Instant::now();
        run()?;
        device.finish("the baseline's operation")?;
        shortest = shortest.min(start.elapsed());
    }
    Ok(shortest)
}

// ---- Sparse matrices ------------------------------------------------------------------------------

/// `struct BaselineSparse`, of device addresses.
#[repr(C)]
#[derive(Clone, Copy)]
struct Matrix {
    values: *const c_void,
    columns: *const c_void,
    offsets: *const c_void,
    x: *const c_void,
    rows: usize,
    cols: usize,
    entries: usize,
}

type MultiplyScratch = unsafe extern "C" fn(c_int, c_int, *const Matrix, *mut c_void) -> usize;
type Multiply = unsafe extern "C" fn(
    c_int,
    c_int,
    *mut c_void,
    usize,
    *const Matrix,
    *mut c_void,
    *mut c_void,
) -> c_int;

/// The baseline's product of a case's matrix and vector, run once and verified, in the faster of its ways here
/// and now; none where the baseline lacks it.
pub(crate) fn multiply<'a>(
    of: &'a Sparse,
    baselines: &'a Baselines,
) -> Result<Option<BaselineRun<'a>>, Error> {
    let mut fastest: Option<BaselineRun<'a>> = None;
    for way in 0.. {
        let Some(run) = multiply_in(of, baselines, way)? else {
            break;
        };
        fastest = Some(match fastest {
            None => run,
            Some(before) => faster(&of.uploaded.device, before, run)?,
        });
    }
    Ok(fastest)
}

fn multiply_in<'a>(
    of: &'a Sparse,
    baselines: &'a Baselines,
    way: c_int,
) -> Result<Option<BaselineRun<'a>>, Error> {
    // SAFETY: the types of baselines.h.
    let functions = unsafe {
        (
            baselines.function::<MultiplyScratch>("baseline_multiply_scratch"),
            baselines.function::<Multiply>("baseline_multiply"),
        )
    };
    let (Some(scratch_bytes), Some(multiply)) = functions else {
        return Ok(None);
    };
    let (case, device) = (of.uploaded.case, &of.uploaded.device);
    let (dtype, rows, entries) = (
        dtype_code(case.dtype),
        of.matrix.rows.count(),
        of.matrix.values.len(),
    );
    let layout = SparseLayout::new(entries as u64, rows as u64);
    let input = of.uploaded.input.as_view();
    let places = layout.arrays(&input);
    let [values, columns, offsets, x] =
        places.map(|place| place.device_ptr(&device.stream).0 as *const c_void);
    let matrix = Matrix {
        values,
        columns,
        offsets,
        x,
        rows,
        cols: of.x.len(),
        entries,
    };
    let call = Call {
        what: format!("{case}{}", case.parameters),
        output_bytes: 4 * rows,
        // SAFETY: device addresses of arrays that large; nothing is touched.
        scratch_bytes: Box::new(move |at| unsafe { scratch_bytes(way, dtype, &matrix, at.output) }),
        // SAFETY: as above, with the scratch that was asked for; all of it lives as long as the call.
        run: Box::new(move |at, scratch| unsafe {
            let (address, bytes, stream) = (scratch.address, scratch.bytes, scratch.stream);
            multiply(way, dtype, address, bytes, &matrix, at.output, stream)
        }),
    };
    // Any order of additions is within the bound of the deepest.
    let judge = |computed: &[u8]| {
        let deepest = entries as u64 + 1;
        verify::compare(computed, reference::multiply(&of.matrix, &of.x, deepest))
    };
    baselines.prepare(device, &of.uploaded.input, call, judge)
}
