//! Where a page stands in the book, written into the built pages, for readers without JavaScript and for what shows a link
//! to a page: the chapter in the title and above the heading, and the names of the pages before and after. Pages that mdBook
//! has built by itself lack all this.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use mdbook_driver::book::{Book, BookItem, Chapter};
use regex::{Captures, Regex};

use crate::address::{self, attribute, up};

/// The setting that names the address below which the book will be found, if that is known.
pub(crate) const ADDRESS: &str = "preprocessor.directives.address";

/// What mdBook writes around the links to the page before and the one after, beside the text and below it.
static TURNS: LazyLock<Regex> = LazyLock::new(|| {
    let link =
        r#"(?s)<a rel="(prev|next)[^"]*"[^>]*? class="(?:mobile-)?nav-chapters [^>]*>.*?</a>"#;
    Regex::new(link).expect("a pattern")
});

/// What mdBook calls them.
static UNNAMED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"title="(Previous|Next) chapter" aria-label="[^"]*""#).expect("a pattern")
});

/// A page and where it stands.
#[derive(Debug, PartialEq, Eq)]
struct Place {
    /// The built page, relative to the book.
    file: PathBuf,
    name: String,
    /// None for a page of no chapter, and for a chapter of one page.
    chapter: Option<Way>,
}

/// The way to a page of a chapter.
#[derive(Debug, PartialEq, Eq)]
struct Way {
    /// The name of the chapter's first page.
    name: String,
    /// That page, relative to the book.
    first: PathBuf,
    /// The page's number in the chapter, from 1 on.
    number: usize,
    /// How many pages the chapter has.
    of: usize,
}

/// Writes into each page of the book that is built in `built` where it stands. `address` is where the book will be found.
///
/// # Errors
/// What the file system says.
pub(crate) fn mark(book: &Book, built: &Path, address: Option<&str>) -> io::Result<()> {
    let address = address.filter(|address| address.starts_with("http"));
    let places = places(book);
    for (index, place) in places.iter().enumerate() {
        let before = index.checked_sub(1).map(|before| &places[before]);
        let after = places.get(index + 1);
        let mut files = vec![place.file.as_path()];
        // mdBook writes the first page twice.
        if before.is_none() && place.file != Path::new("index.html") {
            files.push(Path::new("index.html"));
        }
        for file in files {
            let path = built.join(file);
            let mut html = place.mark(&fs::read_to_string(&path)?, before, after);
            if let Some(address) = address {
                html = found_at(&html, address, file);
            }
            fs::write(path, html)?;
        }
    }
    Ok(())
}

/// The pages of a book that have a file, in order.
fn places(book: &Book) -> Vec<Place> {
    book.items.iter().flat_map(of_item).collect()
}

/// The pages that stand at or below an item of the summary.
fn of_item(item: &BookItem) -> Vec<Place> {
    let BookItem::Chapter(top) = item else {
        return Vec::new();
    };
    let mut pages = Vec::new();
    collect(top, &mut pages);
    let place = |(index, (file, name)): (usize, &(PathBuf, String))| {
        let (first, chapter) = &pages[0];
        let way =
            Way { name: chapter.clone(), first: first.clone(), number: index + 1, of: pages.len() };
        let chapter = (pages.len() > 1).then_some(way);
        Place { file: file.clone(), name: name.clone(), chapter }
    };
    pages.iter().enumerate().map(place).collect()
}

/// Adds a page and those below it, each with its file and its name.
fn collect(chapter: &Chapter, pages: &mut Vec<(PathBuf, String)>) {
    if let Some(path) = &chapter.path {
        pages.push((path.with_extension("html"), chapter.name.clone()));
    }
    for item in &chapter.sub_items {
        if let BookItem::Chapter(below) = item {
            collect(below, pages);
        }
    }
}

impl Place {
    /// The page's HTML, with where it stands.
    fn mark(&self, html: &str, before: Option<&Place>, after: Option<&Place>) -> String {
        let name_of = |turn: &Captures<'_>| match &turn[1] {
            "prev" => before,
            _ => after,
        };
        let turn = |turn: &Captures<'_>| match name_of(turn) {
            Some(place) => named(&turn[0], &place.name),
            None => turn[0].to_owned(),
        };
        let html = TURNS.replace_all(html, turn);
        match &self.chapter {
            Some(way) => way.mark(&html, &self.file),
            None => html.into_owned(),
        }
    }
}

/// A link to the page before or after, with the page's name.
fn named(link: &str, name: &str) -> String {
    let name = attribute(name);
    let labelled = |unnamed: &Captures<'_>| {
        format!("title=\"{0}: {name}\" aria-label=\"{0}: {name}\"", &unnamed[1])
    };
    let link = UNNAMED.replace(link, labelled);
    link.replacen("</a>", &format!("<span class=\"name\">{name}</span></a>"), 1)
}

impl Way {
    /// The HTML of the page in `file`, with the chapter in its title and above its heading.
    fn mark(&self, html: &str, file: &Path) -> String {
        const MAIN: &str = "<main>";
        let (name, first) = (attribute(&self.name), address::of(&self.first));
        let way = format!(
            "{MAIN}\n<p class=\"breadcrumb\"><a href=\"{}{first}\">{name}</a> › {} of {}</p>",
            up(file),
            self.number,
            self.of
        );
        let html = html.replacen(MAIN, &way, 1);
        match self.number {
            1 => html,
            _ => retitled(&html, &name),
        }
    }
}

/// A page's HTML, with the name of a chapter in its title and in the title that is shown with links to it.
fn retitled(html: &str, chapter: &str) -> String {
    let title = html.split_once("<title>").and_then(|(_, rest)| rest.split_once("</title>"));
    let Some((title, _)) = title else {
        return html.to_owned();
    };
    let longer = match title.rsplit_once(" - ") {
        Some((name, book)) => format!("{name} – {chapter} - {book}"),
        None => format!("{title} – {chapter}"),
    };
    let html = html.replacen(&format!("<title>{title}<"), &format!("<title>{longer}<"), 1);
    html.replacen(&shown("title", title), &shown("title", &longer), 1)
}

/// A page's HTML, with whole addresses for what shows a link to it: a part of one means nothing elsewhere.
fn found_at(html: &str, address: &str, file: &Path) -> String {
    const IMAGE: &str = "<meta property=\"og:image\" content=\"";
    let address = attribute(address);
    let whole = format!(
        "{}\n        {IMAGE}{address}",
        shown("url", &(address.clone() + &address::of(file)))
    );
    html.replacen(&format!("{IMAGE}{}", up(file)), &whole, 1)
}

/// A property of a page for what shows a link to it, as the theme writes it.
fn shown(name: &str, value: &str) -> String {
    format!("<meta property=\"og:{name}\" content=\"{value}\">")
}
