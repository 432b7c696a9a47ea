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
pub mod reports;
pub mod request;
pub mod source;
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
use reports::Reported;

/// Modules, and for each its PTX if that is not the book's.
type Modules = Vec<Arc<Module>>;
type Texts = Vec<Option<String>>;

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
        let (changed, texts) = self.without(&options.removed)?;
        let mut outcome = replay::replay(run, &changed, &self.modules, options)?;
        outcome.reports = self.reports(run, options, &outcome)?;
        if options.trace {
            let launches = outcome.launches.iter_mut().map(|launch| {
                let trace = launch.trace.take();
                LaunchReport { trace, ..launch.clone() }
            });
            self.traced = Traced { run: options.run, launches: launches.collect(), texts };
        }
        Ok(outcome)
    }

    /// The modules without what stands in these lines, and the PTX of those whose text changes.
    fn without(&self, removed: &[String]) -> Result<(Modules, Texts), String> {
        let mut changed = self.modules.clone();
        let mut texts = vec![None; changed.len()];
        if !removed.is_empty() {
            let modules = changed.iter_mut().zip(&self.data.modules).zip(&mut texts);
            for ((module, text), without) in modules {
                *without = remove::rewritten(text, module, removed);
                if let Some(text) = without {
                    *module = Arc::new(ptx::parse(text).map_err(|error| error.to_string())?);
                }
                remove::remove(Arc::make_mut(module), removed);
            }
        }
        Ok((changed, texts))
    }

    /// The races of a run, those first that a struck line would order.
    fn reports(
        &self,
        run: &Run,
        options: &Options,
        outcome: &Outcome,
    ) -> Result<Vec<Reported>, String> {
        let mut all = reports::reports(&self.data, &self.modules, run, outcome);
        if all.is_empty() || options.removed.len() > reports::MOST_PUT_BACK {
            return Ok(all);
        }
        let removable = self.removable();
        let plain = Options { trace: false, races: true, weak_seeds: 0, ..options.clone() };
        for line in &options.removed {
            let Some(struck) = removable.iter().find(|one| one.line == *line) else { continue };
            let others = options.removed.iter().filter(|other| *other != line).cloned();
            let removed: Vec<String> = others.collect();
            let (modules, _) = self.without(&removed)?;
            let put_back = replay::replay(
                run,
                &modules,
                &self.modules,
                &Options { removed, ..plain.clone() },
            )?;
            if put_back.launches.iter().all(|launch| launch.fault.is_none()) {
                reports::note_struck(&mut all, struck, &put_back.launches);
            }
        }
        reports::sort(&mut all);
        Ok(all)
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
