//! Every include finds its file, and its anchor in it. mdBook reports a missing file in its log and
//! goes on, and says nothing of a missing anchor.

use crate::check::Page;
use crate::{Problem, anchor};

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
    let (path, name) = match target.split_once(':') {
        Some((path, name)) => (path, Some(name)),
        None => (target, None),
    };
    let text = match std::fs::read_to_string(page.folder.join(path)) {
        Ok(text) => text,
        Err(error) => return Some(format!("cannot include {path}: {error}")),
    };
    let name = name?;
    if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) {
        return Some(format!("include {path} by an anchor: line numbers move"));
    }
    anchor::missing(path, &text, name)
}
