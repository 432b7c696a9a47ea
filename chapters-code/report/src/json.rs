//! Rows as JSON, one object a line, and the files that results are written to.

use std::{
    fs::{self, File},
    io::{self, Write},
    path::{Path, PathBuf},
};

use crate::Row;
use harness::Error;

/// Where results can go. What a file holds stays until they do, and one that was not there is deleted
/// again if they never do.
pub struct Target {
    path: PathBuf,
    /// None is standard output.
    file: Option<File>,
    is_new: bool,
}

impl Target {
    /// Opens the file at `path`, or standard output for `-`; before anything runs, so that a folder
    /// that does not exist costs no time.
    ///
    /// # Errors
    /// [`Error::Write`] with the system's reason.
    pub fn open(path: &Path) -> Result<Self, Error> {
        let is_new = !path.exists();
        let open = |path| File::options().create(true).append(true).open(path);
        let file = (path != Path::new("-")).then(|| open(path)).transpose();
        Ok(Self {
            path: path.to_path_buf(),
            file: file.map_err(|error| Error::write(path, error))?,
            is_new,
        })
    }

    /// Empties the file, for lines.
    ///
    /// # Errors
    /// [`Error::Write`] with the system's reason.
    pub fn begin(mut self) -> Result<JsonLines, Error> {
        let out: Box<dyn Write> = match self.file.take() {
            None => Box::new(io::stdout()),
            Some(file) => {
                empty(&file).map_err(|error| Error::write(&self.path, error))?;
                Box::new(file)
            }
        };
        let path = self.path.clone();
        Ok(JsonLines { path, out })
    }
}

/// A pipe, or a device, has no length to set.
fn empty(file: &File) -> io::Result<()> {
    match file.metadata()?.is_file() {
        true => file.set_len(0),
        false => Ok(()),
    }
}

impl Drop for Target {
    fn drop(&mut self) {
        if self.is_new && self.file.is_some() {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// A file of lines, or standard output.
pub struct JsonLines {
    path: PathBuf,
    out: Box<dyn Write>,
}

impl JsonLines {
    /// Writes a row and flushes, so that what is there is whole lines.
    ///
    /// # Errors
    /// [`Error::Write`] with the system's reason.
    pub fn write(&mut self, row: &Row) -> Result<(), Error> {
        self.write_line(row).map_err(|error| Error::write(&self.path, error))
    }

    fn write_line(&mut self, row: &Row) -> io::Result<()> {
        let mut line = serde_json::to_vec(&row.recorded)?;
        line.push(b'\n');
        self.out.write_all(&line)?;
        self.out.flush()
    }
}
