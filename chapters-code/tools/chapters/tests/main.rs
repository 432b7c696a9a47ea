//! What holds for the rungs of every chapter.

use std::collections::BTreeSet;

use harness::{Shape, verify::Checker};
use report::{AnyCase, AnyChapter};
use testing::is_broken;

/// The cases that broken rungs are recorded on, and those that samples are of, with about `n` elements.
fn cases(chapter: &dyn AnyChapter, n: u64) -> Vec<AnyCase> {
    let side = n.isqrt();
    let shapes = [Shape::Vector { n }, Shape::Matrix { rows: side, cols: side }];
    let samples = shapes.into_iter().flat_map(|shape| chapter.sample_cases(shape));
    let mut cases = chapter.broken_cases(n);
    for case in samples {
        if !cases.contains(&case) {
            cases.push(case);
        }
    }
    cases
}

/// What is run of a chapter's broken kernels: about how many elements, and the checker that the chapter's page names for
/// each. Those that stop the device have tests of their own.
struct Caught {
    chapter: &'static str,
    sizes: &'static [u64],
    by: &'static [(&'static str, Checker)],
}

const CAUGHT: &[Caught] = &[
    Caught {
        chapter: "chapter_1_reduce",
        sizes: &[1, 5000, 1 << 14, 1 << 16],
        by: &[
            ("missing_first_barrier", Checker::Races),
            ("lockstep_warp", Checker::Races),
            ("lockstep_warp_volatile", Checker::Races),
            ("early_return_shuffle", Checker::Races),
            ("activemask_shuffle", Checker::Races),
            ("last_block_without_fence", Checker::Races),
            ("scratch_is_input", Checker::Input),
            ("non_power_of_two_tail", Checker::Result),
            ("off_by_one_pair", Checker::Result),
            ("max_padded_with_zero", Checker::Result),
            ("half_accumulator", Checker::Result),
        ],
    },
    Caught {
        chapter: "chapter_2_histogram",
        sizes: &[1, 5000, 1 << 14, 1 << 16],
        by: &[
            ("racy", Checker::Races),
            ("missing_barrier", Checker::Races),
            ("same_warp", Checker::Races),
            ("zeroing_races", Checker::Races),
            ("packed_overflow", Checker::Result),
            ("cluster_unready", Checker::Races),
            ("rounded_up", Checker::Result),
        ],
    },
    Caught {
        chapter: "chapter_3_scan",
        sizes: &[1, 5000, 1 << 14, 1 << 16],
        by: &[
            ("one_buffer", Checker::Races),
            ("independent_blocks", Checker::Result),
            ("previous_block_only", Checker::Result),
            ("swapped_operands", Checker::Result),
            ("flag_without_release", Checker::Races),
            ("ring_without_fence", Checker::Races),
        ],
    },
    Caught {
        chapter: "chapter_4_compact",
        sizes: &[1, 50_000, 1 << 16, 1 << 17],
        by: &[
            ("inclusive_index", Checker::Result),
            ("flag_counted_twice", Checker::Result),
            ("mask_not_normalized", Checker::Result),
            ("active_lanes", Checker::Races),
            ("missing_barrier", Checker::Races),
            ("last_tile_only", Checker::Result),
        ],
    },
    Caught {
        chapter: "chapter_5_segmented_scan",
        sizes: &[1, 5000, 1 << 14, 1 << 16],
        by: &[
            ("flags_not_joined", Checker::Result),
            ("one_buffer", Checker::Races),
            ("exclusive_leaks", Checker::Result),
            ("border_ignored", Checker::Result),
            ("previous_block_only", Checker::Result),
            ("missing_barrier", Checker::Races),
            ("previous_tile_only", Checker::Result),
        ],
    },
    Caught {
        chapter: "chapter_6_transpose",
        sizes: &[1, 100 * 100, 256 * 256, 512 * 512],
        by: &[
            ("missing_barrier", Checker::Races),
            ("swizzle_one_side", Checker::Result),
            ("width_for_height", Checker::Result),
            ("in_place_tiles", Checker::Races),
            ("in_place_swaps", Checker::Races),
            ("one_bounds_check", Checker::Result),
        ],
    },
    Caught {
        chapter: "chapter_7_coalescing",
        sizes: &[1, 4096, 5000, 100_003],
        by: &[
            ("tail_dropped", Checker::Result),
            ("staged_without_barrier", Checker::Races),
            ("scatter_repeats", Checker::Races),
            ("last_lane", Checker::Result),
            ("in_place_shift", Checker::Races),
        ],
    },
    Caught {
        chapter: "chapter_8_multi_gpu",
        sizes: &[4096, 5000, 1 << 16], // one element is of one device, and no order of devices can spoil it
        by: &[
            ("gpu_scope", Checker::Races),
            ("missing_release", Checker::Races),
            ("reused_slot", Checker::Races),
            ("early_sums", Checker::Races),
            ("unfinished_tile", Checker::Races),
            ("counted_by_host", Checker::Replay),
            ("lookback_gpu_scope", Checker::Races),
            ("carry_and_flag", Checker::Races),
        ],
    },
];

/// Every kernel that is shown because it is wrong is caught at every size, by the checker that its page names.
#[test]
fn broken_rungs_are_caught() {
    for Caught { chapter, sizes, by } in CAUGHT {
        let chapter = chapters::find(chapter).expect("it is registered");
        for &n in *sizes {
            let rows = testing::run(chapter, &cases(chapter, n), &is_broken);
            testing::check(&rows);
            testing::check_caught(&rows, by);
        }
    }
}

/// The table has every chapter that shows broken kernels.
#[test]
fn every_broken_rung_is_in_the_table() {
    for chapter in chapters::ALL {
        let table = CAUGHT.iter().find(|caught| caught.chapter == chapter.name());
        let named: BTreeSet<_> =
            table.into_iter().flat_map(|t| t.by).map(|(name, _)| *name).collect();
        let broken =
            chapter.rungs().into_iter().filter(|rung| rung.is_broken() && !testing::stops(rung));
        let broken: BTreeSet<_> = broken.map(|rung| rung.name).collect();
        assert_eq!(named, broken, "{}", chapter.name());
    }
}

/// What is broken has a kernel for one of the cases that it is recorded on.
#[test]
fn every_broken_rung_has_a_case() {
    for chapter in chapters::ALL {
        let cases = chapter.broken_cases(1 << 14);
        for rung in chapter.rungs().iter().filter(|rung| rung.is_broken()) {
            let runs =
                |case| chapter.refusal(rung.name, &chapter.case_for(rung.name, case)).is_none();
            assert!(cases.iter().any(runs), "{} of {}", rung.name, chapter.name());
        }
    }
}
