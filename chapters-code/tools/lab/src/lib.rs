//! The lab: executes the launches of a rung again on the SIMT machine, in a page of the book.
//!
//! The book's build records what a rung executes ([`data`]). The lab replays such a recording ([`replay`]) with
//! another order of warps, with other digits, without some of the barriers ([`remove`]), or with weak memory
//! ([`weak`]), and steps through a trace of it ([`steps`]). Pictures come from the crate `figures`, as those of the
//! book do.
//!
//! A page loads the crate as a WebAssembly module and talks to it by JSON ([`request`]), through a few C functions
//! (`exports.rs`). Nothing here reads a file, starts a thread or knows of CUDA's interface.

pub mod content;
pub mod data;
mod devices;
#[cfg(target_family = "wasm")]
mod exports;
pub mod fold;
mod group;
pub mod remove;
pub mod registers;
pub mod replay;
pub mod request;
pub mod steps;
pub mod tree;
pub mod value;
pub mod weak;

use std::sync::Arc;

use ptx::ir::Module;
use simt_report::LaunchReport;

use data::{Data, Operation, Run};
use fold::Fold;
use registers::Text;
use remove::Removable;
use replay::{Options, Outcome};

/// A kernel that can be run.
pub struct Lab {
    data: Data,
    modules: Vec<Arc<Module>>,
    traced: Traced,
}

/// The last run that was traced.
#[derive(Default)]
struct Traced {
    /// The index of the run.
    run: usize,
    launches: Vec<LaunchReport>,
    /// The PTX of each module, if it was not the book's.
    texts: Vec<Option<String>>,
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
        Ok(Self { data, modules, traced: Traced::default() })
    }

    /// What can be left out, each line once for each kind of instruction.
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
    /// If there is no such run, or it cannot be executed.
    pub fn run(&mut self, options: &Options) -> Result<Outcome, String> {
        let run = self.data.runs.get(options.run).ok_or("there is no such run")?;
        let mut changed = self.modules.clone();
        let mut texts = vec![None; changed.len()];
        if !options.removed.is_empty() {
            let modules = changed.iter_mut().zip(&self.data.modules).zip(&mut texts);
            for ((module, text), without) in modules {
                *without = remove::rewritten(text, module, &options.removed);
                if let Some(text) = without {
                    *module = Arc::new(ptx::parse(text).map_err(|error| error.to_string())?);
                }
                remove::remove(Arc::make_mut(module), &options.removed);
            }
        }
        let mut outcome = replay::replay(run, &changed, &self.modules, options)?;
        if options.trace {
            let launches = outcome.launches.iter_mut().map(|launch| {
                let trace = launch.trace.take();
                LaunchReport { trace, ..launch.clone() }
            });
            self.traced = Traced { run: options.run, launches: launches.collect(), texts };
        }
        Ok(outcome)
    }

    /// The launches of the last run that was traced.
    pub fn traced(&self) -> &[LaunchReport] {
        &self.traced.launches
    }

    /// What a step of a launch looks like, with the registers of a lane.
    ///
    /// # Errors
    /// If no such launch was traced.
    pub fn view(
        &self,
        launch: usize,
        block: u64,
        event: usize,
        lane: u32,
    ) -> Result<steps::View, String> {
        let report = self.launch(launch)?;
        let run = self.data.runs.get(self.traced.run).ok_or("there is no such run")?;
        let quote = |line: &str| self.quote(line);
        let ptx = Text::new(self.text(run, launch)?);
        let source = self.data.files.first().map_or("", |file| &file.text);
        let dtype = &run.dtype;
        let of = steps::Of { launch: report, block, ptx: &ptx, dtype, source, quote: &quote };
        Ok(steps::view(&of, event, lane))
    }

    /// The trees that a block of a launch folds.
    ///
    /// # Errors
    /// If no such launch was traced.
    pub fn trees(&self, launch: usize, block: u64) -> Result<Vec<steps::GrowingTree>, String> {
        let run = self.data.runs.get(self.traced.run).ok_or("there is no such run")?;
        let fold = Fold { op: &run.op, dtype: &run.dtype };
        Ok(steps::trees(self.launch(launch)?, block, fold))
    }

    fn launch(&self, index: usize) -> Result<&LaunchReport, String> {
        self.traced.launches.get(index).ok_or_else(|| format!("launch {index} was not traced"))
    }

    /// The PTX of a launch of a run.
    fn text(&self, run: &Run, launch: usize) -> Result<&str, String> {
        let mut launched = run.operations.iter().filter_map(|operation| match operation {
            Operation::Launch { module, .. } => Some(*module),
            _ => None,
        });
        let text = launched.nth(launch).and_then(|module| {
            let changed = self.traced.texts.get(module)?.as_deref();
            changed.or_else(|| self.data.modules.get(module).map(String::as_str))
        });
        text.ok_or_else(|| "a launch names a module that is not there".into())
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
