//! Every device adds one part of all arrays: its kernel loads from all devices, and stores to all, or to itself.

use cudarc::driver::{CudaFunction, LaunchConfig, PushKernelArg};
use harness::{Error, Launch, Prepared, kernel::grid, ptx};

use crate::{
    Rung,
    problem::{Collective, Task},
};

/// The kernels of this name, and their launch with a thread per pack of a part.
fn thread_per_pack(
    name: &str,
    p: &Collective,
    rung: &Rung,
) -> Result<(Vec<CudaFunction>, LaunchConfig), Error> {
    let kernels = p.kernels(rung.ptx, name)?; // such as two_shot_4
    let most = p.devices[0].resident_blocks(512);
    let blocks = p.part().div_ceil(4 * 512).clamp(1, most as usize);
    Ok((kernels, grid(blocks as u64, 512)))
}

/// The rung `two_shot`.
pub static TWO_SHOT: Rung = Rung::new(
    "two_shot",
    "every device adds one part: its kernel loads from all devices and stores to all",
    ptx!("kernels/two_shot.ptx"),
)
.refuses(|_, case| Task::AllReduce.refusal(case));

/// One kernel per device. Before them and after them, all streams meet.
pub fn two_shot(p: &Collective, rung: &Rung) -> Prepared<Collective> {
    let (kernels, config) = thread_per_pack("two_shot", p, rung)?;
    let parts = p.parts();

    // ANCHOR: enqueue
    Ok(Launch::new(kernels[0].clone(), config, (), move |p: &mut Collective| {
        let (inputs, outs) = (p.input_addresses(), p.out_addresses());
        p.devices.fork()?;
        for ((device, kernel), (first, end)) in p.devices.iter().zip(&kernels).zip(&parts) {
            let mut launch = device.stream.launch_builder(kernel);
            launch.arg(&inputs).arg(&outs).arg(first).arg(end);
            // SAFETY: two_shot.cu is `(Pointers in, Pointers out, size_t first, size_t end)`. It reads and writes the
            // elements from `first` to before `end` of every device's arrays, which have n elements. `first` is a
            // multiple of 4.
            unsafe { launch.launch(config)? };
        }
        p.devices.join()
    }))
    // ANCHOR_END: enqueue
}

/// The rung `reduce_scatter_pull`.
pub static REDUCE_SCATTER_PULL: Rung = Rung::new(
    "reduce_scatter_pull",
    "one kernel per device, which loads one part of all arrays: the first shot of two_shot",
    ptx!("kernels/reduce_scatter_pull.ptx"),
)
.refuses(|_, case| Task::ReduceScatter.refusal(case));

/// One kernel per device. Before them and after them, all streams meet.
pub fn reduce_scatter(p: &Collective, rung: &Rung) -> Prepared<Collective> {
    let (kernels, config) = thread_per_pack("reduce_scatter_pull", p, rung)?;
    let parts = p.parts();
    Ok(Launch::new(kernels[0].clone(), config, (), move |p: &mut Collective| {
        let inputs = p.input_addresses();
        p.devices.fork()?;
        for (d, (kernel, (first, end))) in kernels.iter().zip(&parts).enumerate() {
            let mut out = p.outs[d].view_mut();
            let mut launch = p.devices[d].stream.launch_builder(kernel);
            launch.arg(&inputs).arg(&mut out).arg(first).arg(end);
            // SAFETY: reduce_scatter_pull.cu is `(Pointers in, float* out, size_t first, size_t end)`. It reads the
            // elements from `first` to before `end` of every device's array and writes as many. `first` is a multiple
            // of 4, unless it is the number of elements.
            unsafe { launch.launch(config)? };
        }
        p.devices.join()
    }))
}
