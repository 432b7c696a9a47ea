//! Submissions that would rather pass than be right, or take the machine with them: none gains
//! anything.

use std::{fs, time::Duration};

use crate::common::{self, Folder, block_sum, has_compiler, said, solution, supervisor};
use exercise::{
    check::{Job, Outcome, Supervisor, Target},
    diagnosis::Diagnosis,
};

const HEAD: &str = "extern \"C\" __global__ void block_sum(const float* in, float* out, size_t n)";

fn outcome(source: &str, supervisor: &Supervisor) -> Outcome {
    let job = Job::new(&block_sum(), source.to_owned(), "block_sum.cu", Target::Simulator);
    supervisor.check(job).expect("the checker itself does not fail")
}

#[track_caller]
fn check(source: &str, diagnoses: &[Diagnosis]) -> Outcome {
    let outcome = outcome(source, &supervisor());
    let failure = outcome.failure().expect("it does not pass");
    assert!(diagnoses.contains(&failure.diagnosis), "{failure:?}");
    outcome
}

#[test]
fn the_solution_of_the_host_cannot_be_included() {
    if !has_compiler() {
        return;
    }
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
    if !has_compiler() {
        return;
    }
    let report = r#"{\"verdict\":{\"passed\":{\"runs\":22,\"counted\":[],\"time\":null}},\"compile_seconds\":0,\"check_seconds\":0}"#;
    let source = format!(
        "{HEAD} {{\n    if (threadIdx.x == 0) {{\n        printf(\"%s\\n\", \"{report}\");\n        printf(\"right on the simulated GPU: 22 runs\\n\");\n    }}\n}}\n"
    );
    let outcome = check(&source, &[Diagnosis::NeverWritten]);
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

/// Printing without end fills no memory and no disk.
#[test]
fn a_flood_of_text_is_cut_off() {
    if !has_compiler() {
        return;
    }
    let source = format!(
        "{HEAD} {{\n    for (unsigned i = 0;; i++) {{\n        printf(\"%u\\n\", i);\n    }}\n}}\n"
    );
    let quick = Supervisor { time: Duration::from_secs(5), ..supervisor() };
    let outcome = outcome(&source, &quick);
    let failure = outcome.failure().expect("it does not pass");
    let ends = [Diagnosis::TimeLimit, Diagnosis::Endless, Diagnosis::Deadlock];
    assert!(ends.contains(&failure.diagnosis), "{failure:?}");
    assert!(outcome.printed.len() <= 16 * 1024);
}

#[test]
fn memory_that_is_not_the_kernels_cannot_be_written() {
    if !has_compiler() {
        return;
    }
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
    if !has_compiler() {
        return;
    }
    let greedy = Supervisor { memory: 2 << 30, ..supervisor() };
    let source = format!(
        "__device__ char memory[64ull << 30];\n{HEAD} {{ memory[n] = 1; out[0] = memory[1]; }}\n"
    );
    let outcome = outcome(&source, &greedy);
    let diagnosis = outcome.failure().expect("it does not pass").diagnosis;
    let greedy = [Diagnosis::MemoryLimit, Diagnosis::Module, Diagnosis::Compile];
    assert!(greedy.contains(&diagnosis), "{outcome:?}");
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
    let outcome = outcome(&source, &quick);
    let diagnosis = outcome.failure().expect("it does not pass").diagnosis;
    let ends = [Diagnosis::TimeLimit, Diagnosis::Compile, Diagnosis::MemoryLimit];
    assert!(ends.contains(&diagnosis), "{outcome:?}");
    assert!(begin.elapsed() < Duration::from_secs(20));
}

/// One bad submission does not keep the others from being graded, and a link leads nowhere.
#[cfg(unix)]
#[test]
fn a_grader_goes_on() {
    if !has_compiler() {
        return;
    }
    let (folder, exercise) = (Folder::new(), block_sum());
    let course = common::course();
    let link = course.find("last_warp").expect("it is there");
    folder.put(&exercise, solution(&exercise).as_bytes());
    std::os::unix::fs::symlink(link.folder.join("solution.cu"), folder.file(link))
        .expect("it links");
    let endless = course.find("any_maximum").expect("it is there");
    let head = "extern \"C\" __global__ void maximum(const int* in, int* out, size_t n)";
    folder.put(endless, format!("{head} {{ while (true) {{}} }}\n").as_bytes());
    let path = folder.path().join("results.json");
    let output = folder.run(&[
        "grade",
        &folder.path().to_string_lossy(),
        "--json",
        &path.to_string_lossy(),
        "--seeds",
        "97531",
        "--sizes",
        "777,5000",
    ]);
    assert!(output.status.success(), "{}", said(&output));
    let results = fs::read_to_string(path).expect("it is written");
    let results: serde_json::Value = serde_json::from_str(&results).expect("it is JSON");
    assert_eq!(results["score"], 10.0, "{results}");
    let tests = results["tests"].as_array().expect("it is a list");
    assert_eq!(tests.len(), course.exercises.len());
    let of =
        |number: &str| tests.iter().find(|test| test["number"] == number).expect("it is there");
    assert_eq!(of("1.1")["status"], "passed");
    assert_eq!(of("1.3")["output"], "it is no plain file");
    let ends = ["deadlock", "endless"];
    assert!(ends.iter().any(|end| of("1.4")["diagnosis"] == *end), "{results}");
    for test in tests {
        assert!(test["max_score"].is_number() && test["score"].is_number(), "{test}");
    }
}
