//! Windows: registered by all ranks, used by collectives, and what is refused.

use std::{
    ffi::{c_int, c_void},
    ptr::{null_mut, without_provenance_mut},
    thread,
    time::Duration,
};

use cudarc::{
    driver::result,
    nccl::{group_end, group_start, sys, sys::ncclResult_t::*},
};

use crate::common::{Raw, address, check_report, code, device, element, last_error};

const SYMMETRIC: c_int = 1;
const FLOAT: sys::ncclDataType_t = sys::ncclDataType_t::ncclFloat32;
const SUM: sys::ncclRedOp_t = sys::ncclRedOp_t::ncclSum;

/// Memory of `ncclMemAlloc` of the rank, with these values in front.
fn allocate(raw: &Raw, rank: usize, bytes: usize, values: &[f32]) -> *mut c_void {
    raw.streams[rank].context().bind_to_thread().expect("the rank's context");
    let mut memory = null_mut();
    // SAFETY: the values fit the memory, which nothing else uses yet.
    unsafe {
        assert_eq!(sys::ncclMemAlloc(&mut memory, bytes), ncclSuccess);
        result::memcpy_htod_sync(memory.addr() as u64, values).expect("a copy");
    }
    memory
}

/// What memory holds.
fn contents(raw: &Raw, rank: usize, memory: *mut c_void, count: usize) -> Vec<f32> {
    raw.streams[rank].synchronize().expect("the kernels have ended");
    let mut values = vec![0.0; count];
    // SAFETY: the memory has as many elements.
    unsafe { result::memcpy_dtoh_sync(&mut values, memory.addr() as u64) }.expect("a copy");
    values
}

/// Registers the whole memory of each rank, in a group.
fn register(raw: &Raw, memory: &[*mut c_void], bytes: usize) -> Vec<sys::ncclWindow_t> {
    let mut windows = vec![null_mut(); memory.len()];
    // SAFETY: the handles are written before the group has ended.
    raw.in_group(|rank, comm, _| unsafe {
        sys::ncclCommWindowRegister(comm, memory[rank], bytes, &mut windows[rank], SYMMETRIC)
    });
    assert!(windows.iter().all(|window| !window.is_null()));
    windows
}

/// Makes sure of the code and the text of an error.
#[track_caller]
fn check(found: sys::ncclResult_t, wanted: sys::ncclResult_t, part: &str) {
    let text = last_error();
    assert!(found == wanted && text.contains(part), "{found:?}, no `{part}` in: {text}");
}

/// Collectives whose buffers are windows do what they do elsewhere.
#[test]
fn collectives_in_windows() {
    let (_one, device) = device();
    let (raw, ranks, count) = (Raw::new(3), 3, 999);
    let values = |rank| (0..count).map(|i| element(rank, i) as f32).collect::<Vec<_>>();
    let bytes = 4 * ranks * count;
    let sends: Vec<_> = (0..ranks).map(|rank| allocate(&raw, rank, bytes, &values(rank))).collect();
    let receives: Vec<_> = (0..ranks).map(|rank| allocate(&raw, rank, bytes, &[])).collect();
    let windows = [register(&raw, &sends, bytes), register(&raw, &receives, bytes)];

    // SAFETY: buffers of `ranks * count` elements.
    raw.in_group(|rank, comm, stream| unsafe {
        sys::ncclAllReduce(sends[rank], receives[rank], count, FLOAT, SUM, comm, stream)
    });
    let sums: Vec<f32> =
        (0..count).map(|i| (0..ranks).map(|rank| element(rank, i) as f32).sum()).collect();
    for (rank, &receive) in receives.iter().enumerate() {
        assert_eq!(contents(&raw, rank, receive, count), sums);
    }
    // SAFETY: as above.
    raw.in_group(|rank, comm, stream| unsafe {
        sys::ncclAlltoAll(sends[rank], receives[rank], count / ranks, FLOAT, comm, stream)
    });
    for (rank, &receive) in receives.iter().enumerate() {
        let part = rank * count / ranks..(rank + 1) * count / ranks;
        let parts: Vec<f32> =
            (0..ranks).flat_map(|from| values(from)[part.clone()].to_vec()).collect();
        assert_eq!(contents(&raw, rank, receive, count), parts);
    }
    check_report(device);

    for rank in 0..ranks {
        for (memory, windows) in [&sends, &receives].into_iter().zip(&windows) {
            // SAFETY: the library looks handles and addresses up.
            unsafe {
                check(sys::ncclMemFree(memory[rank]), ncclInvalidUsage, "still has window");
                let (comm, window) = (raw.comms[rank], windows[rank]);
                assert_eq!(sys::ncclCommWindowDeregister(comm, window), ncclSuccess);
                let again = sys::ncclCommWindowDeregister(comm, window);
                check(again, ncclInvalidArgument, "not a window of this rank");
                assert_eq!(sys::ncclCommWindowDeregister(comm, null_mut()), ncclSuccess);
                assert_eq!(sys::ncclMemFree(memory[rank]), ncclSuccess);
            }
        }
    }
}

#[test]
fn arguments() {
    let (_one, _device) = device();
    let raw = Raw::new(2);
    let [own, other] = [0, 1].map(|rank| allocate(&raw, rank, 8192, &[]));
    let plain = raw.buffers::<f32>(|_| vec![0.0; 2048]);
    let inside = |bytes| own.wrapping_byte_add(bytes);
    let cases = [
        (address(&plain[0]), 4096, 1, "is not in memory of ncclMemAlloc"),
        (without_provenance_mut(64), 4096, 1, "is not in memory of ncclMemAlloc"),
        (inside(8192), 4096, 1, "is not in memory of ncclMemAlloc"),
        (own, 0, 1, "0 bytes"),
        (own, 8193, 1, "8193 bytes"),
        (inside(4096), usize::MAX, 1, "where 4096 are left"),
        (inside(512), 4096, 1, "byte 512 of its memory, which is not a multiple of 4096"),
        (own, 8192, 2, "0x2 are not flags"),
        (other, 8192, 1, "on device 1, and rank 0 is on device 0"),
    ];
    let mut window = null_mut();
    for (at, bytes, flags, part) in cases {
        // SAFETY: each call is refused.
        let found =
            unsafe { sys::ncclCommWindowRegister(raw.comms[0], at, bytes, &mut window, flags) };
        check(found, ncclInvalidArgument, part);
    }
    // SAFETY: each call is refused.
    unsafe {
        let to_null = sys::ncclCommWindowRegister(raw.comms[0], own, 8192, null_mut(), 1);
        check(to_null, ncclInvalidArgument, "a null pointer for the result");
        let unknown = without_provenance_mut(1 << 40);
        let found = sys::ncclCommWindowRegister(unknown, own, 8192, &mut window, 1);
        check(found, ncclInvalidArgument, "not a communicator");
        check(sys::ncclMemAlloc(null_mut(), 8), ncclInvalidArgument, "a null pointer");
    }
}

/// Windows of several sizes, and buffers at several offsets.
#[test]
fn what_does_not_match() {
    let (_one, device) = device();
    let raw = Raw::new(2);
    let memory = [0, 1].map(|rank| allocate(&raw, rank, 8192, &[]));
    let mut windows = [null_mut(); 2];
    group_start().expect("a group");
    for (rank, bytes) in [4096, 8192].into_iter().enumerate() {
        let (comm, to) = (raw.comms[rank], &mut windows[rank]);
        // SAFETY: the handles are live until the group has ended.
        let found =
            unsafe { sys::ncclCommWindowRegister(comm, memory[rank], bytes, to, SYMMETRIC) };
        assert_eq!(found, ncclSuccess);
    }
    let part = "rank 1 calls ncclCommWindowRegister of 8192 bytes with flags 0x1, where rank 0 has called \
                ncclCommWindowRegister of 4096 bytes";
    check(code(group_end()), ncclInvalidArgument, part);
    assert!(windows.iter().all(|window| window.is_null()));

    register(&raw, &memory, 8192);
    group_start().expect("a group");
    for (rank, offset) in [0, 4].into_iter().enumerate() {
        let at = memory[rank].wrapping_byte_add(offset);
        let (comm, stream) = (raw.comms[rank], raw.streams[rank].cu_stream().cast());
        // SAFETY: the group is refused.
        let found = unsafe { sys::ncclAllReduce(at, at, 100, FLOAT, SUM, comm, stream) };
        assert_eq!(found, ncclSuccess);
    }
    check(code(group_end()), ncclInvalidArgument, "send buffer at byte 4 of window 1");
    check_report(device);
}

/// Each thread waits for the others.
#[test]
fn a_thread_per_rank() {
    let (_one, _device) = device();
    let raw = Raw::new(3);
    let threads = [0, 1, 2].map(|rank| {
        let (context, comm) = (raw.streams[rank].context().clone(), raw.comms[rank].addr());
        thread::spawn(move || {
            let comm = without_provenance_mut(comm);
            let (mut memory, mut window) = (null_mut(), null_mut());
            context.bind_to_thread().expect("its context");
            thread::sleep(Duration::from_millis(20 * rank as u64));
            // SAFETY: a live rank, and memory of its own.
            unsafe {
                assert_eq!(sys::ncclMemAlloc(&mut memory, 4096), ncclSuccess);
                let found = sys::ncclCommWindowRegister(comm, memory, 4096, &mut window, SYMMETRIC);
                assert_eq!(found, ncclSuccess);
                assert_eq!(sys::ncclCommWindowDeregister(comm, window), ncclSuccess);
                assert_eq!(sys::ncclMemFree(memory), ncclSuccess);
            }
        })
    });
    for thread in threads {
        thread.join().expect("it ends");
    }
}

/// One thread that registers rank after rank, without a group. It takes half a minute.
#[test]
#[ignore = "takes long"]
fn exhaustive_without_a_group() {
    let (_one, _device) = device();
    let raw = Raw::new(2);
    let memory = allocate(&raw, 0, 4096, &[]);
    let mut window = null_mut();
    // SAFETY: a live rank, and memory of its own.
    let found =
        unsafe { sys::ncclCommWindowRegister(raw.comms[0], memory, 4096, &mut window, SYMMETRIC) };
    let part =
        "of 2 ranks, rank 1 never called ncclCommWindowRegister, which returns when all ranks";
    check(found, ncclSystemError, part);
}
