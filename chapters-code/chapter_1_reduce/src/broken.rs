//! Kernels that are shown because they are wrong, as published code really was. Each declares what
//! should notice it, and a test holds it to that.

use cudarc::driver::{LaunchConfig, PushKernelArg};
use harness::{Case, Dtype, Error, Input, Op, broken, kernel};

use crate::{
    Ready, Rung, Setup,
    geometry::{GRID_WITH_TREE, Geometry, Pass, Share, Shared, TREE, TREE_OF_PAIRS},
    passes,
    setup::{function, scratch},
    single_pass,
};

/// The broken rungs.
pub const BROKEN: &[Rung] = &[
    broken!(
        "missing_first_barrier",
        |s| passes(s, TREE),
        [Races, Result],
        "no barrier between filling shared memory and the first step"
    ),
    broken!(
        "lockstep_warp",
        |s| passes(s, TREE_OF_PAIRS),
        [Races, Result],
        "the last warp unrolled without __syncwarp"
    ),
    broken!(
        "lockstep_warp_volatile",
        |s| passes(s, TREE_OF_PAIRS),
        [Races, Result],
        "the same with volatile, as published in 2007"
    ),
    broken!(
        "early_return_shuffle",
        |s| passes(s, WARPS),
        [Races, Result, Fault],
        "a full-mask shuffle after some lanes have returned"
    ),
    broken!(
        "activemask_shuffle",
        |s| passes(s, WARPS),
        [Races, Result, Fault],
        "__activemask() as the mask of a shuffle in a branch"
    ),
    broken!(
        "last_block_without_fence",
        |s| single_pass(s, GRID_WITH_TREE),
        [Races, Result],
        "the last block reads partials that no fence has published"
    ),
    broken!(
        "scratch_is_input",
        scratch_is_input,
        [Input],
        "passes that go back and forth between the scratch and the input"
    ),
    broken!(
        "non_power_of_two_tail",
        |s| passes(s, THREADS_192),
        [Result],
        "a tree in halves over 192 threads"
    ),
    broken!(
        "off_by_one_pair",
        |s| passes(s, TREE_OF_PAIRS),
        [Result],
        "a partner one place too near, which equal elements hide"
    ),
    broken!(
        "max_padded_with_zero",
        |s| passes(s, TREE),
        [Result],
        "a maximum whose last block is padded with 0"
    ),
    broken!(
        "half_accumulator",
        one_block,
        [Result],
        "halves summed in half precision"
    ),
];

const WARPS: Geometry = Geometry {
    threads: 32,
    share: Share::Elements(1),
    shared: Shared::Static,
};
const THREADS_192: Geometry = Geometry {
    threads: 192,
    ..TREE
};

/// What brings out the fault of a broken rung, at about the size that was asked for: more than one
/// block and no multiple of 32, and what else its kernel's header says that it needs.
pub fn case_for(rung: &str, case: &Case) -> Case {
    let n = case.elements().max(4096) | 1;
    let sum = Case {
        seed: case.seed,
        ..Case::vector(n, Dtype::F32, Op::Sum)
    };
    match rung {
        "max_padded_with_zero" => Case {
            op: Op::Max,
            input: Input::Negative,
            ..sum
        },
        "half_accumulator" => Case {
            dtype: Dtype::F16,
            input: Input::Negative,
            ..sum
        },
        // Whoever asks for equal elements shall see that they hide the fault.
        "off_by_one_pair" if case.input == Input::Constant => Case {
            input: Input::Constant,
            ..sum
        },
        _ => sum,
    }
}

/// One block folds everything, so that the sums of its threads grow beyond what their type can count.
fn one_block(s: &Setup<'_>) -> Result<Ready, Error> {
    const THREADS: u32 = 256;
    let config = LaunchConfig {
        shared_mem_bytes: THREADS * s.case.dtype.size() as u32,
        ..kernel::grid(1, THREADS)
    };
    let n = s.case.elements();
    let depth = n.div_ceil(u64::from(THREADS)) + u64::from(THREADS.ilog2());
    let kernel = function(s, s.case.dtype)?;
    let (stream, function) = (s.stream(), kernel.clone());
    Ok(Ready::new(kernel, config, depth, move |input, out| {
        let mut launch = stream.launch_builder(&function);
        launch.arg(input).arg(out).arg(&n);
        // SAFETY: half_accumulator.cu reads in[0 .. n] and writes out[0]; its shared memory holds an
        // element a thread.
        unsafe { launch.launch(config)? };
        Ok(())
    }))
}

/// Saves a scratch buffer by taking the input for one: the second pass writes over it.
fn scratch_is_input(s: &Setup<'_>) -> Result<Ready, Error> {
    let plan = TREE.passes(s.device, &s.case);
    let depth = plan.iter().map(|pass| pass.depth).sum();
    let mut scratch = scratch(s, plan[0].blocks)?;
    let dtype = s.case.dtype;
    let config_of = move |pass: &Pass| TREE.config(pass.blocks, dtype);
    let config = config_of(&plan[0]);
    let kernel = function(s, dtype)?;
    let (stream, function) = (s.stream(), kernel.clone());
    Ok(Ready::new(kernel, config, depth, move |input, out| {
        for (i, pass) in plan.iter().enumerate() {
            let mut launch = stream.launch_builder(&function);
            match i % 2 {
                0 => launch.arg(input).arg(&mut scratch),
                // The fault: a view that was handed over for reading is written.
                _ => launch.arg(&scratch).arg(input),
            };
            launch.arg(&pass.n);
            // SAFETY: reads in[0 .. n] and writes a value for each block; both buffers have room
            // for that. Writing to the input is what this rung is there to show, and whoever runs
            // it restores the input.
            unsafe { launch.launch(config_of(pass))? };
        }
        let result = if plan.len().is_multiple_of(2) {
            input.slice(..)
        } else {
            scratch.slice(..)
        };
        stream.memcpy_dtod(&result.slice(..out.len()), out)
    }))
}
