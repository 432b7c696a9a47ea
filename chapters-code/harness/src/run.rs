//! A chapter's program: from the command line to the table and the exit status.

use std::process::ExitCode;

use anyhow::Context;

use crate::{
    Case, Chapter, Device, Error, Options, Row, TypeOptions,
    json::JsonLines,
    ladder::{Bench, Problem, Run, RungInfo, run_peer, run_rung},
    peers::Peers,
    plot,
    progress::Progress,
    row::PeerTime,
    table,
    timing::Time,
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
    let rungs = select(chapter, options)?;
    if options.list {
        print!("{}", list(chapter));
        return Ok(true);
    }
    let mut session = Session::open(chapter, options)?;
    let cases = cases(chapter, options, types, &session.device);
    let plan = plan(chapter, options, &rungs, &cases)?;
    for step in plan.iter().flat_map(|group| &group.steps) {
        check_memory(chapter, &session.device, &step.case)?;
    }
    session.announce(chapter);
    for group in &plan {
        session.run_group(group)?;
    }
    session.finish()
}

/// The rungs that the options ask for, in the ladder's order.
fn select(chapter: &dyn Chapter, options: &Options) -> Result<Vec<RungInfo>, Error> {
    let known = chapter.rungs();
    for name in &options.kernel {
        if !known.iter().any(|rung| rung.name == name) {
            let names: Vec<_> = known.iter().map(|rung| rung.name).collect();
            return Err(Error::Usage(format!(
                "there is no kernel `{name}` in {}\n  remedy: use one of {}",
                chapter.name(),
                names.join(", ")
            )));
        }
    }
    let wanted = |rung: &RungInfo| match options.kernel.is_empty() {
        true => options.broken || !rung.is_broken(),
        false => {
            options.kernel.iter().any(|name| name == rung.name)
                || (options.broken && rung.is_broken())
        }
    };
    Ok(known.into_iter().filter(wanted).collect())
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

fn cases(
    chapter: &dyn Chapter,
    options: &Options,
    types: &TypeOptions,
    device: &Device,
) -> Vec<Case> {
    let default = chapter.default_shapes(device);
    let shapes = if options.elements.is_empty() {
        &default
    } else {
        &options.elements
    };
    let mut cases = Vec::new();
    for &shape in shapes {
        for &dtype in &types.dtype {
            for &op in &types.op {
                for &input in &types.input {
                    cases.push(Case {
                        shape,
                        dtype,
                        op,
                        input,
                        seed: options.seed,
                    });
                }
            }
        }
    }
    cases
}

/// A case and what runs on it: one table.
struct Group {
    case: Case,
    steps: Vec<Step>,
    notes: Vec<String>,
}

/// A rung on the case that suits it.
struct Step {
    rung: RungInfo,
    case: Case,
}

/// Which rung runs on which case; refused where a case has no rung at all, or a rung that was asked
/// for by name no case.
fn plan(
    chapter: &dyn Chapter,
    options: &Options,
    rungs: &[RungInfo],
    cases: &[Case],
) -> Result<Vec<Group>, Error> {
    let mut groups = Vec::new();
    for &case in cases {
        let mut group = Group {
            case,
            steps: Vec::new(),
            notes: Vec::new(),
        };
        let mut refusals = Vec::new();
        for &rung in rungs {
            let case = chapter.case_for(rung.name, &case);
            let too_slow = options.kernel.is_empty() && case.elements() > rung.most_elements;
            match chapter.refusal(rung.name, &case) {
                Some(reason) => refusals.push(reason),
                None if too_slow => group.notes.push(format!(
                    "{} is left out above {} elements, where it takes long; `--kernel {}` runs it",
                    rung.name, rung.most_elements, rung.name
                )),
                None => group.steps.push(Step { rung, case }),
            }
        }
        if group.steps.is_empty() && group.notes.is_empty() {
            refusals.dedup();
            let reasons = refusals.join("\n  ");
            return Err(Error::Usage(format!(
                "no rung runs on {case}:\n  {reasons}"
            )));
        }
        if !options.kernel.is_empty() {
            group.notes.extend(refusals);
        }
        groups.push(group);
    }
    Ok(groups)
}

/// Refuses a case that does not fit, before anything runs, and says what would.
pub fn check_memory(chapter: &dyn Chapter, device: &Device, case: &Case) -> Result<(), Error> {
    let (needed, free) = (chapter.device_bytes(case), device.free_bytes()?);
    if needed <= free {
        return Ok(());
    }
    let per_element = needed as f64 / case.elements().max(1) as f64;
    let fits = (free as f64 / per_element) as u64;
    Err(Error::Memory {
        case: case.to_string(),
        needed,
        free,
        fits,
    })
}

/// Everything that lives from the first case to the last.
struct Session<'a> {
    chapter: &'a dyn Chapter,
    options: &'a Options,
    device: Device,
    bench: Option<Bench>,
    peers: Option<Peers>,
    json: Option<JsonLines>,
    rows: Vec<Row>,
}

impl<'a> Session<'a> {
    fn open(chapter: &'a dyn Chapter, options: &'a Options) -> Result<Self, Error> {
        let json = options.json.as_deref().map(JsonLines::open).transpose()?;
        options.plot.as_deref().map(plot::check).transpose()?;
        let device = Device::open(options.device)?;
        let peers = match &options.peers {
            Some(_) if device.is_simulated() => {
                let reason = "peers are timed, and the simulator has no time";
                return Err(Error::Usage(format!(
                    "{reason}\n  remedy: leave --peers out"
                )));
            }
            path => path.as_deref().map(Peers::open).transpose()?,
        };
        if let Some(simulator) = device.simulator() {
            simulator.set(c"seed", options.seed as i64);
        }
        let bench = match device.is_simulated() {
            true => None,
            false => Some(Bench::new(&device, options.samples as usize)?),
        };
        Ok(Self {
            chapter,
            options,
            device,
            bench,
            peers,
            json,
            rows: Vec::new(),
        })
    }

    /// Whether people read standard output, or a program does.
    fn prints(&self) -> bool {
        self.options.json.as_deref() != Some(std::path::Path::new("-"))
    }

    fn announce(&self, chapter: &dyn Chapter) {
        if !self.prints() {
            return;
        }
        let device = &self.device.properties;
        println!("{}\n{}", chapter.summary(), device.name);
        if let Some(Bench { ceilings, .. }) = &self.bench {
            println!(
                "ceilings of this run: copy {:.0} GB/s, read {:.0} GB/s; theoretical peak {:.0} GB/s",
                ceilings.copy_gb_per_s, ceilings.read_gb_per_s, ceilings.peak_gb_per_s
            );
        } else if self.device.is_simulated() {
            println!(
                "no NVIDIA GPU is used: the kernels run on the simulator, which counts but has no time"
            );
        }
    }

    fn run_group(&mut self, group: &Group) -> anyhow::Result<()> {
        let progress = Progress::new(group.steps.len());
        let mut rows: Vec<Row> = Vec::new();
        let mut problem: Option<(Case, Box<dyn Problem>, Option<Time>)> = None;
        for Step { rung, case } in &group.steps {
            progress.doing(rung.name);
            if problem.as_ref().is_none_or(|(of, ..)| of != case) {
                // Its memory must be free before the next one is allocated.
                drop(problem.take());
                let mut fresh = self.chapter.problem(&self.device, case)?;
                let peer = self.time_peer(&mut *fresh)?;
                problem = Some((*case, fresh, peer));
            }
            let Some((_, problem, peer)) = &mut problem else {
                continue;
            };
            rows.push(self.run_step(*rung, *case, &mut **problem, *peer)?);
            progress.step();
        }
        drop(progress);
        if self.prints() {
            println!(
                "\n{}\n{}",
                group.case,
                table::render(&group.case, &rows, terminal_width())
            );
            group.notes.iter().for_each(|note| println!("{note}"));
        }
        self.rows.append(&mut rows);
        Ok(())
    }

    fn run_step(
        &mut self,
        rung: RungInfo,
        case: Case,
        problem: &mut dyn Problem,
        peer: Option<Time>,
    ) -> anyhow::Result<Row> {
        let run = Run {
            chapter: self.chapter,
            device: &self.device,
            rung,
            case,
        };
        let mut row = run_rung(run, problem, self.bench.as_mut())
            .with_context(|| format!("{} on {case}", rung.name))?;
        row.peer = peer_time(&row, peer, self.peers.as_ref());
        if let Some(json) = &mut self.json {
            json.write(&row).context("writing JSON")?;
        }
        Ok(row)
    }

    fn time_peer(&mut self, problem: &mut dyn Problem) -> Result<Option<Time>, Error> {
        match (&self.peers, &mut self.bench) {
            (Some(peers), Some(bench)) => run_peer(problem, peers, bench),
            _ => Ok(None),
        }
    }

    fn finish(self) -> anyhow::Result<bool> {
        if let Some(path) = &self.options.plot {
            plot::draw(
                path,
                &self.rows,
                self.bench.as_ref().map(|bench| &bench.ceilings),
            )?;
        }
        if self.prints() && self.device.is_simulated() {
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

/// A peer's time beside a row's.
pub fn peer_time(row: &Row, peer: Option<Time>, peers: Option<&Peers>) -> Option<PeerTime> {
    let (time, peers, own) = (peer?, peers?, row.time_ms?);
    Some(PeerTime {
        name: peers.name.clone(),
        version: peers.version.clone(),
        time_ms: time,
        ratio: time.median / own.median,
    })
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
