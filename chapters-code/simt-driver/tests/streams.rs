//! Streams, events, and host functions in their order.

use std::sync::atomic::{AtomicU32, Ordering};

use crate::common::{code, context, kernel, one_block};
use cudarc::driver::sys::{self, CUevent_flags, CUresult, CUstream_flags};
use cudarc::driver::{PushKernelArg, result};

#[test]
fn streams_wait_for_each_other() {
    let context = context();
    let (first, second) = (context.new_stream().unwrap(), context.new_stream().unwrap());
    let mut data = first.alloc_zeros::<u32>(1).unwrap();
    let poke = kernel(&context, "poke");
    // SAFETY: the argument is that of the kernel.
    unsafe {
        first
            .launch_builder(&poke)
            .arg(&mut data)
            .launch(one_block(1))
    }
    .unwrap();
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
        sys::cuStreamCreateWithPriority(&mut urgent, 0, -100)
            .result()
            .unwrap();
        sys::cuStreamGetPriority(urgent, &mut priority)
            .result()
            .unwrap();
        assert_eq!(priority, -5);
        result::stream::destroy(stream).unwrap();
        let invalid = CUresult::CUDA_ERROR_INVALID_HANDLE;
        assert_eq!(code(result::stream::destroy(stream)), invalid);
        assert_eq!(code(result::stream::synchronize(stream)), invalid);
        assert_eq!(
            code(sys::cuStreamGetFlags(stream, &mut flags).result()),
            invalid
        );
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
    unsafe extern "C" fn see(user_data: *mut std::ffi::c_void) {
        SEEN.store(user_data as usize as u32, Ordering::SeqCst);
    }
    let context = context();
    let stream = context.new_stream().unwrap();
    let number = 77usize as *mut _;
    // SAFETY: the function only looks at the number.
    unsafe { sys::cuLaunchHostFunc(stream.cu_stream(), Some(see), number) }
        .result()
        .unwrap();
    stream.synchronize().unwrap();
    assert_eq!(SEEN.load(Ordering::SeqCst), 77);
    // SAFETY: refused.
    let error = unsafe { sys::cuLaunchHostFunc(stream.cu_stream(), None, number) }.result();
    assert_eq!(code(error), CUresult::CUDA_ERROR_INVALID_VALUE);
}
