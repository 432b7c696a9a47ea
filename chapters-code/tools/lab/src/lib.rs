//! The lab: executes the launches of a rung again on the SIMT machine, in a page of the book.
//!
//! The book's build records what a rung executes ([`data`]). The lab replays such a recording ([`replay`]) with
//! another order of warps, with other digits, without some of the barriers ([`remove`]), or with weak memory
//! ([`weak`]), and steps through a trace of it ([`steps`]). Pictures come from the crate `figures`, as those of the
//! book do.
//!
//! A page loads the crate as a WebAssembly module and talks to it by JSON ([`request`]), through a few C functions
//! (`exports.rs`). Nothing here reads a file, starts a thread or knows of CUDA's interface.

pub mod arrays;
pub mod content;
pub mod data;
mod devices;
#[cfg(target_family = "wasm")]
mod exports;
pub mod fold;
mod group;
mod lines;
pub mod memory;
pub mod names;
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

use std::collections::BTreeMap;
use std::iter;
use std::sync::Arc;

use ptx::ir::Module;
use simt_report::LaunchReport;

use arrays::Arrays;
use data::{Data, Operation, Run};
use fold::Fold;
use lines::Written;
use memory::{Launched, Shared};
use names::Names;
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
    /// For each launch what is known besides its trace.
    launched: Vec<Launched>,
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
            let (run, launches, launched) = (options.run, launches.collect(), Vec::new());
            self.traced = Traced { run, launches, launched, texts };
            self.traced.launched = self.launched(&mut outcome)?;
        }
        Ok(outcome)
    }

    /// What is known of the launches of a run that was traced, besides their traces.
    fn launched(&self, outcome: &mut Outcome) -> Result<Vec<Launched>, String> {
        let run = self.data.runs.get(self.traced.run).ok_or("there is no such run")?;
        let before =
            std::mem::take(&mut outcome.before).into_iter().chain(iter::repeat(Vec::new()));
        let mut known: BTreeMap<(usize, &str), Launched> = BTreeMap::new();
        let launches = launches_of(run).zip(before).take(self.traced.launches.len()).enumerate();
        let launched = launches.map(|(index, ((module, kernel, is_together), before))| {
            let of_kernel =
                known.entry((module, kernel)).or_insert_with(|| self.known(module, kernel));
            let arrays = Arrays::of_launch(&self.data, &self.modules, run, index, &outcome.moved);
            Launched { arrays, before, is_together, ..of_kernel.clone() }
        });
        Ok(launched.collect())
    }

    /// What is known of a kernel of a module. If a reader has edited the kernel, its variables have no names.
    fn known(&self, module: usize, kernel: &str) -> Launched {
        let (Some(text), Some(of)) = (self.module_text(module), self.modules.get(module)) else {
            return Launched::default();
        };
        let files = if self.data.is_edited { &[][..] } else { &self.data.files };
        let parameters = self.data.parameters_of(module, kernel).unwrap_or_default();
        let names = Names::of(text, kernel, files, parameters);
        let written = Arc::new(Written::of(text, kernel, &self.data.files, &names));
        let found = of.kernels.iter().find(|known| known.name == kernel);
        let shared = found.map_or_else(Vec::new, |kernel| Shared::of(kernel, &self.data));
        Launched { names: Arc::new(names), written, shared, ..Launched::default() }
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

    /// The element of an array at a device address in a run, as the source names it; none if no name is certain.
    pub(crate) fn element_at(&self, run: usize, outcome: &Outcome, address: u64) -> Option<String> {
        let run = self.data.runs.get(run)?;
        let mut launches = 0..outcome.launches.len();
        launches.find_map(|launch| {
            let moved = &outcome.moved;
            let arrays = Arrays::of_launch(&self.data, &self.modules, run, launch, moved);
            reports::element_at(&arrays, address, 0)
        })
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
            let Some(struck) = remove::of_line(&removable, line) else { continue };
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
                reports::note_struck(&mut all, &struck, &put_back.launches);
            }
        }
        reports::sort(&mut all);
        Ok(all)
    }

    /// The launches of the last run that was traced.
    pub fn traced(&self) -> &[LaunchReport] {
        &self.traced.launches
    }

    /// The steps of a block of a launch, with those marked at which a step by lines stops.
    ///
    /// # Errors
    /// If no such launch was traced.
    pub fn steps(&self, launch: usize, block: u64) -> Result<Vec<steps::Step>, String> {
        let report = self.launch(launch)?;
        let mut steps = steps::steps(report, block);
        if let (Some(trace), Some(launched)) = (&report.trace, self.traced.launched.get(launch)) {
            lines::mark(&mut steps, trace, &launched.written);
        }
        Ok(steps)
    }

    /// The names that are certain for the registers of a traced launch.
    ///
    /// # Errors
    /// If no such launch was traced.
    pub fn names(&self, launch: usize) -> Result<&Names, String> {
        let launched = self.traced.launched.get(launch);
        launched.map(|launched| &*launched.names).ok_or_else(|| not_traced(launch))
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
        let launched = self.traced.launched.get(launch).ok_or_else(|| not_traced(launch))?;
        let ptx = Text::new(self.text(run, launch)?, &launched.arrays);
        let source = self.data.files.first().map_or("", |file| &file.text);
        let (dtype, tags) = (&run.dtype, &source::tags(&self.data.files));
        let of = steps::Of {
            launch: report,
            block,
            ptx: &ptx,
            dtype,
            launched,
            source,
            tags,
            quote: &quote,
        };
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
        self.traced.launches.get(index).ok_or_else(|| not_traced(index))
    }

    /// The PTX of a launch of a run.
    fn text(&self, run: &Run, launch: usize) -> Result<&str, String> {
        let module = launches_of(run).nth(launch).map(|(module, ..)| module);
        let text = module.and_then(|module| self.module_text(module));
        text.ok_or_else(|| "a launch names a module that is not there".into())
    }

    /// The PTX of a module in the run that was traced.
    fn module_text(&self, module: usize) -> Option<&str> {
        let changed = self.traced.texts.get(module).and_then(Option::as_deref);
        changed.or_else(|| self.data.modules.get(module).map(String::as_str))
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

/// The modules and kernels of a run's launches, in order, and whether each ran together with others.
fn launches_of(run: &Run) -> impl Iterator<Item = (usize, &str, bool)> {
    run.operations.iter().filter_map(|operation| match operation {
        Operation::Launch { module, kernel, group, .. } => {
            Some((*module, &kernel[..], group.is_some()))
        }
        _ => None,
    })
}

fn not_traced(launch: usize) -> String {
    format!("launch {launch} was not traced")
}
