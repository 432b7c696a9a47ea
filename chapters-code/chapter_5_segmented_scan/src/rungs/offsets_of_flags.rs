//! From head flags of one byte per element to offsets: a compaction of indices by the flags.

use chapter_3_scan::rungs::lookback::LOOKBACK;
use cudarc::driver::PushKernelArg;
use cudarc::nvrtc::Ptx;
use harness::{Launch, Prepared, buffer, kernel::grid, ptx};

use crate::{
    Rung,
    problem::{Form, ToOffsets, unsuited},
};

/// The rung `offsets_of_flags`.
pub static RUNG: Rung = Rung::new(
    "offsets_of_flags",
    "from bytes: chapter 3's scan of them, and a scatter of indices",
    ptx!("kernels/offsets_of_flags.ptx"),
)
.refuses(unsuited);

/// Three launches: the flags as numbers, their exclusive scan, and a scatter of indices.
pub fn prepare(p: &ToOffsets, rung: &Rung) -> Prepared<ToOffsets> {
    let module = p.device.context.load_module(Ptx::from_src(rung.ptx))?;
    let first = module.load_function("heads")?;
    let scatter = module.load_function("to_offsets")?;
    let module = p.device.context.load_module(Ptx::from_src(LOOKBACK.ptx))?;
    let scan = module.load_function("exclusive_sum_u32")?;
    let tiles = p.n.div_ceil(65_536 / 4); // of 64 KiB of flags
    let (config, scan_config) = (grid(p.n.div_ceil(256), 256), grid(tiles, 512));
    // The counter of blocks, up to 16 bytes, then one status word per tile. One memset zeroes both.
    let mut state = buffer::scratch::<u64>(&p.device, 2 + tiles)?;
    let mut heads = buffer::scratch::<u32>(&p.device, p.n)?;
    let mut before = buffer::scratch::<u32>(&p.device, p.n)?;

    // ANCHOR: launch
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
    // ANCHOR_END: launch
}
