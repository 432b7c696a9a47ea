//! The running text of a page: not its headings, links, listings, formulas, HTML, directives, or notes for teachers.

use std::ops::Range;

use pulldown_cmark::{CowStr, Event, Options, Parser, Tag, TagEnd};

use crate::expand::{calls, ranges};

/// Stands for a byte that is no running text.
const MASK: u8 = 0;

/// `text` with everything but the words of its running text, and its blanks, masked, byte by byte.
pub(crate) fn words(text: &str) -> String {
    let mut kept = vec![false; text.len()];
    for (event, range) in events(text) {
        if let Event::Text(_) = event {
            kept[range].fill(true);
        }
    }
    for range in apart(text) {
        kept[range].fill(false);
    }
    let mask = |(byte, kept): (u8, bool)| match kept || byte.is_ascii_whitespace() {
        true => byte,
        false => MASK,
    };
    let masked: Vec<u8> = text.bytes().zip(kept).map(mask).collect();
    String::from_utf8_lossy(&masked).into_owned()
}

/// The inline code in the running text of `text`: where it stands, with its backquotes, and what stands between them.
pub(crate) fn codes(text: &str) -> Vec<(Range<usize>, CowStr<'_>)> {
    let apart = apart(text);
    let is_apart = |range: &Range<usize>| {
        apart.iter().any(|other| other.start < range.end && range.start < other.end)
    };
    let code = |(event, range)| match event {
        Event::Code(code) if !is_apart(&range) => Some((range, code)),
        _ => None,
    };
    events(text).into_iter().filter_map(code).collect()
}

/// What Markdown is made of outside of what is skipped.
fn events(text: &str) -> Vec<(Event<'_>, Range<usize>)> {
    let options = Options::ENABLE_TABLES | Options::ENABLE_MATH | Options::ENABLE_DEFINITION_LIST;
    let mut nested = 0;
    let mut kept = Vec::new();
    for (event, range) in Parser::new_ext(text, options).into_offset_iter() {
        match event {
            Event::Start(tag) if is_skipped(&tag) => nested += 1,
            Event::End(tag) if is_skipped_end(&tag) => nested -= 1,
            event if nested == 0 => kept.push((event, range)),
            _ => {}
        }
    }
    kept
}

/// The directives, and the notes for teachers, which students may leave folded: a word is not explained there first.
fn apart(text: &str) -> Vec<Range<usize>> {
    let mut apart: Vec<Range<usize>> = ranges(text).collect();
    let mut since = None;
    for call in calls(text) {
        match call.name() {
            "teachers" => since = Some(call.range.start),
            "end" => apart.extend(since.take().map(|start| start..call.range.end)),
            _ => {}
        }
    }
    apart
}

fn is_skipped(tag: &Tag<'_>) -> bool {
    matches!(
        tag,
        Tag::Heading { .. }
            | Tag::Link { .. }
            | Tag::Image { .. }
            | Tag::CodeBlock(_)
            | Tag::HtmlBlock
    )
}

fn is_skipped_end(tag: &TagEnd) -> bool {
    matches!(
        tag,
        TagEnd::Heading(_) | TagEnd::Link | TagEnd::Image | TagEnd::CodeBlock | TagEnd::HtmlBlock
    )
}
