//! What a capture forbids, and how it ends. The codes are those of driver 580 on an H100, where the
//! same calls were made.

use std::ptr::{null, null_mut};
use std::sync::Arc;

use crate::common::{LIBRARY, code, context_in_own_process, kernel};
use crate::graphs::{add, captured, untracked};
use crate::report::report;
use cudarc::driver::sys::{self, CUresult, CUstreamCaptureMode as Mode};
use cudarc::driver::{CudaContext, CudaFunction, CudaStream, result};

const THREAD_LOCAL: Mode = Mode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
const RELAXED: Mode = Mode::CU_STREAM_CAPTURE_MODE_RELAXED;

/// Calls, with a name each, of a scene that is called `s` in them.
macro_rules! calls {
    ($s:ident: $($name:literal, $call:expr;)*) => {
        [$(($name, (|$s: &Scene| {
            let _ = $s;
            // SAFETY: handles and pointers are live, or else the call is refused.
            #[allow(unused_unsafe)]
            unsafe {
                $call
            }
        }) as Call)),*]
    };
}

/// A call during the capture of a scene.
type Call = fn(&Scene) -> CUresult;

/// A stream that captures, and what calls may concern meanwhile.
struct Scene {
    context: Arc<CudaContext>,
    /// The stream that captures.
    it: sys::CUstream,
    other: Arc<CudaStream>,
    kernel: CudaFunction,
    address: sys::CUdeviceptr,
    /// Recorded before the capture.
    event: sys::CUevent,
    unrecorded: sys::CUevent,
}

impl Scene {
    /// The stream has these `CUstream_flags`.
    fn new(flags: u32) -> Self {
        let context = untracked();
        let other = context.new_stream().unwrap();
        let (mut it, mut address) = (null_mut(), 0);
        let [mut event, mut unrecorded] = [null_mut(); 2];
        // SAFETY: the results are valid for writing.
        unsafe {
            sys::cuStreamCreate(&mut it, flags).result().unwrap();
            sys::cuMemAlloc_v2(&mut address, 4096).result().unwrap();
            sys::cuEventCreate(&mut event, 0).result().unwrap();
            sys::cuEventCreate(&mut unrecorded, 0).result().unwrap();
            sys::cuEventRecord(event, other.cu_stream()).result().unwrap();
        }
        let kernel = kernel(&context, "count");
        Self { context, it, other, kernel, address, event, unrecorded }
    }

    fn begin(&self, mode: Mode) {
        // SAFETY: the stream is live.
        let begun = unsafe { sys::cuStreamBeginCapture_v2(self.it, mode) };
        assert_eq!(begun, CUresult::CUDA_SUCCESS);
    }

    /// The code with which the capture ends; a graph comes with success only.
    fn end(&self) -> CUresult {
        end(self.it).0
    }

    /// Launches a kernel in a stream, with a block of `threads`.
    fn launch(&self, stream: sys::CUstream, threads: u32) -> CUresult {
        // SAFETY: the kernel has no arguments.
        unsafe {
            let kernel = self.kernel.cu_function();
            let (block, none) = ((threads, 1, 1), &mut []);
            let launched = result::launch_kernel(kernel, (1, 1, 1), block, 0, stream, none);
            code(launched)
        }
    }
}

/// Ends a capture. There is a graph just if that succeeds.
fn end(stream: sys::CUstream) -> (CUresult, sys::CUgraph) {
    let mut graph = 1 as sys::CUgraph;
    // SAFETY: the stream is live, and the result valid for writing.
    let code = unsafe { sys::cuStreamEndCapture(stream, &mut graph) };
    assert_eq!(code == CUresult::CUDA_SUCCESS, !graph.is_null(), "{code:?}");
    (code, graph)
}

/// What a stream's capture is in.
fn status(stream: sys::CUstream) -> sys::CUstreamCaptureStatus {
    let mut status = sys::CUstreamCaptureStatus::CU_STREAM_CAPTURE_STATUS_NONE;
    // SAFETY: the stream is live, and the result valid for writing.
    unsafe { sys::cuStreamIsCapturing(stream, &mut status) }.result().unwrap();
    status
}

const INVALIDATED: CUresult = CUresult::CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;

/// Makes each call during a capture of its own, in a stream with these flags: what it returns,
/// and what ending the capture does then.
#[track_caller]
fn check<const N: usize>(
    (flags, mode): (u32, Mode),
    (expected, end): (CUresult, CUresult),
    calls: [(&str, Call); N],
) {
    for (name, call) in calls {
        let scene = Scene::new(flags);
        scene.begin(mode);
        let found = call(&scene);
        assert_eq!((found, scene.end()), (expected, end), "{name}");
        assert_eq!(status(scene.it), sys::CUstreamCaptureStatus::CU_STREAM_CAPTURE_STATUS_NONE);
    }
}

const NON_BLOCKING: u32 = 1;
const SUCCESS: CUresult = CUresult::CUDA_SUCCESS;

#[test]
fn calls_that_invalidate_a_capture() {
    let unsupported = CUresult::CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    for mode in [THREAD_LOCAL, RELAXED] {
        let calls = calls! {s:
            "wait for it", sys::cuStreamSynchronize(s.it);
            "query it", sys::cuStreamQuery(s.it);
            "wait for the context", sys::cuCtxSynchronize();
            "a callback", sys::cuStreamAddCallback(s.it, None, null_mut(), 0);
            "a copy between contexts", sys::cuMemcpyPeerAsync(
                s.address, s.context.cu_ctx(), s.address, s.context.cu_ctx(), 4, s.it);
            "a graph", launch_empty_graph(s.it);
        };
        check((NON_BLOCKING, mode), (unsupported, INVALIDATED), calls);
        let calls = calls! {s:
            "query its event", {
                sys::cuEventRecord(s.event, s.it);
                sys::cuEventQuery(s.event)
            };
            "wait for its event", {
                sys::cuEventRecord(s.event, s.it);
                sys::cuEventSynchronize(s.event)
            };
        };
        let captured = CUresult::CUDA_ERROR_CAPTURED_EVENT;
        check((NON_BLOCKING, mode), (captured, INVALIDATED), calls);
        let isolation = CUresult::CUDA_ERROR_STREAM_CAPTURE_ISOLATION;
        let calls = calls! {s:
            "depend on other work", sys::cuStreamWaitEvent(s.it, s.event, 0);
        };
        check((NON_BLOCKING, mode), (isolation, INVALIDATED), calls);
        let invalid = CUresult::CUDA_ERROR_INVALID_VALUE;
        let calls = calls! {s: "too large a block", s.launch(s.it, 4096);};
        check((NON_BLOCKING, mode), (invalid, INVALIDATED), calls);
    }
}

/// Launches a graph without nodes, made before the capture.
fn launch_empty_graph(stream: sys::CUstream) -> CUresult {
    let mode = &mut { RELAXED };
    let (mut graph, mut exec) = (null_mut(), null_mut());
    // SAFETY: the stream is live, and the results valid for writing.
    unsafe {
        sys::cuThreadExchangeStreamCaptureMode(mode).result().unwrap();
        sys::cuGraphCreate(&mut graph, 0).result().unwrap();
        let instantiated = sys::cuGraphInstantiateWithFlags(&mut exec, graph, 0);
        instantiated.result().unwrap();
        sys::cuThreadExchangeStreamCaptureMode(mode).result().unwrap();
        sys::cuGraphLaunch(exec, stream)
    }
}

#[test]
fn potentially_unsafe_calls() {
    let calls = calls! {s:
        "wait for another stream", sys::cuStreamSynchronize(s.other.cu_stream());
        "query another stream", sys::cuStreamQuery(s.other.cu_stream());
        "query an event", sys::cuEventQuery(s.event);
        "wait for an event", sys::cuEventSynchronize(s.event);
        "allocate", sys::cuMemAlloc_v2(&mut 0, 64);
        "allocate in another stream", sys::cuMemAllocAsync(&mut 0, 64, s.other.cu_stream());
        "free", sys::cuMemFree_v2(s.address);
        "free nothing", sys::cuMemFree_v2(0);
        "free in another stream", sys::cuMemFreeAsync(s.address, s.other.cu_stream());
        "allocate on the host", sys::cuMemAllocHost_v2(&mut null_mut(), 64);
        "set a limit", sys::cuCtxSetLimit(sys::CUlimit::CU_LIMIT_PERSISTING_L2_CACHE_SIZE, 1 << 20);
    };
    let unsupported = CUresult::CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    check((NON_BLOCKING, THREAD_LOCAL), (unsupported, INVALIDATED), calls);
    check((NON_BLOCKING, RELAXED), (SUCCESS, SUCCESS), calls);
    // A thread can allow them to itself.
    let mut mode = RELAXED;
    // SAFETY: the mode is valid for reading and writing.
    unsafe { sys::cuThreadExchangeStreamCaptureMode(&mut mode) }.result().unwrap();
    assert_eq!(mode, Mode::CU_STREAM_CAPTURE_MODE_GLOBAL);
    check((NON_BLOCKING, THREAD_LOCAL), (SUCCESS, SUCCESS), calls);
    // SAFETY: as above.
    let restored = unsafe { sys::cuThreadExchangeStreamCaptureMode(&mut mode) };
    assert_eq!((restored, mode), (SUCCESS, RELAXED));
}

#[test]
fn calls_that_leave_a_capture_alone() {
    let setting = (NON_BLOCKING, THREAD_LOCAL);
    let calls = calls! {s:
        "a launch", s.launch(s.it, 1);
        "a launch in another stream", s.launch(s.other.cu_stream(), 1);
        "a launch in the legacy stream", s.launch(null_mut(), 1);
        "a copy that waits", sys::cuMemcpyDtoD_v2(s.address, s.address + 64, 64);
        "depend on nothing", sys::cuStreamWaitEvent(s.it, s.unrecorded, 0);
        "a new event", sys::cuEventCreate(&mut null_mut(), 0);
        "a new stream", sys::cuStreamCreate(&mut null_mut(), 0);
        "free memory", sys::cuMemGetInfo_v2(&mut 0, &mut 0);
        "allocate nothing", sys::cuMemAllocAsync(&mut 0, 0, s.it);
        "free nothing", sys::cuMemFreeAsync(0, s.it);
        "reset the L2 cache", sys::cuCtxResetPersistingL2Cache();
    };
    check(setting, (SUCCESS, SUCCESS), calls);
    let calls = calls! {s:
        "free other memory", sys::cuMemFreeAsync(s.address, s.it);
        "a misaligned fill", sys::cuMemsetD32Async(s.address + 1, 0, 1, s.it);
    };
    check(setting, (CUresult::CUDA_ERROR_INVALID_VALUE, SUCCESS), calls);
    let calls = calls! {s:
        "begin again", sys::cuStreamBeginCapture_v2(s.it, THREAD_LOCAL);
        "end in another stream", sys::cuStreamEndCapture(s.other.cu_stream(), &mut null_mut());
    };
    check(setting, (CUresult::CUDA_ERROR_ILLEGAL_STATE, SUCCESS), calls);
}

#[test]
fn the_legacy_stream_waits_for_blocking_streams() {
    let calls = calls! {s:
        "a launch", s.launch(null_mut(), 1);
        "a fill", sys::cuMemsetD8Async(s.address, 0, 4, 1 as sys::CUstream);
        "a fill that waits", sys::cuMemsetD8_v2(s.address, 0, 4);
        "a copy that waits", sys::cuMemcpyDtoD_v2(s.address, s.address + 64, 64);
        "an event", sys::cuEventRecord(s.event, null_mut());
        "wait for it", sys::cuStreamSynchronize(null_mut());
        "wait for an event", sys::cuStreamWaitEvent(null_mut(), s.event, 0);
    };
    let implicit = CUresult::CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
    check((0, RELAXED), (implicit, INVALIDATED), calls);
    let calls = calls! {s:
        "ask whether it captures", {
            let mut status = sys::CUstreamCaptureStatus::CU_STREAM_CAPTURE_STATUS_NONE;
            sys::cuStreamIsCapturing(null_mut(), &mut status)
        };
    };
    check((0, RELAXED), (implicit, SUCCESS), calls);
    let _context = untracked();
    // SAFETY: refused.
    let begun = unsafe { sys::cuStreamBeginCapture_v2(null_mut(), RELAXED) };
    assert_eq!(begun, CUresult::CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
}

#[test]
fn memory_is_not_allocated_in_a_graph() {
    let calls = calls! {s: "allocate", sys::cuMemAllocAsync(&mut 0, 64, s.it);};
    let unsupported = CUresult::CUDA_ERROR_NOT_SUPPORTED;
    check((NON_BLOCKING, RELAXED), (unsupported, INVALIDATED), calls);
}

/// Lets `other` join the capture of a scene, with a kernel of its own if that is wanted.
fn fork(scene: &Scene, other: sys::CUstream, work: bool) {
    // SAFETY: all handles are live.
    unsafe {
        sys::cuEventRecord(scene.event, scene.it).result().unwrap();
        sys::cuStreamWaitEvent(other, scene.event, 0).result().unwrap();
    }
    if work {
        assert_eq!(scene.launch(other, 1), SUCCESS);
    }
}

/// A capture in global mode concerns all threads, and so those of other tests.
#[test]
fn global_mode_and_what_is_reported() {
    let test = "capture::global_mode_and_what_is_reported";
    let Some(_context) = context_in_own_process(test, &[]) else { return };
    let global = Mode::CU_STREAM_CAPTURE_MODE_GLOBAL;
    let unsupported = CUresult::CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    let cases = [(global, unsupported), (THREAD_LOCAL, SUCCESS)];
    for (mode, expected) in cases {
        let scene = Scene::new(NON_BLOCKING);
        scene.begin(mode);
        let context = scene.context.clone();
        let allocated = std::thread::spawn(move || {
            context.bind_to_thread().unwrap();
            // SAFETY: the result is valid for writing.
            unsafe { sys::cuMemAlloc_v2(&mut 0, 64) }
        });
        assert_eq!(allocated.join().unwrap(), expected);
        let ended = if expected == SUCCESS { SUCCESS } else { INVALIDATED };
        assert_eq!(scene.end(), ended);
    }
    // A graph's launches are reported and looked at as any other.
    let context = untracked();
    let stream = context.new_stream().unwrap();
    let f = kernel(&context, "add");
    let x = stream.clone_htod(&[1f32; 64]).unwrap();
    let graph = captured(&stream, global, || add(&stream, &f, [&x, &x, &x]));
    report();
    for _ in 0..3 {
        graph.launch().unwrap();
    }
    let found = report();
    let launches = found["launches"].as_array().unwrap();
    assert_eq!(launches.len(), 3);
    for launch in launches {
        assert_eq!(launch["kernel"], "add");
        assert_eq!(launch["counters"], launches[0]["counters"]);
        assert_eq!(launch["counters"]["global_load_requests"], 4);
    }
}

#[test]
fn captures_that_end_wrongly() {
    let invalidated = sys::CUstreamCaptureStatus::CU_STREAM_CAPTURE_STATUS_INVALIDATED;
    let none = sys::CUstreamCaptureStatus::CU_STREAM_CAPTURE_STATUS_NONE;
    let scene = Scene::new(NON_BLOCKING);
    let other = scene.other.cu_stream();
    let begin = || scene.begin(THREAD_LOCAL);
    // The origin has to wait for the other stream's work, and for nothing if there is none.
    begin();
    fork(&scene, other, true);
    assert_eq!(scene.end(), CUresult::CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
    assert_eq!(status(other), none);
    begin();
    fork(&scene, other, false);
    assert_eq!(scene.end(), SUCCESS);
    assert_eq!(status(other), none);
    // It is the origin that ends it.
    begin();
    fork(&scene, other, true);
    assert_eq!(end(other).0, CUresult::CUDA_ERROR_STREAM_CAPTURE_UNMATCHED);
    assert_eq!((status(scene.it), status(other)), (invalidated, invalidated));
    assert_eq!(scene.launch(other, 1), INVALIDATED);
    assert_eq!(scene.end(), INVALIDATED);
    assert_eq!((status(scene.it), status(other)), (none, none));
    // Another capture cannot be waited for.
    let second = Scene::new(NON_BLOCKING);
    begin();
    second.begin(THREAD_LOCAL);
    // SAFETY: all handles are live.
    let merged = unsafe {
        sys::cuEventRecord(second.event, second.it).result().unwrap();
        sys::cuStreamWaitEvent(scene.it, second.event, 0)
    };
    assert_eq!(merged, CUresult::CUDA_ERROR_STREAM_CAPTURE_MERGE);
    assert_eq!((scene.end(), second.end()), (INVALIDATED, INVALIDATED));
    // Nor can a capture that is over.
    // SAFETY: all handles are live.
    let late = unsafe { sys::cuStreamWaitEvent(other, second.event, 0) };
    assert_eq!(late, CUresult::CUDA_ERROR_INVALID_VALUE);
    begin();
    // SAFETY: all handles are live.
    let late = unsafe { sys::cuStreamWaitEvent(scene.it, second.event, 0) };
    assert_eq!(late, CUresult::CUDA_ERROR_INVALID_VALUE);
    assert_eq!(scene.end(), INVALIDATED);
}

#[test]
fn another_thread_ends_only_relaxed_captures() {
    let wrong = CUresult::CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD;
    for (mode, expected) in [(THREAD_LOCAL, wrong), (RELAXED, SUCCESS)] {
        let scene = Scene::new(NON_BLOCKING);
        scene.begin(mode);
        let (context, it) = (scene.context.clone(), scene.it as usize);
        let ended = std::thread::spawn(move || {
            context.bind_to_thread().unwrap();
            end(it as sys::CUstream).0
        });
        assert_eq!(ended.join().unwrap(), expected);
        assert_eq!(scene.end(), CUresult::CUDA_ERROR_ILLEGAL_STATE);
    }
}

#[test]
fn what_is_known_of_a_capture() {
    let scene = Scene::new(NON_BLOCKING);
    scene.begin(RELAXED);
    assert_eq!(scene.launch(scene.it, 1), SUCCESS);
    let (mut id, mut graph, mut last, mut count) = (0, null_mut(), null(), 0);
    let mut status = sys::CUstreamCaptureStatus::CU_STREAM_CAPTURE_STATUS_NONE;
    // SAFETY: the results are valid for writing, and the nodes until the stream's next call.
    unsafe {
        let info = sys::cuStreamGetCaptureInfo_v2(
            scene.it,
            &mut status,
            &mut id,
            &mut graph,
            &mut last,
            &mut count,
        );
        info.result().unwrap();
        assert_eq!((status as u32, count), (1, 1));
        assert!(id > 0);
        assert_eq!(kind(*last), KERNEL);
    }
    assert_eq!(end(scene.it), (SUCCESS, graph));
}

const KERNEL: sys::CUgraphNodeType = sys::CUgraphNodeType::CU_GRAPH_NODE_TYPE_KERNEL;

fn kind(node: sys::CUgraphNode) -> sys::CUgraphNodeType {
    let mut kind = sys::CUgraphNodeType::CU_GRAPH_NODE_TYPE_EMPTY;
    // SAFETY: the node is live, and the result valid for writing.
    unsafe { sys::cuGraphNodeGetType(node, &mut kind) }.result().unwrap();
    kind
}

#[test]
fn the_threads_own_stream_captures() {
    type Copy = unsafe extern "C" fn(sys::CUdeviceptr, *const u8, usize) -> CUresult;
    let scene = Scene::new(NON_BLOCKING);
    let own = 2 as sys::CUstream;
    let name = "cuMemcpyHtoD_v2_ptds";
    // SAFETY: the function has this type.
    let copy = unsafe { LIBRARY.get::<Copy>(name) }.expect("exported");
    // A copy that waits, in that stream and in the legacy one.
    let calls: [(&dyn Fn() -> CUresult, CUresult); 2] = [
        (
            // SAFETY: the array has 64 bytes, and the allocation more.
            &|| unsafe { copy(scene.address, [0; 64].as_ptr(), 64) },
            CUresult::CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
        ),
        (
            // SAFETY: the allocation has more bytes.
            &|| unsafe { sys::cuMemsetD8_v2(scene.address, 0, 64) },
            CUresult::CUDA_ERROR_STREAM_CAPTURE_IMPLICIT,
        ),
    ];
    for (call, expected) in calls {
        // SAFETY: the stream is always there.
        let begun = unsafe { sys::cuStreamBeginCapture_v2(own, RELAXED) };
        assert_eq!(begun, SUCCESS);
        assert_eq!(scene.launch(own, 1), SUCCESS);
        assert_eq!((call(), end(own).0), (expected, INVALIDATED));
    }
}
