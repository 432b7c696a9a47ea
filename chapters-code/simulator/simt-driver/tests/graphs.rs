//! Streams that are captured, and the graphs that are replayed.

use std::ptr::null_mut;
use std::sync::Arc;

use crate::common::{blocks, context, kernel, launch, load, one_block};
use cudarc::driver::sys::{self, CUstreamCaptureMode as Mode};
use cudarc::driver::{
    CudaContext, CudaFunction, CudaGraph, CudaSlice, CudaStream, LaunchConfig, PushKernelArg,
};

const THREAD_LOCAL: Mode = Mode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
const PLAIN: sys::CUgraphInstantiate_flags = sys::CUgraphInstantiate_flags(0);

/// A context whose slices bring no events of their own into a capture.
pub fn untracked() -> Arc<CudaContext> {
    let context = context();
    // SAFETY: every test orders its streams by itself.
    unsafe { context.disable_event_tracking() };
    context
}

/// What a stream's capture yields.
pub fn captured(stream: &Arc<CudaStream>, mode: Mode, work: impl FnOnce()) -> CudaGraph {
    stream.begin_capture(mode).unwrap();
    work();
    stream.end_capture(PLAIN).unwrap().expect("a graph")
}

/// `c[i] = a[i] + b[i]` for as many elements as `c` has.
pub fn add(stream: &Arc<CudaStream>, f: &CudaFunction, [c, a, b]: [&CudaSlice<f32>; 3]) {
    let n = c.len() as u32;
    launch!(stream, *f, LaunchConfig::for_num_elems(n), c, a, b, &n).unwrap();
}

#[test]
fn a_capture_is_replayed_with_the_memory_of_the_moment() {
    let context = untracked();
    let stream = context.new_stream().unwrap();
    let f = kernel(&context, "add");
    let mut a = stream.clone_htod(&[1f32; 300]).unwrap();
    let b = stream.clone_htod(&[10f32; 300]).unwrap();
    let c = stream.alloc_zeros::<f32>(300).unwrap();
    let graph = captured(&stream, THREAD_LOCAL, || add(&stream, &f, [&c, &a, &b]));
    assert_eq!(stream.clone_dtoh(&c).unwrap(), [0f32; 300], "nothing ran");
    for round in 1..=3 {
        stream.memcpy_htod(&[round as f32; 300], &mut a).unwrap();
        graph.launch().unwrap();
        assert_eq!(stream.clone_dtoh(&c).unwrap(), [round as f32 + 10.; 300]);
    }
}

#[test]
fn arguments_are_copied_and_pointers_are_kept() {
    let context = untracked();
    let stream = context.new_stream().unwrap();
    let f = kernel(&context, "add");
    let a = stream.clone_htod(&[1f32; 8]).unwrap();
    let c = stream.alloc_zeros::<f32>(8).unwrap();
    let mut n = 4u32;
    let graph = captured(&stream, THREAD_LOCAL, || {
        launch!(stream, f, one_block(8), &c, &a, &a, &n).unwrap();
    });
    n += 4;
    graph.launch().unwrap();
    let expected = [2., 2., 2., 2., 0., 0., 0., 0.];
    assert_eq!(stream.clone_dtoh(&c).unwrap(), expected, "{n}");
}

#[test]
fn fills_and_copies_are_captured() {
    let context = untracked();
    let stream = context.new_stream().unwrap();
    let mut data = stream.clone_htod(&[7u32; 16]).unwrap();
    let mut copy = stream.alloc_zeros::<u32>(16).unwrap();
    let (mut from_host, mut to_host) = ([1u32; 4], [0u32; 16]);
    let graph = captured(&stream, THREAD_LOCAL, || {
        stream.memset_zeros(&mut data).unwrap();
        stream.memcpy_htod(&from_host, &mut data.slice_mut(4..8)).unwrap();
        stream.memcpy_dtod(&data, &mut copy).unwrap();
        stream.memcpy_dtoh(&copy, &mut to_host).unwrap();
    });
    assert_eq!(to_host, [0; 16]);
    for value in [5, 6] {
        from_host.fill(value);
        graph.launch().unwrap();
        stream.synchronize().unwrap();
        let mut expected = [0; 16];
        expected[4..8].fill(value);
        assert_eq!(to_host, expected);
    }
}

#[test]
fn streams_fork_and_join() {
    let context = untracked();
    let (origin, other) = (context.new_stream().unwrap(), context.new_stream().unwrap());
    let f = kernel(&context, "add");
    let one = origin.clone_htod(&[1f32; 32]).unwrap();
    let [x, y, z] = [(); 3].map(|()| origin.alloc_zeros::<f32>(32).unwrap());
    let graph = captured(&origin, THREAD_LOCAL, || {
        add(&origin, &f, [&x, &one, &one]);
        other.wait(&origin.record_event(None).unwrap()).unwrap();
        let active = sys::CUstreamCaptureStatus::CU_STREAM_CAPTURE_STATUS_ACTIVE;
        assert_eq!(other.capture_status().unwrap(), active);
        add(&other, &f, [&y, &x, &one]);
        add(&origin, &f, [&z, &x, &x]);
        origin.wait(&other.record_event(None).unwrap()).unwrap();
        add(&origin, &f, [&z, &y, &z]);
    });
    let none = sys::CUstreamCaptureStatus::CU_STREAM_CAPTURE_STATUS_NONE;
    assert_eq!(other.capture_status().unwrap(), none);
    assert_eq!(edges(graph.cu_graph()), 4);
    for _ in 0..2 {
        graph.launch().unwrap();
        assert_eq!(origin.clone_dtoh(&z).unwrap(), [3. + 4.; 32]);
    }
}

/// How many dependencies a graph has.
fn edges(graph: sys::CUgraph) -> usize {
    let mut count = 0;
    // SAFETY: the graph is live; without arrays only the number is written.
    let found = unsafe { sys::cuGraphGetEdges(graph, null_mut(), null_mut(), &mut count) };
    found.result().unwrap();
    count
}

#[test]
fn a_cooperative_launch_is_captured() {
    let context = untracked();
    let stream = context.new_stream().unwrap();
    let f = load(&context, include_str!("kernels/grid_sync.ptx"), "rotate_rounds");
    let x = stream.alloc_zeros::<u32>(3 * 32).unwrap();
    let y = stream.alloc_zeros::<u32>(3 * 32).unwrap();
    let graph = captured(&stream, THREAD_LOCAL, || {
        let mut launch = stream.launch_builder(&f);
        launch.arg(&x).arg(&y).arg(&2u32);
        // SAFETY: the arguments are those of the kernel, and each thread has its elements.
        unsafe { launch.launch_cooperative(blocks(3, 32)) }.unwrap();
    });
    for round in 1..=3 {
        graph.launch().unwrap();
        assert_eq!(stream.clone_dtoh(&x).unwrap(), [2 * round; 96]);
    }
}
