//! Every include finds its file, and its anchor in it. mdBook reports a missing file in its log and
//! goes on, and says nothing of a missing anchor.

use crate::Problem;
use crate::check::Page;

const OPENING: &str = "{{#include ";

pub(super) fn check(page: &Page<'_>) -> Vec<Problem> {
    page.text
        .match_indices(OPENING)
        .filter_map(|(offset, _)| {
            let rest = &page.text[offset + OPENING.len()..];
            let fault = match rest.find("}}") {
                Some(end) => fault_of(page, rest[..end].trim())?,
                None => "this include is not closed by }}".to_owned(),
            };
            Some(page.problem(offset, fault))
        })
        .collect()
}

fn fault_of(page: &Page<'_>, target: &str) -> Option<String> {
    let (path, anchor) = match target.split_once(':') {
        Some((path, anchor)) => (path, Some(anchor)),
        None => (target, None),
    };
    let text = match std::fs::read_to_string(page.folder.join(path)) {
        Ok(text) => text,
        Err(error) => return Some(format!("cannot include {path}: {error}")),
    };
    let anchor = anchor?;
    if anchor.is_empty() || anchor.starts_with(|c: char| c.is_ascii_digit()) {
        return Some(format!("include {path} by an anchor: line numbers move"));
    }
    ["ANCHOR:", "ANCHOR_END:"]
        .iter()
        .find(|marker| !has_marker(&text, marker, anchor))
        .map(|marker| format!("{path} has no line with `{marker} {anchor}`"))
}

fn has_marker(text: &str, marker: &str, anchor: &str) -> bool {
    text.lines().any(|line| {
        line.split_once(marker)
            .is_some_and(|(_, name)| name.trim_start().trim_end() == anchor)
    })
}
