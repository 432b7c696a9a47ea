//! A single pass: a block looks back over the tiles before its own, up to the last one with a head.

use chapter_3_scan::problem::tile_depth;
use cudarc::driver::PushKernelArg;
use cudarc::nvrtc::Ptx;
use harness::{Element, Launch, Op, Prepared, buffer, kernel::grid, ptx};

use crate::{
    Rung,
    problem::{SegmentedScan, scans_only},
};

/// The rung `lookback`.
pub static RUNG: Rung = Rung::new(
    "lookback",
    "a single pass: a block looks back as far as the last head",
    ptx!("kernels/lookback.ptx"),
)
.refuses(scans_only)
// A block adds the aggregates and prefixes that it finds, and these depend on the schedule.
.varies(|case| case.dtype.is_float() && case.op == Op::Sum);

/// One launch, with one block per tile of 64 KiB.
pub fn prepare<T: Element>(p: &SegmentedScan<T>, rung: &Rung) -> Prepared<SegmentedScan<T>> {
    let module = p.device.context.load_module(Ptx::from_src(rung.ptx))?;
    let kernel = module.load_function(&p.entry())?; // such as inclusive_sum_f32
    let tiles = p.n.div_ceil(65_536 / size_of::<T>() as u64);
    let config = grid(tiles, 512);
    // As in chapter 3: at most one addition per tile, and 7 where a tile's aggregate enters the chain.
    let depth = tile_depth::<T>(8) + 7 + tiles;
    // The counter of blocks, up to 16 bytes, then the status words of every tile. One memset zeroes both.
    let words = (size_of::<T>() as u64).div_ceil(4); // 32 bits of a value, and a tag, in each
    let mut state = buffer::scratch::<u64>(&p.device, 2 + tiles * words)?;

    Ok(Launch::new(kernel.clone(), config, depth, move |p: &mut SegmentedScan<T>| {
        if tiles == 0 {
            return Ok(());
        }
        p.device.stream.memset_zeros(&mut state)?;
        let (mut counter, mut status) = state.split_at_mut(2);
        let mut out = p.out.view_mut();
        let mut launch = p.device.stream.launch_builder(&kernel);
        launch.arg(&p.values).arg(&p.bits).arg(&mut out).arg(&p.n);
        launch.arg(&mut status).arg(&mut counter);
        // SAFETY: lookback.cu is `(const T* in, const u32* bits, T* out, size_t n, u64* status, unsigned* counter)`.
        // It reads in[0 .. n] and ceil(n / 32) words of flags, writes out[0 .. n] and the status of every tile,
        // and counts its blocks in the counter. Status and counter are 0, and there is one block per tile.
        unsafe { launch.launch(config) }.map(drop)
    }))
}
