//! The first line of a file, and the line of the sizes.

use super::Refusal;

/// The entries that a file leaves out, on the other side of the diagonal: the name of the matrix's symmetry, and the
/// factor of their values. None if the file leaves out nothing.
pub(super) type Symmetry = Option<(&'static str, f32)>;

const SYMMETRIC: Symmetry = Some(("symmetric", 1.0));
pub(super) const SKEW: Symmetry = Some(("skew-symmetric", -1.0));

/// What a file's values are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Field {
    Real,
    Integer,
    /// There are none: each is 1.
    Pattern,
}

/// What the first line says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Format {
    pub field: Field,
    pub symmetry: Symmetry,
}

/// What the first line has to be.
const EXPECTED: &str =
    "begin the file with `%%MatrixMarket matrix coordinate FIELD SYMMETRY`, such as `real general`";

/// Reads the first line. Its words may be in upper case, too.
pub(super) fn header(line: &str) -> Result<Format, Refusal> {
    let line = line.to_lowercase();
    let words: Vec<&str> = line.split_whitespace().collect();
    let Some((banner, words)) = words.split_first() else {
        return Err(Refusal::new("the first line is blank", EXPECTED));
    };
    if let Some(no) = banner_refused(banner) {
        return Err(no);
    }
    let &[object, layout, field, symmetry] = words else {
        let count = words.len();
        let what = format!("4 words follow `%%MatrixMarket`, not {count}");
        return Err(Refusal::new(what, EXPECTED));
    };
    if let Some(no) = layout_refused(object, layout) {
        return Err(no);
    }
    let field = match field {
        // Old files say `double`.
        "real" | "double" => Field::Real,
        "integer" => Field::Integer,
        "pattern" => Field::Pattern,
        "complex" => {
            let what = "entries are `complex`; what can be read are real, integer and pattern";
            return Err(Refusal::new(what, "write the real parts, and `real` in the first line"));
        }
        other => {
            let what =
                format!("entries are `{other}`; what can be read are real, integer and pattern");
            return Err(Refusal::new(what, EXPECTED));
        }
    };
    Ok(Format { field, symmetry: symmetry_of(symmetry, field)? })
}

fn banner_refused(banner: &str) -> Option<Refusal> {
    match banner {
        "%%matrixmarket" => None,
        "%matrixmarket" => {
            let what = "the file begins with one `%`, where the format has two";
            Some(Refusal::new(what, "begin it with `%%MatrixMarket`"))
        }
        other if other.starts_with("%%matrixmarket") => {
            let what = "a blank is missing behind `%%MatrixMarket`";
            Some(Refusal::new(what, EXPECTED))
        }
        other => {
            let what =
                format!("the file begins with `{}`, not with `%%MatrixMarket`", shortened(other));
            let remedy = format!("give --matrix a file of the Matrix Market, or {EXPECTED}");
            Some(Refusal::new(what, remedy))
        }
    }
}

fn layout_refused(object: &str, layout: &str) -> Option<Refusal> {
    match (object, layout) {
        ("matrix", "coordinate") => None,
        ("matrix", "array") => {
            let what = "the matrix is dense, an `array` of all its values; what can be read is `coordinate`";
            let remedy = "write each entry that is not 0 with its row and column, as scipy.io.mmwrite does with a \
                          scipy.sparse matrix";
            Some(Refusal::new(what, remedy))
        }
        ("vector", _) => {
            let what = "the file has a `vector`; what can be read is a `matrix`";
            Some(Refusal::new(what, "give --matrix the file of the matrix"))
        }
        ("matrix", other) => {
            let what = format!("the format is `{other}`; what can be read is `coordinate`");
            Some(Refusal::new(what, EXPECTED))
        }
        (other, _) => {
            let what = format!("the file has a `{other}`; what can be read is a `matrix`");
            Some(Refusal::new(what, EXPECTED))
        }
    }
}

fn symmetry_of(symmetry: &str, field: Field) -> Result<Symmetry, Refusal> {
    match (symmetry, field) {
        ("general", _) => Ok(None),
        ("symmetric", _) => Ok(SYMMETRIC),
        ("skew-symmetric", Field::Pattern) => {
            let what = "a `pattern` has no signs, so it cannot be `skew-symmetric`";
            Err(Refusal::new(what, "write `symmetric` or `general`, or give the values as `real`"))
        }
        ("skew-symmetric", _) => Ok(SKEW),
        ("hermitian", _) => {
            let what = "the matrix is `hermitian`, which only a complex one can be; what can be read are general, \
                        symmetric and skew-symmetric";
            Err(Refusal::new(what, "if its values are real, write `symmetric`"))
        }
        (other, _) => {
            let readable = "what can be read are general, symmetric and skew-symmetric";
            Err(Refusal::new(format!("the matrix is `{other}`; {readable}"), EXPECTED))
        }
    }
}

/// Reads rows, columns and entries.
pub(super) fn sizes(line: &str) -> Result<[u64; 3], Refusal> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let &[rows, columns, entries] = &words[..] else {
        let what = format!("wanted are rows, columns and entries, found is `{}`", shortened(line));
        let remedy = match words.len() {
            2 => "add the number of entries: with two sizes the format is `array`",
            _ => "give three numbers: rows, columns and entries",
        };
        return Err(Refusal::new(what, remedy));
    };
    let number = |word: &str| {
        let is_number = !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
        match word.parse() {
            Ok(number) => Ok(number),
            Err(_) if is_number => {
                let what = format!("{} is more than 64 bits count", shortened(word));
                Err(Refusal::new(what, "give --matrix a smaller matrix"))
            }
            Err(_) => {
                let what =
                    format!("wanted are rows, columns and entries, found is `{}`", shortened(line));
                Err(Refusal::new(what, "write the sizes as whole numbers of 0 or more"))
            }
        }
    };
    Ok([number(rows)?, number(columns)?, number(entries)?])
}

/// The beginning of a text, so that a long line does not fill the screen.
pub(super) fn shortened(text: &str) -> String {
    const MOST: usize = 60;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
