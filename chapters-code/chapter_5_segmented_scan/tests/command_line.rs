//! The program as people call it: what it refuses, and what it writes.

use chapter_5_segmented_scan::chapter::Segmented;
use testing::{Program, check_example};

const CHAPTER_5: Program = Program::new(env!("CARGO_BIN_EXE_chapter_5"));
/// The program on 1,000 elements.
const SMALL: Program = CHAPTER_5.with("-n 1000");

#[test]
fn by_itself_it_converts_scans_reduces_and_multiplies() {
    let text = SMALL.prints("");
    for title in [
        "where segments are: 1000 elements, segments of 64, to-flags",
        "where segments are: 1000 elements, segments of 64, to-offsets",
        "segmented scan: sum",
        "segmented reduce: sum",
        "sparse matrix times vector",
    ] {
        assert!(text.contains(title), "{text}");
    }
}

#[test]
fn options_say_which_of_the_four() {
    let text = SMALL.prints("--kind inclusive,exclusive --segments 7,giant");
    assert_eq!(text.matches("warp_specialized").count(), 4, "{text}");
    assert!(!text.contains("reduce") && !text.contains("matrix"), "{text}");
    let text = SMALL.prints("--segments empty");
    assert!(text.contains("warp_specialized") && text.contains("reduce_merge_path"), "{text}");
    assert!(!text.contains("spmv"), "{text}");
    let text = SMALL.prints("--matrix banded");
    assert!(text.contains("banded matrix") && !text.contains("segments of"), "{text}");
    let text = SMALL.prints("--kernel reduce_merge_path");
    assert!(!text.contains("warp_specialized") && !text.contains("spmv"), "{text}");
    let text = SMALL.prints("--convert to-offsets --segments giant,empty");
    assert_eq!(text.matches("offsets_of_bits").count(), 2, "{text}");
    assert!(!text.contains("flags_of_offsets") && !text.contains("warp_specialized"), "{text}");
    let text = SMALL.prints("--kernel bits_of_offsets --segments empty");
    assert_eq!(text.matches("where segments are").count(), 1, "{text}");
}

#[test]
fn every_type_and_operator() {
    let text = SMALL.prints("--segments 5 --dtype i32,u32,i64,f32,f64 --op sum,max");
    assert_eq!(text.matches("warp_specialized").count(), 10, "{text}");
    assert_eq!(text.matches("\nreduce_thread_per_segment").count(), 10, "{text}");
    // Those that may take elements in any order have no such operator.
    let text = SMALL.prints("--segments 5 --dtype i64 --op affine");
    assert!(text.contains("lookback") && text.contains("reduce_thread_per_segment"), "{text}");
    assert!(!text.contains("warp_specialized") && !text.contains("reduce_merge_path"), "{text}");
}

#[test]
fn nothing_and_one_element() {
    CHAPTER_5.prints("-n 0,1 --segments 1,giant,power-law,lopsided,empty");
    CHAPTER_5.prints("-n 0,1 --convert to-flags,to-offsets --segments 1,empty");
    CHAPTER_5.prints("-n 0,1 --matrix long-row");
}

#[test]
fn json_says_which_segments() {
    let row = SMALL.row("--kind exclusive --segments power-law --kernel lookback");
    assert_eq!(row["kind"], "exclusive");
    assert_eq!(row["segments"], "power-law");
    assert_eq!(row["bytes"], 8125);
    assert_eq!(row["bytes_written"], 4000);
    let row = SMALL.row("--kernel offsets_of_bits --segments 100");
    assert_eq!(row["convert"], "to-offsets");
    // 32 words of flags; ten places, the end, and their number.
    assert_eq!(row["bytes"], 128 + 4 * 12);
    assert_eq!(row["dtype"], "u32");
}

#[test]
fn things_that_there_are_not() {
    SMALL.refuses("--segments 0", &["`0` are no segments", "power-law"]);
    SMALL.refuses("--convert to-bytes", &["to-bytes", "to-offsets"]);
    SMALL.refuses("--segments -3", &["no segments"]);
    SMALL.refuses(
        "--op affine --segments 4",
        &["affine of f32", "affine is there for i64", "remedy"],
    );
    SMALL.refuses("--dtype f64 --matrix banded", &["sum of f64", "remedy"]);
    SMALL.refuses("--kernel spmv_merge_path --kind inclusive", &["spmv_merge_path"]);
    CHAPTER_5.refuses("-n 2^32", &["offsets of 32 bits", "remedy"]);
    CHAPTER_5.refuses("-n 100x100", &["vectors", "-n N"]);
}

#[test]
fn long_segments_are_not_for_one_thread() {
    let text = CHAPTER_5.prints("-n 2^20+1 --segments giant --kind inclusive");
    assert!(text.contains("thread_per_segment is left out"), "{text}");
}

/// A file of this text, beside the tests' own.
fn file(name: &str, text: &str) -> String {
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, text).expect("it is written");
    path.to_str().expect("UTF-8").to_owned()
}

#[test]
fn a_matrix_from_a_file() {
    let header = "%%MatrixMarket matrix coordinate real symmetric\n";
    let path = file("right.mtx", &format!("{header}4 4 3\n1 1 2.5\n3 1 -1\n4 4 7\n"));
    let text = CHAPTER_5.prints(&format!("--matrix {path}"));
    assert!(text.contains("sum of 4 f32, file matrix"), "{text}");
    assert!(text.contains("spmv_merge_path"), "{text}");
}

/// The notes are on standard error: what is on standard output can be a program's.
#[test]
fn values_that_change_are_noted() {
    let header = "%%MatrixMarket matrix coordinate integer general\n";
    let path = file("changed.mtx", &format!("{header}4 4 2\n1 1 16777217\n3 1 5\n"));
    let arguments = ["--device", "sim", "--matrix", &path, "--kernel", "spmv_thread_per_row"];
    let output = CHAPTER_5.run(&arguments);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    assert!(said.contains("changed.mtx:3: note: 1 of 2 values change in 32 bits"), "{said}");
}

#[test]
fn files_that_are_wrong_are_named_with_the_line() {
    let header = "%%MatrixMarket matrix coordinate real general\n";
    let cases = [
        ("cut_off", format!("{header}4 4 3\n1 1 2.5\n"), ":3: it is cut off"),
        ("range", format!("{header}4 4 1\n5 1 2.5\n"), ":3: row 5 is not in 1 to 4"),
        ("field", header.replace("real", "complex"), ":1: entries are `complex`"),
        ("empty", String::new(), ": the file is empty"),
    ];
    for (name, text, message) in cases {
        let path = file(&format!("{name}.mtx"), &text);
        let expected = format!("{name}.mtx{message}");
        CHAPTER_5.refuses(&format!("--matrix {path}"), &[&expected, "remedy"]);
    }
    CHAPTER_5.refuses("--matrix no/such/file", &["no/such/file", "No such file"]);
}

/// What every chapter's program does, and the whole program that the book shows.
#[test]
fn as_every_program() {
    SMALL.refuses("--kernel lookbak", &["did you mean `lookback`?", "remedy"]);
    CHAPTER_5.check_common(&Segmented::DEFAULT, "1000");
    CHAPTER_5.check_width("-n 1000");
    check_example("plain_5", &["segmented scan of 1000000 elements: right"]);
}
