//! Kernels that are shown because they are wrong, as published code really was.
//!
//! Each names the checks that detect its fault, and a test holds it to that. Most are launched as the rung
//! that they are a broken version of.

use cudarc::driver::{DriverError, LaunchConfig, PushKernelArg, sys::CUresult};
use cudarc::nvrtc::Ptx;
use harness::{
    Case, Dtype, Element, Input, Ladder, Launch, Op, Prepared, Rung, Shape, buffer, kernel::grid,
};

use crate::problem::{Depth, Reduction, vectors_only};
use crate::rungs::{first_add, last_block::in_one_launch, sequential};

/// The broken rungs, each with its launch.
pub fn broken<T: Element>() -> Ladder<Reduction<T>> {
    vec![
        (MISSING_FIRST_BARRIER, sequential::prepare),
        (LOCKSTEP_WARP, first_add::prepare),
        (LOCKSTEP_WARP_VOLATILE, first_add::prepare),
        (EARLY_RETURN_SHUFFLE, |p, rung| sequential::in_blocks_of(32, p, rung)),
        (ACTIVEMASK_SHUFFLE, |p, rung| sequential::in_blocks_of(32, p, rung)),
        (LAST_BLOCK_WITHOUT_FENCE, last_block),
        (SCRATCH_IS_INPUT, scratch_is_input),
        (NON_POWER_OF_TWO_TAIL, |p, rung| sequential::in_blocks_of(192, p, rung)),
        (OFF_BY_ONE_PAIR, first_add::prepare),
        (MAX_PADDED_WITH_ZERO, sequential::prepare),
        (HALF_ACCUMULATOR, one_block),
    ]
}

macro_rules! broken {
    ($($rung:tt)*) => {
        harness::broken!($($rung)*).refuses(vectors_only).adapts(large_sum)
    };
}

static MISSING_FIRST_BARRIER: Rung = broken!(
    "missing_first_barrier",
    "sequential",
    [Races, Result],
    "no barrier between filling shared memory and the first step"
);
static LOCKSTEP_WARP: Rung = broken!(
    "lockstep_warp",
    "unrolled_warp",
    [Races, Result],
    "the last warp unrolled without __syncwarp"
);
static LOCKSTEP_WARP_VOLATILE: Rung = broken!(
    "lockstep_warp_volatile",
    "unrolled_warp",
    [Races, Result],
    "the same with volatile, as published in 2007"
);
static EARLY_RETURN_SHUFFLE: Rung = broken!(
    "early_return_shuffle",
    "shuffle",
    [Races, Result, Fault],
    "a full-mask shuffle after some lanes have returned"
);
static ACTIVEMASK_SHUFFLE: Rung = broken!(
    "activemask_shuffle",
    "shuffle",
    [Races, Result, Fault],
    "__activemask() as the mask of a shuffle in a branch"
);
static LAST_BLOCK_WITHOUT_FENCE: Rung = broken!(
    "last_block_without_fence",
    "finish_last_block",
    [Races, Result],
    "the last block reads partials that no fence has published"
);
static SCRATCH_IS_INPUT: Rung = broken!(
    "scratch_is_input",
    "sequential",
    [Input],
    "passes that alternate between the scratch and the input"
);
static NON_POWER_OF_TWO_TAIL: Rung =
    broken!("non_power_of_two_tail", "sequential", [Result], "a tree in halves over 192 threads");
static OFF_BY_ONE_PAIR: Rung = broken!(
    "off_by_one_pair",
    "first_add",
    [Result],
    "a partner one index too near, which equal elements hide"
)
.adapts(|case| match case.input {
    Input::Constant => Case { input: Input::Constant, ..large_sum(case) },
    _ => large_sum(case),
});
static MAX_PADDED_WITH_ZERO: Rung = broken!(
    "max_padded_with_zero",
    "sequential",
    [Result],
    "a maximum whose last block is padded with 0"
)
.adapts(|case| Case { op: Op::Max, input: Input::Negative, ..large_sum(case) });
static HALF_ACCUMULATOR: Rung =
    broken!("half_accumulator", "sequential", [Result], "halves summed in half precision")
        .adapts(|case| Case { dtype: Dtype::F16, input: Input::Negative, ..large_sum(case) });

/// A sum of distinct `f32` in several blocks, whose number is no multiple of 32: that brings out most faults.
fn large_sum(case: &Case) -> Case {
    match case.shape {
        Shape::Matrix { .. } => *case,
        Shape::Vector { n } => Case {
            shape: Shape::Vector { n: n.max(4096) | 1 },
            dtype: Dtype::F32,
            op: Op::Sum,
            input: Input::Uniform,
            ..*case
        },
    }
}

/// Launched as `finish_last_block`, with dynamic shared memory for a tree.
fn last_block<T: Element>(p: &Reduction<T>, rung: &Rung) -> Prepared<Reduction<T>> {
    let blocks = p.n.div_ceil(256).clamp(1, p.device.resident_blocks(256).into());
    let config =
        LaunchConfig { shared_mem_bytes: 256 * size_of::<T::Acc>() as u32, ..grid(blocks, 256) };
    let depth = p.n.div_ceil(blocks * 256) + 10 + blocks.div_ceil(256) + 10;
    in_one_launch(config, depth, p, rung)
}

/// One block reduces everything, so that the sum of each thread grows beyond what a half can count.
fn one_block<T: Element>(p: &Reduction<T>, rung: &Rung) -> Prepared<Reduction<T>> {
    let module = p.device.context.load_module(Ptx::from_src(rung.ptx))?;
    let kernel = module.load_function(&p.entry(T::DTYPE))?;
    let config = LaunchConfig { shared_mem_bytes: 256 * size_of::<T>() as u32, ..grid(1, 256) };
    let depth = p.n.div_ceil(256) + 8;
    Ok(Launch::new(kernel.clone(), config, Depth::of(depth), move |p: &mut Reduction<T>| {
        let mut out = p.out.view_mut();
        let mut launch = p.device.stream.launch_builder(&kernel);
        launch.arg(&p.input).arg(&mut out).arg(&p.n);
        // SAFETY: half_accumulator.cu reads in[0 .. n] and writes out[0]. Its shared memory holds one
        // element per thread.
        unsafe { launch.launch(config) }.map(drop)
    }))
}

/// Saves a scratch buffer by using the input as one: the second pass overwrites the input.
fn scratch_is_input<T: Element>(p: &Reduction<T>, rung: &Rung) -> Prepared<Reduction<T>> {
    let module = p.device.context.load_module(Ptx::from_src(rung.ptx))?;
    let kernel = module.load_function(&p.entry(T::DTYPE))?;
    let config = |blocks| LaunchConfig {
        shared_mem_bytes: 256 * size_of::<T>() as u32,
        ..grid(blocks, 256)
    };
    let blocks = p.passes(|n, _| n.div_ceil(256));
    let depth = 9 * blocks.len() as u64;
    let mut scratch = buffer::scratch::<T>(&p.device, blocks[0])?;
    let promise = Depth::of(depth);

    Ok(Launch::new(kernel.clone(), config(blocks[0]), promise, move |p: &mut Reduction<T>| {
        let stream = &p.device.stream;
        let mut n = p.n;
        for (pass, &blocks) in blocks.iter().enumerate() {
            let mut launch = stream.launch_builder(&kernel);
            match pass % 2 {
                0 => launch.arg(&p.input).arg(&mut scratch),
                // The fault: this pass writes to the input.
                _ => launch.arg(&scratch).arg(&mut *p.input),
            };
            launch.arg(&n);
            // SAFETY: scratch_is_input.cu is `(const f32* in, f32* out, size_t n)`. It reads in[0 .. n] and
            // writes one result per block; both buffers have room for that. The judge restores the input.
            unsafe { launch.launch(config(blocks))? };
            n = blocks;
        }
        let result = if blocks.len().is_multiple_of(2) { &*p.input } else { &scratch };
        // SAFETY: this kernel exists for f32 only, which accumulates in f32.
        let result = unsafe { result.transmute::<T::Acc>(1) };
        let result = result.ok_or(DriverError(CUresult::CUDA_ERROR_INVALID_VALUE))?;
        stream.memcpy_dtod(&result, &mut p.out.view_mut())
    }))
}
