//! Values that are given as text under a name.

use std::{fmt::Display, str::FromStr};

use clap::ValueEnum;

/// The text under a name, if there is one.
pub type Values<'a> = &'a mut dyn FnMut(&str) -> Option<String>;

/// A number under a name.
///
/// # Errors
/// With the name and the text, where the text is no number of the type.
pub fn number<T: FromStr>(values: Values<'_>, name: &str) -> Result<Option<T>, String> {
    read(values, name, |text| {
        text.parse().map_err(|_| format!("{name}={text} is not a number in range"))
    })
}

/// Any other value under a name that is read from text.
///
/// # Errors
/// With the name, the text and the reason, where the text is no such value.
pub fn parsed<T: FromStr<Err: Display>>(
    values: Values<'_>,
    name: &str,
) -> Result<Option<T>, String> {
    read(values, name, |text| text.parse().map_err(|error| format!("{name}={text}: {error}")))
}

/// One of several values that have names, under a name.
///
/// # Errors
/// With the name, the text and the reason, where no value is called that.
pub fn chosen<T: ValueEnum>(values: Values<'_>, name: &str) -> Result<Option<T>, String> {
    read(values, name, |text| {
        T::from_str(text, true).map_err(|error| format!("{name}={text}: {error}"))
    })
}

fn read<T>(
    values: Values<'_>,
    name: &str,
    read: impl Fn(&str) -> Result<T, String>,
) -> Result<Option<T>, String> {
    values(name).map(|text| read(&text)).transpose()
}
