//! Litmus tests for message passing, store buffering, load buffering, coherence, independent reads of
//! independent writes, and barriers. Each has exactly the outcomes that PTX's memory model allows.

use simt::BarrierOrder;

use super::litmus::{Litmus, difference};

const TESTS: &[Litmus] = &[
    Litmus {
        name: "mp",
        threads: &[(0, "W x 1; W y 1"), (1, "R 0 y; R 1 x")],
        seen: &[&[0, 0], &[0, 1], &[1, 0], &[1, 1]],
    },
    Litmus {
        name: "mp_fences",
        threads: &[(0, "W x 1; fence.acq_rel.gpu; W y 1"), (1, "R 0 y; fence.acq_rel.gpu; R 1 x")],
        seen: &[&[0, 0], &[0, 1], &[1, 1]],
    },
    Litmus {
        name: "mp_fence_of_the_writer_only",
        threads: &[(0, "W x 1; fence.acq_rel.gpu; W y 1"), (1, "R 0 y; R 1 x")],
        seen: &[&[0, 0], &[0, 1], &[1, 0], &[1, 1]],
    },
    Litmus {
        name: "mp_fence_of_the_reader_only",
        threads: &[(0, "W x 1; W y 1"), (1, "R 0 y; fence.acq_rel.gpu; R 1 x")],
        seen: &[&[0, 0], &[0, 1], &[1, 0], &[1, 1]],
    },
    Litmus {
        name: "mp_release_acquire",
        threads: &[(0, "W x 1; W.release.gpu y 1"), (1, "R.acquire.gpu 0 y; R 1 x")],
        seen: &[&[0, 0], &[0, 1], &[1, 1]],
    },
    Litmus {
        name: "mp_release_fence",
        threads: &[(0, "W x 1; W.release.gpu y 1"), (1, "R 0 y; fence.acq_rel.gpu; R 1 x")],
        seen: &[&[0, 0], &[0, 1], &[1, 1]],
    },
    Litmus {
        name: "mp_fence_acquire",
        threads: &[(0, "W x 1; fence.acq_rel.gpu; W y 1"), (1, "R.acquire.gpu 0 y; R 1 x")],
        seen: &[&[0, 0], &[0, 1], &[1, 1]],
    },
    Litmus {
        name: "mp_release_relaxed",
        threads: &[(0, "W x 1; W.release.gpu y 1"), (1, "R 0 y; R 1 x")],
        seen: &[&[0, 0], &[0, 1], &[1, 0], &[1, 1]],
    },
    Litmus {
        name: "mp_relaxed_acquire",
        threads: &[(0, "W x 1; W y 1"), (1, "R.acquire.gpu 0 y; R 1 x")],
        seen: &[&[0, 0], &[0, 1], &[1, 0], &[1, 1]],
    },
    Litmus {
        name: "mp_volatile",
        threads: &[(0, "W.volatile x 1; W.volatile y 1"), (1, "R.volatile 0 y; R.volatile 1 x")],
        seen: &[&[0, 0], &[0, 1], &[1, 0], &[1, 1]],
    },
    Litmus {
        name: "mp_volatile_membars",
        threads: &[
            (0, "W.volatile x 1; membar.gl; W.volatile y 1"),
            (1, "R.volatile 0 y; membar.gl; R.volatile 1 x"),
        ],
        seen: &[&[0, 0], &[0, 1], &[1, 1]],
    },
    Litmus {
        name: "mp_system_scope",
        threads: &[
            (0, "W.relaxed.sys x 1; fence.acq_rel.sys; W.relaxed.sys y 1"),
            (1, "R 0 y; fence.acq_rel.gpu; R 1 x"),
        ],
        seen: &[&[0, 0], &[0, 1], &[1, 1]],
    },
    Litmus {
        name: "mp_writer_fence_of_the_block",
        threads: &[(0, "W x 1; membar.cta; W y 1"), (1, "R 0 y; membar.gl; R 1 x")],
        seen: &[&[0, 0], &[0, 1], &[1, 0], &[1, 1]],
    },
    Litmus {
        name: "mp_reader_fence_of_the_block",
        threads: &[(0, "W x 1; membar.gl; W y 1"), (1, "R 0 y; membar.cta; R 1 x")],
        seen: &[&[0, 0], &[0, 1], &[1, 0], &[1, 1]],
    },
    Litmus {
        name: "mp_in_a_block",
        threads: &[(0, "W x 1; W y 1"), (0, "R 0 y; R 1 x")],
        seen: &[&[0, 0], &[0, 1], &[1, 0], &[1, 1]],
    },
    Litmus {
        name: "mp_in_a_block_fences_of_the_block",
        threads: &[(0, "W x 1; membar.cta; W y 1"), (0, "R 0 y; membar.cta; R 1 x")],
        seen: &[&[0, 0], &[0, 1], &[1, 1]],
    },
    Litmus {
        name: "mp_in_a_block_release_acquire",
        threads: &[(0, "W x 1; W.release.cta y 1"), (0, "R.acquire.cta 0 y; R 1 x")],
        seen: &[&[0, 0], &[0, 1], &[1, 1]],
    },
    Litmus {
        name: "mp_flag_of_the_block",
        threads: &[
            (0, "W x 1; fence.acq_rel.gpu; W.relaxed.cta y 1"),
            (1, "R 0 y; fence.acq_rel.gpu; R 1 x"),
        ],
        seen: &[&[0, 0], &[0, 1], &[1, 0], &[1, 1]],
    },
    Litmus {
        name: "mp_flag_read_in_the_block",
        threads: &[(0, "W x 1; membar.gl; W y 1"), (1, "R.acquire.cta 0 y; R 1 x")],
        seen: &[&[0, 0], &[0, 1], &[1, 0], &[1, 1]],
    },
    Litmus {
        name: "mp_atomic_flag",
        threads: &[(0, "W x 1; membar.gl; A 2 y 1"), (1, "A 0 y 0; membar.gl; R 1 x")],
        seen: &[&[0, 0, 0], &[0, 1, 0], &[1, 1, 0]],
    },
    Litmus {
        name: "mp_atomic_flag_unfenced",
        threads: &[(0, "W x 1; A 2 y 1"), (1, "A 0 y 0; R 1 x")],
        seen: &[&[0, 0, 0], &[0, 1, 0], &[1, 0, 0], &[1, 1, 0]],
    },
    Litmus {
        name: "mp_atomic_acq_rel",
        threads: &[(0, "W x 1; A.acq_rel.gpu 2 y 1"), (1, "A.acq_rel.gpu 0 y 0; R 1 x")],
        seen: &[&[0, 0, 0], &[0, 1, 0], &[1, 1, 0]],
    },
    Litmus {
        name: "sb",
        threads: &[(0, "W x 1; R 0 y"), (1, "W y 1; R 1 x")],
        seen: &[&[0, 0], &[0, 1], &[1, 0], &[1, 1]],
    },
    Litmus {
        name: "sb_release_acquire",
        threads: &[
            (0, "W.release.gpu x 1; R.acquire.gpu 0 y"),
            (1, "W.release.gpu y 1; R.acquire.gpu 1 x"),
        ],
        seen: &[&[0, 0], &[0, 1], &[1, 0], &[1, 1]],
    },
    Litmus {
        name: "sb_acq_rel_fences",
        threads: &[(0, "W x 1; fence.acq_rel.gpu; R 0 y"), (1, "W y 1; fence.acq_rel.gpu; R 1 x")],
        seen: &[&[0, 0], &[0, 1], &[1, 0], &[1, 1]],
    },
    Litmus {
        name: "sb_sc_fences",
        threads: &[(0, "W x 1; fence.sc.gpu; R 0 y"), (1, "W y 1; fence.sc.gpu; R 1 x")],
        seen: &[&[0, 1], &[1, 0], &[1, 1]],
    },
    Litmus {
        name: "sb_membars",
        threads: &[(0, "W x 1; membar.gl; R 0 y"), (1, "W y 1; membar.gl; R 1 x")],
        seen: &[&[0, 1], &[1, 0], &[1, 1]],
    },
    Litmus {
        name: "sb_one_sc_fence",
        threads: &[(0, "W x 1; fence.sc.gpu; R 0 y"), (1, "W y 1; fence.acq_rel.gpu; R 1 x")],
        seen: &[&[0, 0], &[0, 1], &[1, 0], &[1, 1]],
    },
    Litmus {
        name: "sb_sc_fences_of_the_block",
        threads: &[(0, "W x 1; fence.sc.cta; R 0 y"), (1, "W y 1; fence.sc.cta; R 1 x")],
        seen: &[&[0, 0], &[0, 1], &[1, 0], &[1, 1]],
    },
    Litmus {
        name: "sb_in_a_block_sc_fences_of_the_block",
        threads: &[(0, "W x 1; fence.sc.cta; R 0 y"), (0, "W y 1; fence.sc.cta; R 1 x")],
        seen: &[&[0, 1], &[1, 0], &[1, 1]],
    },
    Litmus {
        name: "sb_in_a_block_two_scopes",
        threads: &[(0, "W x 1; fence.sc.cta; R 0 y"), (0, "W y 1; fence.sc.gpu; R 1 x")],
        seen: &[&[0, 1], &[1, 0], &[1, 1]],
    },
    Litmus {
        name: "lb_release_acquire",
        threads: &[
            (0, "R.acquire.gpu 0 x; W.release.gpu y 1"),
            (1, "R.acquire.gpu 1 y; W.release.gpu x 1"),
        ],
        seen: &[&[0, 0], &[0, 1], &[1, 0]],
    },
    Litmus {
        name: "lb_fences",
        threads: &[(0, "R 0 x; fence.acq_rel.gpu; W y 1"), (1, "R 1 y; fence.acq_rel.gpu; W x 1")],
        seen: &[&[0, 0], &[0, 1], &[1, 0]],
    },
    Litmus {
        name: "corr",
        threads: &[(0, "W x 1"), (1, "R 0 x; R 1 x")],
        seen: &[&[0, 0], &[0, 1], &[1, 1]],
    },
    Litmus {
        name: "corr_volatile",
        threads: &[(0, "W.volatile x 1"), (1, "R.volatile 0 x; R.volatile 1 x")],
        seen: &[&[0, 0], &[0, 1], &[1, 1]],
    },
    Litmus {
        name: "corr_two_writers",
        threads: &[(0, "W x 1"), (1, "W x 2"), (2, "R 0 x; R 1 x"), (3, "R 2 x; R 3 x")],
        seen: &[
            &[0, 0, 0, 0],
            &[0, 0, 0, 1],
            &[0, 0, 0, 2],
            &[0, 0, 1, 1],
            &[0, 0, 1, 2],
            &[0, 0, 2, 1],
            &[0, 0, 2, 2],
            &[0, 1, 0, 0],
            &[0, 1, 0, 1],
            &[0, 1, 0, 2],
            &[0, 1, 1, 1],
            &[0, 1, 1, 2],
            &[0, 1, 2, 1],
            &[0, 1, 2, 2],
            &[0, 2, 0, 0],
            &[0, 2, 0, 1],
            &[0, 2, 0, 2],
            &[0, 2, 1, 1],
            &[0, 2, 1, 2],
            &[0, 2, 2, 1],
            &[0, 2, 2, 2],
            &[1, 1, 0, 0],
            &[1, 1, 0, 1],
            &[1, 1, 0, 2],
            &[1, 1, 1, 1],
            &[1, 1, 1, 2],
            &[1, 1, 2, 1],
            &[1, 1, 2, 2],
            &[1, 2, 0, 0],
            &[1, 2, 0, 1],
            &[1, 2, 0, 2],
            &[1, 2, 1, 1],
            &[1, 2, 1, 2],
            &[1, 2, 2, 2],
            &[2, 1, 0, 0],
            &[2, 1, 0, 1],
            &[2, 1, 0, 2],
            &[2, 1, 1, 1],
            &[2, 1, 2, 1],
            &[2, 1, 2, 2],
            &[2, 2, 0, 0],
            &[2, 2, 0, 1],
            &[2, 2, 0, 2],
            &[2, 2, 1, 1],
            &[2, 2, 1, 2],
            &[2, 2, 2, 1],
            &[2, 2, 2, 2],
        ],
    },
    Litmus { name: "cowr", threads: &[(0, "W x 1; R 0 x"), (1, "W x 2")], seen: &[&[1], &[2]] },
    Litmus {
        name: "corw",
        threads: &[(0, "R 0 x; W x 1"), (1, "W x 2")],
        seen: &[&[0, 1], &[0, 2], &[2, 1]],
    },
    Litmus {
        name: "coww",
        threads: &[(0, "W x 1; W x 2"), (1, "R 0 x; R 1 x")],
        seen: &[&[0, 0], &[0, 1], &[0, 2], &[1, 1], &[1, 2], &[2, 2]],
    },
    Litmus {
        name: "coherence_after_a_flag",
        threads: &[(0, "W x 1; R 0 x; W.release.gpu y 1"), (1, "R.acquire.gpu 1 y; R 2 x")],
        seen: &[&[1, 0, 0], &[1, 0, 1], &[1, 1, 1]],
    },
    Litmus {
        name: "iriw",
        threads: &[(0, "W x 1"), (1, "W y 1"), (2, "R 0 x; R 1 y"), (3, "R 2 y; R 3 x")],
        seen: &[
            &[0, 0, 0, 0],
            &[0, 0, 0, 1],
            &[0, 0, 1, 0],
            &[0, 0, 1, 1],
            &[0, 1, 0, 0],
            &[0, 1, 0, 1],
            &[0, 1, 1, 0],
            &[0, 1, 1, 1],
            &[1, 0, 0, 0],
            &[1, 0, 0, 1],
            &[1, 0, 1, 0],
            &[1, 0, 1, 1],
            &[1, 1, 0, 0],
            &[1, 1, 0, 1],
            &[1, 1, 1, 0],
            &[1, 1, 1, 1],
        ],
    },
    Litmus {
        name: "iriw_acquire",
        threads: &[
            (0, "W.release.gpu x 1"),
            (1, "W.release.gpu y 1"),
            (2, "R.acquire.gpu 0 x; R.acquire.gpu 1 y"),
            (3, "R.acquire.gpu 2 y; R.acquire.gpu 3 x"),
        ],
        seen: &[
            &[0, 0, 0, 0],
            &[0, 0, 0, 1],
            &[0, 0, 1, 0],
            &[0, 0, 1, 1],
            &[0, 1, 0, 0],
            &[0, 1, 0, 1],
            &[0, 1, 1, 0],
            &[0, 1, 1, 1],
            &[1, 0, 0, 0],
            &[1, 0, 0, 1],
            &[1, 0, 1, 0],
            &[1, 0, 1, 1],
            &[1, 1, 0, 0],
            &[1, 1, 0, 1],
            &[1, 1, 1, 0],
            &[1, 1, 1, 1],
        ],
    },
    Litmus {
        name: "iriw_acq_rel_fences",
        threads: &[
            (0, "W x 1"),
            (1, "W y 1"),
            (2, "R 0 x; fence.acq_rel.gpu; R 1 y"),
            (3, "R 2 y; fence.acq_rel.gpu; R 3 x"),
        ],
        seen: &[
            &[0, 0, 0, 0],
            &[0, 0, 0, 1],
            &[0, 0, 1, 0],
            &[0, 0, 1, 1],
            &[0, 1, 0, 0],
            &[0, 1, 0, 1],
            &[0, 1, 1, 0],
            &[0, 1, 1, 1],
            &[1, 0, 0, 0],
            &[1, 0, 0, 1],
            &[1, 0, 1, 0],
            &[1, 0, 1, 1],
            &[1, 1, 0, 0],
            &[1, 1, 0, 1],
            &[1, 1, 1, 0],
            &[1, 1, 1, 1],
        ],
    },
    Litmus {
        name: "iriw_sc_fences",
        threads: &[
            (0, "W x 1"),
            (1, "W y 1"),
            (2, "R 0 x; fence.sc.gpu; R 1 y"),
            (3, "R 2 y; fence.sc.gpu; R 3 x"),
        ],
        seen: &[
            &[0, 0, 0, 0],
            &[0, 0, 0, 1],
            &[0, 0, 1, 0],
            &[0, 0, 1, 1],
            &[0, 1, 0, 0],
            &[0, 1, 0, 1],
            &[0, 1, 1, 0],
            &[0, 1, 1, 1],
            &[1, 0, 0, 0],
            &[1, 0, 0, 1],
            &[1, 0, 1, 1],
            &[1, 1, 0, 0],
            &[1, 1, 0, 1],
            &[1, 1, 1, 0],
            &[1, 1, 1, 1],
        ],
    },
    Litmus {
        name: "iriw_sc_fences_of_the_block",
        threads: &[
            (0, "W x 1"),
            (1, "W y 1"),
            (2, "R 0 x; fence.sc.cta; R 1 y"),
            (3, "R 2 y; fence.sc.cta; R 3 x"),
        ],
        seen: &[
            &[0, 0, 0, 0],
            &[0, 0, 0, 1],
            &[0, 0, 1, 0],
            &[0, 0, 1, 1],
            &[0, 1, 0, 0],
            &[0, 1, 0, 1],
            &[0, 1, 1, 0],
            &[0, 1, 1, 1],
            &[1, 0, 0, 0],
            &[1, 0, 0, 1],
            &[1, 0, 1, 0],
            &[1, 0, 1, 1],
            &[1, 1, 0, 0],
            &[1, 1, 0, 1],
            &[1, 1, 1, 0],
            &[1, 1, 1, 1],
        ],
    },
    Litmus {
        name: "wrc",
        threads: &[(0, "W x 1"), (1, "R 0 x; W y 1"), (2, "R 1 y; R 2 x")],
        seen: &[
            &[0, 0, 0],
            &[0, 0, 1],
            &[0, 1, 0],
            &[0, 1, 1],
            &[1, 0, 0],
            &[1, 0, 1],
            &[1, 1, 0],
            &[1, 1, 1],
        ],
    },
    Litmus {
        name: "wrc_fences",
        threads: &[
            (0, "W x 1"),
            (1, "R 0 x; fence.acq_rel.gpu; W y 1"),
            (2, "R 1 y; fence.acq_rel.gpu; R 2 x"),
        ],
        seen: &[&[0, 0, 0], &[0, 0, 1], &[0, 1, 0], &[0, 1, 1], &[1, 0, 0], &[1, 0, 1], &[1, 1, 1]],
    },
    Litmus {
        name: "isa2",
        threads: &[
            (0, "W x 1; W.release.gpu y 1"),
            (1, "R.acquire.gpu 0 y; W.release.gpu z 1"),
            (2, "R.acquire.gpu 1 z; R 2 x"),
        ],
        seen: &[&[0, 0, 0], &[0, 0, 1], &[0, 1, 0], &[0, 1, 1], &[1, 0, 0], &[1, 0, 1], &[1, 1, 1]],
    },
    Litmus {
        name: "isa2_one_relaxed",
        threads: &[
            (0, "W x 1; W.release.gpu y 1"),
            (1, "R 0 y; W.release.gpu z 1"),
            (2, "R.acquire.gpu 1 z; R 2 x"),
        ],
        seen: &[
            &[0, 0, 0],
            &[0, 0, 1],
            &[0, 1, 0],
            &[0, 1, 1],
            &[1, 0, 0],
            &[1, 0, 1],
            &[1, 1, 0],
            &[1, 1, 1],
        ],
    },
    Litmus {
        name: "atomic_adds",
        threads: &[(0, "A 0 x 1"), (1, "A 1 x 1")],
        seen: &[&[0, 1, 2], &[1, 0, 2]],
    },
    Litmus {
        name: "atomic_adds_of_the_block",
        threads: &[(0, "A.relaxed.cta 0 x 1"), (1, "A.relaxed.cta 1 x 1")],
        seen: &[&[0, 1, 2], &[1, 0, 2], &[0, 0, 1]],
    },
    Litmus {
        name: "atomic_adds_in_a_block",
        threads: &[(0, "A.relaxed.cta 0 x 1"), (0, "A.relaxed.cta 1 x 1")],
        seen: &[&[0, 1, 2], &[1, 0, 2]],
    },
    Litmus {
        name: "atomic_adds_one_of_the_block",
        threads: &[(0, "A 0 x 1"), (1, "A.relaxed.cta 1 x 1")],
        seen: &[&[0, 1, 2], &[1, 0, 2], &[0, 0, 1]],
    },
    Litmus {
        name: "release_through_an_atomic",
        threads: &[
            (0, "W x 1; W.release.gpu y 1"),
            (1, "A 0 y 1"),
            (2, "R.acquire.gpu 1 y; R 2 x"),
        ],
        seen: &[
            &[0, 0, 0],
            &[0, 0, 1],
            &[0, 1, 0],
            &[0, 1, 1],
            &[1, 0, 0],
            &[1, 0, 1],
            &[1, 1, 1],
            &[1, 2, 1],
        ],
    },
    Litmus {
        name: "release_ended_by_a_store",
        threads: &[(0, "W x 1; W.release.gpu y 1"), (1, "W y 2"), (2, "R.acquire.gpu 0 y; R 1 x")],
        seen: &[&[0, 0], &[0, 1], &[1, 1], &[2, 0], &[2, 1]],
    },
    Litmus {
        name: "release_then_relaxed_store",
        threads: &[(0, "W x 1; W.release.gpu y 1; W y 2"), (1, "R.acquire.gpu 0 y; R 1 x")],
        seen: &[&[0, 0], &[0, 1], &[1, 1], &[2, 1]],
    },
    Litmus {
        name: "acquire_after_a_relaxed_load",
        threads: &[(0, "W x 1; W.release.gpu y 1"), (1, "R 0 y; R.acquire.gpu 1 y; R 2 x")],
        seen: &[&[0, 0, 0], &[0, 0, 1], &[0, 1, 1], &[1, 1, 1]],
    },
    Litmus {
        name: "acquire_elsewhere",
        threads: &[(0, "W x 1; W.release.gpu y 1"), (1, "R 0 y; R.acquire.gpu 1 z; R 2 x")],
        seen: &[&[0, 0, 0], &[0, 0, 1], &[1, 0, 0], &[1, 0, 1]],
    },
    Litmus {
        name: "barrier",
        threads: &[(0, "W x 1; bar.sync 0"), (0, "bar.sync 0; R 0 x")],
        seen: &[&[1]],
    },
    Litmus {
        name: "fence_behind_a_barrier",
        threads: &[
            (0, "W x 1; bar.sync 0"),
            (0, "bar.sync 0; membar.gl; W y 1"),
            (1, "R 0 y; membar.gl; R 1 x"),
        ],
        seen: &[&[0, 0], &[0, 1], &[1, 1]],
    },
    Litmus {
        name: "flag_before_a_barrier_fenced",
        threads: &[
            (0, "W x 1; membar.gl; W y 1"),
            (1, "R 0 y; membar.gl; bar.sync 0"),
            (1, "bar.sync 0; R 1 x"),
        ],
        seen: &[&[0, 0], &[0, 1], &[1, 1]],
    },
];

#[test]
fn each_has_the_allowed_outcomes() {
    assert!(TESTS.len() >= 25);
    let book = include_str!("../../../../../book/simulator.md");
    let sentence = format!("{} small programs (litmus tests) show every outcome", TESTS.len());
    assert!(book.contains(&sentence), "{sentence}");
    let both = [BarrierOrder::AsOnGpus, BarrierOrder::AsInPtx];
    let pairs = TESTS.iter().flat_map(|litmus| both.map(|barriers| (litmus, barriers)));
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
