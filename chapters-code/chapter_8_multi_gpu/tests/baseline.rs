//! The calls of NCCL, by the simulator's NCCL.

use chapter_8_multi_gpu::{Task, problem::Collective};
use harness::Measured;

use crate::common::doing;

/// Every result is compared, and no race is found. In a process of its own: reports are those of the whole process.
#[test]
fn the_calls_of_nccl_are_right() {
    testing::in_own_process("baseline::collectives");
}

#[test]
#[ignore = "run by the other test"]
fn collectives() {
    let calls = [
        (Task::AllReduce, &["ncclAllReduce"][..], [1, 1543, 8193]),
        (Task::ReduceScatter, &["ncclReduceScatter"], [8, 1548, 8192]),
        (Task::AllGather, &["ncclAllGather"], [8, 1548, 8192]),
        // Parts of one length, and parts of several.
        (Task::AllToAll, &["ncclSend and ncclRecv", "ncclAlltoAll"], [8, 1548, 8192]),
        (Task::AllToAll, &["ncclSend and ncclRecv"], [1, 1543, 8193]),
    ];
    let runner = testing::simulator();
    for (task, calls, sizes) in calls {
        for (devices, n) in [2, 3, 8].into_iter().zip(sizes) {
            let case = doing(task, devices, n);
            let problem = Collective::new(&runner.device, &case).expect("a problem");
            runner.device.take_report().expect("a report");
            let ways = problem.loaded_baseline(&()).expect("it is right");
            let names: Vec<_> = ways.iter().map(|way| (&way.library[..], &way.name[..])).collect();
            let in_windows = calls.iter().map(|call| format!("{call} in windows"));
            let expected = calls.iter().map(|&call| call.to_owned()).chain(in_windows);
            let expected: Vec<_> = expected.collect();
            assert_eq!(
                names,
                expected.iter().map(|name| ("simt-nccl", &name[..])).collect::<Vec<_>>()
            );
            let report = runner.device.take_report().expect("a report");
            for launch in report.launches {
                assert!(launch.races.is_empty() && launch.fault.is_none(), "{launch:?}");
            }
        }
    }
}
