//! Steps of rungs of other chapters, for those whose rungs are not typed yet.

use cudarc::driver::{CudaSlice, CudaViewMut, PushKernelArg};
use harness::{
    Case, Dtype, Error, Kind, Op, Parameters, Shape, kernel,
    rung::{Ready, Setup},
};

use crate::rungs::lookback;

/// The scan of n integers that are on the device already, by look-back: as a step of another rung.
///
/// # Errors
/// As [`harness::rung::Rung::ready`].
pub fn as_step(s: &Setup<'_>, kind: Kind, dtype: Dtype, n: u64) -> Result<Ready, Error> {
    let case = Case {
        shape: Shape::Vector { n },
        dtype,
        op: Op::Sum,
        parameters: Parameters::of_kind(kind),
        ..s.case
    };
    let tiles = case.input_bytes().div_ceil(65_536);
    // The counter, then the status of each tile; at their own alignment.
    let mut state = s.scratch(16 + tiles * words(dtype) * 8)?;
    let module = kernel::load_module(s.device, lookback::RUNG.name, &[lookback::RUNG.ptx])?;
    let kernel = kernel::load_function(&module, &format!("{kind}_sum_{dtype}"))?;
    let (stream, function) = (s.stream(), kernel.clone());
    let config = kernel::grid(tiles, 512);
    Ok(Ready::new(kernel, config, 0, move |input, out| {
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

/// Words of 64 bits in which a block publishes a value: 32 bits of it in each, beside a tag.
pub fn words(dtype: Dtype) -> u64 {
    (dtype.size() as u64).div_ceil(4)
}

/// Blocks of a round whose folds one warp reads.
pub const MOST_BLOCKS: u32 = 160;

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
}

/// Bytes of a count of launches for each block, up to the alignment of what follows.
fn launches_bytes(blocks: u64) -> u64 {
    (4 * blocks).next_multiple_of(16)
}
