//! The collectives other than all-reduce, with the race check on; and what all of them move over the links.

use crate::common::{doing, of, run_all};
use chapter_8_multi_gpu::{
    Case, Task, all_reduces, chapter::MultiGpu, problem::Collective, reduce_scatters,
};
use harness::{Input, Ladder, Problem as _, Shape, buffer, simulator::Link};
use report::Chapter as _;
use testing::{check, simulator, under_schedules};

const TASKS: [Task; 4] = [Task::ReduceScatter, Task::AllGather, Task::AllToAll, Task::Transpose];

/// Sizes around a pack, a part and a block; fewer elements than devices, and none.
#[test]
fn awkward_sizes() {
    let mut sizes = testing::SIZES.to_vec();
    sizes.extend([2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 8191, 8192, 8193]);
    for task in TASKS {
        let cases: Vec<_> = sizes.iter().map(|&n| doing(task, 3, n)).collect();
        check(&run_all(&cases));
    }
}

#[test]
fn two_to_eight_devices() {
    for task in TASKS {
        let cases: Vec<_> = (2..=8).map(|devices| doing(task, devices, 6001)).collect();
        check(&run_all(&cases));
    }
}

#[test]
fn under_several_schedules() {
    for task in TASKS {
        under_schedules(1..=3, || check(&run_all(&[doing(task, 4, 5003)])));
    }
}

/// Matrices whose rows and columns end within a tile, and those that have fewer of either than there are devices.
#[test]
fn matrices_of_all_shapes() {
    let shapes = [
        (1, 1),
        (1, 100),
        (100, 1),
        (3, 5),
        (64, 64),
        (65, 63),
        (68, 132),
        (200, 36),
        (0, 7),
        (7, 0),
    ];
    let cases = shapes.map(|(rows, cols)| Case {
        shape: Shape::Matrix { rows, cols },
        ..doing(Task::Transpose, 4, 1)
    });
    check(&run_all(&cases));
}

/// Many launches in a row, between which no host waits; and the ceiling, which copies of all devices give.
#[test]
fn rows_are_timed_and_still_verified() {
    let mut cases = TASKS.map(|task| doing(task, 3, 600)).to_vec();
    cases.push(of(3, 600));
    let steps = testing::steps(&MultiGpu, &cases, &testing::is_right);
    let rows = testing::check_timed(&MultiGpu, &steps);
    assert_eq!(rows.len(), steps.len());
    let bytes = |kernel| testing::row(&rows, kernel).bytes;
    assert_eq!((bytes("ring"), bytes("all_gather_ring")), (3200, 1600));
}

/// The bytes that each device receives over its links while a rung runs.
fn received(rung: &str, case: &Case) -> Vec<u64> {
    let runner = simulator();
    let mut problem = MultiGpu.problem(&runner.device, case).expect("a problem");
    let outcome = problem.run_rung(rung, None, &[]).expect("an outcome");
    assert!(outcome.verdict.is_correct(), "{rung}: {:?}", outcome.verdict);
    let of_device = |d: u32| {
        let bytes = |link: &Link| match (link.from == d, link.to == d) {
            (true, _) => link.read_bytes,
            (_, true) => link.written_bytes + link.copied_bytes,
            _ => 0,
        };
        outcome.report.links.iter().map(bytes).sum()
    };
    (0..4).map(of_device).collect()
}

/// Every rung that moves the fewest bytes that its task allows: a part of the array from each other device, and twice that
/// for an all-reduce. A flag costs a sector of 32 bytes.
#[test]
fn bytes_over_the_links() {
    let n = 1 << 15;
    let part = 4 * n / 4;
    // Two meetings of four blocks, with three other devices.
    let flags = 2 * 4 * 3 * 32;
    let rungs = [
        (Task::AllReduce, "ring", 6 * part),
        (Task::AllReduce, "two_shot", 6 * part),
        (Task::AllReduce, "flags", 6 * part + flags),
        (Task::AllReduce, "one_shot", 12 * part + 4 * flags),
        (Task::ReduceScatter, "reduce_scatter_ring", 3 * part),
        (Task::ReduceScatter, "reduce_scatter_pull", 3 * part),
        (Task::ReduceScatter, "reduce_scatter_push", 3 * part + flags),
        (Task::AllGather, "all_gather_ring", 3 * part),
        (Task::AllGather, "all_gather_push", 3 * part + flags),
        (Task::AllToAll, "all_to_all_copies", 3 * part),
        (Task::AllToAll, "all_to_all_push", 3 * part + flags),
    ];
    for (task, rung, bytes) in rungs {
        assert_eq!(received(rung, &doing(task, 4, n)), [bytes; 4], "{rung}");
    }
    // Of 128 rows and 256 columns, a device has a quarter, and receives three quarters of that.
    let shape = Shape::Matrix { rows: 128, cols: 256 };
    let matrix = Case { shape, ..doing(Task::Transpose, 4, 1) };
    for rung in ["transpose_exchange", "transpose_push", "transpose_packs"] {
        assert_eq!(received(rung, &matrix), [3 * part / 4; 4], "{rung}");
    }
}

/// An access of `transpose_packs` to its tile takes two passes over the banks, one of `transpose_push` takes one.
#[test]
fn wavefronts() {
    let shape = Shape::Matrix { rows: 256, cols: 256 };
    let case = Case { shape, ..doing(Task::Transpose, 4, 1) };
    for (rung, passes) in [("transpose_push", 1), ("transpose_packs", 2)] {
        let counters = testing::counted(&MultiGpu, rung, &case);
        let (loads, stores) = (counters.shared_load_requests, counters.shared_store_requests);
        assert_eq!(counters.shared_load_wavefronts, passes * loads, "{rung}");
        assert_eq!(counters.shared_store_wavefronts, passes * stores, "{rung}");
    }
}

/// The arrays of all devices, and the results of a rung on all devices, as bits.
fn arrays_and_results(
    ladder: &Ladder<Collective>,
    rung: &str,
    case: &Case,
) -> (Vec<Vec<f32>>, Vec<Vec<u32>>) {
    let runner = simulator();
    let case = MultiGpu.complete(case);
    let mut p = Collective::new(&runner.device, &case).expect("a problem");
    let (rung, prepare) = ladder.iter().find(|(known, _)| known.name == rung).expect("a rung");
    let mut launch = prepare(&p, rung).expect("a launch");
    p.reset().expect("poison");
    (launch.enqueue)(&mut p).expect("it is launched");
    for device in p.devices.iter() {
        device.finish("waiting for a device").expect("it ends");
    }
    let arrays = p.devices.iter().zip(&p.inputs);
    let arrays = arrays.map(|(device, array)| buffer::to_host(device, &array.slice(..p.n)));
    let results = p.outs.iter().map(|out| {
        let result = out.download().expect("it is read").expect("no guard zone has changed");
        result.into_iter().map(f32::to_bits).collect()
    });
    (arrays.collect::<Result<_, _>>().expect("arrays"), results.collect())
}

/// The sum of element i of all arrays, the array of device `first` first, then those of the next ones.
fn sum_from(arrays: &[Vec<f32>], first: usize, i: usize) -> u32 {
    let devices = arrays.len();
    let sum = (1..devices).fold(arrays[first][i], |sum, k| sum + arrays[(first + k) % devices][i]);
    sum.to_bits()
}

/// All all-reduces give all devices the same bits, under every schedule. All but `ring` add in the order of the devices;
/// `ring` adds chunk c from device c on.
#[test]
fn the_order_of_additions() {
    let (devices, n) = (4, 6000);
    let case = Case { input: Input::Cancelling, ..of(devices, n) };
    let mut differ = 0;
    for (rung, _) in all_reduces() {
        under_schedules(0..=3, || {
            let (arrays, results) = arrays_and_results(&all_reduces(), rung.name, &case);
            let part = n.div_ceil(4).next_multiple_of(4) as usize;
            for (d, result) in results.iter().enumerate() {
                for (i, &bits) in result.iter().enumerate() {
                    let first = if rung.name == "ring" { i / part } else { 0 };
                    assert_eq!(bits, sum_from(&arrays, first, i), "{} {d} {i}", rung.name);
                    differ += usize::from(bits != sum_from(&arrays, 0, i));
                }
            }
        });
    }
    assert!(differ > 0, "the order of the additions shows nowhere");
}

/// `reduce_scatter_pull` and `reduce_scatter_push` add in the order of the devices. `reduce_scatter_ring` adds the part
/// of device d from device d + 1 on.
#[test]
fn the_order_of_additions_of_reduce_scatters() {
    let (devices, n) = (4, 6000);
    let case = Case { input: Input::Cancelling, ..doing(Task::ReduceScatter, devices, n) };
    for (rung, _) in reduce_scatters() {
        under_schedules(0..=3, || {
            let (arrays, results) = arrays_and_results(&reduce_scatters(), rung.name, &case);
            let mut i = 0;
            for (d, result) in results.iter().enumerate() {
                let first = if rung.name == "reduce_scatter_ring" { (d + 1) % devices } else { 0 };
                for &bits in result {
                    assert_eq!(bits, sum_from(&arrays, first, i), "{} {d} {i}", rung.name);
                    i += 1;
                }
            }
            assert_eq!(i as u64, n);
        });
    }
}
