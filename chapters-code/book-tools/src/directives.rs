//! The preprocessor that answers all directives of this book and renders its formulas, in one pass
//! over the pages as they are written, so that its errors name the line that the author sees.

use std::cell::{RefCell, RefMut};
use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::path::Path;
use std::rc::Rc;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Result;
use mdbook_driver::book::{Book, BookItem, Chapter};
use mdbook_preprocessor::{Preprocessor, PreprocessorContext};

use crate::expand::{Call, expand};
use crate::figure::Figures;
use crate::listing::{Links, Listings};
use crate::measured::{self, Records};
use crate::{Problem, Problems, Strictness, check, mathematics};

/// The preprocessor that replaces the directives.
pub struct Directives {
    strictness: Strictness,
    links: Links,
    figures: Rc<RefCell<Figures>>,
    listed: Listed,
}

/// The files that the book lists, known when the preprocessor has run.
pub(crate) type Listed = Arc<Mutex<BTreeSet<String>>>;

impl Directives {
    /// The preprocessor; a strict one refuses a book that has no recorded run.
    pub fn new(strictness: Strictness, links: Links, figures: Rc<RefCell<Figures>>) -> Self {
        Self {
            strictness,
            links,
            figures,
            listed: Listed::default(),
        }
    }

    /// Where the files that the book lists will stand.
    pub(crate) fn listed(&self) -> Listed {
        self.listed.clone()
    }
}

impl Preprocessor for Directives {
    fn name(&self) -> &str {
        "directives"
    }

    fn run(&self, context: &PreprocessorContext, mut book: Book) -> Result<Book> {
        let source = &context.config.book.src;
        let mut answers = Answers {
            records: Records::load(&context.root.join(source).join(measured::FOLDER))?,
            strictness: self.strictness,
            figures: self.figures.borrow_mut(),
            listings: Listings::new(&context.root, self.links),
        };
        answers.figures.begin();
        let mut problems = Vec::new();
        book.for_each_mut(|item| {
            if let BookItem::Chapter(chapter) = item
                && let Err(Problems(found)) = answers.expand(chapter, source)
            {
                problems.extend(found);
            }
        });
        Problems(problems).into_result()?;
        let mut listed = self.listed.lock().unwrap_or_else(PoisonError::into_inner);
        *listed = answers.listings.files;
        Ok(book)
    }
}

/// Whoever answers.
struct Answers<'a> {
    records: Records,
    strictness: Strictness,
    figures: RefMut<'a, Figures>,
    listings: Listings,
}

impl Answers<'_> {
    fn expand(&mut self, chapter: &mut Chapter, source: &Path) -> Result<(), Problems> {
        let Some(path) = &chapter.source_path else {
            return Ok(());
        };
        let page = source.join(path);
        let mut answer = |call: &Call<'_>| self.answer(&page, call);
        let expanded = expand(&page, &chapter.content, &mut answer)?;
        // A formula that the author wrote has been checked before: this one came from an answer.
        chapter.content = mathematics::expand(&expanded).map_err(|(_, words)| {
            Problems(vec![Problem::at(
                &page,
                "",
                0,
                format!("KaTeX rejects a formula that a directive made: {words}"),
            )])
        })?;
        Ok(())
    }

    fn answer(&mut self, page: &Path, call: &Call<'_>) -> Result<String, String> {
        match call.name() {
            "figure" => self.figures.answer(page, call.arguments()),
            "listing" => self.listings.answer(page, call.arguments()),
            name if name.starts_with("measured") => {
                measured::answer(page, call.body, &self.records, self.strictness)
            }
            other => Err(format!("there is no directive {other}")),
        }
    }
}

/// Serves one request of mdBook's preprocessor protocol: a book in, a book out, as JSON.
///
/// # Errors
/// All that is wrong with the book.
pub fn serve(input: impl Read, output: impl Write) -> Result<()> {
    let (context, book) = mdbook_preprocessor::parse_input(input)?;
    let (root, source) = (&context.root, &context.config.book.src);
    check::check(&book, root, source, Strictness::Draft)?;
    let figures = Rc::new(RefCell::new(Figures::new(root)));
    let book = Directives::new(Strictness::Draft, Links::None, figures).run(&context, book)?;
    serde_json::to_writer(output, &book)?;
    Ok(())
}
