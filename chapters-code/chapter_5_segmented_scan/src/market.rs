//! Sparse matrices out of files in Matrix Market's coordinate format (Boisvert, Pozo and Remington 1996).

use std::{fs, path::Path};

use harness::{Error, device::host_available_bytes};

use crate::{segments::Offsets, sparse::Csr};

/// The entries that a file leaves out, on the other side of the diagonal: the name of the matrix's symmetry, and the factor
/// of their values. None where the file leaves out nothing.
type Symmetry = Option<(&'static str, f32)>;

const SYMMETRIC: Symmetry = Some(("symmetric", 1.0));
const SKEW: Symmetry = Some(("skew-symmetric", -1.0));

/// An entry: row and column from 0, and value.
type Entry = (u32, u32, f32);

/// Reads the matrix in a file.
///
/// # Errors
/// [`Error::Usage`] with the file, the line and the cause.
pub fn read(path: &Path) -> Result<Csr, Error> {
    let error = |(line, what): (usize, String)| {
        let line = if line == 0 { String::new() } else { format!(":{line}") };
        let what = format!("{}{line}: {what}", path.display());
        Error::usage(what, "give --matrix a whole file in Matrix Market's coordinate format")
    };
    let text = fs::read_to_string(path).map_err(|reason| error((0, reason.to_string())))?;
    // A share for the device, and for what it computes; what is not known is not refused.
    let room = host_available_bytes().map_or(u64::MAX, |bytes| bytes / 4);
    parse(&text, room).map_err(error)
}

/// The matrix of a text, whose rows and columns may take `room` bytes. An error has its line, from 1.
fn parse(text: &str, room: u64) -> Result<Csr, (usize, String)> {
    let mut lines = (1..).zip(text.lines());
    let (is_pattern, symmetry) =
        header(lines.next().map_or("", |(_, line)| line)).map_err(|what| (1, what))?;
    let mut lines = lines.filter(|(_, line)| !line.starts_with('%') && !line.trim().is_empty());
    let (at, sizes) = lines.next().unwrap_or((text.lines().count(), ""));
    let numbers: Vec<_> = sizes.split_whitespace().map(|word| word.parse().ok()).collect();
    let [Some(rows), Some(columns), Some(wanted)] = numbers[..] else {
        return Err((at, not_numbers("rows, columns and entries", sizes)));
    };
    let shape = shape([rows, columns, wanted], symmetry, room).map_err(|what| (at, what))?;
    let (mut entries, mut found, mut last) = (Vec::new(), 0, at);
    for (at, line) in lines {
        if found == wanted {
            return Err((at, format!("an entry more than the {wanted} that were announced")));
        }
        let (row, column, value) = entry(line, is_pattern, shape).map_err(|what| (at, what))?;
        if symmetry == SKEW && row == column {
            let what =
                "an entry on the diagonal: in a skew-symmetric matrix it is 0 there, and left out";
            return Err((at, what.into()));
        }
        entries.push((row, column, value));
        let mirrored = symmetry.filter(|_| row != column);
        entries.extend(mirrored.map(|(_, factor)| (column, row, factor * value)));
        (found, last) = (found + 1, at);
    }
    match found < wanted {
        true => Err((last, format!("it is cut off: {found} of {wanted} entries are there"))),
        false => Ok(by_rows(&entries, shape)),
    }
}

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
    if let Some((symmetry, _)) = symmetry.filter(|_| rows != columns) {
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

/// Whether entries are places only, whose values are 1; and which of them the file leaves out.
fn header(line: &str) -> Result<(bool, Symmetry), String> {
    let line = line.to_lowercase();
    let words: Vec<&str> = line.split_whitespace().collect();
    let ["%%matrixmarket", "matrix", "coordinate", field, symmetry] = words[..] else {
        return Err("it does not begin with `%%MatrixMarket matrix coordinate …`".into());
    };
    if !["real", "integer", "pattern"].contains(&field) {
        let readable = "what can be read are real, integer and pattern";
        return Err(format!("entries are `{field}`; {readable}"));
    }
    let symmetry = match symmetry {
        "general" => None,
        "symmetric" => SYMMETRIC,
        "skew-symmetric" => SKEW,
        other => {
            let readable = "what can be read are general, symmetric and skew-symmetric";
            return Err(format!("the matrix is `{other}`; {readable}"));
        }
    };
    Ok((field == "pattern", symmetry))
}

fn not_numbers(wanted: &str, found: &str) -> String {
    format!("wanted are {wanted}, found is `{found}`")
}

fn entry(line: &str, is_pattern: bool, (rows, columns): (u32, u32)) -> Result<Entry, String> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let (row, column, text) = match (is_pattern, &words[..]) {
        (true, &[row, column]) => (row, column, "1"),
        (false, &[row, column, value]) => (row, column, value),
        _ => ("", "", ""),
    };
    let (Ok(row), Ok(column), Ok(value)) =
        (row.parse::<u64>(), column.parse::<u64>(), text.parse::<f32>())
    else {
        let wanted = if is_pattern { "a row and a column" } else { "a row, a column and a value" };
        return Err(not_numbers(wanted, line));
    };
    if !value.is_finite() {
        return Err(format!("the value is `{text}`, which is no finite number of 32 bits"));
    }
    let in_range = |which, index: u64, most: u32| match (1..=u64::from(most)).contains(&index) {
        true => Ok(index as u32 - 1),
        false => Err(format!("{which} {index} is not in 1 to {most}")),
    };
    Ok((in_range("row", row, rows)?, in_range("column", column, columns)?, value))
}

/// Sorts entries by rows, in each row as they come.
fn by_rows(entries: &[Entry], (rows, columns_in_all): (u32, u32)) -> Csr {
    let mut lengths = vec![0u32; rows as usize];
    for &(row, ..) in entries {
        lengths[row as usize] += 1;
    }
    let rows = Offsets::of_lengths(lengths).expect("`shape` refuses more than 32 bits count");
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
        let needed = "2: 1004 bytes are needed for its rows and columns, and 1000 are free";
        refused("60 11 0\n", needed);
        let finite = "which is no finite number of 32 bits";
        for value in ["nan", "inf", "1e400"] {
            let message = format!("3: the value is `{value}`, {finite}");
            check(&format!("{HEADER}1 1 1\n1 1 {value}\n"), Err(&message));
        }
        let of = |symmetry, rest| HEADER.replace("general", symmetry) + rest;
        let square = "2: a symmetric matrix has as many rows as columns, not 2 and 3";
        check(&of("symmetric", "2 3 1\n1 3 3\n"), Err(square));
        let diagonal =
            "3: an entry on the diagonal: in a skew-symmetric matrix it is 0 there, and left out";
        check(&of("skew-symmetric", "2 2 1\n1 1 3\n"), Err(diagonal));
    }

    #[test]
    fn what_is_refused() {
        let none = "1: it does not begin with `%%MatrixMarket matrix coordinate …`";
        check("", Err(none));
        check("%%MatrixMarket matrix array real general\n", Err(none));
        let field = "1: entries are `complex`; what can be read are real, integer and pattern";
        check(&HEADER.replace("real", "complex"), Err(field));
        let readable = "what can be read are general, symmetric and skew-symmetric";
        let symmetry = format!("1: the matrix is `hermitian`; {readable}");
        check(&HEADER.replace("general", "hermitian"), Err(&symmetry));
        let refused = |rest: &str, message| check(&format!("{HEADER}{rest}"), Err(message));
        refused("", "1: wanted are rows, columns and entries, found is ``");
        refused("3 2\n", "2: wanted are rows, columns and entries, found is `3 2`");
        refused("3 2 -1\n", "2: wanted are rows, columns and entries, found is `3 2 -1`");
        refused("3 2 1\n4 1 1\n", "3: row 4 is not in 1 to 3");
        refused("3 2 1\n%\n1 0 1\n", "4: column 0 is not in 1 to 2");
        refused("3 2 2\n1 1 1\n", "3: it is cut off: 1 of 2 entries are there");
        refused("3 2 1\n1 1 1\n2 2 2\n", "4: an entry more than the 1 that were announced");
        for line in ["1 1", "1 1 x", "1 1 1 1"] {
            let message = format!("3: wanted are a row, a column and a value, found is `{line}`");
            check(&format!("{HEADER}3 2 1\n{line}\n"), Err(&message));
        }
        let large = "2: 5000000000 rows, columns or entries are more than 32 bits count";
        refused("5000000000 1 1\n", large);
    }
}
