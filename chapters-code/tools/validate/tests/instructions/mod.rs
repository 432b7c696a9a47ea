//! What the simulator gives for every instruction, against what an H200 gave: bit by bit, and of the
//! approximate functions, both within the PTX manual's bounds of the true value.
//!
//! The recording, `simt/tests/ptx/h200`, was made by `validate instructions --out`.

mod accuracy;

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    process::Command,
};

use accuracy::Approximation;
use anyhow::{Context, Result};
use harness::Device;
use validate::instructions::{
    case::{Case, ROWS},
    inputs::{self, Row},
    recording::{Recorded, Recording, values},
    run::{self, Outcome},
};

/// At most so many differences are shown of a column.
const SHOWN: usize = 4;

/// On an H200 its launch does not fail but never ends, and had to be killed: there is nothing to record.
const NEVER_ENDS: &str = "bulk_odd_size";
/// An H200 lets it pass. The PTX manual leaves undefined what it gives, so that the simulator refuses it.
const REFUSED_HERE: &str = "mbarrier_never_initialised";

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../simulator/simt/tests/ptx/h200")
}

/// What an H200 gave; `None` if it gave nothing.
fn recorded(case: &Case) -> Result<Option<Recording>> {
    if case.name == NEVER_ENDS {
        return Ok(None);
    }
    let path = folder().join(case.name).with_extension("txt");
    let text = std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    let recording = Recording::from_text(&text).with_context(|| path.display().to_string())?;
    Ok(Some(recording))
}

/// Where a column differs from the recording; nothing if it does not.
fn differences(own: &Recorded, gpu: &Recorded) -> Vec<String> {
    let firsts = own.first.iter().zip(&gpu.first).enumerate();
    let values = firsts
        .filter(|(_, (own, gpu))| own != gpu)
        .map(|(row, (own, gpu))| format!("row {row}: {own:#x}, not {gpu:#x}"));
    let chunks = own.chunks.iter().zip(&gpu.chunks).enumerate();
    let hashes = chunks
        .filter(|(_, (own, gpu))| own != gpu)
        .map(|(chunk, _)| format!("chunk {chunk} of the rows differs"));
    values.chain(hashes).collect()
}

/// Where a column of an approximate instruction is not within the bound, on either device.
fn inaccuracies(
    function: Approximation,
    gpu: &Recorded,
    simulated: &[u64],
    rows: &[Row],
) -> Vec<String> {
    let on_gpu = gpu.first.iter().zip(rows).map(|v| ("the H200", v));
    let simulated = simulated.iter().zip(rows).map(|v| ("the simulator", v));
    on_gpu
        .chain(simulated)
        .filter(|&(_, (&bits, row))| !function.allows(row, bits))
        .map(|(who, (bits, row))| format!("{who} gave {bits:#x} for {row:#x?}"))
        .map(|text| text.split_whitespace().collect::<Vec<_>>().join(" "))
        .collect()
}

fn check(device: &Device, case: &Case) -> Result<Vec<String>> {
    let outcome = run::run(device, case)?;
    let (Outcome::Results(results), Recording::Results(own)) =
        (&outcome, Recording::of(case, &outcome))
    else {
        return Ok(vec!["the launch failed".into()]);
    };
    let gpu = match recorded(case)? {
        Some(Recording::Results(gpu)) => gpu,
        Some(Recording::Failed(error)) => return Ok(vec![format!("an H200 failed: {error}")]),
        None => return Ok(Vec::new()),
    };
    let names = |columns: &[Recorded]| columns.iter().map(|c| c.name.clone()).collect::<Vec<_>>();
    if names(&gpu) != names(&own) {
        return Ok(vec![format!("{}: the recording is of other columns", case.name)]);
    }
    let rows = inputs::rows(&case.operands, ROWS);
    let mut wrong = Vec::new();
    for (column, (own, gpu)) in case.columns.iter().zip(own.iter().zip(&gpu)) {
        let found = match Approximation::of(&column.name) {
            Some(f) => inaccuracies(f, gpu, &values(case, column, results), &rows),
            None => differences(own, gpu),
        };
        let found = found.into_iter().take(SHOWN);
        wrong.extend(found.map(|what| format!("{}, `{}`: {what}", case.name, column.name)));
    }
    Ok(wrong)
}

/// Runs the cases whose place in the list is a multiple of `step`.
fn check_every(step: usize) -> Result<()> {
    let runner = testing::simulator();
    let mut wrong = Vec::new();
    for case in Case::all()?.iter().filter(|case| !case.fails).step_by(step) {
        wrong.extend(check(&runner.device, case)?);
    }
    assert!(wrong.is_empty(), "{}\n{} in all", wrong.join("\n"), wrong.len());
    Ok(())
}

#[test]
fn the_simulator_gives_what_an_h200_gave() -> Result<()> {
    check_every(5)
}

#[test]
#[ignore = "exhaustive: `cargo test -- --ignored exhaustive`"]
fn exhaustive_the_simulator_gives_what_an_h200_gave() -> Result<()> {
    check_every(1)
}

/// These end a process's use of the device, so each has one of its own.
#[test]
fn launches_fail_as_they_did_on_an_h200() -> Result<()> {
    let out = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("instructions");
    for case in Case::all()?.iter().filter(|case| case.fails) {
        let done = Command::new(env!("CARGO_BIN_EXE_validate"))
            .args(["instructions", "--device", "sim", "--only", case.name, "--out"])
            .arg(&out)
            .output()?;
        assert!(done.status.success(), "{}: {done:?}", case.name);
        let text = std::fs::read_to_string(out.join(case.name).with_extension("txt"))?;
        let own = Recording::from_text(&text)?;
        assert!(matches!(own, Recording::Failed(_)), "{}", case.name);
        match recorded(case)? {
            Some(Recording::Results(_)) => assert_eq!(case.name, REFUSED_HERE),
            Some(gpu) => assert_eq!(own, gpu, "{}", case.name),
            None => {}
        }
    }
    Ok(())
}

/// The first word of each instruction of a text.
fn opcodes(text: &str) -> BTreeSet<&str> {
    let lines = text.lines().map(|line| line.split("//").next().unwrap_or(""));
    let statements = lines.flat_map(|line| line.split(';'));
    statements
        .filter_map(|statement| {
            statement
                .split_whitespace()
                .find(|word| !word.starts_with(['@', '{', '}']) && !word.ends_with(':'))
        })
        .collect()
}

#[test]
fn every_opcode_has_a_case() -> Result<()> {
    let cases = Case::all()?;
    let used: BTreeSet<&str> = cases.iter().flat_map(|case| opcodes(case.text)).collect();
    let is_used = |opcode: &str| {
        let begins = |used: &&str| used.split('.').next() == Some(opcode);
        used.contains(opcode) || !opcode.contains('.') && used.iter().any(begins)
    };
    let known = ptx::opcodes();
    let missing: Vec<&String> = known.iter().filter(|opcode| !is_used(opcode)).collect();
    assert!(missing.is_empty(), "{missing:?}");
    Ok(())
}

#[test]
fn recordings_are_of_cases() -> Result<()> {
    let mut cases: BTreeSet<String> = Case::all()?.iter().map(|c| c.name.to_string()).collect();
    assert!(cases.remove(NEVER_ENDS), "{NEVER_ENDS} is no case");
    let stem = |entry: std::io::Result<std::fs::DirEntry>| -> Result<String> {
        let path = entry?.path();
        let stem = path.file_stem().context("a file has a name")?;
        Ok(stem.to_string_lossy().into_owned())
    };
    let files = std::fs::read_dir(folder())?.map(stem);
    let mut files: BTreeSet<String> = files.collect::<Result<_>>()?;
    files.remove("device");
    assert_eq!(cases, files);
    Ok(())
}
