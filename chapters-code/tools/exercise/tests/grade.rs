//! What a teacher runs: grades for one student and for many, and nothing private in what students see.

use std::{fs, path::Path, process::Output};

use crate::common::{self, Folder, block_sum, said, solution, to_check};
use exercise::course::Exercise;
use serde_json::Value;

/// One bad submission does not keep the others from being graded, and a link leads nowhere.
#[cfg(unix)]
#[test]
fn a_grader_goes_on() {
    let Some((folder, exercise)) = to_check() else { return };
    let course = common::course();
    let link = course.find("last_warp").expect("it is there");
    folder.put(&exercise, solution(&exercise).as_bytes());
    std::os::unix::fs::symlink(link.folder.join("solution.cu"), folder.file(link))
        .expect("it links");
    let endless = course.find("any_maximum").expect("it is there");
    let head = "extern \"C\" __global__ void maximum(const int* in, int* out, size_t n)";
    folder.put(endless, format!("{head} {{ while (true) {{}} }}\n").as_bytes());
    let path = folder.path().join("results.json");
    let output = folder.run(&[
        "grade",
        &folder.path().to_string_lossy(),
        "--json",
        &path.to_string_lossy(),
        "--seeds",
        "97531",
        "--sizes",
        "777,5000",
    ]);
    assert!(output.status.success(), "{}", said(&output));
    let results = fs::read_to_string(path).expect("it is written");
    let results: serde_json::Value = serde_json::from_str(&results).expect("it is JSON");
    assert_eq!(results["score"], 10.0, "{results}");
    let tests = results["tests"].as_array().expect("it is a list");
    assert_eq!(tests.len(), course.exercises.len());
    let of =
        |number: &str| tests.iter().find(|test| test["number"] == number).expect("it is there");
    assert_eq!(of("1.1")["status"], "passed");
    assert_eq!(of("1.3")["output"], "it is a link, not a file");
    let ends = ["deadlock", "endless"];
    assert!(ends.iter().any(|end| of("1.4")["diagnosis"] == *end), "{results}");
    for test in tests {
        assert!(test["max_score"].is_number() && test["score"].is_number(), "{test}");
    }
}

fn grade(folder: &Path, arguments: &[&str]) -> Output {
    let folder = folder.to_string_lossy();
    let mut all = vec!["grade", &*folder];
    all.extend(arguments);
    Folder::new().run(&all)
}

#[track_caller]
fn results(output: &Output) -> Value {
    assert!(output.status.code() == Some(0), "{}", said(output));
    serde_json::from_slice(&output.stdout).expect("it is JSON")
}

/// Wrong for one size alone, which no public check has, and talkative.
fn wrong_for(n: u32) -> String {
    let right = solution(&block_sum());
    let body = right.find('{').expect("it has a body") + 1;
    let (head, rest) = right.split_at(body);
    format!(
        "{head}\n    if (threadIdx.x == 0) printf(\"n is %u\\n\", unsigned(n));\n    if (n == {n}) return;{rest}"
    )
}

/// A size and a seed are told to the teacher, and to nobody else.
#[test]
fn private_inputs_stay_private() {
    let Some((folder, exercise)) = to_check() else { return };
    let private = ["--only", "1.1", "--json", "-", "--seeds", "87159123", "--sizes", "77701,77703"];
    folder.put(&exercise, wrong_for(77_701).as_bytes());
    let output = grade(folder.path(), &private);
    let graded = results(&output);
    assert_eq!(graded["score"], 0.0);
    assert_eq!(graded["stdout_visibility"], "hidden");
    let shown = String::from_utf8_lossy(&output.stdout);
    assert!(shown.contains("right on the public inputs, and not on private ones"), "{shown}");
    for secret in ["87159123", "77701", "77703", "n is"] {
        assert!(!shown.contains(secret), "{secret}: {shown}");
    }
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(told.contains("87159123") && told.contains("77701"), "{told}");

    // A pass says nothing of them either.
    folder.put(&exercise, wrong_for(77_702).as_bytes());
    let output = grade(folder.path(), &private);
    assert_eq!(results(&output)["score"], 10.0);
    let shown = String::from_utf8_lossy(&output.stdout);
    for secret in ["87159123", "77701", "77703"] {
        assert!(!shown.contains(secret), "{secret}: {shown}");
    }
}

/// Private inputs follow from the secret: grading again gives the same, and another secret gives others.
#[test]
fn grading_again_gives_the_same() {
    let Some((folder, exercise)) = to_check() else { return };
    let secrets = Folder::new();
    // Right on the public inputs, which are the same for all, and for no other input that begins otherwise.
    let right = solution(&exercise);
    let body = right.find('{').expect("it has a body") + 1;
    let (head, rest) = right.split_at(body);
    let odd = format!("{head}\n    if (n > 2048 && __float_as_uint(in[5]) % 4 == 0) return;{rest}");
    folder.put(&exercise, odd.as_bytes());
    let graded = |secret: &str| {
        let path = secrets.path().join("secret");
        fs::write(&path, secret).expect("it is written");
        let path = path.to_string_lossy().into_owned();
        let output = grade(folder.path(), &["--only", "1.1", "--secret", &path]);
        assert_eq!(output.status.code(), Some(0), "{}", said(&output));
        // The time that a check took is in no output.
        said(&output)
    };
    assert_eq!(graded("one"), graded("one"));
    let empty = secrets.path().join("empty");
    fs::write(&empty, "\n").expect("it is written");
    let output = grade(folder.path(), &["--secret", &empty.to_string_lossy()]);
    assert!(!output.status.success() && said(&output).contains("is empty"), "{}", said(&output));
}

/// What is the grader's fault costs nobody points: there are no results, and the status says so.
#[test]
fn a_fault_of_the_grader_is_no_grade() {
    let Some((folder, exercise)) = to_check() else { return };
    folder.put(&exercise, solution(&exercise).as_bytes());
    let json = folder.path().join("results.json");
    let path = json.to_string_lossy().into_owned();
    for (fault, told) in [
        (["--memory-limit", "1"], "the grading itself failed"),
        (["--sizes", "100000000"], "at most 4194304 elements"),
    ] {
        let arguments = [&["--only", "1.1", "--json", &path], &fault[..]].concat();
        let output = grade(folder.path(), &arguments);
        assert!(!output.status.success(), "{}", said(&output));
        assert!(said(&output).contains(told), "{}", said(&output));
        assert!(!json.exists());
    }
    let largest = u64::MAX.to_string();
    let output = grade(folder.path(), &["--only", "1.1", "--json", "-", "--seeds", &largest]);
    assert_eq!(results(&output)["score"], 10.0);
}

fn put(folder: &Path, exercise: &Exercise, text: &str) {
    let path = folder.join(exercise.file());
    fs::create_dir_all(path.parent().expect("it is in a folder")).expect("it is made");
    fs::write(path, text).expect("it is written");
}

#[test]
fn a_folder_of_students_is_graded_student_by_student() {
    let Some((all, exercise)) = to_check() else { return };
    let results = Folder::new();
    let right = solution(&exercise);
    put(&all.path().join("alice"), &exercise, &right);
    put(&all.path().join("bob"), &exercise, &right.replace("i < n", "i <= n"));
    let folder = results.path().to_string_lossy();
    let output = grade(all.path(), &["--only", "1.1", "--json", &folder]);
    assert!(output.status.success(), "{}", said(&output));
    let score = |name: &str| {
        let text = fs::read_to_string(results.path().join(name)).expect("it is written");
        let graded: Value = serde_json::from_str(&text).expect("it is JSON");
        graded["score"].as_f64()
    };
    assert_eq!([score("alice.json"), score("bob.json")], [Some(10.0), Some(0.0)]);
    let output = grade(all.path(), &["--only", "1.1", "--json", "-"]);
    assert!(said(&output).contains("name a folder after --json"), "{}", said(&output));
}

/// A renamed file costs the points of its exercise, so it is named, and the exit status tells; a folder of which
/// nothing is recognised has its line in the table.
#[test]
fn what_is_not_graded_is_named_and_all_students_are_in_the_table() {
    let Some((all, exercise)) = to_check() else { return };
    let results = Folder::new();
    put(&all.path().join("alice/exercises"), &exercise, &solution(&exercise));
    for stray in ["bob/sum_of_block.cu", "carol/deep/1_block_sum.cu", "readme.txt"] {
        let path = all.path().join(stray);
        fs::create_dir_all(path.parent().expect("it is in a folder")).expect("it is made");
        fs::write(path, "// mine\n").expect("it is written");
    }
    let table = results.path().join("class.csv");
    let json = results.path().to_string_lossy().into_owned();
    let arguments = ["--only", "1.1", "--json", &json, "--table", &table.to_string_lossy()];
    let output = grade(all.path(), &arguments);
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    let told = String::from_utf8_lossy(&output.stderr);
    for stray in ["bob/sum_of_block.cu", "carol/deep/1_block_sum.cu", "readme.txt"] {
        assert!(told.contains(stray), "{stray}: {told}");
    }
    let csv = fs::read_to_string(table).expect("it is written");
    assert_eq!(csv, "student,1.1,total\nalice,10,10\nbob,0,0\ncarol,0,0\n");
    for name in ["alice.json", "bob.json", "carol.json"] {
        assert!(results.path().join(name).is_file(), "{name}");
    }
    // One student alone is a class, too, if the folder is of folders.
    fs::remove_dir_all(all.path().join("bob")).expect("it is removed");
    fs::remove_dir_all(all.path().join("carol")).expect("it is removed");
    fs::remove_file(all.path().join("readme.txt")).expect("it is removed");
    let output = grade(all.path(), &["--only", "1.1"]);
    assert!(output.status.success(), "{}", said(&output));
    assert!(
        said(&output).contains("student  1.1  total\nalice     10     10\n"),
        "{}",
        said(&output)
    );
}

/// What was there at first is worth nothing, whatever is said about it and however its variables are called.
#[test]
fn an_unchanged_kernel_gets_nothing() {
    let Some((folder, _)) = to_check() else { return };
    let course = common::course();
    let exercise = course.find("one_atomic_a_block").expect("it is there");
    let first = exercise.file_at_first().expect("it can be read");
    for text in [first.replace('{', "{ // mine\n"), first.replace("mask", "flags")] {
        folder.put(exercise, text.as_bytes());
        let graded = results(&grade(
            folder.path(),
            &["--only", "4.4", "--json", "-", "--time-limit", "300"],
        ));
        assert_eq!(graded["tests"][0]["diagnosis"], "not-begun", "{graded}");
        assert_eq!(graded["score"], 0.0);
    }
}

/// Another student's file is not graded, and a huge one is not read.
#[cfg(unix)]
#[test]
fn links_of_folders_and_huge_files_are_refused() {
    let Some((all, exercise)) = to_check() else { return };
    put(&all.path().join("bob"), &exercise, &solution(&exercise));
    let alice = all.path().join("alice");
    fs::create_dir_all(&alice).expect("it is made");
    std::os::unix::fs::symlink("../bob/chapter_1", alice.join("chapter_1")).expect("it links");
    let graded = results(&grade(&alice, &["--only", "1.1", "--json", "-"]));
    assert_eq!(graded["score"], 0.0);
    let output = &graded["tests"][0]["output"];
    assert_eq!(output, "its folder is a link that leads out of the submission");

    let huge = all.path().join("carol").join(exercise.file());
    fs::create_dir_all(huge.parent().expect("it is in a folder")).expect("it is made");
    fs::File::create(&huge).and_then(|file| file.set_len(2 << 30)).expect("it is sparse");
    let graded = results(&grade(&all.path().join("carol"), &["--only", "1.1", "--json", "-"]));
    assert_eq!(graded["score"], 0.0);
    let output = graded["tests"][0]["output"].as_str().expect("it is text");
    assert!(output.contains("it has 2147483648 bytes"), "{output}");
}
