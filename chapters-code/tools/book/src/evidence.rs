//! `{{#evidence}}`: every recording of the project, with its device, date, commit and command, and what
//! it covers. Recordings are found, not listed, so that none can be forgotten:
//!
//! - all files of `measurements/` beside the pages, where one of an unknown kind is an error;
//! - folders with a `device.txt` and files called `*_attributes.txt` or `*_symbols.txt` in the tests of the crates.

mod file;

use std::fs;
use std::path::{Path, PathBuf};

use figures::page::escape;

use crate::filtered::{self, with_code};
use crate::measured::{FOLDER, thousands};
use file::Fact;

/// What is in the folder of the recorded runs, and is no recording.
const NOT_A_RECORDING: &str = "README.md";

/// The folder of the crates.
const CRATES: &str = "chapters-code";

/// A table with a line for each recording of the project in `root`, whose pages are in `source`.
///
/// # Errors
/// A recording that cannot be read, or whose kind is not known.
pub(crate) fn all(root: &Path, source: &Path) -> Result<String, String> {
    let mut lines = Vec::new();
    for name in names(&root.join(source).join(FOLDER))? {
        if name != NOT_A_RECORDING {
            let facts = file::facts(&root.join(source).join(FOLDER).join(&name))
                .map_err(|cause| format!("{FOLDER}/{name}: {cause}"))?;
            lines.push(line(&format!("<a href=\"{FOLDER}/{name}\">{name}</a>"), &facts));
        }
    }
    for path in in_tests(root)? {
        let facts = file::facts(&root.join(&path))
            .map_err(|cause| format!("{}: {cause}", path.display()))?;
        lines.push(line(&format!("<code>{}</code>", path.display()), &facts));
    }
    let heads: Vec<&str> = ["recording"].into_iter().chain(COLUMNS).chain(["more"]).collect();
    Ok(filtered::table("recordings.tsv", &heads, lines.into_iter()))
}

/// The facts that have columns.
const COLUMNS: [&str; 4] = ["what", "device", "date", "holds"];

/// A recording's line: the facts that have columns, and all others in a fold.
fn line(place: &str, facts: &[Fact]) -> Vec<String> {
    let html = |text: &str| with_code(&escape(text));
    let column = |name: &str| {
        let fact = facts.iter().find(|(of, _)| *of == name);
        fact.map(|(_, value)| html(value)).unwrap_or_default()
    };
    let others: String = facts
        .iter()
        .filter(|(name, _)| !COLUMNS.contains(name))
        .map(|(name, value)| format!("<dt>{name}</dt><dd>{}</dd>", html(value)))
        .collect();
    let more = match others.is_empty() {
        true => String::new(),
        false => format!("<details><summary>unfold</summary><dl>{others}</dl></details>"),
    };
    [place.to_owned()].into_iter().chain(COLUMNS.map(column)).chain([more]).collect()
}

/// `{{#recording NAME}}`: the rows of the newest file `NAME_….tsv` among the recorded runs, as a table.
///
/// # Errors
/// If there is no such file.
pub(crate) fn table(root: &Path, source: &Path, name: &str) -> Result<String, String> {
    let rows = newest(root, source, name)?;
    let line = |cells: &Vec<String>| {
        let cells: Vec<String> = cells.iter().map(|cell| with_separators(cell)).collect();
        format!("| {} |\n", cells.join(" | "))
    };
    let (head, rows) = rows.split_first().ok_or("the file has no rows")?;
    let rule = vec!["---"; head.len()].join(" | ");
    let rows: String = rows.iter().map(line).collect();
    Ok(format!("{}| {rule} |\n{rows}", line(head)))
}

/// A cell with thousands separators, if it is a number.
fn with_separators(cell: &str) -> String {
    let (whole, fraction) = cell.split_at(cell.find('.').unwrap_or(cell.len()));
    match (whole.parse(), cell.parse::<f64>()) {
        (Ok(whole), Ok(_)) => thousands(whole) + fraction,
        _ => cell.to_owned(),
    }
}

/// The lines of the newest file `NAME_….tsv` among the recorded runs, cell by cell, without its comments.
///
/// # Errors
/// If there is no such file.
pub(crate) fn newest(root: &Path, source: &Path, name: &str) -> Result<Vec<Vec<String>>, String> {
    let folder = root.join(source).join(FOLDER);
    let is_wanted = |file: &String| file.starts_with(&format!("{name}_")) && file.ends_with(".tsv");
    // The date is at the end of a file's name.
    let date = |file: &String| file.rsplit('_').next().map(str::to_owned);
    let file = names(&folder)?.into_iter().filter(is_wanted).max_by_key(date);
    let file = file.ok_or_else(|| format!("there is no recording {name}_….tsv"))?;
    let text = fs::read_to_string(folder.join(&file)).map_err(|error| error.to_string())?;
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    Ok(lines.map(|line| line.split('\t').map(str::to_owned).collect()).collect())
}

/// The recordings in the tests of the crates, relative to `root`.
fn in_tests(root: &Path) -> Result<Vec<PathBuf>, String> {
    let crates = Path::new(CRATES);
    let mut found = Vec::new();
    if root.join(crates).is_dir() {
        for name in names(&root.join(crates))? {
            // A crate, or a folder of crates such as `simulator`.
            let folder = crates.join(name);
            search(root, &folder.join("tests"), &mut found)?;
            for name in names(&root.join(&folder))? {
                search(root, &folder.join(name).join("tests"), &mut found)?;
            }
        }
    }
    Ok(found)
}

fn search(root: &Path, folder: &Path, found: &mut Vec<PathBuf>) -> Result<(), String> {
    if !root.join(folder).is_dir() {
        return Ok(());
    }
    for name in names(&root.join(folder))? {
        let path = folder.join(&name);
        match root.join(&path).join(file::DEVICE).is_file() || file::is_answers(&name) {
            true => found.push(path),
            false => search(root, &path, found)?,
        }
    }
    Ok(())
}

/// The names in `folder`, sorted; none if it is not there.
fn names(folder: &Path) -> Result<Vec<String>, String> {
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let name = |entry: std::io::Result<fs::DirEntry>| {
        let entry = entry.map_err(|error| error.to_string())?;
        Ok(entry.file_name().to_string_lossy().into_owned())
    };
    let mut names: Vec<String> = entries.map(name).collect::<Result<_, String>>()?;
    names.sort();
    Ok(names)
}
