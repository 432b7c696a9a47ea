//! What a rung is, what it is set up from, and what it is when it is ready to be launched. How it is
//! then launched and judged is in [`uploaded`](crate::uploaded).

use std::sync::Arc;

use cudarc::driver::{
    CudaFunction, CudaModule, CudaSlice, CudaStream, CudaView, CudaViewMut, DriverError,
    LaunchConfig,
};

use crate::{Case, Device, Error, RungInfo, buffer, ceiling::Ceiling, kernel, verify::Checker};

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
    /// The most elements on which it runs unless it is asked for by name.
    pub most_elements: u64,
    /// Whether it would never end on a GPU: only the simulator, which notices, runs it.
    pub is_endless: bool,
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
            most_elements: u64::MAX,
            is_endless: false,
        }
    };
}

/// A [`Rung`] that is shown because it is wrong, with what can notice it. Its kernel file is in the
/// folder `broken`, unless the PTX is named.
#[macro_export]
macro_rules! broken {
    ($name:literal, $setup:expr, [$($by:ident),*], $idea:literal) => {
        $crate::broken!($name, $setup, [$($by),*], $idea, [concat!("broken/", $name, ".ptx")])
    };
    ($name:literal, $setup:expr, [$($by:ident),*], $idea:literal, [$($file:expr),*]) => {
        $crate::rung::Rung {
            caught_by: &[$($crate::verify::Checker::$by),*],
            ..$crate::rung!($name, $setup, $idea, [$($file),*])
        }
    };
}

/// Elements that one thread alone gets through in a fraction of a second: each takes it some hundred
/// nanoseconds on a GPU.
pub const MOST_OF_ONE_THREAD: u64 = 1 << 20;

impl Rung {
    /// The same, left out above so many elements unless it is asked for by name.
    pub const fn up_to(self, most_elements: u64) -> Self {
        Self {
            most_elements,
            ..self
        }
    }

    /// The same, marked as one that would never end on a GPU.
    pub const fn endless(self) -> Self {
        Self {
            is_endless: true,
            ..self
        }
    }

    /// Whether it has an entry point of this name.
    pub fn has_entry(&self, name: &str) -> bool {
        kernel::has_entry(self.ptx, name)
    }

    /// As the harness lists it, with what its rate is compared with.
    pub fn info(&self, ceiling: Ceiling) -> RungInfo {
        RungInfo {
            caught_by: self.caught_by,
            most_elements: self.most_elements,
            target: kernel::lowest_target(self.ptx),
            is_endless: self.is_endless,
            ..RungInfo::new(self.name, self.idea, ceiling)
        }
    }

    /// Loads its kernels and allocates its scratch.
    ///
    /// # Errors
    /// [`Error::Module`] where its kernels cannot be loaded, [`Error::Driver`] where its memory is
    /// not to be had.
    pub fn ready(&self, device: &Device, case: Case) -> Result<Ready, Error> {
        self.ready_in_blocks(device, case, None)
    }

    /// The same in blocks of so many threads, where the kernel takes their number from the launch.
    pub(crate) fn ready_in_blocks(
        &self,
        device: &Device,
        case: Case,
        block: Option<u32>,
    ) -> Result<Ready, Error> {
        (self.setup)(&Setup {
            device,
            module: kernel::load_module(device, self.name, self.ptx)?,
            case,
            block,
        })
    }
}

/// All rungs of a chapter, table by table: the ladder, what stands beside it, the broken ones last.
#[derive(Clone, Copy)]
pub struct Rungs(pub &'static [&'static [Rung]]);

impl Rungs {
    /// The rungs in order.
    pub fn iter(&self) -> impl Iterator<Item = &'static Rung> {
        self.0.iter().copied().flatten()
    }

    /// As the harness lists them, all compared with the same ceiling.
    pub fn infos(&self, ceiling: Ceiling) -> Vec<RungInfo> {
        self.iter().map(|rung| rung.info(ceiling)).collect()
    }

    /// The rung of this name.
    ///
    /// # Errors
    /// [`Error::Usage`] where there is none.
    pub fn find(&self, name: &str) -> Result<&'static Rung, Error> {
        let found = self.iter().find(|rung| rung.name == name);
        found.ok_or_else(|| Error::Usage(format!("there is no kernel `{name}`; see --list")))
    }

    /// Whether the rung of this name is shown because it is wrong.
    pub fn is_broken(&self, name: &str) -> bool {
        self.find(name).is_ok_and(|rung| !rung.caught_by.is_empty())
    }
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

    /// Device memory full of zeros.
    ///
    /// # Errors
    /// [`Error::Driver`] where the device has no room for it, or does not zero it.
    pub fn zeroed(&self, bytes: u64) -> Result<CudaSlice<u8>, Error> {
        let mut memory = self.scratch(bytes)?;
        let zeroed = self.device.stream.memset_zeros(&mut memory);
        zeroed.map_err(|error| Error::driver("zeroing memory", error))?;
        Ok(memory)
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
pub type Launch = Box<Enqueue<'static>>;

/// What enqueues work on an input and an output.
pub type Enqueue<'a> =
    dyn FnMut(&CudaView<'_, u8>, &mut CudaViewMut<'_, u8>) -> Result<(), DriverError> + 'a;

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
