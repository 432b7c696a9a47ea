//! Whole kernels on the machine: how lanes part and meet, wait, and are stopped.

mod active_masks;
mod asynchronous;
mod cluster;
mod deadlock;
mod held_back;
mod independent_lanes;
mod run;
mod torn_vectors;

use run::{fault, ok, run, run_with};
use simt::{FaultKind, Options};
use simt_report::Missing;

#[test]
fn lanes_part_and_meet() {
    let run = run(
        "and.b32 %r2, %r1, 1; setp.eq.u32 %p1, %r2, 0; @%p1 bra EVEN;
         mov.u32 %r3, 100; bra.uni MEET;
         EVEN: mov.u32 %r3, 200;
         MEET: activemask.b32 %r4; add.u32 %r3, %r3, %r4; st.global.u32 [%rd3], %r3; ret;",
        1,
        32,
    );
    ok(&run);
    assert_eq!(run.out[0], 199);
    assert_eq!(run.out[1], 99);
    let counters = run.report.counters.expect("counted");
    assert_eq!((counters.divergent_branches, counters.global_store_requests), (1, 1));
    assert_eq!(counters.global_store_sectors, 4);
}

#[test]
fn loops_of_different_length_meet_at_the_end() {
    let run = run(
        "mov.u32 %r2, 0;
         LOOP: setp.ge.u32 %p1, %r2, %r1; @%p1 bra END; add.u32 %r2, %r2, 1; bra LOOP;
         END: activemask.b32 %r3; add.u32 %r3, %r3, %r2; st.global.u32 [%rd3], %r3; ret;",
        1,
        64,
    );
    ok(&run);
    for lane in 0..64u32 {
        assert_eq!(run.out[lane as usize], u32::MAX.wrapping_add(lane), "thread {lane}");
    }
}

#[test]
fn lanes_that_exit_are_not_missed_at_a_barrier() {
    let run = run(
        "setp.gt.u32 %p1, %r1, 40; @%p1 ret;
         mov.u64 %rd4, sh; add.s64 %rd5, %rd4, %rd2; st.shared.u32 [%rd5], %r1; bar.sync 0;
         sub.u32 %r2, 40, %r1; mul.wide.u32 %rd6, %r2, 4; add.s64 %rd6, %rd4, %rd6;
         ld.shared.u32 %r3, [%rd6]; st.global.u32 [%rd3], %r3; ret;",
        1,
        64,
    );
    ok(&run);
    assert_eq!((run.out[0], run.out[40], run.out[41]), (40, 0, 0));
    assert!(run.report.races.is_empty(), "{:?}", run.report.races);
}

#[test]
fn a_missing_barrier_is_a_race_between_warps() {
    let run = run(
        "mov.u64 %rd4, sh; add.s64 %rd5, %rd4, %rd2; st.shared.u32 [%rd5], %r1;
         xor.b32 %r2, %r1, 32; mul.wide.u32 %rd6, %r2, 4; add.s64 %rd6, %rd4, %rd6;
         ld.shared.u32 %r3, [%rd6]; ret;",
        1,
        64,
    );
    ok(&run);
    let races = &run.report.races;
    let told: Vec<_> = races.iter().map(|r| (r.missing, r.array.as_str())).collect();
    // Either warp reads what the other one writes: once before, and once after.
    assert_eq!(told, [(Missing::Syncthreads, "sh"); 2], "{races:?}");
}

#[test]
fn a_missing_syncwarp_is_a_race_between_lanes() {
    let body = |sync: &str| {
        format!(
            "mov.u64 %rd4, sh; add.s64 %rd5, %rd4, %rd2; st.shared.u32 [%rd5], %r1; {sync}
             xor.b32 %r2, %r1, 1; mul.wide.u32 %rd6, %r2, 4; add.s64 %rd6, %rd4, %rd6;
             ld.shared.u32 %r3, [%rd6]; st.global.u32 [%rd3], %r3; ret;"
        )
    };
    let races = run(&body(""), 1, 32).report.races;
    assert_eq!(races.iter().map(|r| r.missing).collect::<Vec<_>>(), [Missing::Syncwarp]);
    let run = run(&body("bar.warp.sync 0xffffffff;"), 1, 32);
    assert!(run.report.races.is_empty(), "{:?}", run.report.races);
    assert_eq!(run.out[..4], [1, 0, 3, 2]);
}

#[test]
fn shuffles_wait_for_lanes_on_other_paths() {
    let run = run(
        "setp.lt.u32 %p1, %r1, 16; @%p1 bra LOW;
         mul.lo.u32 %r2, %r1, 10; bra.uni JOIN;
         LOW: mul.lo.u32 %r2, %r1, 100;
         JOIN: shfl.sync.bfly.b32 %r3|%p2, %r2, 16, 31, 0xffffffff;
         st.global.u32 [%rd3], %r3; ret;",
        1,
        32,
    );
    ok(&run);
    assert_eq!((run.out[0], run.out[16], run.out[31]), (160, 0, 1500));
}

#[test]
fn a_spinning_lane_lets_the_others_on() {
    // Lane 0 waits for a flag that lane 1 sets behind the branch.
    let run = run(
        "setp.ne.u32 %p1, %r1, 0; @%p1 bra SET;
         SPIN: ld.volatile.global.u32 %r2, [%rd1+256]; setp.eq.u32 %p2, %r2, 0; @%p2 bra SPIN;
         bra.uni DONE;
         SET: mov.u32 %r3, 1; st.volatile.global.u32 [%rd1+256], %r3;
         DONE: st.global.u32 [%rd3], %r1; ret;",
        1,
        32,
    );
    ok(&run);
    assert_eq!(run.out[31], 31);
}

#[test]
fn a_lock_is_handed_from_lane_to_lane() {
    let run = run(
        "SPIN: atom.global.cas.b32 %r2, [%rd1+512], 0, 1; setp.ne.u32 %p1, %r2, 0; @%p1 bra SPIN;
         ld.volatile.global.u32 %r3, [%rd1+516]; add.u32 %r3, %r3, 1;
         st.volatile.global.u32 [%rd1+516], %r3; membar.gl;
         mov.u32 %r4, 0; atom.global.exch.b32 %r5, [%rd1+512], %r4; ret;",
        2,
        64,
    );
    ok(&run);
    assert_eq!(run.out[516 / 4], 128);
}

#[test]
fn a_block_waits_for_one_that_started_before() {
    let run = run(
        "mov.u32 %r2, %ctaid.x; mul.wide.u32 %rd4, %r2, 4; add.s64 %rd5, %rd1, %rd4;
         setp.eq.u32 %p1, %r2, 0; mov.u32 %r3, 1; @%p1 bra PUT;
         SPIN: ld.acquire.gpu.global.u32 %r3, [%rd5+-4]; setp.eq.u32 %p2, %r3, 0; @%p2 bra SPIN;
         add.u32 %r3, %r3, 1;
         PUT: st.release.gpu.global.u32 [%rd5], %r3; ret;",
        200,
        32,
    );
    ok(&run);
    assert_eq!((run.out[0], run.out[199]), (1, 200));
}

#[test]
fn a_barrier_that_some_never_reach_is_a_deadlock() {
    let run =
        run("setp.lt.u32 %p1, %r1, 32; @%p1 bar.sync 1; bar.sync 0; @%p1 bar.sync 1; ret;", 1, 64);
    fault(&run, FaultKind::Deadlock, "at barrier 1");
}

#[test]
fn an_endless_kernel_is_stopped() {
    let options = Options::default().with(|options| options.instruction_limit = 1 << 20);
    let run = run_with("L: add.u32 %r2, %r2, 1; bra L;", 1, 32, &options);
    fault(&run, FaultKind::InstructionLimit, "warp instructions");
}

#[test]
fn accesses_outside_memory_are_named() {
    let out_of_bounds = run("st.global.u32 [%rd3+4032], %r1; ret;", 1, 32);
    fault(&out_of_bounds, FaultKind::IllegalAddress, "thread (16,0,0) (warp 0, lane 16)");
    fault(
        &out_of_bounds,
        FaultKind::IllegalAddress,
        "1 byte past the end of the allocation of 4096 bytes",
    );
    let misaligned = run("ld.global.u64 %rd4, [%rd1+4]; ret;", 1, 1);
    fault(&misaligned, FaultKind::MisalignedAddress, "multiple of 8");
    let null = run("mov.u64 %rd4, 0; ld.global.u32 %r2, [%rd4]; ret;", 1, 1);
    fault(&null, FaultKind::IllegalAddress, "null pointer");
    let shared = run("ld.shared.u32 %r2, [sh+4096]; ret;", 1, 1);
    let words = "1 byte past the end of array `sh` of 4096 bytes";
    fault(&shared, FaultKind::IllegalAddress, words);
    let shared = run("mov.u32 %r2, 5000; ld.shared.u32 %r2, [%r2]; ret;", 1, 1);
    fault(&shared, FaultKind::IllegalAddress, "there are 4096 bytes");
}

#[test]
fn barriers_reduce() {
    let run = run(
        "and.b32 %r2, %r1, 3; setp.eq.u32 %p1, %r2, 0; bar.red.popc.u32 %r3, 0, %p1;
         bar.red.or.pred %p2, 0, %p1; bar.red.and.pred %p3, 0, %p1;
         selp.u32 %r4, 1000, 0, %p2; add.u32 %r3, %r3, %r4;
         selp.u32 %r4, 5000, 0, %p3; add.u32 %r3, %r3, %r4; st.global.u32 [%rd3], %r3; ret;",
        1,
        96,
    );
    ok(&run);
    assert!(run.out[..96].iter().all(|x| *x == 1024), "{:?}", &run.out[..4]);
}

#[test]
fn generic_addresses_lead_to_shared_and_global_memory() {
    let run = run(
        "mov.u64 %rd4, sh; cvta.shared.u64 %rd5, %rd4; add.s64 %rd5, %rd5, %rd2;
         st.u32 [%rd5], %r1; ld.u32 %r2, [%rd5]; add.u32 %r2, %r2, 7; st.u32 [%rd3], %r2; ret;",
        1,
        32,
    );
    ok(&run);
    assert_eq!(run.out[..3], [7, 8, 9]);
}

#[test]
fn launches_that_cannot_be_are_refused() {
    let too_many = run_with("ret;", 1, 1025, &Options::default());
    fault(&too_many, FaultKind::InvalidLaunch, "1 to 1024 threads");
    let none = run_with("ret;", 0, 32, &Options::default());
    fault(&none, FaultKind::InvalidLaunch, "at least 1");
    let unknown = run_with("wgmma.fence.sync.aligned;", 1, 32, &Options::default());
    let cause = "`k`, line 12: unsupported instruction `wgmma.fence.sync.aligned`";
    fault(&unknown, FaultKind::Unsupported, cause);
}

/// What an H100 does where PTX leaves it undefined: an atomic of one lane on its own memory is executed.
/// Those of several lanes end in the memory of one of them there, and in a fault here.
#[test]
fn atomics_on_local_memory_are_for_a_lane_alone() {
    let body = |guard: &str| {
        format!(
            "{{ .local .align 8 .b8 x[16]; .reg .b64 %p64;
             mov.u64 %p64, x; cvta.local.u64 %p64, %p64;
             cvt.u64.u32 %rd4, %r1; add.s64 %rd4, %rd4, 1000; st.local.u64 [x], %rd4; mov.u64 %rd5, 0;
             {guard}
             atom.add.acq_rel.cta.u64 %rd5, [%p64], 7;
             L: ld.local.u64 %rd6, [x]; ld.acquire.cta.u64 %rd7, [%p64];
             shl.b64 %rd2, %rd2, 2; add.s64 %rd3, %rd1, %rd2; cvt.u32.u64 %r2, %rd5; cvt.u32.u64 %r3, %rd6;
             cvt.u32.u64 %r4, %rd7; st.global.v4.u32 [%rd3], {{%r2, %r3, %r4, 0}}; ret; }}"
        )
    };
    let run = run(&body("setp.ne.u32 %p1, %r1, 5; @%p1 bra L;"), 1, 32);
    ok(&run);
    assert_eq!(run.out[4 * 4..][..3], [0, 1004, 1004]);
    assert_eq!(run.out[5 * 4..][..3], [1005, 1012, 1012]);
    let several = run_with(&body(""), 1, 32, &Options::default());
    fault(&several, FaultKind::IllegalAddress, "by several lanes of a warp at once");
}

/// PTX: the slot of the warp in its multiprocessor.
#[test]
fn a_warps_number_is_not_that_in_its_block() {
    let body = "mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mad.lo.u32 %r3, %r2, %r3, %r1;
         mul.wide.u32 %rd4, %r3, 4; add.s64 %rd4, %rd1, %rd4;
         mov.u32 %r4, %warpid; st.global.u32 [%rd4], %r4; ret;";
    let slots = |seed, threads| {
        let run = run_with(
            body,
            2,
            512,
            &Options::default().with(|options| {
                options.seed = seed;
                options.threads = threads;
            }),
        );
        ok(&run);
        run.out
    };
    for seed in 0..16 {
        let all = slots(seed, 1);
        assert_eq!(slots(seed, 2), all);
        for block in all.chunks(512) {
            let mut taken = Vec::new();
            for (number, warp) in block.chunks(32).enumerate() {
                assert_eq!(warp, [warp[0]; 32]);
                assert!(warp[0] < 64 && warp[0] as usize != number && !taken.contains(&warp[0]));
                taken.push(warp[0]);
            }
        }
    }
}
