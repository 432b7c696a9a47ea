//! Figures drawn from executions: `{{#figure KIND kernel=RUNG n=SIZE KEY=VALUE …}}`.
//!
//! While the book is built, the simulator runs the named kernel at the named size, and the figure
//! is drawn from the trace. Nothing in it is typed.
//!
//! | kind | shows | further keys |
//! | --- | --- | --- |
//! | `tree` | which thread folds what into what, step by step | `of=shared` (default) or `of=registers`; `places=8`, the last steps, in that many places; `buffers=2`, where that many take turns |
//! | `trees` | two trees in shared memory, side by side, with one set of steps | `second`, the other kernel, and `second_block`, its threads of a block; `places` and `buffers` of the first |
//! | `banks` | a warp's accesses to shared memory: lanes, banks, wavefronts | `access`, `at`, `nth` |
//! | `sectors` | a warp's accesses to global memory: lanes, lines, sectors | `access`, `at`, `nth` |
//! | `order` | two blocks' warps over time: what they do at the words that both touch, with the fences and barriers beside | `first` and `second`, the blocks; `warp` of both |
//! | `look_back` | the status words of tiles, and what a warp that looks back sees of them, at three moments | `tile`, the tile that looks back |
//! | `ring` | the stages that warps hand to each other by mbarriers, at the moments at which a copy starts or a phase is complete | `roles=consumers,producer`, names in the order of the first warps |
//! | `roles` | the same over time, a row per stage and per role | `roles` |
//! | `block_scan` | the scan of a block of two warps by shuffles: each warp's steps, their sums, what comes before each warp | |
//! | `reach` | the segmented scan of a warp's first eight lanes: how far back each lane adds | |
//! | `timeline` | which lanes of a block's warps are active, instruction by instruction | `span`, the instructions that the axis has room for |
//! | `machine` | a multiprocessor, the caches and the memory of the recorded device; no key but `caption` | |
//! | `threads` | from the grid to one lane, for `n`, `block` and `element`; no kernel runs | |
//! | `links` | the bytes that go from each device to each other one | |
//! | `race` | two accesses that nothing orders, as the race detector reports them | `race`, its number (1) |
//!
//! Keys of every kind: `kernel`, `n` (`8`, `2^10`, `32x64`); `block`, the threads of a block, where
//! it is not the rung's own; `op`, `dtype`, `input` (`digits`), `seed`; `chapter`, where the page's
//! folder does not name it; `schedule`, the seed of the order of warps and blocks (0, in turn); `multiprocessors`, for the grid of a device with that number of multiprocessors; `launch` (1), `in_block` (0) and `warp` (0), which part of the run is
//! shown; `caption="…"`, with backquotes around code.
//!
//! Of accesses, `access=load` (default), `store` or `atomic` says which; `at=ANCHOR` keeps those of the lines
//! within an anchor of the source; `nth=1,3,5-8` chooses among those, in the order of execution.
//!
//! `{{#launch kernel=RUNG n=SIZE …}}` gives a line instead: how many blocks of how many threads such a run launches,
//! see `figure::launch`.
//!
//! An unknown kernel or key, a kernel that fails, and a run that holds nothing to draw are errors.

mod access;
mod arguments;
mod launch;
mod schematic;
mod source;
mod tree_picture;

use std::cell::RefCell;
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use cudarc::driver::LaunchConfig;
use figures::{Picture, banks, links, order, page as html, race, ring, roles, sectors, shuffles};
use harness::simulator::{AccessSpace, Event, LaunchReport, Race};
use harness::{Device, DeviceChoice};
use lab::fold::Fold;
use report::{AnyCase, trace::Traced};

use access::Wanted;
use arguments::{Arguments, Run};

use crate::brief::Needs;

/// The chapter, kernel and case of a run, and its block, schedule and multiprocessors: two runs with the same key are
/// the same.
type Key = (&'static str, String, AnyCase, (Option<u32>, u32, Option<u32>));

/// The run that a figure draws.
pub(crate) struct Drawn {
    pub(crate) chapter: &'static str,
    pub(crate) kernel: String,
    pub(crate) case: AnyCase,
    /// The options that the figure names, with their values.
    pub(crate) options: Vec<(String, String)>,
}

/// The simulator, once it is open. All that runs kernels for the book shares it: a kernel that is stopped leaves an
/// error in the device's context, with which every holder must give it up.
pub(crate) type Simulated = Rc<RefCell<Option<Device>>>;

/// The simulator, opened if it is not.
pub(crate) fn opened(device: &Simulated) -> Result<Device, String> {
    let mut device = device.borrow_mut();
    let open = match device.take() {
        Some(device) => device,
        None => Device::open(DeviceChoice::Sim).map_err(|error| error.to_string())?,
    };
    Ok(device.insert(open).clone())
}

/// Gives the simulator up if a kernel was stopped, and with its context the error that it left there.
pub(crate) fn give_up_if_stopped(device: &Simulated) {
    let is_stopped = |device: &Device| device.stream.synchronize().is_err();
    let mut device = device.borrow_mut();
    if device.as_ref().is_some_and(is_stopped) {
        *device = None;
    }
}

/// Draws figures, one after another.
pub struct Figures {
    root: PathBuf,
    device: Simulated,
    runs: HashMap<Key, Rc<Traced>>,
    configs: HashMap<Key, LaunchConfig>,
    needs: HashMap<Key, Needs>,
    drawn: usize,
}

impl Figures {
    /// Figures of the project in `root`.
    pub fn new(root: &Path) -> Self {
        Self {
            root: root.to_path_buf(),
            device: Simulated::default(),
            runs: HashMap::new(),
            configs: HashMap::new(),
            needs: HashMap::new(),
            drawn: 0,
        }
    }

    /// The simulator that the figures are drawn on.
    pub(crate) fn simulated(&self) -> Simulated {
        self.device.clone()
    }

    /// Numbers figures from 1 again, for another build of the book.
    pub(crate) fn begin(&mut self) {
        self.drawn = 0;
    }

    /// The figure that a directive on `page` asks for, as HTML.
    ///
    /// # Errors
    /// What is wrong with the directive, or with the run.
    pub fn answer(&mut self, page: &Path, arguments: &str) -> Result<String, String> {
        let mut arguments = Arguments::parse(arguments)?;
        if schematic::is_one(&arguments.kind) {
            return self.schematic(arguments);
        }
        let run = Run::take(&mut arguments, page)?;
        if arguments.kind == "trees" {
            return self.trees(run, arguments);
        }
        let caption = arguments.take("caption");
        let part = Part {
            launch: arguments.number("launch")?.unwrap_or(1),
            block: arguments.number("in_block")?.unwrap_or(0),
            warp: arguments.number("warp")?.unwrap_or(0),
        };
        let traced = self.trace(&run)?;
        let number = self.drawn + 1;
        let (class, content) = match arguments.kind.as_str() {
            "race" => {
                let race = arguments.number("race")?.unwrap_or(1);
                arguments.finish()?;
                let race = part.race(&traced, race)?;
                let lines = [&race.first, &race.second];
                let [first, second] = lines.map(|access| source::quoted(&self.root, &access.line));
                ("report", race::draw(race, [&first, &second]))
            }
            _ => {
                let picture = self.picture(arguments, run.chapter.name(), &traced, &part)?;
                (picture.class, html::drawings(number, &picture))
            }
        };
        self.drawn = number;
        let source = source_of(&run, &traced);
        let caption = caption.as_deref();
        Ok(html::figure(number, class, &content, caption, &source))
    }

    /// The run that a directive on `page` draws; none of a figure that runs no kernel.
    pub(crate) fn drawn(page: &Path, arguments: &str) -> Option<Drawn> {
        let mut arguments = Arguments::parse(arguments).ok()?;
        let given = arguments.clone();
        let run = Run::take(&mut arguments, page).ok()?;
        let Run { chapter, kernel, case, .. } = run;
        Some(Drawn { chapter: chapter.name(), kernel, options: given.options(chapter), case })
    }

    /// The line that the directive `launch` on `page` asks for, as HTML.
    ///
    /// # Errors
    /// What is wrong with the directive, or with the rung.
    pub fn launch(&mut self, page: &Path, arguments: &str) -> Result<String, String> {
        let mut arguments = Arguments::of_launch(arguments)?;
        let run = Run::take(&mut arguments, page)?;
        arguments.finish()?;
        let key = run.key();
        let config = match self.configs.get(&key) {
            Some(config) => *config,
            None => {
                let device = opened(&self.device)?;
                let config =
                    report::trace::config(&device, run.chapter, &run.kernel, &run.case, run.block);
                config.map_err(|error| error.to_string())?
            }
        };
        self.configs.insert(key, config);
        Ok(launch::line(&config, &run.case, run.devices()))
    }

    /// What the run on `page` with these arguments needs for each KiB that it must move.
    ///
    /// # Errors
    /// What is wrong with the arguments, or with the run.
    pub(crate) fn needs(&mut self, page: &Path, arguments: &str) -> Result<Needs, String> {
        let mut arguments = Arguments::of_launch(arguments)?;
        let run = Run::take(&mut arguments, page)?;
        arguments.finish()?;
        let key = run.key();
        if let Some(needs) = self.needs.get(&key) {
            return Ok(*needs);
        }
        let device = opened(&self.device)?;
        let counted = report::trace::count(&device, run.chapter, &run.kernel, &run.case, run.block);
        drop(device);
        give_up_if_stopped(&self.device);
        let (counters, bytes) = counted.map_err(|error| error.to_string())?;
        let wavefronts = counters.shared_load_wavefronts
            + counters.shared_store_wavefronts
            + counters.shared_atomic_wavefronts;
        let per_kib = |count: u64| count as f64 * 1024.0 / bytes as f64;
        let needs = Needs {
            instructions: per_kib(counters.warp_instructions),
            wavefronts: per_kib(wavefronts),
        };
        self.needs.insert(key, needs);
        Ok(needs)
    }

    /// Two trees in shared memory, side by side.
    fn trees(&mut self, run: Run, mut arguments: Arguments) -> Result<String, String> {
        let caption = arguments.take("caption");
        let second = Run {
            kernel: arguments.need("second")?,
            block: arguments.number("second_block")?.or(run.block),
            ..run.clone()
        };
        let wanted =
            [tree_picture::Wanted::take(&mut arguments)?, tree_picture::Wanted::in_shared()];
        arguments.finish()?;
        let mut pictures = Vec::new();
        let mut sources = Vec::new();
        for (run, wanted) in [&run, &second].into_iter().zip(&wanted) {
            let traced = self.trace(run)?;
            let part = Part { launch: 1, block: 0, warp: 0 };
            let picture = tree_picture::draw(&part.events(&traced)?, &traced, part.warp, wanted)?;
            pictures.push(picture);
            sources.push(source_of(run, &traced));
        }
        self.drawn += 1;
        let names = [&run, &second].map(|run| format!("`{}`", run.kernel));
        let names = [&names[0][..], &names[1]];
        let content = html::pair(self.drawn, names, [&pictures[0], &pictures[1]]);
        let source = sources.join("<br/>");
        Ok(html::figure(self.drawn, "tree", &content, caption.as_deref(), &source))
    }

    /// A figure of what every kernel runs on.
    fn schematic(&mut self, mut arguments: Arguments) -> Result<String, String> {
        let caption = arguments.take("caption");
        let device = opened(&self.device)?;
        let (picture, source) = schematic::draw(&self.root, &device, arguments)?;
        self.drawn += 1;
        let content = html::drawings(self.drawn, &picture);
        let source = html::inline(&source);
        Ok(html::figure(self.drawn, picture.class, &content, caption.as_deref(), &source))
    }

    fn picture(
        &self,
        mut arguments: Arguments,
        chapter: &str,
        traced: &Traced,
        part: &Part,
    ) -> Result<Picture, String> {
        let (root, kernel) = (&self.root, traced.rung.name);
        let events = part.events(traced)?;
        let drawn = |wanted: &Wanted| -> Result<Vec<_>, String> {
            let found = wanted.find(&events, part, root)?;
            Ok(found.into_iter().map(|one| one.drawn(root)).collect())
        };
        match arguments.kind.as_str() {
            "tree" => {
                let wanted = tree_picture::Wanted::take(&mut arguments)?;
                arguments.finish()?;
                tree_picture::draw(&events, traced, part.warp, &wanted)
            }
            "banks" => {
                let wanted = Wanted::take(&mut arguments, AccessSpace::Shared)?;
                arguments.finish()?;
                banks::draw(&drawn(&wanted)?, kernel)
            }
            "sectors" => {
                let wanted = Wanted::take(&mut arguments, AccessSpace::Global)?;
                arguments.finish()?;
                sectors::draw(&drawn(&wanted)?, kernel)
            }
            "look_back" => {
                let tile = arguments.number("tile")?;
                arguments.finish()?;
                let fold = fold_of_words(traced, "a status word holds")?;
                let format = |bits| fold.text(bits);
                figures::look_back::draw(part.launch(traced)?, tile, &format)
            }
            "ring" | "roles" => {
                let roles = arguments.take("roles").unwrap_or_default();
                let roles: Vec<_> = roles.split(',').filter(|role| !role.is_empty()).collect();
                let draw = if arguments.kind == "ring" { ring::draw } else { roles::draw };
                arguments.finish()?;
                let path = format!("chapters-code/{chapter}/kernels/{kernel}.cu");
                let source = fs::read_to_string(root.join(&path))
                    .map_err(|error| format!("cannot read {path}: {error}"))?;
                let declared = ring::declared(&source);
                draw(part.launch(traced)?, part.block, &declared, &roles)
            }
            "block_scan" | "reach" => {
                let is_reach = arguments.kind == "reach";
                arguments.finish()?;
                let fold = fold_of_words(traced, "a lane shuffles")?;
                let format = |bits| fold.text(bits);
                match is_reach {
                    true => shuffles::reach(&events, part.warp, kernel, &format),
                    false => shuffles::block_scan(&events, kernel, &format),
                }
            }
            "order" => {
                let mut block = |key| Ok::<_, String>(arguments.number(key)?.unwrap_or(0));
                let warps = [block("first")?, block("second")?];
                let warps = warps.map(|block| order::Warp { block, warp: part.warp });
                arguments.finish()?;
                let quote = |line: &str| source::text(root, line);
                order::draw(part.launch(traced)?, warps, None, &quote)
            }
            "links" => {
                arguments.finish()?;
                links::draw(&traced.report.links, kernel)
            }
            "timeline" => {
                let span = arguments.number("span")?;
                arguments.finish()?;
                figures::timeline::draw(&figures::timeline::bands(&events), span, kernel)
            }
            other => Err(format!("there is no figure of kind {other}")),
        }
    }

    /// The run, which figures of the same run share.
    fn trace(&mut self, run: &Run) -> Result<Rc<Traced>, String> {
        let key = run.key();
        if let Some(traced) = self.runs.get(&key) {
            return Ok(traced.clone());
        }
        let device = opened(&self.device)?;
        let Run { chapter, kernel, case, block, schedule, multiprocessors } = run;
        let device = match multiprocessors {
            Some(count) => device.with_multiprocessors(*count),
            None => device,
        };
        let traced = report::trace::run(&device, *chapter, kernel, case, *block, *schedule);
        drop(device);
        give_up_if_stopped(&self.device);
        let traced = Rc::new(traced.map_err(|error| error.to_string())?);
        self.runs.insert(key, traced.clone());
        Ok(traced)
    }
}

/// Which part of a run is shown.
#[derive(Clone, Copy, Debug)]
struct Part {
    /// Which launch, from 1.
    launch: usize,
    block: u64,
    warp: u32,
}

impl Part {
    /// The events of the part's block.
    fn events<'t>(&self, traced: &'t Traced) -> Result<Vec<&'t Event>, String> {
        let launch = self.launch(traced)?;
        let trace = launch.trace.as_ref().ok_or("the launch was not traced")?;
        let own = |event: &&Event| event.block() == self.block;
        let events: Vec<_> = trace.events.iter().filter(own).collect();
        match events.is_empty() {
            true => Err(format!("the launch has no block {}", self.block)),
            false => Ok(events),
        }
    }

    fn launch<'t>(&self, traced: &'t Traced) -> Result<&'t LaunchReport, String> {
        let launches = &traced.report.launches;
        let index = self.launch.checked_sub(1);
        index.and_then(|index| launches.get(index)).ok_or_else(|| {
            format!(
                "the run has {} launches, and none has the number {}",
                launches.len(),
                self.launch
            )
        })
    }

    /// The race of that number, from 1.
    fn race<'t>(&self, traced: &'t Traced, number: usize) -> Result<&'t Race, String> {
        let races = &self.launch(traced)?.races;
        let race = number.checked_sub(1).and_then(|index| races.get(index));
        race.ok_or_else(|| {
            format!(
                "the race detector reports {} races there, and none is number {number}",
                races.len()
            )
        })
    }
}

/// How the elements of a run are written, if they have the 4 bytes that `holder`, the beginning of the error, has.
fn fold_of_words(traced: &Traced, holder: &str) -> Result<Fold<'static>, String> {
    let dtype = traced.case.dtype.accumulator();
    match dtype.size() {
        4 => Ok(Fold { op: traced.case.op.name(), dtype: dtype.name() }),
        _ => Err(format!("dtype={}: {holder} 4 bytes", dtype.name())),
    }
}

/// The sentence that says which execution a figure shows, as HTML.
fn source_of(run: &Run, traced: &Traced) -> String {
    let threads = traced.report.launches.front().map(|launch| launch.block);
    let threads = threads.map_or(0, |block| block.iter().product::<u32>());
    let device = run.multiprocessors.map_or(String::new(), |count| {
        let s = if count == 1 { "" } else { "s" };
        format!(", with as many blocks as for a device with {count} multiprocessor{s}")
    });
    html::inline(&format!(
        "Drawn from an execution of `{}`: {}, blocks of {threads} threads{device}.",
        run.kernel,
        run.chapter.title(&traced.case)
    ))
}
