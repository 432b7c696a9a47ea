//! Kernels that are shown because they are wrong, as published code really was. Each declares what
//! should notice it, and a test holds it to that.

use cudarc::driver::PushKernelArg;
use harness::{Case, Dtype, Error, Kind, Op, Parameters, Shape, broken, kernel};

use crate::{
    Ready, Rung, Setup,
    levels::{
        Blocks, HILLIS_STEELE, SHUFFLE, Share, add_block_offsets_kernel, levels, scan_then_add,
    },
    persistent::lookback_over,
    scan_kernel,
};

/// The broken rungs.
pub const BROKEN: &[Rung] = &[
    broken!(
        "one_buffer",
        |s| scan_then_add(s, ONE_BUFFER),
        [Races, Result],
        "Hillis and Steele's steps in one buffer"
    ),
    broken!(
        "independent_blocks",
        independent_blocks,
        [Result],
        "every block scanned, and none told what comes before it",
        ["shuffle.ptx"]
    ),
    broken!(
        "previous_block_only",
        previous_block_only,
        [Result],
        "a block is told the fold of the block before it, and of no other",
        ["shuffle.ptx"]
    ),
    broken!(
        "swapped_operands",
        |s| scan_then_add(s, SHUFFLE),
        [Result],
        "an element before what comes before it: no sum notices"
    ),
    broken!(
        "flag_without_release",
        flag_without_release,
        [Races, Result],
        "a prefix and its flag in two words that nothing orders"
    ),
    broken!(
        "ring_without_fence",
        ring_without_fence,
        [Races, Result],
        "stages handed back without a fence: a bulk copy may overtake a read",
        ["broken/ring_without_fence.compute_90.ptx"]
    ),
    broken!(
        "static_tile_index",
        |s| lookback_over(s, 8192),
        [Fault],
        "look-back with tiles numbered by blockIdx: it never ends on a GPU"
    )
    .endless(),
];

const ONE_BUFFER: Blocks = Blocks {
    shared: 256,
    ..HILLIS_STEELE
};

/// What brings out the fault of a broken rung, at about the size that was asked for: more than two
/// blocks, and what else its kernel's header says that it needs.
pub fn case_for(rung: &str, case: &Case) -> Case {
    let n = case.elements().max(4096) | 1;
    let sum = Case {
        seed: case.seed,
        parameters: Parameters::of_kind(Kind::Inclusive),
        ..Case::vector(n, Dtype::F32, Op::Sum)
    };
    match rung {
        "swapped_operands" => Case {
            op: Op::Affine,
            dtype: Dtype::I64,
            ..sum
        },
        // More tiles of 8 KiB than an H200 holds blocks of 512 threads.
        "static_tile_index" => Case {
            shape: Shape::Vector { n: 2_000_000 },
            ..sum
        },
        _ => sum,
    }
}

/// Scans every block, and does nothing about what comes before it.
fn independent_blocks(s: &Setup<'_>) -> Result<Ready, Error> {
    let mut level = levels(s, SHUFFLE)?.swap_remove(0);
    let kernel = scan_kernel(s, s.case.kind())?;
    let (stream, scan, config) = (s.stream(), kernel.clone(), level.config);
    let depth = (SHUFFLE.depth)(s.case.dtype);
    Ok(Ready::new(kernel, config, depth, move |input, out| {
        level.scan(&stream, &scan, input, out)
    }))
}

/// Scans every block, and puts the fold of the block before it before each element.
fn previous_block_only(s: &Setup<'_>) -> Result<Ready, Error> {
    const ADD_BLOCK_OFFSETS: &str = include_str!("../kernels/broken/previous_block_only.ptx");
    let add_block_offsets = add_block_offsets_kernel(s, "previous_block_only", ADD_BLOCK_OFFSETS)?;
    let mut level = levels(s, SHUFFLE)?.swap_remove(0);
    let kernel = scan_kernel(s, s.case.kind())?;
    let (stream, scan, config) = (s.stream(), kernel.clone(), level.config);
    let depth = (SHUFFLE.depth)(s.case.dtype) + 1;
    Ok(Ready::new(kernel, config, depth, move |input, out| {
        level.scan(&stream, &scan, input, out)?;
        level.add_block_offsets(&stream, &add_block_offsets, &level.folds, out)
    }))
}

/// One block scans everything, through a ring of two stages.
fn ring_without_fence(s: &Setup<'_>) -> Result<Ready, Error> {
    const TILE: u64 = 128;
    let n = s.case.elements();
    let kernel = scan_kernel(s, Kind::Inclusive)?;
    let (stream, function, config) = (s.stream(), kernel.clone(), kernel::grid(1, 64));
    Ok(Ready::new(
        kernel,
        config,
        n.div_ceil(TILE) + 16,
        move |input, out| {
            let mut launch = stream.launch_builder(&function);
            launch.arg(input).arg(out).arg(&n);
            // SAFETY: reads in[0 .. n] and writes out[0 .. n], by one block.
            unsafe { launch.launch(config)? };
            Ok(())
        },
    ))
}

const FLAGGED: Blocks = Blocks {
    threads: 512,
    share: Share::Elements(512),
    ..SHUFFLE
};

fn flag_without_release(s: &Setup<'_>) -> Result<Ready, Error> {
    let n = s.case.elements();
    let config = FLAGGED.config(n.div_ceil(512), s.case.dtype);
    let tiles = u64::from(config.grid_dim.0);
    let (mut prefixes, mut flags) = (s.scratch(4 * tiles)?, s.scratch(4 * (tiles + 1))?);
    let kernel = scan_kernel(s, Kind::Inclusive)?;
    let (stream, function) = (s.stream(), kernel.clone());
    Ok(Ready::new(kernel, config, tiles + 12, move |input, out| {
        stream.memset_zeros(&mut flags)?;
        let mut launch = stream.launch_builder(&function);
        launch.arg(input).arg(out).arg(&n);
        launch.arg(&mut prefixes).arg(&mut flags);
        // SAFETY: reads in[0 .. n], writes out[0 .. n], a prefix and a flag for each tile, and counts
        // tiles in the flag behind the last; the flags are 0.
        unsafe { launch.launch(config)? };
        Ok(())
    }))
}
