//! No rate is typed into the prose. A rate, a time, a gain or a part of the peak is either drawn from
//! a recorded run by a directive, or marked for what it is: `{{#predict …}}` where nobody measured
//! it, `{{#published … cite=…}}` where somebody else did.

use std::ops::Range;
use std::sync::LazyLock;

use pulldown_cmark::{Event, Options, Parser, Tag};
use regex::Regex;

use crate::check::Page;
use crate::{Problem, expand};

/// Directives whose text is marked as what it is.
const MARKED: [&str; 2] = ["predict", "published"];

static RATE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?x) \d [\d.,]* \s* (?:
            [KMGT]? i? B/s \b                                               # 4.8 TB/s
          | (?: [mµμun]s | (?: milli | micro | nano ) seconds? ) \b         # 2.7 µs
          | (?: × | \\times ) \$? (?: \s* [^\s\d\\{] | \s* $ )              # 1.8×, but not 64 × 64
          | times \s+ (?: as \s+ fast | faster | slower )                   # 3 times faster
          | (?: % | \\%\$ ) \s+ of \s+ (?: the \s+ )? (?: theoretical \s+ )?
            (?: peak | ceiling | read \s+ sweep | copy )                    # 97 % of peak
        )",
    )
    .expect("the pattern is sound")
});

pub(super) fn check(page: &Page<'_>) -> Vec<Problem> {
    let prose = prose(page.text);
    let found = RATE.find_iter(&prose);
    let problem = |rate: regex::Match<'_>| {
        let words: Vec<_> = rate.as_str().split_whitespace().collect();
        page.problem(
            rate.start(),
            format!(
                "`{}` is typed: draw it from a recorded run ({{{{#measured …}}}}), or say that it is \
                 {{{{#predict …}}}}ed or {{{{#published … cite=…}}}}",
                words.join(" ")
            ),
        )
    };
    found.map(problem).collect()
}

/// `text` with blanks in place of code, comments and what is marked, so that offsets stay.
fn prose(text: &str) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for range in code(text)
        .chain(comments(text))
        .chain(expand::places(text, &MARKED))
    {
        for byte in &mut bytes[range] {
            if *byte != b'\n' {
                *byte = b' ';
            }
        }
    }
    // Whole characters have been blanked, never parts of one.
    String::from_utf8_lossy(&bytes).into_owned()
}

fn code(text: &str) -> impl Iterator<Item = Range<usize>> {
    let events = Parser::new_ext(text, Options::ENABLE_TABLES).into_offset_iter();
    events.filter_map(|(event, range)| {
        matches!(event, Event::Code(_) | Event::Start(Tag::CodeBlock(_))).then_some(range)
    })
}

fn comments(text: &str) -> impl Iterator<Item = Range<usize>> {
    text.match_indices("<!--").map(|(start, _)| {
        let end = text[start..].find("-->");
        start..end.map_or(text.len(), |length| start + length)
    })
}
