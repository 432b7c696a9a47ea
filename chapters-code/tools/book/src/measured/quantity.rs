//! A number that a recording gives, or that is derived from such numbers: what a prediction is compared with, and what it
//! was predicted from.
//!
//! ```text
//! gb_per_s kernel=a n=2^28                            one field of one row, as the directive `measured` takes it
//! 750 µs                                              a number; without a unit, in the one that is wanted
//! 0.5 · [time_ms.median kernel=a n=2^28] + 3 µs       an expression, as the directive `computed` takes it
//! ```
//!
//! An expression is computed from unrounded numbers, where `computed` takes those that are printed.

use std::path::Path;

use super::format::{self, leading_number};
use super::{Records, number_on};
use crate::{Strictness, arithmetic};

/// The number that `text` on `page` stands for, in `unit`, which begins with a unit and may go on; none while a draft waits
/// for its recording.
///
/// # Errors
/// If nothing recorded answers it, or it is not in such a unit.
pub(crate) fn quantity(
    page: &Path,
    text: &str,
    unit: &str,
    records: &Records,
    strictness: Strictness,
) -> Result<Option<f64>, String> {
    let field = |row: &str, unit: &str| -> Result<Option<f64>, String> {
        let found = number_on(page, row, records, strictness)?;
        let in_unit = |(field, number): (String, f64)| Ok(number * format::scale(&field, unit)?);
        found.map(in_unit).transpose()
    };
    if !is_expression(text) {
        return match leading_number(text.trim()) {
            Some((number, rest)) => format::converted(number, rest.trim(), unit).map(Some),
            None => field(text, unit),
        };
    }
    let mut waits = false;
    let numbers = arithmetic::filled(text, |row| {
        let own = unit_of(row);
        let number = field(row, own)?;
        waits |= number.is_none();
        Ok(number.map_or(String::new(), |number| format!("{number} {own}")))
    })?;
    match waits {
        true => Ok(None),
        false => {
            let unit = unit.split_whitespace().next().unwrap_or_default();
            arithmetic::evaluated(&numbers, unit).map(Some)
        }
    }
}

/// The unit in which `text` is taken where none is given: that of the first field that it names, or `×` for a quotient.
pub(crate) fn natural_unit(text: &str) -> &'static str {
    match text.split_once('[') {
        Some(_) if text.contains(" / ") => "×",
        Some((_, row)) => unit_of(row),
        None => unit_of(text),
    }
}

fn is_expression(text: &str) -> bool {
    text.contains('[') || text.contains(" + ")
}

fn unit_of(row: &str) -> &'static str {
    format::first_unit(row.split_whitespace().next().unwrap_or_default())
}

/// The count that `text` gives, alone or with `unit` behind it.
///
/// # Errors
/// If it is no number, or one in another unit.
pub(crate) fn count(text: &str, unit: &str) -> Result<f64, String> {
    match leading_number(text.trim()) {
        Some((number, rest)) if unit.starts_with(rest.trim()) => Ok(number),
        _ => Err(format!("{text} is no number of {unit}")),
    }
}

/// Whether `text` is one field that has no unit: a count, which a prediction of it must meet exactly.
pub(crate) fn is_count(text: &str) -> bool {
    !is_expression(text) && format::is_count(text.split_whitespace().next().unwrap_or_default())
}
