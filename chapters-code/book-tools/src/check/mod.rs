//! What a page must satisfy before it is rendered. Each check reads the pages as their authors
//! wrote them, so that its errors name the line to mend.

mod code;
mod formulas;
mod includes;
mod links;
mod pending;

use std::path::{Path, PathBuf};

use mdbook_driver::MDBook;
use mdbook_driver::book::BookItem;

use crate::{Problem, Problems, Strictness};

/// A page as it lies on disk.
#[derive(Debug, Clone, Copy)]
pub struct Page<'a> {
    /// Its file, relative to the repository, for messages.
    pub name: &'a Path,
    /// The folder that its links and includes are relative to.
    pub folder: &'a Path,
    /// The book's source folder, which links stay in.
    pub source: &'a Path,
    /// Its Markdown.
    pub text: &'a str,
}

impl Page<'_> {
    /// A problem at byte `offset` of this page.
    pub fn problem(&self, offset: usize, message: impl std::fmt::Display) -> Problem {
        Problem::at(self.name, self.text, offset, message)
    }
}

/// Checks every page of `book`.
pub fn check(book: &MDBook, strictness: Strictness) -> Result<(), Problems> {
    let mut problems = Vec::new();
    let source = book.source_dir();
    for (name, folder, text) in pages(book) {
        let page = Page {
            name: &name,
            folder: &folder,
            source: &source,
            text: &text,
        };
        problems.extend(check_page(&page));
        if strictness == Strictness::Strict {
            problems.extend(pending::check(&page));
        }
    }
    Problems(problems).into_result()
}

/// Checks one page, except for what only a strict build asks.
pub fn check_page(page: &Page<'_>) -> Vec<Problem> {
    let checks = [includes::check, code::check, links::check, formulas::check];
    checks.iter().flat_map(|check| check(page)).collect()
}

fn pages(book: &MDBook) -> Vec<(PathBuf, PathBuf, String)> {
    let source = book.source_dir();
    book.iter()
        .filter_map(|item| match item {
            BookItem::Chapter(chapter) => {
                let path = chapter.source_path.as_ref()?;
                let folder = source.join(path).parent()?.to_path_buf();
                Some((
                    book.config.book.src.join(path),
                    folder,
                    chapter.content.clone(),
                ))
            }
            BookItem::Separator | BookItem::PartTitle(_) => None,
        })
        .collect()
}
