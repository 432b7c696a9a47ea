//! Sparse matrices out of files in Matrix Market's coordinate format (Boisvert, Pozo and Remington 1996).
//!
//! A file that contradicts its header is refused, each kind with its line and what mends it. What is read although it
//! is unusual: comments and blank lines anywhere, also indented, in any encoding; blanks before, between and behind
//! numbers; Fortran's exponents (`1.0D+00`); entries above the diagonal of a symmetric matrix, unless those below it
//! are there, too; entries that occur several times, which count as their sum.

mod encoding;
mod entry;
mod header;
#[cfg(test)]
mod tests;

use std::{fs, path::Path};

use harness::{Error, host_available_bytes};

use crate::{segments::Offsets, sparse::Csr};
use entry::{Entry, entry};
use header::Symmetry;

/// Why a file is not read.
#[derive(Debug)]
struct Refusal {
    /// The line, from 1; 0 if it is about the whole file.
    line: usize,
    what: String,
    remedy: String,
}

impl Refusal {
    fn new(what: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { line: 0, what: what.into(), remedy: remedy.into() }
    }

    fn at(self, line: usize) -> Self {
        Self { line, ..self }
    }
}

/// What has been read.
#[derive(Debug, PartialEq)]
pub struct Market {
    /// The matrix.
    pub matrix: Csr,
    /// What a reader should know of it, a line each.
    pub notes: Vec<String>,
}

/// Reads the matrix in a file.
///
/// # Errors
/// [`Error::Usage`] with the file, the line, the cause and the remedy.
pub fn read(path: &Path) -> Result<Market, Error> {
    let name = path.display().to_string();
    let bytes = fs::read(path).map_err(|reason| {
        Error::usage(
            format!("{name}: {reason}"),
            "give --matrix the path of a file that can be read",
        )
    })?;
    // A share for the device, and for what it computes; what is not known is not refused.
    let room = host_available_bytes().map_or(u64::MAX, |bytes| bytes / 4);
    let read = parse(&bytes, room).map_err(|Refusal { line, what, remedy }| {
        let line = if line == 0 { String::new() } else { format!(":{line}") };
        Error::usage(format!("{name}{line}: {what}"), remedy.replace("FILE", &name))
    })?;
    let notes = read.notes.into_iter().map(|note| format!("{name}{note}")).collect();
    Ok(Market { notes, ..read })
}

/// The matrix of a file, whose rows and columns may take `room` bytes. In a remedy, `FILE` stands for its path.
fn parse(bytes: &[u8], room: u64) -> Result<Market, Refusal> {
    let bytes = encoding::check(bytes)?;
    let mut lines = (1..).zip(bytes.split(|byte| *byte == b'\n'));
    let first = lines.next().map_or(&[][..], |(_, line)| line);
    let format = header::header(&String::from_utf8_lossy(first)).map_err(|no| no.at(1))?;
    let mut lines = lines
        .map(|(at, line)| (at, line.trim_ascii()))
        .filter(|(_, line)| !line.is_empty() && line[0] != b'%')
        .map(|(at, line)| (at, String::from_utf8_lossy(line)));
    let Some((at, sizes)) = lines.next() else {
        let no = Refusal::new("the line of the sizes is missing: rows, columns and entries", WHOLE);
        return Err(no.at(bytes.split(|byte| *byte == b'\n').count()));
    };
    let sizes = header::sizes(&sizes).map_err(|no| no.at(at))?;
    let shape = shape(sizes, format.symmetry, room).map_err(|no| no.at(at))?;
    let wanted = sizes[2];
    let (mut given, mut last) = (Vec::new(), at);
    for (at, line) in lines {
        let new = entry(&line, format, shape).map_err(|no| no.at(at))?;
        if given.len() as u64 == wanted {
            let what = format!("an entry more than the {wanted} that were announced");
            let remedy = "count the entries, and correct the line of the sizes";
            return Err(Refusal::new(what, remedy).at(at));
        }
        given.push(Given { entry: new, line: at });
        last = at;
    }
    let found = given.len() as u64;
    if found < wanted {
        let what = format!("it is cut off: {found} of {wanted} entries are there");
        return Err(Refusal::new(what, WHOLE).at(last));
    }
    check_halves(&given, format.symmetry)?;
    let notes = notes(&given);
    Ok(Market { matrix: by_rows(&mirrored(&given, format.symmetry), shape), notes })
}

/// What helps if a part of a file is missing.
const WHOLE: &str = "get the whole file again";

/// An entry as a file has it.
struct Given {
    entry: Entry,
    line: usize,
}

/// Rows and columns, if they can be had.
fn shape(
    [rows, columns, entries]: [u64; 3],
    symmetry: Symmetry,
    room: u64,
) -> Result<(u32, u32), Refusal> {
    // Each entry of a symmetric matrix may stand for two.
    let most = rows.max(columns).max(entries.saturating_mul(2));
    if most > u64::from(u32::MAX) - (1 << 16) {
        let most = rows.max(columns).max(entries);
        let what = format!("{most} rows, columns or entries are more than 32 bits count");
        return Err(Refusal::new(what, "give --matrix a smaller matrix"));
    }
    if let Some((symmetry, _)) = symmetry.filter(|_| rows != columns) {
        return Err(Refusal::new(
            format!("a {symmetry} matrix has as many rows as columns, not {rows} and {columns}"),
            "write `general` in the first line, and all entries",
        ));
    }
    if entries > 0 && (rows == 0 || columns == 0) {
        let what = format!("{entries} entries are announced in a matrix without rows or columns");
        return Err(Refusal::new(what, "correct the line of the sizes: rows, columns and entries"));
    }
    // Lengths, offsets, places and results by row; the vector by column.
    let needed = 16 * rows + 4 * columns;
    if needed > room {
        let what =
            format!("{needed} bytes are needed for its rows and columns, and {room} are free");
        return Err(Refusal::new(what, "give --matrix a smaller matrix"));
    }
    Ok((rows as u32, columns as u32))
}

/// Refuses a symmetric matrix of which an entry is given on both sides of the diagonal: read as the format says, it
/// would count twice.
fn check_halves(given: &[Given], symmetry: Symmetry) -> Result<(), Refusal> {
    let Some((name, _)) = symmetry else { return Ok(()) };
    let is_above = |given: &Given| given.entry.row < given.entry.column;
    let has_both = given.iter().any(is_above)
        && given.iter().any(|given| given.entry.row > given.entry.column);
    if !has_both {
        return Ok(());
    }
    let pair = |Given { entry: Entry { row, column, .. }, .. }: &Given| {
        (*row.min(column), *row.max(column))
    };
    let mut sorted: Vec<&Given> = given.iter().filter(|g| g.entry.row != g.entry.column).collect();
    sorted.sort_by_key(|given| (pair(given), is_above(given), given.line));
    let both = sorted
        .windows(2)
        .filter(|two| pair(two[0]) == pair(two[1]) && is_above(two[0]) != is_above(two[1]));
    let lines = both.map(|two| (two[0].line.max(two[1].line), two[0].line.min(two[1].line)));
    let Some((line, earlier)) = lines.min() else { return Ok(()) };
    let what = format!(
        "line {earlier} has this entry already, on the other side of the diagonal: in a {name} matrix one stands for \
         both"
    );
    let remedy = "remove the entries above the diagonal; or, if all are there, write `general` in the first line";
    Err(Refusal::new(what, remedy).at(line))
}

/// All entries: those of the file, and those that it leaves out.
fn mirrored(given: &[Given], symmetry: Symmetry) -> Vec<Entry> {
    let mut entries = Vec::with_capacity(given.len());
    for Given { entry, .. } in given {
        entries.push(*entry);
        let Entry { row, column, value, .. } = *entry;
        let mirrored = symmetry.filter(|_| row != column);
        entries.extend(mirrored.map(|(_, factor)| Entry {
            row: column,
            column: row,
            value: factor * value,
            ..*entry
        }));
    }
    entries
}

/// What a reader should know: which values are not those of the file, and which entries occur several times.
fn notes(given: &[Given]) -> Vec<String> {
    let mut notes = Vec::new();
    let mut changed = given.iter().filter(|given| given.entry.changed);
    if let Some(first) = changed.next() {
        let (line, value) = (first.line, first.entry.value);
        let of = format!("{} of {} values", 1 + changed.count(), given.len());
        notes.push(format!(
            ":{line}: note: {of} change in 32 bits, by more than the rounding of a fraction: the first becomes {value:?}"
        ));
    }
    let place = |given: &&Given| (given.entry.row, given.entry.column);
    let mut sorted: Vec<&Given> = given.iter().collect();
    sorted.sort_by_key(|given| (place(given), given.line));
    let again = sorted.windows(2).filter(|two| place(&two[0]) == place(&two[1]));
    let lines: Vec<usize> = again.map(|two| two[1].line).collect();
    if let Some(line) = lines.iter().min() {
        let count = lines.len();
        notes.push(format!(
            ":{line}: note: {count} of {} entries are at the row and column of an earlier one: their values add up",
            given.len()
        ));
    }
    notes
}

/// Sorts entries by rows, in each row as they come.
fn by_rows(entries: &[Entry], (rows, columns_in_all): (u32, u32)) -> Csr {
    let mut lengths = vec![0u32; rows as usize];
    for entry in entries {
        lengths[entry.row as usize] += 1;
    }
    let rows = Offsets::of_lengths(lengths).expect("`shape` refuses more than 32 bits count");
    let mut next = rows.as_slice().to_vec();
    let mut columns = vec![0; entries.len()];
    let mut values = vec![0.0; entries.len()];
    for &Entry { row, column, value, .. } in entries {
        let i = next[row as usize] as usize;
        (columns[i], values[i]) = (column, value);
        next[row as usize] += 1;
    }
    Csr { rows, columns_in_all, columns, values }
}
