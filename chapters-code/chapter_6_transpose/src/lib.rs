//! Transpose: element (r, c) of a matrix goes to (c, r).
//!
//! Here stands the ladder, a line a rung. A rung is a kernel file of its own, `kernels/<rung>.cu`,
//! compiled to PTX beside it; its launch, in plain cudarc, is below, or in [`in_place`] where a square
//! matrix is turned onto itself.
//!
//! Elements are moved as they are, so a kernel is made for their sizes, under names such as
//! `transpose_4`, and the host handles them as bytes.

mod baseline;
pub mod broken;
pub mod chapter;
pub mod in_place;
pub mod layout;
pub mod reference;

use cudarc::driver::{LaunchConfig, PushKernelArg};
pub use harness::rung::{Launch, Ready, Rung, Setup};
use harness::{Error, kernel, rung, rung::Rungs};

use crate::{in_place::IN_PLACE, layout::Layout};

/// The ladder: each rung is the one before with one idea changed.
#[rustfmt::skip] // a table
pub const LADDER: &[Rung] = &[
    rung!("by_rows", |s| tiled(s, &SMALL),
        "a warp reads a row, and writes a column"),
    rung!("by_columns", |s| tiled(s, &SMALL),
        "a warp reads a column, and writes a row"),
    rung!("tile", |s| tiled(s, &SMALL),
        "rows on both sides: the turn is made in shared memory"),
    rung!("padded", |s| tiled(s, &SMALL),
        "the tile's rows are one longer: a column lies in 32 banks"),
    rung!("swizzled", |s| tiled(s, &SMALL),
        "the same without padding: column c of row r lies at c XOR r"),
    rung!("coarsened", |s| tiled(s, &FOUR_EACH),
        "four elements a thread"),
    rung!("diagonal", |s| tiled(s, &FOUR_EACH),
        "tiles taken along diagonals, as GPUs of 2008 needed it"),
    rung!("vectorized", |s| tiled(s, &VECTORIZED),
        "16 bytes an access, on both sides"),
    rung!("column_major_tiles", |s| tiled(s, &VECTORIZED),
        "the same tiles, taken down the columns"),
    rung!("sectors", sectors,
        "rows that begin anywhere: every store whole sectors", ["sectors.compute_80.ptx"]),
];

/// All rungs: the ladder, what stands beside it, then the broken ones.
pub const RUNGS: Rungs = Rungs(&[LADDER, IN_PLACE, broken::BROKEN]);

/// A kernel's blocks: a tile each.
#[derive(Clone, Copy, Debug)]
pub struct Blocks {
    /// What its entry points are called, up to the bytes of an element.
    pub entry: &'static str,
    /// Threads of a block, in x and y.
    pub threads: (u32, u32),
    /// Its tile, for elements of so many bytes.
    pub tile: fn(u64) -> Tile,
}

/// What a block moves.
#[derive(Clone, Copy, Debug)]
pub struct Tile {
    /// Rows of the input.
    pub rows: u64,
    /// Columns.
    pub cols: u64,
    /// Rows by which the tiles must reach over the input's last.
    pub over: u64,
    /// Dynamic shared memory of the block, in bytes.
    pub shared: u64,
    /// For how many blocks of a multiprocessor there is to be shared memory, where that is fewer than fit:
    /// the rest is L1.
    pub resident: Option<u32>,
}

const SMALL_TILE: Tile = Tile {
    rows: 32,
    cols: 32,
    over: 0,
    shared: 0,
    resident: None,
};

const SMALL: Blocks = Blocks {
    entry: "transpose",
    threads: (32, 32),
    tile: |_| SMALL_TILE,
};

const FOUR_EACH: Blocks = Blocks {
    threads: (32, 8),
    ..SMALL
};

/// Tiles whose rows are 16 packs.
const VECTORIZED: Blocks = Blocks {
    threads: (256, 1),
    tile: |bytes| Tile {
        rows: 256 / bytes,
        cols: 256 / bytes,
        over: 0,
        shared: 256 * (256 / bytes),
        resident: None,
    },
    ..SMALL
};

/// Pieces of the output's rows that are 16 packs; see sectors.cu.
const RAGGED: Blocks = Blocks {
    entry: "ragged",
    threads: (256, 1),
    tile: |bytes| {
        let grain = 32 / bytes;
        let (rows, cols) = match bytes {
            4 => (80, 128),
            16 => (16, 32),
            _ => (256 / bytes, 64),
        };
        Tile {
            rows,
            cols,
            over: grain - 1,
            shared: (rows + grain) * (cols + 1) * bytes,
            // Neighbouring warps share sectors of the rows that they load.
            resident: (bytes == 4).then_some(2),
        }
    },
};

/// The most matrices of a launch: blocks of a grid in y.
const MOST_AT_ONCE: u64 = 65_535;

impl Blocks {
    /// The launch for so many matrices, of which there is at least one.
    pub fn config(&self, layout: &Layout, bytes: u64, matrices: u64) -> LaunchConfig {
        let tile = (self.tile)(bytes);
        let (x, y) = self.threads;
        LaunchConfig {
            grid_dim: (layout.tiles(&tile).max(1) as u32, matrices as u32, 1),
            block_dim: (x, y, 1),
            shared_mem_bytes: tile.shared as u32,
        }
    }
}

/// The matrices of a batch, first and how many, that are launched together.
pub(crate) fn launches(batch: u64) -> impl Iterator<Item = (u64, u64)> {
    let starts = (0..batch).step_by(MOST_AT_ONCE as usize);
    starts.map(move |first| (first, MOST_AT_ONCE.min(batch - first)))
}

/// A block for each tile of each matrix.
fn tiled(s: &Setup<'_>, blocks: &Blocks) -> Result<Ready, Error> {
    let layout = Layout::of(&s.case);
    let bytes = s.case.dtype.size() as u64;
    let blocks = *blocks;
    let kernel = s.entry(&format!("{}_{bytes}", blocks.entry))?;
    let (stream, function) = (s.stream(), kernel.clone());
    let config = blocks.config(&layout, bytes, layout.batch.min(MOST_AT_ONCE));
    kernel::allow_shared(&kernel, &config)?;
    if let Some(count) = (blocks.tile)(bytes).resident {
        kernel::leave_rest_to_l1(s.device, &kernel, &config, count)?;
    }
    Ok(Ready::new(kernel, config, 0, move |input, out| {
        let Layout {
            rows,
            cols,
            ld_in,
            ld_out,
            batch,
        } = layout;
        if layout.elements() == 0 {
            return Ok(()); // nothing to move, and a grid of no blocks is an error
        }
        for (first, count) in launches(batch) {
            let input = input.slice((first * rows * ld_in * bytes) as usize..);
            let mut out = out.slice_mut((first * cols * ld_out * bytes) as usize..);
            let mut launch = stream.launch_builder(&function);
            launch.arg(&input).arg(&mut out);
            launch.arg(&rows).arg(&cols).arg(&ld_in).arg(&ld_out);
            // SAFETY: the kernels read `count` matrices of `rows` rows, ld_in elements apart, and write
            // as many of `cols` rows, ld_out apart, which the two slices hold; grid and block are those
            // of the kernel's header.
            unsafe { launch.launch(blocks.config(&layout, bytes, count))? };
        }
        Ok(())
    }))
}

/// Packs, where both sides let it; otherwise pieces that begin with a sector.
fn sectors(s: &Setup<'_>) -> Result<Ready, Error> {
    let Layout { ld_in, ld_out, .. } = Layout::of(&s.case);
    let bytes = s.case.dtype.size() as u64;
    let packed = [ld_in, ld_out]
        .iter()
        .all(|ld| (ld * bytes).is_multiple_of(16));
    tiled(s, if packed { &VECTORIZED } else { &RAGGED })
}
