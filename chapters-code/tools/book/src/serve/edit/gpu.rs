//! A recorded run, executed by a CUDA driver in a process of its own: on the reader's GPU, if the reader asks for it.

use std::ffi::c_void;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use cudarc::driver::{CudaModule, CudaSlice, DevicePtr, result, sys};
use cudarc::nvrtc::Ptx;
use exercise::check::{Target, this_program};
use harness::{Device, DeviceChoice};
use lab::content::{Expected, hash};
use lab::data::{Operation, Run};
use lab::value;
use serde::{Deserialize, Serialize};

use super::worker::{self, Printed, Worker};

/// The command of this program that does a job.
pub const GPU_WORKER: &str = "execute-one-run";

/// How long a run may take, with the start of the driver.
const TIME: Duration = Duration::from_secs(30);
/// The most bytes of what is said of a run, and of what its kernels print: a driver keeps 8 MiB of that per launch.
const OUTPUT: usize = 32 << 20;

/// What is to be executed.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Job {
    /// PTX, a text per module.
    modules: Vec<String>,
    /// The run.
    run: Run,
    /// Where: the simulator is for tests of this very code.
    target: Target,
}

/// What came of it.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Executed {
    /// The device's name.
    device: String,
    /// Whether the results are right; none if nothing is known of the right ones.
    is_right: Option<bool>,
    /// The first element that is wrong, in words, if it is known which one that is.
    first: Option<String>,
    /// What its kernels have printed.
    #[serde(default)]
    printed: Printed,
}

/// Executes a run in a process of its own. A GPU's driver reserves far more address space than it uses, so that alone is
/// not limited.
///
/// # Errors
/// If the run takes too long, or the driver refuses it.
pub(super) fn in_a_process(job: &Job) -> Result<Executed> {
    let worker = Worker {
        program: this_program()?,
        arguments: vec![GPU_WORKER.to_owned()],
        time: TIME,
        memory: None,
        output: OUTPUT,
    };
    let (executed, printed) = worker.ask_and_hear::<Executed>(job).context("the run has failed")?;
    Ok(Executed { printed, ..executed })
}

/// Reads a job from standard input, does it, and writes what came of it to standard output.
///
/// # Errors
/// What the driver says.
pub fn execute_one() -> Result<()> {
    worker::answer(|Job { modules, run, target }| {
        let device = Device::open(match target {
            Target::Simulator => DeviceChoice::Sim,
            Target::Gpu => DeviceChoice::Gpu,
        })?;
        Replay::new(&device, &modules, &run)?.execute()
    })
}

/// A run with its modules and its memory on a device.
struct Replay<'a> {
    device: &'a Device,
    run: &'a Run,
    modules: Vec<(ptx::ir::Module, Arc<CudaModule>)>,
    /// For each allocation of the recorded device, its range there and the memory here.
    memory: Vec<(Range<u64>, CudaSlice<u8>)>,
}

impl<'a> Replay<'a> {
    fn new(device: &'a Device, modules: &[String], run: &'a Run) -> Result<Self> {
        let is_of_one = !run.is_of_several_devices();
        ensure!(is_of_one, "a run of several devices is executed in the page only");
        let load = |text: &String| {
            let loaded = device.context.load_module(Ptx::from_src(text));
            let loaded = loaded.map_err(|error| device.explain("loading the kernel", error))?;
            Ok((ptx::parse(text)?, loaded))
        };
        let modules = modules.iter().map(load).collect::<Result<_>>()?;
        let mut memory = Vec::new();
        for allocation in &run.allocations {
            let bytes = allocation.content.bytes();
            let end = allocation.address.checked_add(bytes.len() as u64);
            let range = allocation.address..end.context("an allocation has no end")?;
            if !bytes.is_empty() {
                memory.push((range, device.stream.clone_htod(&bytes)?));
            }
        }
        Ok(Self { device, run, modules, memory })
    }

    /// The address here of `bytes` bytes of the recorded device.
    fn address(&self, recorded: u64, bytes: u64) -> Result<u64> {
        let end = recorded.checked_add(bytes).context("an operation has no end")?;
        let found = self.here(recorded).filter(|(range, _)| end <= range.end);
        found.map(|(_, here)| here).context("an operation is outside of the run's memory")
    }

    /// The allocation that an address of the recorded device is in, and the address here.
    fn here(&self, recorded: u64) -> Option<(&Range<u64>, u64)> {
        let (range, memory) = self.memory.iter().find(|(range, _)| range.contains(&recorded))?;
        let start = memory.device_ptr(&self.device.stream).0;
        Some((range, start + (recorded - range.start)))
    }

    /// Executes the operations in order, and judges what the host reads.
    fn execute(&self) -> Result<Executed> {
        let device = self.device.properties.name.clone();
        let mut executed =
            Executed { device, is_right: None, first: None, printed: Printed::default() };
        for operation in &self.run.operations {
            match operation {
                Operation::Launch { .. } => self.launch(operation)?,
                Operation::Copy { to, from, bytes } => {
                    let (to, from) = (self.address(*to, *bytes)?, self.address(*from, *bytes)?);
                    // SAFETY: both ranges are within allocations that live as long as `self`.
                    unsafe { result::memcpy_dtod_sync(to, from, usize::try_from(*bytes)?) }?;
                }
                Operation::Fill { address, pattern, count } => {
                    self.write(*address, &pattern.0.repeat(usize::try_from(*count)?))?;
                }
                Operation::Write { address, content } => self.write(*address, &content.bytes())?,
                Operation::Read { address, content: Some(expected) } => {
                    let mut bytes = vec![0u8; expected.len()];
                    let from = self.address(*address, bytes.len() as u64)?;
                    // SAFETY: the range is within an allocation that lives as long as `self`.
                    unsafe { result::memcpy_dtoh_sync(&mut bytes, from) }?;
                    self.judge(&mut executed, *address, &bytes, expected);
                }
                Operation::Read { content: None, .. } => {}
            }
        }
        Ok(executed)
    }

    fn write(&self, address: u64, bytes: &[u8]) -> Result<()> {
        let to = self.address(address, bytes.len() as u64)?;
        // SAFETY: the range is within an allocation that lives as long as `self`.
        Ok(unsafe { result::memcpy_htod_sync(to, bytes) }?)
    }

    fn launch(&self, operation: &Operation) -> Result<()> {
        let &Operation::Launch {
            module,
            ref kernel,
            grid,
            block,
            dynamic_shared,
            cooperative,
            ref parameters,
            ..
        } = operation
        else {
            return Ok(());
        };
        let (text, module) = self.modules.get(module).context("a launch names no module")?;
        let declared = text.kernels.iter().find(|known| known.name == *kernel);
        let declared = declared.with_context(|| format!("there is no kernel {kernel}"))?;
        let mut bytes = parameters.0.clone();
        for word in bytes.chunks_exact_mut(8) {
            let recorded = u64::from_le_bytes(word.try_into().unwrap_or_default());
            if let Some((_, here)) = self.here(recorded) {
                word.copy_from_slice(&here.to_le_bytes());
            }
        }
        let end = declared.params.last().map_or(0, |last| last.offset + last.size);
        ensure!(
            end as usize == bytes.len(),
            "{kernel} has {end} bytes of parameters, and is launched with {}",
            bytes.len()
        );
        let function = module.load_function(kernel)?;
        if dynamic_shared > 0 {
            let most =
                sys::CUfunction_attribute_enum::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
            function.set_attribute(most, i32::try_from(dynamic_shared)?)?;
        }
        let parameter = |param: &ptx::ir::Param| {
            bytes[param.offset as usize..].as_ptr().cast::<c_void>().cast_mut()
        };
        let mut pointers: Vec<*mut c_void> = declared.params.iter().map(parameter).collect();
        let (grid, block) = (grid.into(), block.into());
        let (function, stream) = (function.cu_function(), self.device.stream.cu_stream());
        let launch = match cooperative {
            true => result::launch_cooperative_kernel,
            false => result::launch_kernel,
        };
        // SAFETY: the pointers are to as many bytes as the kernel declares for each parameter. What the kernel reads and
        // writes is its author's responsibility: the reader has asked to run it.
        let launched =
            unsafe { launch(function, grid, block, dynamic_shared, stream, &mut pointers) };
        launched.map_err(|error| self.device.explain("launching the kernel", error))?;
        Ok(self.device.finish("running the kernel")?)
    }

    /// Compares what was read at `address` with what it should be.
    fn judge(&self, executed: &mut Executed, address: u64, bytes: &[u8], expected: &Expected) {
        let right = match expected {
            Expected::Content(content) => content.bytes(),
            Expected::Unchanged { .. } => {
                let mut all = self.run.allocations.iter();
                let before = all.find(|allocation| allocation.address == address);
                before.map(|allocation| allocation.content.bytes()).unwrap_or_default()
            }
            Expected::Hash { hash: right, .. } => {
                let is_right = hash(bytes) == *right;
                executed.is_right = Some(executed.is_right.unwrap_or(true) && is_right);
                return;
            }
        };
        let is_right = bytes == right;
        executed.is_right = Some(executed.is_right.unwrap_or(true) && is_right);
        let dtype = &self.run.dtype;
        let size = value::size(dtype);
        let mut elements = bytes.chunks(size).zip(right.chunks(size)).enumerate();
        if executed.first.is_none()
            && let Some((element, (is, right))) = elements.find(|(_, (is, right))| is != right)
        {
            let [is, right] = [is, right].map(|bytes| value::of_bytes(dtype, bytes));
            executed.first = Some(format!("element {element} is {is} instead of {right}"));
        }
    }
}
