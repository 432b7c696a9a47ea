//! A class: whose folders there are, which files nobody grades, and a table of all grades.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};

use crate::course::{Course, Exercise};

/// Where a submission is: in its chapter's folder, or beside all others; and all that perhaps in a folder
/// `exercises`.
pub fn find(folder: &Path, exercise: &Exercise) -> Option<PathBuf> {
    let file = exercise.file();
    let name = file.file_name()?;
    let flat = format!("{}_{}", exercise.chapter, name.to_string_lossy());
    let bare = format!("{}.{}", exercise.name, file.extension()?.to_string_lossy());
    let names = [file, flat.into(), bare.into()];
    let candidates =
        names.iter().flat_map(|name| [folder.join(name), folder.join("exercises").join(name)]);
    candidates.into_iter().find(|path| path.symlink_metadata().is_ok())
}

/// The students' folders in a folder, in order; none if the folder is itself a student's: it has a
/// submission, or a folder of a chapter, or no folder at all.
pub fn students(folder: &Path, course: &Course) -> Result<Vec<PathBuf>> {
    let folders: Vec<PathBuf> =
        entries(folder)?.into_iter().filter(|path| is_folder(path)).collect();
    let is_of_a_student = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name == "exercises" || name.starts_with("chapter_")
    };
    let has_submission = course.exercises.iter().any(|exercise| find(folder, exercise).is_some());
    match has_submission || folders.iter().any(is_of_a_student) {
        true => Ok(Vec::new()),
        false => Ok(folders),
    }
}

/// What lies in a student's folder and is no submission to any exercise: files, and links. Hidden ones, and
/// those that a reset has moved aside, are left out.
pub fn unused(folder: &Path, course: &Course) -> Result<Vec<PathBuf>> {
    let found = course.exercises.iter().filter_map(|exercise| find(folder, exercise));
    let used: BTreeSet<PathBuf> = found.collect();
    let mut unused = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for path in entries(&folder)? {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            match () {
                () if name.contains(".before-reset-") => {}
                () if is_folder(&path) => folders.push(path),
                // Also a link to a folder: a submission that is looked for in it is graded as a link.
                () if used.iter().any(|file| file.starts_with(&path)) => {}
                () => unused.push(path),
            }
        }
    }
    unused.sort();
    Ok(unused)
}

/// What in a folder of students is nobody's folder: files, and links, of which one may lead to another student.
pub fn strangers(folder: &Path) -> Result<Vec<PathBuf>> {
    Ok(entries(folder)?.into_iter().filter(|path| !is_folder(path)).collect())
}

/// Whether it is a folder itself, not a link to one.
fn is_folder(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|metadata| metadata.is_dir())
}

/// What is in a folder, in order, without what is hidden.
fn entries(folder: &Path) -> Result<Vec<PathBuf>> {
    let reading = || format!("cannot read {}", folder.display());
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder).with_context(reading)? {
        let entry = entry.with_context(reading)?;
        if !entry.file_name().to_string_lossy().starts_with('.') {
            paths.push(entry.path());
        }
    }
    paths.sort();
    Ok(paths)
}

/// The grades of a class.
#[derive(Default)]
pub struct Table {
    /// The numbers of the exercises.
    pub exercises: Vec<String>,
    /// Each student's points, exercise by exercise.
    pub students: Vec<(String, Vec<f64>)>,
}

impl Table {
    /// Writes the table into a file: `.csv`, `.json`, or text.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write(&self, path: &Path) -> Result<()> {
        let text = match path.extension().and_then(|extension| extension.to_str()) {
            Some("csv") => self.csv(),
            Some("json") => self.json()?,
            _ => self.text(),
        };
        fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
    }

    /// The lines, the heading first, each with the total behind it.
    fn lines(&self) -> Vec<Vec<String>> {
        let head = [vec!["student".to_owned()], self.exercises.clone(), vec!["total".to_owned()]];
        let line = |(name, points): &(String, Vec<f64>)| {
            let total = points.iter().sum::<f64>();
            let points = points.iter().chain([&total]).map(f64::to_string);
            [name.clone()].into_iter().chain(points).collect()
        };
        [head.concat()].into_iter().chain(self.students.iter().map(line)).collect()
    }

    /// For people.
    pub fn text(&self) -> String {
        let lines = self.lines();
        let columns = 0..self.exercises.len() + 2;
        let width = |column: usize| {
            lines.iter().map(|line| line[column].chars().count()).max().unwrap_or_default()
        };
        let widths: Vec<usize> = columns.map(width).collect();
        let line = |line: &Vec<String>| {
            let cell = |(at, text): (usize, &String)| match at {
                0 => format!("{text:<width$}", width = widths[0]),
                _ => format!("  {text:>width$}", width = widths[at]),
            };
            line.iter().enumerate().map(cell).collect::<String>() + "\n"
        };
        lines.iter().map(line).collect()
    }

    fn csv(&self) -> String {
        // A spreadsheet may take a cell that begins with one of these for a formula.
        let is_formula = |text: &str| text.starts_with(['=', '+', '-', '@']);
        let cell = |text: &String| match is_formula(text) || text.contains([',', '"', '\n']) {
            true => {
                let guard = if is_formula(text) { "'" } else { "" };
                format!("\"{guard}{}\"", text.replace('"', "\"\""))
            }
            false => text.clone(),
        };
        let line = |line: Vec<String>| line.iter().map(cell).collect::<Vec<_>>().join(",") + "\n";
        self.lines().into_iter().map(line).collect()
    }

    fn json(&self) -> Result<String> {
        let row = |(student, points): &(String, Vec<f64>)| {
            let total = points.iter().sum::<f64>();
            let points: BTreeMap<_, _> = self.exercises.iter().zip(points).collect();
            serde_json::json!({ "student": student, "points": points, "total": total })
        };
        let rows: Vec<_> = self.students.iter().map(row).collect();
        Ok(serde_json::to_string_pretty(&rows)? + "\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_text_csv_or_json() {
        let table = Table {
            exercises: vec!["1.1".into(), "3.10".into()],
            students: vec![("bo, b".into(), vec![10.0, 0.0]), ("=al".into(), vec![5.0, 10.0])],
        };
        let text =
            "student  1.1  3.10  total\nbo, b     10     0     10\n=al        5    10     15\n";
        assert_eq!(table.text(), text);
        let csv = "student,1.1,3.10,total\n\"bo, b\",10,0,10\n\"'=al\",5,10,15\n";
        assert_eq!(table.csv(), csv);
        let json: serde_json::Value =
            serde_json::from_str(&table.json().expect("it is written")).expect("it is JSON");
        assert_eq!(json[1]["points"]["3.10"], 10.0);
        assert_eq!(json[0]["total"], 10.0);
    }
}
