//! Work that is queued and not done.
//!
//! An operation runs within the call that queues it, unless it calls a function of the host: that one
//! may wait for the very thread that queued it. So it runs on a thread of its own, and what its stream
//! takes before it is done does so too, each operation after those that it must follow. Where kernels of
//! several devices may wait for each other, operations are deferred until the host waits ([`together`]).

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::capture::{Lane, lane};
use crate::context::{self, Context};
use crate::entry::say;
use crate::error::{CUresult, Failure, Result};
use crate::handles::Handle;
use crate::operation::Operation;
use crate::order::{self, Stamp};
use crate::state::{driver, lock};
use crate::stream;
use crate::together::{self, Waiting};

/// One operation that runs on a thread of its own.
#[derive(Debug, Default)]
pub struct Work {
    /// When it was done.
    done: Mutex<Option<Instant>>,
    changed: Condvar,
    /// If it was deferred, the launches that it is or follows, by their numbers in a group.
    launches: Mutex<Option<(u64, Vec<usize>)>>,
}

impl Work {
    /// When it was done; `None` if it is not yet.
    pub fn done(&self) -> Option<Instant> {
        *lock(&self.done)
    }

    /// Returns when it is done.
    pub fn wait(&self) {
        /// How often a thread looks whether it has to run what is deferred.
        const OFTEN: Duration = Duration::from_millis(1);
        let _waiting = Waiting::begin();
        while self.done().is_none() {
            let is_alone = !context::any_peers() && !has_deferred();
            if !is_alone {
                together::run();
            }
            let done = lock(&self.done);
            if is_alone {
                let waited = self.changed.wait_while(done, |done| done.is_none());
                drop(waited.unwrap_or_else(PoisonError::into_inner));
                return;
            }
            let waited = self.changed.wait_timeout_while(done, OFTEN, |done| done.is_none());
            drop(waited.unwrap_or_else(PoisonError::into_inner));
        }
    }

    /// Notes the launches of a group that it is or follows.
    pub fn follow_launches(&self, group: u64, launches: Vec<usize>) {
        *lock(&self.launches) = Some((group, launches));
    }

    /// The launches of a group that it is or follows.
    pub fn launches(&self, group: u64) -> Vec<usize> {
        let launches = lock(&self.launches);
        let own = launches.as_ref().filter(|(of, _)| *of == group);
        own.map_or_else(Vec::new, |(_, launches)| launches.clone())
    }

    fn finish(&self) {
        *lock(&self.done) = Some(Instant::now());
        self.changed.notify_all();
    }
}

/// Work that a stream has before it.
pub struct Entry {
    /// The stream; `None` for the legacy one.
    lane: Option<Lane>,
    context: Handle,
    /// True if the stream and the legacy one wait for each other.
    blocking: bool,
    work: Arc<Work>,
    /// True for an operation, false for work that the stream only waits for.
    is_own: bool,
    /// True for an operation that runs on a thread of its own.
    is_threaded: bool,
    /// What is to be run, and the work before it, if it is deferred and has not begun.
    deferred: Option<Deferred>,
}

/// An operation that is deferred.
pub struct Deferred {
    /// Its context.
    pub context: Arc<Context>,
    /// What is to be run.
    pub operation: Operation,
    /// The work that it has to wait for.
    pub before: Vec<Arc<Work>>,
    /// When it was queued. What was done by then, the host may have waited for.
    pub queued: Instant,
    /// Where it stands among the others, if races are looked for.
    pub stamp: Option<Stamp>,
}

fn entries() -> Result<MutexGuard<'static, Vec<Entry>>> {
    Ok(lock(&driver()?.pending))
}

impl Entry {
    fn new(stream: Handle, context: &Context, work: Arc<Work>) -> Result<Self> {
        Ok(Self {
            lane: lane(stream),
            context: context.handle,
            blocking: stream::is_blocking(stream)?,
            work,
            is_own: false,
            is_threaded: false,
            deferred: None,
        })
    }

    /// True if the work of another entry comes before this one's.
    fn follows(&self, other: &Self) -> bool {
        let legacy = self.lane.is_none() || other.lane.is_none();
        self.context == other.context
            && (self.lane == other.lane || legacy && self.blocking && other.blocking)
    }
}

/// The work that an operation has to wait for if a stream takes it now.
pub fn before(stream: Handle, context: &Context) -> Result<Vec<Arc<Work>>> {
    let entries = entries()?;
    if entries.is_empty() {
        return Ok(Vec::new());
    }
    let new = Entry::new(stream, context, Arc::default())?;
    Ok(followed(&entries, &new))
}

/// The work that a new entry follows. An operation of the same stream stands for all before it.
fn followed(entries: &[Entry], new: &Entry) -> Vec<Arc<Work>> {
    let mut found = Vec::new();
    for entry in entries.iter().rev().filter(|entry| new.follows(entry)) {
        if entry.work.done().is_none() {
            found.push(Arc::clone(&entry.work));
        }
        if entry.is_own && entry.lane == new.lane {
            break;
        }
    }
    found.reverse();
    found
}

/// The work of some entries, unless it is done: an entry goes a moment later than its work.
fn of(entries: &[Entry], condition: impl Fn(&Entry) -> bool) -> Vec<Arc<Work>> {
    let open = |entry: &&Entry| condition(entry) && entry.work.done().is_none();
    let found = entries.iter().filter(open);
    found.map(|entry| Arc::clone(&entry.work)).collect()
}

/// Returns when a stream has nothing left to do.
pub fn wait_for_stream(stream: Handle, context: &Context) -> Result {
    before(stream, context)?.iter().for_each(|work| work.wait());
    Ok(())
}

/// Returns when no stream of a context has anything left to do.
pub fn wait_for_context(context: Handle) -> Result {
    let found = of(&entries()?, |entry| entry.context == context);
    found.iter().for_each(|work| work.wait());
    order::host_waited_for_context(context);
    Ok(())
}

/// Lets a stream wait for work of any stream.
pub fn follow(stream: Handle, context: &Context, works: &[Arc<Work>]) -> Result {
    let mut entries = entries()?;
    for work in works.iter().filter(|work| work.done().is_none()) {
        entries.push(Entry::new(stream, context, Arc::clone(work))?);
    }
    Ok(())
}

/// Runs an operation in a stream: at once where that is possible.
pub fn run(stream: Handle, context: Arc<Context>, operation: Operation) -> Result {
    let waits = operation.waits_for_copy()?;
    let stamp = order::stamp(stream, &context, operation.devices(&context)?)?;
    run_stamped(stream, Arc::clone(&context), operation, stamp)?;
    if waits { order::host_waited(stream, &context) } else { Ok(()) }
}

fn run_stamped(
    stream: Handle,
    context: Arc<Context>,
    operation: Operation,
    stamp: Option<Stamp>,
) -> Result {
    let calls_host = operation.calls_host();
    let mut entries = entries()?;
    if entries.is_empty() && !calls_host && !defers(&operation)? {
        drop(entries);
        return operation.run(&context, stamp.as_ref());
    }
    let work = Arc::new(Work::default());
    let new = Entry::new(stream, &context, Arc::clone(&work))?;
    let before = followed(&entries, &new);
    if defers(&operation)? {
        entries.extend(deferred(new, context, operation, (before, stamp))?);
        drop(entries);
        together::note_news();
        return Ok(());
    }
    if !calls_host && (before.is_empty() || operation.uses_pageable_memory()?) {
        drop(entries);
        before.iter().for_each(|work| work.wait());
        return operation.run(&context, stamp.as_ref());
    }
    entries.push(Entry { is_own: true, is_threaded: true, ..new });
    drop(entries);
    let in_turn = move || {
        before.iter().for_each(|work| work.wait());
        finish(&work, &context, operation.run(&context, stamp.as_ref()));
    };
    let spawned = thread::Builder::new().spawn(in_turn);
    let failed = |error| CUresult::OPERATING_SYSTEM.because(format!("no thread: {error}"));
    spawned.map(|_| ()).map_err(failed)
}

/// Whether an operation runs when the host waits.
fn defers(operation: &Operation) -> Result<bool> {
    Ok(context::any_peers() && !operation.calls_host() && !operation.uses_pageable_memory()?)
}

/// The entries of a deferred operation; of a graph, one per node and one for its end.
fn deferred(
    new: Entry,
    context: Arc<Context>,
    operation: Operation,
    (before, stamp): (Vec<Arc<Work>>, Option<Stamp>),
) -> Result<Vec<Entry>> {
    if let Operation::Kernel(launch) = &operation {
        launch.refuse()?;
    }
    let queued = Instant::now();
    let Operation::Graph(steps) = &operation else {
        let deferred = Some(Deferred { context, operation, before, queued, stamp });
        return Ok(vec![Entry { is_own: true, deferred, ..new }]);
    };
    let works: Vec<Arc<Work>> = steps.iter().map(|_| Arc::default()).collect();
    let mut stamps = stamp.iter().flat_map(|stamp| order::stamp_steps(stamp, steps));
    let mut entries = Vec::new();
    for (step, work) in steps.iter().zip(&works) {
        let before = match &step.before[..] {
            [] => before.clone(),
            steps => steps.iter().map(|index| Arc::clone(&works[*index])).collect(),
        };
        let own =
            if step.context.is_null() { Arc::clone(&context) } else { context::of(step.context)? };
        let operation = step.operation.clone();
        let stamp = stamps.next();
        let deferred = Some(Deferred { context: own, operation, before, queued, stamp });
        entries.push(Entry { work: Arc::clone(work), deferred, ..new });
    }
    let before = [before, works].concat();
    let operation = Operation::Empty;
    let deferred = Some(Deferred { context, operation, before, queued, stamp: None });
    entries.push(Entry { is_own: true, deferred, ..new });
    Ok(entries)
}

/// Takes the first deferred operation that has nothing left to wait for, and returns its work too.
pub fn take_ready() -> Option<(Arc<Work>, Deferred)> {
    let mut entries = entries().ok()?;
    let is_ready = |entry: &Entry| {
        let deferred = entry.deferred.as_ref();
        deferred.is_some_and(|deferred| deferred.before.iter().all(|work| work.done().is_some()))
    };
    let entry = entries.iter_mut().find(|entry| is_ready(entry))?;
    Some((Arc::clone(&entry.work), entry.deferred.take()?))
}

/// Whether a function of the host runs, or waits for its turn.
pub fn calls_host() -> bool {
    entries().is_ok_and(|entries| entries.iter().any(|entry| entry.is_threaded))
}

fn has_deferred() -> bool {
    entries().is_ok_and(|entries| entries.iter().any(|entry| entry.deferred.is_some()))
}

/// Runs everything that is deferred, for a call that looks at what work has left.
pub fn run_deferred() {
    let Ok(entries) = entries() else { return };
    let deferred = of(&entries, |entry| entry.deferred.is_some());
    drop(entries);
    deferred.iter().for_each(|work| work.wait());
}

/// Notes that work is done, and leaves its context with the error, if there is one.
pub fn finish(work: &Arc<Work>, context: &Context, result: Result) {
    if let Err(Failure { code, cause }) = result {
        let cause = cause.unwrap_or_default();
        say(&format!("an operation of a stream: {cause} ({code:?})"));
        context.lose(code);
    }
    end(work);
}

/// Notes that work is done.
pub fn end(work: &Arc<Work>) {
    work.finish();
    together::note_news();
    if let Ok(mut entries) = entries() {
        entries.retain(|entry| !Arc::ptr_eq(&entry.work, work));
    }
}
