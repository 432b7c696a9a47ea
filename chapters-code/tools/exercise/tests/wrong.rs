//! Wrong kernels of kinds that students write, `wrong/*.cu`: of each the message says what is wrong.

use std::{collections::BTreeSet, fs, path::PathBuf};

use exercise::diagnosis::Diagnosis;
use rayon::prelude::*;
use serde::Deserialize;

use crate::common::{Folder, course, has_compiler, said};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Manifest {
    kernel: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    exercise: String,
    file: String,
    wrong: String,
    diagnosis: Diagnosis,
    says: Vec<String>,
    #[serde(default)]
    lacks: Vec<String>,
}

fn folder() -> PathBuf {
    exercise::workspace().join("chapters-code/tools/exercise/tests/wrong")
}

fn manifest() -> Vec<Entry> {
    let text = fs::read_to_string(folder().join("manifest.toml")).expect("it is there");
    toml::from_str::<Manifest>(&text).expect("it is a manifest").kernel
}

/// What is missing in the message, or is there and must not be.
fn broken(entry: &Entry) -> Option<String> {
    let (files, course) = (Folder::new(), course());
    let exercise = course.find(&entry.exercise).expect("there is such an exercise");
    files.put(exercise, &fs::read(folder().join(&entry.file)).expect("it is there"));
    // So wide that no words are on different lines.
    let mut check = files.command(&["check", &entry.exercise, "--seed", "1"]);
    let output = check.env("COLUMNS", "2000").output().expect("it runs");
    let said = said(&output);
    let verdict = format!("wrong: {}\n", entry.diagnosis.text());
    let mut wanted = entry.says.iter().chain([&verdict]);
    let missing = wanted.find(|part| !said.contains(*part));
    let misleading = entry.lacks.iter().find(|part| said.contains(*part));
    let what = match (missing, misleading) {
        (None, None) if output.status.code() == Some(1) => return None,
        (None, None) => "it passes".to_owned(),
        (Some(part), _) => format!("no `{part}`"),
        (_, Some(part)) => format!("`{part}` misleads"),
    };
    Some(format!("{} ({}): {what} in:\n{said}", entry.file, entry.wrong))
}

/// Checks every so many of the kernels.
fn check(every: usize) {
    if !has_compiler() {
        return;
    }
    let entries: Vec<Entry> = manifest().into_iter().step_by(every).collect();
    let broken: Vec<String> = entries.par_iter().filter_map(broken).collect();
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn some_messages_say_what_is_wrong() {
    check(3);
}

#[test]
#[ignore = "exhaustive: `cargo test -- --ignored exhaustive`"]
fn exhaustive_each_message_says_what_is_wrong() {
    check(1);
}

#[test]
fn every_file_is_in_the_manifest() {
    let listed: BTreeSet<String> = manifest().into_iter().map(|entry| entry.file).collect();
    let there = fs::read_dir(folder()).expect("it is there").map(|entry| {
        let name = entry.expect("it is there").file_name();
        name.to_string_lossy().into_owned()
    });
    let there: BTreeSet<String> = there.filter(|name| name != "manifest.toml").collect();
    assert_eq!(listed, there);
}
