//! What the mode does not show: outcomes that PTX allows, or leaves undefined, and that never come up.

use simt::BarrierOrder;

use super::litmus::{Litmus, difference};

#[track_caller]
fn has_only(threads: &'static [(u32, &'static str)], seen: &'static [&'static [u32]]) {
    let litmus = Litmus { name: "missed", threads, seen };
    assert_eq!(difference(&litmus, BarrierOrder::AsInPtx), None);
}

/// PTX allows that both loads return 1: each would run ahead of the fence-free store before it.
#[test]
fn load_buffering() {
    let threads = &[(0, "R 0 x; W y 1"), (1, "R 1 y; W x 1")];
    has_only(threads, &[&[0, 0], &[0, 1], &[1, 0]]);
}

/// No value comes out of thin air, which PTX forbids, too.
#[test]
fn thin_air() {
    has_only(&[(0, "R 0 x; copy 0 y"), (1, "R 1 y; copy 1 x")], &[&[0, 0, 0, 0]]);
}

/// PTX allows that both words are 1 at the end.
#[test]
fn two_writes_each() {
    let threads = &[(0, "R 0 z; W x 1; W y 2"), (1, "R 1 z; W y 1; W x 2")];
    has_only(threads, &[&[0, 0, 1, 2], &[0, 0, 2, 1], &[0, 0, 2, 2]]);
}

/// The first load excludes the writer's block from its scope, so PTX lets it see a newer store than the
/// second.
#[test]
fn coherence_across_scopes() {
    let threads = &[(0, "W x 1"), (1, "R.relaxed.cta 0 x; R.relaxed.cta 1 x")];
    has_only(threads, &[&[0, 0], &[0, 1], &[1, 1]]);
}

/// The flag and the data are in shared memory, with no fence between them. The second warp would note in
/// `x` a flag without its data.
#[test]
fn shared_memory() {
    let threads = &[
        (
            0,
            "st.shared.u32 [s], 0; st.shared.u32 [s+128], 0; bar.sync 0; \
             st.relaxed.cta.shared.u32 [s], 1; st.relaxed.cta.shared.u32 [s+128], 1",
        ),
        (
            0,
            "bar.sync 0; ld.relaxed.cta.shared.u32 %r10, [s+128]; ld.relaxed.cta.shared.u32 %r11, [s]; \
             not.b32 %r11, %r11; and.b32 %r10, %r10, %r11; copy 0 x",
        ),
    ];
    has_only(threads, &[&[0, 0]]);
}

/// The copy reads the data behind a flag, with no fence between the two. Result 0 would be 1 for a flag
/// without its data; result 1 is the flag.
#[test]
fn asynchronous_copy() {
    let threads = &[
        (0, "W x 1; W y 1"),
        (
            1,
            "R 0 y; R 1 z; mov.u32 %r11, %r10; cp.async.ca.shared.global [s], [%rd1], 4; \
             cp.async.wait_all; ld.shared.u32 %r12, [s]; sub.s32 %r10, %r10, %r12; max.s32 %r10, %r10, 0",
        ),
    ];
    has_only(threads, &[&[0, 0], &[0, 1]]);
}
