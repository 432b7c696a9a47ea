//! What a stream executes. An operation is the same value whether it runs at once or becomes a
//! node of a graph: kernel arguments are copied into it, and addresses are kept as they are.

use std::ffi::c_void;
use std::sync::Arc;

use simt::Footprint;

use crate::allocation;
use crate::capture;
use crate::context::{self, Context};
use crate::error::{CUresult, Result};
use crate::graph::{self, Step};
use crate::handles::Handle;
use crate::launch::Launch;
use crate::order::{self, Stamp};
use crate::pending;
use crate::stream;
use crate::transfer::{Fill, Transfer};
use crate::types::{CUdeviceptr, CUhostFn, CUstream, CUstreamCallback};

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
    /// The operations of a graph, in their order.
    Graph(Arc<Vec<Step>>),
    /// Freeing device memory.
    Free(CUdeviceptr),
    /// Nothing: a point at which dependencies meet.
    Empty,
}

/// A function of the host, and the value that it is called with.
#[derive(Clone, Copy)]
pub struct HostCall {
    function: HostFunction,
    user_data: usize,
}

#[derive(Clone, Copy)]
enum HostFunction {
    Plain(unsafe extern "C" fn(user_data: *mut c_void)),
    /// With the stream, and what happened in it.
    Callback(
        unsafe extern "C" fn(stream: CUstream, status: CUresult, user_data: *mut c_void),
        CUstream,
    ),
}

impl HostCall {
    /// A call, unless the function is null.
    pub fn new(function: CUhostFn, user_data: *mut c_void) -> Result<Self> {
        let function = function.ok_or_else(|| CUresult::INVALID_VALUE.because("no function"))?;
        Ok(Self { function: HostFunction::Plain(function), user_data: user_data as usize })
    }

    /// A call of the older form, unless the function is null.
    pub fn callback(
        function: CUstreamCallback,
        stream: CUstream,
        user_data: *mut c_void,
    ) -> Result<Self> {
        let function = function.ok_or_else(|| CUresult::INVALID_VALUE.because("no callback"))?;
        Ok(Self {
            function: HostFunction::Callback(function, stream),
            user_data: user_data as usize,
        })
    }

    fn run(self) {
        let user_data = self.user_data as *mut c_void;
        // SAFETY: the C caller gave a function of this type, and what it wants to be called with.
        unsafe {
            match self.function {
                HostFunction::Plain(function) => function(user_data),
                HostFunction::Callback(function, stream) => {
                    function(stream, CUresult::SUCCESS, user_data);
                }
            }
        }
    }
}

impl Operation {
    /// Runs it to its end. `stamp` says where it stands among the others, if races are looked for.
    pub fn run(&self, context: &Context, stamp: Option<&Stamp>) -> Result {
        if let Some(footprint) = self.execute(context, stamp)?
            && let Some(stamp) = stamp
        {
            order::note(stamp.clone(), footprint);
        }
        Ok(())
    }

    /// The same, without noting what it has accessed, which is returned.
    pub fn execute(&self, context: &Context, stamp: Option<&Stamp>) -> Result<Option<Footprint>> {
        match self {
            Self::Kernel(launch) => return launch.run(context),
            Self::Copy(transfer) => {
                let footprint = stamp.map(|_| transfer.footprint(context)).transpose()?;
                transfer.run(context)?;
                return Ok(footprint);
            }
            Self::Fill(fill) => {
                fill.run(context)?;
                return Ok(stamp.map(|_| fill.footprint()));
            }
            Self::Host(call) => {
                stamp.inspect(|stamp| order::host_knows(stamp.moment()));
                call.run();
            }
            Self::Graph(steps) => graph::run(steps, context, stamp)?,
            Self::Free(address) => allocation::free(*address)?,
            Self::Empty => {}
        }
        Ok(None)
    }

    /// True if it calls functions of the host.
    pub fn calls_host(&self) -> bool {
        match self {
            Self::Host(_) => true,
            Self::Graph(steps) => steps.iter().any(|step| step.operation.calls_host()),
            Self::Kernel(_) | Self::Copy(_) | Self::Fill(_) | Self::Free(_) | Self::Empty => false,
        }
    }

    /// True if it reads or writes memory of the host that is not page-locked. The caller may count on
    /// having that memory back when the call returns.
    pub fn uses_pageable_memory(&self) -> Result<bool> {
        match self {
            Self::Copy(transfer) => transfer.uses_pageable_memory(),
            _ => Ok(false),
        }
    }

    /// True if it copies to memory of the host that is not page-locked: the call returns when that is done.
    pub fn waits_for_copy(&self) -> Result<bool> {
        match self {
            Self::Copy(transfer) => transfer.writes_pageable_memory(),
            _ => Ok(false),
        }
    }

    /// The numbers of two devices, if it copies from one to the other.
    pub fn devices(&self, context: &Context) -> Result<Option<[usize; 2]>> {
        match self {
            Self::Copy(transfer) => transfer.devices(context),
            _ => Ok(None),
        }
    }

    /// `CUgraphNodeType`
    pub fn node_type(&self) -> i32 {
        match self {
            Self::Kernel(_) => 0,
            Self::Copy(_) => 1,
            Self::Fill(_) => 2,
            Self::Host(_) => 3,
            Self::Graph(_) => 4,
            Self::Empty | Self::Free(_) => 5,
        }
    }
}

/// Runs an operation in a stream, or captures it if the stream is capturing.
pub fn submit(stream: Handle, operation: Operation) -> Result {
    let context = stream::queueing(stream)?;
    match capture::offer(stream, &context, operation)? {
        Some(operation) => pending::run(stream, context, operation),
        None => Ok(()),
    }
}

/// Runs an operation in the default stream of the current context, for a call that waits.
pub fn complete(operation: &Operation) -> Result {
    let context = context::synchronized()?;
    capture::not_capturing(Handle::NULL, &context)?;
    pending::wait_for_stream(Handle::NULL, &context)?;
    let stamp = order::stamp(Handle::NULL, &context, operation.devices(&context)?)?;
    operation.run(&context, stamp.as_ref())?;
    match operation {
        Operation::Copy(transfer) if transfer.uses_host() => {
            order::host_waited(Handle::NULL, &context)
        }
        _ => Ok(()),
    }
}
