//! Calls that are wrong: each gives NCCL's code, and a text that names what is wrong.

use std::{ffi::CStr, process::Command};

use cudarc::nccl::{ReduceOp, group_end, group_start, result, sys, sys::ncclResult_t::*};

use crate::common::{
    Raw, address, check_report, code, comms, device, in_group, inputs, last_error, outputs,
};

/// Makes sure of the code and the text of an error.
#[track_caller]
fn check(found: sys::ncclResult_t, wanted: sys::ncclResult_t, parts: &[&str]) {
    let text = last_error();
    assert_eq!(found, wanted, "{text}");
    for part in parts {
        assert!(text.contains(part), "no `{part}` in: {text}");
    }
}

#[test]
fn arguments() {
    let (_one, device) = device();
    let raw = Raw::new(2);
    let buffers = raw.buffers::<f32>(|_| vec![1.0; 10]);
    let (at, comm) = (address(&buffers[0]), raw.comms[0]);
    let [own, other] = [0, 1].map(|rank| raw.streams[rank].cu_stream().cast());
    let (float, sum) = (sys::ncclDataType_t::ncclFloat32, sys::ncclRedOp_t::ncclSum);
    let argument = ncclInvalidArgument;
    // SAFETY: each call is refused before anything is launched.
    unsafe {
        let all_reduce = |count, data_type, comm, stream| {
            sys::ncclAllReduce(at, at, count, data_type, sum, comm, stream)
        };
        check(
            all_reduce(11, float, comm, own),
            argument,
            &["send buffer", "11 ncclFloat32", "40 bytes"],
        );
        check(all_reduce(1 << 31, float, comm, own), argument, &["2147483648 ncclFloat32"]);
        check(all_reduce(usize::MAX, float, comm, own), argument, &["do not fit"]);
        check(all_reduce(1, float, comm, other), argument, &["not of device 0, which is rank 0's"]);
        let eight = sys::ncclDataType_t::ncclFloat8e4m3;
        check(all_reduce(1, eight, comm, own), argument, &["ncclFloat8e4m3"]);
        check(all_reduce(1, sys::ncclDataType_t::ncclNumTypes, comm, own), argument, &["12"]);
        let unknown = std::ptr::without_provenance_mut(1 << 40);
        check(all_reduce(1, float, unknown, own), argument, &["not a communicator"]);
        let null = std::ptr::null_mut();
        let to_null = sys::ncclAllReduce(at, null, 1, float, sum, comm, own);
        check(to_null, argument, &["receive buffer", "not in device memory"]);
        for root in [-1, 2] {
            let found = sys::ncclBroadcast(at, at, 1, float, root, comm, own);
            check(found, argument, &["ncclBroadcast: root", "2 ranks"]);
        }
        check(sys::ncclSend(at, 1, float, 2, comm, own), argument, &["ncclSend: peer 2"]);
        let none = sys::ncclRedOp_t::ncclNumOps;
        check(
            sys::ncclReduce(at, at, 1, float, none, 0, comm, own),
            argument,
            &["not an operator"],
        );
        check(sys::ncclGetVersion(std::ptr::null_mut()), argument, &["null pointer"]);
    }
    assert!(device.take().expect("a report").launches.is_empty());
}

#[test]
fn groups() {
    let (_one, device) = device();
    check(code(group_end()), ncclInvalidUsage, &["no ncclGroupStart"]);
    let raw = Raw::new(2);
    let buffers = raw.buffers::<f32>(|_| vec![1.0; 10]);
    group_start().expect("a group");
    for (rank, root) in [(0, 0), (1, 5)] {
        let (at, stream) = (address(&buffers[rank]), raw.streams[rank].cu_stream().cast());
        let float = sys::ncclDataType_t::ncclFloat32;
        // SAFETY: buffers of 10 elements.
        unsafe { sys::ncclBroadcast(at, at, 10, float, root, raw.comms[rank], stream) };
    }
    check(code(group_end()), ncclInvalidUsage, &["a call of the group has failed"]);
    // Also a type or an operator that is none fails the group.
    let (float, no_type) = (sys::ncclDataType_t::ncclFloat32, sys::ncclDataType_t::ncclNumTypes);
    let (sum, no_op) = (sys::ncclRedOp_t::ncclSum, sys::ncclRedOp_t::ncclNumOps);
    let at = address(&buffers[0]);
    let (comm, stream) = (raw.comms[0], raw.streams[0].cu_stream().cast());
    for wrong in 0..3 {
        group_start().expect("a group");
        // SAFETY: buffers of 10 elements, and nothing is launched.
        let found = unsafe {
            match wrong {
                0 => sys::ncclAllReduce(at, at, 10, no_type, sum, comm, stream),
                1 => sys::ncclAllReduce(at, at, 10, float, no_op, comm, stream),
                _ => sys::ncclAlltoAll(at, at, 5, no_type, comm, stream),
            }
        };
        assert_eq!(found, ncclInvalidArgument);
        check(code(group_end()), ncclInvalidUsage, &["a call of the group has failed"]);
    }
    assert!(device.take().expect("a report").launches.is_empty());
    // A group in a group ends with the outer one.
    group_start().expect("a group");
    group_start().expect("a group in it");
    group_end().expect("the inner one");
    assert_eq!(code(group_end()), ncclSuccess);
}

/// The rank that calls later learns what does not match, and may call again.
#[test]
fn calls_that_do_not_match() {
    let (_one, device) = device();
    let comms = comms(2);
    let sends = inputs::<f32>(&comms, 100);
    let mut receives = outputs::<f32>(&comms, 100);
    let (first, second) = receives.split_at_mut(1);
    let (first, second) = (&mut first[0], &mut second[0]);
    comms[0].all_reduce(&sends[0], first, &ReduceOp::Sum).expect("it is enqueued");
    let mut call = |count, op| {
        code(comms[1].all_reduce(&sends[1].slice(..count), &mut second.slice_mut(..count), &op))
    };
    let parts =
        ["rank 1 calls ncclAllReduce of 99 ncclFloat32", "rank 0 has called ncclAllReduce of 100"];
    check(call(99, ReduceOp::Sum), ncclInvalidArgument, &parts);
    check(call(100, ReduceOp::Max), ncclInvalidArgument, &["with ncclMax", "with ncclSum"]);
    assert_eq!(call(100, ReduceOp::Sum), ncclSuccess);

    comms[0].send(&sends[0], 1).expect("it is enqueued");
    let short = comms[1].recv(&mut second.slice_mut(..50), 0);
    let parts = ["rank 1 receives 50 ncclFloat32", "rank 0 sends 100 ncclFloat32"];
    check(code(short), ncclInvalidArgument, &parts);
    comms[1].recv(second, 0).expect("it matches");
    in_group(&comms, |comm| comm.stream().synchronize().map_err(|_| unreachable!()));
    check_report(device);
}

#[test]
fn what_is_missing_names_itself() {
    let (_one, _device) = device();
    let null = std::ptr::null_mut();
    // SAFETY: it reads none of its arguments.
    let found = unsafe { sys::ncclCommSplit(null, 0, 0, null.cast(), null.cast()) };
    check(found, ncclInvalidUsage, &["ncclCommSplit: not supported by the simulator"]);
    // SAFETY: the text is static.
    let text = unsafe { CStr::from_ptr(sys::ncclGetErrorString(ncclInvalidUsage)) };
    assert_eq!(text, c"invalid usage");
}

/// Runs an ignored test in a process of its own: its devices are lost. Returns what it says.
fn in_own_process(test: &str) -> String {
    let program = std::env::current_exe().expect("a running test has a path");
    let mut command = Command::new(program);
    let output =
        command.args(["--ignored", "--exact", test, "--nocapture"]).output().expect("it starts");
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{text}");
    text
}

#[test]
fn a_rank_that_never_calls_is_named() {
    let text = in_own_process("errors::missing_rank");
    for part in [
        "deadlock on devices 0 and 2",
        "kernel `ncclCollective_f32`, device 0, block (0,0,0), warp 0, lanes 0x00000002, spin",
        "nothing runs on devices 1, 3",
        "CUDA_ERROR_LAUNCH_TIMEOUT\n  collective 2, ncclAllReduce of 10 ncclFloat32 with ncclSum: rank 1 never \
         called it, ranks 0 and 2 wait",
        "rank 2 leaves before the end of collective 2",
    ] {
        assert!(text.contains(part), "no `{part}` in:\n{text}");
    }
}

#[test]
#[ignore = "run by the other test"]
fn missing_rank() {
    let (_one, _device) = device();
    let raw = Raw::new(3);
    let buffers = raw.buffers::<f32>(|_| vec![1.0; 10]);
    for ranks in [&[0, 1, 2][..], &[0, 2]] {
        for &rank in ranks {
            let (at, stream) = (address(&buffers[rank]), raw.streams[rank].cu_stream().cast());
            let (float, sum) = (sys::ncclDataType_t::ncclFloat32, sys::ncclRedOp_t::ncclSum);
            // SAFETY: buffers of 10 elements, in place.
            let call =
                unsafe { sys::ncclAllReduce(at, at, 10, float, sum, raw.comms[rank], stream) };
            call.result().expect("it is enqueued");
        }
    }
    raw.streams[0].synchronize().expect_err("a deadlock");
    let mut error = ncclSuccess;
    // SAFETY: a live rank.
    unsafe { sys::ncclCommGetAsyncError(raw.comms[0], &mut error) };
    assert_eq!(error, ncclUnhandledCudaError);
}

/// Two ranks that send before they receive, without a group.
#[test]
fn sends_that_wait_for_each_other() {
    let text = in_own_process("errors::sends_first");
    for part in [
        "kernel `ncclSendRecv`, device 0, block (1,0,0)",
        "10 ncclFloat32 from rank 0 to rank 1: rank 1 never called ncclRecv, rank 0 waits",
    ] {
        assert!(text.contains(part), "no `{part}` in:\n{text}");
    }
}

#[test]
#[ignore = "run by the other test"]
fn sends_first() {
    let (_one, _device) = device();
    let comms = comms(2);
    let sends = inputs::<f32>(&comms, 10);
    comms[0].send(&sends[0], 1).expect("it is enqueued");
    comms[1].send(&sends[1], 0).expect("it is enqueued");
    comms[0].stream().synchronize().expect_err("a deadlock");
    let _ = result::group_start();
    let _ = result::group_end();
}
