//! Every block of code says its language, so that it is coloured, read aloud and checked as what it
//! is. A block by indentation cannot, and most often is none: a paragraph that slipped.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag};

use crate::Problem;
use crate::check::Page;

/// The blocks of code in `text`: what their fences say, unless they have none, and where they stand.
pub(super) fn blocks(text: &str) -> impl Iterator<Item = (Option<String>, Range<usize>)> {
    let events = Parser::new_ext(text, Options::ENABLE_TABLES).into_offset_iter();
    events.filter_map(|(event, range)| match event {
        Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) => {
            Some((Some(info.into_string()), range))
        }
        Event::Start(Tag::CodeBlock(CodeBlockKind::Indented)) => Some((None, range)),
        _ => None,
    })
}

pub(super) fn check(page: &Page<'_>) -> Vec<Problem> {
    let fault = |(info, range): (Option<String>, Range<usize>)| {
        let fault = match info {
            None => "code stands between fences that say its language",
            Some(info) if info.trim().is_empty() => {
                "this block does not say its language: ```text, ```console, …"
            }
            Some(_) => return None,
        };
        Some(page.problem(range.start, fault))
    };
    blocks(page.text).filter_map(fault).collect()
}
