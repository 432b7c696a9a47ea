//! The build itself: mdBook's, in this process, with our preprocessor in place of the command that
//! book.toml names for people who run `mdbook build`.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::PoisonError;

use anyhow::{Context, Result};
use mdbook_driver::MDBook;
use mdbook_driver::config::Config;

use crate::check;
use crate::directives::Directives;
use crate::figure::Figures;
use crate::lab::Labs;
use crate::listing::{self, Links};
use crate::place;
use crate::search;

/// What to make of a figure that is not recorded yet, and of text that waits for one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strictness {
    /// Show it as not recorded yet, as long as nothing at all is recorded.
    Draft,
    /// Refuse it: a book that is published has neither.
    Strict,
}

/// Builds a book, as often as is asked for. From one time to the next it keeps what cannot have
/// changed: the executions that figures are drawn from, those of the lab, and rendered formulas.
pub struct Builder {
    root: PathBuf,
    strictness: Strictness,
    figures: Rc<RefCell<Figures>>,
    labs: Rc<RefCell<Labs>>,
}

impl Builder {
    /// A builder of the book whose `book.toml` lies in `root`.
    pub fn new(root: &Path, strictness: Strictness) -> Self {
        let figures = Figures::new(root);
        Self {
            root: root.to_path_buf(),
            strictness,
            labs: Rc::new(RefCell::new(Labs::new(root, figures.simulated()))),
            figures: Rc::new(RefCell::new(figures)),
        }
    }

    /// Builds into `dest` or the folder that `book.toml` names, and returns that folder.
    ///
    /// # Errors
    /// All that is wrong with the book, or what the file system says.
    pub fn build(&self, dest: Option<&Path>) -> Result<PathBuf> {
        self.build_with(dest, |_| Ok(()))
    }

    /// Builds with other settings than `book.toml`'s.
    ///
    /// # Errors
    /// All that is wrong with the book, or what the file system says.
    pub fn build_with(
        &self,
        dest: Option<&Path>,
        configure: impl FnOnce(&mut Config) -> Result<()>,
    ) -> Result<PathBuf> {
        let mut book = MDBook::load(&self.root)
            .with_context(|| format!("cannot load the book of {}", self.root.display()))?;
        configure(&mut book.config)?;
        let source = &book.config.book.src;
        check::check(&book.book, &self.root, source, self.strictness)?;
        if let Some(dest) = dest {
            book.config.build.build_dir = std::path::absolute(dest)?;
        }
        // Preprocessors are kept by name: this one takes the place, and the order, of book.toml's.
        let (figures, labs) = (self.figures.clone(), self.labs.clone());
        let directives = Directives::new(self.strictness, Links::ToCopies, figures, labs);
        let listed = directives.listed();
        book.with_preprocessor(directives);
        book.build()?;
        let built = book.build_dir_for("html");
        let listed = listed.lock().unwrap_or_else(PoisonError::into_inner);
        listing::copy(&self.root, &built, &listed)
            .context("cannot copy the listed files into the book")?;
        self.labs.borrow().write(&built)?;
        search::write(&built, &self.root.join(&book.config.book.src), &book.book)?;
        let address = book.config.get::<String>(place::ADDRESS)?;
        place::mark(&book.book, &built, address.as_deref())
            .context("cannot write into the pages where they stand in the book")?;
        Ok(built)
    }
}

/// Builds the book whose `book.toml` lies in `root` once, into `dest` or the folder that `book.toml`
/// names, and returns that folder.
///
/// # Errors
/// All that is wrong with the book, or what the file system says.
pub fn build(root: &Path, dest: Option<&Path>, strictness: Strictness) -> Result<PathBuf> {
    Builder::new(root, strictness).build(dest)
}
