//! Work that is queued and not done.
//!
//! An operation runs within the call that queues it, unless it calls a function of the host: that one
//! may wait for the very thread that queued it. So it runs on a thread of its own, and what its stream
//! takes before it is done does so too, each operation after those that it must follow.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Instant;

use crate::capture::{Lane, lane};
use crate::context::Context;
use crate::entry::say;
use crate::error::{CUresult, Result};
use crate::handles::Handle;
use crate::operation::Operation;
use crate::state::{driver, lock};
use crate::stream;

/// One operation that runs on a thread of its own.
#[derive(Debug, Default)]
pub struct Work {
    /// When it was done.
    done: Mutex<Option<Instant>>,
    changed: Condvar,
}

impl Work {
    /// When it was done; `None` if it is not yet.
    pub fn done(&self) -> Option<Instant> {
        *lock(&self.done)
    }

    /// Returns when it is done.
    pub fn wait(&self) {
        let done = lock(&self.done);
        let waited = self.changed.wait_while(done, |done| done.is_none());
        drop(waited.unwrap_or_else(PoisonError::into_inner));
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
    Ok(of(&entries, |entry| new.follows(entry)))
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
    let calls_host = operation.calls_host();
    let mut entries = entries()?;
    if entries.is_empty() && !calls_host {
        drop(entries);
        return operation.run(&context);
    }
    let work = Arc::new(Work::default());
    let new = Entry::new(stream, &context, Arc::clone(&work))?;
    let before = of(&entries, |entry| new.follows(entry));
    if !calls_host && (before.is_empty() || operation.uses_pageable_memory()?) {
        drop(entries);
        before.iter().for_each(|work| work.wait());
        return operation.run(&context);
    }
    entries.push(new);
    drop(entries);
    let deferred = move || {
        before.iter().for_each(|work| work.wait());
        if let Err(failure) = operation.run(&context) {
            let cause = failure.cause.unwrap_or_default();
            say(&format!("an operation of a stream: {cause} ({:?})", failure.code));
            context.lose(failure.code);
        }
        finish(&work);
    };
    let spawned = thread::Builder::new().spawn(deferred);
    let failed = |error| CUresult::OPERATING_SYSTEM.because(format!("no thread: {error}"));
    spawned.map(|_| ()).map_err(failed)
}

fn finish(work: &Arc<Work>) {
    work.finish();
    if let Ok(mut entries) = entries() {
        entries.retain(|entry| !Arc::ptr_eq(&entry.work, work));
    }
}
