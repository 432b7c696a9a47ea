//! The lab: executes the launches of a rung again on the SIMT machine, in a page of the book.
//!
//! The book's build records what a rung executes ([`data`]). The lab replays such a recording ([`replay`]) with
//! another order of warps, with other digits, or without some of the barriers ([`remove`]), and steps through a
//! trace of it ([`steps`]). Pictures come from the crate `figures`, as those of the book do.
//!
//! A page loads the crate as a WebAssembly module and talks to it by JSON ([`request`]), through a few C functions
//! (`exports.rs`). Nothing here reads a file, starts a thread or knows of CUDA's interface.

pub mod content;
pub mod data;
#[cfg(target_family = "wasm")]
mod exports;
pub mod remove;
pub mod replay;
pub mod request;
pub mod steps;
pub mod value;

use std::sync::Arc;

use ptx::ir::Module;
use simt_report::LaunchReport;

use data::{Data, Run};
use remove::Removable;
use replay::{Options, Outcome};

/// A kernel that can be run.
pub struct Lab {
    data: Data,
    modules: Vec<Arc<Module>>,
    /// The launches of the last run that was traced, and the index of the run.
    traced: Vec<LaunchReport>,
    traced_run: usize,
}

impl Lab {
    /// Reads the PTX of a kernel.
    ///
    /// # Errors
    /// What is wrong with the PTX.
    pub fn open(data: Data) -> Result<Self, String> {
        let modules = data.modules.iter().map(|text| match ptx::parse(text) {
            Ok(module) => Ok(Arc::new(module)),
            Err(error) => Err(error.to_string()),
        });
        let modules = modules.collect::<Result<_, _>>()?;
        Ok(Self { data, modules, traced: Vec::new(), traced_run: 0 })
    }

    /// The lines that order threads, each once.
    pub fn removable(&self) -> Vec<Removable> {
        let mut all: Vec<Removable> = Vec::new();
        for one in self.modules.iter().flat_map(|module| remove::removable(module)) {
            if !all.contains(&one) {
                all.push(one);
            }
        }
        all
    }

    /// Executes a run. With a trace, the launches stay for [`steps::steps`] and [`Lab::view`], and the outcome has no
    /// traces.
    ///
    /// # Errors
    /// Where there is no such run, or it cannot be executed.
    pub fn run(&mut self, options: &Options) -> Result<Outcome, String> {
        let run = self.data.runs.get(options.run).ok_or("there is no such run")?;
        let mut outcome = replay::replay(run, &self.modules, options)?;
        if options.trace {
            self.traced.clone_from(&outcome.launches);
            self.traced_run = options.run;
            outcome.launches.iter_mut().for_each(|launch| launch.trace = None);
        }
        Ok(outcome)
    }

    /// The launches of the last run that was traced.
    pub fn traced(&self) -> &[LaunchReport] {
        &self.traced
    }

    /// The run that was traced last.
    fn traced_run(&self) -> Option<&Run> {
        self.data.runs.get(self.traced_run)
    }

    /// What a step of a launch looks like.
    ///
    /// # Errors
    /// Where no such launch was traced.
    pub fn view(&self, launch: usize, block: u64, event: usize) -> Result<steps::View, String> {
        let report = self.launch(launch)?;
        let dtype = self.traced_run().map_or("f32", |run| &run.dtype);
        Ok(steps::view(report, block, event, dtype, &|line| self.quote(line)))
    }

    fn launch(&self, index: usize) -> Result<&LaunchReport, String> {
        self.traced.get(index).ok_or_else(|| format!("launch {index} was not traced"))
    }

    /// What a line says, as code with its place: `` `x = y;` (file.cu:12) ``.
    fn quote(&self, line: &str) -> String {
        let quoted = line.rsplit_once(':').and_then(|(name, number)| {
            let file = self.data.files.iter().find(|file| file.name == name)?;
            let text = file.text.lines().nth(number.parse::<usize>().ok()?.checked_sub(1)?)?;
            let short = name.rsplit('/').next().unwrap_or(name);
            Some(format!("`{}` ({short}:{number})", text.trim()))
        });
        quoted.unwrap_or_else(|| line.to_owned())
    }
}
