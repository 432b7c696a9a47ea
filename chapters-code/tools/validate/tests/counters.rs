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
const NOT_RECORDED: [&str; 1] = ["chapter_6_transpose/four_loads"];

/// What is not compared, and why: a line `rung: columns`.
const EXEMPT: &str = include_str!("counters_exempt.txt");

/// The columns of a rung that are not compared.
fn exempt(rung: &str) -> impl Iterator<Item = &'static str> {
    let of_rung = move |line: &'static str| line.strip_prefix(rung)?.strip_prefix(':');
    EXEMPT.lines().filter_map(of_rung).flat_map(str::split_whitespace)
}

/// Every launch has its row, and each of its `columns` counts is as near as its column demands. Of
/// the launches, `disputed` have counts that the profiler computes otherwise than the hardware
/// counts them.
fn check(part: Part, recorded: &[&str], columns: usize, disputed: usize) -> Result<()> {
    let mut launches = launches::run(&testing::simulator().device, part)?;
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
            differences.retain(|d| !exempt(counts::rung(&row.name)).any(|c| c == d.column));
            (!differences.is_empty())
                .then(|| format!("{} {} {differences:?}", row.kernel, row.name))
        };
        let all: Vec<String> = pairs().filter_map(differs).collect();
        assert!(all.is_empty(), "{} launches:\n{}", all.len(), all.join("\n"));
        // What is not compared is not disputed.
        let is_exempt = |row: &Row| exempt(counts::rung(&row.name)).next().is_some();
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
