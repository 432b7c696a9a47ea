//! A block that is held back: code that gives up waiting gives wrong results, and code that waits gives the same ones.

use simt::Options;

use super::run::{ok, run_with};

const SEEDS: std::ops::RangeInclusive<u64> = 1..=32;

/// Each of 4 blocks waits until the block before it has stored a number, but polls at most `polls` times. Then it stores
/// that number plus 1.
fn chain(polls: &str) -> String {
    format!(
        "mov.u32 %r2, %ctaid.x; mul.wide.u32 %rd4, %r2, 4; add.s64 %rd4, %rd1, %rd4;
         mov.u32 %r3, 0; mov.u32 %r5, 0; setp.eq.u32 %p1, %r2, 0; @%p1 bra SET;
         WAIT: ld.acquire.gpu.global.u32 %r3, [%rd4+-4]; add.u32 %r5, %r5, 1;
         setp.eq.u32 %p1, %r3, 0; setp.lt.u32 %p2, %r5, {polls}; and.pred %p1, %p1, %p2; @%p1 bra WAIT;
         SET: add.u32 %r3, %r3, 1; st.release.gpu.global.u32 [%rd4], %r3; ret;"
    )
}

fn result(body: &str, held_back: u64) -> Vec<u32> {
    let options = Options::default().with(|options| {
        options.held_back = held_back;
        options.races = true;
        options.instruction_limit = 1 << 24;
    });
    let run = run_with(body, 4, 1, &options);
    ok(&run);
    assert!(run.report.races.is_empty(), "{:?}", run.report.races);
    run.out[..4].to_vec()
}

#[test]
fn who_gives_up_is_wrong() {
    let gives_up = chain("10000");
    assert_eq!(result(&gives_up, 0), [1, 2, 3, 4]);
    assert!(SEEDS.filter(|seed| result(&gives_up, *seed) != [1, 2, 3, 4]).count() >= 8);
}

#[test]
fn who_waits_is_right() {
    let waits = chain("0x7fffffff");
    SEEDS.for_each(|seed| assert_eq!(result(&waits, seed), [1, 2, 3, 4], "seed {seed}"));
}
