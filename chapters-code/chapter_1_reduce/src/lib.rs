//! Reduce: n elements become one, by an associative operator.
//!
//! The ladder, in order. A rung is a kernel file of its own, `kernels/<rung>.cu`, compiled to PTX
//! beside it; here stand its idea and its launch. Every kernel is made for all element types and
//! operators, under names such as `sum_f32`, so the host handles elements as bytes: one launch
//! serves all types. Halves accumulate in `f32`, and so partials and results are of the
//! accumulator's type ([`harness::Dtype::accumulator`]).

pub mod broken;
pub mod chapter;
pub mod geometry;
pub mod matrix;
mod peer;
pub mod reference;

use std::sync::Arc;

use cudarc::driver::{
    CudaFunction, CudaModule, CudaSlice, CudaStream, CudaView, CudaViewMut, DriverError,
    LaunchConfig, PushKernelArg,
};
use harness::{Case, Device, Dtype, Error, Op, buffer, kernel, verify::Checker};

use crate::geometry::{
    GRID, GRID_OF_PACKS, GRID_OF_TILES, GRID_WITH_TREE, Geometry, Pass, TREE, TREE_OF_PAIRS,
    UNROLLED,
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

/// A rung whose kernel file and PTX have its name.
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

/// The ladder: each rung is the one before with one idea changed.
#[rustfmt::skip] // a table
pub const LADDER: &[Rung] = &[
    rung!("one_thread", one_thread,
        "one thread folds everything, in order"),
    rung!("interleaved_modulo", |s| passes(s, TREE),
        "a tree in shared memory; every 2^k-th thread works"),
    rung!("interleaved_mask", |s| passes(s, TREE),
        "the same with a mask in place of the remainder"),
    rung!("interleaved_strided", |s| passes(s, TREE),
        "neighbouring threads work, on strided words: bank conflicts"),
    rung!("sequential", |s| passes(s, TREE),
        "the tree folded in halves: neighbouring threads on neighbouring words"),
    rung!("first_add", |s| passes(s, TREE_OF_PAIRS),
        "two elements a thread, folded while loading"),
    rung!("unrolled_warp", |s| passes(s, TREE_OF_PAIRS),
        "the last warp's steps unrolled, without barriers"),
    rung!("unrolled", |s| passes(s, UNROLLED),
        "every step unrolled: the block size is a constant"),
    rung!("grid_stride", |s| passes(s, GRID),
        "as many blocks as the device holds; each thread folds many elements first"),
    rung!("shuffle", |s| passes(s, GRID_WITH_TREE),
        "the last warp's steps by shuffles, without shared memory"),
    rung!("block_reduce", |s| passes(s, GRID),
        "shuffles first: one barrier a block"),
    rung!("vectorized", |s| passes(s, GRID_OF_PACKS),
        "16 bytes a load"),
    rung!("in_flight", in_flight,
        "four independent 16-byte loads in flight, and a single pass"),

    // Ways to finish across blocks, all on block_reduce's kernel. The rungs above, but for the last,
    // run again over their own partials; these end otherwise.
    rung!("finish_second_kernel", second_kernel,
        "block_reduce, then a kernel of one block", ["block_reduce.ptx"]),
    rung!("finish_atomic", atomic,
        "block_reduce, then one atomic a block"),
    rung!("finish_last_block", last_block,
        "block_reduce; the block that comes last folds the partials"),

    // 32-bit integers only.
    rung!("redux", |s| passes(s, GRID),
        "block_reduce, with one instruction for a warp's shuffles", ["redux.compute_80.ptx"]),
];

/// What a rung is set up from.
pub struct Setup<'a> {
    /// The device, with its stream.
    pub device: &'a Device,
    /// The rung's kernels.
    pub module: Arc<CudaModule>,
    /// What to reduce.
    pub case: Case,
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
    /// Enqueues one operation: input, then output.
    pub launch: Launch,
}

/// Enqueues all kernels of one operation, from an input to an output.
pub type Launch =
    Box<dyn FnMut(&CudaView<'_, u8>, &mut CudaViewMut<'_, u8>) -> Result<(), DriverError>>;

impl Setup<'_> {
    /// The entry point for elements of `dtype`, such as `sum_f32`.
    fn function(&self, dtype: Dtype) -> Result<CudaFunction, Error> {
        kernel::load_function(&self.module, &format!("{}_{dtype}", self.case.op))
    }

    /// Memory for so many partial results.
    fn scratch(&self, partials: u64) -> Result<CudaSlice<u8>, Error> {
        buffer::poisoned(
            self.device,
            partials as usize * self.case.dtype.accumulator().size(),
        )
    }

    fn stream(&self) -> Arc<CudaStream> {
        self.device.stream.clone()
    }
}

// ---- Rung 1: one thread -------------------------------------------------------------------------

fn one_thread(s: &Setup<'_>) -> Result<Ready, Error> {
    let kernel = s.function(s.case.dtype)?;
    let config = LaunchConfig {
        grid_dim: (1, 1, 1),
        block_dim: (1, 1, 1),
        shared_mem_bytes: 0,
    };
    let (stream, function, n) = (s.stream(), kernel.clone(), s.case.elements());
    let launch = move |input: &CudaView<'_, u8>, out: &mut CudaViewMut<'_, u8>| {
        // SAFETY: one_thread.cu reads in[0 .. n], which `input` holds, and writes out[0].
        unsafe {
            stream
                .launch_builder(&function)
                .arg(input)
                .arg(out)
                .arg(&n)
                .launch(config)?
        };
        Ok(())
    };
    Ok(Ready {
        kernel,
        config,
        depth: n,
        underflow: 0.0,
        launch: Box::new(launch),
    })
}

// ---- The ladder's rungs: a partial a block, pass after pass -------------------------------------

/// Runs the rung's kernel on the input, then again on the blocks' partials, until one value is left.
///
/// Passes write to two scratch buffers in turns and never to the input.
fn passes(s: &Setup<'_>, geometry: Geometry) -> Result<Ready, Error> {
    let plan = geometry.passes(s.device, &s.case);
    let config = |pass: &Pass| geometry.config(pass.blocks, s.case.dtype);
    let configs: Vec<LaunchConfig> = plan.iter().map(config).collect();
    let partials = |pass: usize| plan.get(pass).map_or(0, |pass| pass.blocks);
    let mut scratch = [s.scratch(partials(0))?, s.scratch(partials(1))?];
    let kernel = s.function(s.case.dtype)?; // sum_f16 …
    let again = s.function(s.case.dtype.accumulator())?; // … and sum_f32 over its partials
    let depth = plan.iter().map(|pass| pass.depth).sum();
    let (stream, function, config) = (s.stream(), kernel.clone(), configs[0]);

    let launch = move |input: &CudaView<'_, u8>, out: &mut CudaViewMut<'_, u8>| {
        let [mut to, mut from] = scratch.each_mut();
        for (i, pass) in plan.iter().enumerate() {
            let mut builder = stream.launch_builder(if i == 0 { &function } else { &again });
            if i == 0 {
                builder.arg(input)
            } else {
                builder.arg(&*from)
            };
            if i + 1 == plan.len() {
                builder.arg(&mut *out)
            } else {
                builder.arg(&mut *to)
            };
            // SAFETY: every kernel of the ladder is `(const T* in, Acc* out, size_t n)`; it reads
            // in[0 .. n] and writes a value for each block, one in the last pass. Input and scratch
            // are that large, and the grid, block and shared memory are those of its contract.
            unsafe { builder.arg(&pass.n).launch(configs[i])? };
            std::mem::swap(&mut from, &mut to);
        }
        Ok(())
    };
    Ok(Ready {
        kernel,
        config,
        depth,
        underflow: 0.0,
        launch: Box::new(launch),
    })
}

// ---- The last rung: a single pass ---------------------------------------------------------------

fn in_flight(s: &Setup<'_>) -> Result<Ready, Error> {
    single_pass(s, GRID_OF_TILES)
}

/// The block that comes last folds the partials of all.
fn last_block(s: &Setup<'_>) -> Result<Ready, Error> {
    single_pass(s, GRID)
}

/// One launch: partials go to scratch, and a counter tells which block is the last.
fn single_pass(s: &Setup<'_>, geometry: Geometry) -> Result<Ready, Error> {
    let Pass { n, blocks, depth } = geometry.pass(s.device, s.case.elements(), s.case.dtype);
    let config = geometry.config(blocks, s.case.dtype);
    let kernel = s.function(s.case.dtype)?;
    let mut partials = s.scratch(blocks)?;
    let mut counter = buffer::upload(s.device, &[0u32])?;
    let (stream, function) = (s.stream(), kernel.clone());
    let launch = move |input: &CudaView<'_, u8>, out: &mut CudaViewMut<'_, u8>| {
        let mut builder = stream.launch_builder(&function);
        builder
            .arg(input)
            .arg(out)
            .arg(&n)
            .arg(&mut partials)
            .arg(&mut counter);
        // SAFETY: the kernel is `(const T* in, Acc* out, size_t n, Acc* partials, unsigned*
        // counter)`: it reads in[0 .. n], writes a partial for each block and out[0]; the counter
        // is 0 before the first launch, and the kernel leaves it at 0.
        unsafe { builder.launch(config)? };
        Ok(())
    };
    let depth = depth + blocks.div_ceil(u64::from(geometry.threads)) + 10;
    Ok(Ready {
        kernel,
        config,
        depth,
        underflow: 0.0,
        launch: Box::new(launch),
    })
}

// ---- Two more ways to finish --------------------------------------------------------------------

/// The end of a kernel is a barrier for the whole grid: a second one, of one block, folds the
/// partials.
pub(crate) fn second_kernel(s: &Setup<'_>) -> Result<Ready, Error> {
    second_kernel_after(s, GRID)
}

pub(crate) fn second_kernel_after(s: &Setup<'_>, geometry: Geometry) -> Result<Ready, Error> {
    const FINISH: &str = include_str!("../kernels/finish_second_kernel.ptx");
    let finish = kernel::load_module(s.device, "finish_second_kernel", &[FINISH])?;
    let finish_entry = format!("{}_{}", s.case.op, s.case.dtype.accumulator());
    let finish = kernel::load_function(&finish, &finish_entry)?;
    let one_block = LaunchConfig {
        grid_dim: (1, 1, 1),
        block_dim: (1024, 1, 1),
        shared_mem_bytes: 0,
    };

    let Pass { n, blocks, depth } = geometry.pass(s.device, s.case.elements(), s.case.dtype);
    let config = geometry.config(blocks, s.case.dtype);
    let kernel = s.function(s.case.dtype)?;
    let mut partials = s.scratch(blocks)?;
    let (stream, function) = (s.stream(), kernel.clone());
    let launch = move |input: &CudaView<'_, u8>, out: &mut CudaViewMut<'_, u8>| {
        let mut first = stream.launch_builder(&function);
        // SAFETY: reads in[0 .. n] and writes a partial for each block.
        unsafe { first.arg(input).arg(&mut partials).arg(&n).launch(config)? };
        let mut second = stream.launch_builder(&finish);
        // SAFETY: reads partials[0 .. blocks], which the launch before has written, and writes
        // out[0].
        unsafe {
            second
                .arg(&partials)
                .arg(out)
                .arg(&blocks)
                .launch(one_block)?
        };
        Ok(())
    };
    let depth = depth + blocks.div_ceil(1024) + 10;
    Ok(Ready {
        kernel,
        config,
        depth,
        underflow: 0.0,
        launch: Box::new(launch),
    })
}

/// Every block folds its result into the output with one atomic; the order is the machine's.
fn atomic(s: &Setup<'_>) -> Result<Ready, Error> {
    let Pass { n, blocks, depth } = GRID.pass(s.device, s.case.elements(), s.case.dtype);
    let config = GRID.config(blocks, s.case.dtype);
    let kernel = s.function(s.case.dtype)?;
    let entry = format!("identity_{}_{}", s.case.op, s.case.dtype.accumulator());
    let identity = kernel::load_function(&s.module, &entry)?;
    let one = LaunchConfig {
        grid_dim: (1, 1, 1),
        block_dim: (1, 1, 1),
        shared_mem_bytes: 0,
    };
    let (stream, function) = (s.stream(), kernel.clone());
    let launch = move |input: &CudaView<'_, u8>, out: &mut CudaViewMut<'_, u8>| {
        // SAFETY: writes the identity to out[0].
        unsafe {
            stream
                .launch_builder(&identity)
                .arg(&mut *out)
                .launch(one)?
        };
        // SAFETY: reads in[0 .. n] and updates out[0], which holds the identity.
        unsafe {
            stream
                .launch_builder(&function)
                .arg(input)
                .arg(out)
                .arg(&n)
                .launch(config)?
        };
        Ok(())
    };
    // In global memory, atomicAdd on f32 takes and leaves zero for what is below 2^-126: its two
    // operands and its result.
    let flushes = s.case.op == Op::Sum && s.case.dtype.accumulator() == Dtype::F32;
    let underflow = if flushes {
        3.0 * blocks as f64 * f64::from(f32::MIN_POSITIVE)
    } else {
        0.0
    };
    Ok(Ready {
        kernel,
        config,
        depth: depth + blocks,
        underflow,
        launch: Box::new(launch),
    })
}
