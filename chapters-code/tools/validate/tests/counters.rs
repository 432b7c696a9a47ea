//! The simulator counts what an NVIDIA GPU does: the same launches, counted with Nsight Compute on an
//! H200 and an H100 (probes: on an H200) and recorded in `book/measurements/`, are made here and compared.

use anyhow::Result;
use validate::counts::{self, COLUMNS, Row};
use validate::launches::{self, Launch, Part};

const RUNGS: [&str; 2] = [
    include_str!("../../../../book/measurements/ncu_nvidia_h200_2026-11-26_rungs.csv"),
    include_str!("../../../../book/measurements/ncu_nvidia_h100_80gb_hbm3_2026-11-26_rungs.csv"),
];
const SHARED: &str =
    include_str!("../../../../book/measurements/ncu_nvidia_h200_2026-11-26_shared.csv");
const GLOBAL: &str =
    include_str!("../../../../book/measurements/ncu_nvidia_h200_2026-11-26_global.csv");

/// Rungs that are younger than the recording.
const NOT_RECORDED: [&str; 0] = [];

/// What is not compared: columns, of which rungs.
struct Exempt<'a> {
    rungs: &'a [&'a str],
    columns: &'a [&'a str],
}

const EXEMPT: [Exempt<'_>; 15] = [
    // Additions to the other block's counters arrive by the same pipeline, if they are counted raw.
    Exempt {
        rungs: &["chapter_2_histogram/clustered"],
        columns: &["shared_atomic_wavefronts_raw"],
    },
    // ptxas keeps in registers what the first warp's two loads of the ticket read again in the PTX.
    Exempt {
        rungs: &["chapter_5_segmented_scan/offsets_single_pass"],
        columns: &["shared_load_requests", "shared_load_wavefronts"],
    },
    // They ask again and again until another block has written: as often as its time takes.
    Exempt {
        rungs: &[
            "chapter_2_histogram/banked",
            "chapter_2_histogram/ranges",
            "chapter_3_scan/chained",
            "chapter_3_scan/lookback",
            "chapter_3_scan/all_gather",
            "chapter_3_scan/producer_consumer",
            "chapter_3_scan/warp_specialized",
            "chapter_3_scan/by_size",
            "chapter_4_compact/scan_then_scatter",
            "chapter_4_compact/lookback",
            "chapter_4_compact/staged",
            "chapter_4_compact/warp_specialized",
            "chapter_4_compact/read_back",
            "chapter_4_compact/partition",
            "chapter_5_segmented_scan/lookback",
            "chapter_5_segmented_scan/warp_specialized",
            "chapter_5_segmented_scan/small_tiles",
            "chapter_5_segmented_scan/offsets_of_flags",
        ],
        columns: &["global_load_requests", "global_load_sectors"],
    },
    // Where a warp's lanes come together again after rows of different lengths, or after what one of them
    // did alone, is ptxas's choice.
    Exempt {
        rungs: &[
            "chapter_5_segmented_scan/spmv_thread_per_row",
            "chapter_5_segmented_scan/spmv_warp_per_row",
        ],
        columns: &["global_load_requests", "global_load_sectors"],
    },
    Exempt {
        rungs: &["chapter_7_coalescing/bulk"],
        columns: &[
            "global_load_requests",
            "global_load_sectors",
            "global_store_requests",
            "global_store_sectors",
        ],
    },
    // Whoever comes first writes first, so what is side by side differs from run to run.
    Exempt { rungs: &["chapter_4_compact/unordered"], columns: &["global_store_sectors"] },
    // Arbitration adds more than elsewhere, and not always the same: of u32 and of u8 match_any makes
    // the same atomics, and the pipeline counted 6994 and 7039 wavefronts. What the profiler computes is
    // exact.
    Exempt {
        rungs: &[
            "chapter_2_histogram/match_any",
            "chapter_2_histogram/banked",
            "chapter_2_histogram/ranges",
            "chapter_2_histogram/finish_memset",
            "chapter_2_histogram/finish_exchange",
        ],
        columns: &["shared_atomic_wavefronts_raw"],
    },
    // Likewise: a few hundred loads, of which some have to wait once more.
    Exempt {
        rungs: &[
            "chapter_3_scan/lookback",
            "chapter_4_compact/scan_then_scatter",
            "chapter_4_compact/ballot",
            "chapter_4_compact/rows",
            "chapter_5_segmented_scan/offsets_of_flags",
            "chapter_5_segmented_scan/offsets_of_bits",
        ],
        columns: &["shared_load_wavefronts_raw", "shared_bank_conflicts"],
    },
    // Of the second 16 bytes of a record ptxas loads the 8 that are used: the wavefronts are the same, and
    // the profiler calls more of them conflicts.
    Exempt { rungs: &["chapter_7_coalescing/aos_staged"], columns: &["shared_bank_conflicts"] },
    // ptxas makes one store of 16 bytes of four stores of 4, and that one has no conflicts.
    Exempt {
        rungs: &["chapter_1_reduce/columns_coarsened"],
        columns: &[
            "shared_store_requests",
            "shared_store_wavefronts",
            "shared_store_wavefronts_raw",
            "shared_bank_conflicts",
        ],
    },
    // ptxas makes loads of 16 bytes of what are loads of 4 in the PTX.
    Exempt {
        rungs: &["chapter_3_scan/all_gather", "chapter_3_scan/by_size"],
        columns: &["shared_load_wavefronts", "shared_load_wavefronts_raw", "shared_bank_conflicts"],
    },
    // Likewise loads of 16 bytes, and stores of 16 bytes of what are stores of 4.
    // In `tell` lane 0 waits alone. On an H200 the other lanes of the scout go ahead, and its rows are stored
    // once for lane 0 and once for the others; the simulator joins the lanes before.
    Exempt {
        rungs: &["chapter_4_compact/warp_specialized", "chapter_4_compact/read_back"],
        columns: &[
            "shared_load_requests",
            "shared_load_wavefronts",
            "shared_store_requests",
            "shared_store_wavefronts",
        ],
    },
    Exempt {
        rungs: &[
            "chapter_5_segmented_scan/reduce_merge_path",
            "chapter_5_segmented_scan/reduce_by_length",
            "chapter_5_segmented_scan/spmv_merge_path",
        ],
        columns: &[
            "shared_store_requests",
            "shared_store_wavefronts",
            "shared_store_wavefronts_raw",
            "shared_bank_conflicts",
        ],
    },
    // ptxas makes one load of 8 bytes of the two loads of `range`.
    Exempt {
        rungs: &["chapter_5_segmented_scan/spmv_tiles"],
        columns: &["shared_load_requests", "shared_load_wavefronts", "shared_load_wavefronts_raw"],
    },
    // ptxas adds up what a warp's lanes add to one word (REDUX), and lets one lane add the sum.
    Exempt {
        rungs: &["chapter_5_segmented_scan/vectorized"],
        columns: &["shared_atomic_wavefronts", "shared_atomic_wavefronts_raw"],
    },
];

impl Exempt<'_> {
    fn names(&self, rung: &str, column: &str) -> bool {
        self.rungs.contains(&rung) && self.columns.contains(&column)
    }
}

fn is_compared(rung: &str, column: &str) -> bool {
    let names = |exempt: &Exempt<'_>| exempt.names(rung, column);
    !EXEMPT.iter().any(names)
}

fn launched(part: Part) -> Result<Vec<Launch>> {
    let runner = testing::simulator();
    let mut all = Vec::new();
    launches::run(&runner.device, part, &mut |launch| {
        all.push(launch);
        Ok(())
    })?;
    Ok(all)
}

/// Every launch has its row, and each of its `columns` counts is as near as its column demands. Of
/// the launches, `disputed` have counts that the profiler computes otherwise than the hardware
/// counts them.
fn check(part: Part, recorded: &[&str], columns: usize, disputed: usize) -> Result<()> {
    let mut launches = launched(part)?;
    let is_young = |name: &str| NOT_RECORDED.contains(&counts::rung(name));
    launches.retain(|launch| !is_young(&launch.name));
    for recorded in recorded {
        let rows = counts::read(recorded)?;
        let known = |row: &Row| {
            let names = COLUMNS.iter().map(|column| column.name);
            names.filter(|name| row.counts.contains_key(*name)).count()
        };
        assert!(rows.iter().all(|row| known(row) == columns), "columns");
        assert!(!rows.iter().any(|row| is_young(&row.name)), "it is recorded: strike it off");
        let theirs: Vec<_> = rows.iter().map(|row| (&row.name, &row.kernel)).collect();
        let ours: Vec<_> = launches.iter().map(|launch| (&launch.name, &launch.kernel)).collect();
        assert_eq!(ours, theirs, "the launches are others");
        let pairs = || launches.iter().zip(&rows);
        let differs = |(launch, row): (&Launch, &Row)| {
            let mut differences = counts::differences(launch, row);
            differences.retain(|d| is_compared(counts::rung(&row.name), d.column));
            (!differences.is_empty())
                .then(|| format!("{} {} {differences:?}", row.kernel, row.name))
        };
        let all: Vec<String> = pairs().filter_map(differs).collect();
        assert!(all.is_empty(), "{} launches:\n{}", all.len(), all.join("\n"));
        // What is not compared is not disputed.
        let is_exempt =
            |row: &Row| EXEMPT.iter().any(|e| e.rungs.contains(&counts::rung(&row.name)));
        let found =
            pairs().filter(|(launch, row)| counts::is_disputed(launch, row) && !is_exempt(row));
        let found: Vec<_> = found.map(|(_, row)| (&row.name, &row.kernel, &row.counts)).collect();
        assert_eq!(found.len(), disputed, "launches disputed: {found:?}");
    }
    Ok(())
}

/// The page on the simulator says how many launches were counted.
#[test]
fn the_page_says_how_many_launches_were_counted() -> Result<()> {
    let page = include_str!("../../../../book/simulator.md");
    let all =
        [RUNGS[0], RUNGS[1], SHARED, GLOBAL].map(|text| counts::read(text).map(|rows| rows.len()));
    let all: usize = all.into_iter().sum::<Result<usize, _>>()?;
    assert!(page.contains(&format!("counted {},{:03} launches", all / 1000, all % 1000)), "{all}");
    Ok(())
}

#[test]
fn rungs() -> Result<()> {
    check(Part::Rungs, &RUNGS, COLUMNS.len(), 0)
}

/// Disputed are loads of 8 and 16 bytes that the hardware serves in fewer wavefronts than the
/// profiler computes, and loops of 64-bit atomics, which have such loads in them.
#[test]
#[ignore = "exhaustive: `cargo test -- --ignored exhaustive`"]
fn exhaustive_shared_probes() -> Result<()> {
    check(Part::Shared, &[SHARED], 10, 25)
}

#[test]
fn global_probes() -> Result<()> {
    check(Part::Global, &[GLOBAL], 6, 0)
}
