//! What the pages of this book must have none of, counted.

use std::fs;
use std::path::{Path, PathBuf};

use book::Problem;
use book::check::{Page, check_for_release, check_page};

use crate::whole_book::repository;

/// All pages below `folder`.
fn pages(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(pages(&path));
        } else if path.extension().is_some_and(|extension| extension == "md") {
            found.push(path);
        }
    }
    found
}

/// The pages of this book.
pub(crate) fn pages_of_book() -> Vec<PathBuf> {
    let pages = pages(&repository().join("book"));
    assert!(pages.len() > 10, "these are not the pages: {pages:?}");
    pages
}

/// The problems that `check` finds in the pages below `book`, which are there to be read.
fn problems(check: fn(&Page<'_>) -> Vec<Problem>) -> Vec<String> {
    let book = repository().join("book");
    let mut found = Vec::new();
    for name in &pages_of_book() {
        let page = Page {
            name,
            folder: name.parent().expect("a folder"),
            source: &book,
            text: &fs::read_to_string(name).expect("a page"),
        };
        found.extend(check(&page).iter().map(ToString::to_string));
    }
    found
}

#[test]
fn no_rate_is_typed_and_no_text_waits() {
    let found = problems(check_for_release);
    assert!(found.is_empty(), "{}: {found:#?}", found.len());
}

#[test]
fn no_listing_is_typed_and_no_block_lacks_its_language() {
    let found = problems(check_page);
    assert!(found.is_empty(), "{}: {found:#?}", found.len());
}
