//! Compactions of one launch, whose blocks tell each other how many they keep.

use std::sync::{Arc, Mutex, PoisonError};

use chapter_3_scan::persistent::{MOST_BLOCKS, Rounds, stages_that_fit};
use cudarc::driver::{LaunchConfig, PinnedHostSlice, PushKernelArg};
use harness::{Error, kernel};

use crate::{EXACT, Ready, Setup, layout::Layout, own_kernel};

// ---- Look-back ----------------------------------------------------------------------------------

/// Elements of a tile of lookback.cu, staged.cu and partition.cu.
fn tile(layout: &Layout) -> u64 {
    if layout.size == 8 { 4096 } else { 8192 }
}

/// Words of 64 bits in which a block publishes a count.
const WORDS: u64 = 2;

pub(crate) fn lookback(s: &Setup<'_>) -> Result<Ready, Error> {
    let layout = Layout::of(&s.case);
    let tiles = layout.n.div_ceil(tile(&layout));
    // The counter, then the status of each tile; at their own alignment.
    let mut state = s.scratch(16 + tiles * WORDS * 8)?;
    let kernel = own_kernel(s)?;
    let (stream, function) = (s.stream(), kernel.clone());
    let config = kernel::grid(tiles, 256);
    Ok(Ready::new(kernel, config, EXACT, move |input, out| {
        let mut memory = layout.split(input, out);
        if tiles == 0 {
            return memory.keep_none(&stream);
        }
        stream.memset_zeros(&mut state)?;
        let (mut counter, mut status) = state.split_at_mut(16);
        let mut launch = memory.launch(&stream, &function);
        launch.arg(&mut status).arg(&mut counter);
        // SAFETY: reads in[0 .. n] and the mask, writes *kept, out[0 .. capacity] at most, and the
        // status of each tile, and counts its blocks in `counter`; both are 0, and the grid has a block
        // a tile.
        unsafe { launch.launch(config)? };
        Ok(())
    }))
}

// ---- Scouts ---------------------------------------------------------------------------------------

/// Elements of a tile of warp_specialized.cu.
const TILE: u64 = 8192;
const MOST_STAGES: u32 = 16;
/// What warp_specialized.cu declares itself, in bytes.
const STATIC: u32 = 20 * 1024;

pub(crate) fn warp_specialized(s: &Setup<'_>) -> Result<Ready, Error> {
    let layout = Layout::of(&s.case);
    let kernel = own_kernel(s)?;
    let stage = (TILE * layout.size) as u32;
    let more = stages_that_fit(s, "warp_specialized", STATIC + stage, stage)?;
    let stages = (1 + more).min(MOST_STAGES);
    let one_each = s.device.properties.multiprocessors.min(MOST_BLOCKS);
    let mut rounds = Rounds::new(s, layout.n.div_ceil(TILE), 1, one_each)?;
    let config = LaunchConfig {
        shared_mem_bytes: stages * stage,
        ..kernel::grid(rounds.blocks, 384)
    };
    kernel::allow_shared(&kernel, &config)?;
    let (stream, function) = (s.stream(), kernel.clone());
    Ok(Ready::new(kernel, config, EXACT, move |input, out| {
        let mut memory = layout.split(input, out);
        if rounds.tiles == 0 {
            return memory.keep_none(&stream);
        }
        let (mut status, mut launches) = rounds.status_and_launches();
        let mut launch = memory.launch(&stream, &function);
        launch.arg(&mut status).arg(&mut launches).arg(&stages);
        // SAFETY: warp_specialized.cu reads in[0 .. n] and the mask, writes *kept, out[0 .. capacity] at most, and
        // a word of status for each tile. Status and launches were zero before the first launch, and
        // every launch on them has this grid. A cooperative launch runs all its blocks at once. The
        // dynamic shared memory is as many stages as are said.
        unsafe { launch.launch_cooperative(config)? };
        Ok(())
    }))
}

// ---- The number kept, on the host ---------------------------------------------------------------

/// Page-locked memory of the host, to which a device copies without the processor's help.
pub type HostNumber = Arc<Mutex<PinnedHostSlice<u8>>>;

/// Eight bytes of it.
///
/// # Errors
/// [`Error::Driver`] where there are none.
pub fn host_number(s: &Setup<'_>) -> Result<HostNumber, Error> {
    // SAFETY: bytes of any value are valid `u8`s, and are written before they are read.
    let pinned = unsafe { s.device.context.alloc_pinned::<u8>(8) };
    let pinned = pinned.map_err(|error| Error::driver("allocating memory of the host", error))?;
    Ok(Arc::new(Mutex::new(pinned)))
}

// ANCHOR: read_back
/// As `warp_specialized`; then the number kept is copied to the host, in the stream's order.
///
/// # Errors
/// As those of a rung's setup.
pub fn read_back(s: &Setup<'_>, number: HostNumber) -> Result<Ready, Error> {
    let stream = s.stream();
    let mut ready = warp_specialized(s)?;
    let mut compact = ready.launch;
    ready.launch = Box::new(move |input, out| {
        compact(input, out)?;
        let mut number = number.lock().unwrap_or_else(PoisonError::into_inner);
        stream.memcpy_dtoh(&out.slice(..8), &mut *number)
    });
    Ok(ready)
}
// ANCHOR_END: read_back
