//! The simulator's planted kernels under compute-sanitizer on an H100. `simt/tests/planted` holds that the bug of each is
//! found here, and that nothing is in its twin, which is the kernel without the bug. `validate/sanitize.sh` made the file.

use std::collections::BTreeMap;

use crate::pages::facts;

const RECORDED: &str =
    include_str!("../../../../book/measurements/sanitizer_nvidia_h100_80gb_hbm3_2026-11-26.tsv");
const TOOLS: [&str; 4] = ["initcheck", "memcheck", "racecheck", "synccheck"];
/// Twins that it finds fault with: flags and locks in shared memory, warps at
/// barriers on the two sides of a branch, and, in `pipelines`, what lanes read whose warp leaves it to one
/// lane to arrive at an mbarrier or to wait there, with `__syncwarp` between.
const FALSE_ALARMS: [&str; 16] = [
    "arrival_in_one_branch_ok",
    "buffer_given_back_early_ok",
    "bytes_not_announced_ok",
    "exchanged_and_looked_at_ok",
    "fewer_consumers_than_counted_ok",
    "lane_arrives_for_others_ok",
    "lane_waits_for_others_ok",
    "lock_of_lanes_ok",
    "more_consumers_than_counted_ok",
    "shared_flag_unfenced_ok",
    "stage_acquired_unfenced_ok",
    "stage_filled_while_in_use_ok",
    "stage_read_before_wait_ok",
    "stage_released_unfenced_ok",
    "too_few_bytes_announced_ok",
    "wait_for_wrong_parity_ok",
];

/// How each tool ended on a kernel: `ok`, `found`, `never ended`, or a status.
fn recorded() -> BTreeMap<(&'static str, &'static str), &'static str> {
    let rows = RECORDED.lines().filter(|line| !line.starts_with('#'));
    let row = |line: &'static str| {
        let mut fields = line.split('\t');
        let mut field = || fields.next().expect("five fields");
        ((field(), field()), field())
    };
    rows.map(row).collect()
}

fn twin(name: &str) -> String {
    format!("{name}_ok")
}

#[test]
fn every_kernel_is_recorded_under_every_tool() {
    let recorded = recorded();
    let names = facts("planted").into_iter().flat_map(|name| [name.to_owned(), twin(name)]);
    let mut count = 0;
    for name in names {
        for tool in TOOLS {
            assert!(recorded.contains_key(&(&*name, tool)), "{name} under {tool}");
            count += 1;
        }
    }
    assert_eq!(recorded.len(), count);
}

#[test]
fn what_the_sanitizer_finds() {
    let recorded = recorded();
    let (mut found, mut never_ended, mut missed, mut like_twin) = (0, 0, 0, 0);
    for planted in facts("planted") {
        let ends = TOOLS.map(|tool| recorded[&(planted, tool)]);
        match () {
            () if ends.contains(&"found") => {
                let mut finders =
                    TOOLS.iter().filter(|tool| recorded[&(planted, **tool)] == "found");
                let twin = twin(planted);
                like_twin += u32::from(finders.all(|tool| recorded[&(&*twin, *tool)] == "found"));
                found += 1;
            }
            () if ends.contains(&"never ended") => never_ended += 1,
            () => missed += 1,
        }
    }
    assert_eq!((found, never_ended, missed), COUNTS);
    assert_eq!(like_twin, LIKE_TWIN);
}

/// Kernels with a bug that one of its tools found; that ran until they were stopped; the rest.
const COUNTS: (u32, u32, u32) = (69, 16, 57);
/// Of those found, those that only such tools found as find fault with the kernel without the bug, too.
const LIKE_TWIN: u32 = 9;

#[test]
fn its_false_alarms() {
    let alarms: Vec<_> = recorded()
        .into_iter()
        .filter(|((name, _), end)| name.ends_with("_ok") && *end != "ok")
        .map(|((name, _), _)| name)
        .collect();
    assert_eq!(alarms, FALSE_ALARMS);
}
