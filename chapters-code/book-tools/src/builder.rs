//! The build itself: mdBook's, in this process, with our two preprocessors in place of the commands
//! that book.toml names for people who run `mdbook build`.

use std::path::{Path, PathBuf};
use std::sync::PoisonError;

use anyhow::{Context, Result};
use mdbook_driver::MDBook;
use mdbook_katex::preprocess::KatexProcessor;

use crate::check;
use crate::directives::Directives;
use crate::listing::{self, Links};

/// What to make of a figure that is not recorded yet, and of text that waits for one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strictness {
    /// Show it as not recorded yet, as long as nothing at all is recorded.
    Draft,
    /// Refuse it: a book that is published has neither.
    Strict,
}

/// Builds the book whose `book.toml` lies in `root`, into `dest` or the folder that `book.toml`
/// names, and returns that folder.
pub fn build(root: &Path, dest: Option<&Path>, strictness: Strictness) -> Result<PathBuf> {
    let mut book = MDBook::load(root)
        .with_context(|| format!("cannot load the book of {}", root.display()))?;
    check::check(&book, strictness)?;
    if let Some(dest) = dest {
        book.config.build.build_dir = std::path::absolute(dest)?;
    }
    // Preprocessors are kept by name: these take the places, and the order, of book.toml's.
    let directives = Directives::new(strictness, Links::ToCopies);
    let listed = directives.listed();
    book.with_preprocessor(directives);
    book.with_preprocessor(KatexProcessor);
    book.build()?;
    let built = book.build_dir_for("html");
    let listed = listed.lock().unwrap_or_else(PoisonError::into_inner);
    listing::copy(root, &built, &listed).context("cannot copy the listed files into the book")?;
    Ok(built)
}
