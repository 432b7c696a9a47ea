//! Kernels in which one thread writes a flag for others, or reads it for them, without having met them, and the same
//! kernels with the barrier: each bug is found under every schedule, and nothing if there is none.

use std::collections::BTreeSet;

use super::list::{Bug, Planted};
use super::run::run;
use super::{SEEDS, tells};

const fn kernel(name: &'static str, grid: u32, block: u32, n: u32) -> Planted {
    let ptx = include_str!("kernels/hand_over.compute_90.ptx");
    Planted { name, file: "hand_over", ptx, bug: Bug::Race, grid, block, n }
}

const KERNELS: &[Planted] = &[
    kernel("turn_ended_early", 4, 64, 64),
    kernel("fence_before_barrier", 4, 64, 64),
    kernel("counted_early", 4, 64, 64),
    kernel("lanes_not_met", 2, 32, 32),
    kernel("lanes_not_met_by_red", 2, 32, 32),
    kernel("releasing_lane_not_named", 2, 32, 32),
    kernel("lane_fences_for_another", 2, 64, 64),
    kernel("another_warp_raises_flag", 2, 64, 64),
    kernel("flag_read_for_lanes", 2, 32, 32),
    kernel("flag_passed_on_by_shuffle", 2, 32, 32),
    kernel("flag_read_for_named_barrier", 2, 128, 128),
    kernel("named_barrier_for_too_few", 2, 128, 128),
    kernel("released_before_phase", 2, 64, 64),
    kernel("shared_flag_raised_early", 1, 64, 64),
    kernel("shared_flag_read_for_lanes", 1, 64, 64),
    kernel("cluster_flag_raised_early", 2, 64, 64),
    kernel("grid_barrier_for_one", 4, 64, 256),
];

#[test]
fn the_list_has_every_kernel() {
    let module = ptx::parse(KERNELS[0].ptx).expect("it is PTX");
    let there: BTreeSet<_> = module.kernels.into_iter().map(|k| k.name).collect();
    let listed = KERNELS.iter().flat_map(|planted| [planted.name.to_owned(), planted.twin()]);
    assert_eq!(listed.collect::<BTreeSet<_>>(), there);
}

#[test]
fn each_bug_is_found_and_no_other() {
    let mut wrong = Vec::new();
    for (planted, seed) in KERNELS.iter().flat_map(|p| SEEDS.map(move |seed| (p, seed))) {
        let found = run(planted, planted.name, seed);
        if !found.iter().any(|found| tells(found, planted)) {
            wrong.push(format!("{} is missed with seed {seed}", planted.name));
        }
        for found in run(planted, &planted.twin(), seed) {
            wrong.push(format!("{} with seed {seed}: {}", planted.twin(), found.message));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What is said of each bug, with the blocks and warps in order.
#[test]
fn messages() {
    let mut text = String::new();
    for planted in KERNELS {
        let found = run(planted, planted.name, 0);
        let lines: Vec<_> = found.iter().map(|f| format!("  {}: {}", f.kind, f.message)).collect();
        text += &format!("{}\n{}\n\n", planted.name, lines.join("\n"));
    }
    insta::assert_snapshot!("hand_over", text);
}
