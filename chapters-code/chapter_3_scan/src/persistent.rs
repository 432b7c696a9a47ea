//! Scans of one launch, whose blocks tell each other what they have folded.

use cudarc::driver::{CudaFunction, CudaSlice, CudaViewMut, LaunchConfig, PushKernelArg};
use harness::{Dtype, Error, kernel};

use crate::{RUNGS, Ready, Setup, levels::share_depth, scan_kernel};

/// Words of 64 bits in which a block publishes a value: 32 bits of it in each, beside a tag.
pub fn words(dtype: Dtype) -> u64 {
    (dtype.size() as u64).div_ceil(4)
}

/// Tiles of so many bytes.
fn tiles(s: &Setup<'_>, bytes: u64) -> u64 {
    s.case.input_bytes().div_ceil(bytes)
}

// ---- Look-back ----------------------------------------------------------------------------------

/// Bytes of a tile of lookback.cu.
const LOOKBACK_TILE: u64 = 65_536;
/// Threads of a block of lookback.cu and of all_gather.cu.
const THREADS: u32 = 512;

pub(crate) fn lookback(s: &Setup<'_>) -> Result<Ready, Error> {
    lookback_over(s, LOOKBACK_TILE)
}

/// The same over tiles of so many bytes.
pub(crate) fn lookback_over(s: &Setup<'_>, tile: u64) -> Result<Ready, Error> {
    let n = s.case.elements();
    let tiles = tiles(s, tile);
    // The counter, then the status of each tile; at their own alignment.
    let mut state = s.scratch(16 + tiles * words(s.case.dtype) * 8)?;
    let kernel = scan_kernel(s, s.case.kind())?;
    let (stream, function) = (s.stream(), kernel.clone());
    let config = kernel::grid(tiles, THREADS);
    // At worst each tile's prefix is made from that of the tile before: a window's scan and two more.
    let depth = share_depth(s.case.dtype) + 4 + 7 * tiles.max(1);
    Ok(Ready::new(kernel, config, depth, move |input, out| {
        if tiles == 0 {
            return Ok(());
        }
        stream.memset_zeros(&mut state)?;
        let (mut counter, mut status) = state.split_at_mut(16);
        let mut launch = stream.launch_builder(&function);
        launch.arg(input).arg(out).arg(&n);
        launch.arg(&mut status).arg(&mut counter);
        // SAFETY: lookback.cu reads in[0 .. n], writes out[0 .. n] and the status of each tile, and
        // counts its blocks in `counter`; both are 0, and the grid has a block a tile.
        unsafe { launch.launch(config)? };
        Ok(())
    }))
}

// ---- Rounds -------------------------------------------------------------------------------------

/// Bytes of a tile of all_gather.cu.
const TILE: u64 = 32_768;

pub(crate) fn all_gather(s: &Setup<'_>) -> Result<Ready, Error> {
    let two_each = (2 * s.device.properties.multiprocessors).min(THREADS);
    let rounds = Rounds::new(s, tiles(s, TILE), words(s.case.dtype), two_each)?;
    let depth = share_depth(s.case.dtype) + rounds.depth();
    let kernel = scan_kernel(s, s.case.kind())?;
    let config = kernel::grid(rounds.blocks, THREADS);
    Ok(launched(rounds, s, kernel, config, depth, None))
}

/// Bytes of a tile of warp_specialized.cu, and of a stage.
const STAGE: u32 = 24_576;
const MOST_STAGES: u32 = 8;
/// Warps of warp_specialized.cu that fold tiles in turn.
const REDUCERS: u32 = 4;
/// Its threads: these, a warp that copies, one that gathers, and eight that scan.
const SPECIALISTS: u32 = 32 * (REDUCERS + 10);
/// What the kernel declares itself, in bytes.
const STATIC: u32 = 2048;
/// Blocks of a round whose folds one warp reads.
pub const MOST_BLOCKS: u32 = 160;

pub(crate) fn warp_specialized(s: &Setup<'_>) -> Result<Ready, Error> {
    let kernel = scan_kernel(s, s.case.kind())?;
    // A multiple of the reducers, see `reduce` in warp_specialized.cu.
    let more = stages_that_fit(s, "warp_specialized", STATIC + REDUCERS * STAGE, STAGE)?;
    let stages = (more + REDUCERS).min(MOST_STAGES) / REDUCERS * REDUCERS;
    let shared_mem_bytes = stages * STAGE;
    let one_each = s.device.properties.multiprocessors.min(MOST_BLOCKS);
    let tiles = tiles(s, STAGE.into());
    let rounds = Rounds::new(s, tiles, words(s.case.dtype), one_each)?;
    let depth = share_depth(s.case.dtype) + rounds.depth() + 8;
    let config = LaunchConfig {
        shared_mem_bytes,
        ..kernel::grid(rounds.blocks, SPECIALISTS)
    };
    kernel::allow_shared(&kernel, &config)?;
    Ok(launched(rounds, s, kernel, config, depth, Some(stages)))
}

/// Stages of so many bytes that a block has room for beside `least` bytes that it must have.
///
/// # Errors
/// [`Error::Module`] where it has no room for those.
pub fn stages_that_fit(s: &Setup<'_>, module: &str, least: u32, stage: u32) -> Result<u32, Error> {
    let room = s.device.properties.shared_bytes_a_block;
    if let Some(rest) = room.checked_sub(least) {
        return Ok(rest / stage);
    }
    let name = &s.device.properties.name;
    Err(Error::Module {
        module: module.into(),
        reason: format!(
            "its blocks need {least} bytes of shared memory, and {name} has {room} for one"
        ),
        remedy: "leave this kernel out with --kernel, or use `--device sim`",
    })
}

// ---- By size ------------------------------------------------------------------------------------

/// Bytes of input up to which all_gather is faster: its blocks work together on a tile, and a lone round
/// is over sooner.
const SMALL: u64 = 32 << 20;

pub(crate) fn by_size(s: &Setup<'_>) -> Result<Ready, Error> {
    let is_small = s.case.input_bytes() <= SMALL;
    let better = if is_small {
        "all_gather"
    } else {
        "warp_specialized"
    };
    RUNGS.find(better)?.ready(s.device, s.case)
}

// ---- A grid that walks over the tiles -----------------------------------------------------------

/// A grid whose blocks are all resident, and walk over the tiles together.
pub struct Rounds {
    /// Blocks of the grid.
    pub blocks: u64,
    /// Tiles, of which block b takes the b-th of each round.
    pub tiles: u64,
    /// A count of launches for each block, then the words of each tile; at their own alignment.
    state: CudaSlice<u8>,
}

impl Rounds {
    /// At most so many blocks, which the device must hold at once, and so many words a tile.
    ///
    /// # Errors
    /// [`Error::Driver`] where the device has no room for the words.
    pub fn new(s: &Setup<'_>, tiles: u64, words: u64, most: u32) -> Result<Self, Error> {
        let blocks = tiles.min(u64::from(most)).max(1);
        Ok(Self {
            blocks,
            tiles,
            state: s.zeroed(launches_bytes(blocks) + tiles * words * 8)?,
        })
    }

    /// The words of 64 bits in which blocks publish what they know of a tile, and the counts from which
    /// they learn which launch they are of. Both were zero once, and belong to this grid and these tiles.
    pub fn status_and_launches(&mut self) -> (CudaViewMut<'_, u8>, CudaViewMut<'_, u8>) {
        let counts = launches_bytes(self.blocks) as usize;
        let (launches, status) = self.state.split_at_mut(counts);
        (status, launches)
    }

    /// Rounds, in each of which the folds of all blocks are folded, 32 at a time.
    fn depth(&self) -> u64 {
        self.tiles.div_ceil(self.blocks) * self.blocks.div_ceil(32) + 16
    }
}

/// Bytes of a count of launches for each block, up to the alignment of what follows.
fn launches_bytes(blocks: u64) -> u64 {
    (4 * blocks).next_multiple_of(16)
}

/// The launch of all_gather.cu or, with stages, of warp_specialized.cu.
fn launched(
    mut rounds: Rounds,
    s: &Setup<'_>,
    kernel: CudaFunction,
    config: LaunchConfig,
    depth: u64,
    stages: Option<u32>,
) -> Ready {
    let n = s.case.elements();
    let (stream, function) = (s.stream(), kernel.clone());
    Ready::new(kernel, config, depth, move |input, out| {
        if rounds.tiles == 0 {
            return Ok(());
        }
        let (mut status, mut launches) = rounds.status_and_launches();
        let mut launch = stream.launch_builder(&function);
        launch.arg(input).arg(out).arg(&n);
        launch.arg(&mut status).arg(&mut launches);
        if let Some(stages) = &stages {
            launch.arg(stages);
        }
        // SAFETY: all_gather.cu and warp_specialized.cu read in[0 .. n], write out[0 .. n] and a slot of
        // status for each tile. Status and launches were zero before the first launch, and every
        // launch on them has this grid. A cooperative launch runs all its blocks at once. The dynamic
        // shared memory is as many stages as are said.
        unsafe { launch.launch_cooperative(config)? };
        Ok(())
    })
}
