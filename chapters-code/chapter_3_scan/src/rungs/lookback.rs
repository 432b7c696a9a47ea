//! A single pass: one block per tile, which learns its prefix from the tiles before its own. The launches differ in
//! nothing but the kernel and its depth.

use cudarc::driver::PushKernelArg;
use cudarc::nvrtc::Ptx;
use harness::{Element, Launch, Op, Prepared, buffer, kernel::grid, ptx};

use crate::{
    Rung,
    problem::{PrefixScan, tile_depth, vectors_only},
};

/// The rung `chained` (chained scan).
pub static CHAINED: Rung = Rung::new(
    "chained",
    "a single pass: a block waits for the prefix of the tile before its own",
    ptx!("kernels/chained.ptx"),
)
.refuses(vectors_only);

/// Tiles of 64 KiB.
pub fn chained<T: Element>(p: &PrefixScan<T>, rung: &Rung) -> Prepared<PrefixScan<T>> {
    // Each tile adds its aggregate to the prefix of the tile before.
    tile_per_block(65_536, |tiles| tile_depth::<T>(8) + tiles.max(1), p, rung)
}

/// The rung `lookback` (decoupled look-back).
pub static LOOKBACK: Rung = Rung::new(
    "lookback",
    "a single pass: a block looks back over the tiles before its own",
    ptx!("kernels/lookback.ptx"),
)
.refuses(vectors_only)
// A block adds the aggregates and prefixes that it finds, and these depend on the schedule.
.varies(|case| case.dtype.is_float() && case.op == Op::Sum);

/// Tiles of 64 KiB.
pub fn lookback<T: Element>(p: &PrefixScan<T>, rung: &Rung) -> Prepared<PrefixScan<T>> {
    in_tiles_of(65_536, p, rung)
}

/// Look-back over tiles of `bytes` bytes.
pub fn in_tiles_of<T: Element>(
    bytes: u64,
    p: &PrefixScan<T>,
    rung: &Rung,
) -> Prepared<PrefixScan<T>> {
    // A look-back over w tiles to a prefix adds at most min(w, 7) times to that prefix: an addition of the
    // identity is exact, and a prefix w tiles away is left of w - 1 aggregates at most. So the chain of
    // prefixes has at most one addition per tile. The tile's own aggregate enters the chain in a window:
    // its scan (5), the window to the prefix, the prefix to an aggregate.
    tile_per_block(bytes, |tiles| tile_depth::<T>(8) + 7 + tiles, p, rung)
}

/// One launch, with one block per tile of `bytes` bytes. An element passes through `depth(tiles)` additions.
fn tile_per_block<T: Element>(
    bytes: u64,
    depth: fn(u64) -> u64,
    p: &PrefixScan<T>,
    rung: &Rung,
) -> Prepared<PrefixScan<T>> {
    let module = p.device.context.load_module(Ptx::from_src(rung.ptx))?;
    let kernel = module.load_function(&p.entry(p.kind))?; // such as inclusive_sum_f32
    let tiles = p.n.div_ceil(bytes / size_of::<T>() as u64);
    let config = grid(tiles, 512);
    // The counter of blocks, up to 16 bytes, then the status words of every tile. One memset zeroes both.
    let words = (size_of::<T>() as u64).div_ceil(4); // 32 bits of a value, and a tag, in each
    let mut state = buffer::scratch::<u64>(&p.device, 2 + tiles * words)?;

    Ok(Launch::new(kernel.clone(), config, depth(tiles), move |p: &mut PrefixScan<T>| {
        if tiles == 0 {
            return Ok(());
        }
        p.device.stream.memset_zeros(&mut state)?;
        let (mut counter, mut status) = state.split_at_mut(2);
        let mut out = p.out.view_mut();
        let mut launch = p.device.stream.launch_builder(&kernel);
        launch.arg(&p.input).arg(&mut out).arg(&p.n);
        launch.arg(&mut status).arg(&mut counter);
        // SAFETY: chained.cu and lookback.cu are `(const T* in, T* out, size_t n, u64* status, unsigned* counter)`.
        // They read in[0 .. n], write out[0 .. n] and the status of every tile, and count their blocks in the counter.
        // Status and counter are 0, and there is one block per tile.
        unsafe { launch.launch(config) }.map(drop)
    }))
}
