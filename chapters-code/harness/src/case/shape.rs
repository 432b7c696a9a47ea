//! Sizes as people write them: `1023`, `25.6M`, `2^20`, `4096x1000`.

use std::{fmt, str::FromStr};

/// What a kernel works on: a vector, or a matrix stored by rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Shape {
    /// `n` elements.
    Vector {
        /// Elements.
        n: u64,
    },
    /// `rows` times `cols` elements.
    Matrix {
        /// Rows.
        rows: u64,
        /// Columns, the elements of a row.
        cols: u64,
    },
}

impl Shape {
    /// Elements in all.
    pub fn elements(self) -> u64 {
        match self {
            Self::Vector { n } => n,
            Self::Matrix { rows, cols } => rows * cols,
        }
    }

    /// The rows and the columns of a matrix; none for a vector.
    pub fn sides(self) -> Option<(u64, u64)> {
        match self {
            Self::Vector { .. } => None,
            Self::Matrix { rows, cols } => Some((rows, cols)),
        }
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Vector { n } if *n >= 1024 && n.is_power_of_two() => {
                f.pad(&format!("2^{}", n.ilog2()))
            }
            Self::Vector { n } => f.pad(&n.to_string()),
            Self::Matrix { rows, cols } => f.pad(&format!("{rows}x{cols}")),
        }
    }
}

/// Why a size was not understood.
#[derive(Debug, thiserror::Error, PartialEq)]
pub enum ShapeError {
    /// Not a number in any of the forms.
    #[error("`{0}` is not a size; write 1023, 25.6M, 2^20, 64Ki or, for a matrix, 4096x1000")]
    NotASize(String),
    /// A number below zero.
    #[error("`{0}` is negative; a size counts elements: 0 or more")]
    Negative(String),
    /// A number that is not whole.
    #[error("`{0}` is not a whole number of elements; write for example 25.6M or 1023")]
    Fraction(String),
    /// More elements than 64-bit addresses reach.
    #[error("`{0}` is more elements than any device can address; the largest size is 2^48")]
    TooLarge(String),
}

const LARGEST: u64 = 1 << 48;

impl FromStr for Shape {
    type Err = ShapeError;

    fn from_str(text: &str) -> Result<Self, ShapeError> {
        let Some((rows, cols)) = text.split_once(['x', 'X']) else {
            return Ok(Self::Vector { n: parse_count(text)? });
        };
        if rows.is_empty() || cols.is_empty() {
            return Err(ShapeError::NotASize(text.into()));
        }
        let (rows, cols) = (parse_count(rows)?, parse_count(cols)?);
        match rows.checked_mul(cols) {
            Some(n) if n <= LARGEST => Ok(Self::Matrix { rows, cols }),
            _ => Err(ShapeError::TooLarge(text.into())),
        }
    }
}

/// Reads one number: digits with `_`, a power `2^20`, or a decimal with a suffix
/// (`K M G` decimal, `Ki Mi Gi` binary).
///
/// # Errors
/// [`ShapeError`] with the text and why it is no count.
pub fn parse_count(text: &str) -> Result<u64, ShapeError> {
    let trimmed = text.trim().replace('_', "");
    if trimmed.starts_with('-') && trimmed[1..].starts_with(|c: char| c.is_ascii_digit()) {
        return Err(ShapeError::Negative(text.into()));
    }
    let value = match trimmed.split_once('^') {
        Some((base, exponent)) => power(base, exponent),
        None => scaled(&trimmed),
    };
    let value = value.ok_or_else(|| ShapeError::NotASize(text.into()))?;
    if value > LARGEST as f64 {
        return Err(ShapeError::TooLarge(text.into()));
    }
    if value.fract() != 0.0 {
        return Err(ShapeError::Fraction(text.into()));
    }
    Ok(value as u64)
}

fn power(base: &str, exponent: &str) -> Option<f64> {
    let base: u32 = base.parse().ok()?;
    // `2^20+3` is how the awkward sizes of a test are spelled.
    let (exponent, more) = exponent.split_once('+').unwrap_or((exponent, "0"));
    let (exponent, more): (u32, u32) = (exponent.parse().ok()?, more.parse().ok()?);
    Some(f64::from(base).powi(exponent.min(1024) as i32) + f64::from(more))
}

fn scaled(text: &str) -> Option<f64> {
    let split = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
    let (digits, suffix) = text.split_at(split);
    if !digits.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let (places, scale) = match suffix {
        "" => (0, 1.0),
        "K" | "k" => (3, 1.0),
        "M" => (6, 1.0),
        "G" => (9, 1.0),
        "Ki" => (0, 1024.0),
        "Mi" => (0, 1_048_576.0),
        "Gi" => (0, 1_073_741_824.0),
        _ => return None,
    };
    // 25.6e6 is whole, but 25.6 * 1e6 need not be in binary: shift the decimal point as text.
    let value: f64 = format!("{digits}e{places}").parse().ok()?;
    Some(value * scale)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Result<u64, &str>) {
        match (parse_count(text), expected) {
            (Ok(got), Ok(n)) => assert_eq!(got, n, "{text}"),
            (Err(error), Err(part)) => assert!(error.to_string().contains(part), "{text}: {error}"),
            (got, expected) => panic!("{text}: {got:?}, expected {expected:?}"),
        }
    }

    #[test]
    fn sizes_as_people_write_them() {
        check("0", Ok(0));
        check("1023", Ok(1023));
        check("1_000", Ok(1000));
        check("25.6M", Ok(25_600_000));
        check("1.1K", Ok(1100));
        check("2^20", Ok(1 << 20));
        check("2^20+3", Ok((1 << 20) + 3));
        check("64Ki", Ok(65_536));
        check("0.5Ki", Ok(512));
        check("2^48", Ok(1 << 48));
    }

    #[test]
    fn sizes_that_are_refused() {
        check("abc", Err("not a size"));
        check("", Err("not a size"));
        check("-", Err("not a size"));
        check("-1", Err("negative"));
        check("2^70", Err("largest size is 2^48"));
        check("2^999999999", Err("largest size is 2^48"));
        check("99999999999999999999999", Err("largest size"));
        check("1.5", Err("whole number"));
        check("1e9", Err("not a size"));
        check("nan", Err("not a size"));
        check("5Q", Err("not a size"));
    }

    #[test]
    fn matrices() {
        assert_eq!("4096x1000".parse(), Ok(Shape::Matrix { rows: 4096, cols: 1000 }));
        assert_eq!("2^10x3".parse(), Ok(Shape::Matrix { rows: 1024, cols: 3 }));
        assert!("2^40x2^40".parse::<Shape>().is_err());
        assert!("4096x".parse::<Shape>().is_err());
    }
}
