//! How ranks come together.

use std::{sync::Arc, thread};

use cudarc::{
    driver::{CudaContext, CudaStream},
    nccl::{Comm, Id, ReduceOp, group_end, group_start, result, sys},
};

use crate::common::{Raw, check_report, code, comms, device, last_error, streams};

/// A thread per rank, in several orders of the ranks.
#[test]
fn a_thread_per_rank() {
    let (_one, device) = device();
    for first in 0..3 {
        let id = Id::new().expect("an id");
        let threads = [0, 1, 2].map(|index| {
            thread::spawn(move || {
                let rank = (first + index) % 3;
                let stream = CudaContext::new(rank).expect("a device").default_stream();
                let comm = Comm::from_rank(stream.clone(), rank, 3, id).expect("a rank");
                let send = stream.clone_htod(&vec![rank as f32 + 1.0; 500]).expect("a buffer");
                let mut receive = stream.alloc_zeros::<f32>(500).expect("a buffer");
                for _ in 0..3 {
                    comm.all_reduce(&send, &mut receive, &ReduceOp::Sum).expect("it is enqueued");
                }
                assert_eq!(stream.clone_dtoh(&receive).expect("it has ended"), vec![6.0; 500]);
            })
        });
        for thread in threads {
            thread.join().expect("it ends");
        }
    }
    check_report(device);
}

#[test]
fn a_group_of_one_thread() {
    let (_one, _device) = device();
    let id = Id::new().expect("an id");
    group_start().expect("a group");
    let of_rank = |(rank, stream): (usize, Arc<CudaStream>)| {
        stream.context().bind_to_thread().expect("its context");
        Comm::from_rank(stream, rank, 3, id).expect("a rank")
    };
    let comms: Vec<Comm> = streams(3).into_iter().enumerate().map(of_rank).collect();
    group_end().expect("all have come");
    assert_eq!(comms.iter().map(Comm::rank).collect::<Vec<_>>(), [0, 1, 2]);
}

#[test]
fn what_ranks_know() {
    let (_one, _device) = device();
    assert_eq!(result::get_nccl_version().expect("a version"), 22800);
    let raw = Raw::new(3);
    for (rank, &comm) in raw.comms.iter().enumerate() {
        // SAFETY: a live rank.
        unsafe {
            assert_eq!(result::comm_count(comm), Ok(3));
            assert_eq!(result::comm_cu_device(comm), Ok(rank as i32));
            assert_eq!(result::comm_user_rank(comm), Ok(rank as i32));
            let mut error = sys::ncclResult_t::ncclInternalError;
            assert_eq!(
                sys::ncclCommGetAsyncError(comm, &mut error),
                sys::ncclResult_t::ncclSuccess
            );
            assert_eq!(error, sys::ncclResult_t::ncclSuccess);
        }
    }
}

#[test]
fn ranks_that_do_not_fit() {
    let (_one, _device) = device();
    let usage = sys::ncclResult_t::ncclInvalidUsage;
    let argument = sys::ncclResult_t::ncclInvalidArgument;
    let twice = vec![streams(1).remove(0), streams(1).remove(0)];
    assert_eq!(code(Comm::from_devices(twice)), usage);
    assert!(last_error().contains("ranks 0 and 1 are both on device 0"), "{}", last_error());

    let stream = streams(1).remove(0);
    let id = Id::new().expect("an id");
    assert_eq!(code(Comm::from_rank(stream.clone(), 2, 2, id)), argument);
    assert_eq!(code(Comm::from_rank(stream.clone(), 0, 2, Id::uninit([7; 128]))), argument);
    let mut other = *id.internal();
    other[9] ^= 1;
    assert_eq!(code(Comm::from_rank(stream, 0, 2, Id::uninit(other))), usage);
    assert!(last_error().contains("of another process"), "{}", last_error());
    // The devices are as before.
    comms(2);
}

/// It takes half a minute.
#[test]
#[ignore = "takes long"]
fn exhaustive_a_rank_that_never_comes() {
    let (_one, _device) = device();
    let (stream, id) = (streams(1).remove(0), Id::new().expect("an id"));
    assert_eq!(code(Comm::from_rank(stream, 1, 3, id)), sys::ncclResult_t::ncclSystemError);
    assert!(last_error().contains("of 3 ranks, ranks 0 and 2 never came"), "{}", last_error());
}
