//! The program as people call it: what it refuses, and what it writes.

use std::path::PathBuf;

use chapter_4_compact::chapter::Compact;
use testing::{Program, check_example};

const CHAPTER_4: Program = Program::new(env!("CARGO_BIN_EXE_chapter_4"));
/// The program on 1,000 elements.
const SMALL: Program = CHAPTER_4.with("-n 1000");

#[test]
fn densities_that_are_none() {
    for density in ["2", "3/2", "1/0", "-1", "half", "nan", "1,", ""] {
        SMALL.refuses(&format!("--density={density}"), &["--density", "write for example 1/2"]);
    }
}

#[test]
fn choices_that_are_none() {
    SMALL.refuses("--select nonsense", &["--select", "possible values: mask, bits, predicate"]);
    let patterns = ["--mask", "possible values: random, clustered, alternating"];
    SMALL.refuses("--mask nonsense", &patterns);
}

#[test]
fn types_and_operators_that_are_none() {
    let there = "sum is there for i32, u32, i64, f32, f64, u8";
    SMALL.refuses("--dtype f16", &["sum of f16", there]);
    SMALL.refuses("--op max", &["max of f32"]);
}

#[test]
fn kernels_that_do_not_run_there() {
    let by_mask = "warp_specialized selects by a mask: give --select mask or --select bits";
    SMALL.refuses(
        "--kernel warp_specialized --select predicate",
        &["warp_specialized does not run", by_mask],
    );
    SMALL.refuses("--kernel rows", &["rows is for matrices"]);
    let parts = ["staged is for vectors"];
    CHAPTER_4.refuses("-n 10x10 --kernel staged", &parts);
    CHAPTER_4.refuses("-n 10x10 --select predicate --kernel rows", &["rows selects by a mask"]);
    let large = ["indices of 32 bits", "up to 4294967295"];
    CHAPTER_4.refuses("-n 2^33 --dtype u8 --kernel scan_then_scatter", &large);
}

#[test]
fn sizes_that_do_not_fit() {
    CHAPTER_4.refuses("-n 1000,2^45", &["of memory", "remedy", "elements of that type fit"]);
}

/// A file with this text, for as long as the test runs.
fn mask_file(name: &str, text: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let path = folder.join(name);
    std::fs::write(&path, text).expect("a file");
    path
}

#[test]
fn masks_in_files() {
    let path = mask_file("eight.txt", "1010 1010 # every second one\n");
    let text = CHAPTER_4.prints(&format!("-n 8 --mask-file {}", path.display()));
    assert!(text.contains("warp_specialized"), "{text}");
    let title = "compact: 8 f32, selected by a file's mask";
    assert!(text.contains(title), "{text}");
    let by = format!("--mask-file {} --select predicate", path.display());
    SMALL.refuses(&by, &["no mask says what is selected", "remedy"]);
    let three = mask_file("three.txt", "0110 0001");
    let row = CHAPTER_4.row(&format!("-n 8 --mask-file {} --kernel staged", three.display()));
    assert_eq!((&row["density"], row.get("mask")), (&"3/8".into(), None), "{row}");
    let other_length = ["mask is of 8", "there are 1000 elements", "remedy"];
    SMALL.refuses(&format!("--mask-file {}", path.display()), &other_length);
    CHAPTER_4.refuses(
        &format!("-n 9x2 --mask-file {}", path.display()),
        &["mask is of 8", "there are 9 rows"],
    );
}

#[test]
fn mask_files_that_are_none() {
    SMALL.refuses("--mask-file no/such/file", &["no/such/file", "remedy"]);
    let path = mask_file("letters.txt", "0101\n01x1\n");
    let place = format!("{}:2:3: `x` is neither 0 nor 1", path.display());
    SMALL.refuses(&format!("--mask-file {}", path.display()), &[&place]);
    let both = format!("--mask-file {} --density 1/2", path.display());
    SMALL.refuses(&both, &["cannot be used with"]);
    let path = mask_file("empty.txt", "# nothing\n");
    SMALL.refuses(&format!("--mask-file {}", path.display()), &["mask is of 0"]);
}

#[test]
fn every_type_choice_density_and_pattern() {
    let text = SMALL.prints("--dtype i32,u32,i64,f32,f64,u8 --select mask,bits,predicate");
    assert_eq!(text.matches("\none_thread").count(), 6 * 3, "{text}");
    assert!(text.contains("compact: 1000 f64, 1/2 selected by bits, random"), "{text}");
    let text = SMALL.prints("--density 0,1/64,0.5,1 --mask random,clustered,alternating");
    assert_eq!(text.matches("lookback").count(), 4 * 3, "{text}");
}

#[test]
fn nothing_and_one_element() {
    CHAPTER_4.prints("-n 0,1 --select mask,bits,predicate");
    CHAPTER_4.prints("-n 0x3,1x1");
    CHAPTER_4.refuses("-n 3x0", &["rows of 3x0 hold nothing", "remedy"]);
}

#[test]
fn json_says_what_is_selected() {
    let row = SMALL.row("--density 1 --select bits --kernel warp_specialized");
    assert_eq!((&row["by"], &row["density"]), (&"bits".into(), &"1".into()));
    assert_eq!(row["mask"], "random");
    // Data, mask in whole words, as much data again, and the count.
    assert_eq!(row["bytes"], 4000 + 128 + 4000 + 8);
    assert_eq!(row["bytes_written"], 4000 + 8);
}

/// What every chapter's program does, and the whole program that the book shows.
#[test]
fn as_every_program() {
    SMALL.refuses("--kernel warp_specialised", &["did you mean `warp_specialized`?", "remedy"]);
    CHAPTER_4.check_common(&Compact::DEFAULT, "1000");
    CHAPTER_4.check_width("-n 1000 --select bits --density 1/64 --mask clustered");
    check_example("plain_4", &["compaction of 1000000 elements to 250000: right"]);
}
