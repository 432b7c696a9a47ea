//! What NCCL orders is ordered, and nothing else is.

use cudarc::{
    driver::{CudaFunction, CudaSlice, LaunchConfig, PushKernelArg, sys::CUstreamCaptureMode},
    nccl::{Comm, ReduceOp, sys},
    nvrtc::Ptx,
};

use crate::common::{
    Raw, address, check_report, comms, device, download, in_group, outputs, upload,
};

/// `add(c, a, b, n)` of the driver's tests.
fn add(comm: &Comm) -> CudaFunction {
    let ptx = include_str!("../../simt-driver/tests/kernels.ptx");
    let module = comm.context().load_module(Ptx::from_src(ptx)).expect("PTX");
    module.load_function("add").expect("a kernel")
}

const COUNT: usize = 300;

/// Stores a + a into c, in the rank's stream.
fn double(comm: &Comm, kernel: &CudaFunction, a: &CudaSlice<f32>, c: &mut CudaSlice<f32>) {
    let stream = comm.stream();
    let (config, count) = (LaunchConfig::for_num_elems(COUNT as u32), COUNT as u32);
    let mut launch = stream.launch_builder(kernel);
    launch.arg(c).arg(a).arg(a).arg(&count);
    // SAFETY: three arrays of COUNT floats, and their length.
    unsafe { launch.launch(config) }.expect("it is enqueued");
}

/// A kernel before a collective, and one behind: without a wait of the host, and without a race.
#[test]
fn kernels_of_the_same_streams() {
    let (_one, device) = device();
    let comms = comms(3);
    let kernels: Vec<_> = comms.iter().map(add).collect();
    let ones: Vec<_> = comms.iter().map(|comm| upload(comm, &[1.0f32; COUNT])).collect();
    let [mut twos, mut sums, mut last] = [(); 3].map(|()| outputs::<f32>(&comms, COUNT));
    for _ in 0..2 {
        for (rank, comm) in comms.iter().enumerate() {
            double(comm, &kernels[rank], &ones[rank], &mut twos[rank]);
        }
        in_group(&comms, |comm| {
            comm.all_reduce(&twos[comm.rank()], &mut sums[comm.rank()], &ReduceOp::Sum)
        });
        for (rank, comm) in comms.iter().enumerate() {
            double(comm, &kernels[rank], &sums[rank], &mut last[rank]);
        }
    }
    for (comm, last) in comms.iter().zip(&last) {
        assert_eq!(download(comm, last), [12.0; COUNT]);
    }
    check_report(device);
}

/// A kernel of another stream that writes to a buffer while it is sent: a race, which the report names.
#[test]
fn another_stream_is_not_ordered() {
    let (_one, device) = device();
    let comms = comms(2);
    for comm in &comms {
        // SAFETY: this test wants no order.
        unsafe { comm.context().disable_event_tracking() };
    }
    let kernel = add(&comms[0]);
    let ones: Vec<_> = comms.iter().map(|comm| upload(comm, &[1.0f32; COUNT])).collect();
    let [mut twos, mut sums] = [(); 2].map(|()| outputs::<f32>(&comms, COUNT));
    device.take().expect("a report");
    in_group(&comms, |comm| {
        comm.all_reduce(&twos[comm.rank()], &mut sums[comm.rank()], &ReduceOp::Sum)
    });
    let other = comms[0].context().new_stream().expect("a stream");
    let count = COUNT as u32;
    let mut launch = other.launch_builder(&kernel);
    launch.arg(&mut twos[0]).arg(&ones[0]).arg(&ones[0]).arg(&count);
    // SAFETY: three arrays of COUNT floats, and their length.
    unsafe { launch.launch(LaunchConfig::for_num_elems(COUNT as u32)) }.expect("it is enqueued");
    for comm in &comms {
        comm.stream().synchronize().expect("it ends");
    }
    other.synchronize().expect("it ends");
    let report = device.take().expect("a report");
    let mut races = report.launches.iter().flat_map(|launch| &launch.races);
    assert!(races.any(|race| race.message.contains("nothing orders the two launches")));
    for comm in &comms {
        // SAFETY: as it was.
        unsafe { comm.context().enable_event_tracking() };
    }
}

/// Collectives of one communicator in several streams run one after another.
#[test]
fn several_streams_of_a_rank() {
    let (_one, device) = device();
    let raw = Raw::new(2);
    let others: Vec<_> =
        raw.streams.iter().map(|stream| stream.context().new_stream().expect("a stream")).collect();
    let buffers = raw.buffers::<f32>(|_| vec![1.0; 1000]);
    for turn in 0..4 {
        // SAFETY: buffers of 1000 elements, in place.
        raw.in_group(|rank, comm, stream| unsafe {
            let at = address(&buffers[rank]);
            let stream = if turn % 2 == 0 { stream } else { others[rank].cu_stream().cast() };
            let (data_type, sum) = (sys::ncclDataType_t::ncclFloat32, sys::ncclRedOp_t::ncclSum);
            sys::ncclAllReduce(at, at, 1000, data_type, sum, comm, stream)
        });
    }
    for other in &others {
        other.synchronize().expect("it ends");
    }
    assert_eq!(raw.download(&buffers), vec![vec![16.0; 1000]; 2]);
    check_report(device);
}

/// A collective that is captured runs whenever its graphs are launched.
#[test]
fn captured_in_graphs() {
    let (_one, device) = device();
    let raw = Raw::new(2);
    let buffers = raw.buffers::<f32>(|_| vec![1.0; 10]);
    let at = [address(&buffers[0]), address(&buffers[1])];
    raw.streams.iter().for_each(|stream| stream.synchronize().expect("idle"));
    let mode = CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_RELAXED;
    raw.streams.iter().for_each(|stream| stream.begin_capture(mode).expect("it begins"));
    // SAFETY: buffers of 10 elements, in place.
    raw.in_group(|rank, comm, stream| unsafe {
        let (data_type, sum) = (sys::ncclDataType_t::ncclFloat32, sys::ncclRedOp_t::ncclSum);
        sys::ncclAllReduce(at[rank], at[rank], 10, data_type, sum, comm, stream)
    });
    let flags = cudarc::driver::sys::CUgraphInstantiate_flags::CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH;
    let graphs: Vec<_> = raw
        .streams
        .iter()
        .map(|stream| stream.end_capture(flags).expect("it ends").expect("a graph"))
        .collect();
    for _ in 0..3 {
        graphs.iter().for_each(|graph| graph.launch().expect("it is enqueued"));
    }
    assert_eq!(raw.download(&buffers), vec![vec![8.0; 10]; 2]);
    check_report(device);
}
