//! From head flags to offsets: by chapter 3's scan of the flags or of their counts, or in one pass.

use chapter_3_scan::rungs::lookback::LOOKBACK;
use cudarc::driver::{CudaFunction, PushKernelArg};
use cudarc::nvrtc::Ptx;
use harness::{Error, Launch, Prepared, buffer, kernel::grid, ptx};

use crate::{
    Rung,
    problem::{Form, ToOffsets, to_offsets_only},
};

/// The rung's kernel of this name, chapter 3's scan, and the rung's scatter.
fn three_kernels(first: &str, p: &ToOffsets, rung: &Rung) -> Result<[CudaFunction; 3], Error> {
    let module = p.device.context.load_module(Ptx::from_src(rung.ptx))?;
    let scan = p.device.context.load_module(Ptx::from_src(LOOKBACK.ptx))?;
    Ok([
        module.load_function(first)?,
        scan.load_function("exclusive_sum_u32")?,
        module.load_function("to_offsets")?,
    ])
}

/// The rung `offsets_of_flags`.
pub static OF_FLAGS: Rung = Rung::new(
    "offsets_of_flags",
    "from bytes: chapter 3's scan of them, and a scatter of indices",
    ptx!("kernels/offsets_of_flags.ptx"),
)
.refuses(to_offsets_only);

/// Three launches: the flags as numbers, their exclusive scan, and a scatter of indices.
pub fn of_flags(p: &ToOffsets, rung: &Rung) -> Prepared<ToOffsets> {
    let [first, scan, scatter] = three_kernels("heads", p, rung)?;
    let tiles = p.n.div_ceil(65_536 / 4); // of 64 KiB of flags
    let (config, scan_config) = (grid(p.n.div_ceil(256), 256), grid(tiles, 512));
    // The counter of blocks, up to 16 bytes, then one status word per tile. One memset zeroes both.
    let mut state = buffer::scratch::<u64>(&p.device, 2 + tiles)?;
    let mut heads = buffer::scratch::<u32>(&p.device, p.n)?;
    let mut before = buffer::scratch::<u32>(&p.device, p.n)?;

    // ANCHOR: of_flags
    Ok(Launch::new(scatter.clone(), config, Form::Bytes, move |p: &mut ToOffsets| {
        let stream = &p.device.stream;
        let (mut count, mut offsets) = (p.count.view_mut(), p.offsets.view_mut());
        if p.n == 0 {
            stream.memset_zeros(&mut count)?;
            return stream.memset_zeros(&mut offsets);
        }
        let mut launch = stream.launch_builder(&first);
        launch.arg(&p.flags).arg(&mut heads).arg(&p.n);
        // SAFETY: `heads` is `(const u8* flags, u32* heads, size_t n)`. It reads flags[0 .. n] and writes
        // heads[0 .. n].
        unsafe { launch.launch(config)? };

        stream.memset_zeros(&mut state)?;
        let (mut counter, mut status) = state.split_at_mut(2);
        let mut launch = stream.launch_builder(&scan);
        launch.arg(&heads).arg(&mut before).arg(&p.n);
        launch.arg(&mut status).arg(&mut counter);
        // SAFETY: chapter 3's lookback.cu reads in[0 .. n], writes out[0 .. n] and the status of every tile, and
        // counts its blocks in the counter. Status and counter are 0. One block per tile.
        unsafe { launch.launch(scan_config)? };

        let mut launch = stream.launch_builder(&scatter);
        launch.arg(&p.flags).arg(&p.n).arg(&before);
        launch.arg(&mut offsets).arg(&p.capacity).arg(&mut count);
        // SAFETY: `to_offsets` reads flags[0 .. n] and before[0 .. n], and writes *count and at most
        // offsets[0 .. capacity].
        unsafe { launch.launch(config) }.map(drop)
    }))
    // ANCHOR_END: of_flags
}

/// The rung `offsets_of_bits`.
pub static OF_BITS: Rung = Rung::new(
    "offsets_of_bits",
    "from bits: heads are counted in words of 32 flags, and only counts of blocks are scanned",
    ptx!("kernels/offsets_of_bits.ptx"),
)
.refuses(to_offsets_only);

/// Three launches: the number of heads in each block, their exclusive scan, and a scatter of indices.
pub fn of_bits(p: &ToOffsets, rung: &Rung) -> Prepared<ToOffsets> {
    let [first, scan, scatter] = three_kernels("count", p, rung)?;
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

/// The rung `offsets_single_pass`.
pub static SINGLE_PASS: Rung = Rung::new(
    "offsets_single_pass",
    "from bits in one pass: blocks look back, and warps put heads side by side",
    ptx!("kernels/offsets_single_pass.ptx"),
)
.refuses(to_offsets_only);

/// Flags of a block: 512 threads with 32 words each.
const TILE: u64 = 512 * 32 * 32;

/// One launch. Tickets number blocks and launches, so that nothing is zeroed between launches.
pub fn single_pass(p: &ToOffsets, rung: &Rung) -> Prepared<ToOffsets> {
    let module = p.device.context.load_module(Ptx::from_src(rung.ptx))?;
    let kernel = module.load_function("to_offsets")?;
    let tiles = p.n.div_ceil(TILE);
    let config = grid(tiles, 512);
    let mut tickets = p.device.stream.alloc_zeros::<u64>(1)?;
    let mut status = p.device.stream.alloc_zeros::<u64>(tiles.max(1) as usize)?;

    Ok(Launch::new(kernel.clone(), config, Form::Bits, move |p: &mut ToOffsets| {
        let stream = &p.device.stream;
        let (mut count, mut offsets) = (p.count.view_mut(), p.offsets.view_mut());
        if p.n == 0 {
            stream.memset_zeros(&mut count)?;
            return stream.memset_zeros(&mut offsets);
        }
        let mut launch = stream.launch_builder(&kernel);
        launch.arg(&p.bits).arg(&p.n).arg(&mut offsets).arg(&p.capacity).arg(&mut count);
        launch.arg(&mut status).arg(&mut tickets);
        // SAFETY: offsets_single_pass.cu is `(const u32* bits, size_t n, u32* offsets, size_t capacity, u32* count,
        // u64* status, u64* tickets)`. It reads ceil(n / 32) words, and writes *count, at most offsets[0 .. capacity]
        // and a status word per block. Status and tickets were 0 before the first launch, and all launches have one
        // grid and one stream.
        unsafe { launch.launch(config) }.map(drop)
    }))
}
