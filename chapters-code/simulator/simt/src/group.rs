//! Launches that run at the same time, on one device or on several.
//!
//! [`launch_together`] runs them on one host thread: each launch that has begun runs one of its clusters
//! for a turn, then the next launch does. So all blocks that fit on their devices are resident together, a
//! kernel may wait for one of another device. The order is the same each time for the same seed. When a
//! launch ends, the caller names those that can start then.
//!
//! - **Order.** A launch says which launches it follows. The accesses of those, and of what those follow,
//!   happen before its own. Nothing else orders two launches but flags and fences, see `races`.
//! - **Deadlocks.** If no thread of any launch can continue, see `stall`, each launch ends with a fault
//!   that names devices, kernels and lines.
//! - **Races** between launches that are missed, besides those that `races` misses in one: a bulk copy
//!   that starts while another launch may still access its source or destination; a flag that is written
//!   with the scope of the device, and whose value an atomic with the scope of the system passes on to
//!   another device.
//! - A launch by itself, in [`crate::launch()`], is a group of its own, which several host threads run.

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use simt_report::{Fault, FaultKind, LaunchReport};

use crate::cluster::Cluster;
use crate::config::{Launch, Options};
use crate::describe::list;
use crate::facts::Group;
use crate::footprint::Footprint;
use crate::grid::Grid;
use crate::launch::{Step, Worker, check, finish, resident_limit, unfinished};
use crate::memory::Snapshot;
use crate::module::LoadedKernel;
use crate::observe::{Checking, Counting, NoObserver, Observer};
use crate::schedule::Schedule;
use crate::trace::Tracing;

/// A launch of a group.
pub struct Job {
    /// The kernel.
    pub kernel: Arc<LoadedKernel>,
    /// Blocks in x, y and z.
    pub grid: [u32; 3],
    /// Threads per block in x, y and z.
    pub block: [u32; 3],
    /// Blocks of a cluster in x, y and z, if the launch asks for clusters.
    pub cluster: Option<[u32; 3]>,
    /// Bytes of dynamic shared memory per block.
    pub dynamic_shared: u32,
    /// The parameters, laid out as the kernel's [`ptx::ir::Param`]s say.
    pub params: Vec<u8>,
    /// How to launch it. Weak memory, and what is observed, are the same for the whole group.
    pub options: Options,
    /// The memory of its device, and of those that it may access.
    pub memory: Snapshot,
    /// The numbers of the launches that it follows.
    pub after: Vec<usize>,
}

impl Job {
    /// Returns what is launched.
    pub fn launch(&self) -> Launch<'_> {
        Launch {
            kernel: &self.kernel,
            grid: self.grid,
            block: self.block,
            cluster: self.cluster,
            dynamic_shared: self.dynamic_shared,
            params: &self.params,
        }
    }
}

/// What gives a group its launches. They are numbered from 0 in the order in which they come.
pub trait Feed {
    /// Returns the launches that can start now. `ended` has the numbers of those that have ended since the
    /// last call, and their reports.
    fn next(&mut self, ended: Vec<(usize, LaunchReport)>) -> Vec<Job>;

    /// Whether [`Self::next`] may return launches although none has ended.
    fn has_news(&self) -> bool;

    /// Waits for news when no launch can continue. Returns false if none will come.
    fn wait_for_news(&mut self) -> bool;
}

/// Runs the launches of a group until none is left. These options say what is observed.
pub fn launch_together(options: &Options, feed: &mut dyn Feed) -> Ended {
    let group = Group::default();
    let seed = options.schedule_seed();
    {
        let (jobs, grids) = (Arena::default(), Arena::default());
        if options.trace {
            run::<Tracing<'_>>(&jobs, &grids, &group, seed, feed);
        } else if options.races {
            run::<Checking<'_>>(&jobs, &grids, &group, seed, feed);
        } else if options.counters || cfg!(target_arch = "wasm32") {
            run::<Counting>(&jobs, &grids, &group, seed, feed);
        } else {
            run::<NoObserver>(&jobs, &grids, &group, seed, feed);
        }
    }
    Ended(group)
}

/// A group whose launches have ended.
pub struct Ended(Group);

impl Ended {
    /// Returns what each launch has accessed, by its number, and the numbers of those whose flags it has seen. Empty
    /// if races were not checked.
    pub fn footprints(&self) -> Vec<(Footprint, Vec<usize>)> {
        self.0.footprints()
    }
}

/// A launch that has begun and not ended.
struct Member<'a, O> {
    number: usize,
    worker: Worker<'a, O>,
    report: LaunchReport,
}

fn run<'a, O: Observer<'a>>(
    jobs: &'a Arena<Job>,
    grids: &'a Arena<Grid<'a>>,
    group: &'a Group,
    seed: u64,
    feed: &mut dyn Feed,
) {
    let mut members: Vec<Member<'a, O>> = Vec::new();
    let mut ended = Vec::new();
    let mut schedule = Schedule::new(seed);
    let mut is_new = true;
    let mut begun = 0;
    loop {
        while is_new || !ended.is_empty() || feed.has_news() {
            is_new = false;
            for job in feed.next(std::mem::take(&mut ended)) {
                let number = begun;
                begun += 1;
                match begin(jobs.push(job), grids, group) {
                    Ok((grid, report)) => {
                        if !O::CHECKS {
                            grid.memory.give_up_tracking();
                        }
                        let worker = Worker::new(grid, resident_limit(grid), 0);
                        members.push(Member { number, worker, report });
                    }
                    Err(report) => ended.push((number, *report)),
                }
            }
            // What was copied meanwhile may let threads continue.
            group.note_change();
        }
        if members.is_empty() {
            return;
        }
        let rests = round(group, &mut schedule, &mut members, &mut ended);
        if rests && is_stuck(group, &members) && !feed.wait_for_news() {
            let fault = deadlock(&members);
            for mut member in members.drain(..) {
                let report = member.end(Some(fault.clone()));
                ended.push((member.number, report));
            }
        }
    }
}

/// Runs each launch for some turns. Returns whether all turns of clusters were used up, and none ended.
fn round<'a, O: Observer<'a>>(
    group: &Group,
    schedule: &mut Schedule,
    members: &mut Vec<Member<'a, O>>,
    ended: &mut Vec<(usize, LaunchReport)>,
) -> bool {
    let mut rests = true;
    let mut at_end = Vec::new();
    for turn in 0..members.len() {
        let index = schedule.pick(turn, members.len());
        let member = &mut members[index];
        for _ in 0..schedule.turns() {
            let end = match member.worker.step() {
                Step::Ran => {
                    rests = false;
                    continue;
                }
                Step::Yielded => {
                    group.track_changes();
                    continue;
                }
                Step::Done => None,
                Step::Faulted(fault) => Some(fault),
            };
            ended.push((member.number, member.end(end)));
            at_end.push(member.number);
            break;
        }
    }
    members.retain(|member| !at_end.contains(&member.number));
    rests && at_end.is_empty()
}

impl<'a, O: Observer<'a>> Member<'a, O> {
    /// Returns the report of the launch, which has ended.
    fn end(&mut self, fault: Option<Fault>) -> LaunchReport {
        let gathered = self.worker.gather();
        finish(self.worker.grid, std::mem::take(&mut self.report), gathered, fault)
    }
}

/// Begins a launch, or returns the report of one that is refused.
fn begin<'a>(
    job: &'a Job,
    grids: &'a Arena<Grid<'a>>,
    group: &'a Group,
) -> Result<(&'a Grid<'a>, LaunchReport), Box<LaunchReport>> {
    let launch = job.launch();
    let device = job.memory.devices.as_ref().map_or(0, |devices| devices.own);
    let facts = group.add(&job.kernel, job.grid, device, &job.after);
    let report = unfinished(&launch, &job.memory);
    if let Err(fault) = check(&launch) {
        return Err(Box::new(LaunchReport { fault: Some(fault), ..report }));
    }
    let grid = Grid::new(&launch, &job.options, job.memory.clone(), group, Some(facts));
    Ok((grids.push(Grid { workers: 1, ..grid }), report))
}

/// Whether no thread of any launch can ever continue.
fn is_stuck<'a, O: Observer<'a>>(group: &Group, members: &[Member<'a, O>]) -> bool {
    let changes = group.changes.load(Ordering::Acquire);
    members.iter().all(|member| member.worker.stuck_since() == Some(changes))
}

/// Describes for each launch which threads wait for what.
fn deadlock<'a, O: Observer<'a>>(members: &[Member<'a, O>]) -> Fault {
    /// Lines per launch.
    const MOST: usize = 4;
    let mut devices = BTreeSet::new();
    let mut lines = Vec::new();
    let mut others = 0;
    for Member { worker, .. } in members {
        let grid = worker.grid;
        let kernel = &grid.kernel.ir().name;
        let blocks = worker.clusters().flat_map(Cluster::running);
        let waits: Vec<_> = blocks.flat_map(|block| block.named_waits(grid)).collect();
        lines.extend(waits.iter().take(MOST).map(|wait| format!("kernel `{kernel}`, {wait}")));
        if let Some(more) = waits.len().checked_sub(MOST).filter(|more| *more > 0) {
            lines.push(format!("kernel `{kernel}`, and {more} more"));
        }
        if let Some(known) = &grid.memory.devices {
            devices.insert(known.own);
            others = known.count();
        }
    }
    let idle = (0..others).filter(|device| !devices.contains(device)).collect();
    let idle = match list("device", "devices", &idle) {
        Some(idle) => format!("\n  nothing runs on {idle}"),
        None => String::new(),
    };
    let on = list("device", "devices", &devices).map(|on| format!(" on {on}")).unwrap_or_default();
    let cause = "no thread changes memory any more, and every thread waits for a change";
    let waits = lines.join("\n  ");
    Fault {
        kind: FaultKind::Deadlock,
        space: None,
        detail: None,
        message: format!("deadlock{on}, {cause}:\n  {waits}{idle}"),
    }
}

/// Values that stay where they are until all are dropped.
struct Arena<T> {
    slots: [OnceCell<T>; 64],
    more: OnceCell<Box<Arena<T>>>,
}

impl<T> Default for Arena<T> {
    fn default() -> Self {
        Self { slots: [const { OnceCell::new() }; 64], more: OnceCell::new() }
    }
}

impl<T> Arena<T> {
    fn push(&self, value: T) -> &T {
        let mut part = self;
        loop {
            if let Some(free) = part.slots.iter().find(|slot| slot.get().is_none()) {
                return free.get_or_init(|| value);
            }
            part = part.more.get_or_init(Box::default);
        }
    }
}
