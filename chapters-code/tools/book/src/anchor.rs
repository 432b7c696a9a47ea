//! Anchors: the marks in a file around the lines that a page includes.

use std::ops::RangeInclusive;

/// The marks at an anchor's beginning and end.
const MARKERS: [&str; 2] = ["ANCHOR:", "ANCHOR_END:"];

/// Whether a line of `text` holds the mark of the anchor `name`.
fn has_marker(text: &str, marker: &str, name: &str) -> bool {
    place(text, marker, name).is_some()
}

/// The lines between the marks of the anchor `name`, counted from 1.
pub(crate) fn lines(text: &str, name: &str) -> Option<RangeInclusive<usize>> {
    let [first, last] = MARKERS.map(|marker| place(text, marker, name));
    Some(first? + 2..=last?)
}

fn place(text: &str, marker: &str, name: &str) -> Option<usize> {
    text.lines().position(|line| {
        let after = line.split_once(marker).map(|(_, after)| after.trim());
        after == Some(name)
    })
}

/// Why a page cannot show the anchor `name` of `file`, if it cannot.
pub(crate) fn missing(file: &str, text: &str, name: &str) -> Option<String> {
    MARKERS
        .iter()
        .find(|marker| !has_marker(text, marker, name))
        .map(|marker| format!("{file} has no line with `{marker} {name}`"))
}
