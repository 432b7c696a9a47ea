//! The devices count the launches. Where the numbers begin again, results stay right, and nothing waits for ever.

use crate::common::doing;
use chapter_8_multi_gpu::{
    Case, DeviceParameters, Task, all_gathers, all_reduces, all_to_alls, compactions,
    problem::{Collective, Devices, SpreadCompact, SpreadScan, SpreadSum},
    reduce_scatters, scans, sums,
};
use harness::{Device, Dtype, Element, Error, Ladder, Measured, Suite, verify::Verdict};

/// Two launches before the end of the numbers that tags hold (`epoch_after` in launches.cuh).
const TAGS: u32 = 0x7fff_fffc;

/// Numbers of flags, near the end of those that are positive, and near the end of all.
const FLAGS: [u32; 2] = [0x7fff_fffb, u32::MAX - 3];

/// Replays a launch of each of some rungs, with memory that has counted `launches`, on other inputs.
fn check<P: Measured<Task = DeviceParameters> + 'static>(
    (task, dtype): (Task, Dtype),
    rungs: &[&str],
    launches: u32,
    problem: fn(&Device, &Case) -> Result<P, Error>,
    devices: fn(&mut P) -> &mut Devices,
    ladder: fn() -> Ladder<P>,
) {
    let runner = testing::simulator();
    let device = runner.device.with_own_stream().expect("a stream");
    let case = Case { dtype, ..doing(task, 3, 20_000) };
    for rung in rungs {
        let mut p = problem(&device, &case).expect("a problem");
        devices(&mut p).launches = launches;
        let others = [1, 2, 3, 4].map(|seed| Case { seed, ..case });
        let replays = Suite::boxed(p, ladder()).replays(rung, &others);
        let failures = |verdicts: Vec<Verdict>| -> Vec<String> {
            let all = verdicts.into_iter().flat_map(|verdict| verdict.failures);
            all.map(|failure| failure.message).collect()
        };
        match replays.map(failures) {
            Ok(failures) => assert!(failures.is_empty(), "{rung} from {launches}: {failures:?}"),
            Err(error) => panic!("{rung} from {launches}: {error}"),
        }
    }
}

fn collective(task: Task, rungs: &[&str], launches: u32, ladder: fn() -> Ladder<Collective>) {
    let of = (task, Dtype::F32);
    check(of, rungs, launches, Collective::new, |p| &mut p.devices, ladder);
}

#[test]
fn flags_begin_again() {
    for launches in FLAGS {
        collective(Task::AllReduce, &["flags", "push", "one_shot"], launches, all_reduces);
        collective(Task::ReduceScatter, &["reduce_scatter_push"], launches, reduce_scatters);
        collective(Task::AllGather, &["all_gather_push"], launches, all_gathers);
        collective(Task::AllToAll, &["all_to_all_push"], launches, all_to_alls);
    }
}

#[test]
fn tags_begin_again() {
    collective(Task::AllReduce, &["low_latency"], TAGS, all_reduces);
    let (of, rungs) = ((Task::Compact, Dtype::F32), ["compact_direct"]);
    check(of, &rungs, TAGS, SpreadCompact::new, |p| &mut p.spread.devices, compactions);
    tags_of::<f32>(Dtype::F32);
    tags_of::<i64>(Dtype::I64);
}

fn tags_of<T: Element<Acc = T>>(dtype: Dtype) {
    let (of, rungs) = ((Task::Reduce, dtype), ["reduce_links"]);
    check(of, &rungs, TAGS, SpreadSum::new, |p| &mut p.spread.devices, sums::<T>);
    let (of, rungs) = ((Task::Scan, dtype), ["sums_first", "lookback_devices"]);
    check(of, &rungs, TAGS, SpreadScan::new, |p| &mut p.spread.devices, scans::<T>);
}
