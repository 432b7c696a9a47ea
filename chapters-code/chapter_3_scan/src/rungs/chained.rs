//! A single pass: each block waits for the prefix of the tile before its own (chained scan).

use cudarc::driver::{LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;
use harness::{Element, Launch, Prepared, buffer, ptx};

use crate::{
    Rung,
    problem::{PrefixScan, tile_depth, vectors_only},
};

/// The rung `chained`.
pub static RUNG: Rung = Rung::new(
    "chained",
    "a single pass: a block waits for the prefix of the tile before its own",
    ptx!("kernels/chained.ptx"),
)
.refuses(vectors_only);

/// One launch, with one block per tile of 64 KiB.
pub fn prepare<T: Element>(p: &PrefixScan<T>, rung: &Rung) -> Prepared<PrefixScan<T>> {
    let module = p.device.context.load_module(Ptx::from_src(rung.ptx))?;
    let kernel = module.load_function(&p.entry(p.kind))?; // such as inclusive_sum_f32
    let tiles = p.n.div_ceil(65_536 / size_of::<T>() as u64);
    let config = LaunchConfig {
        grid_dim: (tiles as u32, 1, 1),
        block_dim: (512, 1, 1),
        shared_mem_bytes: 0,
    };
    // Each tile adds its aggregate to the prefix of the tile before.
    let depth = tile_depth::<T>(8) + tiles.max(1);
    // The counter of blocks, up to 16 bytes, then the status words of every tile. One memset zeroes both.
    let words = (size_of::<T>() as u64).div_ceil(4); // 32 bits of a value, and a tag, in each
    let mut state = buffer::scratch::<u64>(&p.device, 2 + tiles * words)?;

    Ok(Launch::new(kernel.clone(), config, depth, move |p: &mut PrefixScan<T>| {
        if tiles == 0 {
            return Ok(());
        }
        p.device.stream.memset_zeros(&mut state)?;
        let (mut counter, mut status) = state.split_at_mut(2);
        let mut out = p.out.view_mut();
        let mut launch = p.device.stream.launch_builder(&kernel);
        launch.arg(&p.input).arg(&mut out).arg(&p.n);
        launch.arg(&mut status).arg(&mut counter);
        // SAFETY: chained.cu is `(const T* in, T* out, size_t n, u64* status, unsigned* counter)`. It reads
        // in[0 .. n], writes out[0 .. n] and the status of every tile, and counts its blocks in the counter. Status
        // and counter are 0, and there is one block per tile.
        unsafe { launch.launch(config) }.map(drop)
    }))
}
