//! What the formulas of the book's chapter predict is what is counted: requests and sectors, of loads and of
//! stores, of every rung on every pattern.

use crate::common::{all, of};
use chapter_7_coalescing::{
    Case, Records,
    chapter::Coalescing,
    patterns::{reads, records},
    problem::Accesses,
    rungs,
    traffic::{Prediction, Traffic},
};
use testing::simulator;

/// What every correct rung asks for on a case, by its formula. The device's number of multiprocessors decides
/// how many threads read.
fn predicted(case: &Case) -> Vec<(&'static str, Prediction)> {
    let p = Accesses::new(&simulator().device, case).expect("room for the buffers");
    let runs = rungs().into_iter().filter(|(rung, _)| rung.refusal(case).is_none());
    let launches =
        runs.map(|(rung, prepare)| (rung.name, prepare(&p, &rung).expect("it is prepared")));
    launches.map(|(name, launch)| (name, (launch.promise.traffic)(&p))).collect()
}

#[track_caller]
fn check(cases: &[Case]) {
    for case in cases {
        let formulas = predicted(case);
        assert!(!formulas.is_empty(), "no rung runs on {case}");
        for (rung, formula) in formulas {
            let c = testing::counted(&Coalescing, rung, case);
            let counted = Prediction {
                loads: Traffic { requests: c.global_load_requests, sectors: c.global_load_sectors },
                stores: Traffic {
                    requests: c.global_store_requests,
                    sectors: c.global_store_sectors,
                },
            };
            let n = case.elements();
            assert_eq!(formula, counted, "{rung} of {n} {:?}", case.task);
        }
    }
}

/// Every rung, with every offset, stride, record, order and number of loads.
#[test]
fn the_formulas_hold() {
    check(&all(4096));
}

/// Where the last warp, pack or group is not whole.
#[test]
fn the_formulas_hold_for_ragged_arrays() {
    for n in [1, 2, 3, 4, 7, 31, 33, 100, 1003] {
        check(&all(n));
    }
}

#[test]
fn the_formulas_hold_for_groups_that_are_not_whole() {
    let particles = (1..=65).map(|n| of(8 * n, records(Records::Particles)));
    check(&particles.collect::<Vec<_>>());
}

#[test]
fn the_formulas_hold_for_all_that_is_under_way() {
    let reads: Vec<Case> = [1, 2, 4, 8]
        .into_iter()
        .flat_map(|loads| (1..=8).map(move |resident| (loads, resident)))
        .filter(|(loads, resident)| loads * resident <= 32)
        .map(|(loads, resident)| of(70_001, reads(loads, resident)))
        .collect();
    check(&reads);
}
