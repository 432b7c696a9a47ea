//! Kernels on a device: buffers, launches, and what came of them.

use std::{
    cell::{Cell, RefCell},
    collections::BTreeMap,
    ffi::CString,
    sync::Arc,
};

use anyhow::{Context, Result, bail, ensure};
use cudarc::{
    driver::{
        CudaFunction, CudaModule, CudaSlice, DevicePtr, DriverError, PushKernelArg,
        sys::{CUfunction_attribute_enum::*, CUresult},
    },
    nvrtc::Ptx,
};
use harness::{
    Device, DeviceChoice, Error, Output, buffer,
    simulator::{Options, Report},
};

use super::{
    Failure, Target, compile, judge,
    ready::{Argument, Empty, Memory, Ready, empty},
    stored,
};
use crate::{
    course::{Declaration, Launch},
    diagnosis::Diagnosis,
    operation::{Comparison, Instance},
};

/// Warp instructions that a launch may take in any case.
const INSTRUCTIONS: u64 = 1 << 23;

/// Warp instructions that it may take for each byte of its arrays: enough for one thread that does it
/// all.
const INSTRUCTIONS_A_BYTE: u64 = 8;

/// Bytes of shared arrays that a block may have. Drivers allow more in PTX, but nvcc does not.
const SHARED: i32 = 48 << 10;

/// A device with the kernels of a submission.
pub struct Bench {
    /// The device; of several, the first.
    pub device: Device,
    /// All devices.
    devices: Vec<Device>,
    /// The text of the module, if it has variables in global memory.
    with_variables: Option<String>,
    launches: Vec<Ready>,
    pub(super) declaration: Declaration,
    /// The last run's arrays without elements.
    pub(super) empty: RefCell<Vec<Empty>>,
    /// Whether a run is stopped at a store to memory that must stay as it is.
    protects: Cell<bool>,
    /// The last run's arrays, if that was so.
    pub(super) protected: RefCell<Vec<stored::Stays>>,
}

/// What came of a run that was not stopped.
pub struct Ran {
    /// What the simulator saw.
    pub report: Report,
    /// Of each output.
    pub comparisons: Vec<Comparison>,
    /// Device addresses of the outputs.
    pub addresses: Vec<u64>,
    /// What was written outside the outputs.
    pub damage: Option<Failure>,
}

impl Ran {
    /// Whether every result is right, and nothing else was written.
    pub fn is_right(&self) -> bool {
        self.damage.is_none() && self.comparisons.iter().all(Comparison::is_right)
    }
}

impl Bench {
    /// Opens the device.
    pub fn open(target: Target, declaration: &Declaration) -> Result<Self> {
        let device = Device::open(match target {
            Target::Simulator => DeviceChoice::Sim,
            Target::Gpu => DeviceChoice::Gpu,
        })?;
        if let Some(simulator) = device.simulator() {
            // On one thread of the host the order of blocks is the schedule's alone, so that a verdict
            // is the same in every run.
            simulator.configure(|options| options.threads = 1)?;
        }
        let last = declaration.launch.iter().map(|launch| launch.device).max();
        let devices = device.with_peers(last.unwrap_or_default() + 1)?;
        for device in devices.iter().filter(|_| devices.len() > 1) {
            // SAFETY: a run waits for all devices after it has filled their memory, and after its launches.
            unsafe { device.context.disable_event_tracking() };
        }
        Ok(Self {
            device,
            devices,
            with_variables: None,
            launches: Vec::new(),
            declaration: declaration.clone(),
            empty: RefCell::default(),
            protects: Cell::default(),
            protected: RefCell::default(),
        })
    }

    /// Why the device cannot run a text that was compiled for a newer one, if it cannot.
    pub fn is_too_old(&self, ptx: &str) -> Option<String> {
        let (major, minor) = self.device.properties.compute_capability;
        let needed = harness::kernel::target(ptx);
        (needed > (10 * major + minor) as u32).then(|| {
            format!(
                "it was not run here: it needs compute capability {}.{}, and this device has \
                 {major}.{minor}",
                needed / 10,
                needed % 10
            )
        })
    }

    /// Loads the kernels of the launches.
    ///
    /// # Errors
    /// Outside, what no submission can do; inside, why the driver refuses it.
    pub fn load(&mut self, ptx: &str, launches: &[Launch]) -> Result<Result<(), Failure>> {
        let module = match self.device.context.load_module(Ptx::from_src(ptx)) {
            Ok(module) => module,
            Err(DriverError(CUresult::CUDA_ERROR_UNSUPPORTED_PTX_VERSION)) => bail!(
                "the NVRTC that was found is newer than the device's driver\n  remedy: unset \
                 NVRTC_PATH; `cargo exercise setup` fetches the NVRTC that the book uses"
            ),
            Err(error) => {
                let seen = self.device.explain("loading the kernel", error).to_string();
                return Ok(Err(Failure::new(Diagnosis::Module, seen)));
            }
        };
        self.name_variables(&module, ptx)?;
        for launch in launches {
            let function = self.function(&module, ptx, launch)?;
            let shared = function.shared_size_bytes()?;
            if shared > SHARED {
                let kernel = &launch.kernel;
                let seen = format!(
                    "`{kernel}` has {shared} bytes of shared arrays, and may have {SHARED}"
                );
                let hint = "48 KiB of __shared__ arrays is what a block gets without asking";
                return Ok(Err(Failure::new(Diagnosis::Resources, seen).hint(hint)));
            }
            self.launches.push(Ready {
                lasting: self.function(&module, ptx, launch)?,
                function: RefCell::new(function),
                parameters: launch.parameters()?,
                launch: launch.clone(),
            });
        }
        self.with_variables = ptx.lines().any(declares_a_variable).then(|| ptx.to_owned());
        Ok(Ok(()))
    }

    /// The kernel of a launch. `module` is that of the first device, and any other device gets one of its own.
    fn function(
        &self,
        module: &Arc<CudaModule>,
        ptx: &str,
        launch: &Launch,
    ) -> Result<CudaFunction> {
        let module = match launch.device {
            0 => module.clone(),
            other => self.devices[other].context.load_module(Ptx::from_src(ptx))?,
        };
        Ok(module.load_function(&launch.kernel)?)
    }

    /// Loads a module with variables anew, so that they tell a run nothing of those before it.
    fn forget(&self) -> Result<()> {
        let Some(ptx) = &self.with_variables else {
            return Ok(());
        };
        let module = self.device.context.load_module(Ptx::from_src(ptx))?;
        for ready in &self.launches {
            ready.function.replace(self.function(&module, ptx, &ready.launch)?);
        }
        self.name_variables(&module, ptx)?;
        Ok(())
    }

    /// Has reports call the variables of a module by their names. What the module does not know by its name is called by
    /// its address.
    fn name_variables(&self, module: &Arc<CudaModule>, ptx: &str) -> Result<()> {
        for name in compile::variables(ptx) {
            if let Ok(variable) = module.get_global(name, &self.device.stream) {
                self.set_name(variable.device_ptr(&self.device.stream).0, name)?;
            }
        }
        Ok(())
    }

    /// Has the simulator, if the device is one, call memory by a name.
    fn set_name(&self, address: u64, name: &str) -> Result<()> {
        if let Some(simulator) = self.device.simulator() {
            ensure!(simulator.set_name(address, &CString::new(name)?), "`{name}` is not allocated");
        }
        Ok(())
    }

    /// Runs an instance once, and looks at what came of it. A module with variables runs once more, as one that has
    /// stayed loaded since the first run: what its variables hold then must not matter.
    ///
    /// # Errors
    /// Outside, what no submission can do; inside, what stopped a launch.
    pub fn run(&self, instance: &Instance) -> Result<Result<Ran, Failure>> {
        self.forget()?;
        let first = self.run_once(instance)?;
        if self.with_variables.is_none() || !first.as_ref().is_ok_and(Ran::is_right) {
            return Ok(first);
        }
        for ready in &self.launches {
            ready.function.replace(ready.lasting.clone());
        }
        let failure = match self.run_once(instance)? {
            Ok(again) if again.is_right() => return Ok(first),
            Ok(again) => self.first_wrong(instance, &again),
            Err(failure) => failure.seen,
        };
        Ok(Err(Failure::new(Diagnosis::State, failure)))
    }

    /// The first result that is wrong, in words.
    fn first_wrong(&self, instance: &Instance, ran: &Ran) -> String {
        let mut pairs = instance.outputs.iter().zip(&ran.comparisons);
        let wrong = pairs.find(|(_, comparison)| !comparison.is_right());
        match wrong {
            Some((output, comparison)) => judge::describe(output, comparison),
            None => ran.damage.as_ref().map(|damage| damage.seen.clone()).unwrap_or_default(),
        }
    }

    fn run_once(&self, instance: &Instance) -> Result<Result<Ran, Failure>> {
        let mut memory = self.allocate(instance)?;
        self.empty.replace(empty(&memory, instance));
        for (name, address) in &memory.addresses {
            self.set_name(*address, name)?;
        }
        self.limit(instance)?;
        self.protect_memory(instance, &memory)?;
        if self.is_of_several_devices() {
            self.synchronize()?;
        }
        if let Err(error) = self.launch(&memory) {
            return Ok(Err(self.stopped("launching the kernel", error)?));
        }
        if let Err(error) = self.synchronize() {
            return Ok(Err(self.stopped("running the kernel", error)?));
        }
        let report = self.device.take_report()?;
        let (comparisons, addresses) = (Vec::new(), Vec::new());
        let mut ran = Ran { report, comparisons, addresses, damage: None };
        for (output, guarded) in instance.outputs.iter().zip(&mut memory.outputs) {
            match guarded.download()? {
                Ok(bytes) => ran.comparisons.push(output.compare(&bytes)),
                Err(failure) => {
                    let seen = format!("`{}`: {}", output.name, failure.message);
                    ran.damage = Some(Failure::new(Diagnosis::BesideOutput, seen));
                }
            }
            ran.addresses.push(memory.addresses[output.name]);
        }
        for (input, array) in memory.inputs.iter().zip(&instance.inputs) {
            let now = buffer::to_host(&self.devices[array.device], &input.as_view())?;
            // Whole arrays are compared much faster than byte by byte.
            if now[..array.bytes.len()] != array.bytes[..] {
                let mut pairs = now.iter().zip(&array.bytes);
                let at = pairs.position(|(now, then)| now != then).unwrap_or_default();
                let seen = format!("`{}`: the byte at {at} is another", array.name);
                ran.damage = Some(Failure::new(Diagnosis::InputChanged, seen));
            }
        }
        Ok(Ok(ran))
    }

    /// Whether kernels run on several devices at the same time.
    pub fn is_of_several_devices(&self) -> bool {
        self.devices.len() > 1
    }

    /// Returns when no device has anything left to do.
    fn synchronize(&self) -> Result<(), DriverError> {
        self.devices.iter().try_for_each(|device| device.stream.synchronize())
    }

    /// Has the simulator stop a launch that takes far more instructions than the arrays can need.
    fn limit(&self, instance: &Instance) -> Result<()> {
        let limit = INSTRUCTIONS + INSTRUCTIONS_A_BYTE * bytes(instance) as u64;
        self.configure(|options| options.instruction_limit = limit)
    }

    /// Changes the options of the simulator, if the device is one.
    fn configure(&self, change: impl FnOnce(&mut Options)) -> Result<()> {
        Ok(self.device.simulator().map_or(Ok(()), |simulator| simulator.configure(change))?)
    }

    /// Has runs from now on stopped at a store to memory that must stay as it is, or not. They say so before anything
    /// is known of the results, so it is for kernels whose results are right.
    pub fn protect(&self, protects: bool) {
        self.protects.set(protects);
    }

    /// Has the simulator stop the next launches at a store to memory that must stay as it is.
    fn protect_memory(&self, instance: &Instance, memory: &Memory) -> Result<()> {
        let arrays = match self.protects.get() {
            true => stored::of(instance, memory),
            false => Vec::new(),
        };
        let parts = arrays.iter().flat_map(stored::Stays::protected).collect();
        self.configure(|options| options.write_protected = parts)?;
        if self.protects.get() {
            self.protected.replace(arrays);
        }
        Ok(())
    }

    /// Memory for an instance, filled.
    pub fn allocate(&self, instance: &Instance) -> Result<Memory> {
        let mut memory = Memory {
            inputs: Vec::new(),
            outputs: Vec::new(),
            scratch: Vec::new(),
            addresses: BTreeMap::new(),
            dimensions: instance.dimensions.clone(),
        };
        for array in &instance.inputs {
            let device = &self.devices[array.device];
            let input = buffer::to_device(device, &array.bytes)?;
            memory.addresses.insert(array.name.to_owned(), address(device, &input));
            memory.inputs.push(input);
        }
        for output in &instance.outputs {
            let device = &self.devices[output.device];
            let mut guarded = Output::<u8>::new(device, output.capacity * output.dtype.size())?;
            guarded.poison()?;
            let bytes = output.bytes_before(output.capacity * output.dtype.size());
            buffer::overwrite(device, &mut guarded.view_mut(), &bytes)?;
            let address = guarded.view().device_ptr(&device.stream).0;
            memory.addresses.insert(output.name.to_owned(), address);
            memory.outputs.push(guarded);
        }
        self.allocate_scratch(&mut memory)?;
        Ok(memory)
    }

    /// Scratch is uninitialised on the simulator, which reports whoever reads it then.
    fn allocate_scratch(&self, memory: &mut Memory) -> Result<()> {
        for (name, scratch) in &self.declaration.scratch {
            let elements = u64::from(scratch.elements.blocks(&memory.dimensions)?);
            let bytes = (elements * scratch.element_bytes) as usize;
            let device = &self.devices[scratch.device];
            let slice = match (scratch.zeroed, device.is_simulated()) {
                (true, _) => buffer::to_device(device, &vec![0u8; bytes])?,
                (false, true) => buffer::uninitialised(device, bytes)?,
                (false, false) => buffer::scratch(device, bytes as u64)?,
            };
            memory.addresses.insert(name.clone(), address(device, &slice));
            memory.scratch.push(slice);
        }
        Ok(())
    }

    /// Enqueues every launch, in order, each on its device.
    pub fn launch(&self, memory: &Memory) -> Result<(), Error> {
        for ready in &self.launches {
            let arguments = ready.arguments(memory)?;
            let config = ready.config(&memory.dimensions)?;
            let function = ready.function.borrow();
            let device = &self.devices[ready.launch.device];
            device
                .context
                .bind_to_thread()
                .map_err(|error| Error::driver("choosing a device", error))?;
            function.set_attribute(
                CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                config.shared_mem_bytes as i32,
            )?;
            let mut builder = device.stream.launch_builder(&function);
            for argument in &arguments {
                match argument {
                    Argument::Wide(value) => builder.arg(value),
                    Argument::Narrow(value) => builder.arg(value),
                    Argument::Float(value) => builder.arg(value),
                };
            }
            // SAFETY: the arguments have the sizes of the kernel's parameters, which were compared.
            // What it does with them is for the detectors, or the guard zones, to find out: the
            // memory is this process's own, and nothing else is on the device's context.
            unsafe { builder.launch(config) }
                .map_err(|error| Error::driver("launching the kernel", error))?;
        }
        Ok(())
    }

    /// Blocks of the first launch on an instance, and threads of a block of it.
    pub fn geometry(&self, instance: &Instance) -> Result<(u64, u64)> {
        let first = self.launches.first().context("there is a launch")?;
        let blocks = product(first.launch.grid(&instance.dimensions)?);
        Ok((blocks, product(first.launch.block()?)))
    }

    /// Threads of a block of the last launch.
    pub fn threads(&self) -> Result<u64> {
        let last = self.launches.last().context("there is a launch")?;
        Ok(product(last.launch.block()?))
    }

    /// Warps of the first launch on an instance.
    pub fn warps(&self, instance: &Instance) -> Result<u64> {
        let (blocks, threads) = self.geometry(instance)?;
        Ok(blocks * threads.div_ceil(32))
    }

    /// Chooses the order of warps and blocks, and how many blocks are resident at a time: 0 for as many as a GPU
    /// holds.
    pub fn schedule(&self, seed: u64, resident: u64) -> Result<()> {
        self.configure(|options| (options.seed, options.resident_blocks) = (seed, resident))
    }

    /// Runs an instance with every step kept, if that can be.
    pub fn traced(&self, instance: &Instance) -> Result<Result<Ran, Failure>> {
        let Some(simulator) = self.device.simulator() else {
            return self.run(instance);
        };
        let _session = simulator.session(|options| options.trace = true)?;
        self.run(instance)
    }

    /// Times all launches on an instance.
    pub fn time(&self, instance: &Instance) -> Result<harness::timing::Time> {
        let memory = self.allocate(instance)?;
        let mut stopwatch = harness::timing::Stopwatch::new(&self.device, 20)?;
        let invalid = DriverError(CUresult::CUDA_ERROR_INVALID_VALUE);
        let samples = stopwatch.measure(&mut || self.launch(&memory).map_err(|_| invalid))?;
        Ok(samples.time())
    }
}

/// Bytes of all inputs and outputs.
fn bytes(instance: &Instance) -> usize {
    let inputs = instance.inputs.iter().map(|array| array.bytes.len());
    let outputs = instance.outputs.iter().map(|output| output.capacity * output.dtype.size());
    inputs.chain(outputs).sum()
}

/// Where an array of a device begins.
fn address(device: &Device, slice: &CudaSlice<u8>) -> u64 {
    slice.device_ptr(&device.stream).0
}

/// Whether a line of PTX has the directive of a variable in global memory, wherever it stands in it.
fn declares_a_variable(line: &str) -> bool {
    line.split_whitespace().any(|word| word.trim_start_matches(['{', ';']) == ".global")
}

fn product((x, y, z): (u32, u32, u32)) -> u64 {
    [x, y, z].into_iter().map(u64::from).product()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::course::{Course, FOLDER};

    /// The simulated device has compute capability 9.0.
    #[test]
    fn what_a_device_is_too_old_for_is_said() {
        let course = Course::read(&crate::workspace().join(FOLDER)).expect("it can be read");
        let exercise = course.find("two_stages").expect("it is there");
        let bench = Bench::open(Target::Simulator, &exercise.declaration).expect("it opens");
        assert_eq!(bench.is_too_old(".target sm_90"), None);
        let note = bench.is_too_old(".target sm_120").unwrap_or_default();
        assert!(
            note.contains("it needs compute capability 12.0, and this device has 9.0"),
            "{note}"
        );
    }
}
