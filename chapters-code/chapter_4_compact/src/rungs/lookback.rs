//! One pass: a block looks back over the counts of the tiles before its own. The launches differ in the kernel, and in
//! where elements go that are not selected.

use cudarc::driver::PushKernelArg;
use cudarc::nvrtc::Ptx;
use harness::{Element, Launch, Prepared, buffer, kernel::grid, ptx};

use crate::{
    Rung,
    problem::{Compaction, Order, vectors_only},
};

/// The rung `lookback`.
pub static LOOKBACK: Rung = Rung::new(
    "lookback",
    "one pass in order: a block looks back over the counts before its tile",
    ptx!("kernels/lookback.ptx"),
)
.refuses(vectors_only);

/// The rung `staged`.
pub static STAGED: Rung = Rung::new(
    "staged",
    "selected elements meet in shared memory, so that stores coalesce",
    ptx!("kernels/staged.ptx"),
)
.refuses(vectors_only);

/// Only the selected elements.
pub fn selected<T: Element>(p: &Compaction<T>, rung: &Rung) -> Prepared<Compaction<T>> {
    tile_per_block(Order::Selected, p, rung)
}

/// The rung `partition`.
pub static PARTITION: Rung = Rung::new(
    "partition",
    "staged; elements that are not selected go to the end, last first",
    ptx!("kernels/partition.ptx"),
)
.refuses(vectors_only);

/// All elements, those that are not selected at the end of the output.
pub fn partition<T: Element>(p: &Compaction<T>, rung: &Rung) -> Prepared<Compaction<T>> {
    tile_per_block(Order::Partition, p, rung)
}

/// One launch, with one block per tile.
fn tile_per_block<T: Element>(
    order: Order,
    p: &Compaction<T>,
    rung: &Rung,
) -> Prepared<Compaction<T>> {
    let module = p.device.context.load_module(Ptx::from_src(rung.ptx))?;
    let kernel = module.load_function(&p.entry())?; // such as mask_b32
    let tile = if size_of::<T>() == 8 { 4096 } else { 8192 }; // elements
    let tiles = p.n.div_ceil(tile);
    let config = grid(tiles, 256);
    // The counter of blocks, up to 16 bytes, then two status words per tile. One memset zeroes both.
    let mut state = buffer::scratch::<u64>(&p.device, 2 + 2 * tiles)?;

    Ok(Launch::new(kernel.clone(), config, order, move |p: &mut Compaction<T>| {
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
        // SAFETY: lookback.cu, staged.cu and partition.cu are `(const T* in, T* out, size_t n, size_t capacity, u64*
        // selected, const void* mask, u64 pivot, u64* status, unsigned* counter)`. They read in[0 .. n] and the mask,
        // write *selected, at most out[0 .. capacity] and the status of every tile, and count their blocks in the
        // counter. Status and counter are 0, and there is one block per tile.
        unsafe { launch.launch(config) }.map(drop)
    }))
}
