//! The results of a case as text: those of the first rows in full, and a hash of every chunk.

use anyhow::{Context, Result, bail};
use sha2::{Digest, Sha256};
use std::fmt::Write;

use super::{
    case::{Case, Column, ROWS},
    run::Outcome,
};

/// Rows whose results are kept in full.
pub const FIRST: usize = 64;
/// Parts of the rows that have a hash each.
const CHUNKS: usize = 8;
/// Hexadecimal digits of a hash.
const DIGITS: usize = 12;

/// What a case gave on a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Recording {
    /// The results, by column.
    Results(Vec<Recorded>),
    /// The CUDA error in which the launch ended.
    Failed(String),
}

/// The results in one column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recorded {
    /// The column's name.
    pub name: String,
    /// A hash of the values of each chunk of rows.
    pub chunks: Vec<String>,
    /// The values of the first rows.
    pub first: Vec<u64>,
    /// Bytes of a value.
    pub bytes: usize,
}

/// The values in a column, of every row.
pub fn values(case: &Case, column: &Column, results: &[u8]) -> Vec<u64> {
    let value = |row: &[u8]| {
        let bytes = &row[column.offset..column.offset + column.bytes];
        bytes.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte))
    };
    results.chunks_exact(case.stride).map(value).collect()
}

impl Recording {
    /// What is kept of an outcome.
    pub fn of(case: &Case, outcome: &Outcome) -> Self {
        match outcome {
            Outcome::Failed(error) => Self::Failed(error.clone()),
            Outcome::Results(results) => {
                let columns = case.columns.iter();
                Self::Results(columns.map(|c| Recorded::of(case, c, results)).collect())
            }
        }
    }

    /// Lines: `failed ERROR`, or for each column its name and, indented, its hashes and values, or
    /// the number of the first column that has the same.
    pub fn to_text(&self) -> String {
        let columns = match self {
            Self::Failed(error) => return format!("failed {error}\n"),
            Self::Results(columns) => columns,
        };
        let mut text = String::new();
        for (index, column) in columns.iter().enumerate() {
            let same = |other: &Recorded| other.is_same(column);
            let _ = writeln!(text, "{}", column.name);
            match columns[..index].iter().position(same) {
                Some(first) => drop(writeln!(text, "  as {first}")),
                None => text.push_str(&column.values_to_text()),
            }
        }
        text
    }

    /// The reverse of [`Self::to_text`].
    ///
    /// # Errors
    /// If the text is something else.
    pub fn from_text(text: &str) -> Result<Self> {
        if let Some(error) = text.strip_prefix("failed ") {
            return Ok(Self::Failed(error.trim().into()));
        }
        let mut columns: Vec<Recorded> = Vec::new();
        let mut lines = text.lines();
        while let Some(name) = lines.next() {
            let mut next = || lines.next().map(str::trim).context("the text breaks off");
            let hashes = next()?;
            let mut column = match hashes.strip_prefix("as ") {
                Some(index) => {
                    let same = columns.get(index.parse::<usize>()?);
                    same.context("the column that is the same comes later")?.clone()
                }
                None => Recorded::values_from_text(hashes, next()?)?,
            };
            column.name = name.into();
            columns.push(column);
        }
        if columns.is_empty() {
            bail!("there are no columns");
        }
        Ok(Self::Results(columns))
    }
}

impl Recorded {
    fn of(case: &Case, column: &Column, results: &[u8]) -> Self {
        let values = values(case, column, results);
        let hash = |chunk: &[u64]| {
            let bytes: Vec<u8> = chunk.iter().flat_map(|value| value.to_le_bytes()).collect();
            let digits = Sha256::digest(bytes).into_iter().map(|b| format!("{b:02x}"));
            digits.collect::<String>()[..DIGITS].to_string()
        };
        Self {
            name: column.name.clone(),
            chunks: values.chunks(ROWS / CHUNKS).map(hash).collect(),
            first: values[..FIRST].to_vec(),
            bytes: column.bytes,
        }
    }

    /// Whether it is the same but for its name.
    pub fn is_same(&self, other: &Self) -> bool {
        (self.bytes, &self.chunks, &self.first) == (other.bytes, &other.chunks, &other.first)
    }

    /// Values in hexadecimal; predicates, whose values take a byte, as one digit each.
    fn values_to_text(&self) -> String {
        let digits = if self.bytes == 1 { 1 } else { 2 * self.bytes };
        let separator = if self.bytes == 1 { "" } else { " " };
        let first = self.first.iter().map(|value| format!("{value:0digits$x}"));
        let first = first.collect::<Vec<_>>().join(separator);
        format!("  {}\n  {first}\n", self.chunks.join(" "))
    }

    fn values_from_text(hashes: &str, first: &str) -> Result<Self> {
        let words: Vec<&str> = match first.contains(' ') {
            true => first.split(' ').collect(),
            false => first.split("").filter(|digit| !digit.is_empty()).collect(),
        };
        let first = words.iter().map(|word| u64::from_str_radix(word, 16));
        let first = first.collect::<Result<Vec<_>, _>>()?;
        if first.len() != FIRST {
            bail!("{} values, not {FIRST}", first.len());
        }
        Ok(Self {
            name: String::new(),
            chunks: hashes.split(' ').map(str::to_string).collect(),
            first,
            bytes: words[0].len().div_ceil(2),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(name: &str, bytes: usize, step: u64) -> Recorded {
        Recorded {
            name: name.into(),
            chunks: vec!["0123".into(), "abcd".into()],
            first: (0..FIRST as u64).map(|n| n * step % 256).collect(),
            bytes,
        }
    }

    #[test]
    fn text_can_be_read_back() -> Result<()> {
        let mut predicate = column("c", 1, 1);
        predicate.first.iter_mut().for_each(|value| *value &= 1);
        let columns = vec![column("a", 4, 3), predicate, column("b; x", 4, 3), column("d", 2, 5)];
        let recording = Recording::Results(columns);
        let text = recording.to_text();
        assert!(text.contains("b; x\n  as 0\n"), "{text}");
        assert_eq!(Recording::from_text(&text)?, recording);
        let failed = Recording::Failed("CUDA_ERROR_LAUNCH_FAILED".into());
        assert_eq!(Recording::from_text(&failed.to_text())?, failed);
        assert!(Recording::from_text("").is_err());
        assert!(Recording::from_text("a\n").is_err());
        assert!(Recording::from_text("a\n  as 0\n").is_err());
        Ok(())
    }
}
