//! The exercises that `cargo exercise` checks, as tables: read from their declarations.

use std::fs;
use std::path::{Path, PathBuf};

/// Where the exercises are, within the project.
const COURSE: &str = "chapters-code/tools/exercise/course";

/// What a table shows of an exercise.
struct Exercise {
    number: String,
    title: String,
    form: String,
    minutes: i64,
}

/// `{{#exercises}}` on a page of a chapter: its exercises. `{{#exercises all}}`: how many each chapter
/// has, and how long they take.
///
/// # Errors
/// Where a chapter has none, or a declaration lacks something.
pub(crate) fn answer(root: &Path, page: &Path, arguments: &str) -> Result<String, String> {
    match arguments {
        "" => of_chapter(root, page),
        "all" => of_all(root),
        other => Err(format!(
            "`{other}` is no argument: write {{{{#exercises}}}} or {{{{#exercises all}}}}"
        )),
    }
}

fn of_chapter(root: &Path, page: &Path) -> Result<String, String> {
    let folder = page.parent().unwrap_or(page).to_string_lossy().into_owned();
    let number = folder.strip_prefix("chapter_").and_then(|rest| rest.split('_').next());
    let number = number.ok_or("only a chapter has exercises")?;
    let mut text =
        String::from("| number | exercise | kind | minutes |\n| --- | --- | --- | ---: |\n");
    for exercise in exercises(&root.join(COURSE).join(format!("chapter_{number}")), number)? {
        let Exercise { number, title, form, minutes } = exercise;
        text += &format!("| {number} | {title} | {form} | {minutes} |\n");
    }
    Ok(text)
}

fn of_all(root: &Path) -> Result<String, String> {
    let mut text = String::from("| chapter | exercises | minutes |\n| --- | ---: | ---: |\n");
    for folder in folders(&root.join(COURSE), "chapter_")? {
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        let number = name.trim_start_matches("chapter_");
        let exercises = exercises(&folder, number)?;
        let minutes: i64 = exercises.iter().map(|exercise| exercise.minutes).sum();
        text += &format!("| {number} | {} | {minutes} |\n", exercises.len());
    }
    Ok(text)
}

/// The exercises of a chapter, in their order.
fn exercises(folder: &Path, chapter: &str) -> Result<Vec<Exercise>, String> {
    let folders = folders(folder, "")?;
    if folders.is_empty() {
        return Err(format!("{} has no exercises", folder.display()));
    }
    folders.iter().map(|folder| exercise(folder, chapter)).collect()
}

fn exercise(folder: &Path, chapter: &str) -> Result<Exercise, String> {
    let path = folder.join("exercise.toml");
    let said = |what: &dyn std::fmt::Display| format!("{}: {what}", path.display());
    let text = fs::read_to_string(&path).map_err(|error| said(&error))?;
    let table: toml::Table = text.parse().map_err(|error| said(&error))?;
    let field = |name: &str| {
        let value = table.get(name).and_then(toml::Value::as_str);
        value.map(str::to_owned).ok_or_else(|| said(&format!("there is no {name}")))
    };
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    let place: u32 = name.split('_').next().and_then(|digits| digits.parse().ok()).unwrap_or(0);
    let minutes = table.get("minutes").and_then(toml::Value::as_integer);
    Ok(Exercise {
        number: format!("{chapter}.{place}"),
        title: field("title")?,
        form: field("form")?,
        minutes: minutes.ok_or_else(|| said(&"there are no minutes"))?,
    })
}

/// The folders in a folder whose names begin so, by name.
fn folders(folder: &Path, prefix: &str) -> Result<Vec<PathBuf>, String> {
    let said = |error: std::io::Error| format!("{}: {error}", folder.display());
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).map_err(said)? {
        let path = entry.map_err(said)?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if path.is_dir() && name.starts_with(prefix) {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn root() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..")
    }

    #[test]
    fn a_chapter_has_its_exercises() {
        let table = answer(&root(), Path::new("chapter_1_reduce/exercises.md"), "");
        let table = table.expect("chapter 1 has some");
        assert!(table.contains("| 1.1 | The sum of a block | complete |"), "{table}");
    }

    #[test]
    fn what_is_no_chapter_has_none() {
        assert!(answer(&root(), Path::new("teaching.md"), "").is_err());
        assert!(answer(&root(), Path::new("chapter_99_none/exercises.md"), "").is_err());
        assert!(answer(&root(), Path::new("teaching.md"), "some").is_err());
    }

    #[test]
    fn all_are_counted() {
        let table = answer(&root(), Path::new("course.md"), "all").expect("there are some");
        assert!(table.lines().count() > 3, "{table}");
    }
}
