//! Every column of a table has a heading: a reader who has the page read aloud hears it with each cell.

use std::ops::Range;

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use crate::Problem;
use crate::check::Page;

pub(super) fn check(page: &Page<'_>) -> Vec<Problem> {
    let text = |cell: &Range<usize>| page.text[cell.clone()].trim_matches([' ', '\t', '|']);
    headings(page.text)
        .filter(|cell| text(cell).is_empty())
        .map(|cell| page.problem(cell.start, "a column of this table has no heading"))
        .collect()
}

/// The cells of the first rows of all tables in `text`.
fn headings(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut is_heading = false;
    let events = Parser::new_ext(text, Options::ENABLE_TABLES).into_offset_iter();
    events.filter_map(move |(event, range)| {
        match event {
            Event::Start(Tag::TableHead) => is_heading = true,
            Event::End(TagEnd::TableHead) => is_heading = false,
            Event::Start(Tag::TableCell) if is_heading => return Some(range),
            _ => {}
        }
        None
    })
}
