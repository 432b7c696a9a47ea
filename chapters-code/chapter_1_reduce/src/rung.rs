//! What a rung is, what it is set up from, and what it is when it is ready to be launched.

use std::sync::Arc;

use cudarc::driver::{
    CudaFunction, CudaModule, CudaSlice, CudaStream, CudaView, CudaViewMut, DriverError,
    LaunchConfig,
};
use harness::{Case, Device, Dtype, Error, buffer, kernel, verify::Checker};

use crate::geometry::Geometry;

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

/// A rung whose kernel file and PTX have its name, unless the PTX is named.
macro_rules! rung {
    ($name:literal, $setup:expr, $idea:literal) => {
        rung!($name, $setup, $idea, [concat!($name, ".ptx")])
    };
    ($name:literal, $setup:expr, $idea:literal, [$($file:expr),*]) => {
        $crate::Rung {
            name: $name,
            idea: $idea,
            ptx: &[$(include_str!(concat!("../kernels/", $file))),*],
            setup: $setup,
            caught_by: &[],
        }
    };
}
pub(crate) use rung;

/// What a rung is set up from.
pub struct Setup<'a> {
    /// The device, with its stream.
    pub device: &'a Device,
    /// The rung's kernels.
    pub module: Arc<CudaModule>,
    /// What to reduce.
    pub case: Case,
    /// Threads of a block, where the rung's own number is not wanted.
    pub block: Option<u32>,
}

impl Setup<'_> {
    /// The entry point for elements of `dtype`, such as `sum_f32`.
    ///
    /// # Errors
    /// [`Error::Module`] where the rung has no such kernel.
    pub fn function(&self, dtype: Dtype) -> Result<CudaFunction, Error> {
        kernel::load_function(&self.module, &format!("{}_{dtype}", self.case.op))
    }

    /// Memory for so many partial results, of the accumulator's type, full of poison.
    ///
    /// # Errors
    /// [`Error::Driver`] where the device has no room for them.
    pub fn scratch(&self, partials: u64) -> Result<CudaSlice<u8>, Error> {
        let bytes = partials as usize * self.case.dtype.accumulator().size();
        buffer::poisoned(self.device, bytes)
    }

    /// A rung's geometry, with the wanted threads of a block where its kernel takes so many.
    pub(crate) fn geometry(&self, own: Geometry) -> Geometry {
        let wanted = self.block.and_then(|threads| own.with_threads(threads));
        wanted.unwrap_or(own)
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
