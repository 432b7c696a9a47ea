//! Rungs on cases, one after another, on one device: what the chapters' programs and the recorder
//! have in common.

use std::path::Path;

use anyhow::Context;

use crate::{
    Case, Chapter, Device, DeviceChoice, Error, Row,
    ladder::{Bench, Problem, Run, RungInfo, run_rung, time_peer},
    peers::Peers,
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
    /// A library to compare with.
    pub peers: Option<Peers>,
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
    /// Opens the device, measures its ceilings with so many samples, and opens the peer library.
    ///
    /// # Errors
    /// Where there is no such device or library, with the remedy.
    pub fn open(choice: DeviceChoice, samples: usize, peers: Option<&Path>) -> Result<Self, Error> {
        let device = Device::open(choice)?;
        if device.is_simulated() && peers.is_some() {
            let reason = "peers are timed, and the simulator has no time";
            return Err(Error::Usage(format!(
                "{reason}\n  remedy: leave --peers out"
            )));
        }
        let peers = peers.map(Peers::open).transpose()?;
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
        let mut problem: Option<(Case, Box<dyn Problem>, Option<Time>)> = None;
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
            row.peer = self.beside(&row, own.or(*peer));
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

    fn time_peer(&mut self, problem: &mut dyn Problem) -> Result<Option<Time>, Error> {
        match (&self.peers, &mut self.bench) {
            (Some(peers), Some(bench)) => time_peer(problem.peer(peers)?, bench),
            _ => Ok(None),
        }
    }

    fn time_own_peer(
        &mut self,
        problem: &mut dyn Problem,
        rung: &str,
    ) -> Result<Option<Time>, Error> {
        match (&self.peers, &mut self.bench) {
            (Some(peers), Some(bench)) => time_peer(problem.own_peer(rung, peers)?, bench),
            _ => Ok(None),
        }
    }

    /// A peer's time beside a row's.
    fn beside(&self, row: &Row, peer: Option<Time>) -> Option<PeerTime> {
        let (time, peers, own) = (peer?, self.peers.as_ref()?, row.time_ms?);
        Some(PeerTime {
            name: peers.name.clone(),
            version: peers.version.clone(),
            time_ms: time,
            ratio: time.median / own.median,
        })
    }
}
