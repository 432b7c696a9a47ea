//! Kernels that are shown because they are wrong, as published code really was. Each declares what
//! should notice it, and a test holds it to that.

use cudarc::driver::PushKernelArg;
use harness::{
    Case, Dtype, Error, Input, Op, Parameters, Shape, rung,
    rung::{Ready, Rung, Setup},
    verify::Checker,
};

use crate::{
    Bins, EXACT,
    bins::{EXTRA, USUAL},
    function,
    geometry::{self, THREADS, WARPS},
    zero_then_count,
};

macro_rules! broken {
    ($name:literal, $setup:expr, [$($by:ident),*], $idea:literal) => {
        Rung {
            caught_by: &[$(Checker::$by),*],
            ..rung!($name, $setup, $idea, [concat!("broken/", $name, ".ptx")])
        }
    };
}

/// The broken rungs.
pub const BROKEN: &[Rung] = &[
    broken!(
        "racy",
        |s| zero_then_count(s, 0, u32::MAX),
        [Races, Result],
        "plain increments of counters in global memory"
    ),
    broken!(
        "missing_barrier",
        |s| zero_then_count(s, counters(s)?, u32::MAX),
        [Races, Result],
        "__syncwarp for __syncthreads, between zeroing a block's counters and counting"
    ),
    broken!(
        "same_warp",
        |s| zero_then_count(s, WARPS * counters(s)?, u32::MAX),
        [Races, Result],
        "plain increments of a warp's own copy"
    ),
    broken!(
        "zeroed_late",
        zeroed_late,
        [Races, Result],
        "blocks zero the output that others already add to"
    ),
    broken!(
        "packed_overflow",
        |s| zero_then_count(s, counters(s)?.div_ceil(2), 1),
        [Result],
        "two counters of 16 bits in a word"
    ),
    broken!(
        "rounded_up",
        |s| zero_then_count(s, WARPS * (counters(s)? - EXTRA) + 1, u32::MAX),
        [Result],
        "floats at the range's end are counted behind the last bin"
    ),
];

/// Counters of a case's output.
fn counters(s: &Setup<'_>) -> Result<u32, Error> {
    Ok(Bins::of(&s.case)?.counters())
}

/// What brings out the fault of a broken rung, at about the size that was asked for: more than one
/// block, and what else its kernel's header says that it needs.
pub fn case_for(rung: &str, case: &Case) -> Case {
    let n = case.elements().max(4096) | 1;
    let uniform = Case {
        shape: Shape::Vector { n },
        dtype: Dtype::U32,
        op: Op::Sum,
        input: Input::Uniform,
        seed: case.seed,
        parameters: with_bins(USUAL),
    };
    match rung {
        "packed_overflow" => Case {
            shape: Shape::Vector { n: n.max(1 << 17) },
            input: Input::Constant,
            ..uniform
        },
        "rounded_up" => Case {
            dtype: Dtype::F32,
            parameters: with_bins(257),
            ..uniform
        },
        _ => uniform,
    }
}

fn with_bins(count: u32) -> Parameters {
    Parameters {
        bins: Some(count),
        ..Parameters::default()
    }
}

/// Nobody zeroes the output beforehand: the kernel is to do it.
fn zeroed_late(s: &Setup<'_>) -> Result<Ready, Error> {
    let (n, bins) = (s.case.elements(), Bins::of(&s.case)?);
    let resident = geometry::resident(s.device, THREADS, bins.counters())?;
    let blocks = n.div_ceil(u64::from(THREADS)).clamp(1, u64::from(resident));
    let config = geometry::config(blocks, THREADS, bins.counters());
    let kernel = function(s)?;
    let (stream, count) = (s.stream(), kernel.clone());
    Ok(Ready::new(kernel, config, EXACT, move |input, out| {
        let mut launch = stream.launch_builder(&count);
        launch.arg(input).arg(out).arg(&n).arg(&bins);
        // SAFETY: reads in[0 .. n] and writes out[0 .. bins.count + 3]; shared memory holds as many
        // counters. That its blocks race for the output is what it is there to show.
        unsafe { launch.launch(config)? };
        Ok(())
    }))
}
