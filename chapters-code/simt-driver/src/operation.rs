//! What a stream executes. An operation is the same value whether it runs at once or becomes a
//! node of a graph: kernel arguments are copied into it, and addresses are kept as they are.

use std::ffi::c_void;

use crate::capture;
use crate::context::{self, Context};
use crate::error::{CUresult, Result};
use crate::handles::Handle;
use crate::launch::Launch;
use crate::stream;
use crate::transfer::{Fill, Transfer};
use crate::types::CUhostFn;

/// One operation of a stream.
#[derive(Clone)]
pub enum Operation {
    /// A kernel with its arguments.
    Kernel(Launch),
    /// A copy.
    Copy(Transfer),
    /// A fill.
    Fill(Fill),
    /// A call of a function of the host.
    Host(HostCall),
    /// Nothing: a point at which dependencies meet.
    Empty,
}

/// A function of the host, and the value that it is called with.
#[derive(Clone, Copy)]
pub struct HostCall {
    function: unsafe extern "C" fn(user_data: *mut c_void),
    user_data: usize,
}

impl HostCall {
    /// A call, unless the function is null.
    pub fn new(function: CUhostFn, user_data: *mut c_void) -> Result<Self> {
        let function = function.ok_or_else(|| CUresult::INVALID_VALUE.because("no function"))?;
        Ok(Self {
            function,
            user_data: user_data as usize,
        })
    }

    fn run(self) {
        // SAFETY: the C caller gave a function of this type, and what it wants to be called with.
        unsafe { (self.function)(self.user_data as *mut c_void) }
    }
}

impl Operation {
    /// Runs it to its end.
    pub fn run(&self, context: &Context) -> Result {
        match self {
            Self::Kernel(launch) => launch.run(context),
            Self::Copy(transfer) => transfer.run(context),
            Self::Fill(fill) => fill.run(context),
            Self::Host(call) => {
                call.run();
                Ok(())
            }
            Self::Empty => Ok(()),
        }
    }

    /// `CUgraphNodeType`
    pub fn node_type(&self) -> i32 {
        match self {
            Self::Kernel(_) => 0,
            Self::Copy(_) => 1,
            Self::Fill(_) => 2,
            Self::Host(_) => 3,
            Self::Empty => 5,
        }
    }
}

/// Runs an operation in a stream, or captures it if the stream is capturing.
pub fn submit(stream: Handle, operation: Operation) -> Result {
    let context = stream::queueing(stream)?;
    match capture::offer(stream, &context, operation)? {
        Some(operation) => operation.run(&context),
        None => Ok(()),
    }
}

/// Runs an operation in the default stream of the current context, for a call that waits.
pub fn complete(operation: &Operation) -> Result {
    let context = context::synchronized()?;
    capture::not_capturing(Handle::NULL, &context)?;
    operation.run(&context)
}
