//! A rung in a CUDA graph: captured once, then replayed on other inputs in the same memory.
//!
//! A replay launches the captured kernels with the arguments of the capture. A kernel that needs another
//! argument in every launch, or memory that the host prepares, is silently wrong there. So each replay
//! is judged as a launch of its own would be.

use cudarc::driver::{
    CudaGraph, CudaStream, CudaView, DevicePtr, DriverError, result,
    sys::{CUgraphInstantiate_flags, CUresult, CUstreamCaptureMode},
};

use crate::{Case, Chapter, Device, Error, Operation, ladder, verify::Verdict};

/// Launches a rung once, captures one more launch, and replays it on the inputs of the other cases. Gives
/// what was found of each replay.
///
/// The cases differ in the values of their inputs only. Their outputs may have different lengths: the
/// longest is captured.
///
/// # Errors
/// [`Error::Driver`] where a launch cannot be captured or replayed, [`Error::Usage`] where the inputs have
/// different lengths, and those of [`Chapter::problem`].
pub fn replays(
    chapter: &dyn Chapter,
    device: &Device,
    rung: &str,
    cases: &[Case],
) -> Result<Vec<Verdict>, Error> {
    let device = &device.with_own_stream()?;
    let Some((first, others)) = cases.split_first() else {
        return Ok(Vec::new());
    };
    let mut problem = chapter.problem(device, first)?;
    let mut operation = problem.operation(rung)?;
    if operation.refills() {
        return refilled(device, &mut *operation, others);
    }
    drop(operation);
    drop(problem);
    let mut problems = cases
        .iter()
        .map(|case| chapter.problem(device, case))
        .collect::<Result<Vec<_>, _>>()?;
    let mut operations = Vec::new();
    for problem in &mut problems {
        let mut operation = problem.operation(rung)?;
        operations.push((lengths(device, &mut *operation)?, operation));
    }
    operations.sort_by_key(|(lengths, _)| std::cmp::Reverse(lengths.output));
    let mut operations = operations.into_iter();
    let Some((longest, mut captured)) = operations.next() else {
        return Ok(Vec::new());
    };
    let graph = capture(device, &mut *captured)?;
    let mut verdicts = Vec::new();
    for (lengths, mut operation) in operations {
        if lengths.input != longest.input {
            return Err(Error::Usage(format!(
                "the inputs of {rung} have {} and {} bytes\n  remedy: choose cases whose inputs have one length",
                longest.input, lengths.input
            )));
        }
        device.take_report();
        replay(&device.stream, &graph, &mut *captured, &mut *operation)
            .and_then(|()| device.stream.synchronize())
            .map_err(|error| device.explain("replaying a graph", error))?;
        let races = ladder::race(&device.take_report());
        let mut verdict = operation.verify()?;
        verdict.failures.extend(races);
        verdicts.push(verdict);
    }
    Ok(verdicts)
}

/// Captures a launch of an operation, and replays it on the inputs of other cases.
fn refilled(
    device: &Device,
    operation: &mut dyn Operation,
    cases: &[Case],
) -> Result<Vec<Verdict>, Error> {
    let graph = capture(device, operation)?;
    let mut verdicts = Vec::new();
    for case in cases {
        operation.refill(case)?;
        device.take_report();
        let mut replay = || {
            operation.poison()?;
            operation.replayed();
            graph.launch()?;
            device.stream.synchronize()
        };
        replay().map_err(|error| device.explain("replaying a graph", error))?;
        let races = ladder::race(&device.take_report());
        let mut verdict = operation.verify()?;
        verdict.failures.extend(races);
        verdicts.push(verdict);
    }
    Ok(verdicts)
}

/// Bytes of an operation's memory.
struct Lengths {
    input: usize,
    output: usize,
}

fn lengths(device: &Device, operation: &mut dyn Operation) -> Result<Lengths, Error> {
    let mut lengths = None;
    let mut look = |input: &CudaView<'_, u8>, out: &mut cudarc::driver::CudaViewMut<'_, u8>| {
        lengths = Some(Lengths {
            input: input.len(),
            output: out.len(),
        });
        Ok(())
    };
    let looked = operation.launch_by(&mut look);
    looked.map_err(|error| device.explain("finding the memory of an operation", error))?;
    lengths.ok_or_else(|| Error::Usage("the operation has no memory".into()))
}

/// Captures one launch, after one that is not captured: a driver may load a kernel at its first launch.
fn capture(device: &Device, operation: &mut dyn Operation) -> Result<CudaGraph, Error> {
    let stream = &device.stream;
    let mut graph = || {
        operation.poison()?;
        operation.launch()?;
        stream.synchronize()?;
        stream.begin_capture(CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL)?;
        let launched = operation.launch();
        // Also where the launch failed: the stream takes no other work before.
        let graph = stream.end_capture(CUgraphInstantiate_flags(0));
        launched?;
        graph?.ok_or(DriverError(CUresult::CUDA_ERROR_STREAM_CAPTURE_INVALIDATED))
    };
    graph().map_err(|error| device.explain("capturing a launch in a graph", error))
}

/// Enqueues a replay: the graph reads the input of `operation`, and its output gets what the graph
/// writes. Both pass through the memory of the operation that was captured.
fn replay(
    stream: &std::sync::Arc<CudaStream>,
    graph: &CudaGraph,
    captured: &mut dyn Operation,
    operation: &mut dyn Operation,
) -> Result<(), DriverError> {
    operation.poison()?;
    captured.launch_by(&mut |own_input, own_out| {
        operation.launch_by(&mut |input, out| {
            overwrite(stream, own_input, input)?;
            let mut result = own_out.slice_mut(..out.len());
            stream.memcpy_dtod(out, &mut result)?;
            graph.launch()?;
            stream.memcpy_dtod(&result, out)
        })
    })
}

/// Copies an input over another one of the same length.
fn overwrite(
    stream: &CudaStream,
    to: &CudaView<'_, u8>,
    from: &CudaView<'_, u8>,
) -> Result<(), DriverError> {
    let (to, _written) = to.device_ptr(stream);
    let (source, _read) = from.device_ptr(stream);
    // SAFETY: both are as long as `from`, and the stream orders all that is done with them.
    unsafe { result::memcpy_dtod_async(to, source, from.len(), stream.cu_stream()) }
}
