//! The same histogram by a peer library, through `peer_histogram` of peers.h.

use std::ffi::{c_float, c_int, c_uint, c_void};

use harness::{
    Error,
    peers::{Call, PeerRun, Peers, dtype_code},
    uploaded::Uploaded,
    verify::{self, Exact},
};

use crate::{bins::Bins, reference::Key};

type ScratchBytes = unsafe extern "C" fn(
    c_int,
    *const c_void,
    *mut c_void,
    c_uint,
    c_float,
    c_float,
    usize,
) -> usize;
type Count = unsafe extern "C" fn(
    c_int,
    *mut c_void,
    usize,
    *const c_void,
    *mut c_void,
    c_uint,
    c_float,
    c_float,
    usize,
    *mut c_void,
) -> c_int;

/// The peer's histogram of a case's keys, run once and verified; none where the peer lacks it. It
/// writes the bins' counters, and none for keys that have no bin.
pub(crate) fn histogram<'a, K: Key>(
    of: &'a Uploaded<K>,
    counts: &[u32],
    peers: &'a Peers,
) -> Result<Option<PeerRun<'a>>, Error> {
    // SAFETY: the types of peers.h.
    let functions = unsafe {
        (
            peers.function::<ScratchBytes>("peer_histogram_scratch"),
            peers.function::<Count>("peer_histogram"),
        )
    };
    let (Some(scratch_bytes), Some(count)) = functions else {
        return Ok(None);
    };
    let Bins {
        count: bins,
        low,
        high,
        ..
    } = Bins::of(&of.case)?;
    let (dtype, n) = (dtype_code(of.case.dtype), of.case.elements() as usize);
    let call = Call {
        what: format!("histogram of {} {}", of.case.shape, of.case.dtype),
        output_bytes: 4 * bins as usize,
        // SAFETY: device addresses of n keys and m counters; nothing is touched.
        scratch_bytes: Box::new(move |at| unsafe {
            scratch_bytes(dtype, at.input, at.output, bins, low, high, n)
        }),
        // SAFETY: as above, with the scratch that was asked for; all of it lives as long as the call.
        run: Box::new(move |at, scratch| unsafe {
            count(
                dtype,
                scratch.address,
                scratch.bytes,
                at.input,
                at.output,
                bins,
                low,
                high,
                n,
                scratch.stream,
            )
        }),
    };
    peers.prepare(&of.device, &of.input, call, |computed| {
        let counts = counts[..bins as usize].iter().copied();
        verify::compare(computed, counts.map(Exact::Equal))
    })
}
