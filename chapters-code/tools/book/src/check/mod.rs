//! What a page must satisfy before it is rendered. Each check reads the pages as their authors
//! wrote them, so that its errors name the line to mend.

mod answers;
mod code;
mod comparisons;
mod fences;
mod formulas;
mod includes;
mod links;
mod pending;
mod predictions;
pub(crate) mod rates;
mod spoilers;
mod tables;
mod verdicts;

use std::path::Path;

use mdbook_driver::book::{Book, BookItem};

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

/// Checks every page of `book`, whose pages are in the folder `source` of `root`.
///
/// # Errors
/// All that is wrong, with page and line.
pub fn check(
    book: &Book,
    root: &Path,
    source: &Path,
    strictness: Strictness,
) -> Result<(), Problems> {
    let mut problems = Vec::new();
    let folder_of_pages = root.join(source);
    let all: Vec<_> = pages(book).collect();
    let unlisted = match strictness {
        Strictness::Strict => predictions::unlisted(&all),
        Strictness::Draft => Vec::new(),
    };
    for (path, at) in unlisted {
        let text = all.iter().find(|(other, _)| *other == path).map_or("", |(_, text)| text);
        let message = "no page of this folder lists its questions: write {{#predictions}} at the chapter's end";
        problems.push(Problem::at(source.join(path), text, at, message));
    }
    for (path, text) in all {
        let name = source.join(path);
        let folder = root.join(&name);
        let page = Page {
            name: &name,
            folder: folder.parent().unwrap_or(root),
            source: &folder_of_pages,
            text,
        };
        problems.extend(check_page(&page));
        if strictness == Strictness::Strict {
            problems.extend(check_for_release(&page));
        }
    }
    Problems(problems).into_result()
}

/// Checks one page, except for what only a strict build asks.
pub fn check_page(page: &Page<'_>) -> Vec<Problem> {
    let checks =
        [includes::check, code::check, fences::check, tables::check, links::check, formulas::check];
    checks.iter().flat_map(|check| check(page)).collect()
}

/// Checks one page for what only a strict build asks.
pub fn check_for_release(page: &Page<'_>) -> Vec<Problem> {
    let checks = [
        answers::check,
        spoilers::check,
        pending::check,
        rates::check,
        comparisons::check,
        verdicts::check,
    ];
    checks.iter().flat_map(|check| check(page)).collect()
}

/// The pages that have a file, relative to the source folder, and their text.
fn pages(book: &Book) -> impl Iterator<Item = (&Path, &str)> {
    book.iter().filter_map(|item| match item {
        BookItem::Chapter(chapter) => Some((chapter.source_path.as_deref()?, &*chapter.content)),
        BookItem::Separator | BookItem::PartTitle(_) => None,
    })
}
