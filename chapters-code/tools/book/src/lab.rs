//! The lab's data: for each kernel that a page lists or draws, its launches at a few sizes, recorded while the book is
//! built, in the file `lab/CHAPTER/KERNEL.js`. The script `lab/lab.js` loads that file when a reader presses the
//! button *Run it*, and executes the launches again in the page.
//!
//! The module that executes them is committed (`chapters-code/tools/lab/lab.wasm.gz`), so that nothing but this
//! program is needed to build the book. It lies in the file `lab/machine.js`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use base64::{Engine, engine::general_purpose::STANDARD};
use figures::number::thousands;
use harness::{Case, Dtype, Error, Input, Op, Shape, Value};
use lab::content::Expected;
use lab::data::{Choice, Chosen, Data, File, Label, Operation, Refused, Relative, Run};
use lab::source::{self, Parameter};
use ptx::ir::Module;
use report::chapter::EVEN;
use report::trace::{self, Recorded};
use report::{AnyCase, AnyChapter, AnyParameter, AnyRung};

use crate::address::attribute;
use crate::figure::{self, Drawn, Simulated};

/// The sizes of vectors that are offered, if a chapter offers them and they take no more than [`HEAVIEST`].
const VECTORS: [u64; 5] = [64, 1024, 4096, 1 << 16, 1 << 20];
/// The largest vector of a broken rung, as it is asked for, and as the rung may enlarge it.
const LARGEST_BROKEN: u64 = 4096;
const LARGEST_BROKEN_CASE: u64 = 1 << 21;
/// The vector and the matrix at which there is more to choose.
const WITH_CHOICES: [Shape; 2] = [Shape::Vector { n: 1024 }, Shape::Matrix { rows: 64, cols: 100 }];
/// Numbers of threads per block.
const BLOCKS: [u32; 3] = [64, 128, 512];
/// What the PTX of kernels with a ring of stages has. They are recorded with the grid of a device with one
/// multiprocessor: otherwise a block would have one tile at these sizes, and no stage would be filled twice.
const OF_RINGS: &str = "mbarrier.init";
/// The multiprocessors of that device at a teaching size: a block each, of several tiles.
const RINGS: u32 = 3;
/// Blocks, on all devices, that a reader can step through at one size at least, so that one has neighbors.
const NEIGHBORS: u64 = 3;
/// The sizes of which the first is added that has so many blocks, for a kernel that has them at none of the sizes above
/// that can be stepped through.
const TEACHING: [u64; 10] =
    [2048, 6144, 12_288, 24_576, 49_152, 73_728, 98_304, 147_456, 196_608, 294_912];
/// The same of matrices.
const TEACHING_MATRICES: [(u64, u64); 3] = [(64, 96), (96, 96), (128, 128)];
/// The sizes of matrices.
const MATRICES: [(u64, u64); 3] = [(32, 64), (64, 100), (256, 256)];
/// Bytes of recorded memory of a size, at most.
const HEAVIEST: usize = 200_000;
/// The module, compressed.
const MACHINE: &str = "chapters-code/tools/lab/lab.wasm.gz";
/// The folder of the lab in the built book.
const FOLDER: &str = "lab";

/// The kernels that can be run in the book.
pub struct Labs {
    root: PathBuf,
    device: Simulated,
    /// By chapter and kernel; none for a kernel without a size that can be recorded.
    known: BTreeMap<(String, String), Option<Data>>,
    /// The kernels that the pages ask for.
    wanted: BTreeSet<(String, String)>,
    /// For each of them the bytes that a page loads with it, about.
    bytes: BTreeMap<(String, String), usize>,
}

impl Labs {
    /// The kernels of the project in `root`, to be run on `device`.
    pub(crate) fn new(root: &Path, device: Simulated) -> Self {
        let (known, wanted, bytes) = (BTreeMap::new(), BTreeSet::new(), BTreeMap::new());
        Self { root: root.to_path_buf(), device, known, wanted, bytes }
    }

    /// Forgets what the pages ask for, for another build of the book.
    pub(crate) fn begin(&mut self) {
        self.wanted.clear();
    }

    /// Where the button stands that runs the kernel of a listed file, as HTML; nothing for a file that is no rung's.
    ///
    /// # Errors
    /// If a rung fails that should not.
    pub(crate) fn button_of_file(&mut self, file: &str) -> Result<String, String> {
        match kernel_of(file) {
            Some((chapter, kernel)) => self.button(chapter, kernel),
            None => Ok(String::new()),
        }
    }

    /// Where the button stands that runs what a figure draws, at its size and with its options where the lab has these.
    ///
    /// # Errors
    /// If a rung fails that should not.
    pub(crate) fn button_of_figure(&mut self, drawn: &Drawn) -> Result<String, String> {
        let button = self.button(drawn.chapter, &drawn.kernel)?;
        let options = drawn.options.iter().map(|(name, value)| format!("&{name}={value}"));
        let shown = format!("size={}{}", size_of(&drawn.case), options.collect::<String>());
        let attribute = format!(" data-shown=\"{}\" hidden", attribute(&shown));
        Ok(button.replacen(" hidden", &attribute, 1))
    }

    /// Where the button stands that runs a kernel, as HTML; nothing for what is no rung.
    ///
    /// # Errors
    /// If a rung fails that should not.
    pub(crate) fn button(&mut self, chapter: &str, kernel: &str) -> Result<String, String> {
        if !self.want(chapter, kernel)? {
            return Ok(String::new());
        }
        let family = family(chapter, kernel);
        let mut relatives = Vec::new();
        for (relative, idea) in family {
            if self.want(chapter, relative)? {
                relatives.push(Relative { kernel: relative.into(), idea: idea.into() });
            }
        }
        for relative in &relatives {
            let key = (chapter.to_owned(), relative.kernel.clone());
            if let Some(Some(data)) = self.known.get_mut(&key) {
                data.family.clone_from(&relatives);
            }
        }
        let bytes = self.bytes_of(chapter, kernel)?;
        Ok(format!(
            "<p class=\"run-it\" data-lab=\"{chapter}/{kernel}\" hidden data-bytes=\"{bytes}\"></p>\n"
        ))
    }

    /// The bytes of the machine and of a kernel's data, for the bar that grows while a page loads them.
    fn bytes_of(&mut self, chapter: &str, kernel: &str) -> Result<usize, String> {
        let key = (chapter.to_owned(), kernel.to_owned());
        if let Some(bytes) = self.bytes.get(&key) {
            return Ok(*bytes);
        }
        let data = self.known.get(&key).map(serde_json::to_string).transpose();
        let data = data.map_err(|error| error.to_string())?.unwrap_or_default();
        // Without the machine, the book is not written.
        let machine = fs::metadata(self.root.join(MACHINE)).map_or(0, |file| file.len());
        let bytes = data.len() + base64::encoded_len(machine as usize, true).unwrap_or_default();
        self.bytes.insert(key, bytes);
        Ok(bytes)
    }

    /// As [`Labs::button`], for a button that names its kernel. Where `without` is a text of the kernel's source, another
    /// button runs it with the last line struck out that has this text.
    ///
    /// # Errors
    /// If there is no such rung, it cannot be recorded, or its source lacks the text.
    pub(crate) fn named_button(
        &mut self,
        chapter: &str,
        kernel: &str,
        without: Option<&str>,
    ) -> Result<String, String> {
        let button = self.button(chapter, kernel)?.replacen("run-it", "run-it named", 1);
        if button.is_empty() {
            return Err(format!("{chapter} has no rung {kernel} that a lab can run"));
        }
        let Some(without) = without else {
            return Ok(button);
        };
        let data = self.known.get(&(chapter.to_owned(), kernel.to_owned()));
        let files = data.and_then(Option::as_ref).map_or(&[][..], |data| &data.files);
        if !files.first().is_some_and(|file| file.text.contains(without)) {
            return Err(format!("the source of {kernel} has no {without} to strike out"));
        }
        let attribute = format!(" data-without=\"{}\" hidden", attribute(without));
        Ok(button.replacen(" hidden", &attribute, 1))
    }

    /// Records a kernel that a page asks for, and says whether it could be recorded.
    fn want(&mut self, chapter: &str, kernel: &str) -> Result<bool, String> {
        let key = (chapter.to_owned(), kernel.to_owned());
        if !self.known.contains_key(&key) {
            let data = self.record(chapter, kernel)?;
            self.known.insert(key.clone(), data);
        }
        let is_known = self.known[&key].is_some();
        if is_known {
            self.wanted.insert(key);
        }
        Ok(is_known)
    }

    /// Records a rung at the sizes that it runs on and that are small in a file.
    fn record(&mut self, chapter: &str, kernel: &str) -> Result<Option<Data>, String> {
        let Some(chapter) = chapters::find(chapter) else {
            return Ok(None);
        };
        let Some(rung) = chapter.find(kernel) else {
            return Ok(None);
        };
        let shapes = shapes(chapter, &rung);
        for kind in kinds(chapter) {
            let cases = shapes.iter().map(|&shape| Case { shape, ..kind.clone() });
            let cases = cases.filter_map(|case| trace::cases(chapter, kernel, &case).ok());
            let cases: Vec<Vec<AnyCase>> = cases.collect();
            if !cases.is_empty() {
                let teaching = teaching_shapes().map(|shape| Case { shape, ..kind.clone() });
                let teaching =
                    teaching.filter_map(|case| trace::cases(chapter, kernel, &case).ok());
                let data = self.record_on(chapter, &rung, cases, teaching.collect())?;
                return Ok((!data.runs.is_empty()).then_some(data));
            }
        }
        Ok(None)
    }

    /// Records a rung on one of each list of cases, from small to large, as long as the recording is small in a file, and on
    /// the first of `teaching` at which neighbors can be stepped through, unless they can already.
    fn record_on(
        &mut self,
        chapter: &dyn AnyChapter,
        rung: &AnyRung,
        cases: Vec<Vec<AnyCase>>,
        teaching: Vec<Vec<AnyCase>>,
    ) -> Result<Data, String> {
        let mut data = Data {
            kernel: rung.name.to_owned(),
            is_broken: rung.is_broken(),
            files: Vec::new(),
            modules: Vec::new(),
            parameters: Vec::new(),
            arrays: BTreeMap::new(),
            is_edited: false,
            choices: Vec::new(),
            family: Vec::new(),
            runs: Vec::new(),
        };
        let with_choices =
            |case: &&AnyCase| WITH_CHOICES.contains(&case.shape) && !rung.is_broken();
        let usual = cases.iter().flatten().find(with_choices).cloned();
        let mut attempted = Vec::new();
        for cases in cases {
            let Some(recorded) = self.first(chapter, rung, &cases, &mut attempted, 1)? else {
                continue;
            };
            // A broken rung may have enlarged a size to one that is there.
            if data.runs.iter().any(|run| run.size == size_of(&recorded.case)) {
                continue;
            }
            let modules = data.modules.len();
            add(&mut data, chapter, &recorded, None);
            if data.runs.last().is_some_and(|run| run.weight() > HEAVIEST) {
                data.runs.pop();
                data.modules.truncate(modules);
                break; // What is larger is no lighter.
            }
        }
        self.add_teaching_size(&mut data, chapter, rung, &teaching)?;
        data.runs.sort_by_key(|run| run.elements);
        if let Some(usual) = usual
            && data.runs.iter().any(|run| run.size == size_of(&usual))
        {
            let device = figure::opened(&self.device)?;
            let config = trace::config(&device, chapter, rung.name, &usual, None);
            let block = config.map_err(|error| error.to_string())?.block_dim;
            for options in choices(chapter, &usual, block)? {
                self.add_choice(&mut data, chapter, rung, options)?;
            }
        }
        data.files = sources(&self.root, &data)?;
        name_arrays(&self.root, &mut data)?;
        Ok(data)
    }

    /// Adds a run of a size at which neighbors can be stepped through, if there is one and none is there.
    fn add_teaching_size(
        &self,
        data: &mut Data,
        chapter: &dyn AnyChapter,
        rung: &AnyRung,
        teaching: &[Vec<AnyCase>],
    ) -> Result<(), String> {
        let mut attempted = Vec::new();
        for cases in teaching {
            if data.runs.iter().any(has_neighbors) {
                return Ok(());
            }
            let Some(recorded) = self.first(chapter, rung, cases, &mut attempted, RINGS)? else {
                continue;
            };
            if data.runs.iter().any(|run| run.size == size_of(&recorded.case)) {
                continue;
            }
            let modules = data.modules.len();
            add(data, chapter, &recorded, None);
            let Some(run) = data.runs.last() else { continue };
            let is_too_large = !run.can_step() || run.weight() > HEAVIEST;
            if is_too_large || !has_neighbors(run) {
                data.runs.pop();
                data.modules.truncate(modules);
            }
            if is_too_large {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Records a rung with each value of an option, or keeps why the rung refuses it. An option without which the rung
    /// does the same, or of which it refuses all values, is no choice, except for the size of blocks.
    fn add_choice(
        &self,
        data: &mut Data,
        chapter: &dyn AnyChapter,
        rung: &AnyRung,
        (name, usual, cases): Options,
    ) -> Result<(), String> {
        let mut choice =
            Choice { name: name.into(), usual, values: Vec::new(), refused: Vec::new() };
        let before = data.runs.len();
        for (value, case) in cases {
            let checked =
                chapter.check(&case).and_then(|()| trace::cases(chapter, rung.name, &case));
            let refused = match checked {
                Ok(_) => match self.attempt(chapter, rung, &case, 1)? {
                    Attempt::Recorded(recorded) => {
                        let chosen = Chosen { name: name.into(), value: value.clone() };
                        add(data, chapter, &recorded, Some(chosen));
                        choice.values.push(value);
                        continue;
                    }
                    Attempt::Refused(reason) => reason,
                    Attempt::NotShown => continue,
                },
                Err(error) => error.to_string(),
            };
            let reason = refused.lines().next().unwrap_or_default().to_owned();
            choice.refused.push(Refused { value, reason });
        }
        let (usual, others) = data.runs.split_at(before);
        let is_usual = |run: &Run| {
            usual.iter().any(|usual| usual.chosen.is_none() && does_the_same(usual, run))
        };
        if name != "block" && others.iter().all(is_usual) {
            data.runs.truncate(before);
        } else if !choice.values.is_empty() || !choice.refused.is_empty() {
            data.choices.push(choice);
        }
        Ok(())
    }

    /// Records the first of the cases that can be recorded and has not been attempted.
    fn first(
        &self,
        chapter: &dyn AnyChapter,
        rung: &AnyRung,
        cases: &[AnyCase],
        attempted: &mut Vec<AnyCase>,
        multiprocessors: u32,
    ) -> Result<Option<Recorded>, String> {
        let largest = if rung.is_broken() { LARGEST_BROKEN_CASE } else { rung.max_elements };
        for case in cases {
            // A broken rung may run on another size than is asked for.
            if case.elements() > largest || attempted.contains(case) {
                continue;
            }
            attempted.push(case.clone());
            match self.attempt(chapter, rung, case, multiprocessors)? {
                Attempt::Recorded(recorded) => return Ok(Some(*recorded)),
                Attempt::NotShown => {}
                Attempt::Refused(reason) => return Err(reason),
            }
        }
        Ok(None)
    }

    /// Records a run, with a grid for so many multiprocessors if the kernel has a ring.
    fn attempt(
        &self,
        chapter: &dyn AnyChapter,
        rung: &AnyRung,
        case: &AnyCase,
        multiprocessors: u32,
    ) -> Result<Attempt, String> {
        let device = figure::opened(&self.device)?;
        let device = match rung.ptx.contains(OF_RINGS) {
            true => device.with_multiprocessors(multiprocessors),
            false => device,
        };
        let recorded = trace::record(&device, chapter, rung.name, case);
        drop(device);
        figure::give_up_if_stopped(&self.device);
        match recorded {
            Ok(recorded) => Ok(Attempt::Recorded(Box::new(recorded))),
            Err(Error::Trace { .. }) if rung.is_broken() => Ok(Attempt::NotShown),
            Err(Error::Usage(reason)) => Ok(Attempt::Refused(reason)),
            Err(error) => Err(format!("recording {} for the lab: {error}", rung.name)),
        }
    }

    /// Writes the data of the kernels that the pages ask for, and the machine, into the built book.
    pub(crate) fn write(&self, built: &Path) -> Result<()> {
        if self.wanted.is_empty() {
            return Ok(());
        }
        for key in &self.wanted {
            let Some(Some(data)) = self.known.get(key) else { continue };
            let (chapter, kernel) = key;
            let file = built.join(FOLDER).join(chapter).join(format!("{kernel}.js"));
            let name = serde_json::to_string(&format!("{chapter}/{kernel}"))?;
            write(&file, &format!("warpLab.data({name}, {});\n", serde_json::to_string(data)?))?;
        }
        let machine = fs::read(self.root.join(MACHINE))
            .with_context(|| format!("cannot read {MACHINE}: `cargo xtask lab` makes it"))?;
        let machine = format!("warpLab.machine(\"{}\");\n", STANDARD.encode(machine));
        write(&built.join(FOLDER).join("machine.js"), &machine)
    }
}

/// What came of recording a run.
enum Attempt {
    /// The run.
    Recorded(Box<Recorded>),
    /// A broken rung does not show there what is wrong with it.
    NotShown,
    /// The rung does not run so, for this reason.
    Refused(String),
}

/// The chapters' options that the lab offers, in order, for the directive `lab_options`.
pub(crate) fn options() -> String {
    let mut options: Vec<&str> = Vec::new();
    for AnyParameter { option, lab, .. } in chapters::ALL.iter().flat_map(|c| c.parameters()) {
        if !lab.is_empty() && !options.contains(&option) {
            options.push(option);
        }
    }
    let coded: Vec<String> = options.iter().map(|option| format!("`--{option}`")).collect();
    coded.join(", ")
}

/// An option's name, its usual value, and the cases with other values.
type Options = (&'static str, String, Vec<(String, AnyCase)>);

/// The kernels of the family of `kernel`, the right one first, each with its idea; none if it is alone.
fn family(chapter: &str, kernel: &str) -> Vec<(&'static str, &'static str)> {
    let Some(chapter) = chapters::find(chapter) else {
        return Vec::new();
    };
    let rungs = chapter.rungs();
    let made_of = rungs.iter().find(|rung| rung.name == kernel).and_then(|rung| rung.made_of);
    let own = made_of.unwrap_or(kernel);
    let right = rungs.iter().filter(|rung| rung.name == own);
    let wrong: Vec<_> = rungs.iter().filter(|rung| rung.made_of == Some(own)).collect();
    match wrong.is_empty() {
        true => Vec::new(),
        false => right.chain(wrong).map(|rung| (rung.name, rung.idea)).collect(),
    }
}

/// What can be chosen beside `usual`, which runs in blocks of `x` by `y` by `z` threads.
fn choices(
    chapter: &dyn AnyChapter,
    usual: &AnyCase,
    (x, y, z): (u32, u32, u32),
) -> Result<Vec<Options>, String> {
    let mut all: Vec<Options> = Vec::new();
    let own = if y * z == 1 { x.to_string() } else { format!("{x} × {y}") };
    let others = BLOCKS.into_iter().filter(|&threads| threads != x * y * z);
    let with_block = |n: u32| (n.to_string(), Case { block: Some(n), ..usual.clone() });
    all.push(("block", own, others.map(with_block).collect()));
    let of_case = |column: &str| usual.task.get(column).map(Value::to_string);
    for AnyParameter { column, option, lab, open } in chapter.parameters() {
        let open = (!open.is_empty()).then(|| open.to_owned());
        let Some(usual_value) = of_case(column).or(open) else { continue };
        let mut cases: Vec<(String, AnyCase)> = Vec::new();
        for &value in lab.iter().filter(|&&value| value != usual_value) {
            let mut given = |asked: &str| match asked == column {
                true => Some(value.to_owned()),
                false => of_case(asked),
            };
            let task = chapter.read(&mut given)?;
            cases.push((value.to_owned(), Case { task, ..usual.clone() }));
        }
        if !lab.is_empty() {
            all.push((option, usual_value, cases));
        }
    }
    Ok(all)
}

/// Whether two runs have the same memory at first, read the same at the end, and count the same between. The addresses
/// of allocations differ from run to run.
fn does_the_same(run: &Run, other: &Run) -> bool {
    let memory = run.allocations.iter().map(|allocation| &allocation.content);
    run.counters == other.counters
        && memory.eq(other.allocations.iter().map(|allocation| &allocation.content))
        && results(run).eq(results(other))
}

/// What the host reads, in order.
fn results(run: &Run) -> impl Iterator<Item = &Option<Expected>> {
    run.operations.iter().filter_map(|operation| match operation {
        Operation::Read { content, .. } => Some(content),
        _ => None,
    })
}

fn write(file: &Path, text: &str) -> Result<()> {
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(file, text).with_context(|| format!("cannot write {}", file.display()))
}

/// Chapter and kernel of `chapters-code/CHAPTER/kernels/KERNEL.cu`, which may lie in a folder `broken`.
fn kernel_of(file: &str) -> Option<(&str, &str)> {
    let (chapter, kernel) = file.strip_prefix("chapters-code/")?.split_once("/kernels/")?;
    let kernel = kernel.strip_prefix("broken/").unwrap_or(kernel).strip_suffix(".cu")?;
    Some((chapter, kernel))
}

/// The sizes at which a rung may be recorded, from small to large.
fn shapes(chapter: &dyn AnyChapter, rung: &AnyRung) -> Vec<Shape> {
    let most = if rung.is_broken() { LARGEST_BROKEN } else { chapter.largest_in_lab() };
    let vectors = VECTORS.into_iter().filter(|&n| n <= most).map(|n| Shape::Vector { n });
    let matrices = MATRICES.map(|(rows, cols)| Shape::Matrix { rows, cols });
    vectors.chain(matrices).collect()
}

/// The shapes of [`TEACHING`] and [`TEACHING_MATRICES`].
fn teaching_shapes() -> impl Iterator<Item = Shape> {
    let vectors = TEACHING.into_iter().map(|n| Shape::Vector { n });
    vectors.chain(TEACHING_MATRICES.map(|(rows, cols)| Shape::Matrix { rows, cols }))
}

/// Whether a block of the run has neighbors on both sides, and the run can be stepped through.
fn has_neighbors(run: &Run) -> bool {
    run.chosen.is_none() && run.blocks() >= NEIGHBORS && run.can_step()
}

/// The cases, of any size, of which a rung is recorded on the first that it runs on: those of the chapter's recordings,
/// and sums of other types, all with inputs of digits. Sums of digits are the same in every order.
fn kinds(chapter: &dyn AnyChapter) -> Vec<AnyCase> {
    let samples = chapter.sample_cases(EVEN);
    let sums = Dtype::ALL.map(|dtype| Case::vector(0, dtype, Op::Sum));
    let all = samples.into_iter().chain(sums);
    all.map(|case| Case { input: Input::Digits, ..case }).collect()
}

fn size_of(case: &AnyCase) -> String {
    match case.shape {
        Shape::Vector { n } => thousands(n),
        Shape::Matrix { rows, cols } => format!("{} × {}", thousands(rows), thousands(cols)),
    }
}

fn add(data: &mut Data, chapter: &dyn AnyChapter, recorded: &Recorded, chosen: Option<Chosen>) {
    let Recorded { case, report, recording, right, .. } = recorded;
    let blocks = case.block.map_or(String::new(), |block| format!(" in blocks of {block}"));
    let label = Label {
        size: size_of(case),
        chosen,
        elements: case.elements(),
        title: chapter.title(case) + &blocks,
        dtype: case.dtype.accumulator().to_string(),
        op: case.op.name().into(),
        seed: case.seed,
    };
    let counters = report.counters().unwrap_or_default();
    data.add(label, recording, right, counters);
}

/// The sources that the launched kernels have lines of, the file of the first first.
fn sources(root: &Path, data: &Data) -> Result<Vec<File>, String> {
    let mut names: Vec<String> = Vec::new();
    for text in &data.modules {
        let module = ptx::parse(text).map_err(|error| error.to_string())?;
        let code = module.kernels.iter().flat_map(|kernel| &kernel.code);
        let files = code.filter_map(|instruction| instruction.source.file);
        let files: BTreeSet<_> = files.collect();
        let files = files.iter().filter_map(|&file| module.files.get(usize::from(file)));
        for name in files.filter(|name| name.starts_with("chapters-code/")) {
            if !names.contains(name) {
                names.push(name.clone());
            }
        }
    }
    let own = format!("/{}.cu", data.kernel);
    names.sort_by_key(|name| !name.ends_with(&own));
    let read = |name: String| {
        let text = fs::read_to_string(root.join(&name));
        let text = text.map_err(|error| format!("cannot read {name}: {error}"))?;
        Ok(File { name, text })
    };
    names.into_iter().map(read).collect()
}

/// Notes the names of parameters and shared arrays, by which reports name what a kernel accesses.
fn name_arrays(root: &Path, data: &mut Data) -> Result<(), String> {
    let mut all = Vec::new();
    for text in &data.modules {
        let module = ptx::parse(text).map_err(|error| error.to_string())?;
        let files = with_included(root, &module.files)?;
        data.parameters.push(parameters(&files, &module));
        all.extend(files);
    }
    data.arrays = source::shared_arrays(&all);
    Ok(())
}

/// The parameters of the kernels of a module, by their sources.
fn parameters(files: &[File], module: &Module) -> BTreeMap<String, Vec<Parameter>> {
    let kernels = module.kernels.iter();
    let known = kernels
        .filter_map(|kernel| Some((kernel.name.clone(), source::parameters(files, kernel)?)));
    known.collect()
}

/// The chapters' sources among files, and what they include.
fn with_included(root: &Path, names: &[String]) -> Result<Vec<File>, String> {
    let own = names.iter().filter(|name| name.starts_with("chapters-code/"));
    let mut open: Vec<PathBuf> = own.map(|name| root.join(name)).collect();
    let mut known = BTreeSet::new();
    let mut files = Vec::new();
    while let Some(path) = open.pop() {
        // What is not there is a header of CUDA.
        let Ok(path) = path.canonicalize() else { continue };
        if !known.insert(path.clone()) {
            continue;
        }
        let text = fs::read_to_string(&path);
        let text = text.map_err(|error| format!("cannot read {}: {error}", path.display()))?;
        let included = text.lines().filter_map(|line| line.trim().strip_prefix("#include \""));
        let included = included.filter_map(|rest| rest.split('"').next());
        open.extend(included.map(|name| path.with_file_name(name)));
        files.push(File { name: path.display().to_string(), text });
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reports and steps name arrays by the kernels' parameters.
    #[test]
    fn every_kernel_has_named_parameters() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
        let mut nameless = BTreeSet::new();
        for rung in chapters::ALL.iter().flat_map(|chapter| chapter.rungs()) {
            let module = ptx::parse(&rung.ptx).expect("PTX");
            let files = with_included(&root, &module.files).expect("sources");
            let known = parameters(&files, &module);
            let kernels = module.kernels.iter().filter(|kernel| !known.contains_key(&kernel.name));
            nameless.extend(kernels.map(|kernel| format!("{} {}", rung.name, kernel.name)));
        }
        assert_eq!(nameless, BTreeSet::new());
    }

    /// Kernels without three blocks that can be stepped through, and why.
    const ALONE: [(&str, &str, &str); 8] = [
        ("chapter_3_scan", "one_thread", "a launch has one thread"),
        ("chapter_3_scan", "ring_without_fence", "a launch has one block"),
        ("chapter_3_scan", "static_tile_index", "it fails with more blocks than a device holds"),
        ("chapter_4_compact", "one_thread", "a launch has one thread"),
        ("chapter_5_segmented_scan", "missing_barrier", "a launch has one block"),
        ("chapter_5_segmented_scan", "offsets_single_pass", "three blocks have 1,572,864 flags"),
        ("chapter_8_multi_gpu", "all_gather_ring", "copies alone, no kernel"),
        ("chapter_8_multi_gpu", "all_to_all_copies", "copies alone, no kernel"),
    ];

    /// Where blocks wait for each other, or for tiles, a reader can step through one with neighbors on both sides.
    #[test]
    #[ignore = "exhaustive: `cargo test -- --ignored exhaustive`"]
    fn exhaustive_neighbors_can_be_stepped_through() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
        let mut labs = Labs::new(&root, Simulated::default());
        let mut alone = BTreeSet::new();
        for chapter in [
            "chapter_3_scan",
            "chapter_4_compact",
            "chapter_5_segmented_scan",
            "chapter_8_multi_gpu",
        ] {
            for rung in chapters::find(chapter).expect("a chapter").rungs() {
                let data = labs.record(chapter, rung.name).expect("it is recorded");
                let Some(data) = data else { continue };
                match data.runs.iter().position(has_neighbors) {
                    Some(run) => step_through(data, run),
                    None => _ = alone.insert((chapter, rung.name)),
                }
            }
        }
        let expected: BTreeSet<_> =
            ALONE.iter().map(|(chapter, name, _)| (*chapter, *name)).collect();
        assert_eq!(alone, expected);
    }

    /// The trace of each launch is whole, and its middle block has steps.
    fn step_through(data: Data, run: usize) {
        let name = data.kernel.clone();
        let mut lab = lab::Lab::open(data).expect("PTX");
        let options = lab::replay::Options { run, trace: true, ..Default::default() };
        lab.run(&options).expect("it is executed");
        let mut total = 0;
        for launch in lab.traced() {
            assert_eq!(launch.trace.as_ref().map(|trace| trace.dropped), Some(0), "{name}");
            let blocks = lab::steps::blocks(launch);
            let middle = blocks[blocks.len() / 2];
            assert!(!lab::steps::steps(launch, middle).is_empty(), "{name}");
            total += blocks.len() as u64;
        }
        assert!(total >= NEIGHBORS, "{name}: {total}");
    }

    #[test]
    fn every_wrong_kernel_is_made_of_a_right_one() {
        for chapter in chapters::ALL {
            let rungs = chapter.rungs();
            for rung in rungs.iter().filter(|rung| rung.is_broken()) {
                let family = family(chapter.name(), rung.name);
                let right = family.first().and_then(|(name, _)| chapter.find(name));
                let is_right = right.is_some_and(|right| !right.is_broken());
                assert!(is_right, "{} of {}: {family:?}", rung.name, chapter.name());
                assert!(family.iter().any(|(name, _)| *name == rung.name), "{}", rung.name);
            }
        }
    }

    /// The lab offers each option of the chapters' programs, or a page says why it does not.
    #[test]
    fn every_option_is_offered_or_named() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
        let read = |path: &str| fs::read_to_string(root.join(path)).expect("a text");
        let page = read("book/simulator.md");
        let section = page.split("\n## ").find(|section| section.starts_with("The lab in a page"));
        let (offered, missing) = section
            .and_then(|section| section.split_once("The lab does not offer"))
            .expect("the page has what the lab offers, and then what it does not offer");
        let named = |text: &str| -> BTreeSet<String> {
            let options = text.split('`').filter_map(|code| code.strip_prefix("--"));
            options.map(str::to_owned).collect()
        };
        let offered = offered.replace("{{#lab_options}}", &super::options());
        let (offered, missing) = (named(&offered), named(missing));
        let parameters: Vec<_> = chapters::ALL.iter().flat_map(|c| c.parameters()).collect();

        let mut all: BTreeSet<_> = parameters.iter().map(|p| p.option.to_owned()).collect();
        let programs = chapters::ALL.iter();
        let files = programs.map(|program| format!("chapters-code/{}/src/main.rs", program.name()));
        for file in files.chain(["chapters-code/report/src/cli.rs".into()]) {
            all.extend(declared(&read(&file)));
        }
        assert!(all.len() > 30, "{all:?}");
        let both: Vec<_> = offered.intersection(&missing).collect();
        assert!(both.is_empty(), "{both:?}");
        assert_eq!(offered.union(&missing).cloned().collect::<BTreeSet<_>>(), all);
    }

    /// The options that a source declares by attributes `#[arg(long, …)]`.
    fn declared(source: &str) -> Vec<String> {
        let arguments = source.split("#[arg(").skip(1);
        let fields = arguments.filter_map(|argument| {
            let (attribute, field) = argument.split_once(")]\n")?;
            let name = field.trim_start().split(':').next()?.trim_start_matches("pub ");
            let name = name.trim_start_matches("pub(crate) ");
            attribute.split(',').any(|part| part.trim() == "long").then(|| name.replace('_', "-"))
        });
        fields.collect()
    }
}
