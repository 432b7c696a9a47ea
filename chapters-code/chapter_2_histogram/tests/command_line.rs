//! The program as people call it: what it refuses, and what it writes.

use std::process::{Command, Output};

fn chapter_2(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_chapter_2"))
        .args(arguments)
        .env_remove("SIMT_DEVICES")
        .env("SIMT_INSTRUCTION_LIMIT", "2147483648")
        .output()
        .expect("the program starts")
}

/// On the simulator, with further arguments, at 1,000 keys.
fn simulated(arguments: &str) -> Output {
    let fixed = ["--device", "sim", "-n", "1000"];
    let arguments: Vec<&str> = fixed.into_iter().chain(arguments.split(' ')).collect();
    chapter_2(&arguments)
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// It must fail with status 1 or 2 and a message that has all the parts, and print no table.
#[track_caller]
fn refuses(output: Output, parts: &[&str]) {
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    let status = output.status.code();
    assert!(
        matches!(status, Some(1 | 2)),
        "status {status:?}\n{message}"
    );
    assert!(!message.contains("panicked"), "{message}");
    for part in parts {
        assert!(message.contains(part), "no `{part}` in:\n{message}");
    }
    assert!(!stdout(&output).contains("verdict"), "{}", stdout(&output));
}

#[test]
fn bins_that_are_none() {
    for bins in ["0", "1", "65537", "-3", "1.5", "many", "", "2^20"] {
        let output = chapter_2(&["--device", "sim", "--bins", bins]);
        refuses(output, &["--bins", "from 2 to 65536", "for example 256"]);
    }
    refuses(simulated("--bins 16,1"), &["from 2 to 65536"]);
}

#[test]
fn keys_that_have_no_bin() {
    refuses(
        simulated("--keys 300 --beyond refuse"),
        &[
            "of 1000 keys have no bin",
            "the last of 256 bins is 255",
            "--bins",
            "--beyond count",
        ],
    );
    refuses(
        chapter_2(&[
            "--device", "sim", "-n", "2^16", "--dtype", "f32", "--beyond", "refuse",
        ]),
        &["keys have no bin", "[0, 1) is the range", "--beyond count"],
    );
    refuses(simulated("--keys 0"), &["--keys", "from 1 to 2^32 - 1"]);
    refuses(simulated("--beyond drop"), &["drop", "count", "refuse"]);
    for fine in [
        "--beyond refuse",
        "--keys 300",
        "--keys 300 --beyond count",
        "--dtype u8 --keys 300",
    ] {
        let output = simulated(fine);
        assert!(output.status.success(), "{fine}: {output:?}");
    }
}

#[test]
fn a_nan_is_refused_by_its_name() {
    // The first odd one of this seed is a NaN.
    let message = (1..100).find_map(|seed| {
        let output = simulated(&format!("--dtype f32 --beyond refuse --seed {seed}"));
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        message.contains("which is NaN").then_some(message)
    });
    let message = message.expect("one of the seeds begins with a NaN");
    assert!(message.contains("remedy: count them apart"), "{message}");
}

#[test]
fn what_histograms_do_not_have() {
    refuses(simulated("--op nonsense"), &["nonsense", "sum"]);
    refuses(
        simulated("--op max"),
        &["max of u32", "remedy", "u32 has sum"],
    );
    refuses(
        simulated("--dtype i32"),
        &["sum of i32", "sum is there for u32, f32, u8, u16"],
    );
    refuses(
        simulated("--input negative"),
        &[
            "no negative input",
            "uniform, gaussian, zipf, constant, sorted",
        ],
    );
    refuses(
        simulated("--copies 3"),
        &["power of two up to 32", "remedy"],
    );
    refuses(
        chapter_2(&["--device", "sim", "-n", "10x10"]),
        &["is for vectors", "-n N"],
    );
    refuses(simulated("--kernel banken"), &["did you mean `banked`?"]);
}

#[test]
fn sizes_that_are_too_large() {
    refuses(
        chapter_2(&["--device", "sim", "-n", "2^45"]),
        &["more than a counter of 32 bits", "4294967295"],
    );
    refuses(
        chapter_2(&["--device", "sim", "-n", "4G", "--dtype", "u32"]),
        &["needs", "are free", "up to"],
    );
}

/// A rung without room for so many bins is left out with a word, and refused where it is the only one.
#[test]
fn rungs_that_have_no_room() {
    let output = simulated("--bins 65536");
    assert!(output.status.success(), "{output:?}");
    let text = stdout(&output);
    for note in [
        "shared_atomics has room for up to 12285 bins",
        "warp_copies has room for up to 1533 bins",
        "match_any has room for up to 12285 bins",
    ] {
        assert!(text.contains(note), "{text}");
    }
    refuses(
        simulated("--bins 65536 --kernel warp_copies"),
        &["warp_copies does not run", "room for up to 1533 bins"],
    );
}

#[test]
fn every_kind_of_key_and_input() {
    let output = simulated(
        "--dtype u8,u16,u32,f32 --input uniform,gaussian,zipf,constant,sorted --bins 2,256",
    );
    assert!(output.status.success(), "{output:?}");
    let text = stdout(&output);
    assert!(
        text.contains("histogram of 1000 u8, 2 bins, zipf input"),
        "{text}"
    );
    assert_eq!(text.matches("banked").count(), 4 * 5 * 2);
}

#[test]
fn nothing_and_one_key() {
    for n in ["0", "1"] {
        let output = chapter_2(&["--device", "sim", "-n", n, "--bins", "2,65536"]);
        assert!(output.status.success(), "{n}: {output:?}");
    }
}

#[test]
fn json_says_how_many_bins() {
    let output = simulated("--bins 3 --keys 5 --copies 2 --kernel banked --json -");
    let row: serde_json::Value = serde_json::from_str(stdout(&output).trim()).expect("JSON");
    for (field, value) in [("bins", 3), ("keys", 5), ("copies", 2), ("bytes", 4024)] {
        assert_eq!(row[field], value, "{field}");
    }
    assert_eq!(row["dtype"], "u32");
}

#[test]
fn broken_kernels_are_caught() {
    let output = simulated("--broken");
    let text = stdout(&output);
    assert!(output.status.success(), "{text}");
    for rung in chapter_2_histogram::broken::BROKEN {
        assert!(text.contains(rung.name), "{}", rung.name);
    }
}

#[test]
fn the_list_and_the_manual() {
    let list = stdout(&chapter_2(&["--list"]));
    for rung in chapter_2_histogram::chapter::rungs() {
        assert!(list.contains(&format!("{} ", rung.name)), "{}", rung.name);
    }
    let manual = stdout(&chapter_2(&["--help"]));
    assert!(
        manual.contains("Examples, after") && manual.contains("[default: u32]"),
        "{manual}"
    );
}

#[test]
fn tables_fit() {
    for width in [80, 120] {
        let output = Command::new(env!("CARGO_BIN_EXE_chapter_2"))
            .args(["--device", "sim", "-n", "1000", "--bins", "65536"])
            .env("COLUMNS", width.to_string())
            .output()
            .expect("the program starts");
        for line in stdout(&output).lines() {
            assert!(line.chars().count() <= width, "{width}: {line}");
        }
    }
}
