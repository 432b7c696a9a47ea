//! `facts.txt` lists what these tests cover, so that other texts, such as a page of a book, can be compared with it.

use std::collections::BTreeSet;

use crate::{
    planted::{
        SEEDS,
        list::{PLANTED, UNRECORDED},
        missed::MISSED,
    },
    weak::model,
};

#[test]
fn the_file_says_what_is_covered() {
    let count = |what: &str, count: usize| format!("{what}: {count}\n");
    let mut facts = count("schedules of each planted kernel", SEEDS.count());
    facts += &count("litmus tests", model::TESTS.lines().count());
    let missed: BTreeSet<_> = MISSED.iter().map(|missed| missed.entry).collect();
    facts.extend(missed.iter().map(|entry| format!("missed: {entry}\n")));
    for (what, kernels) in [("planted", PLANTED), ("planted, unrecorded", UNRECORDED)] {
        facts.extend(kernels.iter().map(|kernel| format!("{what}: {}\n", kernel.name)));
    }
    assert_eq!(facts, include_str!("facts.txt"), "the file is as these tests were once");
}
