//! A recorded file has the schema that the book and the tables read. Tried on the simulator, which
//! has no times.

use std::{path::PathBuf, process::Command};

use serde_json::Value;

fn record(arguments: &[&str]) -> std::process::Output {
    Command::new(env!("CARGO_BIN_EXE_record")).args(arguments).output().expect("it starts")
}

#[test]
fn a_file_has_all_parts() {
    let out = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("trial.json");
    let path = out.to_str().expect("UTF-8");
    let output = record(&["--device", "sim", "--out", path, "--commit", "abc"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = std::fs::read_to_string(&out).expect("it is written");
    let file: Value = serde_json::from_str(&text).expect("it is JSON");

    for field in ["schema", "device", "date", "command", "ceilings", "rows", "skipped"] {
        assert!(file.get(field).is_some(), "no field {field}");
    }
    for field in ["name", "compute_capability", "driver", "clocks", "memory", "peak_gb_per_s"] {
        assert!(!file["device"][field].is_null(), "no device.{field}");
    }
    assert_eq!(file["commit"], "abc");
    let kernel = file["kernels"]["chapter_1_reduce/sequential"].as_str();
    let reduce = chapters::find("chapter_1_reduce").expect("a chapter");
    let sequential = reduce.find("sequential").expect("a rung");
    assert_eq!(kernel, Some(&*harness::kernel::fingerprint(&sequential.ptx)));
    let rows = file["rows"].as_array().expect("a list");
    for chapter in [
        "chapter_0_setup",
        "chapter_1_reduce",
        "chapter_2_histogram",
        "chapter_3_scan",
        "chapter_5_segmented_scan",
        "chapter_6_transpose",
        "chapter_7_coalescing",
    ] {
        assert!(rows.iter().any(|row| row["chapter"] == chapter), "no rows of {chapter}");
    }
    let wrong: Vec<_> =
        rows.iter().filter(|row| row["broken"] == false && row["correct"] == false).collect();
    assert!(wrong.is_empty(), "{wrong:?}");
    let checksums = file["checksums"].as_array().expect("a list");
    assert!(checksums.len() > 100, "{} checksums", checksums.len());
    assert!(checksums.iter().all(|checksum| checksum["bits"].is_string()));
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
    let read = || -> Value {
        let text = std::fs::read_to_string(&out).expect("it is written");
        serde_json::from_str(&text).expect("it is JSON")
    };
    assert!(run(&[]).0);
    let whole = read();
    let (succeeded, said) = run(&["--resume", "--rerun", "chapter_2_histogram"]);
    assert!(succeeded, "{said}");
    assert!(said.contains("chapter_2_histogram"), "{said}");
    assert!(!said.contains("chapter_1_reduce"), "{said}");

    let resumed = read();
    let sorted = |file: &Value| {
        let mut rows: Vec<String> = file["rows"]
            .as_array()
            .expect("a list")
            .iter()
            .map(|row| format!("{} {} {}", row["kernel"], row["n"], row["dtype"]))
            .collect();
        rows.sort();
        rows
    };
    assert_eq!(sorted(&resumed), sorted(&whole));
    assert_eq!(resumed["checksums"], whole["checksums"]);
    assert!(resumed["command"].as_str().is_some_and(|c| c.contains("; record")));

    // A run that fails leaves what it did not come to.
    let failed = Command::new(env!("CARGO_BIN_EXE_record"))
        .args(["--device", "sim", "--out", path, "--resume"])
        .args(["--rerun", "chapter_3_scan"])
        .env("SIMT_INSTRUCTION_LIMIT", "1")
        .output()
        .expect("it starts");
    assert!(!failed.status.success());
    let left = read()["checksums"].as_array().expect("a list").len();
    assert!(left > 100, "{left} checksums");

    let (succeeded, said) = run(&["--resume", "--rerun", "chapter_9"]);
    assert!(!succeeded && said.contains("no chapter chapter_9"), "{said}");
    let another = std::fs::read_to_string(&out)
        .expect("it is there")
        .replace("\"date\": \"2", "\"date\": \"1");
    std::fs::write(&out, another).expect("it can be written");
    // On another day only whole chapters.
    let (succeeded, said) = run(&["--resume"]);
    assert!(!succeeded && said.contains("was recorded on 1"), "{said}");
    let (succeeded, said) = run(&["--resume", "--rerun", "chapter_3_scan"]);
    assert!(succeeded, "{said}");
    let date = read()["date"].clone();
    let date = date.as_str().unwrap_or_default();
    assert!(date.starts_with("1") && date.contains(", 2"), "{date}");
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
