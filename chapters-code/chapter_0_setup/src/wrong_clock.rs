//! Ways to time a kernel wrongly that are often met, and the right one, on the same launch.

use std::time::Instant;

use cudarc::{
    driver::{
        CudaFunction, CudaSlice, DriverError, LaunchConfig, PushKernelArg, sys::CUevent_flags,
    },
    nvrtc::Ptx,
};
use harness::{Device, Error, timing::Stopwatch};

use crate::VECTOR_ADD_PTX;

/// Elements of each vector: the three of them fit in the L2 of any large GPU.
const N: usize = 1 << 20;

/// Bytes that an addition must move.
pub const BYTES: u64 = 3 * 4 * N as u64;

/// Launches of which the mean is taken where nothing is flushed.
const REPEATED: usize = 100;

/// How long the same launch seems to take, in milliseconds.
#[derive(Clone, Copy, Debug)]
pub struct Times {
    /// The first one of a module that has just been loaded.
    pub first: f64,
    /// By the host's clock around the launch, which waits for nothing.
    pub host: f64,
    /// One of many in a row, whose data are in the L2.
    pub cached: f64,
    /// As the harness measures: warmed up, the L2 flushed, the median of 20.
    pub right: f64,
}

/// The kernel with its vectors.
struct Addition<'a> {
    device: &'a Device,
    kernel: CudaFunction,
    a: CudaSlice<f32>,
    b: CudaSlice<f32>,
    out: CudaSlice<f32>,
}

impl<'a> Addition<'a> {
    fn new(device: &'a Device) -> Result<Self, DriverError> {
        let stream = &device.stream;
        // Not by the harness, which would hand out a module that it has loaded before.
        let module = device.context.load_module(Ptx::from_src(VECTOR_ADD_PTX))?;
        Ok(Self {
            device,
            kernel: module.load_function("vector_add")?,
            a: stream.clone_htod(&vec![1.0; N])?,
            b: stream.clone_htod(&vec![2.0; N])?,
            out: stream.alloc_zeros(N)?,
        })
    }

    fn launch(&mut self) -> Result<(), DriverError> {
        let mut launch = self.device.stream.launch_builder(&self.kernel);
        launch.arg(&self.a).arg(&self.b).arg(&mut self.out).arg(&N);
        // SAFETY: the arguments are those of vector_add.cu, and each vector has N elements.
        unsafe { launch.launch(LaunchConfig::for_num_elems(N as u32)) }.map(drop)
    }

    /// The time of `launches` launches, between two events.
    fn between_events(&mut self, launches: usize) -> Result<f64, DriverError> {
        let event = || {
            let timed = Some(CUevent_flags::CU_EVENT_DEFAULT);
            self.device.context.new_event(timed)
        };
        let (start, end) = (event()?, event()?);
        start.record(&self.device.stream)?;
        for _ in 0..launches {
            self.launch()?;
        }
        end.record(&self.device.stream)?;
        start.elapsed_ms(&end).map(f64::from)
    }

    /// The time of the call that launches.
    fn by_the_host(&mut self) -> Result<f64, DriverError> {
        self.device.stream.synchronize()?;
        let start = Instant::now();
        self.launch()?;
        let time = start.elapsed();
        self.device.stream.synchronize()?;
        Ok(time.as_secs_f64() * 1e3)
    }
}

/// Measures an addition of vectors in all ways.
///
/// # Errors
/// [`Error::Driver`] for the first call that fails.
pub fn measure(device: &Device) -> Result<Times, Error> {
    let explain = |error| device.explain("timing", error);
    let mut addition = Addition::new(device).map_err(explain)?;
    Ok(Times {
        first: addition.between_events(1).map_err(explain)?,
        host: addition.by_the_host().map_err(explain)?,
        cached: addition.between_events(REPEATED).map_err(explain)? / REPEATED as f64,
        right: Stopwatch::new(device, 20)?.measure(&mut || addition.launch())?.time().median,
    })
}
