//! From head flags of one bit per element to offsets: only the counts of blocks are scanned.

use chapter_3_scan::rungs::lookback::LOOKBACK;
use cudarc::driver::PushKernelArg;
use cudarc::nvrtc::Ptx;
use harness::{Launch, Prepared, buffer, kernel::grid, ptx};

use crate::{
    Rung,
    problem::{Form, ToOffsets, unsuited},
};

/// The rung `offsets_of_bits`.
pub static RUNG: Rung = Rung::new(
    "offsets_of_bits",
    "from bits: heads are counted in words of 32 flags, and only counts of blocks are scanned",
    ptx!("kernels/offsets_of_bits.ptx"),
)
.refuses(unsuited);

/// Three launches: the number of heads in each block, their exclusive scan, and a scatter of indices.
pub fn prepare(p: &ToOffsets, rung: &Rung) -> Prepared<ToOffsets> {
    let module = p.device.context.load_module(Ptx::from_src(rung.ptx))?;
    let first = module.load_function("count")?;
    let scatter = module.load_function("to_offsets")?;
    let module = p.device.context.load_module(Ptx::from_src(LOOKBACK.ptx))?;
    let scan = module.load_function("exclusive_sum_u32")?;
    let blocks = p.n.div_ceil(8192);
    let tiles = blocks.div_ceil(65_536 / 4); // of 64 KiB of counts
    let (config, scan_config) = (grid(blocks, 256), grid(tiles, 512));
    // The counter of blocks, up to 16 bytes, then one status word per tile. One memset zeroes both.
    let mut state = buffer::scratch::<u64>(&p.device, 2 + tiles)?;
    let mut heads = buffer::scratch::<u32>(&p.device, blocks)?;
    let mut before = buffer::scratch::<u32>(&p.device, blocks)?;

    Ok(Launch::new(scatter.clone(), config, Form::Bits, move |p: &mut ToOffsets| {
        let stream = &p.device.stream;
        let (mut count, mut offsets) = (p.count.view_mut(), p.offsets.view_mut());
        if p.n == 0 {
            stream.memset_zeros(&mut count)?;
            return stream.memset_zeros(&mut offsets);
        }
        let mut launch = stream.launch_builder(&first);
        launch.arg(&p.bits).arg(&p.n).arg(&mut heads);
        // SAFETY: `count` is `(const u32* bits, size_t n, u32* counts)`. It reads ceil(n / 32) words and writes
        // one count per block.
        unsafe { launch.launch(config)? };

        stream.memset_zeros(&mut state)?;
        let (mut counter, mut status) = state.split_at_mut(2);
        let mut launch = stream.launch_builder(&scan);
        launch.arg(&heads).arg(&mut before).arg(&blocks);
        launch.arg(&mut status).arg(&mut counter);
        // SAFETY: chapter 3's lookback.cu reads in[0 .. n], writes out[0 .. n] and the status of every tile, and
        // counts its blocks in the counter. Status and counter are 0. One block per tile.
        unsafe { launch.launch(scan_config)? };

        let mut launch = stream.launch_builder(&scatter);
        launch.arg(&p.bits).arg(&p.n).arg(&before);
        launch.arg(&mut offsets).arg(&p.capacity).arg(&mut count);
        // SAFETY: `to_offsets` reads ceil(n / 32) words and before[b] for each block b, and writes *count and at
        // most offsets[0 .. capacity].
        unsafe { launch.launch(config) }.map(drop)
    }))
}
