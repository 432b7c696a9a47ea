//! What the printed book begins with: a cover, and the contents with the number of each page.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use std::sync::LazyLock;

use anyhow::{Context, Result, ensure};
use figures::page::escape;
use mdbook_driver::book::{Book, BookItem};
use mdbook_driver::config::BookConfig;
use regex::Regex;

/// What mdBook puts between two pages of the book where it prints all of them.
const BREAK: &str = r#"<div style="break-before: page; page-break-before: always;"></div>"#;

/// What stands before the first of them.
const MAIN: &str = "<main>";

const LICENCES: &str =
    "Prose and figures: CC BY 4.0. Code: MIT or Apache 2.0, at your choice. KaTeX's fonts: MIT.";

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

static HEADING: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r#"<h1[^>]*\bid="([^"]*)""#).expect("a pattern"));

/// A cover and the contents.
#[derive(Debug)]
pub(super) struct Front {
    cover: String,
    entries: Vec<Entry>,
}

/// A line of the contents.
#[derive(Debug, PartialEq, Eq)]
struct Entry {
    depth: usize,
    name: String,
    /// The anchor of the page's heading, or none for a group that has no page.
    anchor: Option<String>,
}

impl Front {
    /// The front of a book with these settings and of this date. `print` has all of its pages.
    ///
    /// # Errors
    /// If there are other pages than the book has.
    pub(super) fn of(config: &BookConfig, book: &Book, date: &str, print: &str) -> Result<Self> {
        let mut anchors = anchors(print)?.into_iter();
        let mut entries = Vec::new();
        for item in book.iter() {
            if let BookItem::Chapter(chapter) = item {
                let anchor = match &chapter.path {
                    Some(path) => {
                        let lacks = || format!("{} is not among the printed pages", path.display());
                        Some(anchors.next().with_context(lacks)?)
                    }
                    None => None,
                };
                let (depth, name) = (chapter.parent_names.len(), chapter.name.clone());
                entries.push(Entry { depth, name, anchor });
            }
        }
        ensure!(anchors.next().is_none(), "more pages are printed than the book has");
        Ok(Self { cover: cover(config, date), entries })
    }

    /// `print` with the front before its pages. `numbers` has the page of each anchor that is known.
    pub(super) fn before(&self, print: &str, numbers: &HashMap<String, usize>) -> String {
        let contents = self.contents(numbers);
        print.replacen(MAIN, &format!("{MAIN}\n{}{contents}{BREAK}\n", self.cover), 1)
    }

    fn contents(&self, numbers: &HashMap<String, usize>) -> String {
        let mut html = "<section class=\"contents\">\n<h1>Contents</h1>\n<div>\n".to_owned();
        for Entry { depth, name, anchor } in &self.entries {
            let name = escape(name);
            let line = match anchor {
                Some(anchor) => {
                    let number = numbers.get(anchor).map(|page| format!(" data-page=\"{page}\""));
                    format!("<a href=\"#{anchor}\"{}>{name}</a>", number.unwrap_or_default())
                }
                None => name,
            };
            let _ = writeln!(html, "<p class=\"depth-{depth}\">{line}</p>");
        }
        html + "</div>\n</section>\n"
    }
}

fn cover(config: &BookConfig, date: &str) -> String {
    let line = |class: &str, text: &str| format!("<p class=\"{class}\">{}</p>\n", escape(text));
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    let version = format!("Version {}, {date}", env!("CARGO_PKG_VERSION"));
    let lines = [
        line("name", &text(&config.title)),
        line("about", &text(&config.description)),
        line("authors", &config.authors.join(", ")),
        line("date", &version),
        line("licence", LICENCES),
    ];
    format!("<section class=\"cover\">\n{}</section>\n", lines.concat())
}

/// The anchors of the headings of all pages, in order.
fn anchors(print: &str) -> Result<Vec<String>> {
    let (_, pages) = print.split_once(MAIN).context("the printed pages have no beginning")?;
    let anchor = |page: &str| {
        let heading = HEADING.captures(page).context("a printed page has no heading")?;
        Ok(heading[1].to_owned())
    };
    pages.split(BREAK).map(anchor).collect()
}

/// The date of the project in `root`: that of the newest commit or, without its history, of the newest release.
///
/// # Errors
/// If neither is known.
pub(super) fn date(root: &Path) -> Result<String> {
    let mut git = Command::new("git");
    let log = git.arg("-C").arg(root).args(["log", "-1", "--format=%cs"]).output();
    let committed = log.ok().filter(|log| log.status.success());
    let committed = committed.map(|log| String::from_utf8_lossy(&log.stdout).trim().to_owned());
    let date = match committed.filter(|date| !date.is_empty()) {
        Some(date) => date,
        None => {
            let citation = std::fs::read_to_string(root.join("CITATION.cff"))?;
            let date = citation.lines().find_map(|line| line.strip_prefix("date-released: "));
            date.context("neither git nor CITATION.cff has a date")?.to_owned()
        }
    };
    Ok(in_words(&date).unwrap_or(date))
}

/// `2026-01-31` as `31 January 2026`.
fn in_words(date: &str) -> Option<String> {
    let mut parts = date.split('-').map(str::parse::<usize>);
    let mut next = || parts.next()?.ok();
    let (year, month, day) = (next()?, next()?, next()?);
    Some(format!("{day} {} {year}", MONTHS.get(month.checked_sub(1)?)?))
}

#[cfg(test)]
mod tests {
    use mdbook_driver::book::Chapter;

    use super::*;

    fn book() -> Book {
        let mut top = Chapter::new("A & b", String::new(), "a.md", Vec::new());
        let group = Chapter::new_draft("Deeper", vec!["A & b".to_owned()]);
        top.sub_items.push(BookItem::Chapter(group));
        let other = Chapter::new("C", String::new(), "c.md", Vec::new());
        Book::new_with_items(vec![BookItem::Chapter(top), BookItem::Chapter(other)])
    }

    fn front(print: &str) -> Result<Front> {
        let mut config = BookConfig::default();
        config.title = Some("T".to_owned());
        config.authors = vec!["X".to_owned(), "Y".to_owned()];
        Front::of(&config, &book(), "31 January 2026", print)
    }

    #[test]
    fn a_cover_and_the_contents_come_first() {
        let print =
            format!("<main><h1 id=\"a\">A</h1>{BREAK}<div><h1 class=\"x\" id=\"c\"></div></main>");
        let front = front(&print).expect("two pages");
        let whole = front.before(&print, &HashMap::from([("c".to_owned(), 7)]));
        let (first, rest) = whole.split_once(BREAK).expect("a break behind the contents");
        for expected in [
            "<p class=\"name\">T</p>",
            "<p class=\"authors\">X, Y</p>",
            ", 31 January 2026</p>",
            "<p class=\"depth-0\"><a href=\"#a\">A &amp; b</a></p>",
            "<p class=\"depth-1\">Deeper</p>",
            "<a href=\"#c\" data-page=\"7\">C</a>",
        ] {
            assert!(first.contains(expected), "{expected}: {first}");
        }
        assert!(rest.starts_with("\n<h1 id=\"a\">"), "{rest}");
    }

    #[test]
    fn other_pages_than_the_books_are_refused() {
        let page = "<h1 id=\"a\">";
        for print in [format!("<main>{page}"), format!("<main>{page}{BREAK}{page}{BREAK}{page}")] {
            front(&print).expect_err("one page, or three");
        }
    }

    #[test]
    fn a_date_is_in_words() {
        assert_eq!(in_words("2026-01-31").as_deref(), Some("31 January 2026"));
        assert_eq!(in_words("2026-13-31"), None);
        assert_eq!(in_words("soon"), None);
    }
}
