//! Lanes of a warp may run ahead of the others at accesses to memory: code that relies on lockstep gives wrong
//! results, and all other code gives the same ones.

use super::run::{Run, fault, ok, run_with};
use simt::{FaultKind, Options, WeakMemory};

const SEEDS: std::ops::RangeInclusive<u64> = 1..=64;

fn options(independent_lanes: u64) -> Options {
    Options::default().with(|options| {
        options.independent_lanes = independent_lanes;
        options.races = true;
        options.instruction_limit = 1 << 24;
    })
}

/// Runs a kernel in which nothing is found.
fn clean(body: &str, [grid, block]: [u32; 2], options: &Options) -> Run {
    let run = run_with(body, grid, block, options);
    ok(&run);
    assert!(run.report.races.is_empty(), "{options:?}: {:?}", run.report.races);
    run
}

/// Runs a kernel with each seed and several schedules, and returns its output, which is always the same.
fn always(body: &str, shape: [u32; 2]) -> Vec<u32> {
    let expected = clean(body, shape, &options(0)).out;
    for lanes in SEEDS {
        let out = clean(body, shape, &options(lanes).with(|options| options.seed = lanes % 4)).out;
        assert_eq!(out, expected, "seed {lanes}");
    }
    expected
}

/// The sum of 0 to 31 by one warp in shared memory.
fn sum(load: &str, store: &str, sync: &str) -> String {
    let step = |words: u32| {
        format!(
            "{} {} add.u32 %r3, %r3, %r2; {sync} {} {sync} ",
            load.replace("TO", "%r2").replace("AT", &format!("%rd5+{}", 4 * words)),
            load.replace("TO", "%r3").replace("AT", "%rd5"),
            store.replace("AT", "%rd5").replace("FROM", "%r3"),
        )
    };
    let steps: String = [16, 8, 4, 2, 1].into_iter().map(step).collect();
    format!(
        "mov.u32 %r9, 0; mov.u64 %rd4, sh; add.s64 %rd5, %rd4, %rd2;
         st.shared.u32 [%rd5], %r1; st.shared.u32 [%rd5+128], %r9; bar.sync 0; {steps}
         ld.relaxed.cta.shared.u32 %r2, [sh]; setp.eq.u32 %p1, %r1, 0; @%p1 st.global.u32 [%rd1], %r2; ret;"
    )
}

const SYNC: &str = "bar.warp.sync 0xffffffff;";
const ATOMICS: [&str; 2] =
    ["atom.shared.or.b32 TO, [AT], %r9;", "atom.shared.exch.b32 %r8, [AT], FROM;"];
const RELAXED: [&str; 2] =
    ["ld.relaxed.cta.shared.u32 TO, [AT];", "st.relaxed.cta.shared.u32 [AT], FROM;"];

#[test]
fn lockstep_gives_wrong_results() {
    for [load, store] in [ATOMICS, RELAXED] {
        let lockstep = sum(load, store, "");
        let result = |seed| clean(&lockstep, [1, 32], &options(seed)).out[0];
        assert_eq!(result(0), 496);
        assert!((1..=8).any(|seed| result(seed) != 496), "{load}");
        let wrong = SEEDS.filter(|seed| result(*seed) != 496).count();
        assert!(wrong >= 16, "{load} {wrong} of 64");
        let twin = sum(load, store, SYNC);
        assert_eq!(always(&twin, [1, 32])[0], 496);
    }
}

#[test]
fn plain_accesses_in_lockstep_race_as_before() {
    let lockstep = sum("ld.shared.u32 TO, [AT];", "st.shared.u32 [AT], FROM;", "");
    let synchronised = sum("ld.shared.u32 TO, [AT];", "st.shared.u32 [AT], FROM;", SYNC);
    for seed in SEEDS {
        assert!(!run_with(&lockstep, 1, 32, &options(seed)).report.races.is_empty());
        clean(&synchronised, [1, 32], &options(seed));
    }
}

/// Nothing orders what the other lanes have done before the arrival of lane 0.
#[test]
fn a_flag_of_one_lane_says_nothing_of_the_others() {
    let handed = |sync: &str| {
        format!(
            "mul.wide.u32 %rd4, %r1, 4; and.b32 %r2, %r1, 31; mul.wide.u32 %rd5, %r2, 4;
             mov.u64 %rd6, sh; add.s64 %rd6, %rd6, %rd5; mov.u32 %r3, 1; mov.u32 %r9, 0;
             st.relaxed.cta.shared.u32 [%rd6], %r9; st.relaxed.cta.shared.u32 [sh+128], %r9; bar.sync 0;
             setp.ge.u32 %p1, %r1, 32; @%p1 bra WAIT;
             st.relaxed.cta.shared.u32 [%rd6], %r3; {sync}
             setp.eq.u32 %p2, %r2, 0; @%p2 st.relaxed.cta.shared.u32 [sh+128], %r3; ret;
             WAIT: ld.relaxed.cta.shared.u32 %r4, [sh+128]; setp.eq.u32 %p2, %r4, 0; @%p2 bra WAIT;
             ld.relaxed.cta.shared.u32 %r4, [%rd6];
             setp.eq.u32 %p3, %r4, 0; @%p3 red.global.add.u32 [%rd1+4], %r3; ret;"
        )
    };
    let missed = |seed| {
        clean(&handed(""), [64, 64], &options(seed).with(|options| options.seed = seed)).out[1]
    };
    assert_eq!(missed(0), 0);
    let wrong = SEEDS.filter(|seed| missed(*seed) > 0).count();
    assert!(wrong >= 32, "{wrong} of 64");
    assert_eq!(always(&handed(SYNC), [64, 64])[1], 0);
}

#[test]
fn loops_that_wait_for_other_lanes_end() {
    let flag = "setp.ne.u32 %p1, %r1, 0; @%p1 bra SET;
         SPIN: ld.relaxed.gpu.global.u32 %r2, [%rd1+256]; setp.eq.u32 %p2, %r2, 0; @%p2 bra SPIN;
         bra.uni DONE;
         SET: mov.u32 %r3, 1; st.relaxed.gpu.global.u32 [%rd1+256], %r3;
         DONE: st.relaxed.gpu.global.u32 [%rd3], %r1; ret;";
    assert_eq!(always(flag, [1, 32])[31], 31);
    let all_arrive = "mov.u32 %r3, 1; atom.global.add.u32 %r2, [%rd1+512], %r3;
         SPIN: ld.relaxed.gpu.global.u32 %r2, [%rd1+512]; setp.ne.u32 %p1, %r2, 64; @%p1 bra SPIN;
         st.global.u32 [%rd3], %r2; ret;";
    assert_eq!(always(all_arrive, [1, 64])[..64], [64; 64]);
    let lock =
        "SPIN: atom.global.cas.b32 %r2, [%rd1+512], 0, 1; setp.ne.u32 %p1, %r2, 0; @%p1 bra SPIN;
         ld.relaxed.gpu.global.u32 %r3, [%rd1+516]; add.u32 %r3, %r3, 1;
         st.relaxed.gpu.global.u32 [%rd1+516], %r3; membar.gl;
         mov.u32 %r4, 0; atom.global.exch.b32 %r5, [%rd1+512], %r4; ret;";
    assert_eq!(always(lock, [2, 64])[516 / 4], 128);
}

#[test]
fn waiting_for_what_never_comes_is_a_deadlock() {
    let body = "st.global.u32 [%rd3], %r1;
         SPIN: ld.relaxed.gpu.global.u32 %r2, [%rd1+1024]; setp.eq.u32 %p2, %r2, 0; @%p2 bra SPIN; ret;";
    for lanes in 0..=16 {
        let options = options(lanes).with(|options| {
            options.seed = lanes % 3;
            options.instruction_limit = 1 << 22;
        });
        fault(&run_with(body, 2, 64, &options), FaultKind::Deadlock, "spin on what they read");
    }
}

#[test]
fn barriers_gather_the_lanes() {
    let body = "mov.u64 %rd4, sh; add.s64 %rd5, %rd4, %rd2; mov.u32 %r6, 0; mov.u32 %r7, %r1;
         LOOP: st.shared.u32 [%rd5], %r7; bar.sync 0;
         xor.b32 %r2, %r1, 37; mul.wide.u32 %rd6, %r2, 4; add.s64 %rd6, %rd4, %rd6;
         ld.shared.u32 %r3, [%rd6]; setp.gt.u32 %p1, %r3, %r7; bar.red.popc.u32 %r4, 0, %p1;
         mad.lo.u32 %r7, %r7, 3, %r3; add.u32 %r7, %r7, %r4;
         add.u32 %r6, %r6, 1; setp.lt.u32 %p2, %r6, 5; @%p2 bra LOOP;
         st.global.u32 [%rd3], %r7; ret;";
    always(body, [1, 128]);
    // The second warp is in branches at the barrier, and some threads have exited.
    let body = "mov.u64 %rd4, sh; add.s64 %rd5, %rd4, %rd2; setp.gt.u32 %p3, %r1, 51; @%p3 ret;
         st.shared.u32 [%rd5], %r1; and.b32 %r2, %r1, 1; setp.eq.u32 %p1, %r2, 0; @%p1 bra EVEN;
         st.shared.u32 [%rd5], %r2; bra.uni MEET;
         EVEN: ld.shared.u32 %r3, [%rd5]; st.shared.u32 [%rd5+512], %r3;
         MEET: bar.sync 0; xor.b32 %r2, %r1, 1; mul.wide.u32 %rd6, %r2, 4; add.s64 %rd6, %rd4, %rd6;
         ld.shared.u32 %r3, [%rd6]; st.global.u32 [%rd3], %r3; ret;";
    always(body, [1, 64]);
}

#[test]
fn warp_wide_operations_gather_the_lanes() {
    let body = "st.global.u32 [%rd3], %r1; ld.global.u32 %r2, [%rd3]; mul.lo.u32 %r2, %r2, 7;
         shfl.sync.bfly.b32 %r3|%p1, %r2, 9, 31, 0xffffffff; st.global.u32 [%rd3], %r3;
         and.b32 %r4, %r3, 4; setp.ne.u32 %p2, %r4, 0; ld.global.u32 %r5, [%rd3];
         vote.sync.ballot.b32 %r4, %p2, 0xffffffff; add.u32 %r3, %r3, %r4; st.global.u32 [%rd3], %r3;
         redux.sync.add.u32 %r4, %r5, 0xffffffff; add.u32 %r3, %r3, %r4; st.global.u32 [%rd3], %r3;
         and.b32 %r5, %r2, 3; match.any.sync.b32 %r4, %r5, 0xffffffff; xor.b32 %r3, %r3, %r4;
         st.global.u32 [%rd3], %r3; ret;";
    always(body, [1, 64]);
    // Halves of a warp, in a branch and out of it, and only one lane's store before.
    let halves = "and.b32 %r2, %r1, 31; mov.u32 %r5, 65535; setp.ge.u32 %p1, %r2, 16; @%p1 shl.b32 %r5, %r5, 16;
         st.global.u32 [%rd3], %r2; ld.global.u32 %r6, [%rd3];
         shfl.sync.down.b32 %r3, %r6, 3, 4127, %r5; @%p1 st.global.u32 [%rd3], %r3;
         setp.eq.u32 %p2, %r2, 5; @!%p2 bra JOIN; st.global.u32 [%rd3], %r3;
         JOIN: bar.warp.sync %r5; @%p1 bra HIGH; vote.sync.ballot.b32 %r4, %p2, %r5; bra.uni END;
         HIGH: ld.global.u32 %r4, [%rd3]; shfl.sync.bfly.b32 %r4, %r4, 1, 31, %r5;
         END: bar.warp.sync 0xffffffff; add.u32 %r3, %r3, %r4; st.global.u32 [%rd3], %r3; ret;";
    always(halves, [1, 64]);
}

/// After a warp-wide operation the lanes are together, until the next access.
#[test]
fn lanes_are_together_again() {
    let body = format!(
        "st.global.u32 [%rd3], %r1; ld.global.u32 %r2, [%rd3]; st.global.u32 [%rd3], %r2;
         {SYNC} activemask.b32 %r3; st.global.u32 [%rd3], %r3; ret;"
    );
    assert_eq!(always(&body, [1, 64])[..64], [u32::MAX; 64]);
}

#[test]
fn a_seed_gives_the_same_results_each_time() {
    let [load, store] = ATOMICS;
    let body = sum(load, store, "").replace("[%rd1], %r2", "[%rd7], %r2");
    let body = format!(
        "mov.u32 %r7, %ctaid.x; mul.wide.u32 %rd7, %r7, 4; add.s64 %rd7, %rd1, %rd7; {body}"
    );
    let out = |seed, threads| {
        let options = options(seed).with(|options| {
            options.threads = threads;
            options.races = false;
        });
        run_with(&body, 200, 32, &options).out
    };
    assert_eq!(out(0, 1)[..200], [496; 200]);
    for seed in 1..=8 {
        let first = out(seed, 1);
        assert_eq!(out(seed, 1), first);
        assert_eq!(out(seed, 2), first);
        // Blocks differ, and so do seeds.
        assert!((1..200).any(|block| first[block] != first[0]));
        assert_ne!(out(seed + 1, 1), first);
    }
}

#[test]
fn memory_may_be_weak_too() {
    let [load, store] = ATOMICS;
    let body = sum(load, store, SYNC);
    let lock =
        "SPIN: atom.global.cas.b32 %r2, [%rd1+512], 0, 1; setp.ne.u32 %p1, %r2, 0; @%p1 bra SPIN;
         membar.gl; ld.relaxed.gpu.global.u32 %r3, [%rd1+516]; add.u32 %r3, %r3, 1;
         st.relaxed.gpu.global.u32 [%rd1+516], %r3; membar.gl;
         mov.u32 %r4, 0; atom.global.exch.b32 %r5, [%rd1+512], %r4; ret;";
    for seed in 1..=8 {
        let weak_memory = Some(WeakMemory { seed, ..WeakMemory::default() });
        let options = options(seed).with(|options| options.weak_memory = weak_memory);
        assert_eq!(clean(&body, [1, 32], &options).out[0], 496, "seed {seed}");
        assert_eq!(clean(lock, [2, 64], &options).out[516 / 4], 128, "seed {seed}");
    }
}
