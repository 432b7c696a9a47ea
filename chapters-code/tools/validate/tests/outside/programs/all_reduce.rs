//! A program that knows nothing of the simulator: plain cudarc, in a package of its own.

// ANCHOR: all_reduce
use cudarc::driver::CudaContext;
use cudarc::nccl::{Comm, ReduceOp, group_end, group_start};

#[test]
fn all_devices_add() {
    let count = CudaContext::device_count().unwrap() as usize;
    let streams = (0..count).map(|device| CudaContext::new(device).unwrap().default_stream());
    let streams: Vec<_> = streams.collect();
    let comms = Comm::from_devices(streams.clone()).unwrap();
    let arrays = streams.iter().map(|stream| stream.clone_htod(&[1.0f32; 1000]).unwrap());
    let mut arrays: Vec<_> = arrays.collect();
    group_start().unwrap();
    for (comm, array) in comms.iter().zip(&mut arrays) {
        comm.all_reduce_in_place(array, &ReduceOp::Sum).unwrap();
    }
    group_end().unwrap();
    assert_eq!(count, 4);
    for (stream, array) in streams.iter().zip(&arrays) {
        assert_eq!(stream.clone_dtoh(array).unwrap(), [4.0; 1000]);
    }
}
// ANCHOR_END: all_reduce
