//! The same by a baseline library, through `baseline_segmented_scan`, `baseline_segmented_reduce` and
//! `baseline_multiply` of baselines.h.

use std::{
    ffi::{c_int, c_uint, c_void},
    time::{Duration, Instant},
};

use cudarc::driver::{CudaSlice, DevicePtr};
use harness::{
    ChapterParameters, Device, Element, Error, Kind,
    baselines::{BaselineRun, Baselines, Call, dtype_code, op_code},
    buffer, verify,
};

use crate::{
    SegmentParameters, parameters,
    problem::{reduce::SegmentedReduce, scan::SegmentedScan, spmv::Product},
    reference,
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

/// The segmented scan by a baseline library, run once and verified, in the faster of its two ways; none where
/// the library lacks it.
pub(crate) fn scan<'a, T: Element>(
    of: &'a SegmentedScan<T>,
    baselines: &'a Baselines,
) -> Result<Option<BaselineRun<'a>>, Error> {
    let keys = buffer::to_device(&of.device, &keys(&of.division.flags()))?;
    let by_keys = scan_by(of, baselines, Way::Keys(keys))?;
    let by_bits = scan_by(of, baselines, Way::Bits)?;
    match (by_keys, by_bits) {
        (Some(keys), Some(bits)) => faster(&of.device, keys, bits).map(Some),
        (one, other) => Ok(one.or(other)),
    }
}

/// Keys that change at every head: bytes, the narrowest type of keys.
fn keys(flags: &[u8]) -> Vec<u8> {
    let mut key = 0;
    let next = |&flag: &u8| {
        key ^= flag;
        key
    };
    flags.iter().map(next).collect()
}

/// The form in which the baseline gets the segments: `enum BaselineSegments`.
enum Way {
    Keys(CudaSlice<u8>),
    Bits,
}

fn scan_by<'a, T: Element>(
    of: &'a SegmentedScan<T>,
    baselines: &'a Baselines,
    way: Way,
) -> Result<Option<BaselineRun<'a>>, Error> {
    // SAFETY: the types of baselines.h.
    let functions = unsafe {
        (
            baselines.function::<ScanScratch>("baseline_segmented_scan_scratch"),
            baselines.function::<Scan>("baseline_segmented_scan"),
        )
    };
    let (case, device) = (of.case, &of.device);
    let (Some(op), (Some(scratch_bytes), Some(scan))) = (op_code(case.op), functions) else {
        return Ok(None);
    };
    let (dtype, n) = (dtype_code(case.dtype), of.host.len());
    let (by, segments) = match &way {
        Way::Keys(keys) => (0, keys.device_ptr(&device.stream).0),
        Way::Bits => (1, of.bits.device_ptr(&device.stream).0),
    };
    let segments = segments as *const c_void;
    let exclusive = c_int::from(parameters::kind(&case) == Kind::Exclusive);
    let call = Call {
        what: format!("{case}{}", SegmentParameters::of(&case)),
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
            scan(by, exclusive, op, dtype, address, bytes, input, segments, output, n, stream)
        }),
    };
    // Any order of operations is within the bound of the deepest.
    let judge =
        |computed: &[u8]| of.expected(of.n).judge_scan(parameters::kind(&of.case), computed);
    baselines.prepare(device, &of.values, call, judge)
}

/// The segmented reduction by a baseline library, run once and verified; none where the library lacks it.
pub(crate) fn reduce<'a, T: Element>(
    of: &'a SegmentedReduce<T>,
    baselines: &'a Baselines,
) -> Result<Option<BaselineRun<'a>>, Error> {
    // SAFETY: the types of baselines.h.
    let functions = unsafe {
        (
            baselines.function::<ReduceScratch>("baseline_segmented_reduce_scratch"),
            baselines.function::<Reduce>("baseline_segmented_reduce"),
        )
    };
    let (case, device) = (of.case, &of.device);
    let (Some(op), (Some(scratch_bytes), Some(reduce))) = (op_code(case.op), functions) else {
        return Ok(None);
    };
    let (dtype, segments) = (dtype_code(case.dtype), of.segments as usize);
    let offsets = of.offsets.device_ptr(&device.stream).0 as *const c_uint;
    let call = Call {
        what: format!("{case}{}", SegmentParameters::of(&case)),
        output_bytes: size_of::<T>() * segments,
        // SAFETY: device addresses of the elements, the offsets and a result a segment; nothing is
        // touched.
        scratch_bytes: Box::new(move |at| unsafe {
            scratch_bytes(op, dtype, at.input, offsets, at.output, segments)
        }),
        // SAFETY: as above, with the scratch that was asked for; all of it lives as long as the call.
        run: Box::new(move |at, scratch| unsafe {
            let (address, bytes, stream) = (scratch.address, scratch.bytes, scratch.stream);
            reduce(op, dtype, address, bytes, at.input, offsets, at.output, segments, stream)
        }),
    };
    // Any order of operations is within the bound of the deepest.
    let judge = |computed: &[u8]| of.expected(of.n).judge_reduce(computed);
    baselines.prepare(device, &of.values, call, judge)
}

/// The run that takes less time.
fn faster<'a>(
    device: &Device,
    mut a: BaselineRun<'a>,
    mut b: BaselineRun<'a>,
) -> Result<BaselineRun<'a>, Error> {
    let (time_a, time_b) = (time(device, &mut a)?, time(device, &mut b)?);
    Ok(if time_a <= time_b { a } else { b })
}

/// The time of the shortest of five runs, by the clock of the host.
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

/// The product of a matrix and a vector by a baseline library, run once and verified, in the fastest of its
/// ways; none where the library lacks it.
pub(crate) fn multiply<'a>(
    of: &'a Product,
    baselines: &'a Baselines,
) -> Result<Option<BaselineRun<'a>>, Error> {
    let mut fastest: Option<BaselineRun<'a>> = None;
    for way in 0.. {
        let Some(run) = multiply_in(of, baselines, way)? else {
            break;
        };
        fastest = Some(match fastest {
            None => run,
            Some(before) => faster(&of.device, before, run)?,
        });
    }
    Ok(fastest)
}

fn multiply_in<'a>(
    of: &'a Product,
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
    let (case, device) = (of.case, &of.device);
    let (dtype, rows, entries) = (dtype_code(case.dtype), of.rows as usize, of.n as usize);
    let values = of.values.device_ptr(&device.stream).0 as *const c_void;
    let [columns, offsets] =
        [&of.columns, &of.offsets].map(|array| array.device_ptr(&device.stream).0 as *const c_void);
    let x = of.x.device_ptr(&device.stream).0 as *const c_void;
    let matrix = Matrix { values, columns, offsets, x, rows, cols: of.vector.len(), entries };
    let call = Call {
        what: format!("{case}{}", SegmentParameters::of(&case)),
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
        verify::compare(computed, reference::multiply(&of.matrix, &of.vector, deepest))
    };
    baselines.prepare(device, &of.values, call, judge)
}
