//! Rungs on cases, one after another, on one device: what the chapters' programs and the recorder
//! have in common.

use std::path::PathBuf;

use anyhow::Context;

use crate::{
    Case, Chapter, Device, DeviceChoice, Error, Row,
    ladder::{Bench, Problem, Run, RungInfo, run_rung, time_peer},
    peers::{PeerRun, Peers},
    progress::Progress,
    row::PeerTime,
    timing::Time,
    verify::Checker,
};

/// A device and what is needed to run on it.
pub struct Runner {
    /// The device.
    pub device: Device,
    /// What measures; none on the simulator, which has no time.
    pub bench: Option<Bench>,
    /// Libraries to compare with, each operation with the first that has it.
    pub peers: Vec<Peers>,
}

/// A rung on the case that suits it.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// The rung.
    pub rung: RungInfo,
    /// What it is run on.
    pub case: Case,
}

impl Runner {
    /// Opens the device, measures its ceilings with so many samples, and opens the peer libraries.
    ///
    /// # Errors
    /// Where there is no such device or library, with the remedy.
    pub fn open(choice: DeviceChoice, samples: usize, peers: &[PathBuf]) -> Result<Self, Error> {
        let device = Device::open(choice)?;
        if device.is_simulated() && !peers.is_empty() {
            let reason = "peers are timed, and the simulator has no time";
            return Err(Error::Usage(format!(
                "{reason}\n  remedy: leave --peers out"
            )));
        }
        let peers = peers
            .iter()
            .map(|path| Peers::open(path))
            .collect::<Result<_, _>>()?;
        let bench = match device.is_simulated() {
            true => None,
            false => Some(Bench::new(&device, samples)?),
        };
        Ok(Self {
            device,
            bench,
            peers,
        })
    }

    /// Runs the steps in order; `done` gets each row as soon as it is there. Steps of the same case
    /// in a row share their input.
    ///
    /// # Errors
    /// What `done` returns; [`Error`] where a step could not be run; and a kernel after which the
    /// driver takes no more work. A kernel that is wrong is a row.
    pub fn run(
        &mut self,
        chapter: &dyn Chapter,
        steps: &[Step],
        progress: &Progress,
        done: &mut dyn FnMut(Row) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let mut problem: Option<(Case, Box<dyn Problem>, Option<OfPeer>)> = None;
        for (i, &Step { rung, case }) in steps.iter().enumerate() {
            progress.doing(&format!("{} {case}", rung.name));
            if problem.as_ref().is_none_or(|(of, ..)| *of != case) {
                // Its memory must be free before the next one is allocated.
                drop(problem.take());
                let mut fresh = chapter.problem(&self.device, &case)?;
                let peer = self.time_peer(&mut *fresh)?;
                problem = Some((case, fresh, peer));
            }
            let Some((_, problem, peer)) = &mut problem else {
                continue;
            };
            let run = Run {
                chapter,
                device: &self.device,
                rung,
                case,
            };
            let mut row = run_rung(run, &mut **problem, self.bench.as_mut())
                .with_context(|| format!("{} on {case}", rung.name))?;
            let own = self.time_own_peer(&mut **problem, rung.name)?;
            row.peer = own.or(*peer).and_then(|peer| self.beside(&row, peer));
            let stopped = row.found.iter().any(|failure| failure.by == Checker::Fault);
            done(row)?;
            progress.step();
            let more = i + 1 < steps.len();
            if stopped && more && self.device.stream.synchronize().is_err() {
                anyhow::bail!(
                    "{} was stopped, and the driver takes no more work from this process\n  remedy: \
                     run what is left with --kernel",
                    rung.name
                );
            }
        }
        Ok(())
    }

    fn time_peer(&mut self, problem: &mut dyn Problem) -> Result<Option<OfPeer>, Error> {
        self.time_first(problem, &|problem, peers| problem.peer(peers))
    }

    fn time_own_peer(
        &mut self,
        problem: &mut dyn Problem,
        rung: &str,
    ) -> Result<Option<OfPeer>, Error> {
        self.time_first(problem, &|problem, peers| problem.own_peer(rung, peers))
    }

    /// The time of the first library that has an operation.
    fn time_first(
        &mut self,
        problem: &mut dyn Problem,
        prepare: &Prepare<'_>,
    ) -> Result<Option<OfPeer>, Error> {
        let Some(bench) = &mut self.bench else {
            return Ok(None);
        };
        for (library, peers) in self.peers.iter().enumerate() {
            let run = prepare(problem, peers)?;
            if let Some(time) = time_peer(run, bench)? {
                return Ok(Some(OfPeer { library, time }));
            }
        }
        Ok(None)
    }

    /// A peer's time beside a row's.
    fn beside(&self, row: &Row, of: OfPeer) -> Option<PeerTime> {
        let (peers, own) = (self.peers.get(of.library)?, row.time_ms?);
        Some(PeerTime {
            name: peers.name.clone(),
            version: peers.version.clone(),
            time_ms: of.time,
            ratio: of.time.median / own.median,
        })
    }
}

/// What makes a library's run of a problem; none where it lacks it.
type Prepare<'f> =
    dyn for<'a> Fn(&'a mut dyn Problem, &'a Peers) -> Result<Option<PeerRun<'a>>, Error> + 'f;

/// A time, and which of the libraries took it.
#[derive(Clone, Copy)]
struct OfPeer {
    library: usize,
    time: Time,
}
