//! The planted kernels under compute-sanitizer on an H200, beside what is found here: whatever it finds
//! is found here too. `record/sanitize.sh` made the file.

use std::collections::BTreeMap;

use crate::list::{PLANTED, Planted};
use crate::run::run;
use crate::tells;

const RECORDED: &str =
    include_str!("../../../../book/measurements/sanitizer_nvidia_h200_2026-11-21.tsv");
const TOOLS: [&str; 4] = ["initcheck", "memcheck", "racecheck", "synccheck"];
/// Kernels that are newer or have changed since, and files that are newer.
const NOT_RECORDED: [&str; 7] = [
    "plain_look_at_flag",
    "counters_cleared_by_first",
    "watched_counter_cleared",
    "total_zeroed_late",
    "lock_not_let_go",
    "pipelines",
    "mbarriers",
];
/// Where it finds fault with a kernel that is right: flags and locks in shared memory, and warps at
/// barriers on the two sides of a branch.
const FALSE_ALARMS: [&str; 4] = [
    "buffer_given_back_early_ok",
    "lock_of_lanes_ok",
    "one_barrier_more_ok",
    "shared_flag_unfenced_ok",
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

fn on_record() -> impl Iterator<Item = &'static Planted> {
    let is_new = |p: &&Planted| NOT_RECORDED.contains(&p.name) || NOT_RECORDED.contains(&p.file);
    PLANTED.iter().filter(move |p| !is_new(p))
}

#[test]
fn every_kernel_is_recorded_under_every_tool() {
    let recorded = recorded();
    let names = on_record().flat_map(|p| [p.name.to_owned(), p.twin()]);
    let mut count = 0;
    for name in names {
        for tool in TOOLS {
            assert!(
                recorded.contains_key(&(&*name, tool)),
                "{name} under {tool}"
            );
            count += 1;
        }
    }
    assert_eq!(recorded.len(), count);
}

#[test]
fn what_the_sanitizer_finds_is_found_here() {
    let recorded = recorded();
    let (mut found, mut never_ended, mut missed) = (0, 0, 0);
    for planted in on_record() {
        let ends = TOOLS.map(|tool| recorded[&(planted.name, tool)]);
        let here = run(planted, planted.name, 0);
        let is_told = here.iter().any(|f| tells(f, planted));
        assert!(
            is_told || ends.iter().all(|end| *end == "ok"),
            "{}",
            planted.name
        );
        match () {
            () if ends.contains(&"found") => found += 1,
            () if ends.contains(&"never ended") => never_ended += 1,
            () => missed += 1,
        }
    }
    assert_eq!((found, never_ended, missed), COUNTS);
}

/// Kernels with a bug that one of its tools found; that ran until they were stopped; the rest.
const COUNTS: (u32, u32, u32) = (51, 9, 31);

#[test]
fn its_false_alarms_are_none_here() {
    let alarms: Vec<_> = recorded()
        .into_iter()
        .filter(|((name, _), end)| name.ends_with("_ok") && *end != "ok")
        .map(|((name, _), _)| name)
        .collect();
    assert_eq!(alarms, FALSE_ALARMS);
    for planted in PLANTED.iter().filter(|p| alarms.contains(&&*p.twin())) {
        assert!(
            run(planted, &planted.twin(), 0).is_empty(),
            "{}",
            planted.twin()
        );
    }
}
