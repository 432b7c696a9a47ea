//! Stream capture.

use std::ffi::{c_int, c_uint, c_ulonglong, c_void};

use super::graph::no_data;
use crate::capture::{Mode, begin, end, exchange_mode, info, update};
use crate::entry::api;
use crate::error::{CUresult, Result};
use crate::types::{CUgraph, CUgraphNode, CUstream, HostBytes, In, Out};

/// `CUstreamCaptureStatus`
const NONE: c_int = 0;
const ACTIVE: c_int = 1;
const INVALIDATED: c_int = 2;

api! {
    /// Begins a capture.
    per_thread(cuStreamBeginCapture_v2_ptsz) fn cuStreamBeginCapture_v2(stream: CUstream, mode: c_int) {
        begin(stream, Mode::new(mode)?)
    }

    /// Ends a capture. The graph is null if the capture yields none.
    per_thread(cuStreamEndCapture_ptsz) fn cuStreamEndCapture(stream: CUstream, graph: Out<CUgraph>) {
        graph.set(CUgraph::NULL)?;
        graph.set(end(stream)?)
    }

    /// Whether a stream is capturing.
    per_thread(cuStreamIsCapturing_ptsz) fn cuStreamIsCapturing(stream: CUstream, status: Out<c_int>) {
        report(stream, &CaptureInfo { status, ..CaptureInfo::NONE })
    }

    /// What is known of the capture.
    per_thread(cuStreamGetCaptureInfo_ptsz) fn cuStreamGetCaptureInfo(stream: CUstream, status: Out<c_int>, id: Out<c_ulonglong>) {
        report(stream, &CaptureInfo { status, id, ..CaptureInfo::NONE })
    }

    /// What is known of the capture.
    per_thread(cuStreamGetCaptureInfo_v2_ptsz) fn cuStreamGetCaptureInfo_v2(
        stream: CUstream,
        status: Out<c_int>,
        id: Out<c_ulonglong>,
        graph: Out<CUgraph>,
        dependencies: Out<*const CUgraphNode>,
        count: Out<usize>,
    ) {
        report(stream, &CaptureInfo { status, id, graph, dependencies, count })
    }

    /// What is known of the capture. Dependencies have no data.
    per_thread(cuStreamGetCaptureInfo_v3_ptsz) fn cuStreamGetCaptureInfo_v3(
        stream: CUstream,
        status: Out<c_int>,
        id: Out<c_ulonglong>,
        graph: Out<CUgraph>,
        dependencies: Out<*const CUgraphNode>,
        data: Out<*const c_void>,
        count: Out<usize>,
    ) {
        data.set_if_wanted(std::ptr::null())?;
        report(stream, &CaptureInfo { status, id, graph, dependencies, count })
    }

    /// Adds to, or replaces, the nodes that the next operation depends on.
    per_thread(cuStreamUpdateCaptureDependencies_ptsz) fn cuStreamUpdateCaptureDependencies(
        stream: CUstream,
        dependencies: In<CUgraphNode>,
        count: usize,
        flags: c_uint,
    ) {
        depend(stream, (&dependencies, count), flags)
    }

    /// Adds to, or replaces, the nodes that the next operation depends on. Dependencies have no data.
    per_thread(cuStreamUpdateCaptureDependencies_v2_ptsz) fn cuStreamUpdateCaptureDependencies_v2(
        stream: CUstream,
        dependencies: In<CUgraphNode>,
        data: In<u64>,
        count: usize,
        flags: c_uint,
    ) {
        no_data(&data, count)?;
        depend(stream, (&dependencies, count), flags)
    }

    /// Swaps how the calling thread's other calls and captures affect each other.
    fn cuThreadExchangeStreamCaptureMode(mode: HostBytes) {
        crate::state::driver()?;
        let new = Mode::new(mode.load()?)?;
        mode.store(exchange_mode(new) as c_int)
    }
}

/// Where the answers go that a caller wants.
struct CaptureInfo {
    status: Out<c_int>,
    id: Out<c_ulonglong>,
    graph: Out<CUgraph>,
    dependencies: Out<*const CUgraphNode>,
    count: Out<usize>,
}

impl CaptureInfo {
    const NONE: Self = Self {
        status: Out(std::ptr::null_mut()),
        id: Out(std::ptr::null_mut()),
        graph: Out(std::ptr::null_mut()),
        dependencies: Out(std::ptr::null_mut()),
        count: Out(std::ptr::null_mut()),
    };
}

fn depend(
    stream: CUstream,
    (dependencies, count): (&In<CUgraphNode>, usize),
    flags: c_uint,
) -> Result {
    let replace = match flags {
        0 => false,
        1 => true,
        _ => return Err(CUresult::INVALID_VALUE.because(format!("no flags {flags:#x}"))),
    };
    let nodes = (0..count).map(|i| dependencies.at(i));
    update(stream, &nodes.collect::<Result<Vec<_>>>()?, replace)
}

fn report(stream: CUstream, wanted: &CaptureInfo) -> Result {
    let Some(info) = info(stream)? else {
        return wanted.status.set(NONE);
    };
    wanted.status.set(if info.valid { ACTIVE } else { INVALIDATED })?;
    wanted.id.set_if_wanted(info.id)?;
    wanted.graph.set_if_wanted(info.graph)?;
    wanted.dependencies.set_if_wanted(info.last)?;
    wanted.count.set_if_wanted(info.count)
}
