//! Reduce: n elements become one, by an associative operator.
//!
//! Here stand the ladder, a line a rung, and below it the launches, in plain cudarc. A rung is a
//! kernel file of its own, `kernels/<rung>.cu`, compiled to PTX beside it. Rungs whose kernels have
//! the same signature share a launch; what differs, the threads of a block and how the elements are
//! shared out, is in [`geometry`].
//!
//! Every kernel is made for all element types and operators, under names such as `sum_f32`, so the
//! host handles elements as bytes. Halves accumulate in `f32`, and so partials and results are of
//! the accumulator's type ([`harness::Dtype::accumulator`]).

mod baseline;
pub mod broken;
pub mod chapter;
pub mod geometry;
pub mod matrix;
pub mod reference;
pub mod setup;

use cudarc::driver::{LaunchConfig, PushKernelArg};
use harness::{Dtype, Error, Op, buffer, kernel, rung};

use crate::{
    geometry::{
        GRID, GRID_OF_PACKS, GRID_OF_TILES, GRID_WITH_TREE, Geometry, Pass, TREE, TREE_OF_PAIRS,
        UNROLLED,
    },
    setup::{function, scratch},
};
pub use harness::rung::{Launch, Ready, Rung, Setup};
use harness::rung::{MOST_OF_ONE_THREAD, Rungs};

/// The ladder: each rung is the one before with one idea changed.
#[rustfmt::skip] // a table
pub const LADDER: &[Rung] = &[
    rung!("one_thread", one_thread,
        "one thread folds everything, in order").up_to(MOST_OF_ONE_THREAD),
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
    rung!("single_pass_tiled", |s| single_pass(s, GRID_OF_TILES),
        "four independent 16-byte loads in flight, and a single pass"),

    // Ways to finish across blocks, all on block_reduce's kernel. The rungs above, but for the last,
    // run again over their own partials; these end otherwise.
    rung!("finish_second_kernel", |s| second_kernel(s, GRID),
        "block_reduce, then a kernel of one block", ["block_reduce.ptx"]),
    rung!("finish_atomic", atomic,
        "block_reduce, then one atomic a block"),
    rung!("finish_last_block", |s| single_pass(s, GRID),
        "block_reduce; the block that comes last folds the partials"),

    // 32-bit integers only.
    rung!("redux", |s| passes(s, GRID),
        "block_reduce, with one instruction for a warp's shuffles", ["redux.compute_80.ptx"]),
];

/// All rungs: the ladder, the matrices, the broken ones.
pub const RUNGS: Rungs = Rungs(&[LADDER, matrix::MATRIX, broken::BROKEN]);

/// A launch of one thread.
const ONE: LaunchConfig = kernel::grid(1, 1);

// ---- One thread ---------------------------------------------------------------------------------

fn one_thread(s: &Setup<'_>) -> Result<Ready, Error> {
    let kernel = function(s, s.case.dtype)?;
    let (stream, function, n) = (s.stream(), kernel.clone(), s.case.elements());
    Ok(Ready::new(kernel, ONE, n, move |input, out| {
        let mut launch = stream.launch_builder(&function);
        launch.arg(input).arg(out).arg(&n);
        // SAFETY: one_thread.cu reads in[0 .. n], which `input` holds, and writes out[0].
        unsafe { launch.launch(ONE)? };
        Ok(())
    }))
}

// ---- Pass after pass: the ladder, but for its ends -----------------------------------------------

/// Runs the rung's kernel on the input, then again on the blocks' partials, until one value is left.
///
/// A pass reads what the one before has written: two scratch buffers take turns. The input is only
/// read.
fn passes(s: &Setup<'_>, geometry: Geometry) -> Result<Ready, Error> {
    let geometry = setup::geometry(s, geometry);
    let plan = geometry.passes(s.device, &s.case);
    let partials = |pass: usize| plan.get(pass).map_or(0, |pass| pass.blocks);
    let mut scratch = [scratch(s, partials(0))?, scratch(s, partials(1))?];
    let depth = plan.iter().map(|pass| pass.depth).sum();

    let kernel = function(s, s.case.dtype)?; // sum_f16 …
    let again = function(s, s.case.dtype.accumulator())?; // … and sum_f32 over its partials
    let dtype = s.case.dtype;
    let config_of = move |pass: &Pass| geometry.config(pass.blocks, dtype);
    let (stream, first, last) = (s.stream(), kernel.clone(), plan.len() - 1);
    let config = config_of(&plan[0]);
    Ok(Ready::new(kernel, config, depth, move |input, out| {
        for (i, pass) in plan.iter().enumerate() {
            let [even, odd] = &mut scratch;
            let (from, to) = if i % 2 == 0 { (odd, even) } else { (even, odd) };
            let from = if i == 0 {
                input.slice(..)
            } else {
                from.slice(..)
            };
            let mut to = if i == last {
                out.slice_mut(..)
            } else {
                to.slice_mut(..)
            };

            let mut launch = stream.launch_builder(if i == 0 { &first } else { &again });
            launch.arg(&from).arg(&mut to).arg(&pass.n);
            // SAFETY: every kernel of the ladder is `(const T* in, Acc* out, size_t n)`; it reads
            // in[0 .. n] and writes a value for each block, one in the last pass. Input and scratch
            // are that large, and the grid, block and shared memory are those of its contract.
            unsafe { launch.launch(config_of(pass))? };
        }
        Ok(())
    }))
}

// ---- A single pass: the last rung, and finish_last_block -----------------------------------------

/// One launch: partials go to scratch, and a counter tells which block comes last and folds them.
fn single_pass(s: &Setup<'_>, geometry: Geometry) -> Result<Ready, Error> {
    let geometry = setup::geometry(s, geometry);
    let Pass { n, blocks, depth } = geometry.pass(s.device, s.case.elements(), s.case.dtype);
    let depth = depth + fold_depth(blocks, geometry.threads);
    let config = geometry.config(blocks, s.case.dtype);
    let mut partials = scratch(s, blocks)?;
    let mut counter = buffer::upload(s.device, &[0u32])?;
    let kernel = function(s, s.case.dtype)?;
    let (stream, function) = (s.stream(), kernel.clone());
    Ok(Ready::new(kernel, config, depth, move |input, out| {
        let mut launch = stream.launch_builder(&function);
        launch.arg(input).arg(out).arg(&n);
        launch.arg(&mut partials).arg(&mut counter);
        // SAFETY: the kernel is `(const T* in, Acc* out, size_t n, Acc* partials, unsigned*
        // counter)`: it reads in[0 .. n], writes a partial for each block and out[0]; the counter
        // is 0 before the first launch, and the kernel leaves it at 0.
        unsafe { launch.launch(config)? };
        Ok(())
    }))
}

// ---- Two kernels: finish_second_kernel and finish_atomic -------------------------------------------

/// The end of a kernel is a barrier for the whole grid: a second one, of one block, folds the
/// partials.
fn second_kernel(s: &Setup<'_>, geometry: Geometry) -> Result<Ready, Error> {
    let geometry = setup::geometry(s, geometry);
    const FINISH: &str = include_str!("../kernels/finish_second_kernel.ptx");
    const ONE_BLOCK: LaunchConfig = kernel::grid(1, 1024);
    let finish = kernel::load_module(s.device, "finish_second_kernel", &[FINISH])?;
    let entry = format!("{}_{}", s.case.op, s.case.dtype.accumulator());
    let finish = kernel::load_function(&finish, &entry)?;

    let Pass { n, blocks, depth } = geometry.pass(s.device, s.case.elements(), s.case.dtype);
    let depth = depth + fold_depth(blocks, 1024);
    let config = geometry.config(blocks, s.case.dtype);
    let mut partials = scratch(s, blocks)?;
    let kernel = function(s, s.case.dtype)?;
    let (stream, function) = (s.stream(), kernel.clone());
    Ok(Ready::new(kernel, config, depth, move |input, out| {
        let mut first = stream.launch_builder(&function);
        first.arg(input).arg(&mut partials).arg(&n);
        // SAFETY: reads in[0 .. n] and writes a partial for each block, for which there is room.
        unsafe { first.launch(config)? };
        let mut second = stream.launch_builder(&finish);
        second.arg(&partials).arg(out).arg(&blocks);
        // SAFETY: finish_second_kernel.cu reads partials[0 .. blocks], which the launch before has
        // written, and writes out[0].
        unsafe { second.launch(ONE_BLOCK)? };
        Ok(())
    }))
}

/// The output begins as the identity, and every block folds its result into it with one atomic; the
/// order is the machine's.
fn atomic(s: &Setup<'_>) -> Result<Ready, Error> {
    let accumulator = s.case.dtype.accumulator();
    let entry = format!("identity_{}_{accumulator}", s.case.op);
    let identity = kernel::load_function(&s.module, &entry)?;
    let Pass { n, blocks, depth } = GRID.pass(s.device, s.case.elements(), s.case.dtype);
    let config = GRID.config(blocks, s.case.dtype);
    let kernel = function(s, s.case.dtype)?;
    let (stream, function) = (s.stream(), kernel.clone());
    let ready = Ready::new(kernel, config, depth + blocks, move |input, out| {
        let mut first = stream.launch_builder(&identity);
        first.arg(&mut *out);
        // SAFETY: identity_<op>_<acc> of finish_atomic.cu writes out[0].
        unsafe { first.launch(ONE)? };
        let mut second = stream.launch_builder(&function);
        second.arg(input).arg(out).arg(&n);
        // SAFETY: reads in[0 .. n] and updates out[0], which holds the identity.
        unsafe { second.launch(config)? };
        Ok(())
    });
    // In global memory, atomicAdd on f32 takes and leaves zero for what is below 2^-126: its two
    // operands and its result.
    let flushes = (s.case.op, accumulator) == (Op::Sum, Dtype::F32);
    let underflow = if flushes {
        3.0 * blocks as f64 * f64::from(f32::MIN_POSITIVE)
    } else {
        0.0
    };
    Ok(Ready { underflow, ..ready })
}

/// Rounded operations while one block of so many threads folds the partials: a thread's share, then
/// two rounds of shuffles of five steps each.
fn fold_depth(partials: u64, threads: u32) -> u64 {
    partials.div_ceil(u64::from(threads)) + 10
}
