//! The student's way through the exercises: the task is said, files are kept, and nothing is lost.

use std::{fs, process::Stdio};

use crate::common::{Folder, block_sum, course, said, solution, to_check};
use exercise::course::Exercise;

/// A text without line breaks and without the marks of comments.
fn flat(text: &str) -> String {
    let line = |line: &str| {
        let line = line.trim_start();
        let bare = line.strip_prefix("//").or_else(|| line.strip_prefix('#')).unwrap_or(line);
        bare.trim().to_owned()
    };
    text.lines().map(line).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
}

/// What is said of an exercise wherever its task stands.
fn parts(exercise: &Exercise) -> Vec<String> {
    let parts: Vec<String> = exercise.task().into_iter().chain(exercise.bounds()).collect();
    assert!(parts.len() > exercise.declaration.demand.len(), "{}", exercise.name);
    parts
}

#[test]
fn every_file_begins_with_its_task() {
    let folder = Folder::new();
    assert!(folder.run(&["list"]).status.success());
    for exercise in &course().exercises {
        let text = fs::read_to_string(folder.file(exercise)).expect("list makes it");
        let end = text.find("\n\n").expect("the task ends with an empty line");
        let head = flat(&text[..end]);
        assert!(head.starts_with(&format!("Exercise {}:", exercise.number())), "{head}");
        for part in parts(exercise) {
            assert!(head.contains(&part), "no `{part}` in {head}");
        }
        assert!(text.lines().take_while(|line| !line.is_empty()).all(|line| line.len() <= 110));
    }
}

#[test]
fn the_task_is_shown_when_asked() {
    let folder = Folder::new();
    for exercise in &course().exercises {
        let output = folder.run(&["task", &exercise.number()]);
        let shown = flat(&said(&output));
        for part in parts(exercise) {
            assert!(shown.contains(&part), "no `{part}` in {shown}");
        }
    }
}

#[test]
fn the_first_check_shows_the_task() {
    let Some((folder, _)) = to_check() else { return };
    let bound = "bank conflicts in shared memory: none";
    for (time, is_shown) in [(1, true), (2, false)] {
        let said = said(&folder.run(&["check", "block_sum"]));
        assert_eq!(said.contains(bound), is_shown, "check {time}: {said}");
        assert!(said.contains("the file is as it was at first"), "{said}");
        assert!(said.contains("cargo exercise task 1.1"), "{said}");
    }
}

/// A file of an earlier copy of the book has no task at its head.
#[test]
fn what_is_untouched_is_called_so() {
    let Some((folder, exercise)) = to_check() else { return };
    let skeleton = exercise.skeleton().expect("it is cut");
    for (head, is_untouched) in [("", true), ("// Another task.\n\n", true), ("int x;\n", false)] {
        folder.put(&exercise, format!("{head}{skeleton}").as_bytes());
        let said = said(&folder.run(&["check", "block_sum"]));
        assert_eq!(said.contains("as it was at first"), is_untouched, "{head}: {said}");
    }
}

/// All exercises that are passed have a discussion, those without a kernel, too.
#[test]
fn every_exercise_has_a_discussion() {
    let (folder, course) = (Folder::new(), course());
    let refused = folder.run(&["discussion", "1.1"]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(said(&refused).contains("you have not passed 1.1 yet"), "{}", said(&refused));

    let passed: Vec<&str> = course.exercises.iter().map(|e| e.name.as_str()).collect();
    let record = serde_json::json!({ "passed": passed, "hints": {} });
    fs::write(folder.path().join(".passed.json"), record.to_string()).expect("it is written");
    for exercise in &course.exercises {
        let output = folder.run(&["discussion", &exercise.number()]);
        let said = said(&output);
        assert!(output.status.success(), "{}: {said}", exercise.name);
        assert_eq!(said.contains("```cuda\n"), exercise.has_kernel(), "{}: {said}", exercise.name);
    }
}

#[test]
fn no_reset_destroys_what_an_earlier_one_kept() {
    let (folder, exercise) = (Folder::new(), block_sum());
    let path = folder.file(&exercise);
    for work in ["// first\n", "// second\n", "// third\n"] {
        folder.put(&exercise, work.as_bytes());
        let output = folder.run(&["reset", "1.1"]);
        assert!(output.status.success(), "{}", said(&output));
        let now = fs::read_to_string(&path).expect("it is there");
        assert_eq!(now, exercise.file_at_first().expect("it is cut"));
    }
    for (number, work) in [(1, "// first\n"), (2, "// second\n"), (3, "// third\n")] {
        let kept = path.with_extension(format!("before-reset-{number}"));
        assert_eq!(fs::read_to_string(kept).expect("it is kept"), work);
    }
    let again = folder.run(&["reset", "1.1"]);
    assert!(said(&again).contains("nothing is changed"), "{}", said(&again));
}

/// What cannot be a student's file gets a reason and a remedy, at once, and the remedy helps.
#[cfg(unix)]
#[test]
fn what_is_no_plain_file_is_refused() {
    let Some((folder, exercise)) = to_check() else { return };
    let path = folder.file(&exercise);
    let other = folder.path().join("other.cu");
    fs::write(&other, solution(&exercise)).expect("it is written");
    let fifo = |path: &std::path::Path| {
        let made = std::process::Command::new("mkfifo").arg(path).status().expect("it runs");
        assert!(made.success());
    };
    type Make<'m> = &'m dyn Fn(&std::path::Path);
    let kinds: [(&str, Make<'_>); 5] = [
        ("it is a link", &|path| std::os::unix::fs::symlink(&other, path).expect("it links")),
        ("it is a link", &|path| {
            std::os::unix::fs::symlink("/nowhere", path).expect("it links");
        }),
        ("it is a folder", &|path| fs::create_dir(path).expect("it is made")),
        ("it is a pipe", &fifo),
        ("bytes; 1048576 are allowed", &|path| {
            let file = fs::File::create(path).expect("it is made");
            file.set_len(1 << 40).expect("a file may have holes");
        }),
    ];
    fs::create_dir_all(path.parent().expect("it has one")).expect("it is made");
    for (reason, make) in kinds {
        // What the last reset made.
        let _ = fs::remove_file(&path);
        make(&path);
        let output = folder.run(&["check", "1.1"]);
        let said = said(&output);
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(said.contains(reason) && said.contains("cargo exercise reset 1.1"), "{said}");
        assert!(folder.run(&["reset", "1.1"]).status.success());
        assert!(path.symlink_metadata().expect("it is there").is_file(), "{reason}");
    }
    let untouched = fs::read_to_string(&other).expect("it is there");
    assert_eq!(untouched, solution(&exercise), "nothing is written through a link");
}

/// A record that cannot be read is never begun anew by itself.
#[test]
fn a_damaged_record_is_kept() {
    let folder = Folder::new();
    let path = folder.path().join(".passed.json");
    for damaged in ["{\"passed\": [\"block_sum\"", "", "[1]"] {
        fs::write(&path, damaged).expect("it is written");
        for command in [&["list"][..], &["hint", "1.1"], &["check", "1.1"]] {
            let output = folder.run(command);
            let said = said(&output);
            assert_eq!(output.status.code(), Some(1), "{said}");
            assert!(said.contains("cannot read the record") && said.contains("remedy"), "{said}");
        }
        assert_eq!(fs::read_to_string(&path).expect("it is there"), damaged);
    }
}

#[test]
fn a_folder_that_is_not_there_is_not_made() {
    let folder = Folder::new();
    let missing = folder.path().join("no/such");
    let mut command = std::process::Command::new(crate::common::PROGRAM);
    let output = command.arg("--files").arg(&missing).arg("list").output().expect("it runs");
    assert_eq!(output.status.code(), Some(1));
    assert!(said(&output).contains("there is no folder"), "{}", said(&output));
    assert!(!missing.exists() && !folder.path().join("no").exists());
}

/// Who reads the first lines alone has no error; and what was passed is noted.
#[cfg(unix)]
#[test]
fn a_reader_may_leave() {
    let Some((folder, exercise)) = to_check() else { return };
    folder.put(&exercise, solution(&exercise).as_bytes());
    for command in [&["list"][..], &["check", "1.1"], &["task", "1.1"]] {
        let (reader, writer) = std::io::pipe().expect("there are pipes");
        drop(reader);
        let mut closed = folder.command(command);
        let output = closed.stdout(Stdio::from(writer)).output().expect("it runs");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{command:?}");
        assert!(output.status.success(), "{command:?}");
    }
}

#[test]
fn after_a_pass_the_next_exercise_is_named() {
    let Some((folder, exercise)) = to_check() else { return };
    folder.put(&exercise, solution(&exercise).as_bytes());
    let said = said(&folder.run(&["check", "1.1"]));
    assert!(said.contains("Next: 1.2 Count before you run"), "{said}");
}

/// At 80 columns no line is longer, except where one word is, or one line of the student's code.
#[test]
fn lines_fit_a_narrow_terminal() {
    let Some((folder, exercise)) = to_check() else { return };
    let source = solution(&exercise);
    let barrier = source.find("    __syncthreads();\n").expect("there is one");
    let racy = format!("{}{}", &source[..barrier], &source[barrier + 21..]);
    let long = "a remark that goes on and on ".repeat(5);
    let racy = racy.replace("0.0f;", &format!("0.0f; // {long}"));
    folder.put(&exercise, racy.as_bytes());
    for command in
        [&["check", "1.1"][..], &["check", "1.1"], &["hint", "1.1"], &["list"], &["task", "1.5"]]
    {
        let output = folder.command(command).env("COLUMNS", "80").output().expect("it runs");
        let said = said(&output);
        assert!(said.lines().count() > 1, "{said}");
        for line in said.lines() {
            let is_one_word = line.split_whitespace().count() <= 2;
            assert!(line.chars().count() <= 80 || is_one_word, "{command:?}: {line}\n{said}");
        }
    }
}

/// Two lines to do that say the same send a student looking for a difference.
#[test]
fn each_line_to_do_stands_once() {
    for exercise in &course().exercises {
        let skeleton = exercise.skeleton().expect("it is cut");
        let lines: Vec<&str> =
            skeleton.lines().map(str::trim).filter(|line| line.starts_with("// TODO")).collect();
        for (at, line) in lines.iter().enumerate() {
            assert!(!lines[..at].contains(line), "{}: {line}", exercise.name);
        }
        assert!(!exercise.has_kernel() || !lines.is_empty(), "{}", exercise.name);
    }
}
