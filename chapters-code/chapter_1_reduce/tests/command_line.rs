//! The program as people call it: what it refuses, and what it writes.

use std::{collections::BTreeSet, path::PathBuf};

use chapter_1_reduce::chapter::Reduce;
use serde_json::json;
use testing::{Program, check_example, check_refusal, stdout};

const CHAPTER_1: Program = Program::new(env!("CARGO_BIN_EXE_chapter_1"));

/// It must be refused with a message that has all the parts.
#[track_caller]
fn refuses(arguments: &[&str], parts: &[&str]) {
    check_refusal(&CHAPTER_1.run(arguments), &format!("{arguments:?}"), parts);
}

#[test]
fn counts_that_are_none() {
    for seed in ["x", "-1", "1.5", "2^70", ""] {
        refuses(&["--seed", seed], &["--seed", "whole number", "for example 42"]);
    }
    for samples in ["x", "-1", "19", "100001"] {
        refuses(&["--samples", samples], &["from 20 to 100000", "for example 50"]);
    }
}

#[test]
fn sizes_that_do_not_fit() {
    CHAPTER_1.refuses("-n 2^45", &["needs", "are free", "up to"]);
}

#[test]
fn unknown_names() {
    refuses(&["--kernel", "sequental"], &["did you mean `sequential`?", "remedy"]);
    refuses(&["--dtype", "f31"], &["f31", "f32"]);
    refuses(&["--op", "nonsense"], &["nonsense", "sum"]);
    refuses(&["--input", "nonsense"], &["nonsense", "uniform"]);
    refuses(&["-n", "12,"], &["is not a size"]);
}

#[test]
fn combinations_that_no_rung_has() {
    CHAPTER_1.refuses("--op and -n 10", &["no rung has this operator and type: and of f32", "i32"]);
    CHAPTER_1.refuses(
        "--op mul --dtype f16",
        &["no rung has this operator and type", "product of f16", "f64"],
    );
    CHAPTER_1.refuses(
        "--kernel redux -n 10",
        &["redux does not have this operator and type: sum of f32"],
    );
    CHAPTER_1.refuses("--kernel redux -n 10x10", &["redux does not run on", "-n N"]);
    CHAPTER_1.refuses("--kernel rows_warp -n 10", &["ROWSxCOLS"]);
}

#[test]
fn files_that_cannot_be_written() {
    CHAPTER_1.refuses("--json /no/such/folder/x.json", &["cannot write", "folder"]);
    CHAPTER_1.refuses("--plot /no/such/folder/x.svg", &["cannot write", "folder"]);
    refuses(&["--plot", "ladder.png"], &["ladder.png", ".svg"]);
    refuses(&["--list", "--json", "-"], &["--list", "--json"]);
}

/// A command that is refused leaves the files that it names as they were: there, or not there.
#[test]
fn refused_commands_write_nothing() {
    let (kept, none) = (temporary("kept.jsonl"), temporary("none.jsonl"));
    let plot = |json: &str| json.replace(".jsonl", ".svg");
    std::fs::write(&kept, "earlier results\n").expect("a file");
    for wrong in [&["--op", "and", "-n", "10"][..], &["-n", "2^45"], &["--kernel", "nonsense"]] {
        for path in [&kept, &none] {
            let path = path.to_str().expect("UTF-8");
            let files = ["--device", "sim", "--json", path, "--plot", &plot(path)];
            refuses(&[&files[..], wrong].concat(), &["remedy"]);
        }
        let text = std::fs::read_to_string(&kept).expect("it stays");
        assert_eq!(text, "earlier results\n", "{wrong:?}");
        assert!(!none.exists(), "{wrong:?}");
        assert!(!temporary("none.svg").exists(), "{wrong:?}");
    }
    let path = kept.to_str().expect("UTF-8");
    let output = CHAPTER_1.run(&["--device", "sim", "-n", "10", "--json", path]);
    assert!(output.status.success());
    let text = std::fs::read_to_string(&kept).expect("it is written");
    assert!(text.starts_with('{'), "new results follow the old ones: {text}");
}

/// Of the default sizes, one that suits no rung that is asked for is left out.
#[test]
fn default_sizes_suit_what_is_asked_for() {
    for arguments in [["--kernel", "shuffle"], ["--kernel", "rows_warp"], ["--dtype", "i32"]] {
        let output = CHAPTER_1.run(&[&["--device", "sim"], &arguments[..]].concat());
        let message = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{arguments:?}: {message}");
    }
}

/// Whoever reads may stop, and a disk may be full: neither is a panic.
#[cfg(target_os = "linux")]
#[test]
fn standard_output_that_takes_nothing() {
    for arguments in [&["-n", "10"][..], &["-n", "10", "--json", "-"], &["--list"]] {
        let full = std::fs::File::create("/dev/full").expect("Linux has it");
        let output =
            CHAPTER_1.command(arguments).stdout(full).output().expect("the program starts");
        check_refusal(&output, "a full disk", &["standard output", "remedy"]);

        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let output =
            CHAPTER_1.command(arguments).stdout(writer).output().expect("the program starts");
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        assert!(output.stderr.is_empty(), "{output:?}");
    }
}

#[test]
fn no_gpu() {
    if harness::driver::probe_nvidia().is_ok() {
        eprintln!("SKIPPED: this machine has a GPU");
        return;
    }
    refuses(&["--device", "gpu"], &["no usable NVIDIA GPU", "remedy", "--device sim"]);
}

/// What is refused with this in the environment.
#[track_caller]
fn refuses_with(variable: &str, value: &str, parts: &[&str]) {
    let mut command = CHAPTER_1.command(&["--device", "sim"]);
    let output = command.env(variable, value).output();
    check_refusal(&output.expect("it starts"), value, parts);
}

#[test]
fn no_device_and_no_simulator() {
    refuses_with("SIMT_DEVICES", "0", &["no device", "SIMT_DEVICES"]);
    let lost = "/no/such/library.so";
    refuses_with("SIMT_DRIVER", lost, &["not found", "SIMT_DRIVER"]);
    // A program, and not a library.
    refuses_with("SIMT_DRIVER", CHAPTER_1.path, &["cannot be used"]);
}

#[test]
fn baselines_that_are_none() {
    let arguments = ["--device", "sim", "--baseline", "/no/such/baselines.so"];
    refuses(&arguments, &["simulator has no time", "remedy"]);
}

#[test]
fn nothing_and_one_element() {
    for n in ["0", "1", "0x0", "0x7", "7x0"] {
        let output = CHAPTER_1.run(&["--device", "sim", "-n", n]);
        assert!(output.status.success(), "-n {n}: {}", String::from_utf8_lossy(&output.stderr));
    }
}

/// The fields of a row, in order; `rows` and `cols` stand in a matrix's only, and `caught` in those
/// of kernels that are wrong on purpose.
const FIELDS: &str = "chapter kernel n rows cols dtype op input seed device simulated broken caught \
    correct failures error error_bound bytes bytes_written time_ms gb_per_s fraction_of_ceiling \
    fraction_of_peak registers occupancy baseline counters races";

const COUNTERS: &str = "global_load_requests global_load_sectors global_store_requests \
    global_store_sectors shared_load_requests shared_load_wavefronts shared_store_requests \
    shared_store_wavefronts shared_bank_conflicts shared_atomic_wavefronts global_atomic_requests \
    dshared_requests dshared_sectors warp_instructions thread_instructions divergent_branches barriers";

type Fields = serde_json::Map<String, serde_json::Value>;

/// What `--json -` writes: nothing but objects, one a line.
fn json_rows() -> Vec<Fields> {
    let arguments = "--device sim -n 1000,16x9 --broken --json -";
    let output = CHAPTER_1.run(&arguments.split(' ').collect::<Vec<_>>());
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{message}");
    let object = |line: &str| serde_json::from_str(line).expect("a JSON object");
    stdout(&output).lines().map(object).collect()
}

fn names(fields: &Fields) -> BTreeSet<&str> {
    fields.keys().map(String::as_str).collect()
}

#[test]
fn json_lines_have_these_fields_and_no_others() {
    for row in json_rows() {
        let kernel = &row["kernel"];
        let is_matrix = row["n"] == 144;
        let is_there = |field: &&str| match *field {
            "rows" | "cols" => is_matrix,
            "caught" => row["broken"] == true,
            _ => true,
        };
        let fields = FIELDS.split_whitespace().filter(is_there).collect();
        assert_eq!(names(&row), fields, "{kernel}");
        let counters = row["counters"].as_object().expect("they are counted");
        let expected = COUNTERS.split_whitespace().collect();
        assert_eq!(names(counters), expected, "{kernel}");
        assert!(counters.values().all(|count| count.is_u64()), "{kernel}");
        assert_eq!(row["simulated"], true);
        assert!(row["time_ms"].is_null() && row["gb_per_s"].is_null());
    }
}

#[test]
fn json_lines_say_what_was_run() {
    let rows = json_rows();
    let of = |kernel: &str| rows.iter().find(|row| row["kernel"] == kernel);
    let of = |kernel: &str| of(kernel).expect(kernel);
    assert_eq!(of("single_pass_tiled")["bytes"], 4 * 1000 + 4);
    let matrix = of("rows_warp");
    assert_eq!([&matrix["rows"], &matrix["cols"], &matrix["n"]], [16, 9, 144]);
    assert_eq!(of("scratch_is_input")["caught"], json!(["input"]));
}

fn temporary(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name)
}

#[test]
fn files_of_results() {
    let (json, svg) = (temporary("rows.jsonl"), temporary("ladder.svg"));
    let (json_path, svg_path) = (json.to_str().expect("UTF-8"), svg.to_str().expect("UTF-8"));
    let arguments = ["--device", "sim", "-n", "100,1000", "--json", json_path, "--plot", svg_path];
    let output = CHAPTER_1.run(&arguments);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(stdout(&output).contains("single_pass_tiled"), "the table is printed too");
    let lines = std::fs::read_to_string(json).expect("JSON is written");
    assert_eq!(lines.lines().count(), 2 * 16);
    let picture = std::fs::read_to_string(svg).expect("the picture is written");
    assert!(picture.starts_with("<svg") && picture.contains("single_pass_tiled"));
}

#[test]
fn a_broken_kernel_named_runs_alone_under_its_own_heading() {
    let one = "missing_first_barrier";
    let output = CHAPTER_1.run(&["--device", "sim", "--broken", "--kernel", one]);
    let text = stdout(&output);
    assert!(output.status.success(), "{text}");
    assert!(text.contains(one) && !text.contains("lockstep_warp"), "{text}");
    assert!(!text.contains("sum of 2^20"), "{text}");
}

/// What every chapter's program does, and the whole program that the book shows.
#[test]
fn as_every_program() {
    CHAPTER_1.check_common(&Reduce, "1000");
    CHAPTER_1.check_width("-n 1000 --broken");
    check_example("plain_1", &["sum of 1000000 elements in 3 passes: 2999997, right"]);
}
