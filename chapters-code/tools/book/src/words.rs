//! How much there is to read: the words of each page by depth, and the limits that the main path keeps.
//!
//! The **main path** of a chapter is what stands under it in `SUMMARY.md`; what stands there under a group called *Deeper*
//! is for a second reading. Words are those of the running text, headings, lists, tables, captions and questions; an
//! inline code, a formula and a figure from a recording are one word each. Listings, programs' output, pictures and
//! comments have none, nor has what a directive lists (exercises, predictions). **Folded** are the answers to questions,
//! asides, and notes for teachers; what unfolds behind a prediction is read by everybody and counts as open.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use mdbook_driver::MDBook;
use mdbook_driver::book::{Book, BookItem, Chapter};
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use crate::expand::{Call, calls, words};

/// The name of the group in `SUMMARY.md` whose pages are not of the main path.
const DEEPER: &str = "Deeper";

/// The most open words of a page of the main path.
const PAGE: usize = 1_500;

/// The most open words of a chapter's main path.
const CHAPTER: usize = 7_000;

/// The same of a chapter that only prepares, or concludes.
const SHORT_CHAPTER: usize = 5_000;

/// The chapters that are short.
const SHORT: [&str; 1] = ["chapter_0_setup"];

/// The chapters that keep the limits already.
const HELD: [&str; 9] = [
    "chapter_0_setup",
    "chapter_1_reduce",
    "chapter_2_histogram",
    "chapter_3_scan",
    "chapter_4_compact",
    "chapter_5_segmented_scan",
    "chapter_6_transpose",
    "chapter_7_coalescing",
    "chapter_8_multi_gpu",
];

/// On a page of the main path there are at least as many times more open words than folded ones.
const OPEN_PER_FOLDED: usize = 3;

/// Where a page stands in the book.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Depth {
    Main,
    Deeper,
    /// A page of no chapter.
    Appendix,
}

/// Whether a page stands in the group *Deeper* of its chapter.
pub(crate) fn is_deeper(chapter: &Chapter) -> bool {
    chapter.parent_names.iter().any(|name| name == DEEPER)
}

/// The words of a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Words {
    open: usize,
    folded: usize,
}

/// A page and how much there is to read.
#[derive(Debug)]
struct Page {
    path: PathBuf,
    depth: Depth,
    words: Words,
}

impl Page {
    fn of(path: &Path, chapter: &Chapter) -> Self {
        let depth = match path.parent() {
            None => Depth::Appendix,
            Some(folder) if folder.as_os_str().is_empty() => Depth::Appendix,
            Some(_) if is_deeper(chapter) => Depth::Deeper,
            Some(_) => Depth::Main,
        };
        Self { path: path.to_path_buf(), depth, words: count(&chapter.content) }
    }

    /// The folder of its chapter, or nothing.
    fn chapter(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new(""))
    }

    /// What of the limits it breaks.
    fn fault(&self) -> Option<String> {
        let Words { open, folded } = self.words;
        let path = self.path.display();
        if self.depth != Depth::Main {
            None
        } else if open > PAGE {
            Some(format!("{path}: {open} open words; a page of the main path has at most {PAGE}"))
        } else if folded * OPEN_PER_FOLDED > open {
            Some(format!("{path}: {folded} folded words beside {open} open ones; at most a third"))
        } else {
            None
        }
    }
}

/// Counts the words of the book of `root`, as a table.
///
/// # Errors
/// If it cannot be read.
pub fn table(root: &Path) -> Result<String> {
    let mut text = format!("{:>8} {:>8}  depth     page\n", "open", "folded");
    let mut line = |words: Words, depth: &str, name: String| {
        let _ = writeln!(text, "{:8} {:8}  {depth:8}  {name}", words.open, words.folded);
    };
    let pages = pages(root)?;
    for pages in pages.chunk_by(|a, b| a.chapter() == b.chapter()) {
        for page in pages {
            line(page.words, page.depth.name(), page.path.display().to_string());
        }
        for depth in [Depth::Main, Depth::Deeper] {
            let of_depth = sum(pages, depth);
            if of_depth != Words::default() {
                line(of_depth, depth.name(), format!("{}: in all", pages[0].chapter().display()));
            }
        }
    }
    for depth in [Depth::Main, Depth::Deeper, Depth::Appendix] {
        line(sum(&pages, depth), depth.name(), "the book".to_owned());
    }
    Ok(text)
}

/// What of the main path of the book in `root` is too long, a line each.
///
/// # Errors
/// If the book cannot be read.
pub fn faults(root: &Path) -> Result<Vec<String>> {
    let mut pages = pages(root)?;
    pages.retain(|page| HELD.iter().any(|held| page.chapter().ends_with(held)));
    let mut faults: Vec<String> = pages.iter().filter_map(Page::fault).collect();
    for pages in pages.chunk_by(|a, b| a.chapter() == b.chapter()) {
        let chapter = pages[0].chapter();
        let limit = match SHORT.iter().any(|short| chapter.ends_with(short)) {
            true => SHORT_CHAPTER,
            false => CHAPTER,
        };
        let open = sum(pages, Depth::Main).open;
        if open > limit {
            let name = chapter.display();
            faults.push(format!("{name}: {open} open words on its main path; at most {limit}"));
        }
    }
    Ok(faults)
}

impl Depth {
    fn name(self) -> &'static str {
        match self {
            Depth::Main => "main",
            Depth::Deeper => "deeper",
            Depth::Appendix => "appendix",
        }
    }
}

/// The words of all pages of a depth.
fn sum(pages: &[Page], depth: Depth) -> Words {
    let words = pages.iter().filter(|page| page.depth == depth).map(|page| page.words);
    words.fold(Words::default(), |sum, words| Words {
        open: sum.open + words.open,
        folded: sum.folded + words.folded,
    })
}

/// The pages of the book of `root`, in its order.
fn pages(root: &Path) -> Result<Vec<Page>> {
    let book = MDBook::load(root)
        .with_context(|| format!("cannot load the book of {}", root.display()))?;
    Ok(of_book(&book.book))
}

fn of_book(book: &Book) -> Vec<Page> {
    let page = |item: &BookItem| match item {
        BookItem::Chapter(chapter) => Some(Page::of(chapter.source_path.as_deref()?, chapter)),
        BookItem::Separator | BookItem::PartTitle(_) => None,
    };
    book.iter().filter_map(page).collect()
}

/// The words of a page's Markdown.
fn count(text: &str) -> Words {
    let mut found = Words::default();
    let mut done = 0;
    let mut is_folded = false;
    let mut piece = String::new();
    for call in calls(text) {
        piece.push_str(&text[done..call.range.start]);
        done = call.range.end;
        let folds = match call.name() {
            "answer" | "aside" | "teachers" => true,
            "end" | "question" => false,
            _ => {
                piece.push_str(&stand_in(&call));
                continue;
            }
        };
        found.add(is_folded, of_markdown(&piece));
        piece.clear();
        is_folded = folds;
    }
    piece.push_str(&text[done..]);
    found.add(is_folded, of_markdown(&piece));
    found
}

impl Words {
    fn add(&mut self, is_folded: bool, count: usize) {
        match is_folded {
            true => self.folded += count,
            false => self.open += count,
        }
    }
}

/// What a reader reads in place of a directive: its words, or one word in a sentence.
fn stand_in(call: &Call<'_>) -> String {
    let arguments = words(call.arguments()).unwrap_or_default();
    let given = |key: &str| arguments.iter().find_map(|word| word.strip_prefix(key));
    let said = given("caption=").or(given("question="));
    match (call.name(), said) {
        (_, Some(said)) => format!("\n\n{said}\n\n"),
        ("measured" | "computed" | "cite" | "term" | "predict" | "published" | "verdict", None) => {
            "figure".to_owned()
        }
        _ => String::new(),
    }
}

/// The words of Markdown that has no directives.
fn of_markdown(text: &str) -> usize {
    let options = Options::ENABLE_TABLES | Options::ENABLE_MATH | Options::ENABLE_DEFINITION_LIST;
    let mut is_listing = false;
    let mut count = 0;
    for event in Parser::new_ext(text, options) {
        match event {
            Event::Start(Tag::CodeBlock(_)) => is_listing = true,
            Event::End(TagEnd::CodeBlock) => is_listing = false,
            Event::Text(text) if !is_listing => count += words_of(&text),
            Event::Code(_) | Event::InlineMath(_) | Event::DisplayMath(_) => count += 1,
            _ => {}
        }
    }
    count
}

fn words_of(text: &str) -> usize {
    text.split_whitespace().filter(|word| word.contains(char::is_alphanumeric)).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_those_that_are_read() {
        let text = "# A title\n\nThe rate is {{#measured gb_per_s kernel=a}}, `a + b`, $x + 1$.<!-- not this -->\n\n\
                    ```c\nint not_this;\n```\n\n{{#figure tree kernel=a caption=\"three more words\"}}\n";
        // 2 of the title, 3 of the text, a figure, a code, a formula, 3 of the caption.
        assert_eq!(count(text), Words { open: 11, folded: 0 });
    }

    #[test]
    fn answers_asides_and_notes_are_folded_and_predictions_are_not() {
        let text = "{{#question}}\none\n{{#answer}}\none two\n{{#end}}\n\n{{#aside Title}}\nthree\n{{#end}}\n\n\
                    {{#ask unit=\"×\" question=\"how many?\" answer=\"2\"}}\nfour five\n{{#end}}\n\n\
                    {{#teachers minutes=5}}\nsix\n{{#end}}\nopen\n";
        assert_eq!(count(text), Words { open: 6, folded: 4 });
    }

    #[test]
    fn a_long_page_of_the_main_path_is_a_fault_and_a_deeper_one_is_not() {
        let page = |depth, open, folded| Page {
            path: PathBuf::from("chapter_1_reduce/a.md"),
            depth,
            words: Words { open, folded },
        };
        assert_eq!(page(Depth::Main, PAGE, PAGE / 3).fault(), None);
        assert!(page(Depth::Main, PAGE + 1, 0).fault().is_some());
        assert!(page(Depth::Main, 300, 101).fault().is_some());
        assert_eq!(page(Depth::Deeper, PAGE + 1, PAGE).fault(), None);
    }
}
