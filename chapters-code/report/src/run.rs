//! A chapter's program: from the command line to the table and the exit status.

use std::{collections::BTreeSet, process::ExitCode};

use crate::{
    AnyChapter, CommandLine, Options, Row,
    json::Target,
    plan::{self, Group, check_memory},
    plot,
    progress::Progress,
    runner::Runner,
    table, terminal,
};
use harness::{Error, Shape, timing::Bench};

/// The exit status of a run, whose error is printed in full: 0 if every rung was right (or, if broken on
/// purpose, was caught), 1 otherwise, 2 for a bad command line. A reader of standard output that has gone, as in
/// `chapter_1 | head -1`, ends the program without a message.
pub fn exit(outcome: anyhow::Result<bool>) -> ExitCode {
    let error = match outcome {
        Ok(true) => return ExitCode::SUCCESS,
        Ok(false) => return ExitCode::FAILURE,
        Err(error) => error,
    };
    let known = error.downcast_ref::<Error>();
    if known.is_some_and(Error::is_closed_pipe) {
        return ExitCode::FAILURE;
    }
    eprintln!("error: {error:#}");
    match known {
        Some(Error::Usage(_)) => ExitCode::from(2),
        _ => ExitCode::FAILURE,
    }
}

/// Runs a chapter's rungs as the command line says, for each task that the chapter's own options ask for.
/// Each rung runs in [`harness::AnyProblem::run_rung`]. True if every rung was as it should be.
///
/// # Errors
/// For a command line that asks for what there is not, a device that is not to be had, a file that
/// cannot be written, and a kernel after which the driver takes no more work.
pub fn run_chapter(
    chapter: &dyn AnyChapter,
    CommandLine { options, types, asked }: &CommandLine,
) -> anyhow::Result<bool> {
    let tasks = chapter.tasks(asked)?;
    let rungs = plan::select(chapter, options)?;
    if options.list {
        terminal::print(&list(chapter))?;
        return Ok(true);
    }
    let json = options.json.as_deref().map(Target::open).transpose()?;
    options.plot.as_deref().map(plot::check).transpose()?;
    let mut runner = Runner::open(options.device, options.samples as usize, &options.baseline)?;
    if options.weak.is_some() {
        let Some(simulator) = runner.device.simulator() else {
            let reason = "--weak asks for the simulator's weak memory, and this device is a GPU";
            return Err(Error::usage(reason, "add --device sim").into());
        };
        // The reports are then the same in every run.
        simulator.configure(|options| options.threads = 1).map_err(Error::from)?;
        runner.weak_seeds = options.weak;
    }
    let shapes = match options.elements.is_empty() {
        true => chapter.default_shapes(&runner.device),
        false => options.elements.clone(),
    };
    let is_small = options.weak.is_some() && options.elements.is_empty();
    let shapes = if is_small { shapes.into_iter().map(small).collect() } else { shapes };
    let cases = plan::cases(&shapes, types, &tasks, options.seed);
    let groups = plan::plan(chapter, options, &rungs, &cases, &runner.device)?;
    for step in groups.iter().flat_map(|group| &group.steps) {
        chapter.check(&step.case)?;
        check_memory(chapter, &runner.device, &step.case)?;
    }
    // Only now: a command that is refused leaves the file as it was.
    let mut json = json.map(Target::begin).transpose()?;
    let mut printer = Printer::new(chapter, options);
    printer.announce(&runner)?;
    for group in &groups {
        let (progress, mut rows) = (Progress::new(group.steps.len()), Vec::new());
        let outcome = runner.run_steps(chapter, &group.steps, &progress, &mut |row| {
            if let Some(json) = &mut json {
                json.write(&row)?;
            }
            rows.push(row);
            Ok(())
        });
        drop(progress);
        printer.show(group, rows)?;
        outcome?;
    }
    printer.finish()
}

/// A size at which a run with weak memory takes less than a second.
fn small(shape: Shape) -> Shape {
    match shape {
        Shape::Vector { n } => Shape::Vector { n: n.min(1 << 12) },
        Shape::Matrix { rows, cols } => Shape::Matrix { rows: rows.min(64), cols: cols.min(64) },
    }
}

fn list(chapter: &dyn AnyChapter) -> String {
    let rungs = chapter.rungs();
    let width = rungs.iter().map(|rung| rung.name.len()).max().unwrap_or(0);
    let mut text = format!("{}\n\n", chapter.summary());
    for rung in rungs {
        let broken = if rung.is_broken() { "broken on purpose: " } else { "" };
        text += &format!("{:width$}  {broken}{}\n", rung.name, rung.idea);
    }
    text
}

/// What a run prints for people.
struct Printer<'a> {
    chapter: &'a dyn AnyChapter,
    options: &'a Options,
    rows: Vec<Row>,
    /// The columns that the tables have shown.
    columns: BTreeSet<&'static str>,
}

impl<'a> Printer<'a> {
    fn new(chapter: &'a dyn AnyChapter, options: &'a Options) -> Self {
        Self { chapter, options, rows: Vec::new(), columns: BTreeSet::new() }
    }

    /// Prints for people, unless standard output is a program's.
    fn print(&self, text: &str) -> Result<(), Error> {
        match self.options.prints() {
            true => terminal::print(text),
            false => Ok(()),
        }
    }

    fn announce(&self, runner: &Runner) -> Result<(), Error> {
        let device = &runner.device.properties.name;
        let timing = match &runner.bench {
            Some(Bench { ceilings: all, .. }) => format!(
                "ceilings of this run: copy {:.0} GB/s, read {:.0} GB/s, an empty launch {:.1} µs, \
                 a lone load {:.0} ns; theoretical peak {:.0} GB/s",
                all.copy_gb_per_s,
                all.read_gb_per_s,
                all.launch_us,
                all.latency_ns.unwrap_or(f64::NAN),
                all.peak_gb_per_s
            ),
            None => "the kernels run on the simulator, which counts but has no time".into(),
        };
        let timing = terminal::wrap(&timing, terminal::width(), 2);
        self.print(&format!("{}\n{device}\n{timing}", self.chapter.summary()))
    }

    /// Prints the table of a group.
    fn show(&mut self, group: &Group, rows: Vec<Row>) -> Result<(), Error> {
        let table = table::render(&rows, terminal::width());
        // Broken kernels have a heading of their own, and each its own case.
        let mut text = match rows.iter().all(|row| row.broken) && !rows.is_empty() {
            true => table.text,
            false => format!("\n{}\n{}", self.chapter.title(&group.case), table.text),
        };
        for note in &group.notes {
            text += &terminal::wrap(note, terminal::width(), 4);
        }
        self.print(&text)?;
        self.columns.extend(table.columns);
        self.rows.extend(rows);
        Ok(())
    }

    fn finish(self) -> anyhow::Result<bool> {
        if let Some(path) = &self.options.plot {
            plot::draw(path, self.chapter.summary(), &self.rows)?;
        }
        let legend = table::legend(&self.columns, terminal::width());
        self.print(&format!("\n{legend}"))?;
        let wrong: Vec<_> = self.rows.iter().filter(|row| !row.is_as_declared()).collect();
        for row in &wrong {
            let what = if row.broken { "was not caught" } else { "is wrong" };
            eprintln!(
                "error: {} {what} at {} {} {}",
                row.subject.kernel, row.case.shape, row.case.op, row.case.dtype
            );
        }
        Ok(wrong.is_empty())
    }
}
