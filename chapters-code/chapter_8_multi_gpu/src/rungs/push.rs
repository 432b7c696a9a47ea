//! Stores only: every device sends its elements to the device that adds them, which waits for them by flags.

use cudarc::driver::PushKernelArg;
use harness::{Launch, Prepared, kernel::grid, ptx};

use super::flags::with_flags;
use crate::{
    Rung,
    problem::{Collective, Shared, Task},
};

/// The rung `push`. The device that adds elements sends their sums.
pub static PUSH: Rung = Rung::new(
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
pub fn push(p: &Collective, rung: &Rung) -> Prepared<Collective> {
    in_blocks(2 * p.devices[0].properties.multiprocessors as usize, p, rung)
}

/// One kernel per device, with `most` blocks at most. The broken rung calls it with fewer, so that a block has several
/// tiles of a small array.
pub fn in_blocks(most: usize, p: &Collective, rung: &Rung) -> Prepared<Collective> {
    let kernels = p.kernels(rung.ptx, "push")?; // such as push_4
    let part = p.part();
    let most = most.min(p.devices.resident_blocks(&kernels, THREADS)? as usize);
    let blocks = part.div_ceil(TILE).clamp(1, most);
    let config = grid(blocks as u64, THREADS);
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

/// The rung `reduce_scatter_push`.
pub static REDUCE_SCATTER_PUSH: Rung = Rung::new(
    "reduce_scatter_push",
    "stores instead of loads: elements are sent to the device that adds them, which waits",
    ptx!("kernels/reduce_scatter_push.ptx"),
)
.refuses(|_, case| Task::ReduceScatter.refusal(case));

/// One kernel per device.
pub fn reduce_scatter(p: &Collective, rung: &Rung) -> Prepared<Collective> {
    let part = p.part();
    let received = Shared::<f32>::scratch(&p.devices, part * p.devices.len())?;
    let (kernels, config, flags) = with_flags("reduce_scatter_push", part, p, rung)?;
    Ok(Launch::new(kernels[0].clone(), config, (), move |p: &mut Collective| {
        let inputs = p.input_addresses();
        for (rank, kernel) in (0_i32..).zip(&kernels) {
            let d = rank as usize;
            let mut out = p.outs[d].view_mut();
            let mut launch = p.devices[d].stream.launch_builder(kernel);
            launch.arg(&inputs).arg(&mut out).arg(received.addresses()).arg(flags.addresses());
            launch.arg(&rank).arg(&part).arg(&p.n);
            // SAFETY: reduce_scatter_push.cu is `(Pointers in, float* out, Pointers received, Flags flags, int device,
            // size_t part, size_t n)`. It reads n elements of its device's array, writes its part of the result, and
            // uses `part` elements per device of `received`, and 8 flags per block of the grid, whose blocks are all
            // resident.
            unsafe { launch.launch(config)? };
        }
        Ok(())
    }))
}
