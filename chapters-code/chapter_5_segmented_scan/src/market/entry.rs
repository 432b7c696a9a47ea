//! One entry of a file.

use super::{
    Refusal,
    header::{Field, Format, SKEW, shortened},
};

/// An entry of a matrix.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Entry {
    /// From 0.
    pub row: u32,
    /// From 0.
    pub column: u32,
    pub value: f32,
    /// Whether the file has another value: a whole number that has no 32-bit float, or one so close to 0 that it loses
    /// digits.
    pub changed: bool,
}

/// Reads a line.
pub(super) fn entry(
    line: &str,
    Format { field, symmetry }: Format,
    (rows, columns): (u32, u32),
) -> Result<Entry, Refusal> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let (row, column, text) = match (field, &words[..]) {
        (Field::Pattern, &[row, column]) => (row, column, "1"),
        (Field::Real | Field::Integer, &[row, column, value]) => (row, column, value),
        _ => return Err(wrong_count(line, field, words.len())),
    };
    let row = index("row", row, rows)?;
    let column = index("column", column, columns)?;
    let (value, changed) = value(text, field)?;
    if symmetry == SKEW && row == column && value != 0.0 {
        let what =
            "an entry on the diagonal: in a skew-symmetric matrix it is 0 there, and left out";
        return Err(Refusal::new(what, "remove the entry, or write `general` in the first line"));
    }
    Ok(Entry { row, column, value, changed })
}

fn wrong_count(line: &str, field: Field, words: usize) -> Refusal {
    let (wanted, remedy) = match (field, words) {
        (Field::Pattern, 3) => (
            "a row and a column",
            "a `pattern` has no values: write `real` or `integer` in the first line, or leave the values out",
        ),
        (Field::Pattern, _) => ("a row and a column", "give each entry a line with two numbers"),
        (_, 2) => (
            "a row, a column and a value",
            "give the value; if there are none, write `pattern` in the first line",
        ),
        (_, 4) if !line.contains('%') => (
            "a row, a column and a value",
            "give each entry one value: two are those of a `complex` matrix, which is not read",
        ),
        _ => (
            "a row, a column and a value",
            "give each entry a line with three numbers; comments have lines of their own",
        ),
    };
    let what = format!("wanted are {wanted}, found is `{}`", shortened(line));
    Refusal::new(what, remedy)
}

/// A row or column from 0.
fn index(which: &str, text: &str, most: u32) -> Result<u32, Refusal> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        let what = format!("{which} `{}` is no whole number", shortened(text));
        return Err(Refusal::new(what, "write rows and columns as whole numbers from 1"));
    }
    let number = text.parse::<u64>().ok().filter(|index| (1..=u64::from(most)).contains(index));
    if let Some(number) = number {
        return Ok((number - 1) as u32);
    }
    let remedy = match text.parse() {
        Ok(0) => "rows and columns count from 1: add 1 to each if the file counts from 0",
        _ => "correct the entry, or the line of the sizes",
    };
    Err(Refusal::new(format!("{which} {} is not in 1 to {most}", shortened(text)), remedy))
}

/// A value, and whether it is another one than the text's.
fn value(text: &str, field: Field) -> Result<(f32, bool), Refusal> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let is_whole = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    if field == Field::Integer && !is_whole {
        let what = format!(
            "the value `{}` is no whole number, and entries are `integer`",
            shortened(text)
        );
        return Err(Refusal::new(
            what,
            "write `real` in the first line, or the value as a whole number",
        ));
    }
    let (value, exact) = number(text)?;
    if !value.is_finite() {
        let what = format!(
            "the value `{}` is more than a 32-bit float holds, {:e}",
            shortened(text),
            f32::MAX
        );
        return Err(Refusal::new(what, "scale the matrix"));
    }
    let is_tiny = value.abs() < f32::MIN_POSITIVE;
    let changed = match text.parse::<i128>() {
        Ok(whole) => value as i128 != whole,
        Err(_) => f64::from(value) != exact && (is_whole || is_tiny),
    };
    Ok((value, changed))
}

/// A decimal number, possibly with Fortran's exponent: rounded to 32 and to 64 bits.
fn number(text: &str) -> Result<(f32, f64), Refusal> {
    let is_decimal = |text: &str| text.bytes().all(|b| b.is_ascii_digit() || b"+-.eE".contains(&b));
    let plain = text.replace(['d', 'D'], "e");
    if is_decimal(&plain)
        && let (Ok(value), Ok(exact)) = (plain.parse(), plain.parse())
    {
        return Ok((value, exact));
    }
    let lower = text.trim_start_matches(['+', '-']).to_ascii_lowercase();
    let remedy = if ["nan", "inf", "infinity"].contains(&&*lower) {
        "remove the entry, or give it a finite value"
    } else if text.contains(',') {
        "write a point in place of the comma"
    } else if lower.contains(['+', '-']) && is_decimal(text) {
        "write the exponent with its letter, such as 1.0E+05"
    } else {
        "write the value as a decimal number, such as -1.5 or 2e-3"
    };
    Err(Refusal::new(
        format!("the value `{}` is no finite decimal number", shortened(text)),
        remedy,
    ))
}
