//! No rate is typed into the prose. A rate, a time, a gain or a part of the peak is either drawn from
//! a recorded run by a directive, or marked for what it is: `{{#predict …}}` if it was not measured
//! it, `{{#published … cite=…}}` where others did.

use std::ops::Range;
use std::sync::LazyLock;

use pulldown_cmark::{Event, Options, Parser, Tag};
use regex::Regex;

use crate::check::Page;
use crate::mathematics::{self, Part};
use crate::{Problem, expand};

/// Directives whose text is marked as what it is, or read by the build.
const MARKED: [&str; 5] = ["predict", "published", "verdict", "claim", "computed"];

static RATE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?x) \d [\d.,]* \s* (?:
            [KMGT]? i? B/s \b                                               # 4.8 TB/s
          | (?: [mun]s | [µμ]\s*s | (?: milli | micro | nano ) seconds? ) \b  # 2.7 µs
          | × \s* \$? (?: \s* [^\s\d\\{] | \s* $ )                        # 1.8×, but not 64 × 64
          | times \s+ (?: as \s+ fast | faster | slower )                   # 3 times faster
          | % \s* \$? \s+ of \s+ (?: the \s+ )? (?: theoretical \s+ )?
            (?: peak | ceiling | read \s+ sweep | copy )                    # 97 % of peak
        )",
    )
    .expect("the pattern is sound")
});

/// Whether `text` is a rate, a time, a gain or a part of the peak.
pub(crate) fn is_rate(text: &str) -> bool {
    RATE.is_match(text)
}

pub(super) fn check(page: &Page<'_>) -> Vec<Problem> {
    let prose = prose(page.text);
    let found = RATE.find_iter(&prose);
    let problem = |rate: regex::Match<'_>| {
        let written = page.text.get(rate.range()).unwrap_or(rate.as_str());
        let words: Vec<_> = written.split_whitespace().collect();
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

/// `text` with blanks in place of code, comments and what is marked, and with formulas in plain
/// words, so that offsets stay.
fn prose(text: &str) -> String {
    let mut bytes = with_plain_formulas(text).into_bytes();
    let code = code(text).map(|(range, _)| range);
    let marked = expand::places(text, &MARKED).chain(predictions(text));
    for range in code.chain(comments(text)).chain(marked) {
        for byte in &mut bytes[range] {
            if *byte != b'\n' {
                *byte = b' ';
            }
        }
    }
    // Whole characters have been blanked, never parts of one.
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Where questions state the book's own predictions.
fn predictions(text: &str) -> impl Iterator<Item = Range<usize>> {
    const KEY: &str = "prediction=\"";
    let asks = expand::calls(text).filter(|call| call.name() == "ask").map(|call| call.range);
    asks.filter_map(move |ask| {
        let start = ask.start + text[ask.clone()].find(KEY)? + KEY.len();
        Some(start..start + text[start..ask.end].find('"')?)
    })
}

/// `text` with each formula as it is read: `4.8\,\mathrm{TB/s}` as `4.8        TB/s `. Lengths stay.
fn with_plain_formulas(text: &str) -> String {
    let mut plain = text.to_owned();
    for (start, part) in mathematics::parts(text) {
        if let Part::Formula(formula, _) = part {
            plain.replace_range(start..start + formula.len(), &plain_formula(formula));
        }
    }
    plain
}

/// What LaTeX has around and between what is read. A sign of multiplication at a formula's end says how
/// often; one in the middle multiplies.
static LATEX: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?<gain>\\times\s*$)|(?<micro>\\mu\b)|(?<percent>\\%)|(?<group>\{,\})|\\[A-Za-z]+|\\[,;:! ]|[{}~]")
        .expect("the pattern is sound")
});

fn plain_formula(formula: &str) -> String {
    let read = |latex: &regex::Captures<'_>| {
        let signs = [("gain", "×"), ("micro", "µ"), ("percent", "%"), ("group", ",,,")];
        let sign = signs.iter().find(|(name, _)| latex.name(name).is_some());
        let sign = sign.map_or("", |(_, sign)| sign);
        format!("{sign}{}", " ".repeat(latex[0].len() - sign.len()))
    };
    LATEX.replace_all(formula, read).into_owned()
}

/// Where code stands in `text`, and whether it stands in a line of prose.
pub(crate) fn code(text: &str) -> impl Iterator<Item = (Range<usize>, bool)> {
    let events = Parser::new_ext(text, Options::ENABLE_TABLES).into_offset_iter();
    events.filter_map(|(event, range)| match event {
        Event::Code(_) => Some((range, true)),
        Event::Start(Tag::CodeBlock(_)) => Some((range, false)),
        _ => None,
    })
}

pub(super) fn comments(text: &str) -> impl Iterator<Item = Range<usize>> {
    text.match_indices("<!--").map(|(start, _)| {
        let end = text[start..].find("-->");
        start..end.map_or(text.len(), |length| start + length)
    })
}
