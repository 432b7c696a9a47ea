//! What a rung is, what it is set up from, what it is when it is ready to be launched, and how it is
//! then launched and judged.

use std::sync::Arc;

use cudarc::driver::{
    CudaFunction, CudaModule, CudaSlice, CudaStream, CudaView, CudaViewMut, DriverError,
    LaunchConfig,
};

use crate::{
    Case, Device, Element, Error, Operation,
    buffer::{self, Guarded},
    kernel,
    verify::{self, Checker, Failure, Verdict},
};

/// A rung: one kernel, one idea.
#[derive(Clone, Copy)]
pub struct Rung {
    /// Its name and that of its kernel file.
    pub name: &'static str,
    /// Its idea in a line.
    pub idea: &'static str,
    /// Its kernel, for one or more targets.
    pub ptx: &'static [&'static str],
    /// Loads its functions and allocates its scratch.
    pub setup: fn(&Setup<'_>) -> Result<Ready, Error>,
    /// What notices that it is wrong, if it is meant to be.
    pub caught_by: &'static [Checker],
}

/// A [`Rung`] whose kernel file and PTX have its name, unless the PTX is named.
#[macro_export]
macro_rules! rung {
    ($name:literal, $setup:expr, $idea:literal) => {
        $crate::rung!($name, $setup, $idea, [concat!($name, ".ptx")])
    };
    ($name:literal, $setup:expr, $idea:literal, [$($file:expr),*]) => {
        $crate::rung::Rung {
            name: $name,
            idea: $idea,
            ptx: &[$(include_str!(concat!("../kernels/", $file))),*],
            setup: $setup,
            caught_by: &[],
        }
    };
}

/// What a rung is set up from.
pub struct Setup<'a> {
    /// The device, with its stream.
    pub device: &'a Device,
    /// The rung's kernels.
    pub module: Arc<CudaModule>,
    /// The problem.
    pub case: Case,
    /// Threads of a block, where the rung's own number is not wanted.
    pub block: Option<u32>,
}

impl Setup<'_> {
    /// An entry point of the rung's kernel file.
    ///
    /// # Errors
    /// [`Error::Module`] where it has no such kernel.
    pub fn entry(&self, name: &str) -> Result<CudaFunction, Error> {
        kernel::load_function(&self.module, name)
    }

    /// Device memory full of poison.
    ///
    /// # Errors
    /// [`Error::Driver`] where the device has no room for it.
    pub fn scratch(&self, bytes: u64) -> Result<CudaSlice<u8>, Error> {
        buffer::poisoned(self.device, bytes as usize)
    }

    /// The stream on which everything is launched.
    pub fn stream(&self) -> Arc<CudaStream> {
        self.device.stream.clone()
    }
}

/// A rung that is ready: its first kernel, for the table, and everything to enqueue.
pub struct Ready {
    /// The kernel that reads the input.
    pub kernel: CudaFunction,
    /// Its launch.
    pub config: LaunchConfig,
    /// The most rounded operations that an element passes through.
    pub depth: u64,
    /// What flushing denormals to zero may cost besides; 0 where the kernel keeps them.
    pub underflow: f64,
    /// Enqueues one operation.
    pub launch: Launch,
}

/// Enqueues all kernels of one operation, from an input to an output.
pub type Launch =
    Box<dyn FnMut(&CudaView<'_, u8>, &mut CudaViewMut<'_, u8>) -> Result<(), DriverError>>;

impl Ready {
    /// A rung whose kernels keep denormals. `launch` enqueues one operation: it gets the input and
    /// the output.
    pub fn new(
        kernel: CudaFunction,
        config: LaunchConfig,
        depth: u64,
        launch: impl FnMut(&CudaView<'_, u8>, &mut CudaViewMut<'_, u8>) -> Result<(), DriverError>
        + 'static,
    ) -> Self {
        Self {
            kernel,
            config,
            depth,
            underflow: 0.0,
            launch: Box::new(launch),
        }
    }
}

/// A case with its input in both memories.
pub struct Uploaded<T> {
    /// The device.
    pub device: Device,
    /// The case.
    pub case: Case,
    /// The input.
    pub host: Vec<T>,
    /// The same on the device.
    pub input: CudaSlice<u8>,
    /// Threads of a block, where they are not the rung's own.
    pub block: Option<u32>,
}

impl<T: Element> Uploaded<T> {
    /// Copies a case's input to the device.
    ///
    /// # Errors
    /// [`Error::Driver`] where the device has no room for it.
    pub fn new(device: &Device, case: &Case, host: Vec<T>) -> Result<Self, Error> {
        Ok(Self {
            device: device.clone(),
            case: *case,
            input: buffer::upload(device, &host)?,
            host,
            block: None,
        })
    }

    /// Loads a rung and allocates its scratch.
    ///
    /// # Errors
    /// [`Error::Module`] where its kernels cannot be loaded, [`Error::Driver`] where its memory is
    /// not to be had, [`Error::Usage`] where its blocks cannot have as many threads as are wanted.
    pub fn ready(&self, rung: &Rung) -> Result<Ready, Error> {
        let setup = Setup {
            device: &self.device,
            module: kernel::load_module(&self.device, rung.name, rung.ptx)?,
            case: self.case,
            block: self.block,
        };
        let ready = (rung.setup)(&setup)?;
        let own = ready.config.block_dim.0;
        match self.block.filter(|&threads| threads != own) {
            None => Ok(ready),
            Some(threads) => Err(Error::Usage(format!(
                "{} does not run in blocks of {threads} threads; its own have {own}",
                rung.name
            ))),
        }
    }

    /// A rung with an output of so many bytes. `judge` gets the input and what the rung wrote.
    ///
    /// # Errors
    /// [`Error::Driver`] where the device has no room for the output.
    pub fn operation<'p>(
        &'p mut self,
        ready: Ready,
        output_bytes: usize,
        judge: impl FnMut(&[T], &[u8]) -> Verdict + 'p,
    ) -> Result<Box<dyn Operation + 'p>, Error> {
        Ok(Box::new(Judged {
            out: Guarded::new(&self.device, output_bytes)?,
            output_bytes: output_bytes as u64,
            uploaded: self,
            ready,
            judge,
        }))
    }

    /// Whether the input is as it was; if not, puts it back for the next rung.
    fn check_input(&mut self) -> Result<Option<Failure>, Error> {
        let now = buffer::download(&self.device, &self.input)?;
        let failure = verify::input_changed(&self.host, &now);
        if failure.is_some() {
            self.input = buffer::upload(&self.device, &self.host)?;
        }
        Ok(failure)
    }
}

/// A rung on a case.
struct Judged<'p, T, J> {
    uploaded: &'p mut Uploaded<T>,
    ready: Ready,
    out: Guarded,
    output_bytes: u64,
    judge: J,
}

impl<T: Element, J: FnMut(&[T], &[u8]) -> Verdict> Operation for Judged<'_, T, J> {
    fn poison(&mut self) -> Result<(), DriverError> {
        self.out.poison()
    }

    fn launch(&mut self) -> Result<(), DriverError> {
        (self.ready.launch)(&self.uploaded.input.as_view(), &mut self.out.view_mut())
    }

    fn verify(&mut self) -> Result<Verdict, Error> {
        let mut verdict = match self.out.download()? {
            Ok(computed) => (self.judge)(&self.uploaded.host, &computed),
            Err(at) => Verdict::of(Failure::beside_output(at)),
        };
        verdict.failures.extend(self.uploaded.check_input()?);
        Ok(verdict)
    }

    fn bytes(&self) -> u64 {
        self.uploaded.case.input_bytes() + self.output_bytes
    }

    fn usage(&self) -> Result<kernel::Usage, Error> {
        kernel::usage(
            &self.uploaded.device,
            &self.ready.kernel,
            &self.ready.config,
        )
    }
}
