//! The first kernel, the sweeps, and the program.

use std::{path::Path, process::Command};

use chapter_0_setup::{chapter::Setup, vector_add};
use harness::{Case, Dtype, Op};
use testing::Program;

const CHAPTER_0: Program = Program::new(env!("CARGO_BIN_EXE_chapter_0"));

#[test]
fn vectors_are_added() {
    let device = &testing::simulator().device;
    for n in [0, 1, 255, 256, 257, 1000] {
        let a: Vec<f32> = (0..n).map(|i| i as f32 - 100.0).collect();
        let b: Vec<f32> = (0..n).map(|i| 0.5 * i as f32).collect();
        let expected: Vec<f32> = a.iter().zip(&b).map(|(a, b)| a + b).collect();
        assert_eq!(vector_add(&device.context, &a, &b).expect("it runs"), expected);
    }
}

/// On the simulator the times mean nothing, but all ways run.
#[test]
fn a_launch_is_timed_in_four_ways() {
    let device = &testing::simulator().device;
    let times = chapter_0_setup::wrong_clock::measure(device).expect("it runs");
    for time in [times.first, times.host, times.cached, times.right] {
        assert!(time > 0.0 && time.is_finite(), "{times:?}");
    }
}

/// The counts that the chapter's tables and the exercises give for 2^20 floats.
#[test]
fn full_warps_touch_no_sector_needlessly() {
    let case: Case = Case::vector(1 << 20, Dtype::F32, Op::Sum);
    for (rung, sectors) in [("vector_add", 4), ("copy", 16), ("read_sweep", 16)] {
        let launch = testing::launches(&Setup, rung, &case).remove(0);
        let counters = launch.counters.expect("counters are on");
        let requests = counters.global_load_requests + counters.global_store_requests;
        let touched = counters.global_load_sectors + counters.global_store_sectors;
        assert_eq!(touched, sectors * requests, "{rung}");
        assert_eq!(counters.thread_instructions, 32 * counters.warp_instructions, "{rung}");
        assert_eq!(counters.barriers, 0, "{rung}");
    }
}

/// On the simulator the times mean nothing, but all probes run.
#[test]
fn latencies_are_measured() {
    let device = &testing::simulator().device;
    let times = chapter_0_setup::latencies::measure(device, 1).expect("it runs");
    for time in [times.addition, times.shared, times.l1, times.l2, times.memory] {
        assert!(time.is_finite(), "{times:?}");
    }
}

#[test]
fn every_kernel_at_awkward_sizes() {
    let sizes = [0, 1, 3, 4, 1023, 1024, 1025, 4097, (1 << 20) + 3];
    let cases: Vec<Case> = sizes.map(|n| Case::vector(n, Dtype::F32, Op::Sum)).into();
    let rows = testing::run(&Setup, &cases, &testing::is_right);
    assert_eq!(rows.len(), 3 * sizes.len());
    for row in rows {
        assert!(row.correct, "{:?}: {:?}", row.subject, row.failures);
    }
}

#[test]
fn the_report_names_every_part() {
    let text = CHAPTER_0.prints("-n 1000");
    for part in [
        "GPU ",
        "NVRTC ",
        "NCCL ",
        "simulator ",
        "in place of NCCL 2.28.0: ",
        "132 multiprocessors",
        "= [7.0, 2.0, 13.0, 3.0]",
        "vector_add",
        "read_sweep",
    ] {
        assert!(text.contains(part), "no `{part}` in:\n{text}");
    }
}

/// NCCL is found if it is only called `libnccl.so.2`, and the simulator's library is not taken for it.
#[cfg(target_os = "linux")]
#[test]
fn the_report_finds_nccl() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("nccl");
    std::fs::create_dir_all(&folder).expect("a folder");
    let source = folder.join("nccl.c");
    let code = "int ncclGetVersion(int* version) { *version = 22803; return 0; }\n";
    std::fs::write(&source, code).expect("a file");
    let library = folder.join("libnccl.so.2");
    let mut cc = Command::new("cc");
    let compiled = cc.args(["-shared", "-o"]).arg(&library).arg(&source).status();
    assert!(compiled.expect("a C compiler").success());
    let program = Path::new(env!("CARGO_BIN_EXE_chapter_0"));
    let simulated = program.with_file_name("deps").join("libsimt_nccl.so");
    std::fs::copy(simulated, folder.join("libnccl.so")).expect("it was built");
    let output = Command::new(program)
        .args(["--device", "sim", "-n", "1000"])
        .env("LD_LIBRARY_PATH", &folder)
        .env("COLUMNS", "1000")
        .output()
        .expect("the program starts");
    let text = String::from_utf8_lossy(&output.stdout);
    let line = format!("NCCL       found: {}, version 2.28.3\n", library.display());
    assert!(text.contains(&line), "no `{line}` in:\n{text}");
}

/// The report comes also where no device can be had, and says so of each.
#[test]
fn the_report_comes_without_a_device() {
    let output = CHAPTER_0
        .command(&["--device", "sim"])
        .env("SIMT_DRIVER", "/no/such/library.so")
        .output()
        .expect("the program starts");
    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("simulator  none") && text.contains("remedy"), "{text}");
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(message.contains("SIMT_DRIVER") && !message.contains("panicked"), "{message}");
}

#[test]
fn as_every_program() {
    CHAPTER_0.check_common(&Setup, "1000");
}

/// Its kernels take vectors, of one type and one operation.
#[test]
fn what_means_nothing_here_is_refused() {
    for (arguments, part) in [
        ("-n 3x4", "3x4"),
        ("--dtype f32", "unexpected argument '--dtype'"),
        ("--op sum", "unexpected argument '--op'"),
        ("--input uniform", "unexpected argument '--input'"),
    ] {
        CHAPTER_0.refuses(arguments, &[part]);
    }
}

/// The whole program that the book shows.
#[test]
fn the_plain_program() {
    testing::check_example("plain_0", &["vector_add, 1000000 elements: right"]);
}
