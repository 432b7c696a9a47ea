//! `activemask` may return a part of the lanes that execute it together.

use super::run::{Run, ok, run_with};
use simt::Options;

const SEEDS: std::ops::RangeInclusive<u64> = 1..=16;

fn with_parts(body: &str, seed: u64) -> Run {
    let options = Options::default().with(|options| {
        options.races = true;
        options.active_masks = seed;
    });
    let run = run_with(body, 1, 64, &options);
    ok(&run);
    assert!(run.report.races.is_empty(), "seed {seed}: {:?}", run.report.races);
    run
}

#[test]
fn each_lane_is_in_one_group() {
    let body = "activemask.b32 %r2; st.global.u32 [%rd3], %r2; ret;";
    let masks = |seed| with_parts(body, seed).out[..64].to_vec();
    assert_eq!(masks(0), [u32::MAX; 64]);
    let mut partial = 0;
    for seed in SEEDS {
        for warp in masks(seed).chunks(32) {
            let is_alike = |mask: u32| (0..32).all(|l| (warp[l] == mask) == (mask >> l & 1 == 1));
            assert!(warp.iter().all(|mask| is_alike(*mask)), "{warp:x?}");
            partial += u32::from(warp[0] != u32::MAX);
        }
    }
    assert_eq!(partial, 2 * 16);
}

/// A group takes as many numbers as it has lanes, by one atomic of its first lane.
#[test]
fn an_atomic_for_a_group_is_right_with_any_groups() {
    let body = "activemask.b32 %r2; brev.b32 %r3, %r2; clz.b32 %r3, %r3; mov.u32 %r7, 0;
         mov.u32 %r5, %laneid; setp.ne.u32 %p1, %r5, %r3; @%p1 bra TAKEN;
         popc.b32 %r6, %r2; atom.global.add.u32 %r7, [%rd1+2048], %r6;
         TAKEN: shfl.sync.idx.b32 %r7, %r7, %r3, 31, %r2;
         mov.u32 %r4, %lanemask_lt; and.b32 %r8, %r4, %r2; popc.b32 %r8, %r8; add.u32 %r7, %r7, %r8;
         mul.wide.u32 %rd4, %r7, 4; add.s64 %rd4, %rd1, %rd4; st.global.u32 [%rd4], %r1; ret;";
    for seed in SEEDS {
        let mut taken = with_parts(body, seed).out[..64].to_vec();
        taken.sort_unstable();
        assert_eq!(taken, Vec::from_iter(0..64), "seed {seed}");
    }
}
