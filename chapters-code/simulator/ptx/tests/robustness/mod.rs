//! Any text gives a module or an error, and soon: damaged PTX, noise, and texts that ask for much.

mod mutate;

use std::fs;
use std::path::Path;
use std::time::Duration;

use cpu_time::ThreadTime;
use mutate::{Random, damaged, spliced, truncated};
use ptx::{Error, ErrorKind};

/// No text of these tests may take the thread longer, in a debug build. What other programs take of a
/// busy machine does not count.
const SOON: Duration = Duration::from_secs(5);

#[track_caller]
fn parse(text: &str) -> Result<ptx::ir::Module, Error> {
    let start = ThreadTime::now();
    let result = ptx::parse(text);
    assert!(start.elapsed() < SOON, "{} bytes take long", text.len());
    result
}

/// What NVRTC wrote for the smaller of the test kernels.
fn originals() -> Vec<String> {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let names = [
        "kernels/atomics.compute_80.ptx",
        "kernels/control.ptx",
        "kernels/memory.ptx",
        "kernels/printing.ptx",
        "kernels/recursive.ptx",
        "nvrtc_12_9/totals.ptx",
        "kernels/collectives.compute_80.ptx",
    ];
    let read =
        |name| fs::read_to_string(tests.join(name)).unwrap_or_else(|e| panic!("{name}: {e}"));
    names.map(read).to_vec()
}

fn check_damaged_texts(count: u64) {
    let originals = originals();
    let mut parsed = 0;
    for seed in 0..count {
        let random = &mut Random::new(seed);
        let text = &originals[random.below(originals.len())];
        let other = &originals[random.below(originals.len())];
        let text = match random.below(8) {
            0 => truncated(text, random),
            1 => spliced(text, other, random),
            _ => damaged(text, random),
        };
        parsed += u64::from(parse(&text).is_ok());
    }
    // The damage is neither always fatal nor never.
    let range = count / 20..count * 5 / 6;
    assert!(range.contains(&parsed), "{parsed} of {count} parse");
}

#[test]
fn damaged_texts_give_modules_or_errors() {
    check_damaged_texts(600);
}

#[test]
#[ignore = "exhaustive: `cargo test -- --ignored exhaustive`"]
fn exhaustive_damaged_texts() {
    check_damaged_texts(6000);
}

#[test]
fn noise_gives_errors() {
    for seed in 0..300 {
        let random = &mut Random::new(seed);
        let bytes: Vec<u8> = (0..random.below(400)).map(|_| random.below(256) as u8).collect();
        let noise = String::from_utf8_lossy(&bytes);
        assert!(parse(&noise).is_err());
        let _either = parse(&format!(".version 8.0\n.target sm_75\n{noise}"));
    }
}

const HEAD: &str = ".version 8.0\n.target sm_75\n.address_size 64\n";

#[track_caller]
fn refused(text: &str, kind: ErrorKind) {
    match parse(text) {
        Err(error) => assert_eq!(error.kind, kind),
        Ok(_) => panic!("it is not refused"),
    }
}

/// Functions that call each other twice: forty of them are 2^40 copies of the last.
#[test]
fn calls_do_not_multiply_without_end() {
    let calls = |callee: &str| format!("{{ call.uni {callee}; call.uni {callee}; ret; }}\n");
    let mut text = format!("{HEAD}.func f0() {{ ret; }}\n");
    for i in 1..40 {
        text += &format!(".func f{i}() {}", calls(&format!("f{}", i - 1)));
    }
    text += &format!(".entry k() {}", calls("f39"));
    let copies = "copies of inlined functions and tables";
    refused(&text, ErrorKind::TooMany(copies));
}

/// A thousand branches through a table of ten thousand targets.
#[test]
fn tables_do_not_multiply_without_end() {
    let names = vec!["A"; 10_000].join(", ");
    let branches = "brx.idx %r0, T;\n".repeat(1000);
    let text = format!(
        "{HEAD}.entry k() {{ .reg .b32 %r<2>; T: .branchtargets {names};\nA: {branches} ret; }}\n"
    );
    let copies = "copies of inlined functions and tables";
    refused(&text, ErrorKind::TooMany(copies));
}

#[test]
fn variables_have_a_limit_together() {
    let text = HEAD.to_owned()
        + &(0..40).map(|i| format!(".global .b8 v{i}[1000000000];\n")).collect::<String>();
    refused(&text, ErrorKind::TooMany("bytes of variables"));
}

#[test]
fn nesting_has_a_limit() {
    for (open, close) in [("{", "}"), ("mov.b32 %r0, (", ")"), ("-", "")] {
        let text = format!(
            "{HEAD}.entry k() {{ .reg .b32 %r<2>; {}{} }}\n",
            open.repeat(100_000),
            close.repeat(100_000)
        );
        assert!(parse(&text).is_err());
    }
}

#[test]
fn long_texts_are_soon_done() {
    let body = "add.s32 %r1, %r1, %r0;\n@%p0 bra L;\n".repeat(20_000);
    let text =
        format!("{HEAD}.entry k() {{ .reg .b32 %r<2>; .reg .pred %p<1>; L: {body} ret; }}\n");
    let module = parse(&text).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(module.kernels[0].code.len(), 40_001);
}
