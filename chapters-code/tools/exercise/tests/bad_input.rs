//! What students hand in by mistake: each gets a clear message and exit status 1, and the watch mode
//! goes on.

use std::{
    io::{BufRead, BufReader},
    process::{Command, Stdio},
    sync::mpsc::channel,
    time::Duration,
};

use crate::common::{Folder, block_sum, said, solution, to_check};

#[track_caller]
fn check(submission: &[u8], parts: &[&str]) {
    let Some((folder, exercise)) = to_check() else { return };
    folder.put(&exercise, submission);
    let output = folder.run(&["check", "block_sum"]);
    let said = said(&output);
    assert_eq!(output.status.code(), Some(1), "{said}");
    for part in parts {
        assert!(said.contains(part), "no `{part}` in:\n{said}");
    }
    assert!(!said.contains("panicked"), "{said}");
}

#[test]
fn an_empty_file() {
    check(b"", &["the file is empty", "cargo exercise reset"]);
    check(b" \n\t\n", &["the file is empty"]);
}

#[test]
fn what_is_not_utf8() {
    check(b"// caf\xe9\n", &["UTF-8", "line 1"]);
    check("// π\n\0".as_bytes(), &["NUL"]);
    let utf16: Vec<u8> = "int x;".encode_utf16().flat_map(u16::to_le_bytes).collect();
    check(&utf16, &["NUL"]);
}

#[test]
fn no_kernel_of_that_name() {
    let source = solution(&block_sum());
    let renamed = source.replace("block_sum(", "blocksum(");
    check(renamed.as_bytes(), &["no kernel of the required name", "block_sum(const float* in"]);
    let mangled = source.replace("extern \"C\" ", "");
    check(mangled.as_bytes(), &["without extern \"C\""]);
    check(b"int x;\n", &["no kernel of the required name"]);
}

#[test]
fn another_signature() {
    let source = solution(&block_sum());
    let shorter = source.replace("size_t n) {", "unsigned n) {");
    check(shorter.as_bytes(), &["other parameters", "8, 8, 8 bytes", "8, 8, 4 bytes"]);
    let none = b"extern \"C\" __global__ void block_sum() {}\n";
    check(none, &["other parameters", "yours has no parameters"]);
}

#[test]
fn a_kernel_that_never_ends() {
    let head = "extern \"C\" __global__ void block_sum(const float* in, float* out, size_t n)";
    let spins = format!("{head} {{\n    while (true) {{\n    }}\n}}\n");
    check(spins.as_bytes(), &["does not end"]);
    let stores = format!(
        "{head} {{\n    for (volatile float* p = out;; ) {{\n        *p = *p + 1.0f;\n    }}\n}}\n"
    );
    check(stores.as_bytes(), &["does not end"]);
}

#[test]
fn more_shared_memory_than_there_is() {
    let source = solution(&block_sum()).replace("float shared[256]", "float shared[50 * 1024]");
    check(source.as_bytes(), &["204800 bytes", "49152"]);
}

#[test]
fn a_header_that_is_missing() {
    let source = format!("#include <thrust/reduce.h>\n{}", solution(&block_sum()));
    check(source.as_bytes(), &["may not include", "#include <thrust/reduce.h>", "<cuda_fp16.h>"]);
}

#[test]
fn compile_errors_are_at_the_students_line() {
    let source = solution(&block_sum()).replace("shared[tid] = i", "shared[tid] = j");
    let line = 1 + source.lines().position(|line| line.contains("= j")).expect("it is there");
    let place = format!("1_block_sum.cu({line}): error: identifier \"j\" is undefined");
    check(source.as_bytes(), &["does not compile", &place]);
}

#[test]
fn without_a_compiler_the_command_is_named_that_fetches_it() {
    let (folder, exercise) = (Folder::new(), block_sum());
    folder.put(&exercise, solution(&exercise).as_bytes());
    let mut command = folder.command(&["check", "block_sum"]);
    let output = command.env("NVRTC_PATH", "/nowhere").output().expect("it runs");
    assert_eq!(output.status.code(), Some(1));
    let remedy = match cfg!(target_os = "macos") {
        true => ".devcontainer/",
        false => "`cargo exercise setup`",
    };
    assert!(said(&output).contains(remedy), "{}", said(&output));
}

#[test]
fn a_file_that_is_gone_or_none() {
    let Some((folder, exercise)) = to_check() else { return };
    std::fs::create_dir_all(folder.file(&exercise)).expect("it is made");
    let output = folder.run(&["check", "block_sum"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(said(&output).contains("cannot read"), "{}", said(&output));
}

#[test]
fn an_exercise_that_there_is_not() {
    let output = Folder::new().run(&["check", "nonsense"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(said(&output).contains("cargo exercise list"), "{}", said(&output));
}

/// Bad files one after another, and then the solution, which it still notices.
#[test]
fn watching_goes_on() {
    let Some((folder, exercise)) = to_check() else { return };
    let good = solution(&exercise);
    let mut command: Command = folder.command(&["watch", "block_sum"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("it runs");
    let (sender, lines) = channel();
    let out = BufReader::new(child.stdout.take().expect("it is piped"));
    std::thread::spawn(move || out.lines().map_while(Result::ok).try_for_each(|l| sender.send(l)));
    let until = |wanted: &str| {
        let mut seen = String::new();
        loop {
            let line = lines.recv_timeout(Duration::from_secs(60));
            let line = line.unwrap_or_else(|_| panic!("no `{wanted}` after:\n{seen}"));
            seen += &format!("{line}\n");
            if line.contains(wanted) {
                break;
            }
        }
    };
    until("as it was at first");
    until("Watching");
    let bad: [(&[u8], &str); 4] = [
        (b"", "the file is empty"),
        (b"\xff", "UTF-8"),
        (b"#include \"x.h\"\n", "may not include"),
        (b"int x\n", "does not compile"),
    ];
    for (submission, wanted) in bad {
        folder.put(&exercise, submission);
        until(wanted);
        until("Watching");
    }
    folder.put(&exercise, good.as_bytes());
    until("right");
    until("Watching");
    // What has passed is checked again when it is saved again.
    folder.put(&exercise, good.replace("i < n", "i + 1 < n").as_bytes());
    until("wrong: ");
    child.kill().expect("it is ended");
    child.wait().expect("it has ended");
}
