//! The lines of source that a trace names.

use std::fs;
use std::ops::RangeInclusive;
use std::path::Path;

/// A line of source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Line {
    /// The file within the project.
    pub(super) file: String,
    pub(super) number: usize,
}

impl Line {
    /// Reads `file.cu:12`; none for what is not a file's line.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (file, number) = text.rsplit_once(':')?;
        Some(Self { file: file.to_owned(), number: number.parse().ok()? })
    }

    /// The file's name and the line's number.
    pub(super) fn short(&self) -> String {
        let name = self.file.rsplit('/').next().unwrap_or(&self.file);
        format!("{name}:{}", self.number)
    }

    /// What stands there.
    pub(super) fn text(&self, root: &Path) -> Option<String> {
        let text = fs::read_to_string(root.join(&self.file)).ok()?;
        let line = text.lines().nth(self.number.checked_sub(1)?)?;
        Some(line.trim().to_owned())
    }
}

/// What a trace's line says, as code with its place: `` `x = y;` (file.cu:12) ``.
pub(super) fn quoted(root: &Path, line: &str) -> String {
    let quote = Line::parse(line).and_then(|line| Some((line.text(root)?, line.short())));
    match quote {
        Some((text, place)) => format!("`{text}` ({place})"),
        None => line.to_owned(),
    }
}

/// What a trace's line says, alone.
pub(super) fn text(root: &Path, line: &str) -> String {
    Line::parse(line).and_then(|line| line.text(root)).unwrap_or_else(|| line.to_owned())
}

/// The lines between the marks of an anchor.
pub(super) fn anchor(root: &Path, file: &str, name: &str) -> Result<RangeInclusive<usize>, String> {
    let text = fs::read_to_string(root.join(file))
        .map_err(|error| format!("cannot read {file}: {error}"))?;
    crate::anchor::lines(&text, name).ok_or_else(|| format!("{file} has no anchor {name}"))
}
