//! Streams and events. Work runs within the call that queues it, so that a stream is idle and an
//! event, once recorded, has happened, unless something is pending (`pending.rs`).

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use crate::capture::{self, Captured};
use crate::context::{self, Context};
use crate::error::{CUresult, Result};
use crate::handles::Handle;
use crate::order::{self, Moment};
use crate::pending::{self, Work};
use crate::profile;
use crate::state::{driver, lock};

/// A stream.
pub struct Stream {
    /// The context it is in.
    pub context: Handle,
    /// `CUstream_flags`.
    pub flags: u32,
    /// Its priority, within the device's range.
    pub priority: i32,
    /// A number that no other stream ever has.
    pub id: u64,
}

/// An event.
pub struct Event {
    /// The context it is in.
    pub context: Handle,
    /// False if made with `CU_EVENT_DISABLE_TIMING`.
    pub timed: bool,
    recorded: Mutex<Recorded>,
}

/// What an event was last recorded as.
#[derive(Clone, Debug)]
pub enum Recorded {
    /// Not at all.
    Never,
    /// When the moment came, or the work is done that was pending then; and what came before it.
    At(Instant, Vec<Arc<Work>>, Moment),
    /// Nodes of a graph.
    Captured(Captured),
}

thread_local! {
    /// True during a call whose default stream is the thread's own: one of a `_ptds` or `_ptsz` function.
    static DEFAULT_IS_PER_THREAD: Cell<bool> = const { Cell::new(false) };
}

// Ids 1 and 2 are the default streams'.
static NEXT_ID: AtomicU64 = AtomicU64::new(3);

const DISABLE_TIMING: u32 = 2;
const ALL_EVENT_FLAGS: u32 = 7;

/// Makes a stream in the current context.
pub fn create_stream(flags: u32, priority: i32) -> Result<Handle> {
    let context = context::queueing()?;
    if flags > 1 {
        return Err(CUresult::INVALID_VALUE.because(format!("no stream flags {flags:#x}")));
    }
    let (least, greatest) = profile::PRIORITIES;
    let id = NEXT_ID.fetch_add(1, Ordering::Relaxed);
    let priority = priority.clamp(greatest, least);
    Ok(driver()?.streams.insert(Stream { context: context.handle, flags, priority, id }))
}

/// The stream of a handle; `None` for a default stream.
pub fn stream(handle: Handle) -> Result<Option<Arc<Stream>>> {
    if handle.0 <= 2 {
        return Ok(None);
    }
    driver()?.streams.look_up(handle, CUresult::INVALID_HANDLE, "a stream").map(Some)
}

/// Makes a call with the thread's own default stream as stream 0.
pub fn with_default_per_thread(call: impl FnOnce() -> CUresult) -> CUresult {
    let before = DEFAULT_IS_PER_THREAD.replace(true);
    let result = call();
    DEFAULT_IS_PER_THREAD.set(before);
    result
}

/// The stream that a handle names in this call: for stream 0, which of the default streams.
pub fn named(handle: Handle) -> Handle {
    const LEGACY: Handle = Handle(1);
    const PER_THREAD: Handle = Handle(2);
    match (handle.is_null(), DEFAULT_IS_PER_THREAD.get()) {
        (true, true) => PER_THREAD,
        (true, false) => LEGACY,
        (false, _) => handle,
    }
}

/// The context that work in a stream runs in.
pub fn context_of(handle: Handle) -> Result<Arc<Context>> {
    match stream(handle)? {
        Some(stream) => context::of(stream.context),
        None => context::current(),
    }
}

/// The context of a stream, for a call that queues work.
pub fn queueing(handle: Handle) -> Result<Arc<Context>> {
    let context = context_of(handle)?;
    context.enqueue()?;
    Ok(context)
}

/// True if a stream and the legacy one wait for each other.
pub fn is_blocking(handle: Handle) -> Result<bool> {
    const NON_BLOCKING: u32 = 1;
    Ok(stream(handle)?.is_none_or(|stream| stream.flags & NON_BLOCKING == 0))
}

/// Makes an event in the current context.
pub fn create_event(flags: u32) -> Result<Handle> {
    let context = context::queueing()?;
    if flags > ALL_EVENT_FLAGS {
        return Err(CUresult::INVALID_VALUE.because(format!("no event flags {flags:#x}")));
    }
    let timed = flags & DISABLE_TIMING == 0;
    let event = Event { context: context.handle, timed, recorded: Mutex::new(Recorded::Never) };
    Ok(driver()?.events.insert(event))
}

/// The event of a handle.
pub fn event(handle: Handle) -> Result<Arc<Event>> {
    driver()?.events.look_up(handle, CUresult::INVALID_HANDLE, "an event")
}

impl Event {
    /// Records the event in a stream, which has nothing left to do, or in the stream's capture.
    pub fn record(&self, stream: Handle) -> Result {
        let context = queueing(stream)?;
        if context.handle != self.context {
            return Err(CUresult::INVALID_HANDLE.because("event and stream of different contexts"));
        }
        let recorded = match capture::record(stream, &context)? {
            Some(captured) => Recorded::Captured(captured),
            None => {
                let moment = order::moment(stream, &context)?;
                Recorded::At(Instant::now(), pending::before(stream, &context)?, moment)
            }
        };
        *lock(&self.recorded) = recorded;
        Ok(())
    }

    /// What the event was last recorded as.
    pub fn recorded(&self) -> Recorded {
        lock(&self.recorded).clone()
    }

    /// Waits. Returns the error of a kernel that faulted.
    pub fn synchronize(&self) -> Result {
        self.unfinished()?.iter().for_each(|work| work.wait());
        self.host_knows();
        context::of(self.context)?.synchronize()
    }

    /// Whether the event has happened, and the error of a kernel that faulted.
    pub fn query(&self) -> Result {
        pending::run_deferred();
        let unfinished = self.unfinished()?;
        context::of(self.context)?.synchronize()?;
        if unfinished.is_empty() {
            self.host_knows();
            return Ok(());
        }
        Err(CUresult::NOT_READY.into())
    }

    /// Notes that the host knows that it has happened.
    fn host_knows(&self) {
        if let Recorded::At(_, _, moment) = self.recorded() {
            order::host_knows(&moment);
        }
    }

    /// The work that the event has to wait for.
    fn unfinished(&self) -> Result<Vec<Arc<Work>>> {
        let mut works = match self.recorded() {
            Recorded::Captured(captured) => return capture::query(&captured).map(|()| Vec::new()),
            Recorded::Never => Vec::new(),
            Recorded::At(_, works, _) => works,
        };
        capture::unsafe_call()?;
        works.retain(|work| work.done().is_none());
        Ok(works)
    }

    /// Milliseconds of the host's clock from this event to a later one.
    pub fn milliseconds_until(&self, end: &Self) -> Result<f32> {
        if !self.timed || !end.timed {
            return Err(CUresult::INVALID_HANDLE.because("an event without timing"));
        }
        let (start, end) = (self.moment()?, end.moment()?);
        let milliseconds = |span: std::time::Duration| span.as_secs_f32() * 1e3;
        Ok(milliseconds(end - start) - milliseconds(start - end))
    }

    fn moment(&self) -> Result<Instant> {
        match self.recorded() {
            Recorded::At(moment, works, _) => works.iter().try_fold(moment, |moment, work| {
                let done = work.done().ok_or(CUresult::NOT_READY)?;
                Ok(moment.max(done))
            }),
            Recorded::Never => {
                Err(CUresult::INVALID_HANDLE.because("an event that was never recorded"))
            }
            Recorded::Captured(_) => {
                Err(CUresult::CAPTURED_EVENT.because("an event of a graph has no time"))
            }
        }
    }
}
