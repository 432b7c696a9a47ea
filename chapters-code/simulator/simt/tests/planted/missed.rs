//! What the race check misses: for each kind of miss, and for each item of the detectors' headers, kernels that are wrong and in which nothing is found. An entry, an item and a kernel
//! cannot vanish alone.

use std::collections::BTreeSet;

use super::list::{Bug, PLANTED, Planted};
use super::run::{Found, Kind, run, run_with};
use simt::{FaultKind, Options, WeakMemory};
use simt_report::RaceKind;

/// A kernel in which nothing is found, and the kind of miss that it is an example of.
pub struct Missed {
    /// The words that begin the entry of the list in `simulator/simt/tests/facts.txt`, and of the book's.
    pub entry: &'static str,
    kernel: Planted,
}

macro_rules! missed {
    ($($entry:literal: $($name:ident $bug:ident ($grid:literal, $block:literal, $n:literal))*;)*) => {
        &[$($(Missed {
            entry: $entry,
            kernel: Planted {
                name: stringify!($name),
                file: "missed",
                ptx: include_str!("kernels/missed.compute_90.ptx"),
                bug: Bug::$bug,
                grid: $grid,
                block: $block,
                n: $n,
            },
        },)*)*]
    };
}

pub const MISSED: &[Missed] = missed! {
    "Short histories.":
        third_reader Race (1, 128, 128)
        second_reading_block Race (2, 32, 64);
    "A missing fence of the reader.":
        reader_unfenced Race (2, 32, 64)
        handed_on_unfenced Race (3, 32, 64);
    "A missing fence between volatile or relaxed accesses.":
        volatile_sums_unfenced Race (4, 32, 64)
        volatile_without_barrier Race (1, 64, 64);
    "A release counts as a fence.":
        released_by_another_word Race (2, 32, 64);
    "Loads through the read-only path":
        read_only_path Race (1, 64, 64);
    "Code that does not run.":
        branch_not_taken Race (1, 64, 65);
    "Endless loops that count,":
        waits_and_counts Deadlock (1, 32, 64);
    "Barriers that fit by chance.":
        barrier_skipped_on_the_way_out Barrier (1, 64, 64)
        rounds_differ_in_between Barrier (1, 64, 64)
        barrier_under_a_guard Barrier (1, 64, 64);
    "A mask that is right by chance.":
        activemask_as_mask Lanes (1, 32, 64);
    "Undefined values that are not used.":
        butterfly_across_warps Lanes (1, 48, 64);
    "Values that may be masked.":
        one_byte_of_a_word Uninitialised (1, 64, 64)
        unwritten_value_chosen Uninitialised (1, 64, 64);
    "Arrays that are taken for one.":
        member_into_next OutOfBounds (1, 64, 64)
        local_into_next OutOfBounds (1, 32, 64)
        pointer_to_either_array OutOfBounds (1, 64, 64)
        pointer_from_another_lane OutOfBounds (1, 64, 64)
        index_into_another_allocation OutOfBounds (1, 64, 64);
    "Asynchronous copies in special cases.":
        groups_of_half_a_warp Race (1, 32, 64)
        arrival_after_copies_not_waited_for Race (1, 32, 64)
        fence_for_another_space Fence (1, 64, 128)
        very_many_mbarriers Race (1, 64, 128);
};

/// The files whose headers say what they can miss.
const HEADERS: &[&str] = &[
    include_str!("../../src/races/barriers.rs"),
    include_str!("../../src/races/copies.rs"),
    include_str!("../../src/races/global.rs"),
    include_str!("../../src/races/mod.rs"),
    include_str!("../../src/races/proxy.rs"),
    include_str!("../../src/races/shared.rs"),
    include_str!("../../src/races/sync.rs"),
    include_str!("../../src/races/undefined.rs"),
    include_str!("../../src/races/uninitialised.rs"),
    include_str!("../../src/memory.rs"),
    include_str!("../../src/stall.rs"),
    include_str!("../../../ptx/src/limits.rs"),
];

/// What a header says after **Can miss:**, up to an empty line or the next bold words.
fn can_miss(file: &str) -> Option<String> {
    let lines = file.lines().map_while(|line| line.strip_prefix("//!"));
    let header: Vec<_> = lines.map(str::trim).collect();
    let start = header.iter().position(|l| l.contains("**Can miss:**"))?;
    let paragraph: Vec<_> = header[start..].iter().take_while(|l| !l.is_empty()).copied().collect();
    let text = paragraph.join(" ");
    let (_, text) = text.split_once("**Can miss:**")?;
    Some(text.split("**").next().unwrap_or(text).trim().to_owned())
}

/// The words between backticks.
fn names(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

#[test]
fn nothing_is_found_in_them() {
    let mut found = Vec::new();
    for Missed { kernel, .. } in MISSED {
        let told = run(kernel, kernel.name, 0);
        // Only the limit stops a loop that counts.
        let stopped: &[Kind] = match kernel.bug {
            Bug::Deadlock => &[Kind::Fault(FaultKind::InstructionLimit)],
            _ => &[],
        };
        if told.iter().map(|f| &f.kind).ne(stopped) {
            let messages: Vec<_> = told.into_iter().map(|f| f.message).collect();
            found.push(format!("{}: {}", kernel.name, messages.join("\n")));
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// The page on the simulator says what finds it.
#[test]
fn a_mask_that_is_right_by_chance_is_found_with_parts_of_it() {
    let missed = MISSED.iter().find(|missed| missed.kernel.name == "activemask_as_mask");
    let missed = &missed.expect("it is listed").kernel;
    for active_masks in 1..=16 {
        let options = Options::default().with(|options| options.active_masks = active_masks);
        let found = run_with(missed, missed.name, options);
        let kind = Kind::Race(RaceKind::ShuffleSource);
        assert!(found.first().is_some_and(|found| found.kind == kind), "seed {active_masks}");
    }
}

/// The page on the simulator says that a run with weak memory names them.
#[test]
fn missing_fences_are_named_with_weak_memory() {
    for name in ["reader_unfenced", "released_by_another_word"] {
        let missed = &MISSED.iter().find(|missed| missed.kernel.name == name).expect(name).kernel;
        for seed in 1..=4 {
            let weak = WeakMemory { seed, reports: true, ..WeakMemory::default() };
            let options = Options::default().with(|options| options.weak_memory = Some(weak));
            let found = run_with(missed, name, options);
            let names = |found: &Found| found.message.contains("may miss the write");
            assert!(found.iter().any(names), "{name}, seed {seed}");
        }
    }
}

/// Without line information nothing tells two statements from copies of one.
#[test]
fn statements_without_lines_are_not_told_apart() {
    let planted = PLANTED.iter().find(|p| p.name == "barrier_on_either_side");
    let planted = planted.expect("it is planted");
    let is_line = |line: &&str| !line.trim_start().starts_with(".loc");
    let bare: Vec<_> = planted.ptx.lines().filter(is_line).collect();
    let bare = Planted { ptx: bare.join("\n").leak(), ..*planted };
    assert!(!run(planted, planted.name, 0).is_empty());
    assert!(run(&bare, bare.name, 0).is_empty());
}

#[test]
fn the_list_has_every_kernel() {
    let listed: BTreeSet<_> = MISSED.iter().map(|m| m.kernel.name.to_owned()).collect();
    let module = ptx::parse(MISSED[0].kernel.ptx).expect("it is PTX");
    let there: BTreeSet<_> = module.kernels.into_iter().map(|k| k.name).collect();
    assert_eq!(listed, there);
}

/// Every item of a header's **Can miss:** names an example, and every kernel here is named by one,
/// except those that no detector is to blame for.
#[test]
fn the_headers_name_them() {
    let known: BTreeSet<_> = MISSED.iter().map(|m| m.kernel.name).collect();
    let mut named = BTreeSet::new();
    for text in HEADERS.iter().filter_map(|file| can_miss(file)) {
        for item in text.split(';').flat_map(|item| item.split(". ")) {
            let examples: Vec<_> = names(item).filter_map(|name| known.get(name)).collect();
            let without_lines = item.contains("without line information");
            assert!(without_lines || !examples.is_empty(), "no kernel for: {item}");
            named.extend(examples.into_iter().copied());
        }
    }
    assert_eq!(named, known);
}
