//! Scans of one launch, whose blocks tell each other what they leave open.

use chapter_3_scan::persistent::{MOST_BLOCKS, Rounds, stages_that_fit, words};
use cudarc::driver::{LaunchConfig, PushKernelArg};
use harness::{Error, kernel};

use crate::{Ready, Setup, input::Layout, kernel_of, levels::share_depth};

// ---- Look-back ----------------------------------------------------------------------------------

pub(crate) fn lookback(s: &Setup<'_>) -> Result<Ready, Error> {
    const TILE: u64 = 65_536;
    const THREADS: u32 = 512;
    let n = s.case.elements();
    let tiles = s.case.input_bytes().div_ceil(TILE);
    // The counter, then the status of each tile; at their own alignment.
    let mut state = s.scratch(16 + tiles * words(s.case.dtype) * 8)?;
    let kernel = kernel_of(s)?;
    let (stream, function) = (s.stream(), kernel.clone());
    let config = kernel::grid(tiles, THREADS);
    // At worst each tile's prefix is made from that of the tile before: a window's scan and two more.
    let depth = share_depth(s.case.dtype, 8) + 4 + 7 * tiles.max(1);
    let layout = Layout::new(n, s.case.dtype);
    Ok(Ready::new(kernel, config, depth, move |input, out| {
        if tiles == 0 {
            return Ok(());
        }
        stream.memset_zeros(&mut state)?;
        let (mut counter, mut status) = state.split_at_mut(16);
        let (elements, bits) = (layout.elements(input), layout.bits(input));
        let mut launch = stream.launch_builder(&function);
        launch.arg(&elements).arg(&bits).arg(out).arg(&n);
        launch.arg(&mut status).arg(&mut counter);
        // SAFETY: lookback.cu reads in[0 .. n] and ceil(n / 32) words of flags, writes out[0 .. n]
        // and the status of each tile, and counts its blocks in `counter`; both are 0, and the grid
        // has a block a tile.
        unsafe { launch.launch(config)? };
        Ok(())
    }))
}

// ---- Roles --------------------------------------------------------------------------------------

/// Bytes of a tile of warp_specialized.cu, and of a stage, which holds its flags too.
const TILE: u64 = 24_576;
const STAGE: u32 = 25_344;
const MOST_STAGES: u32 = 9;
/// Threads of a block.
const ROLES: u32 = 13 * 32;
/// What the kernel declares itself, in bytes.
const STATIC: u32 = 2048;
/// Its warps that fold tiles in turn, of whose number the stages are a multiple.
const REDUCERS: u32 = 3;

pub(crate) fn warp_specialized(s: &Setup<'_>) -> Result<Ready, Error> {
    let (n, dtype) = (s.case.elements(), s.case.dtype);
    let kernel = kernel_of(s)?;
    let more = stages_that_fit(s, "warp_specialized", STATIC + REDUCERS * STAGE, STAGE)?;
    let stages = (more + REDUCERS).min(MOST_STAGES) / REDUCERS * REDUCERS;
    let tiles = s.case.input_bytes().div_ceil(TILE);
    let most = s.device.properties.multiprocessors.min(MOST_BLOCKS);
    let mut rounds = Rounds::new(s, tiles, words(dtype), most)?;
    let config = LaunchConfig {
        shared_mem_bytes: stages * STAGE,
        ..kernel::grid(rounds.blocks, ROLES)
    };
    kernel::allow_shared(&kernel, &config)?;
    // An operation a round for what is open; before that, at most 48 for a tile's fold (six rows, a warp,
    // eight parts) and its round's (five groups of 32).
    let depth = share_depth(dtype, 6) + tiles.div_ceil(rounds.blocks) + 48;
    let (stream, function) = (s.stream(), kernel.clone());
    let layout = Layout::new(n, dtype);
    Ok(Ready::new(kernel, config, depth, move |input, out| {
        if tiles == 0 {
            return Ok(());
        }
        let (mut status, mut launches) = rounds.status_and_launches();
        let (elements, bits) = (layout.elements(input), layout.bits(input));
        let mut launch = stream.launch_builder(&function);
        launch.arg(&elements).arg(&bits).arg(out).arg(&n);
        launch.arg(&mut status).arg(&mut launches).arg(&stages);
        // SAFETY: warp_specialized.cu reads in[0 .. n] and their flags, in a multiple of 16 bytes, and
        // writes out[0 .. n] and a slot of status for each tile. Status and launches were zero before
        // the first launch, and every launch on them has this grid. A cooperative launch runs all its
        // blocks at once. Its dynamic shared memory is as many stages as are said.
        unsafe { launch.launch_cooperative(config)? };
        Ok(())
    }))
}
