//! The rows of the appendix, and the links to them: the first inline code of a page that uses the word of a row leads
//! there, and shows the first sentence of its explanation. The words are the inline code of a row's first cell. A row
//! whose first cell has the comment `not linked` has words that mean something else on the pages.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::ops::Range;
use std::path::Path;

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use regex::Regex;

use super::PAGE;
use crate::glossary::{first_sentence, linked};
use crate::{Problem, prose};

/// The remark of a row whose words mean other things too.
const NOT_LINKED: &str = "not linked";

/// What the ids of rows begin with: the page that holds the whole book has the ids of all pages.
const PREFIX: &str = "cuda-";

/// The rows of the appendix, and a pattern of their words.
#[derive(Debug, Default)]
pub(crate) struct Rows {
    rows: Vec<Row>,
    /// Without words there is no pattern.
    pattern: Option<Regex>,
}

/// A row that pages link to.
#[derive(Debug, Default, PartialEq, Eq)]
struct Row {
    words: Vec<String>,
    /// Where its first word stands in the appendix.
    at: usize,
    explanation: String,
}

impl Row {
    fn id(&self) -> String {
        let word = self.words.first().map_or("", String::as_str);
        let kept = word.chars().filter_map(|letter| match letter {
            letter if letter.is_alphanumeric() || letter == '_' => Some(letter),
            letter if letter.is_whitespace() => Some('-'),
            _ => None,
        });
        PREFIX.chars().chain(kept).collect()
    }
}

impl Rows {
    /// The rows of `text`, the content of the appendix, which is called `page` in messages.
    ///
    /// # Errors
    /// The rows whose explanation cannot be shown on a page.
    pub(crate) fn read(page: &Path, text: &str) -> Result<Self, Vec<Problem>> {
        let (mut rows, mut problems) = (Vec::new(), Vec::new());
        for (row, cell) in cells(text) {
            match first_sentence(text[cell.clone()].trim()) {
                Ok(explanation) => rows.push(Row { explanation, ..row }),
                Err(message) => problems.push(Problem::at(page, text, cell.start, message)),
            }
        }
        match problems.is_empty() {
            true => Ok(Self { pattern: pattern(&rows), rows }),
            false => Err(problems),
        }
    }

    /// `text`, the content of the appendix, with a place in each row that links lead to.
    pub(crate) fn with_places(&self, text: &str) -> String {
        let mut placed = String::with_capacity(text.len());
        let mut done = 0;
        for row in &self.rows {
            placed.push_str(&text[done..row.at]);
            let _ = write!(placed, "<span id=\"{}\"></span>", row.id());
            done = row.at;
        }
        placed + &text[done..]
    }

    /// `text`, the content of the page at `path` in the book's source folder, with the first use of each word in inline
    /// code as a link.
    pub(crate) fn mark(&self, path: &Path, text: &str) -> String {
        let mut seen = BTreeSet::new();
        let mut marked = String::with_capacity(text.len());
        let mut done = 0;
        for (range, code) in prose::codes(text) {
            if let Some(html) = self.with_links(path, &code, &mut seen) {
                marked.push_str(&text[done..range.start]);
                marked.push_str(&html);
                done = range.end;
            }
        }
        marked + &text[done..]
    }

    /// Inline code as HTML, if it uses a word that the page has not used before.
    fn with_links(&self, path: &Path, code: &str, seen: &mut BTreeSet<String>) -> Option<String> {
        let mut html = String::new();
        let mut done = 0;
        for word in self.pattern.as_ref()?.find_iter(code) {
            if is_whole(code, word.range()) && seen.insert(word.as_str().to_owned()) {
                let owns = |row: &&Row| row.words.iter().any(|own| own == word.as_str());
                let row = self.rows.iter().find(owns)?;
                html.push_str(&escaped(&code[done..word.start()]));
                let shown = escaped(word.as_str());
                html.push_str(&linked(path, PAGE, &row.id(), &row.explanation, &shown));
                done = word.end();
            }
        }
        (done > 0).then(|| format!("<code>{html}{}</code>", escaped(&code[done..])))
    }
}

/// The rows of the tables of `text` that have words, each with the place of its second cell.
fn cells(text: &str) -> Vec<(Row, Range<usize>)> {
    let mut rows = Vec::new();
    let mut row = Row::default();
    let mut is_linked = true;
    let mut cell = None;
    for (event, range) in Parser::new_ext(text, Options::ENABLE_TABLES).into_offset_iter() {
        match (event, cell) {
            (Event::Start(Tag::TableRow), _) => {
                (row, is_linked, cell) = (Row::default(), true, Some(0));
            }
            (Event::Code(word), Some(0)) if word.contains(char::is_alphabetic) => {
                if row.words.is_empty() {
                    row.at = range.start;
                }
                row.words.push(word.into_string());
            }
            (Event::InlineHtml(comment), Some(0)) => is_linked &= !comment.contains(NOT_LINKED),
            (Event::End(TagEnd::TableCell), Some(0)) => cell = Some(1),
            (Event::End(TagEnd::TableCell), Some(_)) => {
                if is_linked && !row.words.is_empty() {
                    rows.push((std::mem::take(&mut row), range));
                }
                cell = None;
            }
            _ => {}
        }
    }
    rows
}

/// A pattern of all words. Longer ones come first.
fn pattern(rows: &[Row]) -> Option<Regex> {
    let mut words: Vec<&String> = rows.iter().flat_map(|row| &row.words).collect();
    words.sort_by_key(|word| std::cmp::Reverse(word.len()));
    let words: Vec<String> = words.into_iter().map(|word| regex::escape(word)).collect();
    (!words.is_empty()).then(|| Regex::new(&words.join("|")).ok()).flatten()
}

/// Whether what stands in `range` is no part of a longer word.
fn is_whole(code: &str, range: Range<usize>) -> bool {
    let is_letter = |letter: char| letter.is_alphanumeric() || letter == '_';
    let (word, before) = (&code[range.clone()], &code[..range.start]);
    let continues = word.ends_with(is_letter) && code[range.end..].starts_with(is_letter);
    !before.ends_with(is_letter) && !continues
}

/// `code` as HTML in which Markdown reads nothing.
fn escaped(code: &str) -> String {
    let mut html = String::with_capacity(code.len());
    for letter in code.chars() {
        match letter {
            mark if mark.is_ascii_punctuation() => {
                let _ = write!(html, "&#{};", u32::from(mark));
            }
            other => html.push(other),
        }
    }
    html
}
