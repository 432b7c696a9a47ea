//! What the book shows of a check is what a check says, and an exercise names the page that it belongs to.

use exercise::course::{Course, Form};

use crate::common::{Folder, block_sum, has_compiler, solution};

#[test]
fn the_page_shows_what_is_said() {
    if !has_compiler() {
        return;
    }
    let (folder, exercise) = (Folder::new(), block_sum());
    let local = solution(&exercise).replace("size_t(blockIdx.x) * 256 + tid;", "tid;");
    folder.put(&exercise, local.as_bytes());
    // The first check shows the task, too; the page shows the second.
    folder.run(&["check", "block_sum"]);
    let output =
        folder.command(&["check", "block_sum", "--seed", "1"]).env("COLUMNS", "120").output();
    let said = String::from_utf8_lossy(&output.expect("it runs").stdout).into_owned();
    let own = folder.path().to_string_lossy().into_owned();
    let said = said.replace(&own, "exercises");
    let shown = exercise::workspace().join("book/exercise.txt");
    let shown = std::fs::read_to_string(shown).expect("it is there");
    assert_eq!(said.trim(), shown.trim());
}

/// Where a page sends its readers to an exercise, the exercise sends them back to it: to that page, to an earlier chapter, or
/// to a mistake that is to be mended.
#[test]
fn an_exercise_names_a_page_that_announces_it() {
    let root = exercise::workspace();
    let course = Course::read(&root.join(exercise::course::FOLDER)).expect("the book's course");
    for exercise in &course.exercises {
        let page = exercise.declaration.read.split('#').next().unwrap_or_default();
        let Some((folder, name)) = page.split_once('/') else { panic!("{page} is no chapter's") };
        let is_here = folder.starts_with(&format!("chapter_{}_", exercise.chapter));
        let is_of_mistakes =
            name == "what_goes_wrong.md" || exercise.declaration.form == Form::Repair;
        if !is_here || is_of_mistakes {
            continue;
        }
        let announced = format!("xercise {}](exercises.md", exercise.number());
        let pages = std::fs::read_dir(root.join("book").join(folder)).expect("the chapter's pages");
        let names = pages.map(|page| page.expect("a page").file_name());
        let announcing = names.filter(|name| {
            let text = std::fs::read_to_string(root.join("book").join(folder).join(name));
            text.is_ok_and(|text| text.contains(&announced))
        });
        let announcing: Vec<_> = announcing.collect();
        let named = announcing.is_empty() || announcing.iter().any(|page| page == name);
        assert!(named, "{} names {page}, and {announcing:?} announce it", exercise.number());
    }
}
