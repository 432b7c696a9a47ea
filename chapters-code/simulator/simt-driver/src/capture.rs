//! Stream capture: operations become the nodes of a graph instead of running.
//!
//! A capture begins in one stream, its origin. Another stream joins it by waiting for an event
//! that was recorded in the capture; it is then a further branch. The next operation of a branch
//! depends on the nodes that the branch holds as its last ones.
//!
//! A call that may not be made meanwhile fails and leaves the capture *invalid*: its streams
//! refuse all work until the capture is ended, and it then yields no graph. Codes, and which calls
//! invalidate, are those of driver 580 on an H100, where each was tried.

mod rules;

use std::cell::Cell;
use std::collections::HashMap;
use std::sync::MutexGuard;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::{self, ThreadId};

use crate::context::{self, Context};
use crate::error::{CUresult, Failure, Result};
use crate::graph;
use crate::handles::Handle;
use crate::operation::Operation;
use crate::order;
use crate::pending;
use crate::state::{driver, lock};
use crate::stream::{self, Recorded};

pub use rules::{not_capturing, not_capturing_in, query, unsafe_call, use_legacy};

/// `CUstreamCaptureMode`: who may make potentially unsafe calls while a capture goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// No thread.
    Global,
    /// All threads but the one that captures.
    ThreadLocal,
    /// Every thread.
    Relaxed,
}

impl Mode {
    /// The mode of a number.
    pub fn new(number: i32) -> Result<Self> {
        match number {
            0 => Ok(Self::Global),
            1 => Ok(Self::ThreadLocal),
            2 => Ok(Self::Relaxed),
            _ => Err(CUresult::INVALID_VALUE.because(format!("no capture mode {number}"))),
        }
    }
}

/// A stream that can capture: any but the legacy one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Lane {
    /// One that was made.
    Stream(Handle),
    /// `CU_STREAM_PER_THREAD` of a thread and a context.
    PerThread(ThreadId, Handle),
}

/// A stream's part in a capture.
struct Branch {
    context: Handle,
    /// True if the stream and the legacy one wait for each other.
    blocking: bool,
    /// The nodes that the next operation depends on.
    last: Vec<Handle>,
}

/// A capture that has begun and has not ended.
pub struct Capture {
    id: u64,
    origin: Lane,
    mode: Mode,
    thread: ThreadId,
    graph: Handle,
    valid: bool,
    branches: HashMap<Lane, Branch>,
}

/// What an event holds that was recorded in a capture.
#[derive(Clone, Debug)]
pub struct Captured {
    id: u64,
    nodes: Vec<Handle>,
}

/// What `cuStreamGetCaptureInfo` reports of a stream that captures.
pub struct Info {
    /// False if the capture is invalid.
    pub valid: bool,
    /// A number that no other capture ever has.
    pub id: u64,
    /// The graph that is being made.
    pub graph: Handle,
    /// The nodes that the next operation depends on: valid until the next call for this stream.
    pub last: *const Handle,
    /// Their number.
    pub count: usize,
}

static NEXT_ID: AtomicU64 = AtomicU64::new(1);

thread_local! {
    static MODE: Cell<Mode> = const { Cell::new(Mode::Global) };
}

/// Sets the calling thread's mode, and returns the one before.
pub fn exchange_mode(mode: Mode) -> Mode {
    MODE.replace(mode)
}

/// The stream that a handle names; `None` for the legacy one.
pub fn lane(stream: Handle) -> Option<Lane> {
    match stream::named(stream).0 {
        1 => None,
        2 => Some(Lane::PerThread(thread::current().id(), context::current_handle()?)),
        _ => Some(Lane::Stream(stream)),
    }
}

fn captures() -> Result<MutexGuard<'static, Vec<Capture>>> {
    Ok(lock(&driver()?.captures))
}

fn of(captures: &mut [Capture], lane: Lane) -> Option<&mut Capture> {
    captures.iter_mut().find(|c| c.branches.contains_key(&lane))
}

impl Capture {
    fn invalidate(&mut self, code: CUresult, cause: &str) -> Failure {
        self.valid = false;
        code.because(format!("{cause}: the capture of the stream is invalid now"))
    }

    fn check(&self) -> Result {
        if self.valid {
            return Ok(());
        }
        Err(CUresult::STREAM_CAPTURE_INVALIDATED
            .because("an earlier call made the capture invalid"))
    }

    /// The last nodes of a branch.
    fn last(&mut self, lane: Lane) -> Result<&mut Vec<Handle>> {
        let branch = self.branches.get_mut(&lane);
        branch.map(|b| &mut b.last).ok_or(CUresult::UNKNOWN.into())
    }

    /// True if the last operation of every branch comes before the end of the origin.
    fn is_joined(&mut self) -> Result<bool> {
        let last = self.last(self.origin)?.clone();
        let before = graph::ancestors(&last)?;
        let mut nodes = self.branches.values().flat_map(|branch| &branch.last);
        Ok(nodes.all(|node| before.contains(node)))
    }
}

fn branch(stream: Handle, context: &Context, last: Vec<Handle>) -> Result<Branch> {
    Ok(Branch { context: context.handle, blocking: stream::is_blocking(stream)?, last })
}

/// Begins a capture in a stream.
pub fn begin(stream: Handle, mode: Mode) -> Result {
    let context = stream::queueing(stream)?;
    let Some(origin) = lane(stream) else {
        return Err(
            CUresult::STREAM_CAPTURE_UNSUPPORTED.because("the legacy stream cannot capture")
        );
    };
    let mut captures = captures()?;
    if of(&mut captures, origin).is_some() {
        return Err(CUresult::ILLEGAL_STATE.because("the stream is capturing already"));
    }
    captures.push(Capture {
        id: NEXT_ID.fetch_add(1, Ordering::Relaxed),
        origin,
        mode,
        thread: thread::current().id(),
        graph: graph::create()?,
        valid: true,
        branches: HashMap::from([(origin, branch(stream, &context, Vec::new())?)]),
    });
    Ok(())
}

/// Ends the capture that began in a stream, and returns its graph.
pub fn end(stream: Handle) -> Result<Handle> {
    stream::context_of(stream)?;
    let mut captures = captures()?;
    let found = lane(stream).and_then(|lane| {
        let index = captures.iter().position(|c| c.branches.contains_key(&lane))?;
        Some((lane, index))
    });
    let Some((lane, index)) = found else {
        return Err(CUresult::ILLEGAL_STATE.because("the stream is not capturing"));
    };
    if captures[index].origin != lane {
        let unmatched = CUresult::STREAM_CAPTURE_UNMATCHED;
        return Err(captures[index].invalidate(unmatched, "the capture began in another stream"));
    }
    let mut capture = captures.swap_remove(index);
    drop(captures);
    let result = finish(&mut capture);
    if result.is_err() {
        graph::destroy(capture.graph)?;
    }
    result.map(|()| capture.graph)
}

/// Whether an ended capture yields its graph.
fn finish(capture: &mut Capture) -> Result {
    if capture.mode != Mode::Relaxed && capture.thread != thread::current().id() {
        let cause = "another thread began the capture, which is lost";
        return Err(CUresult::STREAM_CAPTURE_WRONG_THREAD.because(cause));
    }
    capture.check()?;
    if !capture.is_joined()? {
        let cause = "the stream has not waited for another stream's captured work";
        return Err(CUresult::STREAM_CAPTURE_UNJOINED.because(cause));
    }
    Ok(())
}

/// Drops the captures that began in a stream.
pub fn forget_stream(stream: Handle) -> Result {
    forget(|capture| capture.origin == Lane::Stream(stream))
}

/// Drops the captures that a context takes part in.
pub fn forget_context(context: Handle) -> Result {
    forget(|capture| capture.branches.values().any(|b| b.context == context))
}

fn forget(condition: impl Fn(&Capture) -> bool) -> Result {
    let gone: Vec<Capture> = captures()?.extract_if(.., |c| condition(c)).collect();
    gone.iter().try_for_each(|capture| graph::destroy(capture.graph))
}

/// Captures an operation if the stream is capturing, and hands it back to be run if it is not.
pub fn offer(stream: Handle, context: &Context, operation: Operation) -> Result<Option<Operation>> {
    let Some(lane) = lane(stream) else {
        use_legacy(context)?;
        return Ok(Some(operation));
    };
    let mut captures = captures()?;
    let Some(capture) = of(&mut captures, lane) else {
        return Ok(Some(operation));
    };
    capture.check()?;
    let graph = capture.graph;
    let last = capture.last(lane)?;
    let node = graph::add(graph, context.handle, operation, std::mem::take(last))?;
    last.push(node);
    Ok(None)
}

/// What an event records in a stream that is capturing.
pub fn record(stream: Handle, context: &Context) -> Result<Option<Captured>> {
    let Some(lane) = lane(stream) else {
        use_legacy(context)?;
        return Ok(None);
    };
    let mut captures = captures()?;
    let Some(capture) = of(&mut captures, lane) else {
        return Ok(None);
    };
    capture.check()?;
    let id = capture.id;
    let nodes = capture.last(lane)?.clone();
    Ok(Some(Captured { id, nodes }))
}

/// Lets a stream wait for what an event recorded.
pub fn wait(stream: Handle, context: &Context, recorded: &Recorded) -> Result {
    let lane = lane(stream);
    if lane.is_none() {
        use_legacy(context)?;
    }
    let mut captures = captures()?;
    let waiting = lane.and_then(|lane| of(&mut captures, lane));
    match (recorded, waiting) {
        (Recorded::Never, _) => Ok(()),
        (Recorded::At(_, works, moment), None) => {
            order::wait(stream, context, moment)?;
            pending::follow(stream, context, works)
        }
        (Recorded::At(..), Some(capture)) => {
            capture.check()?;
            let code = CUresult::STREAM_CAPTURE_ISOLATION;
            Err(capture.invalidate(code, "a wait for an event that was not captured"))
        }
        (Recorded::Captured(event), _) => join(&mut captures, (stream, lane), context, event),
    }
}

/// Lets a stream wait for an event of a capture, which the stream thereby joins.
fn join(
    captures: &mut [Capture],
    (stream, lane): (Handle, Option<Lane>),
    context: &Context,
    event: &Captured,
) -> Result {
    let mine = lane.and_then(|lane| {
        let is_mine = |c: &Capture| c.branches.contains_key(&lane);
        captures.iter().position(is_mine)
    });
    let Some(of_event) = captures.iter().position(|c| c.id == event.id) else {
        if let Some(mine) = mine {
            captures[mine].valid = false;
        }
        return Err(CUresult::INVALID_VALUE.because("the capture of the event has ended"));
    };
    let Some(lane) = lane else {
        let code = CUresult::STREAM_CAPTURE_IMPLICIT;
        return Err(captures[of_event].invalidate(code, "the legacy stream cannot join"));
    };
    if let Some(mine) = mine.filter(|&mine| mine != of_event) {
        let code = CUresult::STREAM_CAPTURE_MERGE;
        captures[mine].valid = false;
        return Err(captures[of_event].invalidate(code, "a wait for an event of another capture"));
    }
    let capture = &mut captures[of_event];
    capture.check()?;
    if mine.is_none() {
        let branch = branch(stream, context, Vec::new())?;
        capture.branches.insert(lane, branch);
    }
    add_new(capture.last(lane)?, &event.nodes);
    Ok(())
}

/// True if a stream is capturing, even if the capture is invalid.
pub fn is_capturing(stream: Handle) -> Result<bool> {
    let mut captures = captures()?;
    Ok(lane(stream).is_some_and(|lane| of(&mut captures, lane).is_some()))
}

/// Makes the capture of a stream invalid, if there is one, as the operation that should have
/// become its next node was refused.
pub fn lose(stream: Handle) -> Result {
    let lane = lane(stream);
    let mut captures = captures()?;
    if let Some(capture) = lane.and_then(|lane| of(&mut captures, lane)) {
        capture.valid = false;
    }
    Ok(())
}

/// What is known of the capture that a stream takes part in.
pub fn info(stream: Handle) -> Result<Option<Info>> {
    let context = stream::context_of(stream)?;
    let mut captures = captures()?;
    let Some(lane) = lane(stream) else {
        let blocks = |b: &Branch| b.blocking && b.context == context.handle;
        if captures.iter().any(|c| c.branches.values().any(blocks)) {
            let cause = "the legacy stream waits for a capturing stream";
            return Err(CUresult::STREAM_CAPTURE_IMPLICIT.because(cause));
        }
        return Ok(None);
    };
    let Some(capture) = of(&mut captures, lane) else {
        return Ok(None);
    };
    let (valid, id, graph) = (capture.valid, capture.id, capture.graph);
    let last = capture.last(lane)?;
    Ok(Some(Info { valid, id, graph, last: last.as_ptr(), count: last.len() }))
}

/// Adds to, or replaces, the nodes that the next operation of a stream depends on.
pub fn update(stream: Handle, nodes: &[Handle], replace: bool) -> Result {
    stream::context_of(stream)?;
    let lane = lane(stream);
    let mut captures = captures()?;
    let Some((lane, capture)) = lane.and_then(|lane| Some((lane, of(&mut captures, lane)?))) else {
        return Err(CUresult::ILLEGAL_STATE.because("the stream is not capturing"));
    };
    capture.check()?;
    for &node in nodes {
        graph::in_graph(capture.graph, node)?;
    }
    let last = capture.last(lane)?;
    if replace {
        last.clear();
    }
    add_new(last, nodes);
    Ok(())
}

fn add_new(last: &mut Vec<Handle>, nodes: &[Handle]) {
    for &node in nodes {
        if !last.contains(&node) {
            last.push(node);
        }
    }
}
