//! Directives in a page, `{{#NAME ARGUMENTS}}`: finding them, and putting answers in their place.

use std::ops::Range;
use std::path::Path;

use crate::{Problem, Problems};

const OPENING: &str = "{{#";

/// The directives that mdBook itself answers.
const OF_MDBOOK: [&str; 4] = ["include", "rustdoc_include", "playground", "title"];

/// A directive as it stands in a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Call<'a> {
    /// What stands between the braces.
    pub(crate) body: &'a str,
    /// Where it stands, braces and all; to the end of the text if it is not closed.
    pub(crate) range: Range<usize>,
    closed: bool,
}

impl<'a> Call<'a> {
    /// What is asked for.
    pub(crate) fn name(&self) -> &'a str {
        self.body.split_whitespace().next().unwrap_or_default()
    }

    /// What follows the name.
    pub(crate) fn arguments(&self) -> &'a str {
        self.body.trim_start()[self.name().len()..].trim()
    }
}

/// The directives of `text` but mdBook's own.
pub(crate) fn calls(text: &str) -> impl Iterator<Item = Call<'_>> {
    all(text).filter(|call| !OF_MDBOOK.contains(&call.name()))
}

/// Where the directives of `text` stand, mdBook's own among them.
pub(crate) fn ranges(text: &str) -> impl Iterator<Item = Range<usize>> {
    all(text).map(|call| call.range)
}

fn all(text: &str) -> impl Iterator<Item = Call<'_>> {
    let call = |(start, _)| {
        let inside = start + OPENING.len();
        let length = text[inside..].find("}}");
        let end = length.map_or(text.len(), |length| inside + length);
        Call {
            body: &text[inside..end],
            range: start..length.map_or(end, |_| end + 2),
            closed: length.is_some(),
        }
    };
    text.match_indices(OPENING).map(call)
}

/// Where the directives of these names stand.
pub(crate) fn places(text: &str, names: &[&str]) -> impl Iterator<Item = Range<usize>> {
    let called = calls(text).filter(|call| names.contains(&call.name()));
    called.map(|call| call.range)
}

/// `text`, the content of `page`, with the answer to every directive in its place.
///
/// # Errors
/// What is wrong with the directives, each with its line.
pub(crate) fn expand(
    page: &Path,
    text: &str,
    answer: &mut dyn FnMut(&Call<'_>) -> Result<String, String>,
) -> Result<String, Problems> {
    let mut expanded = String::with_capacity(text.len());
    let mut problems = Vec::new();
    let mut done = 0;
    for call in calls(text) {
        let answered = match call.closed {
            true => answer(&call),
            false => Err("this directive is not closed by }}".to_owned()),
        };
        expanded.push_str(&text[done..call.range.start]);
        match answered {
            Ok(answer) => expanded.push_str(&answer),
            Err(message) => problems.push(Problem::at(page, text, call.range.start, message)),
        }
        done = call.range.end;
    }
    expanded.push_str(&text[done..]);
    Problems(problems).into_result().map(|()| expanded)
}

/// The arguments of a directive: words, `KEY=VALUE`, and `KEY="several words"`.
///
/// # Errors
/// If a quotation mark lacks its partner.
pub(crate) fn words(arguments: &str) -> Result<Vec<String>, String> {
    let mut words = vec![String::new()];
    let mut quoted = false;
    for letter in arguments.chars() {
        match letter {
            '"' => quoted = !quoted,
            blank if blank.is_whitespace() && !quoted => words.push(String::new()),
            other => words.last_mut().into_iter().for_each(|w| w.push(other)),
        }
    }
    words.retain(|word| !word.is_empty());
    match quoted {
        true => Err("a quotation mark is not closed".to_owned()),
        false => Ok(words),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_words_and_quotations() {
        let found = words("tree kernel=a\n caption=\"two  words\" n=8").expect("they are closed");
        assert_eq!(found, ["tree", "kernel=a", "caption=two  words", "n=8"]);
        assert!(words("a=\"b").is_err());
    }

    #[test]
    fn what_is_mdbooks_is_left_alone() {
        let text = "{{#include a.rs:x}} {{#shout now}} {{#title T}}";
        let mut answer = |call: &Call<'_>| Ok(format!("<{}|{}>", call.name(), call.arguments()));
        let expanded = expand(Path::new("p.md"), text, &mut answer).expect("answers");
        assert_eq!(expanded, "{{#include a.rs:x}} <shout|now> {{#title T}}");
    }
}
