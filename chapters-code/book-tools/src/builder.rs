//! The build itself: mdBook's, in this process, with our two preprocessors in place of the commands
//! that book.toml names for people who run `mdbook build`.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use mdbook_driver::MDBook;
use mdbook_katex::preprocess::KatexProcessor;

use crate::check;
use crate::directives::Directives;

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
    book.with_preprocessor(Directives::new(strictness));
    book.with_preprocessor(KatexProcessor);
    book.build()?;
    Ok(book.build_dir_for("html"))
}
