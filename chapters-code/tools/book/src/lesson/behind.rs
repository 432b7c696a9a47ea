//! What follows a question in its section, which waits for the reader's number as the answer does: a `<div>` that the
//! theme's script hides until then. Without the script, and in print, it is open.
//!
//! The section ends where the next heading of the same or of a higher level stands. There is no directive for that in a
//! page: [`with_ends`] puts one there.

use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag};

use crate::expand::calls;

/// What begins behind a question.
pub(super) const OPENING: &str = "<div class=\"behind\">\n";

/// The directive that ends so many of them.
pub(super) const END: &str = "behind_ends";

/// `text` with a directive at each place where sections end that hold questions. Lines keep their numbers.
pub(crate) fn with_ends(text: &str) -> String {
    let headings = Parser::new_ext(text, Options::ENABLE_TABLES | Options::ENABLE_MATH)
        .into_offset_iter()
        .filter_map(|(event, range)| match event {
            Event::Start(Tag::Heading { level, .. }) => Some((range.start, level)),
            _ => None,
        });
    let mut asks = calls(text).filter(|call| call.name() == "ask").map(|call| call.range.start);
    let mut next_ask = asks.next();
    let mut ended = String::with_capacity(text.len());
    let mut done = 0;
    // The levels of the sections with questions that are open, the innermost last.
    let mut open: Vec<HeadingLevel> = Vec::new();
    let mut level = HeadingLevel::H1;
    for (start, next) in headings {
        while next_ask.is_some_and(|ask| ask < start) {
            open.push(level);
            next_ask = asks.next();
        }
        let still_open = open.iter().take_while(|section| **section < next).count();
        if still_open < open.len() {
            ended.push_str(&text[done..start]);
            ended.push_str(&format!("{{{{#{END} {}}}}}", open.len() - still_open));
            done = start;
            open.truncate(still_open);
        }
        level = next;
    }
    let rest = open.len() + usize::from(next_ask.is_some()) + asks.count();
    ended.push_str(&text[done..]);
    if rest > 0 {
        ended.push_str(&format!("\n\n{{{{#{END} {rest}}}}}"));
    }
    ended
}

/// What ends so many of them, as HTML.
pub(super) fn close(count: &str) -> Result<String, String> {
    let count = count.parse().map_err(|_| format!("{END} is made by the build"))?;
    Ok(format!("{}\n", "\n</div>\n".repeat(count)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_section_ends_at_the_next_heading_of_its_level_or_above() {
        let ask = "{{#ask question=\"?\" answer=\"1\"}}\n1\n{{#end}}\n";
        let text = format!(
            "# T\n\n{ask}a\n\n## A\n\n{ask}b\n\n### Below\n\n{ask}c\n\n### Next\n\nd\n\n## B\n\ne\n"
        );
        let expected = format!(
            "# T\n\n{ask}a\n\n## A\n\n{ask}b\n\n### Below\n\n{ask}c\n\n{{{{#behind_ends 1}}}}### Next\n\nd\n\n\
             {{{{#behind_ends 1}}}}## B\n\ne\n\n\n{{{{#behind_ends 1}}}}"
        );
        assert_eq!(with_ends(&text), expected);
        assert_eq!(with_ends("# T\n\n## A\n"), "# T\n\n## A\n");
    }
}
