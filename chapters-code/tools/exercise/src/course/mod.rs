//! A course: exercises by chapter, each a folder.

mod cut;
mod declaration;
pub mod launch;
mod mutant;
mod range;
pub mod task;

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, bail};
use xtask::kernel::{read, relative};

pub(crate) use self::declaration::named;
pub use self::{
    cut::{Cut, cut},
    declaration::{Declaration, Demand, Form, LongestWarp, Question, Scratch},
    launch::{Launch, Parameter},
    mutant::Mutant,
    range::{Long, Range},
};

/// One exercise.
#[derive(Clone, Debug)]
pub struct Exercise {
    /// The chapter's number.
    pub chapter: u32,
    /// Its place within the chapter, from 1.
    pub number: u32,
    /// Its name, such as `block_sum`.
    pub name: String,
    /// Its folder.
    pub folder: PathBuf,
    /// What it asks for.
    pub declaration: Declaration,
}

/// All exercises, in their order.
#[derive(Clone, Debug)]
pub struct Course {
    /// The exercises.
    pub exercises: Vec<Exercise>,
}

/// The folder of the exercises that come with the book, within the workspace.
pub const FOLDER: &str = "chapters-code/tools/exercise/course";

impl Course {
    /// Reads `folder/chapter_N/NN_name/exercise.toml`, all of them.
    ///
    /// # Errors
    /// If a declaration cannot be read or makes no sense, with its path.
    pub fn read(folder: &Path) -> Result<Self> {
        let mut exercises = Vec::new();
        for (chapter, path) in numbered(folder, "chapter_")? {
            for (number, path) in numbered(&path, "")? {
                exercises.push(Exercise::read(chapter, number, &path)?);
            }
        }
        if exercises.is_empty() {
            bail!("there are no exercises in {}", folder.display());
        }
        Ok(Self { exercises })
    }

    /// The exercise that a text names: `block_sum`, `1.2` or the path of its file.
    ///
    /// # Errors
    /// If it names none, or several; with those that there are.
    pub fn find(&self, text: &str) -> Result<&Exercise> {
        let wanted = Path::new(text).file_stem().unwrap_or_default();
        let wanted = wanted.to_string_lossy();
        let exact = |exercise: &&Exercise| {
            exercise.name == text || exercise.number() == text || exercise.file_stem() == wanted
        };
        let begins = |exercise: &&Exercise| exercise.name.starts_with(text) && !text.is_empty();
        if let Some(exercise) = self.exercises.iter().find(exact) {
            return Ok(exercise);
        }
        let candidates: Vec<&Exercise> = self.exercises.iter().filter(begins).collect();
        match candidates[..] {
            [exercise] => Ok(exercise),
            [] => bail!("there is no exercise `{text}`; `cargo exercise list` shows all"),
            _ => {
                let names: Vec<&str> = candidates.iter().map(|e| e.name.as_str()).collect();
                bail!("`{text}` may be {}", names.join(" or "))
            }
        }
    }
}

impl Exercise {
    /// Reads the exercise in a folder, by itself.
    ///
    /// # Errors
    /// As [`Course::read`].
    pub fn open(folder: &Path) -> Result<Self> {
        Self::read(0, 0, folder)
    }

    fn read(chapter: u32, number: u32, folder: &Path) -> Result<Self> {
        let path = folder.join("exercise.toml");
        let text = read(&path)?;
        let declaration: Declaration =
            toml::from_str(&text).with_context(|| format!("in {}", path.display()))?;
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        let (_, name) = name.split_once('_').unwrap_or(("", &name));
        let exercise = Self {
            chapter,
            number,
            name: name.to_owned(),
            folder: folder.to_path_buf(),
            declaration,
        };
        exercise.declaration.check().with_context(|| format!("in {}", path.display()))?;
        Ok(exercise)
    }

    /// Its number in the course, such as `1.2`.
    pub fn number(&self) -> String {
        format!("{}.{}", self.chapter, self.number)
    }

    /// Whether a kernel is to be written, and not answers to be typed in.
    pub fn has_kernel(&self) -> bool {
        self.declaration.question.is_empty()
    }

    /// The file that a student edits, within the folder of all such files.
    pub fn file(&self) -> PathBuf {
        let extension = if self.has_kernel() { "cu" } else { "toml" };
        let chapter = format!("chapter_{}", self.chapter);
        Path::new(&chapter).join(format!("{}.{extension}", self.file_stem()))
    }

    /// The same as messages have it, with `/` between the parts.
    pub fn file_name(&self) -> String {
        relative(Path::new(""), &self.file())
    }

    fn file_stem(&self) -> String {
        format!("{}_{}", self.number, self.name)
    }

    /// The solution and the skeleton, cut from one file; in a course without solutions there is the
    /// skeleton alone.
    ///
    /// # Errors
    /// If the file cannot be read, or its marks do not pair.
    pub fn cut(&self) -> Result<Cut> {
        let skeleton = self.folder.join("skeleton.cu");
        if skeleton.is_file() {
            let skeleton = read(&skeleton)?;
            return Ok(Cut { solution: None, skeleton });
        }
        let path = self.folder.join("solution.cu");
        cut(&read(&path)?).with_context(|| format!("in {}", path.display()))
    }

    /// What the student's file holds at first: the task as a comment, and the skeleton.
    ///
    /// # Errors
    /// As [`Exercise::cut`].
    pub fn file_at_first(&self) -> Result<String> {
        Ok(self.task_comment() + &self.skeleton()?)
    }

    /// What is given: a kernel with a gap, or questions.
    ///
    /// # Errors
    /// As [`Exercise::cut`].
    pub fn skeleton(&self) -> Result<String> {
        match self.has_kernel() {
            true => Ok(self.cut()?.skeleton),
            false => Ok(self.declaration.answer_sheet()),
        }
    }

    /// The kernel that the questions are about.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn questioned_kernel(&self) -> Result<String> {
        read(&self.folder.join("kernel.cu"))
    }

    /// The discussion of the solution; none in a course without solutions.
    ///
    /// # Errors
    /// If the file is there and cannot be read.
    pub fn discussion(&self) -> Result<Option<String>> {
        let path = self.folder.join("discussion.md");
        path.is_file().then(|| read(&path)).transpose()
    }

    /// Correct kernels in other styles, by name.
    ///
    /// # Errors
    /// If the folder or a file cannot be read.
    pub fn variants(&self) -> Result<Vec<(String, String)>> {
        let folder = self.folder.join("variants");
        if !folder.is_dir() {
            return Ok(Vec::new());
        }
        let mut paths: Vec<PathBuf> = fs::read_dir(&folder)?
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|path| path.extension().is_some_and(|is| is == "cu"))
            .collect();
        paths.sort();
        let named = |path: &PathBuf| {
            let name = path.file_stem().unwrap_or_default().to_string_lossy();
            Ok((name.into_owned(), read(path)?))
        };
        paths.iter().map(named).collect()
    }

    /// Kernels that are wrong, and what must be said of each.
    ///
    /// # Errors
    /// If the file cannot be read, or a mutant does not fit the solution.
    pub fn mutants(&self) -> Result<Vec<Mutant>> {
        let path = self.folder.join("mutants.toml");
        if !path.is_file() {
            return Ok(Vec::new());
        }
        let solution = self.cut()?.solution.unwrap_or_default();
        mutant::read(&read(&path)?, &solution, &self.variants()?)
            .with_context(|| format!("in {}", path.display()))
    }
}

/// The folders in `folder` called `prefix` and a number, perhaps with a name behind it, by number.
fn numbered(folder: &Path, prefix: &str) -> Result<Vec<(u32, PathBuf)>> {
    let entries =
        fs::read_dir(folder).with_context(|| format!("cannot list {}", folder.display()))?;
    let mut found = Vec::new();
    for entry in entries {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let Some(rest) = name.strip_prefix(prefix) else {
            continue;
        };
        let number = rest.split('_').next().unwrap_or_default();
        match number.parse() {
            Ok(number) if path.is_dir() => found.push((number, path)),
            _ => {}
        }
    }
    found.sort();
    Ok(found)
}
