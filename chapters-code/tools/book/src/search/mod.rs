//! The search of the book, in place of mdBook's.
//!
//! mdBook's index holds the labels of figures and the lines of listings, takes `__shfl_down_sync` for one word, and is
//! several times as large as the text. The build writes another one over it: the sections of all pages, with their
//! sentences, and the script that finds words in them ([`search.js`](search.js)), which takes the place of elasticlunr's
//! index in mdBook's own search box. Entries of the glossary and rows about a construct of CUDA are sections of their own.
//! Under plain `mdbook build` the search is mdBook's.
//!
//! `book/search.toml` holds further words by which readers look for a section.

mod sections;
mod sentences;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use mdbook_driver::book::{Book, Chapter};
use serde_json::json;

use sections::Section;

use crate::address;

/// Finds the sections that a query is about; it is a part of the index's file, which a browser loads at the first search.
const SEARCHER: &str = include_str!("search.js");

/// The most bytes of the index's file.
const MOST: usize = 2_000_000;

/// How many results are shown at most.
const RESULTS: usize = 20;

/// Further words of sections, beside the pages.
const FURTHER: &str = "search.toml";

/// Writes the index of the built book over mdBook's, where there is one. `source` is the folder of the pages.
///
/// # Errors
/// What the file system says, or a section in `search.toml` that the book does not have.
pub(crate) fn write(built: &Path, source: &Path, book: &Book) -> Result<()> {
    let Some(file) = file(built)? else { return Ok(()) };
    let mut further = further(&source.join(FURTHER))?;
    let mut pages = Vec::new();
    let mut sections = Vec::new();
    for chapter in book.chapters() {
        let Some(path) = &chapter.path else { continue };
        let page = path.with_extension("html");
        let html = fs::read_to_string(built.join(&page))
            .with_context(|| format!("cannot read {}", page.display()))?;
        let address = address::of(&page);
        for section in sections::read(&html) {
            let words = further.remove(&format!("{address}#{}", section.anchor));
            sections.push(entry(pages.len(), &section, words.unwrap_or_default()));
        }
        pages.push(json!([address, chapter.name, group(chapter)]));
    }
    let nowhere: Vec<_> = further.into_keys().collect();
    ensure!(nowhere.is_empty(), "{FURTHER}: the book has no section {}", nowhere.join(", "));
    let data = json!({
        "results_options": { "limit_results": RESULTS, "teaser_word_count": 10_000 },
        "search_options": {},
        "doc_urls": addresses(&pages, &sections),
        "index": { "pages": pages, "sections": sections },
    });
    let text = format!("Object.assign(window.search, {data});\n{SEARCHER}");
    fs::write(&file, text).with_context(|| format!("cannot write {}", file.display()))
}

/// Checks the size of the index of the built book, and says how large it is.
///
/// # Errors
/// If the book has none, or it is too large.
pub fn check(built: &Path) -> Result<String> {
    let file = file(built)?.context("the built book has no search index")?;
    let bytes = fs::metadata(&file)?.len() as usize;
    ensure!(bytes <= MOST, "the search index has {bytes} bytes, and may have {MOST}");
    let text = fs::read_to_string(&file)?;
    ensure!(text.ends_with(SEARCHER), "{} is not the book's own index", file.display());
    Ok(format!("the index has {} kB", bytes / 1000))
}

/// The file that mdBook loads as the index.
fn file(built: &Path) -> Result<Option<PathBuf>> {
    for entry in fs::read_dir(built).with_context(|| format!("cannot read {}", built.display()))? {
        let name = entry?.file_name();
        let name = name.to_string_lossy();
        if name.starts_with("searchindex") && name.ends_with(".js") {
            return Ok(Some(built.join(&*name)));
        }
    }
    Ok(None)
}

/// The further words of each section, by its address.
fn further(file: &Path) -> Result<BTreeMap<String, String>> {
    if !file.is_file() {
        return Ok(BTreeMap::new());
    }
    let text = fs::read_to_string(file)?;
    let words: BTreeMap<String, Vec<String>> =
        toml::from_str(&text).with_context(|| format!("cannot read {}", file.display()))?;
    Ok(words.into_iter().map(|(section, words)| (section, words.join(", "))).collect())
}

/// The chapter that a page belongs to, by its title in the sidebar.
fn group(chapter: &Chapter) -> &str {
    chapter.parent_names.first().map_or("", String::as_str)
}

/// A section as `search.js` reads it.
fn entry(page: usize, section: &Section, further: String) -> serde_json::Value {
    let Section { anchor, title, kind, names, sentences, words } = section;
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    json!([
        page,
        anchor,
        title,
        *kind as u8,
        [names.join(" "), further],
        sentences.join("\n"),
        words.join(" ")
    ])
}

fn addresses(pages: &[serde_json::Value], sections: &[serde_json::Value]) -> Vec<String> {
    let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    let address = |section: &serde_json::Value| {
        let page = section[0].as_u64().unwrap_or_default() as usize;
        match text(&section[1]).as_str() {
            "" => text(&pages[page][0]),
            anchor => format!("{}#{anchor}", text(&pages[page][0])),
        }
    };
    sections.iter().map(address).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn book() -> Book {
        let chapter = Chapter::new("Two", String::new(), "part/two.md", vec!["1 One".into()]);
        Book::new_with_items(vec![mdbook_driver::book::BookItem::Chapter(chapter)])
    }

    /// A built book of one page, and the folder of its sources.
    fn folder() -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a temporary folder");
        std::fs::create_dir(folder.path().join("part")).expect("a folder");
        let page = "<main><h1 id=\"two\">Two</h1><p>It says \"so\".</p></main>";
        std::fs::write(folder.path().join("part/two.html"), page).expect("a page");
        std::fs::write(folder.path().join("searchindex-12.js"), "mdBook's").expect("an index");
        folder
    }

    #[test]
    fn the_index_takes_the_place_of_mdbooks() {
        let folder = folder();
        assert!(check(folder.path()).is_err(), "mdBook's is not the book's own");
        write(folder.path(), folder.path(), &book()).expect("written");
        let text =
            std::fs::read_to_string(folder.path().join("searchindex-12.js")).expect("a file");
        assert!(text.contains(r#""doc_urls":["part/two.html#two"]"#), "{text}");
        assert!(text.contains(r#"[0,"two","Two",0,["",""],"It says \"so\".",""]"#), "{text}");
        assert!(text.contains(r#""pages":[["part/two.html","Two","1 One"]]"#), "{text}");
        check(folder.path()).expect("small enough");
    }

    #[test]
    fn further_words_belong_to_a_section() {
        let folder = folder();
        let further = |text: &str| {
            std::fs::write(folder.path().join(FURTHER), text).expect("a file");
            write(folder.path(), folder.path(), &book())
        };
        further("\"part/two.html#two\" = [\"a pair\", \"both\"]").expect("that section exists");
        let text =
            std::fs::read_to_string(folder.path().join("searchindex-12.js")).expect("a file");
        assert!(text.contains(r#"["","a pair, both"]"#), "{text}");
        let refused = further("\"part/two.html#three\" = [\"x\"]").expect_err("no such section");
        assert!(refused.to_string().contains("part/two.html#three"), "{refused}");
    }

    #[test]
    fn a_large_index_is_refused() {
        let folder = folder();
        let text = format!("{}{SEARCHER}", " ".repeat(MOST));
        std::fs::write(folder.path().join("searchindex-12.js"), text).expect("a file");
        let refused = check(folder.path()).expect_err("too large");
        assert!(refused.to_string().contains("2000000"), "{refused}");
    }
}
