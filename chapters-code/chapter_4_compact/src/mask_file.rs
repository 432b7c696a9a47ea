//! Masks that people write: a text of 0 and 1.

use std::{fs, path::Path};

use harness::Error;

/// Reads a mask: a character 0 or 1 for each element, whitespace and what follows a `#` left out.
///
/// # Errors
/// [`Error::Usage`] with file, line and column, for a file that cannot be read or holds anything else.
pub fn read(path: &Path) -> Result<Vec<bool>, Error> {
    let text = fs::read_to_string(path).map_err(|error| {
        let what = format!("cannot read the mask {}: {error}", path.display());
        Error::usage(what, "give --mask-file a text of 0 and 1")
    })?;
    let mut mask = Vec::new();
    for (line, content) in text.lines().enumerate() {
        let content = content.split('#').next().unwrap_or_default();
        for (column, character) in content.chars().enumerate() {
            match character {
                '0' => mask.push(false),
                '1' => mask.push(true),
                c if c.is_whitespace() => {}
                other => {
                    let (path, line, column) = (path.display(), line + 1, column + 1);
                    return Err(Error::usage(
                        format!("{path}:{line}:{column}: `{other}` is neither 0 nor 1"),
                        "write a 1 for each element that is selected, and a 0 for each other",
                    ));
                }
            }
        }
    }
    Ok(mask)
}
