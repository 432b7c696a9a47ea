//! The same by a peer library, through `peer_segmented_scan` and `peer_segmented_reduce` of peers.h.

use std::{
    ffi::{c_int, c_uint, c_void},
    time::{Duration, Instant},
};

use cudarc::driver::{CudaSlice, DevicePtr};
use harness::{
    Case, Element, Error, Kind, buffer,
    peers::{Call, PeerRun, Peers, dtype_code, op_code},
    verify::Verdict,
};

use crate::{Task, chapter::Divided, input::Layout, reference::Expected};

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

/// The peer's segmented scan or reduction of a case's input, run once and verified; none where the peer
/// lacks it. Of a scan, the faster of its ways here and now.
pub(crate) fn segmented<'a, T: Element>(
    of: &'a Divided<T>,
    peers: &'a Peers,
) -> Result<Option<PeerRun<'a>>, Error> {
    match Task::of(&of.uploaded.case) {
        Task::Scan(kind) => {
            let keys = buffer::upload(&of.uploaded.device, &keys(&of.offsets.flags()))?;
            let by_keys = scan(of, peers, kind, Way::Keys(keys))?;
            let by_bits = scan(of, peers, kind, Way::Bits)?;
            faster(of, by_keys, by_bits)
        }
        Task::Reduce => reduce(of, peers),
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

/// How the peer is told of segments: `enum PeerSegments`.
enum Way {
    Keys(CudaSlice<u8>),
    Bits,
}

fn scan<'a, T: Element>(
    of: &'a Divided<T>,
    peers: &'a Peers,
    kind: Kind,
    way: Way,
) -> Result<Option<PeerRun<'a>>, Error> {
    // SAFETY: the types of peers.h.
    let functions = unsafe {
        (
            peers.function::<ScanScratch>("peer_segmented_scan_scratch"),
            peers.function::<Scan>("peer_segmented_scan"),
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
    peers.prepare(device, &of.uploaded.input, call, judge)
}

fn reduce<'a, T: Element>(
    of: &'a Divided<T>,
    peers: &'a Peers,
) -> Result<Option<PeerRun<'a>>, Error> {
    // SAFETY: the types of peers.h.
    let functions = unsafe {
        (
            peers.function::<ReduceScratch>("peer_segmented_reduce_scratch"),
            peers.function::<Reduce>("peer_segmented_reduce"),
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
    peers.prepare(device, &of.uploaded.input, call, judge)
}

/// Whatever the order of operations.
fn any_order<'a, T: Element>(of: &'a Divided<T>, case: &'a Case) -> Expected<'a, T> {
    Expected::new(case, case.elements(), &of.elements, &of.offsets)
}

/// The one that takes less time.
fn faster<'a, T: Element>(
    of: &'a Divided<T>,
    a: Option<PeerRun<'a>>,
    b: Option<PeerRun<'a>>,
) -> Result<Option<PeerRun<'a>>, Error> {
    let (mut a, mut b) = match (a, b) {
        (Some(a), Some(b)) => (a, b),
        (one, other) => return Ok(one.or(other)),
    };
    let (time_a, time_b) = (time(of, &mut a)?, time(of, &mut b)?);
    Ok(Some(if time_a <= time_b { a } else { b }))
}

/// The shortest of a few runs, with what the host adds.
fn time<T: Element>(of: &Divided<T>, run: &mut PeerRun<'_>) -> Result<Duration, Error> {
    let mut shortest = Duration::MAX;
    for _ in 0..5 {
        let start = Instant::now();
        run()?;
        of.uploaded.device.finish("the peer's operation")?;
        shortest = shortest.min(start.elapsed());
    }
    Ok(shortest)
}
