use super::*;

const HEADER: &str = "%%MatrixMarket matrix coordinate real general\n";

/// A file with this field and symmetry.
fn of(field: &str, symmetry: &str, rest: &str) -> String {
    format!("%%MatrixMarket matrix coordinate {field} {symmetry}\n{rest}")
}

#[track_caller]
fn read(bytes: impl AsRef<[u8]>) -> Market {
    parse(bytes.as_ref(), 1000).unwrap_or_else(|no| panic!("{no:?}"))
}

/// Checks that a file is refused with this line and these words, and with a remedy that has these.
#[track_caller]
fn refused(bytes: impl AsRef<[u8]>, message: &str, remedy: &str) {
    let no = parse(bytes.as_ref(), 1000).expect_err("it is refused");
    assert!(format!("{}: {}", no.line, no.what).starts_with(message), "{no:?}");
    assert!(no.remedy.contains(remedy), "{no:?}");
}

fn matrix(offsets: &[u32], columns_in_all: u32, entries: &[(u32, f32)]) -> Csr {
    Csr {
        rows: Offsets::new(offsets.to_vec(), entries.len()).expect("offsets"),
        columns_in_all,
        columns: entries.iter().map(|entry| entry.0).collect(),
        values: entries.iter().map(|entry| entry.1).collect(),
    }
}

#[track_caller]
fn check(text: &str, expected: Csr) {
    assert_eq!(read(text), Market { matrix: expected, notes: Vec::new() }, "{text}");
}

#[test]
fn matrices() {
    let two_rows = matrix(&[0, 1, 1, 3], 2, &[(1, 2.5), (0, -1.0), (1, 3e2)]);
    check(&format!("{HEADER}% a comment\n3 2 3\n3 1 -1\n1 2 2.5\n\n3 2 3e2\n"), two_rows);
    let full = matrix(&[0, 2, 3], 2, &[(0, 5.0), (1, 7.0), (0, 7.0)]);
    check(&of("integer", "Symmetric", "2 2 2\n1 1 5\n2 1 7\n"), full);
    let skew = matrix(&[0, 1, 2], 2, &[(1, -7.0), (0, 7.0)]);
    check(&of("double", "skew-symmetric", "2 2 1\n2 1 7\n"), skew);
    check(&of("pattern", "general", "1 3 1\n1 3\n"), matrix(&[0, 1], 3, &[(2, 1.0)]));
    check(&format!("{HEADER}0 0 0\n"), matrix(&[0], 0, &[]));
}

#[test]
fn blanks_case_and_ends_of_lines_do_not_matter() {
    let expected = || matrix(&[0, 1, 2], 2, &[(1, 2.5), (0, 3.0)]);
    check(&format!("{HEADER}  2   2 2 \n 1\t2   2.5 \r\n   2 1 3\n\n"), expected());
    check(&format!("{}\n\n2 2 2\r\n+1 2 +2.5\r\n2 1 3", HEADER.trim().to_uppercase()), expected());
}

#[test]
fn comments_may_be_indented_anywhere_and_in_any_encoding() {
    let expected = || matrix(&[0, 1], 2, &[(1, 2.5)]);
    check(&format!("{HEADER}  % one\n\t%two\n1 2 1\n%\n 1 2 2.5\n % Universität\n"), expected());
    let latin1 = [HEADER.as_bytes(), b"% Universit\xe4t\n1 2 1\n1 2 2.5\n"].concat();
    assert_eq!(read(latin1).matrix, expected());
}

#[test]
fn exponents_of_fortran() {
    let text = format!("{HEADER}1 4 4\n1 1 1.0D+00\n1 2 2.5d-1\n1 3 -.5D1\n1 4 5.\n");
    check(&text, matrix(&[0, 4], 4, &[(0, 1.0), (1, 0.25), (2, -5.0), (3, 5.0)]));
}

#[test]
fn values_that_32_bits_change_are_noted_once() {
    let note = |field, values: &[&str]| {
        let lines: String = (1..).zip(values).map(|(i, v)| format!("{i} 1 {v}\n")).collect();
        read(of(field, "general", &format!("9 1 {}\n{lines}", values.len()))).notes.join(";")
    };
    let changed =
        "of 4 values change in 32 bits, by more than the rounding of a fraction: the first becomes";
    let values = ["16777216", "16777217", "5", "9007199254740993"];
    assert_eq!(note("integer", &values), format!(":4: note: 2 {changed} 16777216.0"));
    let values = ["0.1", "1e10", "-1e-300", "1.4e-45"];
    assert!(note("real", &values).starts_with(":5: note: 2 "), "{}", note("real", &values));
    assert_eq!(note("real", &["0.1", "1.000000001", "0", "0e-999", "1.17549435e-38"]), "");
}

#[test]
fn entries_that_occur_again_add_up() {
    let text = format!("{HEADER}2 2 4\n1 1 1\n2 2 5\n1 1 2\n1 1 3\n");
    let Market { matrix, notes } = read(text);
    assert_eq!(matrix.values, [1.0, 2.0, 3.0, 5.0]);
    let note =
        ":5: note: 2 of 4 entries are at the row and column of an earlier one: their values add up";
    assert_eq!(notes, [note]);
}

#[test]
fn both_halves_of_a_symmetric_matrix() {
    let has_it = "line 3 has this entry already, on the other side of the diagonal";
    for symmetry in ["symmetric", "skew-symmetric"] {
        let text = of("real", symmetry, "3 3 3\n1 2 2\n3 1 4\n2 1 2\n");
        refused(text, &format!("5: {has_it}: in a {symmetry} matrix"), "`general`");
    }
    // An upper half alone is read, and so are entries on either side that are not the same.
    let upper = of("real", "symmetric", "2 2 1\n1 2 2\n");
    check(&upper, matrix(&[0, 1, 2], 2, &[(1, 2.0), (0, 2.0)]));
    read(of("real", "symmetric", "3 3 2\n1 2 2\n3 1 2\n"));
}

#[test]
fn what_contradicts_the_header() {
    let pattern = of("pattern", "skew-symmetric", "2 2 1\n2 1\n");
    refused(pattern, "1: a `pattern` has no signs", "`symmetric` or `general`");
    let hermitian = of("real", "hermitian", "1 1 1\n1 1 1\n");
    refused(hermitian, "1: the matrix is `hermitian`", "`symmetric`");
    for value in ["1.5", "1e3", "1.0", "0x10"] {
        let text = of("integer", "general", &format!("3 3 1\n1 1 {value}\n"));
        refused(text, &format!("3: the value `{value}` is no whole number"), "`real`");
    }
    let diagonal = of("real", "skew-symmetric", "2 2 1\n1 1 3\n");
    refused(diagonal, "3: an entry on the diagonal", "remove");
    read(of("real", "skew-symmetric", "2 2 1\n1 1 0\n"));
    let with_values = of("pattern", "general", "3 3 1\n1 1 1\n");
    refused(with_values, "3: wanted are a row and a column", "`pattern` has no values");
    refused(format!("{HEADER}3 3 1\n1 1\n"), "3: wanted are a row, a column", "write `pattern`");
    let square = "2: a symmetric matrix has as many rows as columns, not 2 and 3";
    refused(of("real", "symmetric", "2 3 1\n1 3 3\n"), square, "`general`");
    let cut_off = "3: it is cut off: 1 of 2 entries are there";
    refused(format!("{HEADER}3 2 2\n1 1 1\n"), cut_off, "whole file");
    let more = "4: an entry more than the 1 that were announced";
    refused(format!("{HEADER}3 2 1\n1 1 1\n2 2 2\n"), more, "count the entries");
    refused(format!("{HEADER}0 5 1\n1 1 1\n"), "2: 1 entries are announced", "the sizes");
}

#[test]
fn other_files_by_their_kind() {
    refused("", "0: the file is empty", "again");
    refused("\n", "1: the first line is blank", "%%MatrixMarket");
    refused(HEADER, "2: the line of the sizes is missing", "whole file");
    refused(b"\x1f\x8b\x08\0\0", "0: the file is compressed with gzip", "gunzip FILE");
    refused(b"PK\x03\x04", "0: the file is compressed with zip", "unzip FILE");
    let utf16: Vec<u8> = HEADER.encode_utf16().flat_map(u16::to_le_bytes).collect();
    refused([b"\xff\xfe", &utf16[..]].concat(), "0: the file's text is in UTF-16", "iconv");
    refused(utf16, "0: the file's text is in UTF-16LE", "iconv -f UTF-16LE");
    refused(format!("\u{feff}{HEADER}1 1 0\n"), "1: the file begins with a byte-order", "tail -c");
    refused(HEADER.replace('\n', "\r"), "0: lines end in a carriage return", "tr ");
    refused(format!("{HEADER}1 1 0\n\0\0"), "3: there is a byte 0", "again");
    let array = "%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n4\n";
    refused(array, "1: the matrix is dense", "mmwrite");
    refused(
        "%%MatrixMarket vector coordinate real general\n",
        "1: the file has a `vector`",
        "matrix",
    );
    refused(&HEADER[1..], "1: the file begins with one `%`", "%%MatrixMarket");
    refused("3 3 1\n1 1 1\n", "1: the file begins with `3`", "%%MatrixMarket");
    refused(HEADER.replace("general", "general extra"), "1: 4 words follow", "FIELD SYMMETRY");
    refused(of("complex", "general", ""), "1: entries are `complex`", "real parts");
    refused(of("quaternion", "general", ""), "1: entries are `quaternion`", "FIELD SYMMETRY");
}

#[test]
fn numbers_that_are_none() {
    let sizes = |sizes: &str, message: &str| refused(format!("{HEADER}{sizes}\n"), message, "");
    sizes("3 2", "2: wanted are rows, columns and entries, found is `3 2`");
    sizes("3 2 -1", "2: wanted are rows, columns and entries, found is `3 2 -1`");
    sizes("3 2 1 0", "2: wanted are rows, columns and entries, found is `3 2 1 0`");
    sizes("99999999999999999999 1 1", "2: 99999999999999999999 is more than 64 bits count");
    sizes("4 4 18446744073709551615", "2: 18446744073709551615 rows, columns or entries are more");
    sizes("5000000000 1 1", "2: 5000000000 rows, columns or entries are more than 32 bits count");
    sizes("60 11 0", "2: 1004 bytes are needed for its rows and columns, and 1000 are free");
    let entry = |entry: &str, message: &str, remedy: &str| {
        refused(format!("{HEADER}3 2 1\n%\n{entry}\n"), &format!("4: {message}"), remedy);
    };
    entry("4 1 1", "row 4 is not in 1 to 3", "the sizes");
    entry("1 0 1", "column 0 is not in 1 to 2", "count from 1");
    entry("-1 1 1", "row -1 is not in 1 to 3", "the sizes");
    entry("99999999999999999999 1 1", "row 99999999999999999999 is not in 1 to 3", "the sizes");
    entry("1.0 1 1", "row `1.0` is no whole number", "whole numbers");
    entry("1 1 1 % one", "wanted are a row, a column and a value", "lines of their own");
    entry("1 1 1 2", "wanted are a row, a column and a value", "`complex`");
    for (value, remedy) in [
        ("nan", "finite"),
        ("-Inf", "finite"),
        ("1,5", "point"),
        ("1.0+05", "1.0E+05"),
        ("0x10", "decimal"),
        ("ä", "decimal"),
        ("1_000", "decimal"),
        ("1e", "decimal"),
    ] {
        entry(&format!("1 1 {value}"), &format!("the value `{value}` is no finite"), remedy);
    }
    for value in ["1e300", "-1e400", "4e38"] {
        entry(&format!("1 1 {value}"), &format!("the value `{value}` is more than"), "scale");
    }
}

/// What a file announces takes no memory until it is there.
#[test]
fn sizes_alone_take_no_memory() {
    let text = format!("{HEADER}3 3 2000000000\n1 1 1\n");
    refused(text, "3: it is cut off: 1 of 2000000000 entries are there", "whole file");
}
