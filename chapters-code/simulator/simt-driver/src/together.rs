//! Work that waits until the host does, and then runs on all devices at the same time.
//!
//! Once a context has access to the memory of another device, a kernel may wait for one that is queued
//! later. So nothing that a stream takes runs within the call that queues it, unless the call has to wait
//! because memory of the host is not page-locked. When the host waits, whether for a stream, an event or a
//! copy, or asks whether one is done, everything that is queued runs: the first kernels of all streams
//! as one group ([`simt::launch_together`]), and when one ends, what follows it in its stream.
//!
//! A kernel that can only continue when another thread of the host has launched something waits for that
//! thread, up to [`PATIENCE`].
//!
//! - A call that asks whether work is done (`cuStreamQuery`, `cuEventQuery`) waits for all work.
//! - A group runs on one thread of the host. While it runs, another thread of the host may
//!   wait for a launch of it and then queue one more. So a launch comes after those that had ended when it was queued.
//! - A group has [`MOST`] launches, at most, unless they wait for more. Races between launches of two groups, and those
//!   of copies and fills, are found by what whole operations access (`order.rs`).
//! - A device gives each of its launches that run at the same time as many resident blocks as if it were
//!   alone.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, TryLockError};
use std::time::{Duration, Instant};

use simt::{Feed, Footprint, Job, LaunchReport, Options};

use crate::context::Context;
use crate::error::CUresult;
use crate::launch::{GridWorkspace, Launch};
use crate::operation::Operation;
use crate::options;
use crate::order::{self, Done, Stamp};
use crate::pending::{self, Deferred, Work};

/// How long a group whose kernels all wait is kept for other threads of the host.
const PATIENCE: Duration = Duration::from_secs(2);

/// Launches of a group, at most, unless one of them waits for another. What a group has begun with takes
/// memory of the host until the group has ended.
const MOST: usize = 1024;

/// Held by the thread that runs what is queued.
static RUNNING: Mutex<()> = Mutex::new(());
/// Changes whenever there may be more to run.
static NEWS: AtomicU64 = AtomicU64::new(0);
/// Threads of the host that have called the driver and live, and those of them that wait for work.
static THREADS: AtomicUsize = AtomicUsize::new(0);
static WAITING: AtomicUsize = AtomicUsize::new(0);

/// Counts a thread as long as it lives.
struct Counted;

impl Counted {
    fn new() -> Self {
        THREADS.fetch_add(1, Ordering::SeqCst);
        Self
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        THREADS.fetch_sub(1, Ordering::SeqCst);
    }
}

thread_local! {
    static COUNTED: Counted = Counted::new();
}

/// Notes that the calling thread uses the driver.
pub fn count_thread() {
    // A thread that ends is not counted again.
    let _ = COUNTED.try_with(|_| ());
}

/// Notes that there may be more to run.
pub fn note_news() {
    NEWS.fetch_add(1, Ordering::SeqCst);
}

/// A thread that waits, until it is dropped.
pub struct Waiting(());

impl Waiting {
    /// Notes that the calling thread waits.
    pub fn begin() -> Self {
        WAITING.fetch_add(1, Ordering::SeqCst);
        Self(())
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        WAITING.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Runs what can run now of what is queued, and what follows it. Returns at once if another thread does.
pub fn run() {
    let Some(_running) = try_lock() else { return };
    let mut queue = Queue {
        group: NEWS.fetch_add(1, Ordering::SeqCst),
        options: options::current().with(|options| options.threads = 1),
        running: Vec::new(),
        ended: Vec::new(),
        seen: 0,
        needs_more: false,
        stamps: Vec::new(),
        done: Vec::new(),
    };
    let options = queue.options.clone();
    let ended = simt::launch_together(&options, &mut queue);
    queue.note(ended.footprints());
}

fn try_lock() -> Option<MutexGuard<'static, ()>> {
    match RUNNING.try_lock() {
        Ok(guard) => Some(guard),
        Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
        Err(TryLockError::WouldBlock) => None,
    }
}

/// What the streams have queued, for one group.
struct Queue {
    /// A number that no other group has.
    group: u64,
    options: Options,
    /// The launches of the group, until they have ended.
    running: Vec<Option<Running>>,
    /// The launches of the group that have ended, and when.
    ended: Vec<(usize, Instant)>,
    /// The news that have been seen.
    seen: u64,
    /// Whether a launch waits for one that has not begun.
    needs_more: bool,
    /// If races are looked for, where the launches of the group stand.
    stamps: Vec<Option<Stamp>>,
    /// The other operations that have run.
    done: Vec<Done>,
}

struct Running {
    work: Arc<Work>,
    context: Arc<Context>,
    /// Freed when the launch has ended.
    _workspace: Option<GridWorkspace<'static>>,
}

impl Feed for Queue {
    fn next(&mut self, ended: Vec<(usize, LaunchReport)>) -> Vec<Job> {
        let mut said = None;
        for (number, report) in ended {
            // Launches that end in one deadlock have one message.
            let message = report.fault.as_ref().map(|fault| fault.message.clone());
            if message != said {
                Launch::say_fault(&report);
                said = message;
            }
            self.ended.push((number, Instant::now()));
            if let Some(ended) = self.running.get_mut(number).and_then(Option::take) {
                let result = Launch::finish(&ended.context, report);
                pending::finish(&ended.work, &ended.context, result);
            }
        }
        let mut jobs = Vec::new();
        if self.is_full() {
            return jobs;
        }
        self.seen = NEWS.load(Ordering::SeqCst);
        while let Some((work, deferred)) = pending::take_ready() {
            jobs.extend(self.begin(work, deferred));
        }
        jobs
    }

    fn has_news(&self) -> bool {
        !self.is_full() && self.seen != NEWS.load(Ordering::SeqCst)
    }

    fn wait_for_news(&mut self) -> bool {
        self.needs_more = true;
        let begin = Instant::now();
        let others = || THREADS.load(Ordering::SeqCst) > WAITING.load(Ordering::SeqCst);
        while !self.has_news() {
            if begin.elapsed() > PATIENCE || !others() && !pending::calls_host() {
                return false;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        true
    }
}

impl Queue {
    /// Whether what has not begun is left to the next group.
    fn is_full(&self) -> bool {
        self.running.len() >= MOST && !self.needs_more
    }

    /// Runs an operation, unless it is a kernel, which it returns.
    fn begin(&mut self, work: Arc<Work>, deferred: Deferred) -> Option<Job> {
        let Deferred { context, operation, before, queued, stamp } = deferred;
        let mut after: Vec<usize> = before.iter().flat_map(|w| w.launches(self.group)).collect();
        let ended = self.ended.iter().filter(|(_, when)| *when <= queued);
        after.extend(ended.map(|(number, _)| number));
        after.sort_unstable();
        after.dedup();
        let group = Some((self.group, &after[..]));
        let result = match operation {
            _ if context.faulted() => Ok(()),
            Operation::Kernel(launch) => match launch.job(&context, self.options.clone(), group) {
                Ok((job, workspace)) => {
                    work.follow_launches(self.group, vec![self.running.len()]);
                    self.running.push(Some(Running { work, context, _workspace: workspace }));
                    self.stamps.push(stamp);
                    return Some(Job { after, ..job });
                }
                Err(failure) => Err(failure),
            },
            other => other.execute(&context, stamp.as_ref()).map(|footprint| {
                let done = stamp.zip(footprint);
                let done = done.map(|(stamp, footprint)| Done { stamp, footprint, group: None });
                self.done.extend(done);
            }),
        };
        work.follow_launches(self.group, after);
        pending::finish(&work, &context, result);
        None
    }

    /// Reports the races of the operations with those of other groups, and of copies and fills with all.
    fn note(&mut self, footprints: Vec<(Footprint, Vec<usize>)>) {
        let stamps = std::mem::take(&mut self.stamps);
        let stamp_of = |number: usize| stamps.get(number).cloned().flatten();
        let mut flags = Vec::new();
        let mut done = std::mem::take(&mut self.done);
        for (number, (footprint, seen)) in footprints.into_iter().enumerate() {
            let Some(stamp) = stamp_of(number) else { continue };
            let earlier = seen.into_iter().filter_map(stamp_of);
            flags.extend(earlier.map(|earlier| (earlier, stamp.clone())));
            done.push(Done { stamp, footprint, group: Some(self.group) });
        }
        order::note_group(done, flags);
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        // Only a defect of the simulator leaves any.
        for left in self.running.drain(..).flatten() {
            left.context.lose(CUresult::UNKNOWN);
            pending::end(&left.work);
        }
    }
}
