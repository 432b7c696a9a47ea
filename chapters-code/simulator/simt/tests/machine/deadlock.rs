//! Waiting for what cannot come is told, and waiting for what comes late is not.

use simt::{FaultKind, Options};

use super::run::{fault, ok, run, run_with};

/// Block b waits until block b + `by` has raised its flag, then raises its own; block 0, or the last
/// one, waits for nobody.
fn chain(by: i32, first: &str) -> String {
    chain_of("mov.u32 %r2, %ctaid.x;", by, first)
}

/// The same where blocks are numbered in the order in which they draw tickets. The counter is element 1023.
fn chain_of_tickets() -> String {
    chain_of("atom.global.add.u32 %r2, [%rd1+4092], 1;", -1, "0")
}

fn chain_of(number: &str, by: i32, first: &str) -> String {
    format!(
        "{number} mul.wide.u32 %rd4, %r2, 4; add.s64 %rd4, %rd1, %rd4;
         setp.eq.u32 %p1, %r2, {first}; @%p1 bra RAISE;
         SPIN: ld.volatile.global.u32 %r3, [%rd4+{}]; setp.eq.u32 %p2, %r3, 0; @%p2 bra SPIN;
         RAISE: mov.u32 %r4, 1; st.volatile.global.u32 [%rd4], %r4; ret;",
        4 * by
    )
}

fn options(seed: u64, resident_blocks: usize, threads: usize) -> Options {
    Options::default().with(|options| {
        options.seed = seed;
        options.resident_blocks = resident_blocks;
        options.threads = threads;
        options.races = true;
        options.instruction_limit = 1 << 26;
    })
}

/// Looking back at tiles: where they are numbered as their blocks start, the earlier one is resident or done. The
/// order of `blockIdx` is that order with seed 0 only.
#[test]
fn a_chain_that_looks_back_ends() {
    for (seed, resident, threads) in [(0, 1, 1), (0, 2, 2), (3, 1, 1), (4, 5, 2), (5, 0, 2)] {
        let options = options(seed, resident, threads);
        let tickets = run_with(&chain_of_tickets(), 40, 1, &options);
        ok(&tickets);
        assert!(tickets.out[..40].iter().all(|flag| *flag == 1));
        let run = run_with(&chain(-1, "0"), 40, 1, &options);
        if seed == 0 || resident == 0 {
            ok(&run);
            assert!(run.out[..40].iter().all(|flag| *flag == 1));
        } else {
            fault(&run, FaultKind::Deadlock, "spin on what they read at");
        }
    }
}

/// Looking ahead ends only if all blocks are resident.
#[test]
fn a_chain_that_looks_ahead_may_wait_for_ever() {
    for (seed, threads) in [(0, 1), (0, 2), (7, 1), (8, 2)] {
        ok(&run_with(&chain(1, "39"), 40, 1, &options(seed, 0, threads)));
        let stuck = run_with(&chain(1, "39"), 40, 1, &options(seed, 4, threads));
        fault(&stuck, FaultKind::Deadlock, "no thread changes memory any more");
        fault(&stuck, FaultKind::Deadlock, "spin on what they read at");
    }
}

/// The same with so many blocks that host threads take several at a time, and with fewer and more host
/// threads than cores.
fn check_chains(schedules: &[(u64, usize)]) {
    let last = &chain(1, "1023");
    for &(seed, threads) in schedules {
        for resident in [1, 2, 5, 32, 0] {
            let back = run_with(&chain_of_tickets(), 1000, 1, &options(seed, resident, threads));
            ok(&back);
            assert!(back.out[..1000].iter().all(|flag| *flag == 1));
        }
        ok(&run_with(last, 1024, 1, &options(seed, 1024, threads)));
        let stuck = run_with(last, 1024, 1, &options(seed, 512, threads));
        fault(&stuck, FaultKind::Deadlock, "spin on what they read at");
    }
}

#[test]
fn chains_of_many_blocks() {
    check_chains(&[(3, 2)]);
}

#[test]
#[ignore = "exhaustive: `cargo test -- --ignored exhaustive`"]
fn exhaustive_chains_of_many_blocks() {
    check_chains(&[(0, 1), (0, 2), (0, 4)]);
}

/// The fault of one block ends those that wait for it, and is what is told.
#[test]
fn a_fault_is_no_deadlock() {
    let body = "mov.u32 %r2, %ctaid.x; setp.eq.u32 %p1, %r2, 1; @%p1 bra WORK;
         SPIN: ld.volatile.global.u32 %r3, [%rd1]; setp.eq.u32 %p2, %r3, 0; @%p2 bra SPIN; ret;
         WORK: mov.u32 %r4, 0;
         L: add.u32 %r4, %r4, 1; setp.lt.u32 %p3, %r4, 200000; @%p3 bra L;
         mov.u64 %rd4, 8; ld.global.u32 %r5, [%rd4]; st.global.u32 [%rd1], %r5; ret;";
    for _ in 0..20 {
        let run = run_with(body, 2, 1, &options(0, 0, 2));
        fault(&run, FaultKind::IllegalAddress, "null pointer");
    }
}

/// The last block to come puts the counter back. What each has done to it is noted in the order in
/// which it took effect, however the host threads are interrupted.
#[test]
fn a_counter_is_put_back_without_a_race() {
    let body = "mov.u32 %r4, 0;
         L: add.u32 %r4, %r4, 1; setp.lt.u32 %p3, %r4, 20000; @%p3 bra L;
         membar.gl; atom.global.add.u32 %r2, [%rd1], 1; setp.ne.u32 %p1, %r2, 1; @%p1 ret;
         mov.u32 %r4, 0; st.global.u32 [%rd1], %r4; ret;";
    for _ in 0..300 {
        let run = run_with(body, 2, 1, &options(0, 0, 2));
        ok(&run);
        let races = run.report.races;
        assert!(races.is_empty(), "{races:?}");
    }
}

/// Blocks that wait for others leave them the time: the last of 40 raises its flag first, and the
/// others, which have all been waiting, after it one by one.
#[test]
fn waiting_takes_few_instructions() {
    let counted = |seed| {
        let run = run_with(&chain(1, "39"), 40, 256, &options(seed, 0, 1));
        ok(&run);
        run.report.counters.map(|c| c.warp_instructions)
    };
    for seed in [0, 1] {
        let instructions = counted(seed);
        assert_eq!(instructions, counted(seed));
        // In each turn, each waiting warp looks a few times at its flag.
        let looks = 16 * 3 * 40 * 41 * 8;
        assert!(instructions < Some(2 * looks), "{instructions:?}");
    }
}

/// One lane of one warp goes round 100 times: the other warps do not make its way longer.
#[test]
fn the_longest_warp_is_that_of_the_busiest_lane() {
    let longest = |rounds: u32, grid| {
        let body = format!(
            "mov.u32 %r4, %tid.x; setp.ne.u32 %p1, %r4, 40; @%p1 ret; mov.u32 %r4, 0;
             L: add.u32 %r4, %r4, 1; setp.lt.u32 %p2, %r4, {rounds}; @%p2 bra L; ret;"
        );
        let run = run_with(&body, grid, 256, &options(0, 0, 1));
        ok(&run);
        run.report.longest_warp
    };
    for grid in [1, 9] {
        assert_eq!(longest(100, grid) - longest(1, grid), 99 * 3);
    }
}

#[test]
fn an_endless_circle_is_told() {
    let run = run("L: bra L;", 1, 32);
    fault(&run, FaultKind::Deadlock, "loop for ever");
}

/// A lane that goes round keeps the others of its warp, which wait where the branch ends, no longer
/// than it must: they raise the flag.
#[test]
fn lanes_that_wait_for_a_circle_go_on() {
    let run = run(
        "setp.eq.u32 %p1, %r1, 0; @!%p1 bra MEET;
         SPIN: ld.global.u32 %r2, [%rd1+256]; setp.eq.u32 %p2, %r2, 0; @%p2 bra SPIN;
         MEET: mov.u32 %r3, 1; st.global.u32 [%rd1+256], %r3; st.global.u32 [%rd3], %r3; ret;",
        1,
        32,
    );
    ok(&run);
    assert_eq!(run.out[..32], [1; 32]);
}

/// None of these registers ever has another value at the end of a round, but the clock runs.
#[test]
fn a_loop_that_a_clock_ends_is_no_deadlock() {
    let run = run(
        "SPIN: mov.u64 %rd4, %globaltimer; and.b64 %rd5, %rd4, 0xffffff;
         setp.gt.u64 %p1, %rd5, 0xff; mov.u64 %rd4, 0; mov.u64 %rd5, 0; @%p1 bra SPIN;
         SPIN2: mov.u64 %rd4, %clock64; and.b64 %rd5, %rd4, 0xfffff;
         setp.gt.u64 %p1, %rd5, 0xff; mov.u64 %rd4, 0; mov.u64 %rd5, 0; @%p1 bra SPIN2;
         st.global.u32 [%rd3], %r1; ret;",
        1,
        32,
    );
    ok(&run);
    assert_eq!(run.out[31], 31);
}

/// One warp counts for long and writes at last; the other one waits for that, asleep.
#[test]
fn somebody_who_works_for_long_is_waited_for() {
    let run = run(
        "setp.lt.u32 %p1, %r1, 32; @%p1 bra WORK;
         SPIN: nanosleep.u32 20; ld.volatile.global.u32 %r2, [%rd1+512];
         setp.eq.u32 %p2, %r2, 0; @%p2 bra SPIN; bra.uni DONE;
         WORK: mov.u32 %r4, 0;
         L: add.u32 %r4, %r4, 1; setp.lt.u32 %p3, %r4, 300000; @%p3 bra L;
         st.volatile.global.u32 [%rd1+512], %r4;
         DONE: st.global.u32 [%rd3], %r1; ret;",
        1,
        64,
    );
    ok(&run);
    assert_eq!(run.out[63], 63);
}

/// Polling with an atomic changes nothing, nor does a lock that is held.
#[test]
fn polling_with_atomics_is_no_progress() {
    for poll in ["atom.global.add.u32 %r2, [%rd1], 0", "atom.global.exch.b32 %r2, [%rd1], 0"] {
        let body = format!("SPIN: {poll}; setp.eq.u32 %p2, %r2, 0; @%p2 bra SPIN; ret;");
        fault(&run(&body, 2, 32), FaultKind::Deadlock, "spin on what they read");
    }
}
