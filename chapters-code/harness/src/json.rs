//! Rows as JSON: one object a line.

use std::{
    fs::File,
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
};

use crate::{Error, Row};

/// Where the lines go.
pub struct JsonLines {
    path: PathBuf,
    out: Box<dyn Write>,
}

impl JsonLines {
    /// Opens the file at `path`, or standard output for `-`; before anything runs, so that a folder
    /// that does not exist costs no time.
    ///
    /// # Errors
    /// [`Error::Write`] with the system's reason.
    pub fn open(path: &Path) -> Result<Self, Error> {
        let out: Box<dyn Write> = if path == Path::new("-") {
            Box::new(io::stdout())
        } else {
            let file = File::create(path).map_err(|error| Error::write(path, error))?;
            Box::new(BufWriter::new(file))
        };
        Ok(Self {
            path: path.to_path_buf(),
            out,
        })
    }

    /// Writes a row and flushes, so that what is there is whole lines.
    ///
    /// # Errors
    /// [`Error::Write`] with the system's reason.
    pub fn write(&mut self, row: &Row) -> Result<(), Error> {
        self.write_line(row)
            .map_err(|error| Error::write(&self.path, error))
    }

    fn write_line(&mut self, row: &Row) -> io::Result<()> {
        serde_json::to_writer(&mut self.out, row)?;
        self.out.write_all(b"\n")?;
        self.out.flush()
    }
}
