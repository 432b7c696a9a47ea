//! Values that are given as text under a name.

use std::str::FromStr;

use clap::ValueEnum;

/// The text under a name, if there is one.
pub type Values<'a> = &'a mut dyn FnMut(&str) -> Option<String>;

/// A number, or what else is read from text, under a name.
///
/// # Errors
/// With the name and the text, where the text is no such value.
pub fn parsed<T: FromStr>(values: Values<'_>, name: &str) -> Result<Option<T>, String> {
    let wrong = |text: String| format!("{name}={text} is not a value of {name}");
    let read = |text: String| text.parse().map_err(|_| wrong(text));
    values(name).map(read).transpose()
}

/// One of several names, under a name.
///
/// # Errors
/// With the name and the text, where the text is none of them.
pub fn chosen<T: ValueEnum>(values: Values<'_>, name: &str) -> Result<Option<T>, String> {
    let read =
        |text: String| T::from_str(&text, true).map_err(|error| format!("{name}={text}: {error}"));
    values(name).map(read).transpose()
}
