//! Where a page first uses the words of an entry in its running text.

use std::collections::BTreeSet;
use std::ops::Range;

use regex::{Match, Regex, RegexBuilder};

use super::entries::Entry;
use crate::prose;

/// The first use of each entry in `text`, in the order of the text.
pub(super) fn find(entries: &[Entry], text: &str) -> Vec<(Range<usize>, usize)> {
    let prose = prose::words(text);
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
