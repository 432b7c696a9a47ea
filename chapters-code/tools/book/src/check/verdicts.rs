//! No verdict on a prediction is typed: `{{#verdict …}}` gives it, by the one rule of the book, so that a new recording
//! cannot make it wrong. A sentence that gives none although it reads so says why: `<!-- no verdict: REASON -->`.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::comparisons::{END, prose};
use crate::check::Page;
use crate::{Problem, expand};

/// What says of a prediction what came of it.
const WORDS: &str = r"(?:
    held | failed | fails | missed | misses | (?: does | do | did ) \s+ not \s+ hold
  | (?: come | comes | came ) \s+ true | correctly
  | (?: is | are | was | were | be | been | proved | turned \s+ out ) \s+ (?: not \s+ )? (?: \w+ \s+ )?
    (?: right | wrong | true | false | correct | confirmed | refuted | too \s+ \w+ )
  | confirms | refutes | hit
)";

/// What is said so of.
const SUBJECTS: &str = r"(?: predict \w* | guess (?: es | ed )? | forecasts? | bets? )";

/// A verdict wherever it stands.
static ANYWHERE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(&format!(
        r"\b {SUBJECTS} \b (?s: .* ) \b {WORDS} \b | \b {WORDS} \b (?s: .* ) \b {SUBJECTS} \b
        | \b predictions? \s+ (?: nearly \s+ )? holds? \b
        | \b (?: law | ratio | half | number | order ) \*? \s+ (?: held | failed | missed ) \b
        | \b (?: as | than ) \s+ (?: we \s+ )? (?: had \s+ )? (?: predicted | guessed ) \b
        | \b of \s+ the \s+ (?: prediction | guess ) \b"
    ))
});

/// A verdict where a prediction has been read: in what unfolds behind a question.
static UNFOLDED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"\b (?: held | failed | missed | as \s+ expected | than \s+ expected ) \b")
});

fn pattern(text: &str) -> Regex {
    Regex::new(&format!("(?xi) {text}")).expect("the pattern is sound")
}

pub(super) fn check(page: &Page<'_>) -> Vec<Problem> {
    let prose = prose(page.text);
    let unfolded = unfolded(page.text);
    let mut problems = Vec::new();
    let mut start = 0;
    for end in END.find_iter(&prose) {
        let sentence = &prose[start..end.start()];
        let exempt = end.as_str().starts_with('?')
            || page.text[start..end.end()].contains("<!-- no verdict: ");
        let is_unfolded = |found: &regex::Match<'_>| {
            unfolded.iter().any(|block| block.contains(&(start + found.start())))
        };
        let found = ANYWHERE.find(sentence);
        let found = found.or_else(|| UNFOLDED.find(sentence).filter(is_unfolded));
        if let (Some(found), false) = (found, exempt) {
            let words: Vec<_> = page.text[start..][found.range()].split_whitespace().collect();
            problems.push(page.problem(
                start + found.start(),
                format!(
                    "`{}` is a verdict that is typed: let {{{{#verdict}}}} give it, or say why it is none, \
                     <!-- no verdict: REASON -->",
                    words.join(" ")
                ),
            ));
        }
        start = end.end();
    }
    problems
}

/// What stands in the questions of a page.
fn unfolded(text: &str) -> Vec<Range<usize>> {
    let mut open = None;
    let mut blocks = Vec::new();
    for call in expand::calls(text) {
        match call.name() {
            "ask" => open = Some(call.range.end),
            "end" => blocks.extend(open.take().map(|start| start..call.range.start)),
            _ => {}
        }
    }
    blocks
}
