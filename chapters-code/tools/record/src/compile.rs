//! The driver compiles a kernel's PTX when a module is first loaded, on one core, and keeps what it compiled in a cache on
//! disk. So that a recording does not wait for one module after another, helper processes load all of them before.

use std::{
    collections::BTreeSet,
    process::{Command, Stdio},
    str::FromStr,
    thread::available_parallelism,
    time::Instant,
};

use anyhow::Context;
use cudarc::nvrtc::Ptx;
use harness::Device;

use report::Scope;

use crate::schedule;

/// The most helpers: each has a context of its own on the device.
const MOST_HELPERS: usize = 12;

/// One helper's share of the modules.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Share {
    /// The first of its modules.
    first: usize,
    /// The number of helpers.
    of: usize,
}

impl FromStr for Share {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (first, of) = text.split_once('/').ok_or("want K/N, such as 0/8")?;
        let number = |text: &str| text.parse::<usize>().map_err(|error| error.to_string());
        Ok(Self { first: number(first)?, of: number(of)?.max(1) })
    }
}

/// Starts a helper per core, and waits for all of them. What a helper cannot do, the recording does when it needs it.
pub(crate) fn all(say: &mut dyn FnMut(&str)) -> anyhow::Result<()> {
    let begun = Instant::now();
    let helpers = available_parallelism().map_or(1, usize::from).min(MOST_HELPERS);
    let program = std::env::current_exe().context("this program does not know where it lies")?;
    let start = |k| {
        let mut helper = Command::new(&program);
        helper.args(["--compile", &format!("{k}/{helpers}")]);
        helper.stdout(Stdio::null()).spawn()
    };
    let started: Vec<_> = (0..helpers).map(start).collect::<Result<_, _>>()?;
    for mut helper in started {
        helper.wait()?;
    }
    let seconds = begun.elapsed().as_secs_f64();
    say(&format!("compiled the modules by {helpers} processes: {seconds:.1} s"));
    Ok(())
}

/// Loads a helper's share of the modules, so that the driver compiles them.
pub(crate) fn share(share: Share, device: &Device) -> anyhow::Result<()> {
    let (parts, broken) =
        (schedule::parts(Scope::Full, false), schedule::broken_parts(Scope::Full));
    let steps = parts.iter().chain(&broken).flat_map(|part| &part.steps);
    let texts: BTreeSet<&str> = steps.map(|step| &*step.rung.ptx).collect();
    let mut texts: Vec<&str> = texts.into_iter().collect();
    // The longest first, so that every helper has as much to do.
    texts.sort_by_key(|text| std::cmp::Reverse(text.len()));
    for text in texts.into_iter().skip(share.first).step_by(share.of) {
        // A module that this device cannot load is said if it is needed.
        let _ = device.context.load_module(Ptx::from_src(text));
    }
    Ok(())
}
