//! The glossary: its entries, and the links to them where a page first uses their words.
//!
//! Entries stand in `glossary.md` as a definition list. A comment after a title holds other words for
//! the same thing; plurals in -s go without saying:
//!
//! ```text
//! Divergence <!-- diverge, diverges, divergent -->
//! : Lanes of a warp on different sides of a branch. The first sentence is what a page shows.
//! ```
//!
//! On every other page, the first use of each entry's words in running text becomes a link to the
//! entry, which carries the entry's first sentence for `terms.js` to show. `{{#term NAME}}`, or
//! `{{#term NAME "other words"}}`, links where the words are too common to be found: an entry whose
//! comment begins with `only where marked` is linked in no other way, and one whose comment ends in
//! `not in PATH …` is not found in these chapters or pages, where its words mean something else.

mod entries;
mod first_use;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

use crate::Problem;
use crate::address::up;
use crate::expand::{calls, words};
use entries::Entry;
pub(crate) use entries::first_sentence;
pub use entries::titles;

/// The glossary's page, in the book's source folder.
pub(crate) const PAGE: &str = "glossary.md";

/// The entries of a book, and which of them its pages have used.
#[derive(Debug, Default)]
pub(crate) struct Glossary {
    entries: Vec<Entry>,
    used: BTreeSet<usize>,
    /// What pages of the main path have used.
    known: BTreeSet<usize>,
}

impl Glossary {
    /// The entries of `text`, the content of the glossary's page.
    ///
    /// # Errors
    /// The entries that cannot be shown on a page, each with its line.
    pub(crate) fn read(page: &Path, text: &str) -> Result<Self, Vec<Problem>> {
        let entries = entries::read(page, text)?;
        Ok(Self { entries, ..Self::default() })
    }

    /// `text`, the content of the page at `path` in the book's source folder, with the first use of
    /// each entry's words as a link.
    pub(crate) fn mark(&mut self, path: &Path, text: &str) -> String {
        let by_hand: BTreeSet<usize> = calls(text)
            .filter(|call| call.name() == "term")
            .filter_map(|call| self.named(words(call.arguments()).ok()?.first()?))
            .collect();
        let mut marked = String::with_capacity(text.len());
        let mut done = 0;
        for (range, entry) in first_use::find(&self.entries, text) {
            let not_in = &self.entries[entry].not_in;
            if by_hand.contains(&entry) || not_in.iter().any(|other| path.starts_with(other)) {
                continue;
            }
            marked.push_str(&text[done..range.start]);
            marked.push_str(&self.link(path, entry, &text[range.clone()]));
            done = range.end;
            self.used.insert(entry);
        }
        marked.push_str(&text[done..]);
        marked
    }

    /// Links to the entries whose words `text` uses, the content of the page at `path`, and no page of the main path before
    /// it; then those are known.
    pub(crate) fn new_words(&mut self, path: &Path, text: &str) -> Vec<String> {
        let by_hand = calls(text)
            .filter(|call| call.name() == "term")
            .filter_map(|call| self.named(words(call.arguments()).ok()?.first()?));
        let found = first_use::find(&self.entries, text).into_iter().map(|(_, entry)| entry);
        let is_meant = |entry: &usize| {
            let not_in = &self.entries[*entry].not_in;
            !not_in.iter().any(|other| path.starts_with(other))
        };
        let used: Vec<usize> = found.chain(by_hand).filter(is_meant).collect();
        let new: Vec<usize> = used.into_iter().filter(|entry| self.known.insert(*entry)).collect();
        let link = |entry: usize| self.link(path, entry, &self.entries[entry].name);
        new.into_iter().map(link).collect()
    }

    /// The link that a directive asks for.
    pub(crate) fn answer(&mut self, path: &Path, arguments: &str) -> Result<String, String> {
        let words = words(arguments)?;
        let (name, shown) = match words.as_slice() {
            [name] => (name, name),
            [name, shown] => (name, shown),
            _ => return Err("a term is {{#term NAME}} or {{#term NAME \"WORDS\"}}".to_owned()),
        };
        let entry =
            self.named(name).ok_or_else(|| format!("the glossary has no entry `{name}`"))?;
        self.used.insert(entry);
        Ok(self.link(path, entry, shown))
    }

    /// The entries that no page has used, as problems of the glossary's `page`.
    pub(crate) fn unused(&self, page: &Path) -> Vec<Problem> {
        let entries = self.entries.iter().enumerate();
        let unused = entries.filter(|(index, _)| !self.used.contains(index));
        unused
            .map(|(_, entry)| Problem {
                page: page.to_path_buf(),
                line: entry.line,
                message: format!("no page uses the entry `{}`", entry.name),
            })
            .collect()
    }

    fn named(&self, name: &str) -> Option<usize> {
        let is = |entry: &Entry| entry.name.eq_ignore_ascii_case(name);
        self.entries.iter().position(is)
    }

    fn link(&self, path: &Path, entry: usize, shown: &str) -> String {
        let Entry { id, definition, .. } = &self.entries[entry];
        linked(path, PAGE, id, definition, shown)
    }
}

/// A link from the page at `path` to the place `id` of `page`, which carries what `terms.js` shows.
pub(crate) fn linked(path: &Path, page: &str, id: &str, definition: &str, shown: &str) -> String {
    let up = up(path);
    format!(
        "<a class=\"term\" href=\"{up}{page}#{id}\" data-definition=\"{}\">{shown}</a>",
        attribute(definition)
    )
}

/// `text` as the value of an attribute, in Markdown: no table and no formula sees into it.
fn attribute(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' | '<' | '>' | '"' | '|' | '$' => {
                let _ = write!(escaped, "&#{};", u32::from(letter));
            }
            other => escaped.push(other),
        }
    }
    escaped
}
