//! The same compaction by a baseline library, through `baseline_select` and `baseline_partition` of baselines.h.

use std::ffi::{c_int, c_void};

use crate::By;
use cudarc::driver::DevicePtr;
use harness::{
    Element, Error,
    baselines::{Addresses, BaselineRun, Baselines, Call, Scratch, dtype_code},
};

use crate::{
    inputs,
    problem::{Compaction, Order},
};

/// The baseline writes to one buffer: the count, and from this byte on the elements.
const ELEMENTS: usize = 256;

/// Device addresses that both functions get.
struct Addressed {
    data: *const c_void,
    /// Null where elements are compared with the pivot.
    mask: *const c_void,
    elements: *mut c_void,
    count: *mut u64,
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
pub(crate) fn select<'a, T: Element>(
    of: &'a Compaction<T>,
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
    let (dtype, n, pivot) = (dtype_code(T::DTYPE), of.n as usize, of.pivot);
    let measure = move |p: Addressed| {
        // SAFETY: device addresses of n elements each, of a mask and of a number; nothing is touched.
        unsafe { measure(dtype, p.data, p.mask, pivot, p.elements, p.count, n) }
    };
    #[rustfmt::skip] // the arguments are one line of baselines.h
    let run = move |p: Addressed, s: Scratch| {
        // SAFETY: as above, with the scratch that was asked for; all of it lives as long as the call.
        unsafe {
            select(dtype, s.address, s.bytes, p.data, p.mask, pivot, p.elements, p.count, n, s.stream)
        }
    };
    prepare(of, Order::Selected, baselines, measure, run)
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

/// The baseline's partition. The baseline has it for selections by a mask, and for no other.
pub(crate) fn partition<'a, T: Element>(
    of: &'a Compaction<T>,
    baselines: &'a Baselines,
) -> Result<Option<BaselineRun<'a>>, Error> {
    // SAFETY: the types of baselines.h.
    let functions = unsafe {
        (
            baselines.function::<PartitionScratch>("baseline_partition_scratch"),
            baselines.function::<Partition>("baseline_partition"),
        )
    };
    let by = inputs::by(&of.case);
    let (Some(measure), Some(partition), By::Mask) = (functions.0, functions.1, by) else {
        return Ok(None);
    };
    let (dtype, n) = (dtype_code(T::DTYPE), of.n as usize);
    let measure = move |p: Addressed| {
        // SAFETY: device addresses of n elements each, of a mask and of a number; nothing is touched.
        unsafe { measure(dtype, p.data, p.mask, p.elements, p.count, n) }
    };
    #[rustfmt::skip] // the arguments are one line of baselines.h
    let run = move |p: Addressed, s: Scratch| {
        // SAFETY: as above, with the scratch that was asked for; all of it lives as long as the call.
        unsafe {
            partition(dtype, s.address, s.bytes, p.data, p.mask, p.elements, p.count, n, s.stream)
        }
    };
    prepare(of, Order::Partition, baselines, measure, run)
}

fn prepare<'a, T: Element>(
    of: &'a Compaction<T>,
    order: Order,
    baselines: &'a Baselines,
    measure: impl Fn(Addressed) -> usize + 'a,
    run: impl Fn(Addressed, Scratch) -> c_int + 'a,
) -> Result<Option<BaselineRun<'a>>, Error> {
    let by = inputs::by(&of.case);
    // It takes no bits, and no rows.
    if by == By::Bits || of.width != 1 {
        return Ok(None);
    }
    let mask = match by {
        By::Predicate => std::ptr::null(),
        By::Mask | By::Bits => of.mask.device_ptr(&of.device.stream).0 as *const c_void,
    };
    let addressed = move |at: Addresses| Addressed {
        data: at.input,
        mask,
        elements: at.output.wrapping_byte_add(ELEMENTS),
        count: at.output.cast(),
    };
    let call = Call {
        what: of.case.to_string(),
        output_bytes: ELEMENTS + of.n as usize * size_of::<T>(),
        scratch_bytes: Box::new(move |at| measure(addressed(at))),
        run: Box::new(move |at, scratch| run(addressed(at), scratch)),
    };
    baselines.prepare(&of.device, &of.values, call, |computed| {
        let (count, elements) = computed.split_at(ELEMENTS);
        let count = bytemuck::pod_read_unaligned(&count[..size_of::<u64>()]);
        let elements = elements.chunks_exact(size_of::<T>());
        let elements: Vec<T> = elements.map(bytemuck::pod_read_unaligned).collect();
        of.compare(order, count, &elements)
    })
}
