//! What the book shows of a check is what a check says, and an exercise names the page that it belongs to.

use std::{fs, path::Path, process::Command};

use exercise::course::{Course, Form};

use crate::common::{PROGRAM, said, solution, to_check};

#[test]
fn the_page_shows_what_is_said() {
    let Some((folder, exercise)) = to_check() else { return };
    let local = solution(&exercise).replace("size_t(blockIdx.x) * 256 + tid;", "tid;");
    folder.put(&exercise, local.as_bytes());
    // The first check shows the task, too; the page shows the second.
    folder.run(&["check", "block_sum"]);
    let output =
        folder.command(&["check", "block_sum", "--seed", "2"]).env("COLUMNS", "120").output();
    let said = String::from_utf8_lossy(&output.expect("it runs").stdout).into_owned();
    let own = folder.path().to_string_lossy().into_owned();
    let said = said.replace(&own, "exercises");
    let shown = exercise::workspace().join("book/exercise.txt");
    let shown = fs::read_to_string(shown).expect("it is there");
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
        let pages = fs::read_dir(root.join("book").join(folder)).expect("the chapter's pages");
        let names = pages.map(|page| page.expect("a page").file_name());
        let announcing = names.filter(|name| {
            let text = fs::read_to_string(root.join("book").join(folder).join(name));
            text.is_ok_and(|text| text.contains(&announced))
        });
        let announcing: Vec<_> = announcing.collect();
        let named = announcing.is_empty() || announcing.iter().any(|page| page == name);
        assert!(named, "{} names {page}, and {announcing:?} announce it", exercise.number());
    }
}

/// The scripts of a page's shell blocks that begin with `#!`, in order.
fn scripts(page: &str) -> Vec<String> {
    let text =
        fs::read_to_string(exercise::workspace().join("book").join(page)).expect("it is there");
    let blocks = text.split("```sh\n").skip(1).filter_map(|rest| rest.split_once("\n```"));
    blocks.map(|(script, _)| script.to_owned()).filter(|script| script.starts_with("#!")).collect()
}

/// Runs a script of the page with its folders below `root`, and with these programs in place of the system's.
#[cfg(unix)]
fn run_script(script: &str, root: &Path) -> std::process::Output {
    use std::os::unix::fs::PermissionsExt as _;

    let bin = root.join("bin");
    fs::create_dir_all(&bin).expect("it is made");
    fs::create_dir_all(root.join("home/.cargo")).expect("it is made");
    fs::write(root.join("home/.cargo/env"), "").expect("it is written");
    let cargo =
        format!("#!/bin/sh\n[ \"$1\" = exercise ] && shift && exec {PROGRAM} \"$@\"\nexit 9\n");
    let nothing = "#!/bin/sh\nexit 0\n".to_owned();
    for (name, text) in [("cargo", &cargo), ("apt-get", &nothing), ("curl", &nothing)] {
        fs::write(bin.join(name), text).expect("it is written");
        let all = fs::Permissions::from_mode(0o755);
        fs::set_permissions(bin.join(name), all).expect("it can be run");
    }
    let script = script.replace("/autograder", &root.join("autograder").to_string_lossy());
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap_or_default());
    let mut bash = Command::new("bash");
    bash.args(["-c", &script]).env("PATH", path).env("HOME", root.join("home"));
    bash.output().expect("it runs")
}

/// The scripts for Gradescope do what the page says of them.
#[cfg(unix)]
#[test]
fn the_scripts_for_gradescope_grade() {
    let Some((folder, exercise)) = to_check() else { return };
    let [setup, run] = &scripts("course.md")[..] else { panic!("there are two scripts") };
    let autograder = folder.path().join("autograder");
    fs::create_dir_all(autograder.join("source/warp-by-warp")).expect("it is made");
    fs::create_dir_all(autograder.join("results")).expect("it is made");
    fs::write(autograder.join("source/secret"), "of the test").expect("it is written");
    let submission = autograder.join("submission").join(exercise.file());
    fs::create_dir_all(submission.parent().expect("it is in a folder")).expect("it is made");
    fs::write(submission, solution(&exercise)).expect("it is written");
    for script in [setup, run] {
        let output = run_script(script, folder.path());
        assert!(output.status.success(), "{script}\n{}", said(&output));
    }
    let results = fs::read_to_string(autograder.join("results/results.json"));
    let results: serde_json::Value =
        serde_json::from_str(&results.expect("it is written")).expect("it is JSON");
    assert_eq!(results["score"], 10.0, "{results}");
}
