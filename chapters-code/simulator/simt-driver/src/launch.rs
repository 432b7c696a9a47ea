//! Launching: checking a launch as the driver does, gathering its arguments, running it.

use std::ffi::c_void;
use std::ops::Range;
use std::sync::Arc;

use simt::{DEVICE, Fault, Footprint};

use crate::capture;
use crate::context::{self, Context};
use crate::entry::say;
use crate::error::{CUresult, Failure, Result};
use crate::handles::Handle;
use crate::host::readable;
use crate::module::{self, Function};
use crate::operation::{self, Operation};
use crate::order;
use crate::recording;
use crate::state::lock;
use crate::stream;
use crate::strict;
use crate::types::In;
use crate::{options, report};

/// How arguments are passed: an array of pointers to them, or a list of settings that ends in
/// `CU_LAUNCH_PARAM_END`.
pub struct Arguments {
    /// `kernelParams`.
    pub pointers: In<usize>,
    /// `extra`.
    pub extra: In<usize>,
}

/// A launch as it was asked for.
#[derive(Clone, Copy)]
pub struct Request {
    /// The function.
    pub function: Handle,
    /// Blocks.
    pub grid: [u32; 3],
    /// Threads of a block.
    pub block: [u32; 3],
    /// Bytes of dynamic shared memory.
    pub dynamic_shared: u32,
    /// True if all blocks must be resident at once.
    pub cooperative: bool,
    /// Blocks of a cluster, if the launch asks for clusters.
    pub cluster: Option<[u32; 3]>,
}

impl Request {
    /// A launch without further wishes.
    pub fn new(function: Handle, grid: [u32; 3], block: [u32; 3], dynamic_shared: u32) -> Self {
        Self { function, grid, block, dynamic_shared, cooperative: false, cluster: None }
    }
}

/// A launch that was found to be possible, with its arguments.
#[derive(Clone)]
pub struct Launch {
    /// The launch as the program asked for it.
    pub request: Request,
    /// The function.
    pub function: Arc<Function>,
    /// The arguments, where the kernel expects them.
    pub params: Vec<u8>,
}

/// Puts a launch into a stream.
pub fn launch(request: &Request, stream: Handle, arguments: &Arguments) -> Result {
    let context = stream::queueing(stream)?;
    let prepared = Launch::new(request, arguments).and_then(|launch| {
        if launch.function.context == context.handle {
            return Ok(launch);
        }
        let cause = "the function is of another context than the stream";
        Err(CUresult::INVALID_HANDLE.because(cause))
    });
    match prepared {
        Ok(launch) => operation::submit(stream, Operation::Kernel(launch)),
        Err(failure) => {
            capture::lose(stream)?;
            Err(failure)
        }
    }
}

impl Launch {
    /// Checks a launch and copies its arguments.
    pub fn new(request: &Request, arguments: &Arguments) -> Result<Self> {
        let function = module::function(request.function)?;
        let named = |failure: Failure| name(&function, failure);
        let Request { grid, block, cluster, .. } = *request;
        let cluster = cluster.or(function.cluster());
        simt::check_shape(&function.kernel, grid, block, cluster).map_err(refused)?;
        check(request, &function).map_err(named)?;
        let params = gather(&function, arguments).map_err(named)?;
        Ok(Self { request: *request, function, params })
    }

    /// Fails if the device cannot run the kernel. Nothing is queued then.
    pub fn refuse(&self) -> Result {
        let Request { grid, block, dynamic_shared, cluster, .. } = self.request;
        let launch = simt::Launch {
            kernel: &self.function.kernel,
            grid,
            block,
            cluster: cluster.or(self.function.cluster()),
            dynamic_shared,
            params: &self.params,
        };
        simt::check(&launch).map_err(refused)
    }

    /// The addresses of the arguments, which are valid as long as they are not changed.
    pub fn argument_addresses(&self) -> Vec<usize> {
        let start = self.params.as_ptr() as usize;
        let params = &self.function.kernel.ir().params;
        params.iter().map(|param| start + param.offset as usize).collect()
    }

    /// Runs the kernel to its end, and returns what it has accessed if races are looked for. A fault is left in the
    /// context, as on a GPU, and nothing runs after one.
    pub fn run(&self, context: &Context) -> Result<Option<Footprint>> {
        if context.faulted() {
            return Ok(None);
        }
        let device = context.device()?;
        let busy = lock(&device.busy);
        let (job, workspace) = self.job(context, options::current(), None)?;
        let (launched, mut footprint) = simt::launch_job(&job);
        if let (Some(workspace), Some(footprint)) = (&workspace, &mut footprint) {
            footprint.forget(&workspace.range);
        }
        drop(workspace);
        drop(busy);
        Self::say_fault(&launched);
        Self::finish(context, launched)?;
        Ok(footprint)
    }

    /// Says why a launch ended early, if it did, and if faults are said.
    pub fn say_fault(launched: &simt::LaunchReport) {
        if let Some(fault) = launched.fault.as_ref().filter(|fault| !fault.kind.is_refusal())
            && options::says_faults()
        {
            say(&fault.message);
        }
    }

    /// The launch as the machine takes it, and the memory for its barriers of the whole grid. `group` is what
    /// [`recording::launch`] takes.
    pub fn job(
        &self,
        context: &Context,
        options: simt::Options,
        group: Option<(u64, &[usize])>,
    ) -> Result<(simt::Job, Option<GridWorkspace<'static>>)> {
        let Request { grid, block, dynamic_shared, cluster, .. } = self.request;
        let device = context.device()?;
        // The module can be unloaded while a thread waits for its turn, or before a graph runs.
        if module::function(self.request.function).is_err() {
            let cause = "its module was unloaded before it could run";
            let failure = CUresult::INVALID_HANDLE.because(cause);
            return Err(name(&self.function, failure));
        }
        let workspace = self.request.cooperative.then(|| GridWorkspace::new(&device.memory));
        let workspace = workspace.transpose()?;
        let grid_workspace = workspace.as_ref().map_or(0, |workspace| workspace.range.start);
        recording::launch(device, self, group)?;
        let job = simt::Job {
            kernel: self.function.kernel.clone(),
            grid,
            block,
            cluster: cluster.or(self.function.cluster()),
            dynamic_shared,
            params: self.params.clone(),
            options: options.with(|options| {
                options.grid_workspace = grid_workspace;
                options.read_only_loads = order::has_streams();
            }),
            memory: context.memory()?,
            after: Vec::new(),
        };
        Ok((job, workspace))
    }

    /// Leaves a fault in the context, and adds the report of a launch that has ended.
    pub fn finish(context: &Context, launched: simt::LaunchReport) -> Result {
        if !launched.races.is_empty() {
            strict::note([context]);
        }
        let result = match &launched.fault {
            None => Ok(()),
            Some(Fault { kind, message, .. }) if kind.is_refusal() => {
                Err(context::code(*kind).because(message.clone()))
            }
            Some(f) => {
                context.poison(f.kind);
                Ok(())
            }
        };
        report::add(launched);
        result
    }
}

fn name(function: &Function, failure: Failure) -> Failure {
    match failure.cause {
        Some(cause) => {
            let cause = format!("kernel `{}`: {cause}", function.name());
            failure.code.because(cause)
        }
        None => failure,
    }
}

/// The memory through which the blocks of a cooperative launch meet, until it has ended.
pub struct GridWorkspace<'a> {
    memory: &'a simt::Memory,
    range: Range<u64>,
}

impl<'a> GridWorkspace<'a> {
    fn new(memory: &'a simt::Memory) -> Result<Self> {
        Ok(Self { memory, range: memory.allocate_grid_workspace()? })
    }
}

impl Drop for GridWorkspace<'_> {
    fn drop(&mut self) {
        // The address never leaves this struct, so it is still allocated.
        let _ = self.memory.free(self.range.start);
        order::freed(&self.range);
    }
}

/// Refuses what the function's attributes do not allow, and a grid that cannot be resident if it must be.
fn check(request: &Request, function: &Function) -> Result {
    let (dynamic_shared, most) = (request.dynamic_shared, function.dynamic_shared());
    if dynamic_shared > most {
        return Err(CUresult::INVALID_VALUE.because(format!(
            "{dynamic_shared} bytes of dynamic shared memory: at most {most}, unless \
             CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES asks for more"
        )));
    }
    function.checked_cluster(request.cluster)?;
    if request.cooperative { check_cooperative(request, function) } else { Ok(()) }
}

/// The error of a launch that the machine refuses.
fn refused(fault: Fault) -> Failure {
    context::code(fault.kind).because(fault.message)
}

fn check_cooperative(request: &Request, function: &Function) -> Result {
    let threads = request.block.iter().product();
    let each = function.blocks_per_multiprocessor(threads, request.dynamic_shared as usize);
    let most = u64::from(each) * u64::from(DEVICE.multiprocessors);
    let blocks: u128 = request.grid.iter().map(|&n| u128::from(n)).product();
    if blocks > u128::from(most) {
        let cause = format!("{blocks} blocks must be resident at once, and {most} can be");
        return Err(CUresult::COOPERATIVE_LAUNCH_TOO_LARGE.because(cause));
    }
    Ok(())
}

/// Copies the arguments to where the kernel expects them.
fn gather(function: &Function, arguments: &Arguments) -> Result<Vec<u8>> {
    let ir = function.kernel.ir();
    match (arguments.pointers.is_null(), arguments.extra.is_null()) {
        (false, false) => {
            Err(CUresult::INVALID_VALUE.because("both kernelParams and extra are given"))
        }
        (true, false) => from_buffer(&arguments.extra, ir.param_bytes as usize),
        (true, true) if !ir.params.is_empty() => Err(CUresult::INVALID_VALUE
            .because(format!("no arguments are given, and it has {}", ir.params.len()))),
        (_, true) => from_pointers(&arguments.pointers, ir),
    }
}

fn from_pointers(pointers: &In<usize>, ir: &ptx::ir::Kernel) -> Result<Vec<u8>> {
    let mut params = vec![0; ir.param_bytes as usize];
    let count = ir.params.len();
    for (index, param) in ir.params.iter().enumerate() {
        let (offset, size) = (param.offset as usize, param.size as usize);
        let wrong = |what: &str| {
            CUresult::INVALID_VALUE.because(format!(
                "argument {} of {count}, of {size} bytes, {what}: are all arguments given?",
                index + 1
            ))
        };
        if !readable(pointers.address() + index * size_of::<usize>(), size_of::<usize>()) {
            return Err(wrong("is missing"));
        }
        let pointer = pointers.at(index)?;
        if !readable(pointer, size) {
            return Err(wrong(&format!("is at {pointer:#x}, which cannot be read")));
        }
        // SAFETY: the caller promises an argument there, and it could be read just now.
        let bytes = unsafe { std::slice::from_raw_parts(pointer as *const u8, size) };
        params[offset..offset + size].copy_from_slice(bytes);
    }
    Ok(params)
}

/// The argument buffer of an `extra` list.
fn from_buffer(extra: &In<usize>, wanted: usize) -> Result<Vec<u8>> {
    const END: usize = 0;
    const BUFFER_POINTER: usize = 1;
    const BUFFER_SIZE: usize = 2;
    /// More settings than there are kinds of.
    const MOST: usize = 16;
    let invalid = |cause: String| CUresult::INVALID_VALUE.because(cause);
    let (mut pointer, mut size) = (0, None);
    for index in (0..MOST).step_by(2) {
        match extra.at(index)? {
            END => break,
            BUFFER_POINTER => pointer = extra.at(index + 1)?,
            BUFFER_SIZE => size = Some(In(extra.at(index + 1)? as *const usize).get()?),
            other => return Err(invalid(format!("extra holds {other}"))),
        }
    }
    let size = size.ok_or_else(|| invalid("extra has no CU_LAUNCH_PARAM_BUFFER_SIZE".into()))?;
    // What follows the last argument is padding, which callers may count or not.
    if size < wanted || size > wanted.next_multiple_of(16) {
        return Err(invalid(format!("the argument buffer has {size} bytes, not {wanted}")));
    }
    if !readable(pointer, size) {
        return Err(invalid(format!("the argument buffer at {pointer:#x} cannot be read")));
    }
    crate::types::HostBytes(pointer as *mut c_void).as_slice(wanted).map(<[u8]>::to_vec)
}
