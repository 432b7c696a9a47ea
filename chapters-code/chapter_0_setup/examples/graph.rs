//! `cargo run --release -p chapter_0_setup --example graph`: a CUDA graph. Twenty launches of `vector_add` are
//! captured once, and then started together by one call.

use chapter_0_setup::{VECTOR_ADD_PTX, launch_vector_add};
use cudarc::driver::sys::{CUgraphInstantiate_flags, CUstreamCaptureMode};
use cudarc::nvrtc::Ptx;
use harness::{Device, DeviceChoice};

/// Small, so that starting a kernel takes longer than running it.
const N: usize = 1 << 10;
const LAUNCHES: u32 = 20;

fn main() -> anyhow::Result<()> {
    let device = Device::open(DeviceChoice::Auto)?;
    let context = &device.context;
    let kernel = context.load_module(Ptx::from_src(VECTOR_ADD_PTX))?.load_function("vector_add")?;
    // ANCHOR: capture
    // By default cudarc records an event after each use of a buffer, and later uses wait for it.
    // While a stream is captured, CUDA refuses to wait for events from before the capture. So
    // switch the events off.
    // SAFETY: all buffers are used on one stream, whose order is all that they need.
    unsafe { context.disable_event_tracking() };
    // A stream of our own: cudarc's default stream is CUDA's legacy stream, which CUDA does not
    // capture.
    let stream = context.new_stream()?;
    let a = stream.clone_htod(&vec![1.0f32; N])?;
    let b = stream.clone_htod(&vec![2.0f32; N])?;
    let mut out = stream.alloc_zeros::<f32>(N)?;
    stream.synchronize()?;

    // From here on, the calls on this stream are recorded, not executed.
    stream.begin_capture(CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL)?;
    for _ in 0..LAUNCHES {
        launch_vector_add(&stream, &kernel, &a, &b, &mut out.as_view_mut())?;
    }
    let graph = stream.end_capture(CUgraphInstantiate_flags(0))?.expect("a capture was begun");

    graph.launch()?; // all twenty, by one call, as often as wanted
    stream.synchronize()?;
    // ANCHOR_END: capture
    anyhow::ensure!(stream.clone_dtoh(&out)?.iter().all(|&sum| sum == 3.0), "wrong sums");
    println!("{}: the graph's sums are right", device.properties.name);
    Ok(())
}
