//! What the pages say of the simulator is what its tests cover.

use std::{collections::BTreeSet, str::Lines};

/// What the simulator's tests cover, a fact a line.
const FACTS: &str = include_str!("../../../simulator/simt/tests/facts.txt");
const PAGE: &str = include_str!("../../../../book/simulator.md");

/// The values of a kind of facts, in order.
pub fn facts(kind: &str) -> Vec<&'static str> {
    let value = |line: &'static str| line.strip_prefix(kind)?.strip_prefix(": ");
    FACTS.lines().filter_map(value).collect()
}

#[test]
fn the_page_says_how_many() {
    let words: Vec<_> = PAGE.split_whitespace().collect();
    let page = words.join(" ");
    let [schedules] = facts("schedules of each planted kernel")[..] else { panic!("{FACTS}") };
    let [litmus] = facts("litmus tests")[..] else { panic!("{FACTS}") };
    let recorded = facts("planted").len();
    let planted = recorded + facts("planted, unrecorded").len();
    for sentence in [
        format!(
            "A test runs {planted} kernels with a planted bug, and the same kernels without the bug, under {schedules} \
             schedules each."
        ),
        format!("in {recorded} of these kernels on an H100 are recorded."),
        format!("{litmus} small programs (litmus tests) show every outcome"),
    ] {
        assert!(page.contains(&sentence), "{sentence}");
    }
}

/// The bold words that begin the entries of the page's list.
#[test]
fn the_page_lists_what_is_missed() {
    let (_, section) = PAGE.split_once("## What they miss").expect("the page has the section");
    let section = section.split("\n## ").next().unwrap_or(section);
    let entry = |line: &'static str| Some(line.strip_prefix("- **")?.split_once("**")?.0);
    let on_page: BTreeSet<_> = section.lines().filter_map(entry).collect();
    // `simt-driver/tests/stream_races.rs` has the kernels of the last.
    let missed = facts("missed").into_iter().chain(["Streams in special cases."]);
    assert_eq!(on_page, missed.collect());
}

#[test]
fn the_page_has_every_variable() {
    let rows = |lines: Lines<'static>, before: &'static str| -> BTreeSet<_> {
        let name = move |line: &'static str| {
            line.strip_prefix(before)?.split(['=', '`']).next().map(|name| format!("SIMT_{name}"))
        };
        lines.filter_map(name).collect()
    };
    let driver = include_str!("../../../simulator/simt-driver/src/lib.rs");
    let page = include_str!("../../../../book/without_a_gpu.md");
    let documented = rows(driver.lines(), "//! | `SIMT_");
    assert!(documented.len() > 10, "{documented:?}");
    assert_eq!(rows(page.lines(), "| `SIMT_"), documented);
}
