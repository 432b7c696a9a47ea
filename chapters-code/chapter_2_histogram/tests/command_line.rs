//! The program as people call it: what it refuses, and what it writes.

use crate::common::CHAPTER;
use testing::{Program, check_example};

const CHAPTER_2: Program = Program::new(env!("CARGO_BIN_EXE_chapter_2"));
/// The program on 1,000 keys.
const SMALL: Program = CHAPTER_2.with("-n 1000");

#[test]
fn bins_that_are_none() {
    for bins in ["0", "1", "65537", "-3", "1.5", "many", "", "2^20", "16,1"] {
        let parts = ["--bins", "from 2 to 65536", "for example 256"];
        SMALL.refuses(&format!("--bins={bins}"), &parts);
    }
}

#[test]
fn keys_that_have_no_bin() {
    SMALL.refuses(
        "--keys 300 --out-of-range refuse",
        &[
            "of 1000 keys have no bin",
            "the last of 256 bins is 255",
            "--bins",
            "--out-of-range count",
        ],
    );
    CHAPTER_2.refuses(
        "-n 2^16 --dtype f32 --out-of-range refuse",
        &["keys have no bin", "[0, 1) is the range", "--out-of-range count"],
    );
    SMALL.refuses("--keys 0", &["--keys", "from 1 to 2^32 - 1"]);
    SMALL.refuses("--out-of-range drop", &["drop", "count", "refuse"]);
    for fine in [
        "--out-of-range refuse",
        "--keys 300",
        "--keys 300 --out-of-range count",
        "--dtype u8 --keys 300",
    ] {
        SMALL.prints(fine);
    }
}

#[test]
fn a_nan_is_refused_by_its_name() {
    // The first odd one of this seed is a NaN.
    let message = (1..100).find_map(|seed| {
        let arguments =
            format!("--device sim -n 1000 --dtype f32 --out-of-range refuse --seed {seed}");
        let arguments: Vec<&str> = arguments.split(' ').collect();
        let message = String::from_utf8_lossy(&CHAPTER_2.run(&arguments).stderr).into_owned();
        message.contains("which is NaN").then_some(message)
    });
    let message = message.expect("one of the seeds begins with a NaN");
    assert!(message.contains("remedy: count them apart"), "{message}");
}

#[test]
fn what_histograms_do_not_have() {
    SMALL.refuses("--op nonsense", &["nonsense", "sum"]);
    SMALL.refuses("--op max", &["max of u32", "remedy", "u32 has sum"]);
    SMALL.refuses("--dtype i32", &["sum of i32", "sum is there for u32, f32, u8, u16"]);
    SMALL.refuses(
        "--input negative",
        &["no negative input", "uniform, gaussian, zipf, constant, sorted"],
    );
    SMALL.refuses("--copies 3", &["power of two up to 32", "1, 2, 4, 8, 16 or 32"]);
    CHAPTER_2.refuses("-n 10x10", &["is for vectors", "-n N"]);
}

#[test]
fn ranges_that_are_none() {
    let parts = ["--range", "two numbers, the lower one first", "0..2^20"];
    for range in ["", "5", "..", "0..", "1..1", "2..1", "a..b", "nan..1", "0..inf", "0-5"] {
        SMALL.refuses(&format!("--range={range}"), &parts);
    }
    SMALL.refuses(
        "--range -1..1",
        &["from -1 to 1", "whole numbers up to 2^32 - 1", "remedy", "0..2^20"],
    );
    SMALL.refuses("--range 0..0.5", &["no range of u32", "0..2^20"]);
    SMALL.refuses("--range 0..2^32", &["no range of u32"]);
    SMALL.refuses("--dtype f32 --range 1e300..2e300", &["no range", "two finite ends", "--range"]);
    SMALL.refuses(
        "--dtype u8,u32 --range 0..100",
        &["keys of u8 are their own bins", "--dtype u32 or f32"],
    );
    SMALL.refuses(
        "--range 0..100 --kernel shared_atomics",
        &["shared_atomics does not run", "range 0..100", "own bins only", "--kernel banked"],
    );
    SMALL.refuses("--range 0..100 --bins 12286 --kernel banked", &["room for up to 12285 bins"]);
    CHAPTER_2.refuses(
        "--range 0..2^20 -n 2^16 --out-of-range refuse",
        &["keys have no bin", "[0, 1048576) is the range of the 256 bins"],
    );
}

#[test]
fn a_range_of_each_type() {
    let text = SMALL.prints("--range 0..2^20 --broken");
    assert!(text.contains("histogram of 1000 u32, 256 bins, range 0..1048576"), "{text}");
    assert!(text.contains("banked") && !text.contains("finish_memset "), "{text}");
    assert!(SMALL.prints("--dtype f32 --range -1..1").contains("finish_memset"));
}

#[test]
fn sizes_that_are_too_large() {
    CHAPTER_2.refuses("-n 2^45", &["more than a counter of 32 bits", "4294967295"]);
    CHAPTER_2.refuses("-n 4G --dtype u32", &["needs", "are free", "up to"]);
}

/// A rung whose counters don't fit in shared memory is left out with a message, and refused if it is the only one.
#[test]
fn rungs_that_have_no_room() {
    let text = SMALL.prints("--bins 65536");
    for note in [
        "shared_atomics has room for up to 12285 bins",
        "warp_copies has room for up to 1533 bins",
        "match_any has room for up to 12285 bins",
    ] {
        assert!(text.contains(note), "{text}");
    }
    SMALL.refuses(
        "--bins 65536 --kernel warp_copies",
        &["warp_copies does not run", "room for up to 1533 bins"],
    );
}

#[test]
fn every_kind_of_key_and_input() {
    let text = SMALL.prints(
        "--dtype u8,u16,u32,f32 --input uniform,gaussian,zipf,constant,sorted --bins 2,256",
    );
    assert!(text.contains("histogram of 1000 u8, 2 bins, zipf input"), "{text}");
    assert_eq!(text.matches("banked").count(), 4 * 5 * 2);
}

#[test]
fn nothing_and_one_key() {
    CHAPTER_2.prints("-n 0,1 --bins 2,65536");
}

#[test]
fn json_says_how_many_bins() {
    let row = SMALL.row("--bins 3 --keys 5 --copies 2 --kernel banked");
    for (field, value) in [("bins", 3), ("keys", 5), ("copies", 2), ("bytes", 4024)] {
        assert_eq!(row[field], value, "{field}");
    }
    assert_eq!(row["dtype"], "u32");
    let row = SMALL.row("--range 5..2^20 --kernel banked");
    assert_eq!(row["range"], "5..1048576");
}

/// What every chapter's program does, and the whole program that the book shows.
#[test]
fn as_every_program() {
    SMALL.refuses("--kernel banken", &["did you mean `banked`?", "remedy"]);
    CHAPTER_2.check_common(&CHAPTER, "1000");
    assert!(CHAPTER_2.prints("--help").contains("[default: u32]"));
    CHAPTER_2.check_width("-n 1000 --bins 65536");
    CHAPTER_2.check_width("-n 1000 --broken");
    check_example("plain_2", &["histogram of 1000000 keys in 256 bins: right"]);
}

/// Each broken kernel runs on its own case, by the chapter's name for it.
#[test]
fn broken_kernels_have_titles() {
    let text = SMALL.prints("--broken");
    assert!(text.contains("histogram of 2^17 u32"), "{text}");
    assert!(!text.contains("sum of"), "{text}");
}
