//! The program as people call it: what it refuses, and what it writes.

use chapter_8_multi_gpu::chapter::MultiGpu;
use testing::{Program, check_example};

const CHAPTER_8: Program = Program::new(env!("CARGO_BIN_EXE_chapter_8"));

#[test]
fn numbers_of_devices() {
    for devices in ["0", "1", "9", "-1", "x"] {
        let parts = ["is not a number from 2 to 8"];
        CHAPTER_8.refuses(&format!("-n 100 --devices={devices}"), &parts);
    }
}

#[test]
fn what_has_no_kernel() {
    CHAPTER_8.refuses("-n 100 --op max", &["max", "remedy"]);
    CHAPTER_8.refuses("-n 100 --dtype i32", &["i32", "remedy"]);
    CHAPTER_8.refuses("-n 10x10", &["is for vectors", "give -n N"]);
}

#[test]
fn json_says_how_many_devices() {
    let row = CHAPTER_8.row("-n 1000 --devices 3 --kernel ring");
    assert_eq!(row["devices"], 3);
    // Two thirds of the array in each direction.
    assert_eq!(row["bytes"], 2 * (4000 * 2 / 3));
}

#[test]
fn tasks() {
    CHAPTER_8.refuses("-n 100 --task all-to-none", &["all-to-none", "all-to-all"]);
    CHAPTER_8.refuses("-n 100 --kernel reduce_scatter_pull", &["--task reduce-scatter"]);
    CHAPTER_8.refuses("-n 10x10 --task all-gather", &["all-gather is for vectors", "give -n N"]);
    CHAPTER_8
        .refuses("-n 100 --task transpose", &["transpose is for matrices", "give -n ROWSxCOLS"]);
    CHAPTER_8.refuses("-n 10x9 --task transpose --kernel transpose_packs", &["multiples of 4"]);
}

#[test]
fn bins() {
    CHAPTER_8.refuses("-n 100 --bins 7", &["--bins is for the task histogram", "remedy"]);
    CHAPTER_8.refuses("-n 100 --task histogram --bins 65536", &["65536 is not a number from 2 to"]);
    let text = CHAPTER_8.prints("-n 100 --task all-reduce,histogram --bins 7 --devices 2 --json -");
    let of_task = |line: &str| {
        let row: serde_json::Value = serde_json::from_str(line).expect("JSON");
        (row["task"] == "histogram", row.get("bins").map(|bins| bins == 7))
    };
    assert!(text.lines().map(of_task).all(|row| matches!(row, (true, Some(true)) | (false, None))));
}

/// Also an all-reduce, which is the default.
#[test]
fn json_says_which_task() {
    let four = CHAPTER_8.with("-n 1000 --devices 4");
    assert_eq!(four.row("--task all-reduce --kernel ring")["task"], "all-reduce");
    let gather = four.row("--task all-gather --kernel all_gather_push");
    assert_eq!(gather["task"], "all-gather");
    assert_eq!(gather["bytes"], 3000);
}

/// What every chapter's program does, and the whole program that the book shows.
#[test]
fn as_every_program() {
    CHAPTER_8.check_common(&MultiGpu, "100");
    CHAPTER_8.check_width("-n 1000,5000 --devices 2,4");
    CHAPTER_8.check_width("-n 1000 --task reduce-scatter,all-gather,all-to-all --broken");
    CHAPTER_8.check_width("-n 60x40 --task transpose --broken");
    let parts = ["device 0, ", "device 1, ", "all-reduce of 1000000 elements: right"];
    check_example("plain_8", &parts);
}
