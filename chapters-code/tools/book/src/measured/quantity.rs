//! A number that a recording gives, or that is derived from such numbers: what a prediction is compared with, and what it
//! was predicted from.
//!
//! ```text
//! gb_per_s kernel=a n=2^28                        one field of one row, as the directive `measured` takes it
//! 750 µs                                          a number; without a unit, in the one that is wanted
//! 0.5x time_ms.median kernel=a n=2^28 + 3 µs      a sum or difference of such terms, with factors
//! time_ms.median stride=2 / time_ms.median stride=1 where kernel=a n=2^28
//! ```
//!
//! A quotient has the unit `×`, or `%`. The keys behind `where` belong to all rows.

use std::path::Path;

use super::directive::{self, Kind};
use super::format::{self, leading_number};
use super::{Records, number_of, waits};
use crate::Strictness;

/// The number that `text` on `page` stands for, in `unit`, which begins with a unit and may go on; none while a draft waits
/// for its recording.
///
/// # Errors
/// Where nothing recorded answers it, or it is not in such a unit.
pub(crate) fn quantity(
    page: &Path,
    text: &str,
    unit: &str,
    records: &Records,
    strictness: Strictness,
) -> Result<Option<f64>, String> {
    let (terms, shared) = text.split_once(" where ").unwrap_or((text, ""));
    let sum = |terms: &str, unit: &str| -> Result<Option<f64>, String> {
        let mut sum = Some(0.0);
        for term in terms.replace(" - ", " + -").split(" + ") {
            let (sign, term) = term.strip_prefix('-').map_or((1.0, term), |term| (-1.0, term));
            let value = term_in(page, term, shared, unit, records, strictness)?;
            sum = sum.zip(value).map(|(sum, value)| sum + sign * value);
        }
        Ok(sum)
    };
    let Some((upper, lower)) = terms.split_once(" / ") else {
        return sum(terms, unit);
    };
    let common = unit_of(lower)?;
    let quotient = sum(upper, common)?.zip(sum(lower, common)?).map(|(a, b)| a / b);
    let scale = match unit.split_whitespace().next() {
        Some("×") => 1.0,
        Some("%") => 100.0,
        _ => return Err(format!("a quotient is in × or %, and not in {unit}")),
    };
    Ok(quotient.map(|quotient| quotient * scale))
}

/// The unit in which `text` is taken where none is given: that of the first field that it names, or `×` for a quotient.
pub(crate) fn natural_unit(text: &str) -> Result<&'static str, String> {
    let (terms, _) = text.split_once(" where ").unwrap_or((text, ""));
    match terms.contains(" / ") {
        true => Ok("×"),
        false => unit_of(terms),
    }
}

fn unit_of(terms: &str) -> Result<&'static str, String> {
    let is_field = |word: &&str| word.starts_with(|letter: char| letter.is_alphabetic());
    let field = terms.split_whitespace().find(is_field);
    field.map(format::first_unit).ok_or_else(|| format!("{terms} names no field"))
}

/// The count that `text` gives, alone or with `unit` behind it.
///
/// # Errors
/// Where it is no number, or one in another unit.
pub(crate) fn count(text: &str, unit: &str) -> Result<f64, String> {
    match leading_number(text.trim()) {
        Some((number, rest)) if unit.starts_with(rest.trim()) => Ok(number),
        _ => Err(format!("{text} is no number of {unit}")),
    }
}

fn term_in(
    page: &Path,
    term: &str,
    shared: &str,
    unit: &str,
    records: &Records,
    strictness: Strictness,
) -> Result<Option<f64>, String> {
    let term = term.trim();
    let (factor, row) = match leading_number(term) {
        None => (1.0, term),
        Some((factor, rest)) => match rest.strip_prefix("x ") {
            Some(row) => (factor, row),
            None => return format::converted(factor, rest.trim(), unit).map(Some),
        },
    };
    let directive = directive::parse(&format!("measured {row} {shared}"))?.on(page);
    let Kind::Value(field) = &directive.kind else {
        return Err(format!("{row} is not one value"));
    };
    if waits(&directive, records, strictness)?.is_some() {
        return Ok(None);
    }
    let number = number_of(&directive, field, records)?;
    Ok(Some(factor * number * format::scale(field, unit)?))
}

/// Whether `text` is one field that has no unit: a count, which a prediction of it must meet exactly.
pub(crate) fn is_count(text: &str) -> bool {
    let is_one = [" / ", " + ", " - "].iter().all(|sign| !text.contains(sign));
    let field = text.split_whitespace().next().unwrap_or_default();
    is_one && format::is_count(field)
}
