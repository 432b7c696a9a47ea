//! Every sentence that compares speed has a `{{#claim …}}`, so that a new recording cannot make it
//! wrong unnoticed. A question, a prediction and an exercise claim nothing. A sentence that rests on
//! something else, such as counts that a test asserts, a cited work or a proof, says so in its page:
//! `<!-- no claim: REASON -->`.

use std::collections::HashSet;
use std::sync::LazyLock;

use pulldown_cmark::{Event, Options, Parser, Tag};
use regex::Regex;

use super::rates::comments;
use crate::check::Page;
use crate::{Problem, expand};

/// What takes the place of code, headings, directives and comments.
const BLANK: u8 = 1;
const PREDICTION: &str = "**Prediction";
const EXERCISES: &str = "exercises.md";

static COMPARISON: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?xi) \b (?:
            faster | fastest | slower | slowest | quicker | quickest | speed-?up
          | as \s+ (?: fast | slow )
          | (?: twice | half | times | quarter | nearly | about | almost | hardly ) \s+ as \s+ long
          | as \s+ long \s+ again
          | (?: takes? | took ) \s+ (?: \w+ \s+ ){0,3} longer
          | (?: less | more ) \s+ time
          | (?: half | twice | thirds? | quarters? | part | times ) \s+ (?: of \s+ )? the \s+ (?: time | rate | speed )
          | (?: takes? | took | for | in | needs? ) \s+ (?: \w+ \s+ ){0,2} the \s+ \*? same \s+ time
          | (?: higher | lower | best | better | worse | highest | lowest | equal | same ) \s+
            (?: rates? | bandwidth | throughput )
          | outruns? | outran | beats? | beaten | wins? | won
          | lost \s+ to | loses? \s+ a \s+ little
          | gain (?: s | ed )?
          | (?: is | are | was | were | falls? | fell | far | well | still ) \s+ (?: ahead | behind )
          | ahead \s+ of \s+ (?: \x01 | CUB | cu | look-back | two | all | the \s+ (?: driver | rung | copy ) )
          | level \s+ with | (?: about | nearly ) \s+ level | on \s+ a \s+ par | keeps? \s+ up
          | of \s+ CUB's | times \s+ CUB
          | percent \s+ of \s+ (?: the \s+ )? (?: ceiling | peak | copy | read \s+ sweep )
          | than \s+ predicted | of \s+ the \s+ prediction
          | made \s+ (?: \w+ \s+ )? difference
          | differs? \s+ by \s+ (?: \w+ \s+ ){0,4} (?: milli | micro | nano ) seconds? | (?: within | than ) \s+ (?: half \s+ )? an? \s+ (?: milli | micro | nano ) second
          | (?: rate | rates | time | curve ) \s+ (?: is | are ) \s+ (?: nearly \s+ )? (?: flat | lower | higher | longer | shorter )
          | (?: (?-i: It ) | predictions? | law | ratio | half | bet ) \s+
            (?: held | failed | fails | does \s+ not \s+ hold | did \s+ not \s+ hold | is \s+ won )
        ) \b | \x01 \s* × \s+ CUB",
    )
    .expect("the pattern is sound")
});

/// What ends a sentence, with the directives that follow it: a full stop or a question mark, the end
/// of a paragraph, of a list's item or of a table's row.
pub(super) static END: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"[.!?][*_)"”]*(?:\s*\x01)*(?:\s+|\z)|\n[ \t]*\n\s*|\n[ \t]*[-|] |\z"#)
        .expect("the pattern is sound")
});

pub(super) fn check(page: &Page<'_>) -> Vec<Problem> {
    if page.name.file_name().is_some_and(|name| name == EXERCISES) {
        return Vec::new();
    }
    let prose = prose(page.text);
    let mut problems = Vec::new();
    let mut start = 0;
    for end in END.find_iter(&prose) {
        let sentence = &prose[start..end.start()];
        let written = &page.text[start..end.end()];
        let exempt = end.as_str().starts_with('?')
            || is_prediction(&prose, start)
            || written.contains("{{#claim")
            || written.contains("<!-- no claim: ");
        if let Some(at) = repeated(written) {
            let message = "this claim says again what another one behind this sentence says";
            problems.push(page.problem(start + at, message));
        }
        if let (Some(found), false) = (COMPARISON.find(sentence), exempt) {
            let words: Vec<_> = page.text[start..][found.range()].split_whitespace().collect();
            problems.push(page.problem(
                start + found.start(),
                format!(
                    "`{}` compares speed: put {{{{#claim VALUE < VALUE where …}}}} behind the sentence, \
                     or say on what else it rests, <!-- no claim: REASON -->",
                    words.join(" ")
                ),
            ));
        }
        start = end.end();
    }
    problems
}

/// Where a claim stands that another one of the same sentence contains: the same but for a number, so that one of the two is
/// of no use, or meant for another device.
fn repeated(sentence: &str) -> Option<usize> {
    let is_number = |word: &&str| word.trim_end_matches(['x', '%']).parse::<f64>().is_ok();
    let mut seen = HashSet::new();
    let mut claims = expand::calls(sentence).filter(|call| call.name() == "claim");
    let again = claims.find(|call| {
        let words = call.arguments().split_whitespace();
        !seen.insert(words.filter(|word| !is_number(word)).collect::<Vec<_>>())
    });
    again.map(|call| call.range.start)
}

/// Whether the paragraph in which byte `place` lies predicts.
fn is_prediction(prose: &str, place: usize) -> bool {
    let paragraph = prose[..place].rfind("\n\n").map_or(0, |end| end + 2);
    prose[paragraph..].starts_with(PREDICTION)
}

/// `text` with [`BLANK`]s in place of code, headings, directives and comments, so that offsets stay.
pub(super) fn prose(text: &str) -> String {
    let mut bytes = text.as_bytes().to_vec();
    let events = Parser::new_ext(text, Options::ENABLE_TABLES).into_offset_iter();
    let no_prose = events.filter_map(|(event, range)| {
        let is_prose = !matches!(
            event,
            Event::Code(_) | Event::Start(Tag::CodeBlock(_) | Tag::Heading { .. })
        );
        (!is_prose).then_some(range)
    });
    for range in no_prose.chain(comments(text)).chain(expand::ranges(text)) {
        bytes[range].iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = BLANK);
    }
    // Whole characters have been blanked, never parts of one.
    String::from_utf8_lossy(&bytes).into_owned()
}
