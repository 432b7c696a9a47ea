//! Rows as JSON: one object a line.

use std::{
    fs::File,
    io::{self, BufWriter, Write},
    path::Path,
};

use crate::{Error, Row};

/// Where the lines go.
pub struct JsonLines(Box<dyn Write>);

impl JsonLines {
    /// Opens the file at `path`, or standard output for `-`; before anything runs, so that a folder
    /// that does not exist costs no time.
    pub fn open(path: &Path) -> Result<Self, Error> {
        if path == Path::new("-") {
            return Ok(Self(Box::new(io::stdout())));
        }
        let file = File::create(path).map_err(|error| Error::Write {
            path: path.to_path_buf(),
            error,
        })?;
        Ok(Self(Box::new(BufWriter::new(file))))
    }

    /// Writes a row and flushes, so that what is there is whole lines.
    pub fn write(&mut self, row: &Row) -> io::Result<()> {
        serde_json::to_writer(&mut self.0, row)?;
        self.0.write_all(b"\n")?;
        self.0.flush()
    }
}
