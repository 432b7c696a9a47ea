//! The exercises that `cargo exercise` checks, as tables and tasks: read from their declarations.

use std::fs;
use std::path::Path;

use exercise::course::{Course, Exercise, FOLDER, task};

/// `{{#exercises}}` on a page of a chapter: its exercises, with their tasks. `{{#exercises all}}`: how
/// many each chapter has, and how long they take.
///
/// # Errors
/// If a chapter has none, or a declaration lacks something.
pub(crate) fn answer(root: &Path, page: &Path, arguments: &str) -> Result<String, String> {
    let course = Course::read(&root.join(FOLDER)).map_err(|error| format!("{error:#}"))?;
    match arguments {
        "" => of_chapter(root, &course, page),
        "all" => Ok(of_all(&course)),
        other => Err(format!(
            "`{other}` is no argument: write {{{{#exercises}}}} or {{{{#exercises all}}}}"
        )),
    }
}

fn of_chapter(root: &Path, course: &Course, page: &Path) -> Result<String, String> {
    let folder = page.parent().unwrap_or(page).to_string_lossy().into_owned();
    let number = folder.strip_prefix("chapter_").and_then(|rest| rest.split('_').next());
    let number: u32 =
        number.and_then(|digits| digits.parse().ok()).ok_or("only a chapter has exercises")?;
    let exercises = || course.exercises.iter().filter(|exercise| exercise.chapter == number);
    if exercises().next().is_none() {
        return Err(format!("chapter {number} has no exercises"));
    }
    let head = "| number | exercise | kind | minutes |\n| --- | --- | --- | ---: |\n".to_owned();
    Ok(head
        + &exercises().map(row).collect::<String>()
        + &exercises().map(|exercise| section(root, exercise)).collect::<String>())
}

fn row(exercise: &Exercise) -> String {
    let declaration = &exercise.declaration;
    format!(
        "| {} | {} | {} | {} |\n",
        exercise.number(),
        declaration.title,
        declaration.form.name(),
        declaration.minutes
    )
}

/// What is to be done in an exercise, and which counts are bounded.
fn section(root: &Path, exercise: &Exercise) -> String {
    let (number, declaration) = (exercise.number(), &exercise.declaration);
    let mut text = format!("\n### {number} {}\n", declaration.title);
    for paragraph in exercise.task() {
        text += &format!("\n{}\n", escaped(&paragraph));
    }
    let bounds = exercise.bounds();
    if !bounds.is_empty() {
        text += &format!("\n{}\n\n", task::BOUNDS);
    }
    for bound in bounds {
        text += &format!("- {}\n", escaped(&bound));
    }
    let read = &declaration.read;
    let title = title(root, read);
    // `serve --edit` puts a button there.
    text + &format!(
        "\n`cargo exercise check {number}` checks it. Before you begin, read [{title}](../{read}).\n\n\
         <p class=\"exercise-here\" data-number=\"{number}\" hidden></p>\n"
    )
}

/// The title of the page that a section is on.
fn title(root: &Path, section: &str) -> String {
    let page = section.split('#').next().unwrap_or(section);
    let text = fs::read_to_string(root.join("book").join(page)).unwrap_or_default();
    text.lines().find_map(|line| line.strip_prefix("# ")).unwrap_or(page).trim().to_owned()
}

/// Plain text as Markdown that shows the same: between backticks it is code there, too.
fn escaped(text: &str) -> String {
    let piece = |(at, piece): (usize, &str)| match at % 2 {
        0 => piece.replace('*', "\\*").replace('[', "\\[").replace('_', "\\_").replace('<', "&lt;"),
        _ => format!("`{piece}`"),
    };
    text.split('`').enumerate().map(piece).collect()
}

fn of_all(course: &Course) -> String {
    let mut text = String::from("| chapter | exercises | minutes |\n| --- | ---: | ---: |\n");
    let mut rest = &course.exercises[..];
    while let [first, ..] = rest {
        let count = rest.iter().take_while(|exercise| exercise.chapter == first.chapter).count();
        let (chapter, others) = rest.split_at(count);
        let minutes: u32 = chapter.iter().map(|exercise| exercise.declaration.minutes).sum();
        text += &format!("| {} | {count} | {minutes} |\n", first.chapter);
        rest = others;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    use std::path::PathBuf;

    fn root() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..")
    }

    #[test]
    fn a_chapter_has_its_exercises() {
        let text = answer(&root(), Path::new("chapter_1_reduce/exercises.md"), "");
        let text = text.expect("chapter 1 has some");
        assert!(text.contains("| 1.1 | The sum of a block | complete |"), "{text}");
        assert!(text.contains("### 1.1 The sum of a block\n\nComplete the kernel:"), "{text}");
        assert!(text.contains("- bank conflicts in shared memory: none"), "{text}");
    }

    /// Each exercise, with its task and bounds, stands on the page of its chapter.
    #[test]
    fn every_exercise_is_on_a_page() {
        let course = Course::read(&root().join(FOLDER)).expect("the course can be read");
        let mut shown = String::new();
        for entry in std::fs::read_dir(root().join("book")).expect("it is there") {
            let folder = entry.expect("it is there").path();
            let page = folder.join("exercises.md");
            let asks = std::fs::read_to_string(&page).unwrap_or_default();
            if asks.contains("{{#exercises}}") {
                let name = folder.file_name().expect("it has a name");
                shown += &answer(&root(), &Path::new(name).join("exercises.md"), "").expect("some");
            }
        }
        for exercise in &course.exercises {
            let title = format!("### {} {}\n", exercise.number(), exercise.declaration.title);
            assert_eq!(shown.matches(&title).count(), 1, "{title}");
            for words in exercise.task().into_iter().chain(exercise.bounds()) {
                assert!(shown.contains(&escaped(&words)), "{title}{words}");
            }
        }
    }

    #[test]
    fn a_task_is_shown_as_it_is_written() {
        assert_eq!(escaped("a * b_c is `d_e * f`"), "a \\* b\\_c is `d_e * f`");
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
