//! Text for people: as wide as their terminal, and no panic when they stop reading.

use std::{
    io::{self, Write},
    path::Path,
};

use harness::Error;

/// Writes to standard output. Unlike `print!`, it does not panic where that is a closed pipe or a
/// full disk.
///
/// # Errors
/// [`Error::Write`] with the system's reason.
pub fn print(text: &str) -> Result<(), Error> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())
        .and_then(|()| out.flush())
        .map_err(|error| Error::write(Path::new("-"), error))
}

/// Columns of the terminal: `COLUMNS` if it is set, 120 where the width is not known, 60 at least.
pub fn width() -> usize {
    let columns = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    let terminal = || console::Term::stdout().size_checked().map(|(_, columns)| columns.into());
    columns.or_else(terminal).unwrap_or(120usize).max(60)
}

/// Breaks a paragraph at spaces so that its lines have at most `width` columns, all but the first
/// behind `indent` spaces. A longer word, such as a path, stays whole.
pub fn wrap(paragraph: &str, width: usize, indent: usize) -> String {
    wrap_from(String::new(), paragraph, width, indent)
}

/// The same behind a label, under whose end all lines begin.
pub fn wrap_after(label: &str, paragraph: &str, width: usize) -> String {
    wrap_from(label.into(), paragraph, width, label.chars().count())
}

fn wrap_from(mut text: String, paragraph: &str, width: usize, indent: usize) -> String {
    let start = text.chars().count();
    let mut column = start;
    for word in paragraph.split_whitespace() {
        let length = word.chars().count();
        if column > start && column + 1 + length > width {
            text += "\n";
            text += &" ".repeat(indent);
            column = indent;
        } else if column > start {
            text.push(' ');
            column += 1;
        }
        text += word;
        column += length;
    }
    text + "\n"
}

#[cfg(test)]
mod tests {
    use super::wrap;

    #[test]
    fn paragraphs_are_broken_at_spaces() {
        assert_eq!(wrap("one two three", 8, 2), "one two\n  three\n");
        assert_eq!(wrap("a-word-that-is-long b", 8, 2), "a-word-that-is-long\n  b\n");
        assert_eq!(wrap("", 8, 2), "\n");
    }
}
