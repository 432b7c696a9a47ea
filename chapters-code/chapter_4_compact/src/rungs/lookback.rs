//! One pass in order: a block looks back over the counts of the tiles before its own.

use cudarc::driver::{LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;
use harness::{Element, Launch, Prepared, buffer, ptx};

use crate::{
    Rung,
    problem::{Compaction, Order, vectors_only},
};

/// The rung `lookback`.
pub static RUNG: Rung = Rung::new(
    "lookback",
    "one pass in order: a block looks back over the counts before its tile",
    ptx!("kernels/lookback.ptx"),
)
.refuses(vectors_only);

/// One launch, with one block per tile.
pub fn prepare<T: Element>(p: &Compaction<T>, rung: &Rung) -> Prepared<Compaction<T>> {
    let module = p.device.context.load_module(Ptx::from_src(rung.ptx))?;
    let kernel = module.load_function(&p.entry())?; // such as mask_b32
    let tile = if size_of::<T>() == 8 { 4096 } else { 8192 }; // elements
    let tiles = p.n.div_ceil(tile);
    let config = LaunchConfig {
        grid_dim: (tiles as u32, 1, 1),
        block_dim: (256, 1, 1),
        shared_mem_bytes: 0,
    };
    // The counter of blocks, up to 16 bytes, then two status words per tile. One memset zeroes both.
    let mut state = buffer::scratch::<u64>(&p.device, 2 + 2 * tiles)?;

    Ok(Launch::new(kernel.clone(), config, Order::Selected, move |p: &mut Compaction<T>| {
        if p.n == 0 {
            return p.device.stream.memset_zeros(&mut p.count.view_mut());
        }
        p.device.stream.memset_zeros(&mut state)?;
        let (mut counter, mut status) = state.split_at_mut(2);
        let (mut out, mut count) = (p.out.view_mut(), p.count.view_mut());
        let mut launch = p.device.stream.launch_builder(&kernel);
        launch.arg(&p.values).arg(&mut out).arg(&p.n).arg(&p.capacity);
        launch.arg(&mut count).arg(&p.mask).arg(&p.pivot);
        launch.arg(&mut status).arg(&mut counter);
        // SAFETY: lookback.cu and staged.cu are `(const T* in, T* out, size_t n, size_t capacity, u64* selected, const
        // void* mask, u64 pivot, u64* status, unsigned* counter)`. They read in[0 .. n] and the mask, write *selected, at
        // most out[0 .. capacity] and the status of every tile, and count their blocks in the counter. Status and
        // counter are 0, and there is one block per tile.
        unsafe { launch.launch(config) }.map(drop)
    }))
}
