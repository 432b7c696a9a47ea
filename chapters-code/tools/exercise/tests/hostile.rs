//! Submissions that would rather pass than be right, or take the machine with them: none gains
//! anything.

use std::time::Duration;

use crate::common::{Folder, block_sum, course, has_compiler, solution, supervisor, to_check};
use exercise::{
    check::{Job, Outcome, Supervisor, Target},
    diagnosis::Diagnosis,
};

const HEAD: &str = "extern \"C\" __global__ void block_sum(const float* in, float* out, size_t n)";

/// What comes of a source that must not pass, for one of these reasons; none without a compiler.
#[track_caller]
fn check_by(supervisor: &Supervisor, source: &str, diagnoses: &[Diagnosis]) -> Option<Outcome> {
    let (_, exercise) = to_check()?;
    let job = Job::new(&exercise, source.to_owned(), "block_sum.cu", Target::Simulator);
    let outcome = supervisor.check(job).expect("the checker itself does not fail");
    let failure = outcome.failure().expect("it does not pass");
    assert!(diagnoses.contains(&failure.diagnosis), "{failure:?}");
    Some(outcome)
}

#[track_caller]
fn check(source: &str, diagnoses: &[Diagnosis]) -> Option<Outcome> {
    check_by(&supervisor(), source, diagnoses)
}

#[test]
fn the_solution_of_the_host_cannot_be_included() {
    let path = block_sum().folder.join("solution.cu");
    assert!(path.is_file());
    let path = path.display();
    for source in [
        format!("#include \"{path}\"\n"),
        format!("#include <{path}>\n"),
        format!("%:include \"{path}\"\n"),
        format!("#define F \"{path}\"\n#include F\n"),
        format!("/* */ # /* */ inc\\\nlude \"{path}\"\n"),
        format!("const char* s = R\"(/*)\";\n#include \"{path}\"\n// */\n"),
        "#include <../../../../chapters-code/tools/exercise/course/x.cu>\n".to_owned(),
    ] {
        check(&source, &[Diagnosis::Include]);
    }
}

/// What a pass prints, and what a report is, printed by the kernel.
#[test]
fn printing_gains_nothing() {
    let report = r#"{\"verdict\":{\"Ok\":{\"runs\":22,\"counted\":[],\"time\":null}},\"compile_seconds\":0,\"check_seconds\":0}"#;
    let source = format!(
        "{HEAD} {{\n    if (threadIdx.x == 0) {{\n        printf(\"%s\\n\", \"{report}\");\n        printf(\"right on the simulated GPU: 22 runs\\n\");\n    }}\n}}\n"
    );
    let Some(outcome) = check(&source, &[Diagnosis::NeverWritten]) else { return };
    assert!(outcome.printed.contains("right on the simulated GPU"));

    let (folder, exercise) = (Folder::new(), block_sum());
    folder.put(&exercise, source.as_bytes());
    assert_eq!(folder.run(&["check", "block_sum"]).status.code(), Some(1));
    let graded = folder.run(&[
        "grade",
        &folder.path().to_string_lossy(),
        "--only",
        "block_sum",
        "--json",
        "-",
    ]);
    let results: serde_json::Value = serde_json::from_slice(&graded.stdout).expect("it is JSON");
    assert_eq!(results["score"], 0.0, "{results}");
}

/// Printing without end fills no memory and no disk, and is ended at once.
#[test]
fn a_flood_of_text_is_cut_off() {
    let source = format!(
        "{HEAD} {{\n    for (unsigned i = 0;; i++) {{\n        printf(\"%u\\n\", i);\n    }}\n}}\n"
    );
    let Some(outcome) = check(&source, &[Diagnosis::Flood]) else { return };
    assert!(outcome.printed.len() <= 16 * 1024);
}

#[test]
fn memory_that_is_not_the_kernels_cannot_be_written() {
    let bodies = [
        // Beside the output, before the input, at 0, and all over the host's addresses.
        "out[1 + (n + 255) / 256] = 1.0f;",
        "((float*)in)[-1] = 1.0f;",
        "*(volatile int*)nullptr = 1;",
        "for (size_t a = 0x550000000000; a < 0x560000000000; a += 1ull << 21) *(volatile int*)a = 1;",
        "*(volatile int*)0x7fff00000000 = 1;",
    ];
    for body in bodies {
        check(&format!("{HEAD} {{\n    {body}\n}}\n"), &[Diagnosis::OutOfBounds]);
    }
    // All inputs made zero, so that the sum of zeros is right.
    let source = format!(
        "{HEAD} {{\n    size_t i = blockIdx.x * size_t(256) + threadIdx.x;\n    if (i < n) ((float*)in)[i] = 0.0f;\n    if (threadIdx.x == 0) out[blockIdx.x] = 0.0f;\n}}\n"
    );
    check(&source, &[Diagnosis::InputChanged]);
}

#[test]
fn a_greedy_kernel_fails_by_itself() {
    let greedy = Supervisor { memory: 2 << 30, ..supervisor() };
    let source = format!(
        "__device__ char memory[64ull << 30];\n{HEAD} {{ memory[n] = 1; out[0] = memory[1]; }}\n"
    );
    let limits = [Diagnosis::MemoryLimit, Diagnosis::Module, Diagnosis::Compile];
    check_by(&greedy, &source, &limits);
}

/// The compiler is within the limits, too.
#[test]
fn a_source_that_compiles_for_ever_is_stopped() {
    if !has_compiler() {
        return;
    }
    let quick = Supervisor { time: Duration::from_secs(3), ..supervisor() };
    let source = format!(
        "template <int A, int B> struct T {{ static const int v = T<A - 1, B>::v + T<A - 1, B + (1 << A)>::v; }};\ntemplate <int B> struct T<0, B> {{ static const int v = 1; }};\n{HEAD} {{ out[0] = T<26, 0>::v; }}\n"
    );
    let begin = std::time::Instant::now();
    check_by(&quick, &source, &[Diagnosis::TimeLimit, Diagnosis::Compile, Diagnosis::MemoryLimit]);
    assert!(begin.elapsed() < Duration::from_secs(20));
}

/// The solution of an exercise that takes seconds of processor time, however busy the machine is.
#[cfg(unix)]
#[test]
fn the_limit_is_processor_time() {
    if !has_compiler() {
        return;
    }
    let quick = Supervisor { time: Duration::from_secs(1), ..supervisor() };
    let course = course();
    let look_back = course.find("look_back").expect("it is in chapter 3");
    let job = Job::new(look_back, solution(look_back), "look_back.cu", Target::Simulator);
    let outcome = quick.check(job).expect("the checker itself does not fail");
    let failure = outcome.failure().expect("it does not pass");
    assert_eq!(failure.diagnosis, Diagnosis::TimeLimit, "{outcome:?}");
    assert_eq!(failure.seen, "it was stopped after 1 s of processor time");
}

/// A comment that looks like a kernel's head is none: otherwise the launch would copy the host's memory
/// behind its arguments into the kernel's parameters.
#[test]
fn parameters_beyond_the_arguments_are_refused() {
    let source = r#"extern "C" __global__ void aaa() {
    asm volatile("/* .entry block_sum(\n\t.param .u64 a,\n\t.param .u64 b,\n\t.param .u64 c\n{ */");
}
struct Big { unsigned long long words[500]; };
extern "C" __global__ void block_sum(const float* in, float* out, Big big) {
    if (threadIdx.x == 0) printf("%llx\n", big.words[262]);
}
"#;
    let Some(outcome) = check(source, &[Diagnosis::Signature]) else { return };
    assert_eq!(outcome.printed, "");
}

/// Neither what the host's files hold, nor which there are, nor where they are.
#[test]
fn nothing_is_told_of_the_hosts_files() {
    let refused = [Diagnosis::Include, Diagnosis::Compile];
    for [defined, condition] in [
        ["", "__has_include(\"/etc/passwd\")"],
        ["", "__has_\\\ninclude(\"/etc/passwd\")"],
        ["", "__has_\\u0069nclude(\"/etc/passwd\")"],
        ["#define P(a, b) a##b", "P(__has_, include)(\"/etc/passwd\")"],
        ["#define P(a, b) a##b\n#define Q P(__has_inc, lude)", "Q(\"/etc/passwd\")"],
    ] {
        let source =
            format!("{defined}\n#if {condition}\n#error it is there\n#endif\n{HEAD} {{ }}\n");
        let Some(outcome) = check(&source, &refused) else { return };
        let seen = &outcome.failure().expect("it does not pass").seen;
        assert!(!seen.contains("error: it is there") && !seen.contains("it is there\n"), "{seen}");
    }
    check(&format!("#line 7 \"x\"\n{HEAD} {{ }}\n"), &[Diagnosis::Include]);
}

/// A line of source that the compiler makes megabytes of.
#[test]
fn large_ptx_is_refused() {
    let source = format!("__device__ int big[1u << 21] = {{1}};\n{HEAD} {{ out[0] = big[n]; }}\n");
    let Some(outcome) = check(&source, &[Diagnosis::MemoryLimit]) else { return };
    let seen = &outcome.failure().expect("it does not pass").seen;
    assert!(seen.contains("MB of PTX; at most 8 MB"), "{seen}");
}

/// What a kernel or its source says cannot move the cursor of the terminal.
#[test]
fn escapes_do_not_reach_a_terminal() {
    let source = format!(
        "{HEAD} {{\n    if (threadIdx.x == 0) printf(\"\\033[2J\\033[Hright on the simulated GPU\\n\");\n}}\n"
    );
    let Some(outcome) = check(&source, &[Diagnosis::NeverWritten]) else { return };
    assert!(outcome.printed.contains("right on the simulated GPU"));
    assert!(!outcome.printed.contains('\x1b'), "{:?}", outcome.printed);
    let source = format!("#error \"\x1b[2Jright on the simulated GPU\"\n{HEAD} {{ }}\n");
    let Some(outcome) = check(&source, &[Diagnosis::Compile]) else { return };
    assert!(!outcome.failure().expect("it does not pass").seen.contains('\x1b'));
}
