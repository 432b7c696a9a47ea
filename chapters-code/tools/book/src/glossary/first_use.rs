//! Where a page first uses the words of an entry in its running text: not in headings, links, code,
//! formulas, HTML, directives or notes for teachers.

use std::collections::BTreeSet;
use std::ops::Range;

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use regex::{Match, Regex, RegexBuilder};

use super::entries::Entry;
use crate::expand::{calls, ranges};

/// Stands for a byte that is no running text.
const MASK: u8 = 0;

/// The first use of each entry in `text`, in the order of the text.
pub(super) fn find(entries: &[Entry], text: &str) -> Vec<(Range<usize>, usize)> {
    let prose = prose(text);
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    let Some((pattern, owners)) = pattern(entries) else {
        return found;
    };
    for captures in pattern.captures_iter(&prose) {
        let owner = (1..captures.len()).find_map(|group| Some((captures.get(group)?, group - 1)));
        if let Some((words, group)) = owner
            && !is_hyphenated(&prose, &words)
            && seen.insert(owners[group])
        {
            found.push((words.range(), owners[group]));
        }
    }
    found
}

/// A pattern with a group for each form of each entry, and the entry of each group. Longer forms come
/// first, so that a bank conflict is no bank.
fn pattern(entries: &[Entry]) -> Option<(Regex, Vec<usize>)> {
    let forms = entries
        .iter()
        .enumerate()
        .flat_map(|(index, entry)| entry.forms.iter().map(move |form| (form.as_str(), index)));
    let mut forms: Vec<_> = forms.collect();
    forms.sort_by_key(|(form, _)| std::cmp::Reverse(form.len()));
    let groups: Vec<String> = forms.iter().map(|(form, _)| group(form)).collect();
    let pattern = format!(r"\b(?:{})\b", groups.join("|"));
    let compiled = RegexBuilder::new(&pattern).build().ok()?;
    let owners = forms.into_iter().map(|(_, index)| index).collect();
    (!groups.is_empty()).then_some((compiled, owners))
}

/// A group for `form`: with any blanks between its words, with -s, and, unless it is an abbreviation,
/// with a capital at its beginning.
fn group(form: &str) -> String {
    let words = form.split_whitespace().map(regex::escape);
    let mut joined = words.collect::<Vec<_>>().join(r"\s+");
    if let Some(first) = joined.chars().next().filter(char::is_ascii_lowercase) {
        joined.replace_range(..1, &format!("[{}{first}]", first.to_ascii_uppercase()));
    }
    format!("({joined}s?)")
}

/// Whether the words are a part of a longer, hyphenated one.
fn is_hyphenated(prose: &str, words: &Match<'_>) -> bool {
    prose[..words.start()].ends_with('-') || prose[words.end()..].starts_with('-')
}

/// `text` with everything but its running text and its blanks masked, byte by byte.
fn prose(text: &str) -> String {
    let mut kept = vec![false; text.len()];
    let mut nested = 0;
    let options = Options::ENABLE_TABLES | Options::ENABLE_MATH | Options::ENABLE_DEFINITION_LIST;
    for (event, range) in Parser::new_ext(text, options).into_offset_iter() {
        match event {
            Event::Start(tag) if is_skipped(&tag) => nested += 1,
            Event::End(tag) if is_skipped_end(&tag) => nested -= 1,
            Event::Text(_) if nested == 0 => kept[range].fill(true),
            _ => {}
        }
    }
    for range in ranges(text).chain(notes_for_teachers(text)) {
        kept[range].fill(false);
    }
    let mask = |(byte, kept): (u8, bool)| match kept || byte.is_ascii_whitespace() {
        true => byte,
        false => MASK,
    };
    let masked: Vec<u8> = text.bytes().zip(kept).map(mask).collect();
    String::from_utf8_lossy(&masked).into_owned()
}

/// Notes for teachers, which students may leave folded: a word is not explained there first.
fn notes_for_teachers(text: &str) -> Vec<Range<usize>> {
    let mut notes = Vec::new();
    let mut since = None;
    for call in calls(text) {
        match call.name() {
            "teachers" => since = Some(call.range.start),
            "end" => notes.extend(since.take().map(|start| start..call.range.end)),
            _ => {}
        }
    }
    notes
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
