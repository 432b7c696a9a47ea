//! The program as people call it: what it refuses, and what it writes.

use chapter_3_scan::chapter::Scan;
use testing::{Program, check_example};

const CHAPTER_3: Program = Program::new(env!("CARGO_BIN_EXE_chapter_3"));
/// The program on 1,000 elements.
const SMALL: Program = CHAPTER_3.with("-n 1000");

#[test]
fn kinds_that_are_none() {
    for kind in ["nonsense", "both", "inclusive,", ""] {
        let parts = ["--kind", "possible values: inclusive, exclusive"];
        SMALL.refuses(&format!("--kind={kind}"), &parts);
    }
}

#[test]
fn operators_that_are_none() {
    CHAPTER_3.refuses("-n 10x10", &["is for vectors: give -n N"]);
    SMALL.refuses("--op nonsense", &["nonsense", "sum", "affine"]);
    SMALL.refuses(
        "--op and --dtype i32",
        &["no rung has this operator and type: and of i32", "i32 has sum, max"],
    );
    SMALL.refuses("--op affine", &["affine of f32", "affine is there for i64", "f32 has sum, max"]);
    SMALL.refuses("--dtype f16", &["sum of f16", "sum is there for i32, u32, i64, f32, f64, u8"]);
    SMALL
        .refuses("--op max --dtype u8", &["max of u8", "max is there for i32, u32, i64, f32, f64"]);
    SMALL.refuses(
        "--dtype u8 --kernel shuffle",
        &["shuffle does not have this operator and type: sum of u8"],
    );
}

/// Before anything runs: the message stands alone, without a table of the size that would fit.
#[test]
fn sizes_that_do_not_fit() {
    let parts = ["inclusive scan: sum of 2^45", "needs", "are free", "remedy", "up to"];
    CHAPTER_3.refuses("-n 1000,2^45", &parts);
    CHAPTER_3.refuses("-n 2^45 --kernel warp_specialized --dtype u8", &parts[1..]);
}

#[test]
fn every_type_operator_and_kind() {
    let text = SMALL.prints("--dtype i32,u32,i64,f32,f64,u8 --kind inclusive,exclusive");
    assert_eq!(text.matches("\none_thread").count(), 5 * 2, "{text}");
    assert!(text.contains("exclusive scan: sum of 1000 f64"), "{text}");
    let text = SMALL.prints("--dtype i32,u32,i64,f32,f64 --op max");
    assert_eq!(text.matches("\nwarp_specialized").count(), 5, "{text}");
    let text = SMALL.prints("--dtype i64 --op sum,affine --input uniform,sorted,constant");
    assert_eq!(text.matches("hillis_steele").count(), 2 * 3, "{text}");
}

#[test]
fn nothing_and_one_element() {
    CHAPTER_3.prints("-n 0,1 --kind inclusive,exclusive");
}

#[test]
fn json_says_which_kind() {
    let row = SMALL.row("--kind exclusive --kernel all_gather");
    assert_eq!(row["kind"], "exclusive");
    assert_eq!(row["bytes"], 8000);
    assert_eq!(row["bytes_written"], 4000);
}

/// What every chapter's program does, and the whole program that the book shows.
#[test]
fn as_every_program() {
    SMALL.refuses("--kernel lookbak", &["did you mean `lookback`?", "remedy"]);
    CHAPTER_3.check_common(&Scan, "1000");
    CHAPTER_3.check_width("-n 1000 --kind exclusive");
    check_example("plain_3", &["inclusive scan of 1000000 elements: right"]);
}
