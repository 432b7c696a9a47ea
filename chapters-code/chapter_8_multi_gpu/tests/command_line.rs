//! The program as people call it: what it refuses, and what it writes.

use chapter_8_multi_gpu::chapter::MultiGpu;
use report::testing::Program;

const CHAPTER_8: Program = Program(env!("CARGO_BIN_EXE_chapter_8"));

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
    CHAPTER_8.refuses("-n 10x10", &["is for vectors: give -n N"]);
}

#[test]
fn json_says_how_many_devices() {
    let text = CHAPTER_8.prints("-n 1000 --devices 3 --kernel ring --json -");
    let row: serde_json::Value = serde_json::from_str(text.trim()).expect("JSON");
    assert_eq!(row["devices"], 3);
    // Two thirds of the array in each direction.
    assert_eq!(row["bytes"], 2 * (4000 * 2 / 3));
}

#[test]
fn the_list_and_the_manual() {
    CHAPTER_8.check_manual(&MultiGpu);
}

#[test]
fn tables_fit() {
    CHAPTER_8.check_width("-n 1000,5000 --devices 2,4");
}
