//! A recorded file has the schema that the book and the tables read. Tried on the simulator, which
//! has no times.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use recording::{Head, Recording};

fn record(arguments: &[&str]) -> std::process::Output {
    Command::new(env!("CARGO_BIN_EXE_record")).args(arguments).output().expect("it starts")
}

fn read(path: &Path) -> Recording {
    let text = std::fs::read_to_string(path).expect("it is written");
    Recording::read(&text).expect("it has all columns").expect("it is a recording")
}

#[test]
fn a_file_has_all_parts() {
    let out = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("trial.json");
    let path = out.to_str().expect("UTF-8");
    let output = record(&["--device", "sim", "--out", path, "--commit", "abc"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let Recording { head, rows, checksums, .. } = read(&out);
    assert_eq!(head.commit, "abc");
    let reduce = chapters::find("chapter_1_reduce").expect("a chapter");
    let sequential = reduce.find("sequential").expect("a rung");
    let kernel = &head.kernels["chapter_1_reduce/sequential"];
    assert_eq!(*kernel, harness::kernel::fingerprint(&sequential.ptx));
    for chapter in [
        "chapter_0_setup",
        "chapter_1_reduce",
        "chapter_2_histogram",
        "chapter_3_scan",
        "chapter_5_segmented_scan",
        "chapter_6_transpose",
        "chapter_7_coalescing",
    ] {
        assert!(rows.iter().any(|row| row.subject.chapter == chapter), "no rows of {chapter}");
    }
    let wrong: Vec<_> = rows.iter().filter(|row| !row.broken && !row.correct).collect();
    assert!(wrong.is_empty(), "{wrong:?}");
    assert!(checksums.len() > 100, "{} checksums", checksums.len());
}

#[test]
#[ignore = "exhaustive: `cargo test -- --ignored exhaustive`"]
fn exhaustive_a_recording_is_made_in_parts() {
    let out = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("parts.json");
    let path = out.to_str().expect("UTF-8");
    let run = |more: &[&str]| {
        let output = record(&[&["--device", "sim", "--out", path], more].concat());
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.success(), message)
    };
    assert!(run(&[]).0);
    let whole = read(&out);
    let (succeeded, said) = run(&["--resume", "--rerun", "chapter_2_histogram"]);
    assert!(succeeded, "{said}");
    assert!(said.contains("chapter_2_histogram"), "{said}");
    assert!(!said.contains("chapter_1_reduce"), "{said}");

    let resumed = read(&out);
    let sorted = |file: &Recording| {
        let subjects = file.rows.iter().map(|row| format!("{:?}", row.subject));
        let mut subjects: Vec<String> = subjects.collect();
        subjects.sort();
        subjects
    };
    assert_eq!(sorted(&resumed), sorted(&whole));
    assert_eq!(resumed.checksums, whole.checksums);
    assert!(resumed.head.command.contains("; record"));

    // A run that fails leaves what it did not come to.
    let failed = Command::new(env!("CARGO_BIN_EXE_record"))
        .args(["--device", "sim", "--out", path, "--resume"])
        .args(["--rerun", "chapter_3_scan"])
        .env("SIMT_INSTRUCTION_LIMIT", "1")
        .output()
        .expect("it starts");
    assert!(!failed.status.success());
    let left = read(&out).checksums.len();
    assert!(left > 100, "{left} checksums");

    let (succeeded, said) = run(&["--resume", "--rerun", "chapter_9"]);
    assert!(!succeeded && said.contains("no chapter chapter_9"), "{said}");
    let another = std::fs::read_to_string(&out)
        .expect("it is there")
        .replace("\"date\": \"2", "\"date\": \"1")
        .replace(
            "\"libraries\": []",
            r#""libraries": [{"name": "CUB", "version": "1", "built_with": null}]"#,
        );
    std::fs::write(&out, another).expect("it can be written");
    // On another day only whole chapters.
    let (succeeded, said) = run(&["--resume"]);
    assert!(!succeeded && said.contains("was recorded on 1"), "{said}");
    let (succeeded, said) = run(&["--resume", "--rerun", "chapter_3_scan"]);
    assert!(succeeded, "{said}");
    let Head { date, libraries, .. } = read(&out).head;
    assert!(date.starts_with("1") && date.contains(", 2"), "{date}");
    assert_eq!(libraries.len(), 1, "the rows that stay were compared with it");
}

#[test]
fn bad_arguments_are_refused() {
    for arguments in [
        &["--device", "sim", "--out", "/no/such/folder/x.json"][..],
        &["--device", "sim", "--baseline", "/no/such/baselines.so"],
        &["--samples", "3"],
        &["--rerun", "chapter_1_reduce"],
        &["--device", "sim", "--resume", "--out", "/no/such/recording.json"],
    ] {
        let output = record(arguments);
        let message = String::from_utf8_lossy(&output.stderr);
        assert!(matches!(output.status.code(), Some(1 | 2)), "{arguments:?}: {message}");
        assert!(!message.contains("panicked"), "{arguments:?}: {message}");
    }
}
