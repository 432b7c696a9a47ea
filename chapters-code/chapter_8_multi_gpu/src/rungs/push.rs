//! Stores only: every device sends its elements to the device that adds them, and that device sends the sums.

use cudarc::driver::{LaunchConfig, PushKernelArg};
use harness::{Launch, Prepared, ptx};

use crate::{
    Rung,
    problem::{Collective, Shared, Task},
};

/// The rung `push`.
pub static RUNG: Rung = Rung::new(
    "push",
    "stores only: elements are sent to the device that adds them, and the sums to all",
    ptx!("kernels/push.ptx"),
)
.refuses(|_, case| Task::AllReduce.refusal(case));

/// Threads per block: `THREADS` of push.cu.
const THREADS: u32 = 512;

/// Elements per tile: `TILE` packs of push.cu.
const TILE: usize = 4 * 4 * THREADS as usize;

/// One kernel per device, with two blocks per multiprocessor at most.
pub fn prepare(p: &Collective, rung: &Rung) -> Prepared<Collective> {
    in_blocks(2 * p.devices[0].properties.multiprocessors as usize, p, rung)
}

/// One kernel per device, with `most` blocks at most. The broken rung calls it with fewer, so that a block has several
/// tiles of a small array.
pub fn in_blocks(most: usize, p: &Collective, rung: &Rung) -> Prepared<Collective> {
    let kernels = p.kernels(rung.ptx, "push")?; // such as push_4
    let part = p.part();
    let tiles = part.div_ceil(TILE);
    let most = most.min(p.devices.resident_blocks(&kernels, THREADS)? as usize);
    let blocks = tiles.clamp(1, most);
    let config = LaunchConfig {
        grid_dim: (blocks as u32, 1, 1),
        block_dim: (THREADS, 1, 1),
        shared_mem_bytes: 0,
    };
    let received = Shared::filled(&p.devices, part * p.devices.len(), 0_f32)?;
    let flags = Shared::flags(&p.devices, blocks)?;

    Ok(Launch::new(kernels[0].clone(), config, (), move |p: &mut Collective| {
        let (inputs, outs) = (p.input_addresses(), p.out_addresses());
        for (rank, kernel) in (0_i32..).zip(&kernels) {
            let mut launch = p.devices[rank as usize].stream.launch_builder(kernel);
            launch.arg(&inputs).arg(&outs).arg(received.addresses()).arg(flags.addresses());
            launch.arg(&rank).arg(&part).arg(&p.n);
            // SAFETY: push.cu is `(Pointers in, Pointers out, Pointers received, Flags flags, int device, size_t
            // part, size_t n)`. It reads and writes the n elements of every device's arrays, `part`
            // elements per device of `received`, and 8 flags per block of the grid, whose blocks are all resident.
            unsafe { launch.launch(config)? };
        }
        Ok(())
    }))
}
