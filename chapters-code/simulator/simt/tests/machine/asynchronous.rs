//! mbarriers and bulk copies: what their instructions do, what orders what through them, and what
//! stops a launch.

use simt::{FaultKind, Options};
use simt_report::{Race, RaceKind};

use super::run::{Run, fault, ok, run, run_with};

/// What was found, by kind.
fn found(run: &Run) -> Vec<RaceKind> {
    let races = &run.report.races;
    races.iter().map(|race| race.kind).collect()
}

/// Runs a body under several schedules, which must not fault, and in which only such races may be found.
#[track_caller]
fn under_schedules(body: &str, grid: u32, block: u32, expects: impl Fn(&[Race]) -> bool) {
    for seed in 0..6 {
        let options = Options::default().with(|options| {
            options.seed = seed;
            options.races = true;
            options.instruction_limit = 1 << 22;
        });
        let run = run_with(body, grid, block, &options);
        ok(&run);
        let races = &run.report.races;
        assert!(expects(races), "seed {seed}: {races:#?}");
    }
}

/// Runs a body under several schedules, which must not fault nor be found fault with.
#[track_caller]
fn clean(body: &str, grid: u32, block: u32) -> Run {
    under_schedules(body, grid, block, <[Race]>::is_empty);
    run(body, grid, block)
}

/// Runs a body under several schedules, each of which must find this.
#[track_caller]
fn finds(body: &str, grid: u32, block: u32, kind: RaceKind, says: &str) {
    let is_it = |race: &Race| race.kind == kind && race.message.contains(says);
    under_schedules(body, grid, block, |races| races.iter().any(is_it));
}

/// By thread 0 alone, known to all: `m` barriers at the start of shared memory, for `count` arrivals.
fn start(count: u32) -> String {
    format!(
        "setp.eq.u32 %p1, %r1, 0; mov.u32 %r14, sh; mov.u32 %r15, {count};
         @%p1 mbarrier.init.shared.b64 [%r14], %r15;
         @%p1 mbarrier.init.shared.b64 [%r14+8], %r15;
         @%p1 fence.mbarrier_init.release.cluster; bar.sync 0;"
    )
}

/// Waits for a phase of the first barrier by its parity.
fn wait(label: &str, parity: u32) -> String {
    format!(
        "{label}: mbarrier.try_wait.parity.shared.b64 %p2, [%r14], {parity}; @!%p2 bra {label};"
    )
}

/// Thread 0 copies 64 bytes from `out` to byte 64 of shared memory.
const LOAD: &str = "@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%r14], 64;
    @%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes
        [sh+64], [%rd1], 64, [%r14];";

/// Thread i of 16 writes 100 + i to its element of `out`, where copies see it.
const FILL: &str = "add.u32 %r2, %r1, 100; st.global.u32 [%rd3], %r2; fence.proxy.async.global;
    bar.sync 0;";

/// Thread i puts word i of what was copied into element 16 + i of `out`.
const SHOW: &str = "mov.u64 %rd4, sh; add.s64 %rd4, %rd4, %rd2; ld.shared.u32 %r3, [%rd4+64];
    st.global.u32 [%rd3+64], %r3;";

#[test]
fn a_copy_is_there_when_its_phase_is_complete() {
    let body = format!("{}{FILL}{LOAD}{}{SHOW}ret;", start(1), wait("W", 0));
    let run = clean(&body, 1, 16);
    let expected: Vec<u32> = (100..116).collect();
    assert_eq!(run.out[16..32], expected);
}

#[test]
fn a_copy_takes_its_time() {
    let body = format!("{}{FILL}{LOAD}{SHOW}{}ret;", start(1), wait("W", 0));
    finds(&body, 1, 16, RaceKind::PendingCopy, "a wait at the copy's mbarrier");
    let options = Options::default().with(|options| options.races = true);
    // In one time slice with its beginning nothing of it is there.
    let run = run_with(&body, 1, 16, &options);
    assert_eq!(run.out[16..32], [u32::MAX; 16]);
}

#[test]
fn copies_count_as_instructions_alone() {
    let body = format!("{}{LOAD}{}ret;", start(1), wait("W", 0));
    let run = run(&body, 1, 1);
    let counters = run.report.counters.expect("counted");
    let requests = [
        counters.global_load_requests,
        counters.shared_store_requests,
        counters.shared_load_requests,
        counters.global_store_requests,
    ];
    assert_eq!(requests, [0; 4]);
}

#[test]
fn the_source_of_a_copy_must_be_visible_to_it() {
    let fill = FILL.replace("fence.proxy.async.global;", "");
    let body = format!("{}{fill}{LOAD}{}{SHOW}ret;", start(1), wait("W", 0));
    finds(&body, 1, 16, RaceKind::MissingProxyFence, "fence.proxy.async");
    // The thread that starts the copy may fence what it has learned of.
    let load = format!("fence.proxy.async;{LOAD}");
    let body = format!("{}{fill}{load}{}{SHOW}ret;", start(1), wait("W", 0));
    clean(&body, 1, 16);
}

#[test]
fn the_source_of_a_copy_must_stay() {
    let body = format!("{}{FILL}{LOAD}st.global.u32 [%rd3], %r1;{}ret;", start(1), wait("W", 0));
    finds(&body, 1, 16, RaceKind::PendingCopy, "the bulk copy from there");
    let body = format!("{}{FILL}{LOAD}{}st.global.u32 [%rd3], %r1;ret;", start(1), wait("W", 0));
    clean(&body, 1, 16);
}

#[test]
fn a_fresh_barrier_has_completed_the_phase_before() {
    let test = "mbarrier.test_wait.parity.shared.b64 %p2, [%r14], 1; selp.u32 %r2, 7, 0, %p2;
        mbarrier.test_wait.parity.shared.b64 %p3, [%r14], 0; selp.u32 %r3, 9, 0, %p3;
        add.u32 %r2, %r2, %r3; st.global.u32 [%rd3], %r2; ret;";
    let run = clean(&format!("{}{test}", start(1)), 1, 32);
    assert_eq!(run.out[..32], [7; 32]);
}

#[test]
fn states_name_their_phase() {
    let body = format!(
        "{} mbarrier.arrive.shared.b64 %rd4, [%r14]; mbarrier.pending_count.b64 %r2, %rd4;
         W: mbarrier.try_wait.shared.b64 %p2, [%r14], %rd4; @!%p2 bra W;
         bar.sync 0; mbarrier.arrive.shared.b64 %rd5, [%r14], 1;
         mbarrier.test_wait.shared.b64 %p3, [%r14], %rd4; selp.u32 %r3, 1000, 0, %p3;
         add.u32 %r2, %r2, %r3; st.global.u32 [%rd3], %r2; ret;",
        start(32)
    );
    let run = clean(&body, 1, 32);
    let expected: Vec<u32> = (0..32).map(|lane| 1032 - lane).collect();
    assert_eq!(run.out[..32], expected);
}

#[test]
fn arrivals_release_and_waits_acquire() {
    let exchange = |arrive: &str, wait: &str| {
        format!(
            "{} mov.u64 %rd4, sh; add.s64 %rd4, %rd4, %rd2; st.shared.u32 [%rd4+64], %r1;
             mbarrier.arrive{arrive}.shared::cta.b64 %rd5, [%r14];
             W: mbarrier.try_wait{wait}.shared::cta.b64 %p2, [%r14], %rd5; @!%p2 bra W;
             mov.u64 %rd4, sh; xor.b32 %r2, %r1, 63; mul.wide.u32 %rd6, %r2, 4;
             add.s64 %rd4, %rd4, %rd6; ld.shared.u32 %r3, [%rd4+64];
             st.global.u32 [%rd3], %r3; ret;",
            start(64)
        )
    };
    let run = clean(&exchange("", ""), 1, 64);
    assert_eq!((run.out[0], run.out[63]), (63, 0));
    clean(&exchange(".release.cta", ".acquire.cluster"), 1, 64);
    finds(&exchange(".relaxed.cta", ""), 1, 64, RaceKind::WriteRead, "sh");
    finds(&exchange("", ".relaxed.cta"), 1, 64, RaceKind::WriteRead, "sh");
}

#[test]
fn what_is_learned_at_an_mbarrier_is_passed_on() {
    // Thread 32 writes, thread 0 waits for it and raises a flag for the other block.
    let body = format!(
        "{} mov.u32 %r2, %ctaid.x; setp.eq.u32 %p3, %r2, 1; @%p3 bra OTHER;
         setp.eq.u32 %p4, %r1, 32; mov.u32 %r3, 77; @!%p4 bra WAIT;
         st.global.u32 [%rd1+256], %r3; mbarrier.arrive.shared.b64 _, [%r14]; ret;
         WAIT: @!%p1 ret; {}
         membar.gl; mov.u32 %r4, 1; st.volatile.global.u32 [%rd1+512], %r4; ret;
         OTHER: ld.volatile.global.u32 %r4, [%rd1+512]; setp.eq.u32 %p5, %r4, 0; @%p5 bra OTHER;
         ld.global.u32 %r5, [%rd1+256]; st.global.u32 [%rd3+1024], %r5; ret;",
        start(1),
        wait("W", 0)
    );
    let run = clean(&body, 2, 64);
    assert_eq!(run.out[256..320], [77; 64]);
}

#[test]
fn what_a_copy_has_written_is_passed_on() {
    let store = |wait: &str| {
        format!(
            "setp.eq.u32 %p1, %r1, 0; @!%p1 ret; mov.u32 %r2, %ctaid.x; setp.eq.u32 %p3, %r2, 1;
             @%p3 bra OTHER;
             mov.u32 %r3, 5; st.shared.v4.u32 [sh], {{%r3, %r3, %r3, %r3}}; fence.proxy.async;
             cp.async.bulk.global.shared::cta.bulk_group [%rd1+256], [sh], 16;
             cp.async.bulk.commit_group; {wait}
             membar.gl; mov.u32 %r4, 1; st.volatile.global.u32 [%rd1+512], %r4;
             cp.async.bulk.wait_group 0; ret;
             OTHER: ld.volatile.global.u32 %r4, [%rd1+512]; setp.eq.u32 %p5, %r4, 0;
             @%p5 bra OTHER; ld.global.u32 %r5, [%rd1+268]; st.global.u32 [%rd1+1024], %r5; ret;"
        )
    };
    let run = clean(&store("cp.async.bulk.wait_group 0;"), 2, 1);
    assert_eq!(run.out[256], 5);
    let early = store("cp.async.bulk.wait_group.read 0;");
    finds(&early, 2, 1, RaceKind::PendingCopy, "cp.async.bulk.wait_group is missing");
}

#[test]
fn groups_are_waited_for_in_order() {
    let body = "setp.eq.u32 %p1, %r1, 0; @!%p1 ret; mov.u32 %r2, 3; mov.u32 %r3, 4;
        st.shared.v4.u32 [sh], {%r2, %r2, %r2, %r2}; st.shared.v4.u32 [sh+16], {%r3, %r3, %r3, %r3};
        fence.proxy.async;
        cp.async.bulk.global.shared::cta.bulk_group [%rd1+256], [sh], 16;
        cp.async.bulk.commit_group;
        cp.async.bulk.global.shared::cta.bulk_group [%rd1+512], [sh+16], 16;
        cp.async.bulk.commit_group;
        cp.async.bulk.wait_group 1; ld.global.u32 %r4, [%rd1+256];
        cp.async.bulk.wait_group 0; ld.global.u32 %r5, [%rd1+512];
        add.u32 %r4, %r4, %r5; st.global.u32 [%rd1], %r4;
        cp.async.bulk.wait_group 0; ret;";
    assert_eq!(clean(body, 1, 1).out[0], 7);
    let early = body.replace("cp.async.bulk.wait_group 0; ld", "ld");
    finds(&early, 1, 1, RaceKind::PendingCopy, "the bulk copy to there");
}

#[test]
fn copies_by_threads_count_on_mbarriers() {
    // `.noinc`: 32 arrivals are expected. Without it, each is one more than the one of thread 0.
    for (count, noinc) in [(32, ".noinc"), (1, "")] {
        let body = format!(
            "{} mov.u64 %rd4, sh; add.s64 %rd5, %rd4, %rd2; cvt.u32.u64 %r2, %rd5;
             st.global.u32 [%rd3], %r1; bar.sync 0;
             cp.async.ca.shared.global [%r2+64], [%rd3], 4;
             cp.async.mbarrier.arrive{noinc}.shared.b64 [%r14];
             {} {}
             xor.b32 %r3, %r1, 31; mul.wide.u32 %rd6, %r3, 4; add.s64 %rd4, %rd4, %rd6;
             ld.shared.u32 %r4, [%rd4+64]; st.global.u32 [%rd3+1024], %r4; ret;",
            start(count),
            if noinc.is_empty() {
                "bar.sync 0; @%p1 mbarrier.arrive.shared.b64 _, [%r14];"
            } else {
                ""
            },
            wait("W", 0)
        );
        let run = clean(&body, 1, 32);
        assert_eq!((run.out[256], run.out[287]), (31, 0), "{noinc}");
    }
}

#[test]
fn who_drops_out_is_not_waited_for() {
    let body = format!(
        "{} setp.ge.u32 %p3, %r1, 8; @%p3 mbarrier.arrive_drop.shared.b64 %rd4, [%r14];
         @%p3 ret; mbarrier.arrive.shared.b64 _, [%r14]; {}
         mbarrier.arrive.shared.b64 _, [%r14]; {} st.global.u32 [%rd3], %r1; ret;",
        start(32),
        wait("V", 0),
        wait("W", 1)
    );
    assert_eq!(clean(&body, 1, 32).out[7], 7);
}

#[test]
fn generic_addresses_must_lead_to_shared_memory() {
    let body = "setp.eq.u32 %p1, %r1, 0; @!%p1 ret; mov.u64 %rd4, sh; cvta.shared.u64 %rd4, %rd4;
        mbarrier.init.b64 [%rd4], 1; mbarrier.arrive.b64 %rd5, [%rd4];
        mbarrier.test_wait.b64 %p2, [%rd4], %rd5; selp.u32 %r2, 1, 0, %p2;
        st.global.u32 [%rd1], %r2; ret;";
    assert_eq!(clean(body, 1, 1).out[0], 1);
    let elsewhere = run("mbarrier.init.b64 [%rd1], 1; ret;", 1, 1);
    fault(&elsewhere, FaultKind::IllegalAddress, "which is no shared memory");
}

#[test]
fn addresses_of_mbarriers_are_checked() {
    let misaligned = run("mbarrier.init.shared.b64 [sh+4], 1; ret;", 1, 1);
    fault(&misaligned, FaultKind::MisalignedAddress, "a multiple of 8");
    let outside = run("mbarrier.init.shared.b64 [sh+4096], 1; ret;", 1, 1);
    fault(&outside, FaultKind::IllegalAddress, "there are 4096 bytes");
}

#[test]
fn misuse_stops_a_launch() {
    let illegal = |body: &str, says| {
        let run = run(&format!("mov.u32 %r2, 1; {body} ret;"), 1, 1);
        fault(&run, FaultKind::IllegalInstruction, says);
    };
    illegal(
        "mbarrier.arrive.shared.b64 _, [sh];",
        "`mbarrier.arrive` at byte 0 of shared array `sh`, where there is no mbarrier: none was initialised",
    );
    illegal("mbarrier.init.shared.b64 [sh], 0;", "a count of 0");
    let started = |body: &str| format!("mbarrier.init.shared.b64 [sh], 2; {body}");
    illegal(
        &started("mbarrier.inval.shared.b64 [sh]; mbarrier.arrive.shared.b64 _, [sh];"),
        "it has been invalidated",
    );
    illegal(
        &started("st.shared.u32 [sh], %r2; mbarrier.arrive.shared.b64 _, [sh];"),
        "something else than an mbarrier instruction",
    );
    let body = started("mov.u32 %r2, 1; mbarrier.arrive.shared.b64 _, [sh], 3; ret;");
    let says = "3 arrivals at once, where phase 0 takes 2 more";
    fault(&run(&body, 1, 1), FaultKind::Overflow, says);
    illegal(
        &started("mbarrier.arrive.noComplete.shared.b64 %rd4, [sh], 2;"),
        "it completes phase 0",
    );
    illegal(
        &started("mbarrier.expect_tx.relaxed.cta.shared.b64 [sh], 1048576;"),
        "a transaction count of 1048576 bytes",
    );
    illegal(
        &started("mbarrier.complete_tx.relaxed.cta.shared.b64 [sh], 1048576;"),
        "a transaction count of -1048576 bytes",
    );
    illegal(&started("mbarrier.test_wait.parity.shared.b64 %p2, [sh], 2;"), "a phase parity of 2");
    illegal(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [sh+64], [%rd1], 16, [sh];",
        "`cp.async.bulk` at byte 0 of shared array `sh`, where there is no mbarrier",
    );
}

#[test]
fn what_a_copy_cannot_move_is_named() {
    let load = |dst, src, bytes| {
        let body = format!(
            "mbarrier.init.shared.b64 [sh], 1; fence.mbarrier_init.release.cluster;
             cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes
                 [{dst}], [{src}], {bytes}, [sh]; ret;"
        );
        run(&body, 1, 1)
    };
    fault(
        &load("sh+68", "%rd1", 16),
        FaultKind::MisalignedAddress,
        "misaligned write of `cp.async.bulk` in shared memory at 0x44",
    );
    fault(
        &load("sh+64", "%rd1+8", 16),
        FaultKind::MisalignedAddress,
        "misaligned read of `cp.async.bulk` in global memory",
    );
    fault(
        &load("sh+64", "%rd1", 24),
        FaultKind::IllegalInstruction,
        "`cp.async.bulk` of 24 bytes: the size must be a multiple of 16",
    );
    fault(
        &load("sh+4080", "%rd1", 32),
        FaultKind::IllegalAddress,
        "out-of-bounds write of 32 bytes by `cp.async.bulk` in shared memory",
    );
    fault(
        &load("sh+64", "%rd1+4080", 32),
        FaultKind::IllegalAddress,
        "past the end of the allocation of 4096 bytes",
    );
}

#[test]
fn a_mbarrier_that_is_gone_when_bytes_come_is_named() {
    let body =
        format!("{} {LOAD} @%p1 mbarrier.inval.shared.b64 [%r14]; bar.sync 0; ret;", start(1));
    let run = run(&body, 1, 32);
    let says = "the end of `cp.async.bulk` is counted at byte 0 of shared array `sh`, where there is no mbarrier any more";
    fault(&run, FaultKind::IllegalInstruction, says);
}

#[test]
fn waiting_for_ever_names_the_phase() {
    let body =
        format!("{} @%p1 mbarrier.arrive.shared.b64 _, [%r14]; {} ret;", start(3), wait("W", 0));
    for seed in 0..4 {
        let options = Options::default().with(|options| {
            options.seed = seed;
            options.instruction_limit = 1 << 22;
        });
        let run = run_with(&body, 2, 64, &options);
        let says = "spin on phase 0 of the mbarrier at byte 0 of shared array `sh`";
        fault(&run, FaultKind::Deadlock, says);
        fault(&run, FaultKind::Deadlock, "it still waits for 2 of 3 arrivals");
    }
}

#[test]
fn lanes_may_wait_for_one_another() {
    // Lane 0 waits for lane 1, which comes later on the other side of the branch.
    let body = format!(
        "{} @!%p1 bra OTHERS; {} mov.u32 %r2, 9; st.global.u32 [%rd1], %r2; ret;
         OTHERS: setp.eq.u32 %p3, %r1, 1; @%p3 mbarrier.arrive.shared.b64 _, [%r14]; ret;",
        start(1),
        wait("W", 0)
    );
    assert_eq!(clean(&body, 1, 32).out[0], 9);
}

#[test]
fn a_barrier_again_must_have_been_given_up() {
    let body = "setp.eq.u32 %p1, %r1, 0; @!%p1 ret; mbarrier.init.shared.b64 [sh], 1;
        mbarrier.inval.shared.b64 [sh]; mbarrier.init.shared.b64 [sh], 1; ret;";
    clean(body, 1, 1);
    let again = body.replace("mbarrier.inval.shared.b64 [sh];", "");
    finds(&again, 1, 1, RaceKind::MbarrierReinitialised, "mbarrier.inval is missing");
}

#[test]
fn copies_that_nobody_waits_for_are_told() {
    let body = format!("{}{LOAD}ret;", start(1));
    finds(&body, 1, 32, RaceKind::AbandonedCopy, "all threads exit");
    let options = Options::default();
    let run = run_with(&body, 1, 32, &options);
    assert!(found(&run).is_empty());
    ok(&run);
}
