//! What may not be done while streams are capturing.

use std::thread;

use super::{Branch, Capture, Captured, MODE, Mode, captures, lane, of};
use crate::context::Context;
use crate::error::{CUresult, Result};
use crate::handles::Handle;

/// For a call that uses the legacy stream, which waits for all blocking streams of its context.
pub fn use_legacy(context: &Context) -> Result {
    let blocks = |b: &Branch| b.blocking && b.context == context.handle;
    match captures()?.iter_mut().find(|c| c.branches.values().any(blocks)) {
        None => Ok(()),
        Some(capture) => {
            let code = CUresult::STREAM_CAPTURE_IMPLICIT;
            Err(capture.invalidate(code, "the legacy stream waits for the capturing stream"))
        }
    }
}

/// For a call that waits for a stream or asks for its state, or cannot be captured in it.
pub fn not_capturing(stream: Handle, context: &Context) -> Result {
    let Some(lane) = lane(stream) else {
        return use_legacy(context);
    };
    match of(&mut captures()?, lane) {
        None => Ok(()),
        Some(capture) => {
            capture.check()?;
            let code = CUresult::STREAM_CAPTURE_UNSUPPORTED;
            Err(capture.invalidate(code, "not while the stream is capturing"))
        }
    }
}

/// For a call that waits for all work of a context.
pub fn not_capturing_in(context: &Context) -> Result {
    let here = |b: &Branch| b.context == context.handle;
    match captures()?.iter_mut().find(|c| c.branches.values().any(here)) {
        None => Ok(()),
        Some(capture) => {
            let code = CUresult::STREAM_CAPTURE_UNSUPPORTED;
            Err(capture.invalidate(code, "not while a stream of the context is capturing"))
        }
    }
}

/// For a call that the manual calls potentially unsafe: it is not captured, and a graph that
/// depends on it would lack it.
pub fn unsafe_call() -> Result {
    let (me, mode) = (thread::current().id(), MODE.get());
    let mut captures = captures()?;
    let prohibits = |c: &&mut Capture| match (mode, c.mode) {
        (Mode::Relaxed, _) | (_, Mode::Relaxed) => false,
        (Mode::Global, Mode::Global) => true,
        _ => c.thread == me,
    };
    let prohibited = captures.iter_mut().filter(prohibits).map(|capture| {
        let code = CUresult::STREAM_CAPTURE_UNSUPPORTED;
        capture.invalidate(code, "a call that is potentially unsafe during a capture")
    });
    prohibited.last().map_or(Ok(()), Err)
}

/// For a call that waits for an event or asks for its state.
pub fn query(event: &Captured) -> Result {
    match captures()?.iter_mut().find(|capture| capture.id == event.id) {
        None => Err(CUresult::INVALID_VALUE.because("the event was recorded in a capture")),
        Some(capture) => {
            let code = CUresult::CAPTURED_EVENT;
            Err(capture.invalidate(code, "the event was recorded in a capture"))
        }
    }
}
