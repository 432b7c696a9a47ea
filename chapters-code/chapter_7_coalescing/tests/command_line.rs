//! The program as people call it: what it refuses, and what it writes.

use chapter_7_coalescing::chapter::Coalescing;
use testing::{Program, check_example};

const CHAPTER_7: Program = Program::new(env!("CARGO_BIN_EXE_chapter_7"));
/// The program on 1,000 elements.
const SMALL: Program = CHAPTER_7.with("-n 1000");

#[test]
fn offsets_that_leave_the_buffer() {
    let parts = [
        "an offset of 1001 leaves a buffer of 1000 elements",
        "remedy: give --offset 1000 or less",
    ];
    SMALL.refuses("--offset 1001", &parts);
    SMALL.refuses("--offset 0,2^40", &["an offset of 1099511627776", "remedy"]);
    SMALL.refuses("--offset -1", &["`-1` is negative"]);
    SMALL.refuses("--offset x", &["`x` is not a size"]);
    SMALL.prints("--offset 1000");
}

#[test]
fn strides_that_leave_the_buffer() {
    let parts =
        ["a stride of 1001 leaves a buffer of 1000 elements", "remedy: give --stride 1000 or less"];
    SMALL.refuses("--stride 1001", &parts);
    SMALL.refuses("--stride 1,0", &["a stride of 0", "give --stride 1 or more"]);
    SMALL.refuses("--stride -2", &["`-2` is negative"]);
    SMALL.refuses("--stride 1.5", &["whole number"]);
    SMALL.prints("--stride 1000");
}

#[test]
fn orders_that_are_none() {
    SMALL.refuses("--index-order upwards", &["`upwards` is no order", "ascending, random, sorted"]);
    SMALL.refuses("--index-order 0", &["`0` is no order"]);
    let parts = ["scatter", "stores to each index once", "give --index-order ascending"];
    SMALL.refuses("--kernel scatter --index-order random", &parts);
    CHAPTER_7.refuses("-n 2^33 --index-order random", &["indices of 32 bits", "remedy"]);
}

#[test]
fn reads_that_there_are_not() {
    SMALL.refuses(
        "--loads-per-thread 3",
        &["no kernel with 3 loads", "give --loads-per-thread 1, 2, 4 or 8"],
    );
    SMALL.refuses("--resident 9", &["does not hold 9 blocks", "give --resident 1 to 8"]);
    let parts =
        ["8 blocks with 8 loads per thread need more registers", "give --resident 4 or less"];
    SMALL.refuses("--loads-per-thread 8 --resident 8", &parts);
    SMALL.refuses("--resident 0", &["does not hold 0 blocks"]);
}

/// Before anything runs.
#[test]
fn sizes_that_do_not_fit() {
    let parts = ["copy of 2^46", "needs", "are free", "remedy", "up to"];
    CHAPTER_7.refuses("-n 10,2^46", &parts);
}

#[test]
fn other_things_that_there_are_not() {
    CHAPTER_7.refuses("-n 10x10", &["is for vectors: give -n N"]);
    SMALL.refuses("--kernel packets", &["no kernel `packets`", "remedy"]);
    SMALL.refuses("--op max", &["max", "remedy"]);
    SMALL.refuses("--dtype f64", &["f64", "remedy"]);
    SMALL.refuses("--layout triples", &["triples", "pairs"]);
}

#[test]
fn options_pick_what_runs() {
    let text = SMALL.prints("--stride 3,5 --loads-per-thread 1,2");
    assert_eq!(text.matches("strided_loads ").count(), 2, "{text}");
    assert_eq!(text.matches("bytes_in_flight ").count(), 2, "{text}");
    assert!(!text.contains("scalar "), "{text}");
    let text = SMALL.prints("--kernel soa,packs");
    assert!(text.contains("update of 1000 f32, particles"), "{text}");
    assert!(text.contains("copy of 1000 f32"), "{text}");
    assert!(!text.contains("gather"), "{text}");
}

#[test]
fn one_element_and_none() {
    CHAPTER_7
        .prints("-n 0,1,2 --offset 0 --stride 1 --layout pairs,particles --index-order 4 --loads-per-thread 8");
}

#[test]
fn json_says_which_pattern() {
    let offset = SMALL.row("--kernel offset_loads --offset 3");
    assert_eq!(offset["offset"], 3);
    assert_eq!(offset["bytes"], 2 * 997 * 4);
    assert_eq!(offset["bytes_written"], 997 * 4);
    let gather = SMALL.row("--kernel gather --index-order 2^5");
    assert_eq!(gather["order"], "32");
    let particles = SMALL.row("--kernel aos --layout particles");
    assert_eq!(particles["records"], "particles");
    let read = SMALL.row("--kernel bytes_in_flight --loads-per-thread 2 --resident 3");
    assert_eq!([&read["loads"], &read["resident"]], [2, 3]);
    assert_eq!(read["bytes_written"], 0);
    assert_eq!(read["occupancy"], 0.375);
}

/// A cast aligns nothing. After the last of the broken kernels no other runs.
#[test]
fn a_load_that_is_not_aligned_is_caught() {
    let text = SMALL.prints("--broken");
    assert!(text.contains("misaligned"), "{text}");
    assert!(text.contains("misaligned_packs.cu"), "{text}");
}

/// What every chapter's program does, and the whole program that the book shows.
#[test]
fn as_every_program() {
    SMALL.refuses("--kernel two_pakcs", &["did you mean `two_packs`?", "remedy"]);
    CHAPTER_7.check_common(&Coalescing, "1000");
    CHAPTER_7.check_width("-n 1000,2048");
    check_example("plain_7", &["coalesced copy of 100000 elements: right", "stride 8: right"]);
}
