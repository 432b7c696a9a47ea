//! Something wrong with a page, with the place where its author finds it.

use std::fmt;
use std::path::PathBuf;

/// One thing wrong with a page of the book.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The page, relative to the repository.
    pub page: PathBuf,
    /// The line in it, counted from 1.
    pub line: usize,
    /// What is wrong, and where it helps, how to mend it.
    pub message: String,
}

impl Problem {
    /// A problem at byte `offset` of `text`, the content of `page`.
    pub fn at(
        page: impl Into<PathBuf>,
        text: &str,
        offset: usize,
        message: impl fmt::Display,
    ) -> Self {
        let line = 1 + text[..offset].matches('\n').count();
        Self { page: page.into(), line, message: message.to_string() }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.page.display(), self.line, self.message)
    }
}

/// All that is wrong with a book, a line each. Never empty when it is returned as an error.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct Problems(pub Vec<Problem>);

impl Problems {
    /// An error if there is a problem, and otherwise nothing.
    pub fn into_result(self) -> Result<(), Self> {
        if self.0.is_empty() { Ok(()) } else { Err(self) }
    }
}

impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "the book has {} problem(s):", self.0.len())?;
        for problem in &self.0 {
            writeln!(f, "  {problem}")?;
        }
        Ok(())
    }
}
