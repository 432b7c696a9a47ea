//! Streams, events, and host functions in their order.

use std::ffi::c_void;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use crate::common::{code, context, kernel, launch, one_block};
use cudarc::driver::sys::{self, CUevent_flags, CUresult, CUstream_flags};
use cudarc::driver::{CudaSlice, CudaStream, result};

#[test]
fn streams_wait_for_each_other() {
    let context = context();
    let (first, second) = (context.new_stream().unwrap(), context.new_stream().unwrap());
    let mut data = first.alloc_zeros::<u32>(1).unwrap();
    let poke = kernel(&context, "poke");
    launch!(first, poke, one_block(1), &mut data).unwrap();
    let event = first.record_event(None).unwrap();
    second.wait(&event).unwrap();
    assert_eq!(second.clone_dtoh(&data).unwrap(), [1]);
    assert!(event.is_complete());
    first.synchronize().unwrap();
    second.join(&first).unwrap();
}

#[test]
fn flags_and_priorities() {
    let _context = context();
    let (mut flags, mut priority) = (9, 9);
    let kind = result::stream::StreamKind::NonBlocking;
    let stream = result::stream::create(kind).unwrap();
    // SAFETY: the stream is live, and the results are valid for writing.
    unsafe {
        sys::cuStreamGetFlags(stream, &mut flags).result().unwrap();
        assert_eq!(flags, CUstream_flags::CU_STREAM_NON_BLOCKING as u32);
        let mut urgent = std::ptr::null_mut();
        sys::cuStreamCreateWithPriority(&mut urgent, 0, -100).result().unwrap();
        sys::cuStreamGetPriority(urgent, &mut priority).result().unwrap();
        assert_eq!(priority, -5);
        result::stream::destroy(stream).unwrap();
        let invalid = CUresult::CUDA_ERROR_INVALID_HANDLE;
        assert_eq!(code(result::stream::destroy(stream)), invalid);
        assert_eq!(code(result::stream::synchronize(stream)), invalid);
        assert_eq!(code(sys::cuStreamGetFlags(stream, &mut flags).result()), invalid);
    }
}

#[test]
fn events_measure_time() {
    let context = context();
    let stream = context.default_stream();
    let timed = Some(CUevent_flags::CU_EVENT_DEFAULT);
    let start = stream.record_event(timed).unwrap();
    std::thread::sleep(std::time::Duration::from_millis(5));
    let end = stream.record_event(timed).unwrap();
    let milliseconds = start.elapsed_ms(&end).unwrap();
    assert!((5.0..5000.0).contains(&milliseconds), "{milliseconds}");
    assert!(end.elapsed_ms(&start).unwrap() <= -5.0);
    let untimed = stream.record_event(None).unwrap();
    let invalid = CUresult::CUDA_ERROR_INVALID_HANDLE;
    assert_eq!(code(start.elapsed_ms(&untimed)), invalid);
    let unrecorded = context.new_event(timed).unwrap();
    assert_eq!(code(start.elapsed_ms(&unrecorded)), invalid);
}

#[test]
fn events_that_are_none() {
    let _context = context();
    let invalid = CUresult::CUDA_ERROR_INVALID_HANDLE;
    let null = std::ptr::null_mut();
    for event in [std::ptr::null_mut(), 12 as sys::CUevent] {
        // SAFETY: refused.
        unsafe {
            assert_eq!(code(result::event::record(event, null)), invalid);
            assert_eq!(code(result::event::synchronize(event)), invalid);
            assert_eq!(code(result::event::destroy(event)), invalid);
        }
    }
}

#[test]
fn host_functions_run_in_order() {
    static SEEN: AtomicU32 = AtomicU32::new(0);
    unsafe extern "C" fn see(user_data: *mut c_void) {
        SEEN.store(user_data as usize as u32, Ordering::SeqCst);
    }
    let context = context();
    let stream = context.new_stream().unwrap();
    let number = 77usize as *mut _;
    // SAFETY: the function only looks at the number.
    unsafe { sys::cuLaunchHostFunc(stream.cu_stream(), Some(see), number) }.result().unwrap();
    stream.synchronize().unwrap();
    assert_eq!(SEEN.load(Ordering::SeqCst), 77);
    // SAFETY: refused.
    let error = unsafe { sys::cuLaunchHostFunc(stream.cu_stream(), None, number) }.result();
    assert_eq!(code(error), CUresult::CUDA_ERROR_INVALID_VALUE);
}

/// Waits until the host sends, or for five seconds.
unsafe extern "C" fn wait_for_host(receiver: *mut c_void) {
    // SAFETY: the receiver outlives the call.
    let receiver = unsafe { &*receiver.cast::<Receiver<()>>() };
    let _ = receiver.recv_timeout(Duration::from_secs(5));
}

#[test]
fn a_host_function_may_wait_for_the_host() {
    let context = context();
    let [stream, other, third] = [(); 3].map(|()| context.new_stream().unwrap());
    let poke = kernel(&context, "poke");
    let first = stream.alloc_zeros::<u32>(1).unwrap();
    let second = stream.alloc_zeros::<u32>(1).unwrap();
    let launch = |stream: &Arc<CudaStream>, data: &CudaSlice<u32>| {
        launch!(stream, poke, one_block(1), data).unwrap();
    };
    let word = |data: &CudaSlice<u32>| third.clone_dtoh(data).unwrap()[0];
    // The kernels use the memory without events, so that only the streams order them.
    // SAFETY: the streams are synchronized before the memory is used otherwise.
    unsafe { context.disable_event_tracking() };
    let (release, receiver) = channel::<()>();
    let user_data = (&raw const receiver).cast_mut().cast();
    // SAFETY: the receiver lives until the streams are synchronized.
    unsafe { sys::cuLaunchHostFunc(stream.cu_stream(), Some(wait_for_host), user_data) }
        .result()
        .unwrap();
    let timed = Some(CUevent_flags::CU_EVENT_DEFAULT);
    let event = stream.record_event(timed).unwrap();
    launch(&stream, &first);
    other.wait(&event).unwrap();
    launch(&other, &second);
    // SAFETY: the streams are live.
    let query = |stream: &Arc<CudaStream>| unsafe { sys::cuStreamQuery(stream.cu_stream()) };
    let not_ready = CUresult::CUDA_ERROR_NOT_READY;
    assert_eq!([&stream, &other].map(query), [not_ready; 2]);
    assert_eq!(event.try_is_complete(), Ok(false));
    // SAFETY: the event is live.
    let elapsed = unsafe { result::event::elapsed(event.cu_event(), event.cu_event()) };
    assert_eq!(code(elapsed), not_ready);
    assert_eq!([word(&first), word(&second)], [0, 0]);
    assert_eq!(query(&third), CUresult::CUDA_SUCCESS);
    release.send(()).unwrap();
    other.synchronize().unwrap();
    stream.synchronize().unwrap();
    assert_eq!(event.try_is_complete(), Ok(true));
    assert_eq!([word(&first), word(&second)], [1, 1]);
    assert_eq!([&stream, &other].map(query), [CUresult::CUDA_SUCCESS; 2]);
}

#[test]
fn what_follows_a_host_function_keeps_its_order() {
    let context = context();
    let stream = context.new_stream().unwrap();
    let mut data = stream.alloc_zeros::<u32>(1000).unwrap();
    for round in 0..4u32 {
        let (release, receiver) = channel::<()>();
        let user_data = (&raw const receiver).cast_mut().cast();
        let call = || {
            // SAFETY: the receiver lives until the stream is synchronized.
            unsafe { sys::cuLaunchHostFunc(stream.cu_stream(), Some(wait_for_host), user_data) }
                .result()
                .unwrap();
        };
        call();
        stream.memset_zeros(&mut data).unwrap();
        call();
        let later = std::thread::spawn(move || {
            release.send(()).unwrap();
            release.send(()).unwrap();
        });
        // Ordinary memory of the host can be used again at once, so this waits.
        stream.memcpy_htod(&[round + 1; 500], &mut data).unwrap();
        stream.synchronize().unwrap();
        later.join().unwrap();
        let mut expected = vec![round + 1; 500];
        expected.resize(1000, 0);
        assert_eq!(stream.clone_dtoh(&data).unwrap(), expected);
    }
}
