//! Scans of one launch, whose blocks tell each other what they leave open.

use cudarc::driver::{LaunchConfig, PushKernelArg, sys::CUfunction_attribute};
use harness::{Dtype, Error, kernel};

use crate::{Ready, Setup, input::Layout, kernel_of, levels::share_depth};

/// Words of 64 bits in which a block publishes a value: 32 bits of it in each, beside a tag.
fn words(dtype: Dtype) -> u64 {
    (dtype.size() as u64).div_ceil(4)
}

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

/// Bytes of a tile of specialized.cu, and of a stage, which holds its flags too.
const TILE: u64 = 24_576;
const STAGE: u32 = 25_344;
const MOST_STAGES: u32 = 9;
/// Threads of a block.
const ROLES: u32 = 13 * 32;
/// What the kernel declares itself, in bytes.
const STATIC: u32 = 2048;
/// Blocks of a round whose pairs one warp reads.
const MOST_BLOCKS: u32 = 160;

pub(crate) fn specialized(s: &Setup<'_>) -> Result<Ready, Error> {
    let (n, dtype) = (s.case.elements(), s.case.dtype);
    let kernel = kernel_of(s)?;
    let stages = stages(s)?;
    let shared_mem_bytes = stages * STAGE;
    let attribute = CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
    let allowed = kernel.set_attribute(attribute, shared_mem_bytes as i32);
    allowed.map_err(|error| Error::driver("asking for shared memory", error))?;
    let tiles = s.case.input_bytes().div_ceil(TILE);
    let most = s.device.properties.multiprocessors.min(MOST_BLOCKS);
    let blocks = tiles.min(most.into()).max(1);
    let config = LaunchConfig {
        shared_mem_bytes,
        ..kernel::grid(blocks, ROLES)
    };
    let stream = s.stream();
    let mut status = s.scratch(tiles.next_multiple_of(blocks) * words(dtype) * 8)?;
    let zeroed = stream.memset_zeros(&mut status);
    zeroed.map_err(|error| Error::driver("zeroing the blocks' status", error))?;
    // An operation a round for what is open; before that, at most 48 for a tile's fold (six rows, a warp,
    // eight parts) and its round's (five groups of 32).
    let depth = share_depth(dtype, 6) + tiles.div_ceil(blocks) + 48;
    let (function, layout) = (kernel.clone(), Layout::new(n, dtype));
    let mut epoch = 0u32;
    Ok(Ready::new(kernel, config, depth, move |input, out| {
        if tiles == 0 {
            return Ok(());
        }
        // The tag has 31 bits for it.
        epoch = epoch % 0x7fff_ffff + 1;
        let (elements, bits) = (layout.elements(input), layout.bits(input));
        let mut launch = stream.launch_builder(&function);
        launch.arg(&elements).arg(&bits).arg(out).arg(&n);
        launch.arg(&mut status).arg(&epoch).arg(&stages);
        // SAFETY: specialized.cu reads in[0 .. n] and their flags, in a multiple of 16 bytes, and
        // writes out[0 .. n] and a slot of status for each tile. No slot holds this epoch's tag, and a
        // cooperative launch runs all its blocks at once. Its dynamic shared memory is as many
        // stages as are said.
        unsafe { launch.launch_cooperative(config)? };
        Ok(())
    }))
}

/// The stages that a block has room for: a multiple of the reducers of specialized.cu.
fn stages(s: &Setup<'_>) -> Result<u32, Error> {
    let room = s.device.properties.shared_bytes_a_block;
    let stages = (room.saturating_sub(STATIC) / STAGE).min(MOST_STAGES) / 3 * 3;
    if stages > 0 {
        return Ok(stages);
    }
    let (name, least) = (&s.device.properties.name, STATIC + 3 * STAGE);
    Err(Error::Module {
        module: "specialized".into(),
        reason: format!(
            "its blocks need {least} bytes of shared memory, and {name} has {room} for one"
        ),
        remedy: "leave this kernel out with --kernel, or use `--device sim`",
    })
}
