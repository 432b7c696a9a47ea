//! Litmus tests for message passing, store buffering, load buffering, coherence, independent reads of
//! independent writes, and barriers. Each has exactly the outcomes that PTX's memory model allows.

use simt::BarrierOrder;

use super::litmus::{Litmus, difference};

/// A line has a test's name, its threads, each with its block, and its outcomes. An outcome has a digit per result,
/// in the order of [`Litmus::seen`]; `*` is 0 and 1, and the outcomes behind `not` never come up.
pub const TESTS: &str = "\
mp | 0: W x 1; W y 1 | 1: R 0 y; R 1 x | **
mp_fences | 0: W x 1; fence.acq_rel.gpu; W y 1 | 1: R 0 y; fence.acq_rel.gpu; R 1 x | ** not 10
mp_fence_of_the_writer_only | 0: W x 1; fence.acq_rel.gpu; W y 1 | 1: R 0 y; R 1 x | **
mp_fence_of_the_reader_only | 0: W x 1; W y 1 | 1: R 0 y; fence.acq_rel.gpu; R 1 x | **
mp_release_acquire | 0: W x 1; W.release.gpu y 1 | 1: R.acquire.gpu 0 y; R 1 x | ** not 10
mp_release_fence | 0: W x 1; W.release.gpu y 1 | 1: R 0 y; fence.acq_rel.gpu; R 1 x | ** not 10
mp_fence_acquire | 0: W x 1; fence.acq_rel.gpu; W y 1 | 1: R.acquire.gpu 0 y; R 1 x | ** not 10
mp_release_relaxed | 0: W x 1; W.release.gpu y 1 | 1: R 0 y; R 1 x | **
mp_relaxed_acquire | 0: W x 1; W y 1 | 1: R.acquire.gpu 0 y; R 1 x | **
mp_volatile | 0: W.volatile x 1; W.volatile y 1 | 1: R.volatile 0 y; R.volatile 1 x | **
mp_volatile_membars | 0: W.volatile x 1; membar.gl; W.volatile y 1 | 1: R.volatile 0 y; membar.gl; R.volatile 1 x | \
    ** not 10
mp_system_scope | 0: W.relaxed.sys x 1; fence.acq_rel.sys; W.relaxed.sys y 1 | 1: R 0 y; fence.acq_rel.gpu; R 1 x | \
    ** not 10
mp_writer_fence_of_the_block | 0: W x 1; membar.cta; W y 1 | 1: R 0 y; membar.gl; R 1 x | **
mp_reader_fence_of_the_block | 0: W x 1; membar.gl; W y 1 | 1: R 0 y; membar.cta; R 1 x | **
mp_in_a_block | 0: W x 1; W y 1 | 0: R 0 y; R 1 x | **
mp_in_a_block_fences_of_the_block | 0: W x 1; membar.cta; W y 1 | 0: R 0 y; membar.cta; R 1 x | ** not 10
mp_in_a_block_release_acquire | 0: W x 1; W.release.cta y 1 | 0: R.acquire.cta 0 y; R 1 x | ** not 10
mp_flag_of_the_block | 0: W x 1; fence.acq_rel.gpu; W.relaxed.cta y 1 | 1: R 0 y; fence.acq_rel.gpu; R 1 x | **
mp_flag_read_in_the_block | 0: W x 1; membar.gl; W y 1 | 1: R.acquire.cta 0 y; R 1 x | **
mp_atomic_flag | 0: W x 1; membar.gl; A 2 y 1 | 1: A 0 y 0; membar.gl; R 1 x | 000 010 110
mp_atomic_flag_unfenced | 0: W x 1; A 2 y 1 | 1: A 0 y 0; R 1 x | 000 010 100 110
mp_atomic_acq_rel | 0: W x 1; A.acq_rel.gpu 2 y 1 | 1: A.acq_rel.gpu 0 y 0; R 1 x | 000 010 110
sb | 0: W x 1; R 0 y | 1: W y 1; R 1 x | **
sb_release_acquire | 0: W.release.gpu x 1; R.acquire.gpu 0 y | 1: W.release.gpu y 1; R.acquire.gpu 1 x | **
sb_acq_rel_fences | 0: W x 1; fence.acq_rel.gpu; R 0 y | 1: W y 1; fence.acq_rel.gpu; R 1 x | **
sb_sc_fences | 0: W x 1; fence.sc.gpu; R 0 y | 1: W y 1; fence.sc.gpu; R 1 x | ** not 00
sb_membars | 0: W x 1; membar.gl; R 0 y | 1: W y 1; membar.gl; R 1 x | ** not 00
sb_one_sc_fence | 0: W x 1; fence.sc.gpu; R 0 y | 1: W y 1; fence.acq_rel.gpu; R 1 x | **
sb_sc_fences_of_the_block | 0: W x 1; fence.sc.cta; R 0 y | 1: W y 1; fence.sc.cta; R 1 x | **
sb_in_a_block_sc_fences_of_the_block | 0: W x 1; fence.sc.cta; R 0 y | 0: W y 1; fence.sc.cta; R 1 x | ** not 00
sb_in_a_block_two_scopes | 0: W x 1; fence.sc.cta; R 0 y | 0: W y 1; fence.sc.gpu; R 1 x | ** not 00
lb_release_acquire | 0: R.acquire.gpu 0 x; W.release.gpu y 1 | 1: R.acquire.gpu 1 y; W.release.gpu x 1 | ** not 11
lb_fences | 0: R 0 x; fence.acq_rel.gpu; W y 1 | 1: R 1 y; fence.acq_rel.gpu; W x 1 | ** not 11
corr | 0: W x 1 | 1: R 0 x; R 1 x | ** not 10
corr_volatile | 0: W.volatile x 1 | 1: R.volatile 0 x; R.volatile 1 x | ** not 10
corr_two_writers | 0: W x 1 | 1: W x 2 | 2: R 0 x; R 1 x | 3: R 2 x; R 3 x | \
    0000 0001 0002 0011 0012 0021 0022 0100 0101 0102 0111 0112 0121 0122 0200 0201 0202 0211 0212 0221 \
    0222 1100 1101 1102 1111 1112 1121 1122 1200 1201 1202 1211 1212 1222 2100 2101 2102 2111 2121 2122 \
    2200 2201 2202 2211 2212 2221 2222
cowr | 0: W x 1; R 0 x | 1: W x 2 | 1 2
corw | 0: R 0 x; W x 1 | 1: W x 2 | 01 02 21
coww | 0: W x 1; W x 2 | 1: R 0 x; R 1 x | 00 01 02 11 12 22
coherence_after_a_flag | 0: W x 1; R 0 x; W.release.gpu y 1 | 1: R.acquire.gpu 1 y; R 2 x | 100 101 111
iriw | 0: W x 1 | 1: W y 1 | 2: R 0 x; R 1 y | 3: R 2 y; R 3 x | ****
iriw_acquire | 0: W.release.gpu x 1 | 1: W.release.gpu y 1 | 2: R.acquire.gpu 0 x; R.acquire.gpu 1 y | \
    3: R.acquire.gpu 2 y; R.acquire.gpu 3 x | ****
iriw_acq_rel_fences | 0: W x 1 | 1: W y 1 | 2: R 0 x; fence.acq_rel.gpu; R 1 y | \
    3: R 2 y; fence.acq_rel.gpu; R 3 x | ****
iriw_sc_fences | 0: W x 1 | 1: W y 1 | 2: R 0 x; fence.sc.gpu; R 1 y | 3: R 2 y; fence.sc.gpu; R 3 x | **** not 1010
iriw_sc_fences_of_the_block | 0: W x 1 | 1: W y 1 | 2: R 0 x; fence.sc.cta; R 1 y | 3: R 2 y; fence.sc.cta; R 3 x | \
    ****
wrc | 0: W x 1 | 1: R 0 x; W y 1 | 2: R 1 y; R 2 x | ***
wrc_fences | 0: W x 1 | 1: R 0 x; fence.acq_rel.gpu; W y 1 | 2: R 1 y; fence.acq_rel.gpu; R 2 x | *** not 110
isa2 | 0: W x 1; W.release.gpu y 1 | 1: R.acquire.gpu 0 y; W.release.gpu z 1 | 2: R.acquire.gpu 1 z; R 2 x | \
    *** not 110
isa2_one_relaxed | 0: W x 1; W.release.gpu y 1 | 1: R 0 y; W.release.gpu z 1 | 2: R.acquire.gpu 1 z; R 2 x | ***
atomic_adds | 0: A 0 x 1 | 1: A 1 x 1 | 012 102
atomic_adds_of_the_block | 0: A.relaxed.cta 0 x 1 | 1: A.relaxed.cta 1 x 1 | 012 102 001
atomic_adds_in_a_block | 0: A.relaxed.cta 0 x 1 | 0: A.relaxed.cta 1 x 1 | 012 102
atomic_adds_one_of_the_block | 0: A 0 x 1 | 1: A.relaxed.cta 1 x 1 | 012 102 001
release_through_an_atomic | 0: W x 1; W.release.gpu y 1 | 1: A 0 y 1 | 2: R.acquire.gpu 1 y; R 2 x | \
    000 001 010 011 100 101 111 121
release_ended_by_a_store | 0: W x 1; W.release.gpu y 1 | 1: W y 2 | 2: R.acquire.gpu 0 y; R 1 x | 00 01 11 20 21
release_then_relaxed_store | 0: W x 1; W.release.gpu y 1; W y 2 | 1: R.acquire.gpu 0 y; R 1 x | 00 01 11 21
acquire_after_a_relaxed_load | 0: W x 1; W.release.gpu y 1 | 1: R 0 y; R.acquire.gpu 1 y; R 2 x | 000 001 011 111
acquire_elsewhere | 0: W x 1; W.release.gpu y 1 | 1: R 0 y; R.acquire.gpu 1 z; R 2 x | 000 001 100 101
barrier | 0: W x 1; bar.sync 0 | 0: bar.sync 0; R 0 x | 1
fence_behind_a_barrier | 0: W x 1; bar.sync 0 | 0: bar.sync 0; membar.gl; W y 1 | 1: R 0 y; membar.gl; R 1 x | \
    ** not 10
flag_before_a_barrier_fenced | 0: W x 1; membar.gl; W y 1 | 1: R 0 y; membar.gl; bar.sync 0 | \
    1: bar.sync 0; R 1 x | ** not 10";

/// Reads a line of [`TESTS`].
fn litmus(line: &'static str) -> Litmus {
    let fields: Vec<&str> = line.split(" | ").collect();
    let [name, threads @ .., outcomes] = &fields[..] else { panic!("no fields: {line}") };
    let thread = |text: &&'static str| {
        let (block, statements) = text.split_once(": ").expect("a block and its statements");
        (block.parse().expect("a number"), statements)
    };
    let (seen, never) = outcomes.split_once(" not ").unwrap_or((outcomes, ""));
    let is_seen = |outcome: &String| never.split(' ').all(|other| other != outcome);
    let seen = seen.split(' ').flat_map(expanded).filter(is_seen);
    Litmus {
        name,
        threads: threads.iter().map(thread).collect::<Vec<_>>().leak(),
        seen: seen.map(|outcome| digits(&outcome)).collect::<Vec<_>>().leak(),
    }
}

/// Returns the outcomes that a pattern of digits and `*` stands for.
fn expanded(pattern: &str) -> Vec<String> {
    match pattern.contains('*') {
        true => ["0", "1"].map(|digit| expanded(&pattern.replacen('*', digit, 1))).concat(),
        false => vec![pattern.into()],
    }
}

fn digits(outcome: &str) -> &'static [u32] {
    outcome.chars().map(|c| c.to_digit(10).expect("a digit")).collect::<Vec<_>>().leak()
}

#[test]
fn each_has_the_allowed_outcomes() {
    let tests: Vec<Litmus> = TESTS.lines().map(litmus).collect();
    let both = [BarrierOrder::AsOnGpus, BarrierOrder::AsInPtx];
    let pairs = tests.iter().flat_map(|litmus| both.map(|barriers| (litmus, barriers)));
    let wrong: Vec<_> = pairs.filter_map(|(l, barriers)| difference(l, barriers)).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// A barrier behind the flag and no fence: PTX allows the stale read, GPUs do not show it.
#[test]
fn barriers_acquire_on_gpus() {
    let threads: &[_] =
        &[(0, "W x 1; membar.gl; W y 1"), (1, "R 0 y; bar.sync 0"), (1, "bar.sync 0; R 1 x")];
    let name = "flag_before_a_barrier";
    let ptx: &[&[u32]] = &[&[0, 0], &[0, 1], &[1, 0], &[1, 1]];
    let gpus: &[&[u32]] = &[&[0, 0], &[0, 1], &[1, 1]];
    let differs = |seen, barriers| difference(&Litmus { name, threads, seen }, barriers);
    assert_eq!(differs(ptx, BarrierOrder::AsInPtx), None);
    assert_eq!(differs(gpus, BarrierOrder::AsOnGpus), None);
}
