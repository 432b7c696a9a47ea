//! Every collective against a reference of the host, with races looked for.

use cudarc::nccl::{Comm, ReduceOp, sys};

use crate::common::{
    Raw, Value, address, check_report, comms, device, download, element, in_group, inputs, outputs,
};

/// Sizes around a warp, a part, and the slot of 32 KiB.
const SIZES: [usize; 8] = [0, 1, 3, 31, 257, 1024, 8193, 20_001];

const OPERATORS: [ReduceOp; 5] =
    [ReduceOp::Sum, ReduceOp::Prod, ReduceOp::Max, ReduceOp::Min, ReduceOp::Avg];

/// What the ranks' elements at an index combine to. Averages are rounded down, as those of integers are.
fn combined(op: &ReduceOp, ranks: usize, index: usize) -> i64 {
    let elements = (0..ranks).map(|rank| element(rank, index));
    match op {
        ReduceOp::Sum => elements.sum(),
        ReduceOp::Prod => elements.product(),
        ReduceOp::Max => elements.max().unwrap_or_default(),
        ReduceOp::Min => elements.min().unwrap_or_default(),
        ReduceOp::Avg => elements.sum::<i64>() / ranks as i64,
    }
}

/// The combinations of `count` elements from `first` on.
fn expected<T: Value>(op: &ReduceOp, ranks: usize, first: usize, count: usize) -> Vec<T> {
    (first..first + count).map(|index| T::of(combined(op, ranks, index))).collect()
}

fn all_reduce<T: Value>(comms: &[Comm], op: &ReduceOp, count: usize) {
    let (sends, mut receives) = (inputs::<T>(comms, count), outputs::<T>(comms, count));
    in_group(comms, |comm| {
        let rank = comm.rank();
        let to = &mut receives[rank].slice_mut(..count);
        comm.all_reduce(&sends[rank].slice(..count), to, op)
    });
    for (comm, receive) in comms.iter().zip(&receives) {
        let found = download(comm, receive);
        assert_eq!(found[..count], expected::<T>(op, comms.len(), 0, count), "{count} elements");
    }
}

#[test]
fn all_reduce_of_awkward_sizes() {
    let (_one, device) = device();
    for ranks in 1..=8 {
        let comms = comms(ranks);
        for count in SIZES {
            all_reduce::<f32>(&comms, &ReduceOp::Sum, count);
        }
        check_report(device);
    }
}

/// Blocks and warps of all ranks take turns as the seed says.
#[test]
fn under_several_schedules() {
    let (_one, device) = device();
    let comms = comms(4);
    for seed in [1, 2, 3, 0] {
        device.configure(|options| options.seed = seed).expect("this is an option");
        all_reduce::<f32>(&comms, &ReduceOp::Sum, 40_001);
        check_report(device);
    }
}

/// Products of five factors up to 5 fit into a byte for three ranks; averages are whole for integers only.
#[test]
fn all_types_and_operators() {
    let (_one, device) = device();
    let comms = comms(3);
    for op in &OPERATORS {
        all_reduce::<i8>(&comms, op, 65);
        all_reduce::<u8>(&comms, op, 65);
        all_reduce::<i32>(&comms, op, 65);
        all_reduce::<u32>(&comms, op, 65);
        all_reduce::<i64>(&comms, op, 65);
        all_reduce::<u64>(&comms, op, 65);
        if !matches!(op, ReduceOp::Avg) {
            all_reduce::<f32>(&comms, op, 65);
            all_reduce::<f64>(&comms, op, 65);
        }
    }
    check_report(device);
}

/// The averages of four ranks are exact in floating point.
#[test]
fn averages() {
    let (_one, device) = device();
    let comms = comms(4);
    let sends = inputs::<f32>(&comms, 50);
    let mut receives = outputs::<f32>(&comms, 50);
    in_group(&comms, |comm| {
        comm.all_reduce(&sends[comm.rank()], &mut receives[comm.rank()], &ReduceOp::Avg)
    });
    let sum = |index| combined(&ReduceOp::Sum, 4, index) as f32;
    let expected: Vec<f32> = (0..50).map(|index| sum(index) / 4.0).collect();
    assert_eq!(download(&comms[3], &receives[3]), expected);
    check_report(device);
}

/// Values that both 16-bit types hold: their bits are those of the upper half of a float, or a small table.
#[test]
fn types_of_16_bits() {
    let (_one, device) = device();
    let raw = Raw::new(3);
    // 1, 2, 3 and their sum.
    let half = ([0x3c00u16, 0x4000, 0x4200], 0x4600, sys::ncclDataType_t::ncclFloat16);
    let brain = ([0x3f80, 0x4000, 0x4040], 0x40c0, sys::ncclDataType_t::ncclBfloat16);
    for (values, sum, data_type) in [half, brain] {
        let bytes = |bits: u16| bits.to_le_bytes().repeat(100);
        let buffers = raw.buffers::<u8>(|rank| bytes(values[rank]));
        // SAFETY: buffers of 100 elements, in place.
        raw.in_group(|rank, comm, stream| unsafe {
            let at = address(&buffers[rank]);
            sys::ncclAllReduce(at, at, 100, data_type, sys::ncclRedOp_t::ncclSum, comm, stream)
        });
        assert_eq!(raw.download(&buffers), vec![bytes(sum); 3]);
    }
    check_report(device);
}

#[test]
fn reduce_to_each_root() {
    let (_one, device) = device();
    let comms = comms(3);
    for root in 0..3 {
        for count in SIZES.into_iter().filter(|&count| count > 0) {
            let (sends, mut receives) =
                (inputs::<i32>(&comms, count), outputs::<i32>(&comms, count));
            in_group(&comms, |comm| {
                let rank = comm.rank();
                let to = (rank == root).then_some(&mut receives[rank]);
                comm.reduce(&sends[rank], to, &ReduceOp::Sum, root as i32)
            });
            let found = download(&comms[root], &receives[root]);
            assert_eq!(found, expected::<i32>(&ReduceOp::Sum, 3, 0, count));
        }
    }
    check_report(device);
}

#[test]
fn broadcast_from_each_root() {
    let (_one, device) = device();
    let comms = comms(4);
    for root in 0..4 {
        for count in SIZES.into_iter().filter(|&count| count > 0) {
            let (sends, mut receives) = (inputs::<u8>(&comms, count), outputs::<u8>(&comms, count));
            in_group(&comms, |comm| {
                let rank = comm.rank();
                let from = (rank == root).then_some(&sends[rank]);
                comm.broadcast(from, &mut receives[rank], root as i32)
            });
            let expected: Vec<u8> = (0..count).map(|i| element(root, i) as u8).collect();
            for (comm, receive) in comms.iter().zip(&receives) {
                assert_eq!(download(comm, receive), expected);
            }
        }
    }
    check_report(device);
}

#[test]
fn all_gather_and_reduce_scatter() {
    let (_one, device) = device();
    for ranks in [2, 3, 8] {
        let comms = comms(ranks);
        for count in SIZES.into_iter().filter(|&count| count > 0) {
            let (sends, mut all) = (inputs::<f64>(&comms, count), outputs(&comms, ranks * count));
            in_group(&comms, |comm| comm.all_gather(&sends[comm.rank()], &mut all[comm.rank()]));
            let of_rank = |rank| (0..count).map(move |i| element(rank, i) as f64);
            let gathered: Vec<f64> = (0..ranks).flat_map(of_rank).collect();
            for (comm, found) in comms.iter().zip(&all) {
                assert_eq!(download(comm, found), gathered);
            }

            let sends = inputs::<u64>(&comms, ranks * count);
            let mut parts = outputs::<u64>(&comms, count);
            in_group(&comms, |comm| {
                comm.reduce_scatter(&sends[comm.rank()], &mut parts[comm.rank()], &ReduceOp::Max)
            });
            for (comm, part) in comms.iter().zip(&parts) {
                let expected = expected::<u64>(&ReduceOp::Max, ranks, comm.rank() * count, count);
                assert_eq!(download(comm, part), expected);
            }
        }
    }
    check_report(device);
}

#[test]
fn in_place() {
    let (_one, device) = device();
    let comms = comms(3);
    for count in [1, 100, 30_000] {
        let mut buffers = inputs::<f32>(&comms, count);
        in_group(&comms, |comm| {
            comm.all_reduce_in_place(&mut buffers[comm.rank()], &ReduceOp::Sum)
        });
        let sums = expected::<f32>(&ReduceOp::Sum, 3, 0, count);
        for (comm, buffer) in comms.iter().zip(&buffers) {
            assert_eq!(download(comm, buffer), sums);
        }
        in_group(&comms, |comm| comm.reduce_in_place(&mut buffers[comm.rank()], &ReduceOp::Max, 1));
        in_group(&comms, |comm| comm.broadcast_in_place(&mut buffers[comm.rank()], 1));
        for (comm, buffer) in comms.iter().zip(&buffers) {
            assert_eq!(download(comm, buffer), sums);
        }
    }
    check_report(device);
}

/// In place, an all-gather sends from its part of the result, and a reduce-scatter receives in its part of the input.
#[test]
fn parts_in_place() {
    let (_one, device) = device();
    let (raw, count) = (Raw::new(4), 9000);
    let part =
        |buffer: *mut std::ffi::c_void, rank: usize| buffer.wrapping_byte_add(4 * rank * count);
    let all = |rank| (0..4 * count).map(|i| element(rank, i) as u32).collect();
    let buffers = raw.buffers::<u32>(all);
    let data_type = sys::ncclDataType_t::ncclUint32;
    // SAFETY: buffers of 4 * `count` elements.
    raw.in_group(|rank, comm, stream| unsafe {
        let at = address(&buffers[rank]);
        let sum = sys::ncclRedOp_t::ncclSum;
        sys::ncclReduceScatter(at, part(at, rank), count, data_type, sum, comm, stream)
    });
    // SAFETY: as above.
    raw.in_group(|rank, comm, stream| unsafe {
        let at = address(&buffers[rank]);
        sys::ncclAllGather(part(at, rank), at, count, data_type, comm, stream)
    });
    let sums = expected::<u32>(&ReduceOp::Sum, 4, 0, 4 * count);
    assert_eq!(raw.download(&buffers), vec![sums; 4]);
    check_report(device);
}

#[test]
fn gather_scatter_and_all_to_all() {
    let (_one, device) = device();
    let (raw, count) = (Raw::new(3), 10_001);
    let data_type = sys::ncclDataType_t::ncclInt32;
    let own = raw.buffers::<i32>(|rank| (0..count).map(|i| element(rank, i) as i32).collect());
    let all = raw.buffers::<i32>(|_| vec![99; 3 * count]);
    // SAFETY: buffers of `count` and 3 * `count` elements.
    raw.in_group(|rank, comm, stream| unsafe {
        sys::ncclGather(address(&own[rank]), address(&all[rank]), count, data_type, 2, comm, stream)
    });
    let of_rank = |rank| (0..count).map(move |i| element(rank, i) as i32);
    let gathered: Vec<i32> = (0..3).flat_map(of_rank).collect();
    assert_eq!(raw.download(&all), [vec![99; 3 * count], vec![99; 3 * count], gathered.clone()]);

    let parts = raw.buffers::<i32>(|_| vec![99; count]);
    // SAFETY: as above.
    raw.in_group(|rank, comm, stream| unsafe {
        sys::ncclScatter(
            address(&all[rank]),
            address(&parts[rank]),
            count,
            data_type,
            2,
            comm,
            stream,
        )
    });
    assert_eq!(raw.download(&parts), raw.download(&own));

    let sends =
        raw.buffers::<i32>(|rank| (0..3 * count).map(|i| element(rank, i) as i32).collect());
    // SAFETY: as above.
    raw.in_group(|rank, comm, stream| unsafe {
        sys::ncclAlltoAll(
            address(&sends[rank]),
            address(&all[rank]),
            count,
            data_type,
            comm,
            stream,
        )
    });
    for (rank, found) in raw.download(&all).into_iter().enumerate() {
        let part = |from| (rank * count..(rank + 1) * count).map(move |i| element(from, i) as i32);
        assert_eq!(found, (0..3).flat_map(part).collect::<Vec<_>>());
    }
    check_report(device);
}

/// Some collectives in one group, of several lengths and types.
#[test]
fn several_in_a_group() {
    let (_one, device) = device();
    let comms = comms(5);
    let (a, b) = (inputs::<f32>(&comms, 100), inputs::<i64>(&comms, 77));
    let mut sums = outputs::<f32>(&comms, 100);
    let mut all = outputs::<i64>(&comms, 5 * 77);
    let mut most = outputs::<i64>(&comms, 77);
    in_group(&comms, |comm| {
        let rank = comm.rank();
        comm.all_reduce(&a[rank], &mut sums[rank], &ReduceOp::Sum)?;
        comm.all_gather(&b[rank], &mut all[rank])?;
        comm.all_reduce(&b[rank], &mut most[rank], &ReduceOp::Max)
    });
    for (rank, comm) in comms.iter().enumerate() {
        assert_eq!(download(comm, &sums[rank]), expected::<f32>(&ReduceOp::Sum, 5, 0, 100));
        assert_eq!(download(comm, &most[rank]), expected::<i64>(&ReduceOp::Max, 5, 0, 77));
        assert_eq!(download(comm, &all[rank])[4 * 77 + 5], element(4, 5));
    }
    check_report(device);
}

/// A sum whose elements are first multiplied by a factor, which stands in the host's memory or in a device's.
#[test]
fn premultiplied_sums() {
    let (_one, device) = device();
    let raw = Raw::new(2);
    let data_type = sys::ncclDataType_t::ncclFloat32;
    let factors = raw.buffers::<f32>(|_| vec![10.0]);
    for is_on_device in [false, true] {
        let buffers = raw.buffers::<f32>(|rank| vec![1.0 + rank as f32; 40]);
        let mut ops = [-1i32; 2];
        for rank in 0..2 {
            let mut factor = 10.0f32;
            let (at, residence) = match is_on_device {
                true => (address(&factors[rank]), sys::ncclScalarResidence_t::ncclScalarDevice),
                false => {
                    ((&raw mut factor).cast(), sys::ncclScalarResidence_t::ncclScalarHostImmediate)
                }
            };
            // SAFETY: an operator is an int; the factor is a float.
            let made = unsafe {
                let op = (&raw mut ops[rank]).cast();
                sys::ncclRedOpCreatePreMulSum(op, at, data_type, residence, raw.comms[rank])
            };
            made.result().expect("an operator");
        }
        type AllReduce = unsafe extern "C" fn(
            *const std::ffi::c_void,
            *mut std::ffi::c_void,
            usize,
            sys::ncclDataType_t,
            i32,
            sys::ncclComm_t,
            sys::cudaStream_t,
        ) -> sys::ncclResult_t;
        // SAFETY: the type of nccl.h, whose operator is an int. cudarc's has no operators of programs.
        let all_reduce =
            *unsafe { sys::culib().get::<AllReduce>(b"ncclAllReduce") }.expect("it is there");
        // SAFETY: buffers of 40 elements, in place.
        raw.in_group(|rank, comm, stream| unsafe {
            let at = address(&buffers[rank]);
            all_reduce(at, at, 40, data_type, ops[rank], comm, stream)
        });
        assert_eq!(raw.download(&buffers), vec![vec![30.0; 40]; 2]);
    }
    check_report(device);
}

/// Over links goes what the bound of the chapter on several GPUs says, and a flag of 32 bytes per pair and meeting.
#[test]
fn bytes_over_links() {
    let (_one, device) = device();
    let (ranks, count) = (4, 4 * 8192);
    let comms = comms(ranks);
    check_report(device);
    all_reduce::<f32>(&comms, &ReduceOp::Sum, count);
    let elements = 2 * (ranks - 1) * 4 * count;
    let flags = 2 * ranks * (ranks - 1) * 32;
    assert_eq!(check_report(device), (elements + flags) as u64);
}
