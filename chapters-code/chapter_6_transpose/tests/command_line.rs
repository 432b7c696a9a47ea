//! The program as people call it: what it refuses, and what it writes.

use chapter_6_transpose::chapter::Transpose;
use testing::{Program, check_example};

const CHAPTER_6: Program = Program::new(env!("CARGO_BIN_EXE_chapter_6"));
/// The program on a matrix of 100 x 60 elements.
const SMALL: Program = CHAPTER_6.with("-n 100x60");

#[test]
fn rows_that_would_overlap() {
    let parts = ["a leading dimension of 59", "smaller than the width, 60", "give --ld 60"];
    SMALL.refuses("--ld 59", &parts);
    SMALL.refuses("--ld 64,0", &["a leading dimension of 0", "remedy"]);
    SMALL.refuses("--ld -1", &["`-1` is negative"]);
    SMALL.refuses("--ld x", &["`x` is not a size"]);
}

#[test]
fn batches_of_nothing() {
    SMALL.refuses("--batch 0", &["a batch has 1 matrix at least"]);
    SMALL.refuses("--op max", &["max", "remedy"]);
    SMALL.refuses("--batch -3", &["`-3` is negative"]);
}

/// With the reason: a rectangle's transpose has another shape.
#[test]
fn rectangles_onto_themselves() {
    let parts = ["in_place", "square matrices", "remedy", "give -n NxN"];
    SMALL.refuses("--kernel in_place", &parts);
}

#[test]
fn sizes_that_are_none() {
    for (n, message) in [
        ("100", "is for matrices: give -n ROWSxCOLS"),
        ("10x", "`10x` is not a size"),
        ("-1x5", "`-1` is negative"),
        ("1.5x2", "whole number"),
        ("2^40x2^40", "largest size is 2^48"),
    ] {
        CHAPTER_6.refuses(&format!("-n {n}"), &[message]);
    }
}

/// Before anything runs: the message stands alone, without a table of the size that would fit.
#[test]
fn sizes_that_do_not_fit() {
    let parts = ["transpose of", "needs", "are free", "remedy", "up to"];
    CHAPTER_6.refuses("-n 10x10,2^23x2^23", &parts);
    SMALL.refuses("--ld 2^44", &parts);
    SMALL.refuses("--batch 2^40 --dtype u128", &parts);
    CHAPTER_6.refuses("-n 2^24x2^24 --ld 2^48 --batch 2^48", &parts);
}

#[test]
fn every_size_of_element() {
    let text = SMALL.prints("--dtype u8,f16,f32,f64,u128");
    assert_eq!(text.matches("swizzled ").count(), 5, "{text}");
    assert!(text.contains("transpose of 100x60 u128"), "{text}");
}

#[test]
fn rows_columns_and_nothing() {
    CHAPTER_6.prints("-n 1x100,100x1,1x1,0x5,5x0,0x0");
}

#[test]
fn json_says_which_matrices() {
    let row = SMALL.row("--batch 3 --ld 64 --kernel vectorized");
    assert_eq!(row["rows"], 100);
    assert_eq!(row["cols"], 60);
    assert_eq!(row["batch"], 3);
    assert_eq!(row["ld"], 64);
    // The gaps are not moved.
    assert_eq!(row["bytes"], 2 * 3 * 100 * 60 * 4);
    assert_eq!(row["bytes_written"], 3 * 100 * 60 * 4);
}

#[test]
fn a_kernel_that_leaves_its_arrays_is_caught() {
    let text = SMALL.prints("--kernel unchecked_edge");
    assert!(text.contains("out-of-bounds"), "{text}");
}

/// What every chapter's program does, and the whole program that the book shows.
#[test]
fn as_every_program() {
    SMALL.refuses("--kernel swizled", &["did you mean `swizzled`?", "remedy"]);
    CHAPTER_6.check_common(&Transpose, "100x60");
    CHAPTER_6.check_width("-n 100x60,64x64 --batch 2");
    check_example("plain_6", &["transpose of 1000 x 700 elements: right"]);
}
