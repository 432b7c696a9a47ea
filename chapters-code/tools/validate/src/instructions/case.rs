//! A kernel that applies an instruction, and the layout of its results, as its text has it.

use anyhow::{Context, Error, Result};
use clap::ValueEnum;
use include_dir::{Dir, include_dir};

use super::inputs::Kind;

static FOLDER: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../../simulator/simt/tests/ptx");

/// How many rows of operands each kernel is given.
pub const ROWS: usize = 8192;

/// One kernel, named `kernel`: `(const u64 rows[ROWS][4], u8 results[ROWS][stride])`.
#[derive(Clone, Debug)]
pub struct Case {
    /// The file's name without its extension.
    pub name: &'static str,
    /// The PTX.
    pub text: &'static str,
    /// What its operands are, from the comment `// Operands:`.
    pub operands: Vec<Kind>,
    /// Bytes of a row of results.
    pub stride: usize,
    /// The results in a row.
    pub columns: Vec<Column>,
    /// Bytes of dynamic shared memory, from the comment `// Dynamic shared memory:`.
    pub dynamic_shared: u32,
    /// On the simulator the launch ends in an error, after which a process cannot use the device any more.
    /// From the comment `// The launch fails.`
    pub fails: bool,
}

/// One result of a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// The instructions that give it, with a number where they give several.
    pub name: String,
    /// Its place in the row, in bytes.
    pub offset: usize,
    /// Its bytes; one for a predicate.
    pub bytes: usize,
}

impl Case {
    /// All cases, by name.
    ///
    /// # Errors
    /// If a file does not say what it has to.
    pub fn all() -> Result<Vec<Self>> {
        let is_ptx = |path: &std::path::Path| path.extension().is_some_and(|e| e == "ptx");
        let files = FOLDER.files().filter(|file| is_ptx(file.path()));
        let mut cases = files
            .map(|file| {
                let name = file.path().file_stem().and_then(|name| name.to_str());
                let name = name.context("a file's name is UTF-8")?;
                let text = file.contents_utf8().context("PTX is UTF-8")?;
                Self::parse(name, text).with_context(|| format!("{name}.ptx"))
            })
            .collect::<Result<Vec<_>>>()?;
        cases.sort_by_key(|case| case.name);
        Ok(cases)
    }

    fn parse(name: &'static str, text: &'static str) -> Result<Self> {
        let comment = |label: &str| text.lines().find_map(|line| line.strip_prefix(label));
        let operands = comment("// Operands:").context("no line `// Operands:`")?;
        let operands = operands.split_whitespace();
        let operands = operands.map(|name| Kind::from_str(name, false).map_err(Error::msg));
        let stride = text.split("mad.wide.u32 %out, %i, ").nth(1);
        let stride = stride.and_then(|rest| rest.split(',').next());
        let shared = comment("// Dynamic shared memory:").map_or("0", str::trim);
        Ok(Self {
            name,
            text,
            operands: operands.collect::<Result<_>>()?,
            stride: stride.context("no row of results")?.parse()?,
            columns: columns(text)?,
            dynamic_shared: shared.parse()?,
            fails: comment("// The launch fails.").is_some(),
        })
    }
}

/// Every store into a row of results, in order.
fn columns(text: &str) -> Result<Vec<Column>> {
    let mut columns = Vec::new();
    for line in text.lines() {
        let stores: Vec<&str> = statements(line).filter(|s| is_result(s)).collect();
        let others: Vec<&str> = statements(line).filter(|s| !is_result(s)).collect();
        for (index, store) in stores.iter().enumerate() {
            let what = others.join("; ");
            let name = match stores.len() {
                1 => what,
                _ => format!("{what} #{index}"),
            };
            columns.push(column(name, store).with_context(|| format!("`{store}`"))?);
        }
    }
    Ok(columns)
}

fn statements(line: &str) -> impl Iterator<Item = &str> {
    // The end of a block may stand before a statement.
    let statements = line.split(';').map(|s| s.trim().trim_start_matches("} "));
    statements.filter(|s| !s.is_empty())
}

fn is_result(statement: &str) -> bool {
    statement.starts_with("st.global.b") && statement.contains("[%out+")
}

/// `st.global.b32 [%out+8], %d32`
fn column(name: String, store: &str) -> Result<Column> {
    let (bits, rest) = store["st.global.b".len()..].split_once(" [%out+").context("no address")?;
    let (offset, _) = rest.split_once(']').context("no end of the address")?;
    Ok(Column { name, offset: offset.parse()?, bytes: bits.parse::<usize>()? / 8 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_read_from_the_text() -> Result<()> {
        let text = "neg.s32 %d32, %a32; st.global.b32 [%out+0], %d32;\n\
                    A: {two; } st.global.b64 [%out+8], %d64; st.global.b8 [%out+16], %x16;\n\
                    st.global.u32 [%g], %a32;";
        let column = |name: &str, offset, bytes| Column { name: name.into(), offset, bytes };
        let expected = [
            column("neg.s32 %d32, %a32", 0, 4),
            column("A: {two #0", 8, 8),
            column("A: {two #1", 16, 1),
        ];
        assert_eq!(columns(text)?, expected);
        Ok(())
    }

    #[test]
    fn columns_lie_apart_within_the_row() -> Result<()> {
        for case in Case::all()? {
            let mut end = 0;
            for column in &case.columns {
                assert!(column.offset >= end, "{}: {column:?}", case.name);
                end = column.offset + column.bytes;
            }
            assert!(end <= case.stride && end > 0, "{}", case.name);
            let stores = case.text.matches(" [%out+").count();
            assert_eq!(stores, case.columns.len(), "{}", case.name);
        }
        Ok(())
    }
}
