//! Launches a kernel: checks the configuration, distributes the blocks over the cores, and merges
//! what the observers saw.

use std::ops::Range;
use std::sync::atomic::Ordering;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use simt_report::{
    Fault, FaultDetail, FaultKind, LaunchReport, Missing, Race, RaceKind, StaleReads,
};

use crate::block::{self, Progress};
use crate::cluster::Cluster;
use crate::config::{Launch, Options};
use crate::describe::{describe, missable, stale_reads};
use crate::device_profile::DEVICE;
use crate::facts::Group;
use crate::footprint::{Blocks, Footprint};
use crate::grid::Grid;
use crate::group::Job;
use crate::memory::{Memory, Snapshot};
use crate::module::LoadedKernel;
use crate::observe::{Checking, Counting, NoObserver, Observed, Observer, Totals};
use crate::trace::{self, Tracing};
use crate::workers;

/// The largest number of different findings that a launch reports.
const MAX_FINDINGS: usize = 16;
/// The largest number of blocks that a worker claims at a time. Neighbouring blocks access
/// neighbouring memory. If they were claimed one by one, their cache lines would move between
/// cores, which makes two cores 5 to 10 % slower (example `throughput`, in pairs of runs).
const CLAIM: u64 = 16;
/// A worker claims remaining / (CLAIMS × workers) blocks at a time. The last claims are single
/// blocks, so that all workers end together.
const CLAIMS: u64 = 4;
/// Polling interval for progress by other workers.
const WAIT: Duration = Duration::from_micros(50);

/// Runs a kernel to its end, and reports what was counted and found up to the fault if there was one.
pub fn launch(memory: &Memory, launch: &Launch<'_>, options: &Options) -> LaunchReport {
    launch_in(memory.snapshot(), launch, options)
}

/// Runs a kernel as [`launch()`] does, in the memory of one of several devices.
pub fn launch_in(memory: Snapshot, launch: &Launch<'_>, options: &Options) -> LaunchReport {
    launch_alone(memory, launch, options, &Group::default())
}

/// Runs a launch by itself. Returns also what it has accessed, if races are checked.
pub fn launch_job(job: &Job) -> (LaunchReport, Option<Footprint>) {
    let group = Group::default();
    let report = launch_alone(job.memory.clone(), &job.launch(), &job.options, &group);
    let footprint = group.history.get().and_then(|history| {
        let blocks = Blocks { kernel: job.kernel.clone(), grid: job.grid, first_block: 0 };
        Footprint::of_launches(history, vec![blocks]).pop()
    });
    (report, footprint)
}

fn launch_alone(
    memory: Snapshot,
    launch: &Launch<'_>,
    options: &Options,
    group: &Group,
) -> LaunchReport {
    let report = unfinished(launch, &memory);
    if let Err(fault) = check(launch) {
        return LaunchReport { fault: Some(fault), ..report };
    }
    let grid = Grid::new(launch, options, memory, group, None);
    if options.trace {
        run::<Tracing<'_>>(&grid, report)
    } else if options.races {
        run::<Checking<'_>>(&grid, report)
    } else if options.counters || cfg!(target_arch = "wasm32") {
        run::<Counting>(&grid, report)
    } else {
        run::<NoObserver>(&grid, report)
    }
}

/// Returns the report of a launch in which nothing has happened yet.
pub(crate) fn unfinished(launch: &Launch<'_>, memory: &Snapshot) -> LaunchReport {
    let kernel = launch.kernel.ir();
    LaunchReport {
        kernel: kernel.name.clone(),
        device: memory.devices.as_ref().map(|devices| devices.own),
        grid: launch.grid,
        block: launch.block,
        dynamic_shared: launch.dynamic_shared,
        static_shared: kernel.static_shared_bytes,
        ..LaunchReport::default()
    }
}

/// Refuses a launch that the device cannot run.
///
/// # Errors
/// The fault that the launch would end with.
pub fn check(launch: &Launch<'_>) -> Result<(), Fault> {
    let ir = launch.kernel.ir();
    let fail = |kind, cause: String| Err(refusal(launch.kernel, kind, &cause));
    if let Some(error) = &ir.unsupported {
        return fail(FaultKind::Unsupported, error.to_string());
    }
    check_shape(launch.kernel, launch.grid, launch.block, launch.cluster)?;
    let (shared, most) =
        (launch.kernel.shared_bytes(launch.dynamic_shared), DEVICE.shared_block_opt_in);
    if shared > most {
        let cause = format!("{shared} bytes of shared memory a block, of at most {most}");
        return fail(FaultKind::OutOfResources, cause);
    }
    let (local, most) = (ir.local_bytes, DEVICE.max_local);
    if local > most {
        let cause = format!("{local} bytes of local memory a thread, of at most {most}");
        let fault = refusal(launch.kernel, FaultKind::OutOfResources, &cause);
        return Err(Fault { detail: Some(FaultDetail::LocalMemory), ..fault });
    }
    let (given, wanted) = (launch.params.len(), ir.param_bytes as usize);
    if given < wanted {
        let cause = format!("{given} bytes of parameters, where it takes {wanted}");
        return fail(FaultKind::InvalidLaunch, cause);
    }
    Ok(())
}

/// Refuses a grid, blocks or clusters that the device or the kernel does not allow. [`check`] does this too.
///
/// # Errors
/// The fault that the launch would end with.
pub fn check_shape(
    kernel: &LoadedKernel,
    grid: [u32; 3],
    block: [u32; 3],
    cluster: Option<[u32; 3]>,
) -> Result<(), Fault> {
    let fail = |cause: String| Err(refusal(kernel, FaultKind::InvalidLaunch, &cause));
    let outside =
        |size: [u32; 3], most: [u32; 3]| (0..3).any(|d| !(1..=most[d]).contains(&size[d]));
    if outside(grid, DEVICE.max_grid) {
        let [x, y, z] = DEVICE.max_grid;
        let limits = format!("each extent must be at least 1, and at most {x}, {y} and {z}");
        return fail(format!("a grid of {grid:?} blocks: {limits}"));
    }
    let (threads, most, [.., deepest]) =
        (product(block), DEVICE.max_block_threads, DEVICE.max_block);
    if outside(block, DEVICE.max_block) || threads > most.into() {
        let limits = format!("a block has 1 to {most} threads, at most {deepest} of them in z");
        return fail(format!("a block of {block:?} threads: {limits}"));
    }
    if let Some(most) = kernel.ir().max_threads
        && threads > most.into()
    {
        let cause = format!("{threads} threads a block, but it was compiled for at most {most}");
        let fault = refusal(kernel, FaultKind::InvalidLaunch, &cause);
        return Err(Fault { detail: Some(FaultDetail::LaunchBounds), ..fault });
    }
    match clusters_refused(kernel, grid, cluster) {
        Some(cause) => Err(refusal(kernel, FaultKind::InvalidCluster, &cause)),
        None => Ok(()),
    }
}

fn refusal(kernel: &LoadedKernel, kind: FaultKind, cause: &str) -> Fault {
    let message = format!("launch of kernel `{}`: {cause}", kernel.ir().name);
    Fault { kind, space: None, detail: None, message }
}

fn product(extents: [u32; 3]) -> u128 {
    extents.map(u128::from).iter().product()
}

/// Returns why the launch cannot run in clusters as it or the kernel asks.
fn clusters_refused(
    kernel: &LoadedKernel,
    grid: [u32; 3],
    cluster: Option<[u32; 3]>,
) -> Option<String> {
    let declared = &kernel.ir().clusters;
    let Some(shape) = cluster.or(declared.required) else {
        return declared.explicit.then(|| "the kernel must be launched in clusters".into());
    };
    if let Some(required) = declared.required.filter(|required| *required != shape) {
        let cause = format!("but the kernel was compiled for clusters of {required:?}");
        return Some(format!("clusters of {shape:?} blocks, {cause}"));
    }
    let most = declared.most.map_or(DEVICE.max_cluster, |most| most.min(DEVICE.max_cluster));
    if !(1..=most.into()).contains(&product(shape)) {
        return Some(format!("clusters of {shape:?} blocks: 1 to {most} in all"));
    }
    let divides = (0..3).all(|d| grid[d].is_multiple_of(shape[d]));
    (!divides).then(|| format!("clusters of {shape:?} do not divide the grid of {grid:?} blocks"))
}

/// Returns the number of clusters that may be resident on the whole device.
pub(crate) fn resident_limit(grid: &Grid<'_>) -> usize {
    let size = grid.blocks_per_cluster() as usize;
    // The blocks of a cooperative launch are always resident together.
    if grid.options.resident_blocks > 0 && grid.options.grid_workspace == 0 {
        return (grid.options.resident_blocks / size).max(1);
    }
    let threads = grid.warps_per_block() * 32;
    let by_shared = DEVICE.shared / (grid.shared_bytes() + DEVICE.shared_reserved);
    let by_threads = DEVICE.resident_threads / threads;
    let a_multiprocessor = by_threads.min(DEVICE.resident_blocks).min(by_shared);
    ((a_multiprocessor.max(1) * DEVICE.multiprocessors) as usize / size).max(1)
}

/// The results of one worker.
#[derive(Default)]
pub(crate) struct Gathered {
    totals: Totals,
    races: Vec<Race>,
    notes: Vec<Race>,
}

fn run<'a, O: Observer<'a>>(grid: &'a Grid<'a>, report: LaunchReport) -> LaunchReport {
    if !O::CHECKS {
        grid.memory.give_up_tracking();
    }
    let resident = resident_limit(grid).div_ceil(grid.workers);
    let all = Mutex::new(Gathered::default());
    let fault = Mutex::new(None);
    let work = || {
        let at_work = WorkerGuard::enter(grid);
        let (gathered, end) = worker::<O>(grid, resident, at_work.number);
        if end.is_err() {
            // The flag is set before this worker leaves, so that others that wait for its blocks do
            // not report a deadlock.
            grid.stop.store(true, Ordering::Relaxed);
        }
        drop(at_work);
        merge(&mut all.lock().unwrap_or_else(PoisonError::into_inner), gathered);
        if let Err((block, cause)) = end {
            keep_first(&mut fault.lock().unwrap_or_else(PoisonError::into_inner), block, cause);
        }
    };
    workers::run_on(grid.workers, work);
    let gathered = all.into_inner().unwrap_or_else(PoisonError::into_inner);
    let fault = fault.into_inner().unwrap_or_else(PoisonError::into_inner);
    finish(grid, report, gathered, fault.map(|(_, fault)| fault))
}

/// Completes the report of a launch that has ended.
pub(crate) fn finish(
    grid: &Grid<'_>,
    report: LaunchReport,
    mut gathered: Gathered,
    fault: Option<Fault>,
) -> LaunchReport {
    let Options { counters, races, trace, .. } = *grid.options;
    let stale_reads = grid.weak.as_ref().map(|weak| {
        let (races, only_in_ptx) = missable(grid, weak);
        add_new(&mut gathered.races, races);
        StaleReads { only_in_ptx, ..stale_reads(grid, weak) }
    });
    name_common_cures(&mut gathered.races);
    let Totals { counters: counted, longest_warp, links, events, executed } = gathered.totals;
    LaunchReport {
        counters: (counters || races || trace).then_some(counted),
        longest_warp,
        links,
        races: gathered.races,
        notes: gathered.notes,
        trace: trace.then(|| trace::gather(events, executed, grid)),
        stale_reads,
        fault,
        ..report
    }
}

/// A worker that runs blocks, until it is dropped.
struct WorkerGuard<'g, 'a> {
    grid: &'g Grid<'a>,
    number: usize,
}

impl<'g, 'a> WorkerGuard<'g, 'a> {
    fn enter(grid: &'g Grid<'a>) -> Self {
        let number = grid.worker_progress.enter();
        Self { grid, number }
    }
}

impl Drop for WorkerGuard<'_, '_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            // No worker will run its blocks, so the others must not wait for them.
            self.grid.stop.store(true, Ordering::Relaxed);
        }
        self.grid.worker_progress.leave();
    }
}

fn merge(all: &mut Gathered, part: Gathered) {
    all.totals.add(part.totals);
    add_new(&mut all.races, part.races);
    add_new(&mut all.notes, part.notes);
}

/// Adds the races that differ from those that are there, up to [`MAX_FINDINGS`] in all.
fn add_new(races: &mut Vec<Race>, more: impl IntoIterator<Item = Race>) {
    for race in more {
        let same = |r: &Race| {
            (r.kind, &r.first.line, &r.second.line)
                == (race.kind, &race.first.line, &race.second.line)
        };
        let has_room = races.len() < MAX_FINDINGS;
        match races.iter_mut().find(|r| same(r)) {
            // What orders two warps also orders the lanes of one.
            Some(known) if needs_syncwarp(known) && race.missing == Missing::Syncthreads => {
                *known = race;
            }
            Some(_) => {}
            None if has_room => races.push(race),
            None => {}
        }
    }
}

/// Whether a barrier of the warp orders the two sides. Two stores are more likely one too many.
fn needs_syncwarp(race: &Race) -> bool {
    race.missing == Missing::Syncwarp && race.kind != RaceKind::WriteWrite
}

/// Where lanes of one warp race, and at one of the two lines also warps, names what mends both.
fn name_common_cures(races: &mut [Race]) {
    let of_warps = |race: &&Race| race.missing == Missing::Syncthreads;
    let lines = |race: &Race| (race.space, [race.first.line.clone(), race.second.line.clone()]);
    let all: Vec<_> = races.iter().filter(of_warps).map(lines).collect();
    for race in races.iter_mut().filter(|race| needs_syncwarp(race)) {
        let (space, [first, second]) = lines(race);
        if all.iter().any(|(s, [f, l])| *s == space && (*f == first || *l == second)) {
            let [narrow, wide] =
                [Missing::Syncwarp, Missing::Syncthreads].map(|m| format!("no {m}()"));
            race.message = race.message.replace(&narrow, &wide);
            race.missing = Missing::Syncthreads;
        }
    }
}

/// Of several faults, keeps the one of the lowest block. Lower blocks may not have run yet: a
/// launch of many blocks on several host threads reports one of the first faults, not always the
/// same.
fn keep_first(slot: &mut Option<(u64, Fault)>, block: u64, fault: Fault) {
    if slot.as_ref().is_none_or(|(first, _)| block < *first) {
        *slot = Some((block, fault));
    }
}

/// Runs clusters until none are left.
fn worker<'a, O: Observer<'a>>(
    grid: &'a Grid<'a>,
    resident: usize,
    number: usize,
) -> (Gathered, Result<(), (u64, Fault)>) {
    let mut worker: Worker<'a, O> = Worker::new(grid, resident, number);
    while !grid.stop.load(Ordering::Relaxed) {
        match worker.step() {
            Step::Ran => {}
            Step::Yielded => {
                grid.group.track_changes();
                if let Some(fault) = stalled(&worker) {
                    let index = worker.clusters[0].first_block();
                    return (worker.gather(), Err((index, fault)));
                }
                // A block may be waiting for a block of another host thread.
                std::thread::yield_now();
            }
            Step::Done => break,
            Step::Faulted(fault) => return (worker.gathered, Err((worker.faulted_block, fault))),
        }
    }
    (worker.gathered, Ok(()))
}

/// A host thread's share of a launch: clusters that it runs in turn. A cluster that does not finish in its
/// turn stays resident, and another is started beside it, because the first may be waiting for the second.
/// A block of a launch without clusters is a cluster of its own.
pub(crate) struct Worker<'a, O> {
    pub grid: &'a Grid<'a>,
    /// The clusters that may be resident at a time.
    resident: usize,
    number: usize,
    gathered: Gathered,
    clusters: Vec<Cluster<O>>,
    claim: Claim,
    /// The cluster whose turn it is.
    turn: usize,
    /// The block of a fault.
    faulted_block: u64,
}

/// What a worker did in one step.
pub(crate) enum Step {
    /// A cluster has finished, and others may be left.
    Ran,
    /// A cluster has used up its turn.
    Yielded,
    /// Nothing: no cluster is left.
    Done,
    Faulted(Fault),
}

impl<'a, O: Observer<'a>> Worker<'a, O> {
    pub fn new(grid: &'a Grid<'a>, resident: usize, number: usize) -> Self {
        Self {
            grid,
            resident,
            number,
            gathered: Gathered::default(),
            clusters: Vec::new(),
            claim: Claim::default(),
            turn: 0,
            faulted_block: 0,
        }
    }

    /// Returns the resident clusters.
    pub fn clusters(&self) -> impl Iterator<Item = &Cluster<O>> {
        self.clusters.iter()
    }

    /// Runs one cluster for a turn.
    #[inline(always)]
    pub fn step(&mut self) -> Step {
        let grid = self.grid;
        if (self.clusters.is_empty() || self.turn >= self.clusters.len())
            && self.clusters.len() < self.resident
            && let Some(index) = self.claim.next(grid, self.resident - self.clusters.len())
        {
            let mut cluster = Cluster::new(grid);
            cluster.start(grid, index);
            self.clusters.push(cluster);
        }
        if self.clusters.is_empty() {
            return Step::Done;
        }
        if self.turn >= self.clusters.len() {
            self.turn = 0;
        }
        let others = self.clusters.len() - 1;
        let cluster = &mut self.clusters[self.turn];
        match cluster.run(grid) {
            Ok(Progress::Unfinished | Progress::Waiting) => {
                self.turn += 1;
                Step::Yielded
            }
            Ok(Progress::Done) => {
                collect(grid, cluster, &mut self.gathered);
                if let Some(index) = self.claim.next(grid, self.resident - others) {
                    cluster.start(grid, index);
                    // Any order would be correct, but the counters of kernels that spin depend on
                    // it. The last cluster comes next.
                    if let others @ [_, ..] = &mut self.clusters[self.turn + 1..] {
                        others.rotate_right(1);
                    }
                } else {
                    self.clusters.swap_remove(self.turn);
                }
                Step::Ran
            }
            Err((index, fault)) => {
                collect(grid, cluster, &mut self.gathered);
                self.faulted_block = index;
                Step::Faulted(fault)
            }
        }
    }

    /// Returns the group's change count since which no thread of the worker's clusters can continue, or
    /// `None` if one may, or another cluster can become resident.
    pub fn stuck_since(&self) -> Option<u64> {
        let more = self.grid.next.load(Ordering::Relaxed) < self.grid.cluster_count();
        if !self.claim.0.is_empty() || more && self.clusters.len() < self.resident {
            return None;
        }
        let since = self.clusters.first()?.stuck_since()?;
        self.clusters.iter().all(|cluster| cluster.stuck_since() == Some(since)).then_some(since)
    }

    /// Collects what has been observed, and returns it.
    pub fn gather(&mut self) -> Gathered {
        for cluster in &mut self.clusters {
            collect(self.grid, cluster, &mut self.gathered);
        }
        std::mem::take(&mut self.gathered)
    }
}

/// Returns the fault of a launch in which no thread can ever continue. If only this worker's blocks
/// are stuck, waits until another worker has changed something.
fn stalled<'a, O: Observer<'a>>(worker: &Worker<'a, O>) -> Option<Fault> {
    let (grid, number) = (worker.grid, worker.number);
    if worker.turn != worker.clusters.len() {
        return None;
    }
    let since = worker.stuck_since()?;
    let changes = &grid.group.changes;
    while changes.load(Ordering::Acquire) == since && !grid.stop.load(Ordering::Relaxed) {
        if grid.worker_progress.is_complete(grid, number, since) {
            return Some(block::stall(grid, worker.clusters().flat_map(Cluster::running)));
        }
        std::thread::sleep(WAIT);
    }
    None
}

/// The turns of the clusters that a worker has claimed and not started.
#[derive(Default)]
struct Claim(Range<u64>);

impl Claim {
    /// Returns the number of the next cluster to start, for a worker that can hold `room` more.
    fn next(&mut self, grid: &Grid<'_>, room: usize) -> Option<u64> {
        self.next_turn(grid, room).map(|turn| grid.cluster_at(turn))
    }

    fn next_turn(&mut self, grid: &Grid<'_>, room: usize) -> Option<u64> {
        self.0.next().or_else(|| {
            let wanted = if grid.group.tracks_changes.load(Ordering::Relaxed) {
                // Another block may be waiting for any of them.
                1
            } else {
                let begun = grid.next.load(Ordering::Relaxed);
                let left = grid.cluster_count().saturating_sub(begun);
                let share = left / (CLAIMS * grid.workers as u64);
                // Claimed blocks must become resident, or the blocks that wait for them would wait
                // for ever.
                share.clamp(1, CLAIM).min(room as u64)
            };
            let first = grid.next.fetch_add(wanted, Ordering::Relaxed);
            self.0 = first..(first + wanted).min(grid.cluster_count());
            self.0.next()
        })
    }
}

fn collect<'a, O: Observer<'a>>(
    grid: &'a Grid<'a>,
    cluster: &mut Cluster<O>,
    gathered: &mut Gathered,
) {
    for block in &mut cluster.blocks {
        let Observed { totals, findings } = block.observer.finish();
        gathered.totals.add(totals);
        let races = findings.into_iter();
        let races = races.map(|finding| describe(&finding, grid, grid.first_block() + block.index));
        let (notes, races): (Vec<Race>, Vec<Race>) = races.partition(|race| race.kind.is_note());
        add_new(&mut gathered.races, races);
        add_new(&mut gathered.notes, notes);
    }
}
