//! A chapter's program: from the command line to the table and the exit status.

use std::{path::Path, process::ExitCode};

use anyhow::Context;

use crate::{
    Chapter, Error, Options, Row, TypeOptions,
    json::JsonLines,
    ladder::Bench,
    plan::{self, Group, check_memory},
    plot,
    progress::Progress,
    runner::Runner,
    table,
};

/// Parses the command line, runs, prints an error in full, and gives the exit status: 0 where every
/// rung was right (or, if broken on purpose, was caught), 1 otherwise, 2 for a bad command line.
pub fn main<A: clap::Parser>(run: impl FnOnce(A) -> anyhow::Result<bool>) -> ExitCode {
    let arguments = A::parse();
    match run(arguments) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Runs a chapter's ladder as the options say. True where every rung was as it should be.
pub fn run(chapter: &dyn Chapter, options: &Options, types: &TypeOptions) -> anyhow::Result<bool> {
    let rungs = plan::select(chapter, options)?;
    if options.list {
        print!("{}", list(chapter));
        return Ok(true);
    }
    let mut session = Session::open(chapter, options)?;
    let device = &session.runner.device;
    let cases = plan::cases(chapter, options, types, device);
    let groups = plan::plan(chapter, options, &rungs, &cases)?;
    for step in groups.iter().flat_map(|group| &group.steps) {
        check_memory(chapter, device, &step.case)?;
    }
    session.announce();
    for group in &groups {
        session.run_group(group)?;
    }
    session.finish()
}

fn list(chapter: &dyn Chapter) -> String {
    let rungs = chapter.rungs();
    let width = rungs.iter().map(|rung| rung.name.len()).max().unwrap_or(0);
    let mut text = format!("{}\n\n", chapter.summary());
    for rung in rungs {
        let broken = if rung.is_broken() {
            "broken on purpose: "
        } else {
            ""
        };
        text += &format!("{:width$}  {broken}{}\n", rung.name, rung.idea);
    }
    text
}

/// Everything that lives from the first case to the last.
struct Session<'a> {
    chapter: &'a dyn Chapter,
    options: &'a Options,
    runner: Runner,
    json: Option<JsonLines>,
    rows: Vec<Row>,
}

impl<'a> Session<'a> {
    fn open(chapter: &'a dyn Chapter, options: &'a Options) -> Result<Self, Error> {
        let json = options.json.as_deref().map(JsonLines::open).transpose()?;
        options.plot.as_deref().map(plot::check).transpose()?;
        let samples = options.samples as usize;
        let runner = Runner::open(options.device, samples, options.peers.as_deref())?;
        Ok(Self {
            chapter,
            options,
            runner,
            json,
            rows: Vec::new(),
        })
    }

    /// Whether people read standard output, or a program does.
    fn prints(&self) -> bool {
        self.options.json.as_deref() != Some(Path::new("-"))
    }

    fn announce(&self) {
        if !self.prints() {
            return;
        }
        println!(
            "{}\n{}",
            self.chapter.summary(),
            self.runner.device.properties.name
        );
        match &self.runner.bench {
            Some(Bench { ceilings: all, .. }) => println!(
                "ceilings of this run: copy {:.0} GB/s, read {:.0} GB/s, an empty launch {:.1} µs; \
                 theoretical peak {:.0} GB/s",
                all.copy_gb_per_s, all.read_gb_per_s, all.launch_us, all.peak_gb_per_s
            ),
            None => println!("the kernels run on the simulator, which counts but has no time"),
        }
    }

    fn run_group(&mut self, group: &Group) -> anyhow::Result<()> {
        let progress = Progress::new(group.steps.len());
        let mut rows: Vec<Row> = Vec::new();
        let json = &mut self.json;
        let outcome = self
            .runner
            .run(self.chapter, &group.steps, &progress, &mut |row| {
                if let Some(json) = json {
                    json.write(&row).context("writing JSON")?;
                }
                rows.push(row);
                Ok(())
            });
        drop(progress);
        if self.prints() {
            let table = table::render(&group.case, &rows, terminal_width());
            println!("\n{}\n{table}", group.case);
            group.notes.iter().for_each(|note| println!("{note}"));
        }
        self.rows.append(&mut rows);
        outcome
    }

    fn finish(self) -> anyhow::Result<bool> {
        if let Some(path) = &self.options.plot {
            let ceilings = self.runner.bench.as_ref().map(|bench| &bench.ceilings);
            plot::draw(path, &self.rows, ceilings)?;
        }
        if self.prints() && self.runner.device.is_simulated() {
            print!("\n{}", table::simulator_legend());
        }
        let wrong: Vec<_> = self
            .rows
            .iter()
            .filter(|row| !row.is_as_declared())
            .collect();
        for row in &wrong {
            let what = if row.broken {
                "was not caught"
            } else {
                "is wrong"
            };
            eprintln!(
                "error: {} {what} at {} {} {}",
                row.kernel,
                row.shape(),
                row.op,
                row.dtype
            );
        }
        Ok(wrong.is_empty())
    }
}

fn terminal_width() -> usize {
    let columns = std::env::var("COLUMNS")
        .ok()
        .and_then(|columns| columns.parse().ok());
    let terminal = || {
        console::Term::stdout()
            .size_checked()
            .map(|(_, columns)| columns.into())
    };
    columns.or_else(terminal).unwrap_or(120usize).max(60)
}
