//! A copy for students: it has no solutions, checks what they write, and holds a teacher's own.

use std::{fs, path::Path};

use crate::common::{self, Folder, PROGRAM, block_sum, said, solution, to_check};
use exercise::course::{Course, FOLDER};

fn files(folder: &Path, found: &mut Vec<String>) {
    for entry in fs::read_dir(folder).expect("it is a folder") {
        let path = entry.expect("it is there").path();
        match path.is_dir() {
            true => files(&path, found),
            false => found.push(path.to_string_lossy().into_owned()),
        }
    }
}

#[test]
fn a_copy_for_students() {
    let (folder, exercise) = (Folder::new(), block_sum());
    let own = folder.path().join("own/chapter_1/01_block_sum");
    fs::create_dir_all(&own).expect("it is made");
    let declaration =
        fs::read_to_string(exercise.folder.join("exercise.toml")).expect("it is read");
    let declaration = declaration.replace("The sum of a block", "The sum of our block");
    fs::write(own.join("exercise.toml"), declaration).expect("it is written");
    let copy = folder.path().join("copy");
    let output = std::process::Command::new(PROGRAM)
        .arg("export")
        .arg(&copy)
        .arg("--variants")
        .arg(folder.path().join("own"))
        .output()
        .expect("it runs");
    assert!(output.status.success(), "{}", said(&output));

    let mut found = Vec::new();
    files(&copy.join(FOLDER), &mut found);
    let wanted = |name: &str| {
        ["solution.cu", "mutants.toml", "discussion.md"].iter().any(|n| name.ends_with(n))
    };
    let left: Vec<&String> =
        found.iter().filter(|name| wanted(name) || name.contains("variants")).collect();
    assert!(left.is_empty(), "{left:?}");
    let mut tests = Vec::new();
    files(&copy.join("chapters-code/tools/exercise/tests"), &mut tests);
    assert_eq!(tests.len(), 1, "{tests:?}");
    let mut metadata = std::process::Command::new(env!("CARGO"));
    metadata.args(["metadata", "--no-deps", "--format-version=1"]);
    let read = metadata.current_dir(&copy).output().expect("cargo runs");
    assert!(read.status.success(), "{}", said(&read));
    assert!(copy.join("Cargo.toml").is_file() && copy.join("book/SUMMARY.md").is_file());

    let course = Course::read(&copy.join(FOLDER)).expect("it can be read");
    let original = common::course();
    assert_eq!(course.exercises.len(), original.exercises.len());
    assert_eq!(course.exercises[0].declaration.title, "The sum of our block");
    for (copied, original) in course.exercises.iter().zip(&original.exercises) {
        assert_eq!(
            copied.skeleton().expect("it is there"),
            original.skeleton().expect("it is cut")
        );
    }
    check_with(&copy.join(FOLDER));
}

/// The copied course checks a solution.
fn check_with(course: &Path) {
    let Some((folder, exercise)) = to_check() else { return };
    folder.put(&exercise, solution(&exercise).as_bytes());
    let course = course.to_string_lossy();
    let output = folder.run(&["--course", &course, "check", "block_sum"]);
    assert!(output.status.success(), "{}", said(&output));
    let output = folder.run(&["--course", &course, "discussion", "block_sum"]);
    assert!(said(&output).contains("without discussions"), "{}", said(&output));
    let output = folder.run(&["--course", &course, "verify", "block_sum"]);
    assert!(said(&output).contains("has no solution of 1.1"), "{}", said(&output));
}

#[test]
fn nothing_is_written_over() {
    let folder = Folder::new();
    fs::write(folder.path().join("mine"), "").expect("it is written");
    let output = folder.run(&["export", &folder.path().to_string_lossy()]);
    assert_eq!(output.status.code(), Some(1));
    assert!(said(&output).contains("is not empty"), "{}", said(&output));
}
