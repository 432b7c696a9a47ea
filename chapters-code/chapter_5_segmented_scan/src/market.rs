//! Sparse matrices out of files in Matrix Market's coordinate format (Boisvert, Pozo and Remington 1996).

use std::{
    fs,
    path::{Path, PathBuf},
    str::FromStr,
};

use harness::device::host_available_bytes;

use crate::{segments::Offsets, sparse::Csr};

/// What is wrong with a file, and where.
#[derive(Debug, thiserror::Error)]
#[error("{}{}: {what}", path.display(), place(*line))]
pub struct MarketError {
    /// The file.
    path: PathBuf,
    /// The line, from 1; 0 for the whole file.
    line: usize,
    what: String,
}

fn place(line: usize) -> String {
    match line {
        0 => String::new(),
        _ => format!(":{line}"),
    }
}

/// What the entries of a file are.
#[derive(Clone, Copy, PartialEq)]
enum Field {
    /// A value each.
    Number,
    /// Places only: every value is 1.
    Pattern,
}

/// What of the matrix a file leaves out.
#[derive(Clone, Copy, PartialEq)]
enum Symmetry {
    General,
    Symmetric,
    Skew,
}

/// An entry: row and column from 0, and value.
type Entry = (u32, u32, f32);

/// Reads the matrix in a file.
///
/// # Errors
/// [`MarketError`] with the file, the line and the cause.
pub fn read(path: &Path) -> Result<Csr, MarketError> {
    let error = |(line, what)| MarketError { path: path.to_path_buf(), line, what };
    let text = fs::read_to_string(path).map_err(|reason| error((0, reason.to_string())))?;
    // A share for the device, and for what it computes; what is not known is not refused.
    let room = host_available_bytes().map_or(u64::MAX, |bytes| bytes / 4);
    parse(&text, room).map_err(error)
}

/// A cause with its line.
type Placed<T> = Result<T, (usize, String)>;

/// The matrix of a text, whose rows and columns may take `room` bytes.
fn parse(text: &str, room: u64) -> Placed<Csr> {
    let mut lines = (1..).zip(text.lines());
    let (field, symmetry) = header(lines.next().map_or("", |(_, line)| line))?;
    let mut lines = lines.filter(|(_, line)| !line.starts_with('%') && !line.trim().is_empty());
    let Some((at, sizes)) = lines.next() else {
        return Err((text.lines().count(), not_numbers(SIZES, "")));
    };
    let sizes = numbers(sizes, SIZES).map_err(|what| (at, what))?;
    let wanted = sizes[2];
    let shape = shape(sizes, symmetry, room).map_err(|what| (at, what))?;
    let (mut entries, mut found, mut last) = (Vec::new(), 0, at);
    for (at, line) in lines {
        if found == wanted {
            return Err((at, format!("an entry more than the {wanted} that were announced")));
        }
        let entry = entry(line, field, shape).map_err(|what| (at, what))?;
        if symmetry == Symmetry::Skew && entry.0 == entry.1 {
            let what =
                "an entry on the diagonal: in a skew-symmetric matrix it is 0 there, and left out";
            return Err((at, what.into()));
        }
        entries.push(entry);
        entries.extend(mirrored(entry, symmetry));
        (found, last) = (found + 1, at);
    }
    match found < wanted {
        true => Err((last, format!("it is cut off: {found} of {wanted} entries are there"))),
        false => Ok(by_rows(&entries, shape)),
    }
}

const SIZES: &str = "rows, columns and entries";

/// Rows and columns, if they can be had.
fn shape(
    [rows, columns, entries]: [u64; 3],
    symmetry: Symmetry,
    room: u64,
) -> Result<(u32, u32), String> {
    // Each entry of a symmetric matrix may stand for two.
    let most = rows.max(columns).max(entries.saturating_mul(2));
    if most > u64::from(u32::MAX) - (1 << 16) {
        let most = rows.max(columns).max(entries);
        return Err(format!("{most} rows, columns or entries are more than 32 bits count"));
    }
    let name = match symmetry {
        Symmetry::General => None,
        Symmetry::Symmetric => Some("symmetric"),
        Symmetry::Skew => Some("skew-symmetric"),
    };
    if let Some(symmetry) = name.filter(|_| rows != columns) {
        return Err(format!(
            "a {symmetry} matrix has as many rows as columns, not {rows} and {columns}"
        ));
    }
    // Lengths, offsets, places and results by row; the vector by column.
    let needed = 16 * rows + 4 * columns;
    match needed > room {
        true => {
            Err(format!("{needed} bytes are needed for its rows and columns, and {room} are free"))
        }
        false => Ok((rows as u32, columns as u32)),
    }
}

fn header(line: &str) -> Placed<(Field, Symmetry)> {
    let line = line.to_lowercase();
    let words: Vec<&str> = line.split_whitespace().collect();
    let ["%%matrixmarket", "matrix", "coordinate", field, symmetry] = words[..] else {
        return Err((1, "it does not begin with `%%MatrixMarket matrix coordinate …`".into()));
    };
    let field = match field {
        "real" | "integer" => Field::Number,
        "pattern" => Field::Pattern,
        other => {
            let readable = "what can be read are real, integer and pattern";
            return Err((1, format!("entries are `{other}`; {readable}")));
        }
    };
    let symmetry = match symmetry {
        "general" => Symmetry::General,
        "symmetric" => Symmetry::Symmetric,
        "skew-symmetric" => Symmetry::Skew,
        other => {
            let readable = "what can be read are general, symmetric and skew-symmetric";
            return Err((1, format!("the matrix is `{other}`; {readable}")));
        }
    };
    Ok((field, symmetry))
}

fn not_numbers(wanted: &str, found: &str) -> String {
    format!("wanted are {wanted}, found is `{found}`")
}

/// A line of `N` numbers and nothing else.
fn numbers<T: FromStr, const N: usize>(line: &str, wanted: &str) -> Result<[T; N], String> {
    let words = line.split_whitespace().map(|word| word.parse().ok());
    let numbers: Option<Vec<T>> = words.collect();
    let numbers = numbers.and_then(|numbers| numbers.try_into().ok());
    numbers.ok_or_else(|| not_numbers(wanted, line))
}

fn entry(line: &str, field: Field, (rows, columns): (u32, u32)) -> Result<Entry, String> {
    let (row, column, value) = match field {
        Field::Pattern => {
            let [row, column] = numbers::<u64, 2>(line, "a row and a column")?;
            (row, column, 1.0)
        }
        Field::Number => {
            let words: Vec<&str> = line.split_whitespace().collect();
            let wanted = || not_numbers("a row, a column and a value", line);
            let [row, column, value] = words[..] else {
                return Err(wanted());
            };
            let place = |word: &str| word.parse::<u64>().map_err(|_| wanted());
            let number = value.parse::<f32>().map_err(|_| wanted())?;
            if !number.is_finite() {
                return Err(format!(
                    "the value is `{value}`, which is no finite number of 32 bits"
                ));
            }
            (place(row)?, place(column)?, number)
        }
    };
    let in_range = |which, index: u64, most: u32| match (1..=u64::from(most)).contains(&index) {
        true => Ok(index as u32 - 1),
        false => Err(format!("{which} {index} is not in 1 to {most}")),
    };
    Ok((in_range("row", row, rows)?, in_range("column", column, columns)?, value))
}

/// The entry on the other side of the diagonal, which the file leaves out.
fn mirrored((row, column, value): Entry, symmetry: Symmetry) -> Option<Entry> {
    match symmetry {
        _ if row == column => None,
        Symmetry::General => None,
        Symmetry::Symmetric => Some((column, row, value)),
        Symmetry::Skew => Some((column, row, -value)),
    }
}

/// Sorts entries by rows, in each row as they come.
fn by_rows(entries: &[Entry], (rows, columns_in_all): (u32, u32)) -> Csr {
    let mut lengths = vec![0u32; rows as usize];
    for &(row, ..) in entries {
        lengths[row as usize] += 1;
    }
    let rows = Offsets::of_lengths(lengths).unwrap_or_else(|_| Offsets::none());
    let mut next = rows.as_slice().to_vec();
    let mut columns = vec![0; entries.len()];
    let mut values = vec![0.0; entries.len()];
    for &(row, column, value) in entries {
        let i = next[row as usize] as usize;
        (columns[i], values[i]) = (column, value);
        next[row as usize] += 1;
    }
    Csr { rows, columns_in_all, columns, values }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str = "%%MatrixMarket matrix coordinate real general\n";

    #[track_caller]
    fn check(text: &str, expected: Result<Csr, &str>) {
        match (parse(text, 1000), expected) {
            (Ok(found), Ok(expected)) => assert_eq!(found, expected, "{text}"),
            (Err((line, what)), Err(message)) => assert_eq!(format!("{line}: {what}"), message),
            (found, expected) => panic!("{text}: {found:?}, expected {expected:?}"),
        }
    }

    fn matrix(offsets: &[u32], columns_in_all: u32, entries: &[(u32, f32)]) -> Csr {
        Csr {
            rows: Offsets::new(offsets.to_vec(), entries.len()).expect("offsets"),
            columns_in_all,
            columns: entries.iter().map(|entry| entry.0).collect(),
            values: entries.iter().map(|entry| entry.1).collect(),
        }
    }

    #[test]
    fn matrices() {
        let two_rows = matrix(&[0, 1, 1, 3], 2, &[(1, 2.5), (0, -1.0), (1, 3e2)]);
        let text = "% a comment\n3 2 3\n3 1 -1\n1 2 2.5\n\n3 2 3e2\n";
        check(&format!("{HEADER}{text}"), Ok(two_rows));
        let symmetric = "%%MatrixMarket matrix coordinate integer Symmetric\n2 2 2\n1 1 5\n2 1 7\n";
        let full = matrix(&[0, 2, 3], 2, &[(0, 5.0), (1, 7.0), (0, 7.0)]);
        check(symmetric, Ok(full));
        let skew = "%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 1 7\n";
        check(skew, Ok(matrix(&[0, 1, 2], 2, &[(1, -7.0), (0, 7.0)])));
        let pattern = "%%MatrixMarket matrix coordinate pattern general\n1 3 1\n1 3\n";
        check(pattern, Ok(matrix(&[0, 1], 3, &[(2, 1.0)])));
        check(&format!("{HEADER}0 0 0\n"), Ok(matrix(&[0], 0, &[])));
    }

    /// Blanks before, between and behind, as others write them.
    #[test]
    fn blanks_do_not_matter() {
        let text = format!("{HEADER}  2   2 2 \n 1\t2   2.5 \r\n   2 1 3\n\n");
        check(&text, Ok(matrix(&[0, 1, 2], 2, &[(1, 2.5), (0, 3.0)])));
    }

    #[test]
    fn what_no_matrix_can_be() {
        let refused = |rest: &str, message| check(&format!("{HEADER}{rest}"), Err(message));
        let most = "2: 18446744073709551615 rows, columns or entries are more than 32 bits count";
        refused("4 4 18446744073709551615\n", most);
        refused(
            "60 11 0\n",
            "2: 1004 bytes are needed for its rows and columns, and 1000 are free",
        );
        let finite = "which is no finite number of 32 bits";
        for value in ["nan", "inf", "1e400"] {
            let message = format!("3: the value is `{value}`, {finite}");
            check(&format!("{HEADER}1 1 1\n1 1 {value}\n"), Err(&message));
        }
        let symmetric = "%%MatrixMarket matrix coordinate real symmetric\n2 3 1\n1 3 3\n";
        let square = "2: a symmetric matrix has as many rows as columns, not 2 and 3";
        check(symmetric, Err(square));
        let skew = "%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n1 1 3\n";
        let diagonal =
            "3: an entry on the diagonal: in a skew-symmetric matrix it is 0 there, and left out";
        check(skew, Err(diagonal));
    }

    #[test]
    fn what_is_refused() {
        let none = "1: it does not begin with `%%MatrixMarket matrix coordinate …`";
        check("", Err(none));
        check("%%MatrixMarket matrix array real general\n", Err(none));
        let complex = "%%MatrixMarket matrix coordinate complex general\n1 1 0\n";
        let field = "1: entries are `complex`; what can be read are real, integer and pattern";
        check(complex, Err(field));
        let hermitian = "%%MatrixMarket matrix coordinate real hermitian\n";
        check(
            hermitian,
            Err(
                "1: the matrix is `hermitian`; what can be read are general, symmetric and skew-symmetric",
            ),
        );
        let refused = |rest: &str, message| check(&format!("{HEADER}{rest}"), Err(message));
        refused("", "1: wanted are rows, columns and entries, found is ``");
        refused("3 2\n", "2: wanted are rows, columns and entries, found is `3 2`");
        refused("3 2 -1\n", "2: wanted are rows, columns and entries, found is `3 2 -1`");
        refused("3 2 1\n4 1 1\n", "3: row 4 is not in 1 to 3");
        refused("3 2 1\n%\n1 0 1\n", "4: column 0 is not in 1 to 2");
        refused("3 2 2\n1 1 1\n", "3: it is cut off: 1 of 2 entries are there");
        refused("3 2 1\n1 1 1\n2 2 2\n", "4: an entry more than the 1 that were announced");
        refused("3 2 1\n1 1\n", "3: wanted are a row, a column and a value, found is `1 1`");
        refused("3 2 1\n1 1 x\n", "3: wanted are a row, a column and a value, found is `1 1 x`");
        refused(
            "1 1 1\n1 1 1 1\n",
            "3: wanted are a row, a column and a value, found is `1 1 1 1`",
        );
        refused(
            "5000000000 1 1\n",
            "2: 5000000000 rows, columns or entries are more than 32 bits count",
        );
    }
}
