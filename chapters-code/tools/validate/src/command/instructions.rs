//! `validate instructions --out FOLDER` records the results of every instruction on this machine's GPU.
//! The simulator's results are compared with them.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, bail};
use clap::Args;
use harness::{Device, DeviceChoice};
use validate::instructions::{
    case::Case,
    differences,
    recording::Recording,
    run::{Outcome, run as launch},
};

#[derive(Args)]
pub struct Arguments {
    /// The folder to write `<kernel>.txt` into
    #[arg(long, value_name = "FOLDER", required_unless_present = "compare")]
    out: Option<PathBuf>,

    /// Also write all results of each kernel, as they are, into this folder
    #[arg(long, value_name = "FOLDER")]
    raw: Option<PathBuf>,

    /// Run only this kernel
    #[arg(long, value_name = "KERNEL")]
    only: Option<String>,

    /// Run nothing; show where two folders of raw results differ
    #[arg(long, num_args = 2, value_name = "FOLDER")]
    compare: Vec<PathBuf>,

    /// The device
    #[arg(long, value_enum, default_value = "gpu", value_name = "DEVICE")]
    device: DeviceChoice,
}

/// Records the instructions; true if all of them could be run.
pub fn run(arguments: &Arguments) -> Result<bool> {
    if let [one, other] = arguments.compare.as_slice() {
        return compare(one, other);
    }
    for folder in arguments.out.iter().chain(&arguments.raw) {
        fs::create_dir_all(folder).with_context(|| format!("creating {}", folder.display()))?;
    }
    let mut cases = Case::all()?;
    if let Some(only) = &arguments.only {
        cases.retain(|case| case.name == only);
        if cases.is_empty() {
            bail!("no kernel is called `{only}`");
        }
    }
    let device = Device::open(arguments.device)?;
    let failures = all(&device, &cases, arguments);
    let properties = &device.properties;
    let (major, minor) = properties.compute_capability;
    let name = format!(
        "{}, compute capability {major}.{minor}, driver for {}",
        properties.name,
        harness::driver::cuda_version_text(properties.driver_version)
    );
    if let (Some(out), None) = (&arguments.out, &arguments.only) {
        fs::write(out.join("device.txt"), format!("{name}\n"))?;
    }
    println!("{name}: {} kernels, {failures} failed", cases.len());
    Ok(failures == 0)
}

/// Runs the cases, those last that end in an error; the number of those that could not be run.
fn all(device: &Device, cases: &[Case], arguments: &Arguments) -> usize {
    let alone = cases.len() == 1;
    let mut failures = 0;
    let (last, first): (Vec<&Case>, Vec<&Case>) = cases.iter().partition(|case| case.fails);
    for case in first.into_iter().chain(last) {
        // After a launch that failed, a process cannot use the device any more.
        let done = match (case.fails || failures > 0) && !alone {
            true => in_a_process_of_its_own(case),
            false => one(device, case, arguments),
        };
        if let Err(error) = done {
            failures += 1;
            eprintln!("{}: {error:#}", case.name);
        }
    }
    failures
}

fn one(device: &Device, case: &Case, arguments: &Arguments) -> Result<()> {
    let outcome = launch(device, case)?;
    if let Some(out) = &arguments.out {
        let text = Recording::of(case, &outcome).to_text();
        fs::write(out.join(case.name).with_extension("txt"), text)?;
    }
    if let (Some(raw), Outcome::Results(results)) = (&arguments.raw, &outcome) {
        fs::write(raw.join(case.name).with_extension("bin"), results)?;
    }
    Ok(())
}

/// Runs this program again for one case.
fn in_a_process_of_its_own(case: &Case) -> Result<()> {
    let arguments = std::env::args_os().skip(1);
    let output = Command::new(std::env::current_exe()?)
        .args(arguments)
        .args(["--only", case.name])
        .output()?;
    if !output.status.success() {
        bail!("{}", String::from_utf8_lossy(&output.stderr));
    }
    Ok(())
}

fn compare(one: &Path, other: &Path) -> Result<bool> {
    let mut same = true;
    for case in Case::all()?.iter().filter(|case| !case.fails) {
        let read = |folder: &Path| {
            let path = folder.join(case.name).with_extension("bin");
            fs::read(&path).with_context(|| path.display().to_string())
        };
        let text = match (read(one), read(other)) {
            (Ok(one), Ok(other)) => differences::describe(case, &one, &other),
            (Err(error), _) | (_, Err(error)) => format!("{}: {error:#}\n", case.name),
        };
        same &= text.is_empty();
        print!("{text}");
    }
    Ok(same)
}
