//! The call of NCCL, by the simulator's NCCL.

use chapter_8_multi_gpu::problem::AllReduce;
use harness::Problem;
use report::testing;

use crate::common::of;

/// Every result is compared, and no race is found. In a process of its own: reports are those of the whole process.
#[test]
fn the_call_of_nccl_is_right() {
    testing::in_own_process("baseline::all_reduce");
}

#[test]
#[ignore = "run by the other test"]
fn all_reduce() {
    let runner = testing::simulator();
    for (devices, n) in [(2, 1), (3, 1543), (8, 8193)] {
        let problem = AllReduce::new(&runner.device, &of(devices, n)).expect("a problem");
        runner.device.take_report().expect("a report");
        let ways = problem.loaded_baseline(&()).expect("it is right");
        let names: Vec<_> = ways.iter().map(|way| (&way.library[..], &way.name[..])).collect();
        assert_eq!(names, [("simt-nccl", "ncclAllReduce")]);
        let report = runner.device.take_report().expect("a report");
        assert_eq!(report.launches.len(), devices);
        for launch in report.launches {
            assert!(launch.races.is_empty() && launch.fault.is_none(), "{launch:?}");
        }
    }
}
